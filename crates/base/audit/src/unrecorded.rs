//! Number of decisions without records that are checked.

/// Maximum number of consecutive decisions without records in the file that are checked.
pub const MAX_UNRECORDED_DECISIONS: u64 = 100_000;

/// Number of decisions by which the remainder of [`MAX_UNRECORDED_DECISIONS`] is raised for each
/// interval between records, so that a file with long intervals does not keep the audit busy.
const DECISIONS_PER_INTERVAL: u64 = 200;

/// Decisions without records that may still be checked.
#[derive(Debug)]
pub(crate) struct UnrecordedDecisions {
    rest: u64,
    /// Number of intervals between records of which some decisions were not checked.
    unchecked: u64,
}

impl Default for UnrecordedDecisions {
    fn default() -> UnrecordedDecisions {
        UnrecordedDecisions { rest: MAX_UNRECORDED_DECISIONS, unchecked: 0 }
    }
}

impl UnrecordedDecisions {
    /// Begins an interval between records.
    pub(crate) fn begin_interval(&mut self) {
        self.rest = (self.rest + DECISIONS_PER_INTERVAL).min(MAX_UNRECORDED_DECISIONS);
    }
    /// Counts a decision; returns false if the further decisions of the interval are not checked.
    pub(crate) fn may_check(&mut self) -> bool {
        let may_check = self.rest > 0;
        self.rest = self.rest.saturating_sub(1);
        self.unchecked += u64::from(!may_check);
        may_check
    }
    /// Returns whether some decisions were not checked, so that the state after them is unknown.
    pub(crate) fn are_incomplete(&self) -> bool {
        self.unchecked > 0
    }
    /// Describes the decisions that were not checked; `None` if all were.
    pub(crate) fn not_judged(&self) -> Option<String> {
        let left = self.unchecked;
        (left > 0).then(|| format!("some decisions in {left} intervals without records"))
    }
}
