//! How far a run is, for studies of which all cells are alike.

use dfrsim_legacy::experiment::{News, Progress};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal as _;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How often a line is printed where there is no terminal.
const LINE: Duration = Duration::from_secs(10);

/// Shows progress on standard error.
pub(super) enum Cells {
    /// Nothing.
    Quiet,
    /// A line now and then: the last time.
    Lines(Mutex<Instant>),
    /// A bar.
    Terminal(ProgressBar),
}

impl Cells {
    pub(super) fn new(quiet: bool) -> Cells {
        if quiet {
            Cells::Quiet
        } else if std::io::stderr().is_terminal() {
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len}, {per_sec}, {eta} left");
            Cells::Terminal(ProgressBar::new(0).with_style(style.expect("the template is right")))
        } else {
            Cells::Lines(Mutex::new(Instant::now()))
        }
    }
    /// Leaves the terminal as it was.
    pub(super) fn clear(&self) {
        if let Cells::Terminal(bar) = self {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Cells {
    fn finished(&self, News { finished, total }: News) {
        match self {
            Cells::Quiet => {}
            Cells::Terminal(bar) => {
                bar.set_length(total as u64);
                bar.set_position(finished as u64);
            }
            Cells::Lines(shown) => {
                // Whoever finds it taken leaves the line to the one who has it.
                if let Some(mut shown) = shown.try_lock().ok().filter(|shown| shown.elapsed() >= LINE) {
                    *shown = Instant::now();
                    eprintln!("{finished} of {total}");
                }
            }
        }
    }
}
