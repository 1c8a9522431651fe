//! What a heuristic compares.

use crate::Heuristic;
use dfrsim_model::SimTime;
use std::cmp::Ordering;

/// How much a heuristic wants a job to be the next one: an exact fraction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    /// In microseconds.
    value: i64,
    per: u32,
}

/// The completion times of a job, as far as heuristics look at them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    /// Where it stands, or stood before it was cancelled.
    pub(super) current: SimTime,
    /// The best cluster to which it may go, if there is one.
    pub(super) new: Option<SimTime>,
    /// The best and the second best of all clusters.
    pub(super) best: SimTime,
    pub(super) second: Option<SimTime>,
}

impl Key {
    /// Of a job of which nothing is known yet.
    pub(super) const NONE: Key = Key { value: i64::MIN, per: 1 };

    pub(super) fn of(heuristic: Heuristic, ends: &Ends, width: u32) -> Key {
        let micros = |time: SimTime| i64::try_from(time.micros()).unwrap_or(i64::MAX);
        let gain = || ends.new.map_or(i64::MIN, |new| micros(ends.current) - micros(new));
        match heuristic {
            Heuristic::Mct => Key { value: 0, per: 1 },
            Heuristic::MinMin => Key { value: -micros(ends.best), per: 1 },
            Heuristic::MaxMin => Key { value: micros(ends.best), per: 1 },
            Heuristic::MaxGain => Key { value: gain(), per: 1 },
            Heuristic::MaxRelGain => Key { value: gain(), per: width },
            Heuristic::Sufferage => Key {
                value: ends.second.map_or(i64::MAX, |second| micros(second) - micros(ends.best)),
                per: 1,
            },
        }
    }
    /// How two wishes compare.
    pub(super) fn compare(self, other: Key) -> Ordering {
        if self.per == other.per {
            return self.value.cmp(&other.value);
        }
        let cross = |value: i64, per: u32| i128::from(value) * i128::from(per);
        cross(self.value, other.per).cmp(&cross(other.value, self.per))
    }
}

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
        assert_eq!(key(Heuristic::MaxRelGain).compare(better), Ordering::Less);
        let only = Ends { second: None, ..ends };
        assert_eq!(
            Key::of(Heuristic::Sufferage, &only, 3).compare(key(Heuristic::MinMin)),
            Ordering::Greater
        );
    }
}
