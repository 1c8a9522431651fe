//! Stretch of a job: its turnaround time relative to its run time on a dedicated system
//! (dissertation, section 5.1).

use crate::SimSpan;

/// Computes the stretch: turnaround / run time, at least 1 in every valid schedule. The run time
/// must not be zero.
///
/// ```
/// use dfrsim_model::{SimSpan, stretch};
/// let (turnaround, run_time) = (SimSpan::from_secs(30), SimSpan::from_secs(2));
/// assert_eq!(stretch::stretch(turnaround, run_time), 15.0);
/// assert_eq!(stretch::bounded(turnaround, run_time, SimSpan::from_secs(10)), 3.0);
/// ```
pub fn stretch(turnaround: SimSpan, run_time: SimSpan) -> f64 {
    turnaround.micros() as f64 / run_time.micros() as f64
}

/// Computes the bounded stretch: max(turnaround, tau) / max(run time, tau), at least 1. The
/// threshold keeps very short jobs from dominating the maximum. With tau = 0 it is the stretch
/// itself.
pub fn bounded(turnaround: SimSpan, run_time: SimSpan, tau: SimSpan) -> f64 {
    stretch(turnaround.max(tau), run_time.max(tau)).max(1.0)
}
