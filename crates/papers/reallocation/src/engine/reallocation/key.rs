//! Sort keys of the heuristics.

use crate::engine::Heuristic;
use dfrsim_model::SimTime;
use std::cmp::Ordering;

/// Priority of a job under a heuristic, as an exact fraction; the largest key is examined first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    /// Numerator, in microseconds.
    value: i64,
    divisor: u32,
}

/// Completion times of a job that heuristics use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    /// Completion on the cluster where it waits, or waited before it was cancelled.
    pub(super) current: SimTime,
    /// Completion on the best cluster to which it may move, if there is one.
    pub(super) new: Option<SimTime>,
    /// Best completion over all clusters; `second` is the second best.
    pub(super) best: SimTime,
    pub(super) second: Option<SimTime>,
}

/// Finds the two smallest values; `None` if there are no values.
pub(super) fn two_smallest<T: PartialOrd>(values: impl IntoIterator<Item = T>) -> Option<(T, Option<T>)> {
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

/// Converts a time to signed microseconds; saturates.
pub(super) fn micros(time: SimTime) -> i64 {
    i64::try_from(time.micros()).unwrap_or(i64::MAX)
}

impl Key {
    /// Key of a job that was not examined yet; below all others.
    pub(super) const NONE: Key = Key { value: i64::MIN, divisor: 1 };

    /// Returns the value by which jobs of one width are compared.
    pub(super) fn value(self) -> i64 {
        self.value
    }

    /// Creates a key from a time, a gain or a sufferage in microseconds.
    pub(super) fn of_value(heuristic: Heuristic, value: i64, width: u32) -> Key {
        Key { value, divisor: if heuristic == Heuristic::MaxRelGain { width } else { 1 } }
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
                // Without a second cluster the sufferage is infinite.
                ends.second.map_or(i64::MAX, |second| micros(second) - micros(ends.best))
            }
        };
        Key::of_value(heuristic, value, width)
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        if self.divisor == other.divisor {
            return self.value.cmp(&other.value);
        }
        let cross = |value: i64, per: u32| i128::from(value) * i128::from(per);
        cross(self.value, other.divisor).cmp(&cross(other.value, self.divisor))
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

    /// A job that ends at 100 s and could end at 40 s, on 3 cores.
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
        // 60 s on 3 cores are 20 s per core, less than 21 s on one.
        let on_one = Ends { new: Some(at(79)), ..ends };
        let better = Key::of(Heuristic::MaxRelGain, &on_one, 1);
        assert!(key(Heuristic::MaxRelGain) < better);
        let only = Ends { second: None, ..ends };
        assert!(Key::of(Heuristic::Sufferage, &only, 3) > key(Heuristic::MinMin));
    }
}
