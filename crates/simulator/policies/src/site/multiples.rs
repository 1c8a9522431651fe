//! Moments that are multiples of a span.

use dfrsim_model::{SimSpan, SimTime};

/// The last multiple of a span up to a moment.
pub(crate) fn last_multiple(now: SimTime, span: SimSpan) -> SimTime {
    SimTime::from_micros(now.micros() / span.micros() * span.micros())
}

/// The first one after it.
pub(crate) fn next_multiple(now: SimTime, span: SimSpan) -> SimTime {
    SimTime::from_micros((now.micros() / span.micros() + 1).saturating_mul(span.micros()))
}
