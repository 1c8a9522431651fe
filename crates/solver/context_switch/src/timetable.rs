//! When the actions of a plan begin and end.

use crate::action::Action;
use crate::cluster::{Cluster, Starts};
use crate::configuration::Configuration;
use crate::durations::Durations;
use crate::plan::Plan;
use crate::planner::early;
use crate::vjob::VmId;
use crate::waits::{delays, ends, ready};
use dfrsim_model::{NodeId, SimTime};

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

/// A node that is switched on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeSwitch {
    /// The node.
    pub node: NodeId,
    /// Whether it is on afterwards.
    pub is_on: bool,
    /// When that begins.
    pub begin: SimTime,
    /// When it ends.
    pub end: SimTime,
}

/// When everything happens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timetable {
    /// The actions, pool by pool.
    pub pools: Vec<Vec<Timed>>,
    /// The nodes that are switched on, all at the beginning, and off, each when it is not needed any more.
    pub switches: Vec<NodeSwitch>,
}

impl Timetable {
    /// When the last action or switch ends.
    pub fn end(&self) -> SimTime {
        let switches = self.switches.iter().map(|switch| switch.end);
        self.pools.iter().flatten().map(|timed| timed.end).chain(switches).max().unwrap_or_default()
    }
}

/// The times of a plan that leads to some places: a pool begins when the one before has ended, or actions do as soon as there is
/// room ([`Starts`]), and the nodes on which something is done are on. They are what the table of durations says, without the slowing of actions by each other.
pub fn timetable(cluster: &Cluster, plan: &Plan, after: &Configuration, durations: &Durations) -> Timetable {
    let pools = match cluster.starts() {
        Starts::Pools => times(cluster, plan, durations),
        Starts::Asap => {
            let mut before = after.clone();
            let first = plan.pools().iter().rev().flatten();
            first.for_each(|action| before.set(action.vm(), action.from()));
            early(cluster, &before, plan.pools(), durations)
        }
    };
    let on_at_end = cluster.on_at_end(after);
    let switch = |node: NodeId| {
        let used = pools.iter().flatten().filter(|timed| ends(timed.action).any(|end| end == node));
        let (is_on, begin, span) = match (cluster.is_on(node), on_at_end[node.index()]) {
            (false, true) => (true, SimTime::ZERO, durations.boot()),
            (true, false) => {
                (false, used.map(|timed| timed.end).max().unwrap_or_default(), durations.shutdown())
            }
            _ => return None,
        };
        Some(NodeSwitch { node, is_on, begin, end: begin + span })
    };
    let switches = cluster.node_ids().filter_map(switch).collect();
    Timetable { pools, switches }
}

/// The times of a plan's actions, pool by pool.
fn times(cluster: &Cluster, plan: &Plan, durations: &Durations) -> Vec<Vec<Timed>> {
    let mut start = SimTime::ZERO;
    let pools = plan.pools().iter().map(|pool| {
        start = start.max(ready(cluster, pool, durations));
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

/// The first VM of a plan that has not acted by its deadline.
pub(crate) fn late(cluster: &Cluster, plan: &Plan) -> Option<VmId> {
    if !cluster.constraints().have_deadlines() {
        return None;
    }
    let is_late = |timed: &Timed| {
        cluster.constraints().vm(timed.action.vm()).deadline.is_some_and(|deadline| timed.end > deadline)
    };
    let pools = times(cluster, plan, cluster.durations());
    pools.into_iter().flatten().find(is_late).map(|timed| timed.action.vm())
}
