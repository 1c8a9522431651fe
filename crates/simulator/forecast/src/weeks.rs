//! Later submissions, taken from past weeks.
//!
//! Submissions after a snapshot are taken from past weeks, from the same weekday and hour on. At
//! the end of a week, another one is chosen.

use crate::snapshot::Snapshot;
use dfrsim_model::{Job, JobId, Rng, SimSpan, SimTime};
use rand::RngExt as _;
use rustc_hash::FxHashMap;

/// One week, in microseconds.
const WEEK: u64 = 7 * 86_400 * 1_000_000;

/// Number of recent weeks from which one is chosen.
const CHOICE: u64 = 8;

/// Submissions of the past, in order.
#[derive(Clone, Debug, Default)]
pub struct Submissions {
    jobs: Vec<Job>,
}

impl Submissions {
    /// Takes jobs in order of submission. The run times of jobs that had not ended by the time
    /// of a snapshot are not used.
    pub fn new(jobs: Vec<Job>) -> Submissions {
        Submissions { jobs }
    }

    /// Draws the submissions after a snapshot. `run_time` gives the run time of a job that is
    /// in the system at the time of the snapshot, by its index in [`Snapshot::jobs`].
    pub fn after<'a>(
        &'a self,
        snapshot: &Snapshot,
        in_system: &'a FxHashMap<JobId, usize>,
        run_time: impl Fn(usize, &mut Rng) -> SimSpan + 'a,
        mut rng: Rng,
    ) -> impl Iterator<Item = Job> + 'a {
        let at = snapshot.at.micros();
        let first = self.jobs.first().map_or(u64::MAX, |job| job.submit.micros());
        let weeks = at.saturating_sub(first) / WEEK;
        let (mut week, mut from, mut to, mut shift, mut number) = (0, 0, 0, 0, 0_u32);
        std::iter::from_fn(move || {
            while from == to {
                // A week of the past must be over by the snapshot.
                let most = weeks.min(week + CHOICE);
                if weeks <= week {
                    return None;
                }
                let back = rng.random_range(week + 1..=most);
                let begin = at + week * WEEK - back * WEEK;
                from = self.jobs.partition_point(|job| job.submit.micros() <= begin);
                to = self.jobs.partition_point(|job| job.submit.micros() <= begin + WEEK);
                shift = back * WEEK;
                week += 1;
            }
            let job = &self.jobs[from];
            from += 1;
            number = number.saturating_add(1);
            let run_time = in_system.get(&job.id).map_or(job.run_time, |&place| run_time(place, &mut rng));
            let submit = SimTime::from_micros(job.submit.micros() + shift);
            Some(Job { id: job.id.copy(number), submit, run_time, ..job.clone() })
        })
    }
}
