//! Test cases as input files of `dfrsim solve coallocate`.

use crate::grid::GridInUse;
use dfrsim_coallocation::file::{Resources, format_amount, reservation_lines};
use dfrsim_coallocation::planetlab::PROPERTIES;
use dfrsim_lab::{Failure, RunContext};
use dfrsim_model::coallocation::{Request, Reservation};
use std::io::Write as _;

/// Writes `PLACE.nodes.csv`, `PLACE.use.csv` and `PLACE.toml` to a folder of the results: the nodes
/// that a search examines, their reservations, and the request.
pub(crate) fn write(
    watch: RunContext<'_>,
    (folder, place): (&str, &str),
    on: &GridInUse,
    request: &Request,
    sample: &[usize],
) -> Result<(), Failure> {
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
        on.reservations_of(node).iter().map(move |it| Reservation { resource: place, ..it.clone() })
    };
    let reserved: Vec<Reservation> = sample.iter().enumerate().flat_map(of_node).collect();
    let texts = [
        ("nodes.csv", list),
        ("use.csv", reservation_lines(&nodes, &reserved, true)),
        ("toml", request_text(request, &quantities)),
    ];
    for (extension, text) in texts {
        let name = format!("{place}.{extension}");
        let written = watch.create(folder, &name)?.write_all(text.as_bytes());
        written.map_err(|error| Failure::failed(format_args!("{folder}/{name}: {error}")))?;
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
