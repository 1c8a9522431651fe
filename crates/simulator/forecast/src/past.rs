//! Run times of the past, by group of jobs.

mod distribution;

pub use distribution::Distribution;

use crate::schedule::Schedule;
use crate::snapshot::Snapshot;
use dfrsim_model::{Job, SimSpan, SimTime};
use distribution::{Group, Sample};
use rustc_hash::{FxHashMap, FxHashSet};

/// Job of the past.
#[derive(Clone, Debug)]
pub struct PastJob {
    /// The job; its run time is known once it has ended.
    pub job: Job,
    /// Start.
    pub start: SimTime,
    /// End.
    pub end: SimTime,
}

/// Time to which run times are relative if a job has no requested time.
const WITHOUT_REQUEST: SimSpan = SimSpan::from_secs(3_600);

/// Number of the latest jobs of each group that are used.
const LATEST: [usize; 4] = [30, 50, 300, 1_000];

/// Weight of the more general groups relative to each group, as a number of jobs of the group.
/// Other jobs of a user are less informative than identical ones.
const WIDER: [f64; 4] = [3.0, 8.0, 3.0, 3.0];

/// Groups of similar jobs, from specific to general.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum GroupKey {
    /// Same user, size and requested time.
    Identical(u32, u32, Option<SimSpan>),
    /// Same user.
    User(u32),
    /// Same powers of two of size and requested time.
    Class(u32, Option<u32>),
    /// All jobs.
    All,
}

/// Jobs that have ended, ordered by their ends, with an index by group.
#[derive(Clone, Debug, Default)]
pub struct Past {
    jobs: Vec<PastJob>,
    groups: FxHashMap<GroupKey, Vec<u32>>,
}

/// Most general group that was needed for the run time of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// Jobs of the same user, size and requested time.
    Identical,
    /// Jobs of the same user.
    User,
    /// Jobs of similar size and requested time, as the user has no earlier jobs.
    Class,
    /// All jobs, as none is similar.
    All,
    /// No job: any run time up to the requested one is equally likely.
    Nothing,
}

/// Returns the time to which run times of the job are relative.
fn reference(job: &Job) -> SimSpan {
    job.requested_time.filter(|span| !span.is_zero()).unwrap_or(WITHOUT_REQUEST)
}

/// Returns the groups of a job, from specific to general; without those of the user if the user is
/// unknown.
fn groups_of(job: &Job) -> impl Iterator<Item = (usize, GroupKey)> {
    let user = job.user.map(dfrsim_model::UserId::number);
    let request = job.requested_time.map(|span| (span.micros() / 1_000_000).max(1).ilog2());
    let keys = [
        user.map(|user| GroupKey::Identical(user, job.tasks, job.requested_time)),
        user.map(GroupKey::User),
        Some(GroupKey::Class(job.tasks.max(1).ilog2(), request)),
        Some(GroupKey::All),
    ];
    keys.into_iter().enumerate().filter_map(|(at, key)| Some((at, key?)))
}

impl Past {
    /// Indexes jobs that have ended.
    pub fn new(mut jobs: Vec<PastJob>) -> Past {
        jobs.sort_by_key(|it| it.end);
        let mut groups = FxHashMap::<GroupKey, Vec<u32>>::default();
        for (at, it) in (0..).zip(&jobs) {
            groups_of(&it.job).for_each(|(_, key)| groups.entry(key).or_default().push(at));
        }
        Past { jobs, groups }
    }

    /// Indexes the jobs of a schedule that have ended.
    pub fn of_schedule(schedule: &Schedule) -> Past {
        let ended = schedule.entries().iter().filter_map(|entry| {
            Some(PastJob { job: entry.job.clone(), start: entry.start()?, end: entry.end()? })
        });
        Past::new(ended.collect())
    }

    /// Returns the jobs, ordered by their ends.
    pub fn jobs(&self) -> &[PastJob] {
        &self.jobs
    }

