//! Use of each parameter of a site's files.

use super::consequence::{Consequence, consequence_of};
use super::first_partition;
use super::parameters::Parameters;
use crate::log::{Effect, FieldUse, Header, Naming};
use rustc_hash::FxHashMap;

/// Numbers of jobs of a log.
#[derive(Clone, Debug, Default)]
pub struct JobCounts {
    /// All jobs.
    pub all: u64,
    /// Jobs by the number of their partition in the log.
    pub of_partition: FxHashMap<u32, u64>,
    /// Jobs by the number of their queue in the log, which is their QOS.
    pub of_qos: FxHashMap<u32, u64>,
}

/// Returns the use of each parameter: those that are simulated, then the others.
pub(super) fn uses(parameters: &Parameters, header: &Header, jobs: &JobCounts) -> Vec<FieldUse> {
    let sum = |counts: &FxHashMap<u32, u64>, of: Naming, wanted: &str| -> u64 {
        let own = header.names(of).filter(|(_, name)| first_partition(name) == wanted);
        own.map(|(number, _)| counts.get(&number).copied().unwrap_or(0)).sum()
    };
    let concerned = |name: &str| match name.split(' ').collect::<Vec<_>>()[..] {
        ["QOS", qos, ..] => sum(&jobs.of_qos, Naming::Queue, qos),
        [first, ..] => match first.strip_prefix("PartitionName=") {
            Some(partition) if header.names(Naming::Partition).next().is_some() => {
                sum(&jobs.of_partition, Naming::Partition, partition)
            }
            _ => jobs.all,
        },
        [] => jobs.all,
    };
    let used = parameters.used.iter().map(|name| FieldUse { name: name.clone(), effect: Effect::Used });
    let others = parameters.ignored.iter().map(|name| {
        let effect = match (consequence_of(name), concerned(name)) {
            (Consequence::NoFigure, _) | (_, 0) => Effect::NoEffect,
            (_, count) => Effect::WouldChange(count),
        };
        FieldUse { name: name.clone(), effect }
    });
    used.chain(others).collect()
}
