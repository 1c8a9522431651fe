//! Ranks of jobs.

use dfrsim_cluster::{JobState, JobView, View};
use dfrsim_model::{SimSpan, SimTime, VirtualTime, Yield, named};
use std::cmp::Ordering;

named! {
    /// Rank in whose order jobs run.
    pub enum Rank as "policy of ranked preemption" {
        /// (flow time + 2,700 s) / virtual time^2, the largest first; infinite before any progress.
        /// Running jobs count three times. A running job gives way after 30 s of work, and only while
        /// its penalties, with the one that this causes, take at most 30 times its work. It looks again
        /// every 60 s.
        FlowOverWork = "RANKED",
        /// Estimated time until the end at full speed, the shortest first, with the penalty that a
        /// paused job pays. Clairvoyant if estimates are exact.
        Remaining = "SRPT",
        /// Levels of the work done: below 60 s, then each four times as long, and the eighth without
        /// end; the lowest level first, and jobs of one level in order of submission.
        Attained = "LAS",
    }
}

/// Microseconds that [`Rank::FlowOverWork`] adds to the flow time.
const AHEAD: u128 = 2_700_000_000;
/// Factor by which [`Rank::FlowOverWork`] favours running jobs.
const RUNNING: u128 = 3;
/// Microseconds in the unit of work of [`Rank::FlowOverWork`]: the square of the longest virtual time
/// in milliseconds has less than 128 bits.
const MILLI: u128 = 1_000;
/// Upper ends of all levels of [`Rank::Attained`] but the last one, in seconds.
const LEVELS: [u64; 7] = [60, 240, 960, 3_840, 15_360, 61_440, 245_760];

/// Position of a job: smaller ones run first.
#[derive(Clone, Copy, Debug)]
pub(super) enum Position {
    /// A numerator and a denominator; the largest quotient is first, and that of zero is infinite.
    Quotient(u128, u128),
    /// A number, of which the smallest is first.
    Number(u64),
}

impl Position {
    /// Compares two positions of the same rank.
    pub(super) fn compare(self, other: Position) -> Ordering {
        match (self, other) {
            (Position::Number(one), Position::Number(other)) => one.cmp(&other),
            (Position::Quotient(a, b), Position::Quotient(c, d)) => match (b, d) {
                (0, 0) => c.cmp(&a),
                (0, _) => Ordering::Less,
                (_, 0) => Ordering::Greater,
                _ => compare_quotients(c, d, a, b),
            },
            (Position::Number(_), Position::Quotient(..)) => Ordering::Less,
            (Position::Quotient(..), Position::Number(_)) => Ordering::Greater,
        }
    }
}

/// Compares a / b and c / d with positive denominators, without overflow: as continued fractions.
fn compare_quotients(a: u128, b: u128, c: u128, d: u128) -> Ordering {
    let (mut left, mut right, mut is_swapped) = ((a, b), (c, d), false);
    loop {
        let order = (left.0 / left.1).cmp(&(right.0 / right.1));
        let rests = (left.0 % left.1, right.0 % right.1);
        let found = match (order, rests) {
            (Ordering::Equal, (0, 0)) => Some(Ordering::Equal),
            (Ordering::Equal, (0, _)) => Some(Ordering::Less),
            (Ordering::Equal, (_, 0)) => Some(Ordering::Greater),
            (Ordering::Equal, _) => None,
            (order, _) => Some(order),
        };
        if let Some(found) = found {
            return if is_swapped { found.reverse() } else { found };
        }
        // The reciprocals of the fractional parts are in the opposite order.
        (left, right, is_swapped) = ((left.1, rests.0), (right.1, rests.1), !is_swapped);
    }
}

impl Rank {
    /// Returns a one-line description.
    pub(crate) fn description(self) -> &'static str {
        match self {
            Rank::FlowOverWork => "preemption at full speed by flow time / virtual time^2; no estimates",
            Rank::Remaining => "preemption at full speed by estimated remaining time",
            Rank::Attained => "preemption at full speed by attained service in eight levels; no estimates",
        }
    }
    /// Returns the position of a job; `None` if it needs an estimate that the job lacks.
    pub(super) fn position(self, view: View<'_>, job: JobView<'_>) -> Option<Position> {
        Some(match self {
            Rank::FlowOverWork => {
                let work = u128::from(micros(job.virtual_time())) / MILLI;
                let flow = u128::from(job.flow_time().micros()) + AHEAD;
                let factor = if job.state() == JobState::Running { RUNNING } else { 1 };
                Position::Quotient(factor * flow, work * work)
            }
            Rank::Remaining => Position::Number(match job.state() {
                JobState::Running => job.expected_end()?.saturating_since(view.now()).micros(),
                _ => job.remaining_estimate()?.micros(),
            }),
            Rank::Attained => Position::Number(level(job) as u64),
        })
    }
    /// Returns whether the penalties of a running job limit how often it may be paused.
    pub(super) fn bounds_penalties(self) -> bool {
        self == Rank::FlowOverWork
    }
    /// Returns the time after which ranks must be compared again without an event, while some
    /// job does not run.
    pub(super) fn look_again(self) -> Option<SimSpan> {
        (self == Rank::FlowOverWork).then_some(SimSpan::from_secs(60))
    }
    /// Returns the time at which a job leaves its level, if it runs at full speed from now on, after a
    /// time without progress.
    pub(super) fn leaves_level(self, view: View<'_>, job: JobView<'_>, idle: SimSpan) -> Option<SimTime> {
        if self != Rank::Attained {
            return None;
        }
        let end = VirtualTime::of(SimSpan::from_secs(*LEVELS.get(level(job))?));
        let left = job.virtual_time().until(end).time_at(Yield::ONE)?;
        Some(view.now() + idle + left)
    }
}

/// Returns the level of a job by its work, from 0.
fn level(job: JobView<'_>) -> usize {
    let work = job.virtual_time();
    LEVELS.iter().filter(|end| VirtualTime::of(SimSpan::from_secs(**end)) <= work).count()
}

/// Returns the whole microseconds of a virtual time.
pub(super) fn micros(time: VirtualTime) -> u64 {
    (time.units() >> Yield::BITS) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Compares with the products, which do not overflow for these numbers.
        #[test]
        fn quotients_are_compared_exactly(a: u32, b in 1_u32.., c: u32, d in 1_u32..) {
            let [a, b, c, d] = [a, b, c, d].map(u128::from);
            prop_assert_eq!(compare_quotients(a, b, c, d), (a * d).cmp(&(c * b)));
        }
    }

    #[test]
    fn jobs_without_work_are_first_and_the_oldest_of_them() {
        let (old, new, worked) =
            (Position::Quotient(9, 0), Position::Quotient(2, 0), Position::Quotient(99, 1));
        assert_eq!(old.compare(new), Ordering::Less);
        assert_eq!(new.compare(worked), Ordering::Less);
        assert_eq!(worked.compare(Position::Quotient(98, 1)), Ordering::Less);
    }
}
