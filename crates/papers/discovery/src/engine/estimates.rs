//! Estimates of needs.

use crate::engine::settings::Lowering;
use dfrsim_model::{Share, SimTime};

/// Estimate of the need of one machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Estimate {
    /// CPU that the machine could use.
    pub(crate) need: Share,
    /// Time of the last discovery event, at which the machine was seen to need no more. `None`
    /// before the first.
    discovered: Option<SimTime>,
}

impl Estimate {
    /// Initial estimate: the machine may need a whole node.
    pub(crate) const UNKNOWN: Estimate = Estimate { need: Share::ONE, discovered: None };

    /// Records the use at the end of a discovery phase, in which the machine had nearly all of the
    /// CPU.
    pub(crate) fn discover(&mut self, now: SimTime, used: Share) {
        *self = Estimate { need: used, discovered: Some(now) };
    }

    /// Updates the estimate during execution, given the average use and the entitlement. Returns
    /// true if the estimate falls, which is a discovery event. A rise is not, as the need may be
    /// still higher.
    pub(crate) fn observe(&mut self, now: SimTime, used: Share, entitled: Share, lowering: Lowering) -> bool {
        let is_lowered = match lowering {
            Lowering::BelowEstimate => used < self.need,
            Lowering::BelowEntitlement => used < self.need && used < entitled,
        };
        if is_lowered {
            self.discover(now, used);
        }
        self.need = self.need.max(used);
        is_lowered
    }
}

/// Finds the least recently discovered machine; ties go to the lower estimate, then to the first.
pub(crate) fn least_recent(estimates: &[Estimate], vms: &[usize]) -> Option<usize> {
    vms.iter().copied().min_by_key(|&vm| (estimates[vm].discovered, estimates[vm].need, vm))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(tenths: u64) -> Share {
        Share::from_ratio(tenths, 10)
    }

    #[test]
    fn estimates_fall_on_slack_and_rise_on_use() {
        let now = SimTime::from_secs(60);
        let mut estimate = Estimate::UNKNOWN;
        let by_slack = Lowering::BelowEntitlement;
        assert!(!estimate.observe(now, share(4), share(4), by_slack), "it used all it could");
        assert_eq!(estimate, Estimate::UNKNOWN);
        assert!(estimate.observe(now, share(3), share(4), by_slack));
        assert_eq!(estimate, Estimate { need: share(3), discovered: Some(now) });
        let later = SimTime::from_secs(61);
        assert!(!estimate.observe(later, share(5), share(6), by_slack));
        assert_eq!(estimate, Estimate { need: share(5), discovered: Some(now) }, "no discovery event");
    }

    /// Checks that, in the wording of the text, a machine that uses all of its entitlement is
    /// assumed to need no more.
    #[test]
    fn estimates_fall_below_the_estimate() {
        let now = SimTime::from_secs(60);
        let mut estimate = Estimate::UNKNOWN;
        assert!(estimate.observe(now, share(4), share(4), Lowering::BelowEstimate));
        assert_eq!(estimate, Estimate { need: share(4), discovered: Some(now) });
    }

    #[test]
    fn the_least_recently_discovered_is_next() {
        let at = |seconds: Option<u64>, tenths| Estimate {
            need: share(tenths),
            discovered: seconds.map(SimTime::from_secs),
        };
        let estimates = [at(Some(60), 1), at(Some(30), 9), at(Some(30), 2), at(Some(30), 2), at(None, 10)];
        assert_eq!(least_recent(&estimates, &[0, 1, 2, 3, 4]), Some(4), "never discovered");
        assert_eq!(least_recent(&estimates, &[0, 1, 2, 3]), Some(2), "lower estimate, then number");
        assert_eq!(least_recent(&estimates, &[0]), Some(0));
        assert_eq!(least_recent(&estimates, &[]), None);
    }
}
