//! The file `gres.conf`.

use super::super::lines::{ConfLine, values};
use super::super::names::expand_hosts;
use super::super::{ConfError, unknown};
use super::gres::{Gres, count};
use super::node::Node;
use rustc_hash::{FxHashMap, FxHashSet};

/// Adds the types and counts of `gres.conf` to resources for which `slurm.conf` gives no type.
/// Returns the names of parameters that are not used.
pub(super) fn add(
    lines: &[ConfLine],
    nodes: &mut [(String, Node)],
    errors: &mut Vec<ConfError>,
) -> Vec<String> {
    let mut ignored = Vec::new();
    let mut said: FxHashMap<(Option<String>, String), Vec<Gres>> = FxHashMap::default();
    let known: FxHashSet<&str> = nodes.iter().map(|(name, _)| name.as_str()).collect();
    for line in lines {
        let ConfLine { at, pairs, .. } = line;
        errors.extend(line.stray_words());
        let get = |key| values(pairs.iter(), key).next();
        let Some(name) = get("Name") else {
            ignored.extend(pairs.iter().map(|(name, _)| format!("gres.conf {name}")));
            continue;
        };
        match of_line(line, name) {
            Ok((hosts, gres)) => {
                let absent = |host: &&String| !known.contains(host.as_str());
                if let Some(host) = hosts.iter().flatten().find(absent) {
                    let reason = unknown("node", host, &mut nodes.iter().map(|it| it.0.as_str()));
                    errors.push(at.for_parameter("NodeName").error(reason));
                    continue;
                }
                for host in hosts {
                    said.entry((host, name.to_owned())).or_default().push(gres.clone());
                }
            }
            Err(error) => errors.push(error),
        }
    }
    for (node_name, node) in nodes {
        let is_untyped = |gres: &Gres| gres.of_type.is_none();
        let untyped: FxHashSet<String> =
            node.gres.iter().filter(|it| is_untyped(it)).map(|it| it.name.clone()).collect();
        for name in untyped {
            let of_node = said.get(&(Some(node_name.clone()), name.clone()));
            let Some(parts) = of_node.or_else(|| said.get(&(None, name.clone()))) else { continue };
            let is_free = node.gres.iter().any(|it| it.name == name && it.is_free);
            node.gres.retain(|it| it.name != name || !is_untyped(it));
            node.gres.extend(parts.iter().map(|part| Gres { is_free, ..part.clone() }));
        }
    }
    ignored
}

/// Parses a line of `gres.conf`: the nodes, `None` for all, and their resource.
fn of_line(line: &ConfLine, name: &str) -> Result<(Vec<Option<String>>, Gres), ConfError> {
    let ConfLine { at, pairs, .. } = line;
    let get = |key| values(pairs.iter(), key).next();
    let files = get("File").map(|list| expand_hosts(list, &at.for_parameter("File"))).transpose()?;
    let units = match get("Count") {
        Some(text) => {
            let expected = "a whole number, with K, M, G, T or P for powers of 1024";
            count(text).ok_or_else(|| at.for_parameter("Count").unexpected(text, expected))?
        }
        None => files.map_or(1, |files| files.len() as u64),
    };
    let hosts = match get("NodeName") {
        Some(list) => expand_hosts(list, &at.for_parameter("NodeName"))?.into_iter().map(Some).collect(),
        None => vec![None],
    };
    let of_type = get("Type").map(str::to_owned);
    Ok((hosts, Gres { name: name.to_owned(), of_type, count: units, is_free: false }))
}
