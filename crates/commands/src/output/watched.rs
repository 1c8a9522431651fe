//! Progress display of long work, from another thread.

use crate::terminal::notice;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Time before any progress is shown.
pub(crate) const QUIET_PERIOD: Duration = Duration::from_secs(2);

/// Interval between updates of a terminal.
pub(crate) const REDRAW_INTERVAL: Duration = Duration::from_millis(200);

/// Interval between lines if standard error is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// Creates a progress bar on standard error, which is visible if that is a terminal.
pub(crate) fn bar(length: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).expect("the template is valid");
    ProgressBar::new(length).with_style(style)
}

/// Runs `work`. Once it has taken longer than `first`, a bar is drawn, which `draw` updates.
pub(crate) fn with_bar<T>(
    first: Duration,
    bar: &ProgressBar,
    draw: impl Fn(&ProgressBar) + Send + Sync,
    work: impl FnOnce() -> T,
) -> T {
    let result = run_watched(first, REDRAW_INTERVAL, || draw(bar), work);
    bar.finish_and_clear();
    result
}

/// Runs `work`. Once it has taken two seconds, a notice with the progress from `how_far` is printed,
/// and again every ten seconds.
pub(crate) fn with_notices<T>(mut how_far: impl FnMut() -> String + Send, work: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let show = || notice!("after {:.0} s: {}", begin.elapsed().as_secs_f64(), how_far());
    run_watched(QUIET_PERIOD, LINE_INTERVAL, show, work)
}

/// Runs `work`. Once it has taken longer than `first`, `show` is called from another thread, and
/// then after every `interval`, so that the display is updated even during a single long step.
pub(crate) fn run_watched<T>(
    first: Duration,
    interval: Duration,
    mut show: impl FnMut() + Send,
    work: impl FnOnce() -> T,
) -> T {
    thread::scope(|scope| {
        let (running, over) = mpsc::channel::<()>();
        let watch = move || {
            let mut pause = first;
            while over.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                show();
                pause = interval;
            }
        };
        // If the thread cannot be started, the work is done without a display.
        let _ = thread::Builder::new().spawn_scoped(scope, watch);
        let result = work();
        drop(running);
        result
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn one_long_step_is_shown_and_a_short_one_is_not() {
        let (sender, shown) = mpsc::channel();
        let millisecond = Duration::from_millis(1);
        let result = run_watched(
            millisecond,
            millisecond,
            || sender.send(()).expect("there is a receiver"),
            || shown.iter().take(3).count(),
        );
        assert_eq!(result, 3);
        let hour = Duration::from_secs(3_600);
        assert_eq!(run_watched(hour, hour, || panic!("too early"), || 7), 7);
    }
}
