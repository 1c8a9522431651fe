//! Node lists in CSV, as Alibaba's trace of GPU clusters (`cluster-trace-gpu-v2023`) has them.
//!
//! ```text
//! sn,cpu_milli,memory_mib,gpu,model
//! openb-node-0000,64000,262144,2,P100
//! openb-node-0001,32000,262144,0,
//! ```
//!
//! GPUs are [devices](crate::platform::devices), and their model is a feature of the node. Nodes
//! with equal values are a class; classes are in the order of their first nodes.

use super::{ClassFields, PlatformFields, ReferenceNode};
use crate::platform::devices::MOST_DEVICES;
use crate::platform::hosts::compress;
use dfrsim_input::{Faults, Input, Located, Reader};
use std::collections::{BTreeMap, BTreeSet};

const COLUMNS: [&str; 5] = ["sn", "cpu_milli", "memory_mib", "gpu", "model"];

/// Name of the resource.
const GPU: &str = "gpu";

/// Number of parts of a core that tasks hold: those in which the map of the trace counts processors.
const CORE_PARTS: u32 = 50;

/// Largest number of cores of a node, in thousandths.
const MAX_MILLI: u32 = 10_000_000;

/// Values of a node: cores, memory in MiB, number of GPUs, and their model, which may be empty.
type NodeValues = (u32, u32, u32, String);

/// Parses a node list; `file` is the name in messages.
///
/// # Errors
///
/// Returns the errors of all invalid lines.
pub(super) fn parse(file: &str, text: &str) -> Result<PlatformFields, Faults> {
    let input = Input::csv(file, text);
    let mut reader = Reader::default();
    let is_list = |columns: &[String]| COLUMNS.iter().all(|name| columns.iter().any(|column| column == name));
    if !input.columns().is_some_and(is_list) {
        let expected = format!("expected a node list with the columns {}", COLUMNS.join(","));
        reader.fault(&input.root(), expected);
        return reader.finish(None);
    }
    let (mut order, mut hosts) = (Vec::new(), BTreeMap::<NodeValues, Vec<String>>::new());
    for at in reader.records(&input).into_iter().flatten() {
        if let Some((host, node)) = read_node(&mut reader, &at) {
            let of_class = hosts.entry(node.clone()).or_default();
            if of_class.is_empty() {
                order.push(node);
            }
            of_class.push(host);
        }
    }
    let classes = order.into_iter().map(|node| class(&hosts[&node], node)).collect::<Vec<_>>();
    let has_gpus = classes.iter().any(|class| !class.resources.is_empty());
    let devices = has_gpus.then(|| GPU.to_owned());
    let most = |of: fn(&ClassFields) -> f64| classes.iter().map(of).fold(0.0, f64::max);
    // Needs of tasks are fractions of a node that is as large as any.
    let reference =
        Some(ReferenceNode { cores: most(|it| it.cores.into()) as u32, memory_gb: most(|it| it.memory_gb) });
    let core_parts = Some(CORE_PARTS);
    reader.finish(Some(PlatformFields {
        devices,
        core_parts,
        reference: reference.filter(|_| !classes.is_empty()),
        classes,
        ..PlatformFields::default()
    }))
}

fn read_node(reader: &mut Reader, at: &Located<'_>) -> Option<(String, NodeValues)> {
    let line = reader.object(at, &COLUMNS)?;
    let host = reader.field(&line, "sn").and_then(|at| reader.text(&at).map(str::to_owned));
    let milli = reader.field(&line, "cpu_milli").and_then(|at| {
        let milli = reader.integer(&at, 1_000..=MAX_MILLI)?;
        if milli % 1_000 != 0 {
            reader.fault(&at, format!("found {milli}, expected whole cores, in thousandths"));
        }
        Some(milli)
    });
    let memory = reader.field(&line, "memory_mib").and_then(|at| reader.integer(&at, 1..=u32::MAX));
    let gpus = reader.field(&line, "gpu").and_then(|at| reader.integer(&at, 0..=MOST_DEVICES as u32));
    let model = line.get("model").filter(|at| !at.is_null()).and_then(|at| at.text().map(str::to_owned));
    Some((host?, (milli? / 1_000, memory?, gpus?, model.unwrap_or_default())))
}

fn class(hosts: &[String], (cores, memory_mib, gpus, model): NodeValues) -> ClassFields {
    let kind = if model.is_empty() { "cpu" } else { &model };
    ClassFields {
        name: format!("{kind}-{gpus}-{cores}-{memory_mib}"),
        nodes: hosts.len() as u32,
        cores,
        memory_gb: f64::from(memory_mib) / 1024.0,
        speed: 1.0,
        resources: Some((GPU.to_owned(), gpus)).filter(|_| gpus > 0).into_iter().collect(),
        features: Some(model).filter(|model| !model.is_empty()).into_iter().collect::<BTreeSet<_>>(),
        hosts: compress(hosts),
        device_groups: Vec::new(),
        power: None,
        sleep: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_with_equal_values_are_a_class() {
        let text = "sn,cpu_milli,memory_mib,gpu,model\nn-0,64000,262144,2,P100\nn-1,32000,131072,0,\nn-2,64000,262144,2,P100\n";
        let fields = parse("nodes.csv", text).unwrap();
        let classes = fields.classes().unwrap();
        let found: Vec<_> =
            classes.classes().iter().map(|it| (it.name.as_str(), it.nodes, it.amounts[0])).collect();
        assert_eq!(found, [("P100-2-64-262144", 2, 2), ("cpu-0-32-131072", 1, 0)]);
        assert_eq!((classes.devices(), classes.features()), (Some(0), &["P100".to_owned()][..]));
        assert_eq!(classes.hosts(), ["n-0", "n-2", "n-1"]);
    }

    #[test]
    fn wrong_lines_are_named() {
        let head = "sn,cpu_milli,memory_mib,gpu,model\n";
        let fault = |rest: &str| parse("nodes.csv", &format!("{head}{rest}")).unwrap_err().to_string();
        assert!(fault("n,64000,1,17,P100\n").starts_with("nodes.csv:2: gpu: "));
        assert!(fault("n,64500,1,2,P100\n").contains("found 64500, expected whole cores"));
        let other = parse("nodes.csv", "name,cpus\nn,4\n").unwrap_err().to_string();
        assert!(
            other.contains("expected a node list with the columns sn,cpu_milli,memory_mib,gpu,model"),
            "{other}"
        );
    }
}
