//! Advance reservations of nodes.

use super::check::{check, check_unique};
use super::{LONGEST_SETTING_S, SettingError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Advance reservation: nodes that only some jobs may use for a time (`scontrol show reservation`),
/// namely the nodes with the feature `reservation-NAME`. Jobs that request this feature start on
/// them during the reservation if they end in it by their estimates, and again after its end. All
/// other jobs start on them only if they end before the reservation, or after its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reservation {
    /// Name of the reservation.
    pub name: String,
    /// Begin in seconds of simulated time.
    pub from_s: u64,
    /// End in seconds of simulated time.
    pub until_s: u64,
}

impl Reservation {
    /// Returns the feature that its nodes have and its jobs request.
    pub fn feature(&self) -> String {
        format!("reservation-{}", self.name)
    }

    /// Returns the intervals in which the nodes are blocked for the reservation's own jobs
    /// (`to_its_own`) or for all other jobs, as (start, end) in microseconds.
    pub fn blocked_intervals(&self, to_its_own: bool) -> Vec<(u64, u64)> {
        let [from, until] = [self.from_s, self.until_s].map(|seconds| seconds.saturating_mul(1_000_000));
        // Blocking the last microsecond forces the reservation's own jobs to end before the
        // reservation does, or to start after it.
        if to_its_own { vec![(0, from), (until - 1, until)] } else { vec![(from, until)] }
    }
}

/// Checks the names and the times of reservations.
pub(super) fn check_reservations(reservations: &[Reservation]) -> Result<(), SettingError> {
    check_unique("reservations", reservations.iter().map(|it| it.name.as_str()))?;
    for Reservation { name, from_s, until_s } in reservations {
        let fits = from_s < until_s && *until_s <= LONGEST_SETTING_S;
        check(fits, &format!("reservations.{name}"), || {
            format!("expected a start before the end, and an end of at most {LONGEST_SETTING_S} seconds")
        })?;
    }
    Ok(())
}
