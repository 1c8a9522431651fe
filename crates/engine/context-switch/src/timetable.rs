//! When the actions of a plan begin and end.

use crate::action::{Action, Kind};
use crate::cluster::Cluster;
use crate::durations::Durations;
use crate::plan::Plan;
use crate::vjob::VjobId;
use dfrsim_model::{SimSpan, SimTime};
use rustc_hash::FxHashMap;

/// An action with its times, from the begin of the plan on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timed {
    /// The action.
    pub action: Action,
    /// When it begins.
    pub begin: SimTime,
    /// When it ends.
    pub end: SimTime,
}

/// The suspends and resumes of a vjob begin so much after each other (section 4.1).
pub(crate) const APART: SimSpan = SimSpan::from_secs(1);

/// How long after its pool an action begins, for each of a pool's: suspends and resumes of one vjob follow each other by
/// their names, a second apart; everything else begins at once.
pub(crate) fn delays<'a>(cluster: &'a Cluster, pool: &'a [Action]) -> impl Iterator<Item = SimSpan> + 'a {
    let mut next = FxHashMap::<(VjobId, bool), SimSpan>::default();
    pool.iter().map(move |action| {
        let resumes = match action.kind() {
            Kind::Suspend { .. } => false,
            Kind::Resume { .. } => true,
            _ => return SimSpan::ZERO,
        };
        let next = next.entry((cluster.vm(action.vm()).vjob, resumes)).or_default();
        let delay = *next;
        *next += APART;
        delay
    })
}

/// The times of a plan's actions, pool by pool: a pool begins when the one before has ended. They are what the table of
/// durations says, without the slowing of actions by each other.
#[must_use]
pub fn timetable(cluster: &Cluster, plan: &Plan, durations: &Durations) -> Vec<Vec<Timed>> {
    let mut start = SimTime::ZERO;
    let pools = plan.pools().iter().map(|pool| {
        let timed = pool.iter().zip(delays(cluster, pool)).map(|(&action, delay)| {
            let begin = start + delay;
            Timed { action, begin, end: begin + durations.of(cluster, action) }
        });
        let timed: Vec<Timed> = timed.collect();
        start = timed.iter().map(|timed| timed.end).max().unwrap_or(start);
        timed
    });
    pools.collect()
}
