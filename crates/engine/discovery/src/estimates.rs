//! What the policies believe of the needs.

use dfrsim_model::{Share, SimTime};

/// What is believed of one machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Estimate {
    /// The CPU that it could use.
    pub(crate) need: Share,
    /// The last discovery event: when it was seen to need no more. Nothing before the first.
    discovered: Option<SimTime>,
}

/// What a machine's use says of its need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// It left CPU unused that it was entitled to, and used less than was believed: the need has fallen.
    Slack,
    /// The need is at least what was believed.
    Use,
}

impl Estimate {
    /// Nothing is known: it may need a whole node.
    pub(crate) const UNKNOWN: Estimate = Estimate { need: Share::ONE, discovered: None };

    /// At the end of a discovery phase: the machine had nearly all of the CPU and used so much.
    pub(crate) fn discover(&mut self, now: SimTime, used: Share) {
        *self = Estimate { need: used, discovered: Some(now) };
    }

    /// During execution: the machine was entitled to some CPU and used so much, on average. Who uses all that it is
    /// entitled to may need more, so no slack is seen then, whatever was believed. A lower estimate is a discovery event,
    /// a higher one is not, as the need may be higher still.
    pub(crate) fn observe(&mut self, now: SimTime, used: Share, entitled: Share) -> Seen {
        if used < entitled && used < self.need {
            self.discover(now, used);
            return Seen::Slack;
        }
        self.need = self.need.max(used);
        Seen::Use
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
        assert_eq!(estimate.observe(now, share(4), share(4)), Seen::Use, "it used all it could");
        assert_eq!(estimate, Estimate::UNKNOWN);
        assert_eq!(estimate.observe(now, share(3), share(4)), Seen::Slack);
        assert_eq!(estimate, Estimate { need: share(3), discovered: Some(now) });
        let later = SimTime::from_secs(61);
        assert_eq!(estimate.observe(later, share(5), share(6)), Seen::Use);
        assert_eq!(estimate, Estimate { need: share(5), discovered: Some(now) }, "no discovery event");
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
