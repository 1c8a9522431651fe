//! Progress display of a long simulation.

use crate::output::{QUIET_PERIOD, bar, with_bar, with_notices};
use dfrsim_cluster::{Observer, Occurrence};
use dfrsim_model::SimTime;
use indicatif::ProgressBar;
use std::io::{self, IsTerminal as _};
use std::sync::atomic::{AtomicU64, Ordering};

/// Progress of a simulation. The counters are shared by the simulating thread and another one that
/// displays them, so that a slow policy does not stop the display.
#[derive(Debug, Default)]
struct Counters {
    arrived: AtomicU64,
    left: AtomicU64,
    /// Simulated time in seconds.
    second: AtomicU64,
}

/// Observer that counts the progress of a simulation.
pub(super) struct ProgressObserver<'a>(&'a Counters);

impl Observer for ProgressObserver<'_> {
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

/// Runs a simulation of `jobs` jobs, and shows its progress on standard error once it has taken two
/// seconds.
pub(super) fn with_progress<T>(jobs: u64, work: impl FnOnce(ProgressObserver<'_>) -> T) -> T {
    let counters = Counters::default();
    let work = || work(ProgressObserver(&counters));
    if io::stderr().is_terminal() {
        let draw = |bar: &ProgressBar| {
            let (left, in_system, second) = counters.read();
            bar.set_position(left);
            bar.set_message(format!("{in_system} in the system at second {second}"));
        };
        return with_bar(
            QUIET_PERIOD,
            &bar(jobs, "{bar:30} {pos}/{len} jobs, {eta} left; {msg}"),
            draw,
            work,
        );
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
    /// Returns the numbers of jobs that have left and that are in the system, and the simulated
    /// second.
    fn read(&self) -> (u64, u64, u64) {
        let left = self.left.load(Ordering::Relaxed);
        let in_system = self.arrived.load(Ordering::Relaxed).saturating_sub(left);
        (left, in_system, self.second.load(Ordering::Relaxed))
    }
}
