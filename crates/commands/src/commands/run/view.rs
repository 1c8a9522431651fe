//! The progress of a sweep while it runs.

use super::standings::Standings;
use crate::output::{REDRAW, bar, notice, watched, with_bar};
use dfrsim_lab::{Progress, Step};
use indicatif::ProgressBar;
use std::io::{self, IsTerminal as _};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many variants a terminal shows.
const VARIANTS: usize = 15;
/// How often a line is printed where there is no terminal.
const LINE: Duration = Duration::from_secs(5);

/// Runs a sweep and shows its progress on standard error: a bar with a table of the variants on a terminal, otherwise a line now
/// and then.
pub(super) fn shown<T>(quiet: bool, sweep: impl FnOnce(&dyn Progress) -> T) -> T {
    if quiet {
        return sweep(&());
    }
    let standings = Mutex::new(Standings::default());
    let locked = || standings.lock().unwrap_or_else(PoisonError::into_inner);
    let add = |step: &Step<'_>| locked().add(step);
    if io::stderr().is_terminal() {
        let draw = |bar: &ProgressBar| {
            let standings = locked();
            bar.set_length(standings.total() as u64);
            bar.set_position(standings.finished() as u64);
            bar.set_message(standings.table(VARIANTS));
        };
        let bar = bar(0, "{bar:30} {pos}/{len} {per_sec} {eta} left\n{msg}");
        with_bar(REDRAW, &bar, draw, || sweep(&add))
    } else {
        let begin = Instant::now();
        watched(LINE, LINE, || notice!("{}", locked().line(begin.elapsed())), || sweep(&add))
    }
}
