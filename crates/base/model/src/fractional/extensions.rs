//! Extensions of fractional policies beyond the paper: for arrivals, ticks, shares and priorities.

use crate::SimSpan;

/// Extensions beyond the paper, apart from `/BUDGET` and `/RELABEL`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Extensions {
    /// `/PERIOD=seconds`: time between ticks, which overrides the options of the policy.
    pub period: Option<SimSpan>,
    /// `/BELOW=percent`: a tick maps all jobs again only if a job is on no node or a yield is below
    /// this percentage; only with [`Periodic::Mcb`](super::Periodic::Mcb).
    pub below_percent: Option<u32>,
    /// `/PAY=times`: budget for preempting or migrating a job outside of ticks in favour of another
    /// job. This is allowed only if `times` * its virtual time is at least three penalties, and at
    /// least the time that penalties have cost it so far plus one more penalty. It is refused if at
    /// least ten of the last 100 completed jobs had done as much work and more than nine tenths of
    /// these completed within one further penalty, as waiting is cheaper then. Only with
    /// [`OnSubmission::GreedyP`](super::OnSubmission::GreedyP) and `GreedyPM`, as are the next three
    /// extensions.
    pub pay: Option<u32>,
    /// `/SPREAD`: a job is placed on enough nodes to give all its tasks their full CPU needs (one
    /// task per node if a task needs more than half a node), if necessary by preemption. Only if
    /// that fails is the placement by memory alone.
    pub spread: bool,
    /// `/RETRY=seconds`: waiting jobs that never ran are tried again like arriving jobs, and after
    /// these: at every event and, as long as one waits, this many seconds after the last event.
    pub retry: Option<SimSpan>,
    /// `/SWAP=factor`: paused jobs are retried too, by decreasing priority. They may displace only
    /// jobs whose priority times this factor is below their own. Only with [`Extensions::retry`].
    pub swap: Option<u32>,
    /// `/LAS=seconds`: least attained service. The yields of `OPT=MIN` rise in proportion to seconds
    /// / (virtual time + seconds), in favour of jobs with the least virtual time.
    pub least_attained: Option<SimSpan>,
    /// `/AHEAD=seconds`: age bonus. The priority of a job is (flow time + seconds) / virtual time,
    /// the least stretch that it can have if it makes no progress for that time. It replaces the
    /// priority rule of the options.
    pub age_bonus: Option<SimSpan>,
}

impl Extensions {
    /// No extensions.
    pub const NONE: Extensions = Extensions {
        period: None,
        below_percent: None,
        pay: None,
        spread: false,
        retry: None,
        swap: None,
        least_attained: None,
        age_bonus: None,
    };
}
