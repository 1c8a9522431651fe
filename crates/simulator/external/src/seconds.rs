//! Simulated time as seconds in messages.

use dfrsim_model::{SimSpan, SimTime};

/// Seconds as a moment, to the nearest microsecond.
pub(crate) fn moment(seconds: f64, what: &str) -> Result<SimTime, String> {
    let span = SimSpan::try_from_secs_f64(seconds);
    let span = span.ok_or_else(|| format!("{what}: {seconds} is not a time in seconds"))?;
    Ok(SimTime::ZERO.saturating_add(span))
}

/// The moment after this one.
pub(crate) fn next(now: SimTime) -> SimTime {
    now.saturating_add(SimSpan::from_micros(1))
}
