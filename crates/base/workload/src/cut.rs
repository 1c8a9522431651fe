//! Parts of a workload: its weeks, its first jobs, a window of time.

use crate::log;
use dfrsim_model::{Job, SimTime};
use serde::{Deserialize, Serialize};

/// Seconds of a week.
pub const WEEK: u64 = 7 * 24 * 3600;

/// What arrives at one time.
pub trait Submitted {
    /// When it arrives.
    fn submit(&mut self) -> &mut SimTime;
}

impl Submitted for Job {
    fn submit(&mut self) -> &mut SimTime {
        &mut self.submit
    }
}
impl Submitted for log::Record {
    fn submit(&mut self) -> &mut SimTime {
        &mut self.submit
    }
}

/// Whole seconds since the origin, rounded down.
const fn seconds(time: SimTime) -> u64 {
    time.micros() / 1_000_000
}

/// The week of its own time in which something arrives: the number of whole weeks before it.
pub const fn week(submit: SimTime) -> u64 {
    seconds(submit) / WEEK
}

/// Cuts a workload into the weeks of its own time: week k has what arrives in second 604,800 k or later and before
/// second 604,800 (k + 1). Weeks without an arrival are left out. Times stay as they are.
///
/// ```
/// use dfrsim_model::SimTime;
/// use dfrsim_workload::{cut, log::Record};
/// let at = |seconds| Record { submit: SimTime::from_secs(seconds), ..Record::default() };
/// let weeks = cut::weeks([at(5), at(604_799), at(1_209_600)]);
/// assert_eq!(weeks.iter().map(|(week, jobs)| (*week, jobs.len())).collect::<Vec<_>>(), [(0, 2), (2, 1)]);
/// ```
pub fn weeks<T: Submitted>(items: impl IntoIterator<Item = T>) -> Vec<(u64, Vec<T>)> {
    let mut weeks = Vec::<(u64, Vec<T>)>::new();
    for mut item in items {
        let week = week(*item.submit());
        let place = weeks.partition_point(|(other, _)| *other < week);
        match weeks.get_mut(place).filter(|(other, _)| *other == week) {
            Some((_, items)) => items.push(item),
            None => weeks.insert(place, (week, vec![item])),
        }
    }
    weeks
}

/// A part of a workload in the order of submission; everything by default.
///
/// A line belongs to it if `skip`, `first` and the window all allow it: `skip` and `first` count the lines of the file with
/// a record, in the order of the file, those outside the window too.
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
    /// Whether the record of this place in the file (from 0) and this submit time belongs to it.
    pub fn contains(&self, place: u64, submit: SimTime) -> bool {
        (self.skip..self.end()).contains(&place)
            && self.from.is_none_or(|from| seconds(submit) >= from)
            && !self.is_past(submit)
    }
    /// The first place of the file after which none belongs to it; `u64::MAX` if there is none.
    pub const fn end(&self) -> u64 {
        match self.first {
            Some(first) => self.skip.saturating_add(first),
            None => u64::MAX,
        }
    }
    /// Whether this submit time and all later ones are beyond the window.
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

    /// Places 0..6 at seconds 0, 10, .. 50: `skip` leaves out place 0, `first` ends behind place 4, the window
    /// takes seconds 20 to 49.
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
