//! Waits of groups of jobs.

use crate::scenario::PartOfJobs;
use dfrsim_cluster::{JobRecord, Observer, Occurrence};
use dfrsim_model::{Job, JobId, Origin, SimTime};
use dfrsim_workload::log::{Header, Naming};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Observer that collects the waits of jobs.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    /// Origins of the jobs in the system.
    origins: BTreeMap<JobId, Origin>,
    /// Origin, tasks and wait in seconds of the jobs that have completed or were killed.
    waited: Vec<(Origin, u32, f64)>,
}

/// Mean wait of a group of jobs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PartWait {
    /// Attribute by which jobs are grouped; `all` for all jobs.
    pub(crate) by: String,
    /// Name of the group.
    pub(crate) name: String,
    /// Number of its jobs that completed or were killed.
    pub(crate) jobs: usize,
    /// Mean wait in seconds.
    pub(crate) mean_s: f64,
}

impl Observer for Waits {
    fn observe(&mut self, _: SimTime, _: u64, occurrence: Occurrence<'_>) {
        match occurrence {
            Occurrence::Submitted(Job { id, origin, .. }, _) => _ = self.origins.insert(*id, *origin),
            Occurrence::Completed(record) | Occurrence::Killed(record) => self.record_wait(record),
            _ => {}
        }
    }
}

impl Waits {
    fn record_wait(&mut self, record: &JobRecord) {
        let origin = self.origins.remove(&record.id).unwrap_or(Origin::UNKNOWN);
        self.waited.push((origin, record.tasks, record.wait().as_secs_f64()));
    }

    /// Returns the waits of all jobs and of groups of them as JSON, for a column of rows.
    pub(crate) fn into_json(self, parts: &[PartOfJobs], header: Option<&Header>) -> String {
        let mut sums: BTreeMap<(usize, u32), (usize, f64)> = BTreeMap::new();
        for (origin, tasks, wait) in &self.waited {
            let of = |part: &PartOfJobs| match part {
                PartOfJobs::Partition => origin.partition(),
                PartOfJobs::Account => origin.group(),
                PartOfJobs::Qos => origin.queue(),
                PartOfJobs::Size => Some(size(*tasks)),
            };
            let numbers = parts.iter().enumerate().filter_map(|(place, part)| Some((1 + place, of(part)?)));
            for key in [(0, 0)].into_iter().chain(numbers) {
                let (jobs, sum) = sums.entry(key).or_default();
                *jobs += 1;
                *sum += wait;
            }
        }
        let name = |of: Naming, number: u32| {
            let mut names = header.into_iter().flat_map(|header| header.names(of));
            names
                .find(|(known, _)| *known == number)
                .map_or_else(|| number.to_string(), |(_, name)| name.to_owned())
        };
        let part = |((place, number), (jobs, sum)): ((usize, u32), (usize, f64))| {
            let (by, name) = match place.checked_sub(1).map(|place| parts[place]) {
                None => ("all", "all jobs".to_owned()),
                Some(part @ PartOfJobs::Partition) => (part.name(), name(Naming::Partition, number)),
                Some(part @ PartOfJobs::Account) => (part.name(), name(Naming::Group, number)),
                Some(part @ PartOfJobs::Qos) => (part.name(), name(Naming::Queue, number)),
                Some(part @ PartOfJobs::Size) => (part.name(), SIZES[number as usize].1.to_owned()),
            };
            PartWait { by: by.to_owned(), name, jobs, mean_s: sum / jobs as f64 }
        };
        let all: Vec<PartWait> = sums.into_iter().map(part).collect();
        serde_json::to_string(&all).unwrap_or_default()
    }
}

/// Classes of job sizes: the largest number of tasks, and the name.
const SIZES: [(u32, &str); 6] = [
    (1, "1"),
    (4, "2 to 4"),
    (16, "5 to 16"),
    (64, "17 to 64"),
    (256, "65 to 256"),
    (u32::MAX, "257 and more"),
];

fn size(tasks: u32) -> u32 {
    SIZES.partition_point(|(most, _)| *most < tasks) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_the_names_of_the_log() {
        let mut header = Header::default();
        header.name(Naming::Group, 7, "physics");
        let of = |group, partition| Origin::new(group, None, partition);
        let waited =
            vec![(of(Some(7), Some(2)), 1, 10.0), (of(Some(8), None), 4, 20.0), (of(Some(7), None), 5, 60.0)];
        let waits = Waits { waited, ..Waits::default() };
        let text =
            waits.into_json(&[PartOfJobs::Account, PartOfJobs::Partition, PartOfJobs::Size], Some(&header));
        let parts: Vec<PartWait> = serde_json::from_str(&text).unwrap();
        let found: Vec<_> = parts.iter().map(|it| (it.name.as_str(), it.jobs, it.mean_s)).collect();
        let expected = [
            ("all jobs", 3, 30.0),
            ("physics", 2, 35.0),
            ("8", 1, 20.0),
            ("2", 1, 10.0),
            ("1", 1, 10.0),
            ("2 to 4", 1, 20.0),
            ("5 to 16", 1, 60.0),
        ];
        assert_eq!(found, expected);
    }
}
