//! Parts of fractional policies that the paper does not have: for arrivals, ticks, shares and priorities.

use crate::SimSpan;

/// The parts that the paper does not have, apart from `/BUDGET` and `/RELABEL`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Extensions {
    /// `/PERIOD=seconds`: the time between ticks, which overrides the options of the policy.
    pub period: Option<SimSpan>,
    /// `/BELOW=percent`: a tick maps all jobs again only if a job is on no node or a yield is below this percentage; only with
    /// [`Periodic::Mcb`](super::Periodic::Mcb).
    pub below_percent: Option<u32>,
    /// `/PAY=times`: a job is paused or moved for another one outside of ticks only if this many times its virtual time is at least
    /// three penalties and at least the time that penalties took of it until then and one more; and not if of the last 100
    /// completed jobs ten or more had done as much work, and more than nine tenths of these were over within a penalty
    /// more, as waiting is cheaper then. Only with [`OnSubmission::GreedyP`](super::OnSubmission::GreedyP) and `GreedyPM`, as the next three.
    pub pay: Option<u32>,
    /// `/SPREAD`: a job is placed on enough nodes for its tasks to have their full CPU needs beside each other
    /// (one to a node if they need more than half of it), and room is made for that; only if that fails does memory alone count.
    pub spread: bool,
    /// `/RETRY=seconds`: jobs that wait, as they never ran, are tried as if they arrived, after those that do: at every event
    /// and, as long as one waits, this many seconds after the last one.
    pub retry: Option<SimSpan>,
    /// `/SWAP=factor`: so are paused jobs, by decreasing priority, if they displace only jobs whose priority times this factor is
    /// below their own; only with [`Extensions::retry`].
    pub swap: Option<u32>,
    /// `/LAS=seconds`: the yields of `OPT=MIN` rise in proportion to seconds / (virtual time + seconds), in favour of jobs with
    /// the least attained service.
    pub least_attained: Option<SimSpan>,
    /// `/AHEAD=seconds`: the priority of a job is (flow time + seconds) / virtual time, the least stretch that it can have if it
    /// makes no progress for that time. It replaces the rule of the options.
    pub ahead: Option<SimSpan>,
}

impl Extensions {
    /// No further parts.
    pub const NONE: Extensions = Extensions {
        period: None,
        below_percent: None,
        pay: None,
        spread: false,
        retry: None,
        swap: None,
        least_attained: None,
        ahead: None,
    };
}
