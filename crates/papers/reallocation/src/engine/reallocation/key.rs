//! What a heuristic compares.

use crate::engine::Heuristic;
use dfrsim_model::SimTime;
use std::cmp::Ordering;

/// How much a heuristic wants a job to be the next one: an exact fraction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    /// In microseconds.
    value: i64,
    per: u32,
}

/// The completion times of a job, as far as heuristics use them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    /// Where it is, or was before it was cancelled.
    pub(super) current: SimTime,
    /// The best cluster to which it may go, if there is one.
    pub(super) new: Option<SimTime>,
    /// The best and the second best of all clusters.
    pub(super) best: SimTime,
    pub(super) second: Option<SimTime>,
}

/// The least of some values, and the least of the others.
pub(super) fn two_least<T: PartialOrd>(values: impl IntoIterator<Item = T>) -> Option<(T, Option<T>)> {
    let mut values = values.into_iter();
    let mut least = values.next()?;
    let mut second: Option<T> = None;
    for mut value in values {
        if value < least {
            std::mem::swap(&mut least, &mut value);
        }
        if second.as_ref().is_none_or(|second| value < *second) {
            second = Some(value);
        }
    }
    Some((least, second))
}

/// A time to compute with.
pub(super) fn micros(time: SimTime) -> i64 {
    i64::try_from(time.micros()).unwrap_or(i64::MAX)
}

impl Key {
    /// The key of a job that was not examined yet.
    pub(super) const NONE: Key = Key { value: i64::MIN, per: 1 };

    /// What is compared of jobs of one width.
    pub(super) fn value(self) -> i64 {
        self.value
    }

    /// Of a time, a gain or a sufferage in microseconds.
    pub(super) fn of_value(heuristic: Heuristic, value: i64, width: u32) -> Key {
        Key { value, per: if heuristic == Heuristic::MaxRelGain { width } else { 1 } }
    }

    pub(super) fn of(heuristic: Heuristic, ends: &Ends, width: u32) -> Key {
        let value = match heuristic {
            Heuristic::Mct => 0,
            Heuristic::MinMin => -micros(ends.best),
            Heuristic::MaxMin => micros(ends.best),
            Heuristic::MaxGain | Heuristic::MaxRelGain => {
                ends.new.map_or(i64::MIN, |new| micros(ends.current) - micros(new))
            }
            Heuristic::Sufferage => {
                // Only one cluster can take it if there is no second.
                ends.second.map_or(i64::MAX, |second| micros(second) - micros(ends.best))
            }
        };
        Key::of_value(heuristic, value, width)
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        if self.per == other.per {
            return self.value.cmp(&other.value);
        }
        let cross = |value: i64, per: u32| i128::from(value) * i128::from(per);
        cross(self.value, other.per).cmp(&cross(other.value, self.per))
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Key {}

#[cfg(test)]
mod tests {
    use super::*;

    /// A job that ends at 100 s and could at 40 s, on 3 cores.
    #[test]
    fn keys_of_one_job() {
        let at = SimTime::from_secs;
        let ends = Ends { current: at(100), new: Some(at(40)), best: at(40), second: Some(at(70)) };
        let key = |heuristic| Key::of(heuristic, &ends, 3);
        let value = |heuristic| key(heuristic).value / 1_000_000;
        assert_eq!(value(Heuristic::MinMin), -40);
        assert_eq!(value(Heuristic::MaxMin), 40);
        assert_eq!(value(Heuristic::MaxGain), 60);
        assert_eq!(value(Heuristic::Sufferage), 30);
        // 60 s on 3 cores are 20 s a core, less than 21 s on one.
        let on_one = Ends { new: Some(at(79)), ..ends };
        let better = Key::of(Heuristic::MaxRelGain, &on_one, 1);
        assert!(key(Heuristic::MaxRelGain) < better);
        let only = Ends { second: None, ..ends };
        assert!(Key::of(Heuristic::Sufferage, &only, 3) > key(Heuristic::MinMin));
    }
}
