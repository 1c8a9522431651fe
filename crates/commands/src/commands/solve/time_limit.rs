//! Time limits for algorithms that do not check the time themselves.

use crate::output::with_notices;
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

/// Additional time for algorithms that do check the time, so that they can return their partial
/// result.
pub(super) const GRACE: Duration = Duration::from_millis(500);

/// Parses a time: seconds, or a number with `s`, `ms` or `m`.
pub(super) fn parse_time(text: &str) -> Result<Duration, String> {
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

/// Runs an algorithm and returns its result, or `None` if the time limit is exceeded: its thread is
/// then abandoned, and ends with the program. Notices show that it is still running.
pub(super) fn run_within<T: Send + 'static>(
    limit: Duration,
    algorithm: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (sender, receiver) = sync_channel(1);
    let worker = thread::spawn(move || {
        // The receiver may have been dropped after the time limit.
        let _ = sender.send(work());
    });
    let how_far = || format!("{algorithm} is running, for at most {} s", limit.as_secs_f64());
    match with_notices(how_far, || receiver.recv_timeout(limit.saturating_add(GRACE))) {
        Ok(result) => Some(result),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => match worker.join() {
            Err(panic) => resume_unwind(panic),
            Ok(()) => None,
        },
    }
}
