//! Suggested commands to simulate a log.

use super::remarks::Contents;
use crate::arguments::KB_OF_GB;
use crate::commands::quoted::quoted;
use dfrsim_workload::log::Header;
use std::path::Path;

/// Builds a command with a batch policy, and one with a fractional policy, or with a policy that
/// shares nodes if the jobs of the log did.
///
/// `given` is the number of processors that the user gave for the machine; the columns are those of a
/// table.
pub(super) fn suggestions(
    (file, columns): (&Path, Option<&str>),
    header: &Header,
    contents: &Contents,
    given: Option<u32>,
) -> Vec<String> {
    let mut file = quoted(&file.display().to_string());
    if let Some(columns) = columns {
        file += &format!(" --columns {}", quoted(columns));
    }
    let machine = header.max_procs().or(header.max_nodes()).filter(|&count| count > 0);
    let widest = contents.widest();
    let nodes = match given {
        Some(given) => format!(" --nodes {given}"),
        None if machine.is_some() => String::new(),
        None => format!(" --nodes {widest}"),
    };
    let estimates = if contents.with_estimate() > 0 { " --estimates requested" } else { "" };
    let batch = format!("dfrsim simulate --workload {file}{nodes} --unit processor --policy EASY{estimates}");
    let on_nodes = &contents.node_usage;
    let (mut nodes, mut policy) = (nodes, "'GreedyPM*/per/OPT=MIN/MVT=600'");
    let annotate = if on_nodes.sharing > 0 {
        let cores = on_nodes.processors.max(1);
        // A power of two that covers the largest memory of a job on a node.
        let memory = on_nodes.kilobytes.max(1.0).log2().ceil().exp2() / KB_OF_GB;
        let processors = given.or(machine.and_then(|machine| u32::try_from(machine).ok()));
        nodes = format!(" --nodes {}", processors.map_or(1, |all| all.div_ceil(cores)).max(on_nodes.nodes));
        policy = "EASY/NODES=SHARED";
        format!(" --annotate hpc2n --join listed --floor-tenths 0 --cores {cores} --node-memory {memory}")
    } else if contents.with_memory == 0 {
        " --annotate lublin".to_owned()
    } else if header.installation().is_some_and(|installation| installation.contains("HPC2N")) {
        // The machine of the study: the header counts processors as nodes.
        " --annotate hpc2n".to_owned()
    } else {
        let cores = match (header.max_procs(), header.max_nodes()) {
            (Some(processors), Some(nodes)) if nodes > 0 => (processors / nodes).max(1),
            _ => 1,
        };
        // Large enough for the memory of all processors of a node. This is a guess, as logs seldom
        // give the memory of nodes.
        let kilobytes = contents.most_memory.millionths() as f64 / 1e6;
        let memory = kilobytes.max(1.0).log2().ceil().exp2() * cores as f64 / KB_OF_GB;
        format!(" --annotate hpc2n --cores {cores} --node-memory {memory}")
    };
    let fractional =
        format!("dfrsim simulate --workload {file}{nodes}{annotate} --policy {policy} --first 1000");
    vec![batch, fractional]
}
