//! Virtual time: the work that a job has done.

use crate::{SimSpan, Yield};

/// Integral of a job's yield over time (dissertation, section 5.1), in units of 2^-20 microseconds;
/// exact.
///
/// A job completes when its virtual time reaches its run time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VirtualTime(u128);

impl VirtualTime {
    /// Virtual time of a job without work done.
    pub const ZERO: VirtualTime = VirtualTime(0);

    /// Returns the work of a span at full speed.
    pub fn of(span: SimSpan) -> VirtualTime {
        VirtualTime(u128::from(span.micros()) << Yield::BITS)
    }
    /// Returns the virtual time after a further `span` at a yield.
    #[must_use]
    pub fn advanced(self, span: SimSpan, at: Yield) -> VirtualTime {
        VirtualTime(self.0 + u128::from(span.micros()) * u128::from(at.units()))
    }
    /// Returns the remaining work until `goal`; zero if it is reached.
    #[must_use]
    pub fn until(self, goal: VirtualTime) -> VirtualTime {
        VirtualTime(goal.0.saturating_sub(self.0))
    }
    /// Computes the time that this work takes at a yield, rounded up to the microsecond. Returns
    /// `None` at yield zero (unless there is no work) and beyond the range of [`SimSpan`].
    #[must_use]
    pub fn time_at(self, at: Yield) -> Option<SimSpan> {
        if self.0 == 0 {
            return Some(SimSpan::ZERO);
        }
        let speed = u64::from(at.units());
        if speed == 0 {
            return None;
        }
        // Nearly all jobs have less than 203 days of work left, for which the faster 64-bit division
        // suffices.
        let micros = match u64::try_from(self.0) {
            Ok(work) => work.div_ceil(speed),
            Err(_) => u64::try_from(self.0.div_ceil(u128::from(speed))).ok()?,
        };
        Some(SimSpan::from_micros(micros))
    }
    /// Returns whether no work was done.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
    /// Returns the number of units of 2^-20 microseconds.
    #[must_use]
    pub const fn units(self) -> u128 {
        self.0
    }
    /// Returns the seconds for statistics and output, rounded to the nearest `f64`.
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / (f64::from(Yield::ONE.units()) * 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The dissertation's example (5.1): 10 s at 1, 2 minutes paused, 30 s at 0.5 make 25 s of virtual time.
    #[test]
    fn the_papers_example() {
        let done = VirtualTime::ZERO
            .advanced(SimSpan::from_secs(10), Yield::ONE)
            .advanced(SimSpan::from_secs(120), Yield::ZERO)
            .advanced(SimSpan::from_secs(30), Yield::from_ratio(1, 2));
        assert_eq!(done, VirtualTime::of(SimSpan::from_secs(25)));
    }

    #[test]
    fn completion_is_rounded_up_and_never_early() {
        let work = VirtualTime::of(SimSpan::from_secs(10));
        let third = Yield::from_ratio(1, 3);
        let span = work.time_at(third).unwrap();
        assert!(VirtualTime::ZERO.advanced(span, third) >= work);
        assert!(VirtualTime::ZERO.advanced(span - SimSpan::from_micros(1), third) < work);
        assert_eq!(work.time_at(Yield::ZERO), None);
        assert_eq!(VirtualTime::ZERO.time_at(Yield::ZERO), Some(SimSpan::ZERO));
    }

    #[test]
    fn fifty_years_of_work_stay_exact() {
        let fifty_years = SimSpan::from_secs(50 * 366 * 86_400);
        let slow = Yield::try_from_units(3).unwrap();
        let done = VirtualTime::ZERO.advanced(fifty_years, slow);
        assert_eq!(done.time_at(slow), Some(fifty_years));
        assert_eq!(VirtualTime::of(fifty_years).time_at(Yield::ONE), Some(fifty_years));
    }

    /// 50 years in a million pieces of odd lengths and yields: rounding loses no time.
    #[test]
    fn pieces_add_up_to_the_whole() {
        let whole = SimSpan::from_secs(50 * 366 * 86_400);
        let (mut done, mut by_yield, mut left) = (VirtualTime::ZERO, [0_u128; 8], whole.micros());
        for piece in 0_u64..1_000_000 {
            let span = if piece == 999_999 { left } else { left.min(1_000_003 * (piece % 1_567)) };
            let units = [1, 3, 7, 349_525, 524_288, 700_001, 1_048_575, 1_048_576][piece as usize % 8];
            done = done.advanced(SimSpan::from_micros(span), Yield::try_from_units(units).unwrap());
            by_yield[piece as usize % 8] += u128::from(span) * u128::from(units);
            left -= span;
        }
        assert_eq!(done.units(), by_yield.iter().sum());
        assert_eq!(done.until(VirtualTime::of(whole)).units() + done.units(), VirtualTime::of(whole).units());
    }

    /// Limits of the ranges, where 64 bits end: 2^64 units of work are 203 days at full speed.
    #[test]
    fn overflows_are_reported() {
        let least = Yield::try_from_units(1).unwrap();
        let all = VirtualTime::of(SimSpan::MAX);
        assert_eq!(all.time_at(Yield::ONE), Some(SimSpan::MAX));
        assert_eq!(all.time_at(Yield::try_from_units(Yield::ONE.units() - 1).unwrap()), None);
        for units in [u64::MAX - 1, u64::MAX] {
            let work = VirtualTime::ZERO.advanced(SimSpan::from_micros(units), least);
            assert_eq!(work.time_at(least), Some(SimSpan::from_micros(units)));
        }
        let beyond = VirtualTime::ZERO.advanced(SimSpan::MAX, least).advanced(SimSpan::from_micros(1), least);
        assert_eq!((beyond.units(), beyond.time_at(least)), (1 << 64, None));
        let three = Yield::try_from_units(3).unwrap();
        assert_eq!(beyond.time_at(three), Some(SimSpan::from_micros((1_u128 << 64).div_ceil(3) as u64)));
    }
}
