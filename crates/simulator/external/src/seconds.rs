//! Simulated times as seconds in messages.

use dfrsim_model::{SimSpan, SimTime};

/// Converts seconds to a time, rounded to microseconds.
pub(crate) fn time_from_seconds(seconds: f64, what: &str) -> Result<SimTime, String> {
    let span = SimSpan::try_from_secs_f64(seconds);
    let span = span.ok_or_else(|| format!("{what}: {seconds} is not a time in seconds"))?;
    Ok(SimTime::ZERO.saturating_add(span))
}

/// Returns the next representable time.
pub(crate) fn next_instant(now: SimTime) -> SimTime {
    now.saturating_add(SimSpan::from_micros(1))
}
