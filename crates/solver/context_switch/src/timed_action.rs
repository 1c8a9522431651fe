//! Actions with their times.

use crate::action::Action;
use dfrsim_model::SimTime;

/// An action with its times, relative to the start of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedAction {
    /// Action that is executed in this interval.
    pub action: Action,
    /// Start time.
    pub begin: SimTime,
    /// End time.
    pub end: SimTime,
}
