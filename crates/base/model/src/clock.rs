//! Coarse clock for comparisons with simulators that count time and CPU in steps.

use crate::{Share, SimSpan, SimTime, VirtualTime, Yield};

/// Discrete time, and CPU in discrete parts of a node. By default, all arithmetic of the simulator
/// is exact to the microsecond. Other simulators count whole seconds and hundredths of a node, such
/// as that of the author of DFRS (vcsim, M. Stillwell, 2010). There, a job completes at the first
/// whole second at which less than a millisecond of its run time is left, and work is counted in
/// whole milliseconds. The speed of a job is the exact quotient of the CPU steps that its tasks get
/// and the steps that they need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Granularity of time: jobs complete at multiples of this span.
    pub step: SimSpan,
    /// Granularity of CPU, as a share of a node. The CPU of a task, given as a yield that was
    /// rounded down, is rounded to the nearest multiple.
    pub cpu_step: Share,
}

const MILLISECOND: u128 = 1_000;

impl Clock {
    /// Returns the work done in `span` at a yield, in whole milliseconds, rounded down.
    #[must_use]
    pub fn work(self, span: SimSpan, need: Share, at: Yield) -> SimSpan {
        let (part, whole) = self.speed(need, at);
        let millis = u128::from(span.micros()) * part / (whole * MILLISECOND);
        SimSpan::from_micros(u64::try_from(millis * MILLISECOND).unwrap_or(u64::MAX))
    }

    /// Returns the completion time of a job that progresses from `from` on and has `left` to do.
    /// Returns `None` if the speed is 0 or the time is beyond the range of [`SimTime`].
    #[must_use]
    pub fn completion(self, from: SimTime, left: VirtualTime, need: Share, at: Yield) -> Option<SimTime> {
        let (part, whole) = self.speed(need, at);
        let left = left.units() >> Yield::BITS;
        let millis = left.checked_mul(whole)?.checked_div(part * MILLISECOND)?;
        let end = u64::try_from(u128::from(from.micros()) + millis * MILLISECOND).ok()?;
        let step = self.step.micros().max(1);
        end.div_ceil(step).checked_mul(step).map(SimTime::from_micros)
    }

    /// Returns the speed as an exact fraction (numerator, denominator).
    fn speed(self, need: Share, at: Yield) -> (u128, u128) {
        let step = u128::from(self.cpu_step.units().max(1));
        let used = u128::from(need.units()) * u128::from(at.units());
        let steps = (used + (step << Yield::BITS) / 2) / (step << Yield::BITS);
        if steps == 0 || at == Yield::ONE {
            return (at.units().into(), Yield::ONE.units().into());
        }
        (steps * step, need.units().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCK: Clock = Clock {
        step: SimSpan::from_secs(1),
        cpu_step: Share::try_from_units(Share::ONE.units() / 100).expect("a share"),
    };

    /// A task that needs a whole node and gets 33 hundredths of it does exactly 3,300 s of work in
    /// 10,000 s, although 0.33 is not a yield.
    #[test]
    fn speeds_are_quotients_of_steps() {
        let third = Yield::from_ratio(33, 100);
        assert_eq!(CLOCK.work(SimSpan::from_secs(10_000), Share::ONE, third), SimSpan::from_secs(3_300));
        let left = VirtualTime::of(SimSpan::from_secs(3_300));
        let from = SimTime::from_secs(7);
        assert_eq!(CLOCK.completion(from, left, Share::ONE, third), Some(SimTime::from_secs(10_007)));
        assert_eq!(CLOCK.completion(from, left, Share::ONE, Yield::ZERO), None);
        assert_eq!(CLOCK.completion(from, left, Share::ONE, Yield::ONE), Some(SimTime::from_secs(3_307)));
    }

    /// 1 s at 30 hundredths takes 3,333 ms, so the job completes at the fourth second; 0.6 s at 60
    /// hundredths takes 1 s. A task that needs 7 hundredths and gets 6 takes 1,750 ms for 1,500 ms
    /// of work.
    #[test]
    fn completions_wait_for_the_next_step() {
        let end = |millis: u64, need: Share, at: Yield| {
            let left = VirtualTime::of(SimSpan::from_micros(millis * 1_000));
            CLOCK.completion(SimTime::ZERO, left, need, at).unwrap()
        };
        assert_eq!(end(1_000, Share::ONE, Yield::from_ratio(30, 100)), SimTime::from_secs(4));
        assert_eq!(end(600, Share::ONE, Yield::from_ratio(60, 100)), SimTime::from_secs(1));
        assert_eq!(end(1_500, Share::from_ratio(7, 100), Yield::from_ratio(6, 7)), SimTime::from_secs(2));
        // 2,572 ms of work take 3,000.67 ms, which count as 3,000.
        assert_eq!(end(2_572, Share::from_ratio(7, 100), Yield::from_ratio(6, 7)), SimTime::from_secs(3));
    }

    /// Yields that are not a multiple of a step are used unchanged if they are below half a step.
    #[test]
    fn less_than_half_a_step_stays() {
        let least = Yield::try_from_units(1 << 10).unwrap();
        let work = CLOCK.work(SimSpan::from_secs(1 << 10), Share::ONE, least);
        assert_eq!(work, SimSpan::from_secs(1));
    }
}
