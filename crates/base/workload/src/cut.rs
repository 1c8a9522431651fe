//! Parts of a workload: its weeks, its first jobs, a window of time.

use crate::log;
use dfrsim_model::{Job, SimTime};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Seconds of a week.
pub const WEEK: u64 = 7 * 24 * 3600;

/// What arrives at a moment.
pub trait Submitted {
    /// When it arrives.
    fn submit(&self) -> SimTime;
    /// Lets it arrive at another moment.
    fn set_submit(&mut self, submit: SimTime);
}

impl Submitted for Job {
    fn submit(&self) -> SimTime {
        self.submit
    }
    fn set_submit(&mut self, submit: SimTime) {
        self.submit = submit;
    }
}
impl Submitted for log::Record {
    fn submit(&self) -> SimTime {
        self.submit
    }
    fn set_submit(&mut self, submit: SimTime) {
        self.submit = submit;
    }
}
impl Submitted for log::Line {
    fn submit(&self) -> SimTime {
        self.record.submit
    }
    fn set_submit(&mut self, submit: SimTime) {
        self.record.submit = submit;
    }
}

/// Whole seconds since the origin, rounded down.
const fn seconds(time: SimTime) -> u64 {
    time.micros() / 1_000_000
}

/// Cuts a workload into the weeks of its own time: week k has what arrives in second 604,800 k or later and before
/// second 604,800 (k + 1). Weeks in which nothing arrives are left out. Times stay as they are.
///
/// ```
/// use dfrsim_model::SimTime;
/// use dfrsim_workload::{cut, log::Record};
/// let at = |seconds| Record { submit: SimTime::from_secs(seconds), ..Record::default() };
/// let weeks = cut::weeks([at(5), at(604_799), at(1_209_600)]);
/// assert_eq!(weeks.iter().map(|(week, jobs)| (*week, jobs.len())).collect::<Vec<_>>(), [(0, 2), (2, 1)]);
/// ```
pub fn weeks<T: Submitted>(items: impl IntoIterator<Item = T>) -> Vec<(u64, Vec<T>)> {
    let mut weeks = BTreeMap::<u64, Vec<T>>::new();
    for item in items {
        weeks.entry(seconds(item.submit()) / WEEK).or_default().push(item);
    }
    weeks.into_iter().collect()
}

/// A part of a workload in the order of submission; everything by default.
///
/// A line belongs to it if `skip`, `first` and the window all allow it: `skip` and `first` count all lines, those
/// outside the window too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Selection {
    /// How many lines are left out at the beginning.
    pub skip: u64,
    /// How many lines are taken at most after those.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<u64>,
    /// The first second of the log's time that is taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
    /// The first second after that which is no longer taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<u64>,
}

impl Selection {
    /// Whether the line of this place (from 0) and this submit time belongs to it.
    #[must_use]
    pub fn contains(&self, place: u64, submit: SimTime) -> bool {
        place >= self.skip
            && self.from.is_none_or(|from| seconds(submit) >= from)
            && !self.is_over(place, submit)
    }
    /// Whether nothing that comes at this place or later can belong to it, if submit times only grow.
    #[must_use]
    pub fn is_over(&self, place: u64, submit: SimTime) -> bool {
        self.first.is_some_and(|first| place.saturating_sub(self.skip) >= first)
            || self.to.is_some_and(|to| seconds(submit) >= to)
    }
    /// This part of a workload that is sorted by submit time.
    pub fn of<T: Submitted>(self, sorted: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
        let numbered = (0..).zip(sorted);
        let until_over = numbered.take_while(move |(place, item)| !self.is_over(*place, item.submit()));
        until_over.filter(move |(place, item)| self.contains(*place, item.submit())).map(|(_, item)| item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn records(micros: impl IntoIterator<Item = u64>) -> Vec<log::Record> {
        let at = |micros| log::Record { submit: SimTime::from_micros(micros), ..log::Record::default() };
        micros.into_iter().map(at).collect()
    }

    /// Places 0..6 at seconds 0, 10, .. 50: `skip` leaves out place 0, `first` ends behind place 4, the window
    /// takes seconds 20 to 49.
    #[test]
    fn skip_first_and_window_must_all_hold() {
        let selection = Selection { skip: 1, first: Some(4), from: Some(11), to: Some(50) };
        let all = records((0..6).map(|second| second * 10_000_000));
        let taken: Vec<u64> = selection.of(all).map(|record| record.submit.micros() / 1_000_000).collect();
        assert_eq!(taken, [20, 30, 40]);
    }

    #[test]
    fn a_window_is_closed_below_and_open_above() {
        let window = Selection { from: Some(1), to: Some(2), ..Selection::default() };
        let all = records([999_999, 1_000_000, 1_999_999, 2_000_000]);
        assert_eq!(window.of(all).count(), 2);
    }

    proptest! {
        /// Stopping early takes the same as asking every line.
        #[test]
        fn nothing_belongs_to_it_once_it_is_over(
            mut micros in prop::collection::vec(0_u64..20_000_000, 0..40),
            skip in 0_u64..10, first in prop::option::of(0_u64..10),
            from in prop::option::of(0_u64..20), to in prop::option::of(0_u64..20),
        ) {
            micros.sort_unstable();
            let selection = Selection { skip, first, from, to };
            let asked: Vec<u64> = (0..).zip(&micros)
                .filter(|&(place, &at)| selection.contains(place, SimTime::from_micros(at)))
                .map(|(_, &at)| at).collect();
            let taken: Vec<u64> = selection.of(records(micros)).map(|record| record.submit.micros()).collect();
            prop_assert_eq!(taken, asked);
        }
    }
}
