//! How long algorithms took: the one file beside the manifest that depends on the machine.

use super::scenario::Scenario;
use crate::Table;
use crate::tables::Cell;
use std::collections::BTreeMap;
use std::time::Duration;

/// Group, nodes, tasks, algorithm.
type Sizes = (u32, u32, u32, usize);

/// Times by group, size of instances and algorithm.
#[derive(Debug, Default)]
pub(super) struct Times {
    /// How many, and how long in all.
    sums: BTreeMap<Sizes, (u32, Duration)>,
}

impl Times {
    pub(super) fn add(&mut self, group: u32, nodes: u32, tasks: u32, times: &[(usize, Duration)]) {
        for &(algorithm, time) in times {
            let (count, sum) = self.sums.entry((group, nodes, tasks, algorithm)).or_default();
            *count += 1;
            *sum += time;
        }
    }
    pub(super) fn is_empty(&self) -> bool {
        self.sums.is_empty()
    }
    /// Added up.
    pub(super) fn total(&self) -> Duration {
        self.sums.values().map(|(_, sum)| *sum).sum()
    }
    /// The mean times, in milliseconds.
    pub(super) fn table(&self, scenario: &Scenario) -> Table {
        let line = |(&(group, nodes, tasks, algorithm), &(count, sum)): (&Sizes, &(u32, Duration))| {
            vec![
                Cell::Text(scenario.instances[group as usize].name.clone()),
                Cell::Count(nodes as usize),
                Cell::Count(tasks as usize),
                Cell::Text(scenario.algorithms[algorithm].to_string()),
                Cell::Count(count as usize),
                Cell::Number(sum.as_secs_f64() * 1e3 / f64::from(count)),
            ]
        };
        let header = vec!["instances", "nodes", "tasks", "algorithm", "runs", "mean_ms"];
        Table::new(header, self.sums.iter().map(line).collect())
    }
}
