//! Parts of a workload: single weeks, the first jobs, or a time window.

use crate::log;
use dfrsim_model::{Job, SimTime};
use serde::{Deserialize, Serialize};

/// Length of a week in seconds.
pub const WEEK: u64 = 7 * 24 * 3600;

/// An item with a submit time.
pub trait HasSubmitTime {
    /// Returns the submit time, for reading or changing.
    fn submit_mut(&mut self) -> &mut SimTime;
}

impl HasSubmitTime for Job {
    fn submit_mut(&mut self) -> &mut SimTime {
        &mut self.submit
    }
}
impl HasSubmitTime for log::Record {
    fn submit_mut(&mut self) -> &mut SimTime {
        &mut self.submit
    }
}

/// Returns the whole seconds since the origin, rounded down.
const fn seconds(time: SimTime) -> u64 {
    time.micros() / 1_000_000
}

/// Returns the week of a submit time, from 0: the number of whole weeks before it in simulated time.
pub const fn week(submit: SimTime) -> u64 {
    seconds(submit) / WEEK
}

/// Splits a workload into weeks of simulated time. Week k has the items submitted from second
/// 604,800 k until just before second 604,800 (k + 1). Weeks without a submission are omitted.
/// Submit times are not changed.
///
/// ```
/// use dfrsim_model::SimTime;
/// use dfrsim_workload::{cut, log::Record};
/// let at = |seconds| Record { submit: SimTime::from_secs(seconds), ..Record::default() };
/// let weeks = cut::weeks([at(5), at(604_799), at(1_209_600)]);
/// assert_eq!(weeks.iter().map(|(week, jobs)| (*week, jobs.len())).collect::<Vec<_>>(), [(0, 2), (2, 1)]);
/// ```
pub fn weeks<T: HasSubmitTime>(items: impl IntoIterator<Item = T>) -> Vec<(u64, Vec<T>)> {
    let mut weeks = Vec::<(u64, Vec<T>)>::new();
    for mut item in items {
        let week = week(*item.submit_mut());
        let place = weeks.partition_point(|(other, _)| *other < week);
        match weeks.get_mut(place).filter(|(other, _)| *other == week) {
            Some((_, items)) => items.push(item),
            None => weeks.insert(place, (week, vec![item])),
        }
    }
    weeks
}

/// A part of a workload in the order of submission. The default selects everything.
///
/// A line is selected if `skip`, `first` and the window all select it. `skip` and `first` count the
/// lines of the file that have a record, in the order of the file, including those outside the
/// window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Selection {
    /// Number of lines to skip at the beginning.
    pub skip: u64,
    /// Maximum number of lines to select after the skipped ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<u64>,
    /// First second of the window, in the log's time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
    /// End of the window in seconds of the log's time, exclusive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<u64>,
}

impl Selection {
    /// Returns whether a record with this index in the file (from 0) and this submit time is
    /// selected.
    pub fn contains(&self, place: u64, submit: SimTime) -> bool {
        (self.skip..self.end()).contains(&place)
            && self.from.is_none_or(|from| seconds(submit) >= from)
            && !self.is_past(submit)
    }
    /// Returns whether a record with this index and this submit time is before the window, and only
    /// therefore not selected.
    pub fn is_before(&self, place: u64, submit: SimTime) -> bool {
        (self.skip..self.end()).contains(&place) && self.from.is_some_and(|from| seconds(submit) < from)
    }
    /// Returns the index in the file just after the last selected line; `u64::MAX` if there is no
    /// limit.
    pub const fn end(&self) -> u64 {
        match self.first {
            Some(first) => self.skip.saturating_add(first),
            None => u64::MAX,
        }
    }
    /// Returns whether this submit time is after the window, and so all later ones are.
    pub fn is_past(&self, submit: SimTime) -> bool {
        self.to.is_some_and(|to| seconds(submit) >= to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(selection: Selection, seconds: &[u64]) -> Vec<u64> {
        let places = (0..).zip(seconds);
        let inside = places.filter(|&(place, &second)| selection.contains(place, SimTime::from_secs(second)));
        inside.map(|(_, &second)| second).collect()
    }

    /// Indices 0 to 5 are at seconds 0, 10, .. 50: `skip` removes index 0, `first` ends after index
    /// 4, and the window selects seconds 20 to 49.
    #[test]
    fn skip_first_and_window_must_all_hold() {
        let selection = Selection { skip: 1, first: Some(4), from: Some(11), to: Some(50) };
        assert_eq!(taken(selection, &[0, 10, 20, 30, 40, 50]), [20, 30, 40]);
        assert_eq!(taken(selection, &[0, 50, 40, 10, 20, 30]), [40, 20], "places are those of the file");
        assert_eq!((selection.end(), Selection::default().end()), (5, u64::MAX));
    }

    #[test]
    fn a_window_is_closed_below_and_open_above() {
        let window = Selection { from: Some(1), to: Some(2), ..Selection::default() };
        let inside = |micros| window.contains(0, SimTime::from_micros(micros));
        assert_eq!([999_999, 1_000_000, 1_999_999, 2_000_000].map(inside), [false, true, true, false]);
        assert!(window.is_past(SimTime::from_secs(2)) && !window.is_past(SimTime::from_micros(1_999_999)));
    }
}
