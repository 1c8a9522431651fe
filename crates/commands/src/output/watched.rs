//! Work that takes long, watched from another thread.

use crate::terminal::notice;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Until when no progress is shown.
pub(crate) const QUIET: Duration = Duration::from_secs(2);

/// How often a terminal is drawn.
pub(crate) const REDRAW: Duration = Duration::from_millis(200);

/// How often a line is printed where there is no terminal.
const LINE: Duration = Duration::from_secs(10);

/// A bar on standard error, if that is a terminal.
pub(crate) fn bar(length: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).expect("the template is right");
    ProgressBar::new(length).with_style(style)
}

/// Does some work. Once it takes longer than `first`, a bar is drawn, which `draw` brings up to date.
pub(crate) fn with_bar<T>(
    first: Duration,
    bar: &ProgressBar,
    draw: impl Fn(&ProgressBar) + Send + Sync,
    work: impl FnOnce() -> T,
) -> T {
    let result = watched(first, REDRAW, || draw(bar), work);
    bar.finish_and_clear();
    result
}

/// Does some work. Once it takes longer than two seconds, a notice says how far it is, and again every ten seconds.
pub(crate) fn with_notices<T>(mut how_far: impl FnMut() -> String + Send, work: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let show = || notice!("after {:.0} s: {}", begin.elapsed().as_secs_f64(), how_far());
    watched(QUIET, LINE, show, work)
}

/// Does some work. Once it takes longer than `first`, `show` is called from another thread, and again after every `interval`: a
/// single step that takes long is seen too.
pub(crate) fn watched<T>(
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
        // Where there can be no other thread the work is done unseen.
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
        let result = watched(
            millisecond,
            millisecond,
            || sender.send(()).expect("there is a receiver"),
            || shown.iter().take(3).count(),
        );
        assert_eq!(result, 3);
        let hour = Duration::from_secs(3_600);
        assert_eq!(watched(hour, hour, || panic!("too early"), || 7), 7);
    }
}
