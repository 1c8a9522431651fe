//! Test cases as files that `dfrsim solve coallocate` takes.

use crate::grid::InUse;
use dfrsim_coallocation::file::{Resources, format_amount, reservation_lines};
use dfrsim_coallocation::planetlab::PROPERTIES;
use dfrsim_lab::Failure;
use dfrsim_model::coallocation::{Request, Reservation};
use std::fs;
use std::path::Path;

/// Writes `PATH.nodes.csv`, `PATH.use.csv` and `PATH.toml`: the nodes that a search examines, what is reserved of them, and the
/// request.
pub(crate) fn write(path: &Path, on: &InUse, request: &Request, sample: &[usize]) -> Result<(), Failure> {
    let quantities: Vec<String> = PROPERTIES.iter().map(|property| property.name.to_owned()).collect();
    let nodes = Resources {
        names: sample.iter().map(|node| format!("node-{node}")).collect(),
        quantities: quantities.clone(),
        qualities: Vec::new(),
        resources: sample.iter().map(|&node| on.grid.resources()[node].clone()).collect(),
    };
    let mut list = format!("node,{}\n", quantities.join(","));
    for (name, node) in nodes.names.iter().zip(&nodes.resources) {
        let amounts: Vec<String> = node.capacity.iter().map(|&amount| format_amount(amount)).collect();
        list += &format!("{name},{}\n", amounts.join(","));
    }
    let of_node = |(place, &node): (usize, &usize)| {
        on.reserved_of(node).iter().map(move |it| Reservation { resource: place, ..it.clone() })
    };
    let reserved: Vec<Reservation> = sample.iter().enumerate().flat_map(of_node).collect();
    let texts = [
        ("nodes.csv", list),
        ("use.csv", reservation_lines(&nodes, &reserved, true)),
        ("toml", request_text(request, &quantities)),
    ];
    let folder = path.parent().unwrap_or(Path::new(""));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let failed = |path: &Path, error| Failure::failed(format!("{}: {error}", path.display()));
    fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    for (extension, text) in texts {
        let path = folder.join(format!("{name}.{extension}"));
        fs::write(&path, text).map_err(|error| failed(&path, error))?;
    }
    Ok(())
}

fn request_text(request: &Request, quantities: &[String]) -> String {
    let Request { duration, resources, earliest, latest, minimum, total, .. } = request;
    let mut text =
        format!("duration = {duration}\nresources = {resources}\nearliest = {earliest}\nlatest = {latest}\n");
    for (table, amounts) in [("minimum", minimum), ("total", total)] {
        text += &format!("[{table}]\n");
        for (name, &amount) in quantities.iter().zip(amounts) {
            text += &format!("{name} = {}\n", format_amount(amount));
        }
    }
    text
}
