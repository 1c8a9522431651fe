//! Progress display of a sweep.

use super::standings::Standings;
use crate::output::{REDRAW_INTERVAL, bar, notice, run_watched, with_bar};
use dfrsim_lab::{Progress, Step};
use indicatif::ProgressBar;
use std::io::{self, IsTerminal as _};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use terminal_size::terminal_size_of;

/// Maximum number of variants that are shown on a terminal.
const MAX_VARIANTS: usize = 15;
/// Interval between lines if standard error is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// Runs a sweep and shows its progress on standard error: a bar with a table of the variants on a
/// terminal, otherwise a line at regular intervals.
pub(super) fn with_display<T>(quiet: bool, sweep: impl FnOnce(&dyn Progress) -> T) -> T {
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
            // The terminal may have another size at each update; a line that it breaks would stay there.
            let width = terminal_size_of(io::stderr()).map_or(usize::MAX, |(width, _)| width.0.into());
            bar.set_message(cut(&standings.table(MAX_VARIANTS, width), width));
        };
        let bar = bar(0, "{bar:30} {pos}/{len} {per_sec:1} {eta} left\n{msg}");
        with_bar(REDRAW_INTERVAL, &bar, draw, || sweep(&add))
    } else {
        let begin = Instant::now();
        run_watched(
            LINE_INTERVAL,
            LINE_INTERVAL,
            || notice!("{}", locked().line(begin.elapsed())),
            || sweep(&add),
        )
    }
}

/// Cuts the lines of a text that are longer than `width`.
fn cut(text: &str, width: usize) -> String {
    let line = |line: &str| match line.char_indices().nth(width) {
        Some((end, _)) => line[..end].to_owned(),
        None => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn long_lines_are_cut() {
        assert_eq!(cut("abc\nab\n\u{e9}\u{e9}\u{e9}", 2), "ab\nab\n\u{e9}\u{e9}");
        assert_eq!(cut("abc", usize::MAX), "abc");
    }
}
