//! Waits of groups of jobs.
//!
//! The wait of a job ends when the nodes on which it starts first are awake, as Slurm resets the start
//! of a job once its nodes are powered up.

use crate::instance::RecordedWaits;
use crate::scenario::PartOfJobs;
use dfrsim_cluster::{JobRecord, Observer, Occurrence};
use dfrsim_model::{Job, JobId, Origin, SimSpan, SimTime};
use dfrsim_workload::log::{Header, Naming};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Observer that collects the waits of jobs.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    /// Jobs in the order of submission.
    jobs: Vec<SubmittedJob>,
}

/// A submitted job, with its start or its rejection.
#[derive(Clone, Copy, Debug)]
struct SubmittedJob {
    id: JobId,
    origin: Origin,
    tasks: u32,
    end: End,
    /// Number of starts.
    starts: u32,
    /// Time after the first start until its nodes were awake.
    woken: SimSpan,
}

/// End of a job.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    /// The job has not left the system.
    None,
    /// The job ran, after this wait, and was killed or not.
    Ran { wait: SimSpan, is_killed: bool },
    /// The job never started.
    Rejected,
    /// The job started and was lost with all of its work.
    Lost,
}

impl SubmittedJob {
    /// Returns the wait of a job that ran.
    fn wait(&self) -> Option<SimSpan> {
        if let End::Ran { wait, .. } = self.end { Some(wait.saturating_add(self.woken)) } else { None }
    }
}

/// Waits of the jobs that ran, by job.
pub(crate) type RunWaits = FxHashMap<JobId, SimSpan>;

/// Waits with which those of a simulation are compared, job by job.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OtherWaits<'a> {
    /// Waits with the first setting of the scenario.
    pub(crate) first: Option<&'a RunWaits>,
    /// Waits that the log records.
    pub(crate) recorded: Option<&'a RecordedWaits>,
}

/// Mean wait of a group of jobs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct PartWait {
    /// Attribute by which jobs are grouped; `all` for all jobs.
    pub(crate) by: String,
    /// Name of the group.
    pub(crate) name: String,
    /// Number of its jobs that were submitted.
    #[serde(default)]
    pub(crate) came: usize,
    /// Number of its jobs that completed or were killed.
    pub(crate) jobs: usize,
    /// Number of its jobs that were rejected.
    #[serde(default)]
    pub(crate) rejected: usize,
    /// Number of its jobs that were killed.
    #[serde(default)]
    pub(crate) killed: usize,
    /// Number of its jobs that were lost.
    #[serde(default)]
    pub(crate) lost: usize,
    /// Mean wait in seconds; 0 if no job ran.
    pub(crate) mean_s: f64,
    /// Comparison with the first setting of the scenario.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) first: Option<PairedWaits>,
    /// Comparison with the waits that the log records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) recorded: Option<PairedWaits>,
}

/// Mean waits of the jobs that ran in this simulation and elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PairedWaits {
    /// Number of these jobs.
    pub(crate) jobs: usize,
    /// Mean wait in this simulation, in seconds.
    pub(crate) mean_s: f64,
    /// Mean wait elsewhere, in seconds.
    pub(crate) other_s: f64,
}

impl PairedWaits {
    /// Compares the waits of the jobs that have one in both; `None` if there is no such job.
    fn of<'a>(
        jobs: impl Iterator<Item = &'a SubmittedJob>,
        others: &FxHashMap<JobId, SimSpan>,
    ) -> Option<PairedWaits> {
        let (mut count, mut own, mut other) = (0_usize, 0.0, 0.0);
        for (wait, there) in jobs.filter_map(|job| Some((job.wait()?, others.get(&job.id)?))) {
            count += 1;
            own += wait.as_secs_f64();
            other += there.as_secs_f64();
        }
        let mean = |sum: f64| sum / count as f64;
        (count > 0).then(|| PairedWaits { jobs: count, mean_s: mean(own), other_s: mean(other) })
    }
}

impl Observer for Waits {
    fn observe(&mut self, _: SimTime, job: u64, occurrence: Occurrence<'_>) {
        let ran = |record: &JobRecord| End::Ran { wait: record.wait(), is_killed: record.killed };
        let end = match occurrence {
            Occurrence::Submitted(&Job { id, origin, tasks, .. }, _) => {
                debug_assert_eq!(job, self.jobs.len() as u64, "jobs are numbered in the order of submission");
                let (end, starts, woken) = (End::None, 0, SimSpan::ZERO);
                self.jobs.push(SubmittedJob { id, origin, tasks, end, starts, woken });
                return;
            }
            Occurrence::Started(..) | Occurrence::Resumed(..) | Occurrence::Migrated(..) => {
                return self.change(job, |job| job.starts = job.starts.saturating_add(1));
            }
            Occurrence::Woken(span) => {
                return self.change(job, |job| job.woken = if job.starts == 1 { span } else { job.woken });
            }
            Occurrence::Completed(record) | Occurrence::Killed(record) => ran(record),
            Occurrence::Rejected => End::Rejected,
            Occurrence::Lost(..) => End::Lost,
            _ => return,
        };
        self.change(job, |job| job.end = end);
    }
}

impl Waits {
    /// Changes the job of a number.
    fn change(&mut self, job: u64, change: impl FnOnce(&mut SubmittedJob)) {
        if let Some(submitted) = usize::try_from(job).ok().and_then(|job| self.jobs.get_mut(job)) {
            change(submitted);
        }
    }
    /// Returns the waits of the jobs that ran.
    pub(crate) fn of_jobs(&self) -> RunWaits {
        self.jobs.iter().filter_map(|job| Some((job.id, job.wait()?))).collect()
    }

