//! What is seen of a sweep while it runs.

use super::standings::Standings;
use dfrsim_legacy::{News, Progress};
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Lines of the table on a terminal.
const POLICIES: usize = 15;

/// How often a terminal is drawn anew.
const REDRAW: Duration = Duration::from_millis(200);

/// How often a line is printed where there is no terminal.
const LINE: Duration = Duration::from_secs(10);

/// Shows progress on standard error.
pub(super) enum View {
    /// Nothing.
    Quiet,
    /// A line now and then.
    Lines(Mutex<Watch>),
    /// A bar, and a table of the policies below it.
    Terminal(ProgressBar, Mutex<Watch>),
}

/// The standings, and when they were last shown.
pub(super) struct Watch {
    standings: Standings,
    shown: Instant,
}

impl View {
    pub(super) fn new(quiet: bool, is_terminal: bool) -> View {
        let watch = Mutex::new(Watch { standings: Standings::default(), shown: Instant::now() });
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
    /// Takes news in; the standings are to be shown if it is time.
    fn hear(&mut self, news: &News<'_>, every: Duration) -> Option<&Standings> {
        self.standings.add(news.rows);
        let is_due = self.shown.elapsed() >= every;
        if is_due {
            self.shown = Instant::now();
        }
        is_due.then_some(&self.standings)
    }
}

impl Progress for View {
    fn finished(&self, news: &News<'_>) {
        match self {
            View::Quiet => {}
            View::Lines(watch) => {
                let mut watch = watch.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(standings) = watch.hear(news, LINE) {
                    eprintln!("{}", standings.line(news.finished, news.total));
                }
            }
            View::Terminal(bar, watch) => {
                bar.set_length(news.total as u64);
                bar.set_position(news.finished as u64);
                let mut watch = watch.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(standings) = watch.hear(news, REDRAW) {
                    bar.set_message(standings.table(POLICIES));
                }
            }
        }
    }
}
