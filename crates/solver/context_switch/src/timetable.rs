//! Start and end times of the actions of a plan.

use crate::cluster::{Cluster, Starts};
use crate::configuration::Configuration;
use crate::durations::Durations;
use crate::early::asap_times;
use crate::plan::Plan;
use crate::pool_times::times;
use crate::timed_action::TimedAction;
use crate::vjob::VmId;
use crate::waits::nodes_of;
use dfrsim_model::{NodeId, SimTime};

/// A node that is switched on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeSwitch {
    /// Node that is switched on or off.
    pub node: NodeId,
    /// True if the node is on afterwards.
    pub is_on: bool,
    /// Start of the boot or shutdown.
    pub begin: SimTime,
    /// End of the boot or shutdown.
    pub end: SimTime,
}

/// Times of all actions and of all power switches of nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timetable {
    /// Actions, pool by pool.
    pub pools: Vec<Vec<TimedAction>>,
    /// Power switches: nodes are switched on at the beginning, and each node is switched off once it
    /// is no longer needed.
    pub switches: Vec<NodeSwitch>,
}

impl Timetable {
    /// Returns the end of the last action or power switch.
    pub fn end(&self) -> SimTime {
        let switches = self.switches.iter().map(|switch| switch.end);
        self.pools.iter().flatten().map(|timed| timed.end).chain(switches).max().unwrap_or_default()
    }
}

/// Computes the times of a plan that leads to the places `after`. A pool starts when the previous
/// one has ended, or each action starts as soon as its resources are free ([`Starts`]); the nodes of
/// an action must be on. Actions on one node slow each other down as the durations say.
pub fn timetable(cluster: &Cluster, plan: &Plan, after: &Configuration, durations: &Durations) -> Timetable {
    let pools = match cluster.starts() {
        Starts::Pools => times(cluster, plan.pools(), durations),
        Starts::Asap => {
            let mut before = after.clone();
            let first = plan.pools().iter().rev().flatten();
            first.for_each(|action| before.set(action.vm(), action.from()));
            asap_times(cluster, &before, plan.pools(), durations)
        }
    };
    let on_at_end = cluster.on_at_end(after);
    let switch = |node: NodeId| {
        let used = pools.iter().flatten().filter(|timed| nodes_of(timed.action).any(|end| end == node));
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

/// Returns the first VM of a plan whose action ends after its deadline.
pub(crate) fn missed_deadline(cluster: &Cluster, plan: &Plan) -> Option<VmId> {
    if !cluster.constraints().has_deadlines() {
        return None;
    }
    let is_late = |timed: &TimedAction| {
        cluster.constraints().vm(timed.action.vm()).deadline.is_some_and(|deadline| timed.end > deadline)
    };
    let pools = times(cluster, plan.pools(), cluster.durations());
    pools.into_iter().flatten().find(is_late).map(|timed| timed.action.vm())
}
