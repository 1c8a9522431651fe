//! The estimates of needs.

use crate::engine::settings::Lowering;
use dfrsim_model::{Share, SimTime};

/// The estimate of one machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Estimate {
    /// The CPU that it could use.
    pub(crate) need: Share,
    /// The last discovery event: when it was seen to need no more. `None` before the first.
    discovered: Option<SimTime>,
}

impl Estimate {
    /// No estimate yet: it may need a whole node.
    pub(crate) const UNKNOWN: Estimate = Estimate { need: Share::ONE, discovered: None };

    /// At the end of a discovery phase: the machine had nearly all of the CPU and used so much.
    pub(crate) fn discover(&mut self, now: SimTime, used: Share) {
        *self = Estimate { need: used, discovered: Some(now) };
    }

    /// During execution: the machine was entitled to some CPU and used so much, on average. Returns whether the estimate has fallen,
    /// which is a discovery event; that it rises is none, as the need may be higher still.
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

/// The least recently discovered of some machines; ties go to the lower estimate, then to the first.
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

    /// By the words of the text a machine that has all that it is entitled to is taken to need no more.
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
