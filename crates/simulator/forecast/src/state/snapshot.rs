//! Snapshot of a state, in the time of a workload.

use super::Fault;
use super::read::{Job as StateJob, State};
use crate::place::FreeNodes;
use crate::snapshot::{RunningJob, Snapshot};
use dfrsim_model::{Dependencies, Job, JobId, SimSpan, SimTime, UserId};
use rustc_hash::FxHashMap;

/// Snapshot of a state, and what else was found in the state.
#[derive(Clone, Debug, Default)]
pub struct StateSnapshot {
    /// Running and waiting jobs.
    pub snapshot: Snapshot,
    /// Waiting jobs as the state names them, in the order of [`Snapshot::waiting`].
    pub waiting: Vec<StateJob>,
    /// Names of the held jobs, which have no forecast.
    pub held: Vec<String>,
    /// Number of users without a number in the history.
    pub unknown_users: usize,
    /// Number of dependencies on jobs that are not in the state, which count as satisfied.
    pub fulfilled: usize,
}

/// Converts a Unix time to the time of the workload.
pub(super) fn second(time: i64, origin: i64) -> SimTime {
    SimTime::from_secs(time.saturating_sub(origin).unsigned_abs())
}

impl State {
    /// Returns the earliest time of the state.
    pub fn earliest(&self) -> i64 {
        self.jobs.iter().map(|job| job.submit).min().unwrap_or(self.at).min(self.at)
    }

    /// Creates the snapshot of the state on identical nodes. `origin` is the Unix time of
    /// second 0 of the workload, and `users` maps the names of its users to numbers.
    ///
    /// # Errors
    /// A fault for each running job that has no room beside those before it.
    pub fn snapshot(
        &self,
        nodes: u32,
        origin: i64,
        users: &FxHashMap<String, u32>,
    ) -> Result<StateSnapshot, Vec<Fault>> {
        let mut found = StateSnapshot::default();
        found.snapshot.at = second(self.at, origin);
        let mut order: Vec<&StateJob> = self.jobs.iter().collect();
        let number = |job: &StateJob| job.name.parse::<u64>().unwrap_or(u64::MAX);
        order.sort_by_key(|job| (job.submit, number(job), job.place));
        let (mut free, mut faults) = (FreeNodes::all(nodes), Vec::new());
        let mut strangers = FxHashMap::default();
        let is_held = |job: &StateJob| job.start.is_none() && job.is_held();
        let present: FxHashMap<&str, JobId> = (1..)
            .zip(&order)
            .filter(|(_, job)| !is_held(job))
            .map(|(id, job)| (job.name.as_str(), JobId(id)))
            .collect();
        for (id, state) in (1..).zip(&order) {
            if is_held(state) {
                found.held.push(state.name.clone());
                continue;
            }
            let user = state.user.as_ref().map(|name| {
                users.get(name).copied().or_else(|| name.parse().ok()).unwrap_or_else(|| {
                    // Numbers from the largest down, which no log has.
                    let next = u32::MAX - 1 - strangers.len() as u32;
                    *strangers.entry(name.clone()).or_insert(next)
                })
            });
            let limit = SimSpan::from_secs(state.limit);
            let job = Job {
                id: JobId(id),
                submit: second(state.submit, origin),
                tasks: state.size,
                run_time: limit,
                requested_time: Some(limit),
                user: user.and_then(UserId::new),
                ..Job::default()
            };
            if let Some(start) = state.start {
                match free.take(state.size) {
                    Some(on) => {
                        let start = second(start, origin);
                        found.snapshot.running.push(RunningJob { job, start, on, devices: Vec::new() });
                    }
                    None => faults.push(Fault {
                        place: state.place,
                        job: Some(state.name.clone()),
                        message: format!(
                            "it runs on {} nodes, but the running jobs before it leave only {} of {nodes}",
                            state.size,
                            free.count()
                        ),
                    }),
                }
                continue;
            }
            let after: Vec<JobId> =
                state.after.iter().filter_map(|other| present.get(other.as_str()).copied()).collect();
            found.fulfilled += state.after.len() - after.len();
            if !after.is_empty() {
                found.snapshot.after.insert(job.id, Dependencies::hold(after, Vec::new()));
            }
            found.waiting.push((*state).clone());
            found.snapshot.waiting.push(job);
        }
        found.unknown_users = strangers.len();
        if faults.is_empty() { Ok(found) } else { Err(faults) }
    }
}
