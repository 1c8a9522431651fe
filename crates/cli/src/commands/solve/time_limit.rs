//! Limits of time for algorithms that look at no clock.

use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

/// What algorithms that look at the clock themselves may take longer, so that they can say how far they came.
const GRACE: Duration = Duration::from_millis(500);

/// Reads seconds on the command line.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("expected seconds, found `{text}`"))?;
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("expected seconds, found `{text}`"))
}

/// Returns the result of the work, or nothing if that takes longer than the limit: the work is then left behind, and ends with
/// the program.
pub(super) fn within<T: Send + 'static>(
    limit: Option<Duration>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let Some(limit) = limit else { return Some(work()) };
    let (sender, receiver) = sync_channel(1);
    let worker = thread::spawn(move || {
        // Nobody may wait for it any more.
        let _ = sender.send(work());
    });
    match receiver.recv_timeout(limit.saturating_add(GRACE)) {
        Ok(result) => Some(result),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => match worker.join() {
            Err(panic) => resume_unwind(panic),
            Ok(()) => None,
        },
    }
}
