//! The progress of a simulation that takes long.

use crate::output::{QUIET, bar, with_bar, with_notices};
use dfrsim_cluster::{Observer, Occurrence};
use dfrsim_model::SimTime;
use indicatif::ProgressBar;
use std::io::{self, IsTerminal as _};
use std::sync::atomic::{AtomicU64, Ordering};

/// How far a simulation is. One thread counts, another one shows it, so that a policy that thinks for long is seen too.
#[derive(Debug, Default)]
struct Counters {
    arrived: AtomicU64,
    left: AtomicU64,
    /// The simulated time in seconds.
    second: AtomicU64,
}

/// Watches a simulation for its progress.
pub(super) struct Progress<'a>(&'a Counters);

impl Observer for Progress<'_> {
    #[inline]
    fn observe(&mut self, now: SimTime, _: u64, occurrence: Occurrence<'_>) {
        let counter = match occurrence {
            Occurrence::Submitted(..) => &self.0.arrived,
            Occurrence::Completed(_)
            | Occurrence::Killed(_)
            | Occurrence::Lost(..)
            | Occurrence::Rejected => &self.0.left,
            _ => return,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        self.0.second.store(now.micros() / 1_000_000, Ordering::Relaxed);
    }
}

/// Does some work on this many jobs, and shows its progress on standard error once it takes longer than two seconds.
pub(super) fn shown<T>(jobs: u64, work: impl FnOnce(Progress<'_>) -> T) -> T {
    let counters = Counters::default();
    let work = || work(Progress(&counters));
    if io::stderr().is_terminal() {
        let draw = |bar: &ProgressBar| {
            let (left, in_system, second) = counters.read();
            bar.set_position(left);
            bar.set_message(format!("{in_system} in the system at second {second}"));
        };
        return with_bar(QUIET, &bar(jobs, "{bar:30} {pos}/{len} jobs, {eta} left; {msg}"), draw, work);
    }
    let how_far = || {
        let (left, in_system, second) = counters.read();
        let percent = 100.0 * left as f64 / jobs.max(1) as f64;
        format!(
            "{left} of {jobs} jobs have left ({percent:.1} %), {in_system} are in the system at second {second}"
        )
    };
    with_notices(how_far, work)
}

impl Counters {
    /// The jobs that have left, those in the system, and the simulated second.
    fn read(&self) -> (u64, u64, u64) {
        let left = self.left.load(Ordering::Relaxed);
        let in_system = self.arrived.load(Ordering::Relaxed).saturating_sub(left);
        (left, in_system, self.second.load(Ordering::Relaxed))
    }
}
