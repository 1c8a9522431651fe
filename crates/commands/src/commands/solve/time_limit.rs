//! Limits of time for algorithms that look at no clock.

use crate::output::with_notices;
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

/// What algorithms that look at the clock themselves may take longer, so that they can say how far they came.
const GRACE: Duration = Duration::from_millis(500);

/// Reads a time on the command line: seconds, or a number with `s`, `ms` or `m`.
pub(super) fn time(text: &str) -> Result<Duration, String> {
    let wrong = || format!("expected a time as in 40s, 500ms or 2m, found `{text}`");
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "m" => 60.0,
        _ => return Err(wrong()),
    };
    let seconds: f64 = digits.parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(seconds * unit).map_err(|_| wrong())
}

/// Returns the result of an algorithm, or `None` if that takes longer than the limit: the work is then left behind, and ends
/// with the program. Says that it goes on.
pub(super) fn within<T: Send + 'static>(
    limit: Duration,
    algorithm: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (sender, receiver) = sync_channel(1);
    let worker = thread::spawn(move || {
        // The receiver may be gone.
        let _ = sender.send(work());
    });
    let how_far = || format!("{algorithm} is at work, for at most {} s", limit.as_secs_f64());
    match with_notices(how_far, || receiver.recv_timeout(limit.saturating_add(GRACE))) {
        Ok(result) => Some(result),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => match worker.join() {
            Err(panic) => resume_unwind(panic),
            Ok(()) => None,
        },
    }
}
