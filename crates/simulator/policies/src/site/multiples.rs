//! Multiples of a time span.

use dfrsim_model::{SimSpan, SimTime};

/// Returns the last multiple of `span` at or before `now`.
pub(crate) fn last_multiple(now: SimTime, span: SimSpan) -> SimTime {
    SimTime::from_micros(now.micros() / span.micros() * span.micros())
}

/// Returns the first multiple of `span` after `now`.
pub(crate) fn next_multiple(now: SimTime, span: SimSpan) -> SimTime {
    SimTime::from_micros((now.micros() / span.micros() + 1).saturating_mul(span.micros()))
}
