//! What is seen of a sweep while it runs.

use super::standings::Standings;
use crate::output::notice;
use dfrsim_lab::{Progress, Step};
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many variants a terminal shows.
const VARIANTS: usize = 15;
/// How often a terminal is drawn.
const REDRAW: Duration = Duration::from_millis(200);
/// How often a line is printed where there is no terminal.
const LINE: Duration = Duration::from_secs(5);

/// Shows progress on standard error.
pub(super) enum View {
    /// No progress.
    Quiet,
    /// A line now and then.
    Lines(Mutex<Watch>),
    /// A bar, and a table of the variants below it.
    Terminal(ProgressBar, Mutex<Watch>),
}

/// The standings, and when they were last shown.
pub(super) struct Watch {
    standings: Standings,
    begin: Instant,
    shown: Instant,
}

impl View {
    pub(super) fn new(quiet: bool, is_terminal: bool) -> View {
        let now = Instant::now();
        let watch = Mutex::new(Watch { standings: Standings::default(), begin: now, shown: now });
        match (quiet, is_terminal) {
            (true, _) => View::Quiet,
            (false, false) => View::Lines(watch),
            (false, true) => {
                let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {per_sec} {eta} left\n{msg}");
                let bar = ProgressBar::new(0).with_style(style.expect("the template is right"));
                View::Terminal(bar, watch)
            }
        }
    }

    /// The sweep is over: leaves the terminal to its results.
    pub(super) fn clear(&self) {
        if let View::Terminal(bar, _) = self {
            bar.finish_and_clear();
        }
    }
}

impl Watch {
    /// Takes a step in; whether it is time to show the standings.
    fn is_due(&mut self, step: &Step<'_>, every: Duration) -> bool {
        self.standings.add(step);
        let is_due = self.shown.elapsed() >= every;
        if is_due {
            self.shown = Instant::now();
        }
        is_due
    }
}

impl Progress for View {
    fn step(&self, step: &Step<'_>) {
        match self {
            View::Quiet => {}
            View::Lines(watch) => {
                let mut watch = watch.lock().unwrap_or_else(PoisonError::into_inner);
                if watch.is_due(step, LINE) {
                    notice!("{}", watch.standings.line(step, watch.begin.elapsed()));
                }
            }
            View::Terminal(bar, watch) => {
                bar.set_length(step.total as u64);
                bar.set_position(step.finished as u64);
                let mut watch = watch.lock().unwrap_or_else(PoisonError::into_inner);
                if watch.is_due(step, REDRAW) {
                    bar.set_message(watch.standings.table(VARIANTS));
                }
            }
        }
    }
}
