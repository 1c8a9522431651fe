//! A few runs of a scenario that are timed and not kept.

use crate::failure::Failure;
use crate::output::notice;
use crate::temporary::TemporaryFolder;
use dfrsim_lab::{AnyScenario, Part, RunError, RunOptions, Shard, Step};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// Number of instances of a sample, if there are as many.
const INSTANCES: usize = 8;
/// Time and number of runs after which no further run of a sample starts.
const ENOUGH: (Duration, usize) = (Duration::from_secs(2), 50);
/// Time after which no further run of a sample starts, however few there are. The first runs on an
/// instance have all of the time in which it is prepared.
const LONGEST: Duration = Duration::from_secs(10);
/// Time after which a notice says that the first run has not finished.
const PATIENCE: Duration = Duration::from_secs(20);

/// Finished runs of a sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) runs: usize,
    /// Processor time of each run, in seconds, with its part in preparing the instance.
    pub(super) each_s: f64,
}

/// Times runs of a shard of some instances, on one thread and in a temporary folder. Shards take
/// about the same time, so that their instances are neither the shortest nor the longest. `reading`
/// is the time that the files of the scenario take, which does not count.
///
/// # Errors
/// Returns a failure if the temporary folder cannot be written. The inner error is the reason why
/// there is no sample.
pub(super) fn take(
    scenario: &AnyScenario,
    options: &RunOptions,
    instances: usize,
    reading: Duration,
) -> Result<Result<Sample, String>, Failure> {
    let folder = TemporaryFolder::new().map_err(|error| Failure::output("temporary folder", &error))?;
    let shards = u32::try_from(instances / INSTANCES).unwrap_or(u32::MAX).clamp(1, 1_000_000);
    let shard = Shard::new(1, shards);
    let part = shard.map_or(Part::Whole, Part::Shard);
    let options = RunOptions { out: folder.path().to_owned(), part, threads: 1, ..options.clone() };
    let (interrupt, done) = (AtomicBool::default(), Mutex::new(None));
    let begin = Instant::now();
    let count = |step: &Step<'_>| {
        let elapsed = begin.elapsed().saturating_sub(reading);
        let sample =
            Sample { runs: step.finished, each_s: elapsed.as_secs_f64() / step.finished.max(1) as f64 };
        *done.lock().unwrap_or_else(PoisonError::into_inner) = Some(sample);
        if elapsed > LONGEST || (elapsed > ENOUGH.0 && step.finished >= ENOUGH.1) {
            interrupt.store(true, Ordering::Relaxed);
        }
    };
    let finished = || *done.lock().unwrap_or_else(PoisonError::into_inner);
    let run = || scenario.run(&options, &interrupt, &count).map(drop);
    thread::scope(|scope| {
        let (sender, result) = mpsc::channel();
        scope.spawn(move || sender.send(run()));
        let end = match result.recv_timeout(PATIENCE) {
            Ok(end) => end,
            Err(_) => {
                // A run cannot be stopped before it ends.
                interrupt.store(true, Ordering::Relaxed);
                notice!("dry run: waiting for the first run to end; Ctrl-C ends it");
                result.recv().unwrap_or(Ok(()))
            }
        };
        Ok(match (end, finished()) {
            (Ok(()) | Err(RunError::Interrupted { .. }), Some(sample)) if sample.runs > 0 => Ok(sample),
            (Ok(()) | Err(RunError::Interrupted { .. }), _) => {
                Err(format!("no run of a sample has finished after {:.0} s", begin.elapsed().as_secs_f64()))
            }
            (Err(error), _) => Err(error.to_string()),
        })
    })
}