    /// Returns the jobs of the same user that have ended by a time; none if the user is unknown.
    pub fn of_user(&self, job: &Job, at: SimTime) -> impl DoubleEndedIterator<Item = &PastJob> {
        let key = job.user.map(|user| GroupKey::User(user.number()));
        let members = key.and_then(|key| self.groups.get(&key)).map_or(&[][..], |members| members);
        let ended = members.partition_point(|&member| self.jobs[member as usize].end <= at);
        members[..ended].iter().map(|&member| &self.jobs[member as usize])
    }

    /// Returns the distributions of the run times of all jobs of a snapshot, in the order of
    /// [`Snapshot::jobs`], from what was known at its time.
    pub fn distributions(&self, snapshot: &Snapshot) -> Vec<(Distribution, Basis)> {
        let mut running = FxHashMap::<GroupKey, Vec<Sample>>::default();
        for (job, elapsed) in snapshot.jobs().take(snapshot.running.len()) {
            let sample = Sample { ratio: ratio(elapsed, job), hour: hour(job.submit), is_censored: true };
            groups_of(job).for_each(|(_, key)| running.entry(key).or_default().push(sample));
        }
        let mut found = FxHashMap::<GroupKey, Group>::default();
        let mut known = FxHashMap::<Vec<(usize, GroupKey)>, (Distribution, Basis)>::default();
        let of_job = |(job, elapsed): (&Job, SimSpan)| {
            let keys: Vec<(usize, GroupKey)> = groups_of(job).collect();
            let (all, basis) = known.entry(keys).or_insert_with_key(|keys| {
                for &(at, key) in keys {
                    found.entry(key).or_insert_with(|| {
                        let running = running.get(&key).map_or(&[][..], |samples| samples);
                        self.group(key, LATEST[at], running, snapshot.at)
                    });
                }
                let parts: Vec<(usize, &Group)> = keys.iter().map(|(at, key)| (*at, &found[key])).collect();
                let weighted = parts.iter().map(|&(at, group)| (group, WIDER[at]));
                (Distribution::mixed(weighted), basis_of(&parts))
            });
            (all.given(ratio(elapsed, job)).scaled(reference(job)), *basis)
        };
        snapshot.jobs().map(of_job).collect()
    }

    /// Collects the latest jobs of a group that ended by a time, and its running jobs.
    fn group(&self, key: GroupKey, latest: usize, running: &[Sample], at: SimTime) -> Group {
        let members = self.groups.get(&key).map_or(&[][..], |members| members);
        let ended = members.partition_point(|&member| self.jobs[member as usize].end <= at);
        let ended = &members[ended.saturating_sub(latest)..ended];
        let sample = |&member: &u32| {
            let job = &self.jobs[member as usize].job;
            Sample { ratio: ratio(job.run_time, job), hour: hour(job.submit), is_censored: false }
        };
        let samples: Vec<Sample> = ended.iter().map(sample).chain(running.iter().copied()).collect();
        let count = match key {
            // The jobs that a user submits at one time tell little more than one of them.
            GroupKey::Identical(..) | GroupKey::User(_) => {
                samples.iter().map(|it| it.hour).collect::<FxHashSet<u64>>().len()
            }
            GroupKey::Class(..) | GroupKey::All => samples.len(),
        };
        Group::new(samples, count, ended.len())
    }
}

fn ratio(span: SimSpan, job: &Job) -> f64 {
    span.as_secs_f64() / reference(job).as_secs_f64()
}

fn hour(time: SimTime) -> u64 {
    time.micros() / 3_600_000_000
}

fn basis_of(parts: &[(usize, &Group)]) -> Basis {
    let first = parts.iter().find(|(_, group)| group.ended > 0).map(|(at, _)| *at);
    match first {
        Some(0) => Basis::Identical,
        Some(1) => Basis::User,
        Some(2) => Basis::Class,
        Some(_) => Basis::All,
        None => Basis::Nothing,
    }
}
