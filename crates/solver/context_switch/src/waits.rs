//! Delays of the actions of a pool: between actions of a vjob, and until nodes are switched on.

use crate::action::Action;
use crate::cluster::Cluster;
use crate::configuration::Place;
use crate::durations::Durations;
use crate::vjob::VjobId;
use dfrsim_model::{NodeId, SimSpan, SimTime};
use rustc_hash::FxHashMap;

/// Time between the starts of consecutive suspends or resumes of a vjob (section 4.1).
pub(crate) const STAGGER: SimSpan = SimSpan::from_secs(1);

/// Returns the delay of each action after the start of its pool. Suspends and resumes of one vjob
/// follow each other in the order of names, one second apart; all other actions start at once.
pub(crate) fn delays<'a>(cluster: &'a Cluster, pool: &'a [Action]) -> impl Iterator<Item = SimSpan> + 'a {
    let mut next = FxHashMap::<(VjobId, usize), SimSpan>::default();
    pool.iter().map(move |action| {
        let Some(group) = action.kind().stagger_group() else { return SimSpan::ZERO };
        let next = next.entry((cluster.vm(action.vm()).vjob, group)).or_default();
        let delay = *next;
        *next += STAGGER;
        delay
    })
}

/// Returns the time at which all nodes of these actions are on.
pub(crate) fn nodes_ready_at(cluster: &Cluster, actions: &[Action], durations: &Durations) -> SimTime {
    let is_booted = |node: NodeId| !cluster.is_on(node) && cluster.constraints().node(node).is_on;
    let waits = actions.iter().flat_map(|action| nodes_of(*action)).any(is_booted);
    if waits { SimTime::ZERO + durations.boot() } else { SimTime::ZERO }
}

/// Returns the nodes that an action involves.
pub(crate) fn nodes_of(action: Action) -> impl Iterator<Item = NodeId> {
    [action.from(), action.to()].into_iter().filter_map(Place::node)
}