    /// Returns the waits of all jobs and of groups of them as JSON, for a column of rows.
    pub(crate) fn json(
        &self,
        parts: &[PartOfJobs],
        header: Option<&Header>,
        others: OtherWaits<'_>,
    ) -> String {
        let mut groups: BTreeMap<(usize, u32), Vec<&SubmittedJob>> = BTreeMap::new();
        for job in &self.jobs {
            let of = |part: &PartOfJobs| match part {
                PartOfJobs::Partition => job.origin.partition(),
                PartOfJobs::Account => job.origin.group(),
                PartOfJobs::Qos => job.origin.queue(),
                PartOfJobs::Size => Some(size(job.tasks)),
            };
            let numbers = parts.iter().enumerate().filter_map(|(place, part)| Some((1 + place, of(part)?)));
            for key in [(0, 0)].into_iter().chain(numbers) {
                groups.entry(key).or_default().push(job);
            }
        }
        let name = |of: Naming, number: u32| {
            let mut names = header.into_iter().flat_map(|header| header.names(of));
            names
                .find(|(known, _)| *known == number)
                .map_or_else(|| number.to_string(), |(_, name)| name.to_owned())
        };
        let part = |((place, number), jobs): ((usize, u32), Vec<&SubmittedJob>)| {
            let (by, name) = match place.checked_sub(1).map(|place| parts[place]) {
                None => ("all", "all jobs".to_owned()),
                Some(part @ PartOfJobs::Partition) => (part.name(), name(Naming::Partition, number)),
                Some(part @ PartOfJobs::Account) => (part.name(), name(Naming::Group, number)),
                Some(part @ PartOfJobs::Qos) => (part.name(), name(Naming::Queue, number)),
                Some(part @ PartOfJobs::Size) => (part.name(), SIZES[number as usize].1.to_owned()),
            };
            PartWait { by: by.to_owned(), name, ..PartWait::of(&jobs, others) }
        };
        let all: Vec<PartWait> = groups.into_iter().map(part).collect();
        serde_json::to_string(&all).unwrap_or_default()
    }
}

impl PartWait {
    /// Counts a group of jobs and averages their waits.
    fn of(jobs: &[&SubmittedJob], others: OtherWaits<'_>) -> PartWait {
        let waits: Vec<SimSpan> = jobs.iter().filter_map(|job| job.wait()).collect();
        let sum: f64 = waits.iter().map(|wait| wait.as_secs_f64()).sum();
        let count = |is: fn(End) -> bool| jobs.iter().filter(|job| is(job.end)).count();
        let paired = |others: &FxHashMap<JobId, SimSpan>| PairedWaits::of(jobs.iter().copied(), others);
        PartWait {
            came: jobs.len(),
            jobs: waits.len(),
            rejected: count(|end| end == End::Rejected),
            killed: count(|end| matches!(end, End::Ran { is_killed: true, .. })),
            lost: count(|end| end == End::Lost),
            mean_s: if waits.is_empty() { 0.0 } else { sum / waits.len() as f64 },
            first: others.first.and_then(paired),
            recorded: others.recorded.and_then(paired),
            ..PartWait::default()
        }
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

    fn job(
        id: u64,
        group: Option<u32>,
        partition: Option<u32>,
        tasks: u32,
        wait: Option<u64>,
    ) -> SubmittedJob {
        let end = match wait {
            Some(wait) => End::Ran { wait: SimSpan::from_secs(wait), is_killed: false },
            None => End::Rejected,
        };
        SubmittedJob {
            id: JobId(id),
            origin: Origin::new(group, None, partition),
            tasks,
            end,
            starts: 1,
            woken: SimSpan::ZERO,
        }
    }

    fn parts(
        waits: &Waits,
        by: &[PartOfJobs],
        header: Option<&Header>,
        others: OtherWaits<'_>,
    ) -> Vec<PartWait> {
        serde_json::from_str(&waits.json(by, header, others)).unwrap()
    }

    #[test]
    fn parts_have_the_names_of_the_log() {
        let mut header = Header::default();
        header.name(Naming::Group, 7, "physics");
        let jobs = vec![
            job(1, Some(7), Some(2), 1, Some(10)),
            job(2, Some(8), None, 4, Some(20)),
            job(3, Some(7), None, 5, Some(60)),
        ];
        let by = [PartOfJobs::Account, PartOfJobs::Partition, PartOfJobs::Size];
        let parts = parts(&Waits { jobs }, &by, Some(&header), OtherWaits::default());
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

    #[test]
    fn waits_are_compared_over_the_jobs_that_ran_in_both() {
        let first = Waits { jobs: vec![job(1, None, None, 1, Some(100)), job(2, None, None, 1, Some(10))] };
        let own = Waits { jobs: vec![job(1, None, None, 1, None), job(2, None, None, 1, Some(30))] };
        let (before, recorded) =
            (first.of_jobs(), RecordedWaits::from_iter([(JobId(2), SimSpan::from_secs(12))]));
        let others = OtherWaits { first: Some(&before), recorded: Some(&recorded) };
        let [all] = &parts(&own, &[], None, others)[..] else { panic!("all jobs") };
        assert_eq!((all.came, all.jobs, all.rejected, all.killed, all.lost), (2, 1, 1, 0, 0));
        // The mean of the first setting is 55 s, but job 1 did not run here.
        assert_eq!(all.first, Some(PairedWaits { jobs: 1, mean_s: 30.0, other_s: 10.0 }));
        assert_eq!(all.recorded, Some(PairedWaits { jobs: 1, mean_s: 30.0, other_s: 12.0 }));
    }
}
