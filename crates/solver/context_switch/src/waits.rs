//! What actions of a pool wait for: each other, and nodes that are switched on.

use crate::action::Action;
use crate::cluster::Cluster;
use crate::configuration::Place;
use crate::durations::Durations;
use crate::vjob::VjobId;
use dfrsim_model::{NodeId, SimSpan, SimTime};
use rustc_hash::FxHashMap;

/// The suspends and resumes of a vjob begin so much after each other (section 4.1).
pub(crate) const APART: SimSpan = SimSpan::from_secs(1);

/// How long after its pool an action begins, for each of a pool's: suspends and resumes of one vjob follow each other by
/// their names, a second apart; everything else begins at once.
pub(crate) fn delays<'a>(cluster: &'a Cluster, pool: &'a [Action]) -> impl Iterator<Item = SimSpan> + 'a {
    let mut next = FxHashMap::<(VjobId, usize), SimSpan>::default();
    pool.iter().map(move |action| {
        let Some(group) = action.kind().group() else { return SimSpan::ZERO };
        let next = next.entry((cluster.vm(action.vm()).vjob, group)).or_default();
        let delay = *next;
        *next += APART;
        delay
    })
}

/// When the nodes of these actions are on.
pub(crate) fn ready(cluster: &Cluster, actions: &[Action], durations: &Durations) -> SimTime {
    let is_booted = |node: NodeId| !cluster.is_on(node) && cluster.constraints().node(node).is_on;
    let waits = actions.iter().flat_map(|action| ends(*action)).any(is_booted);
    if waits { SimTime::ZERO + durations.boot() } else { SimTime::ZERO }
}

/// The nodes that an action needs.
pub(crate) fn ends(action: Action) -> impl Iterator<Item = NodeId> {
    [action.from(), action.to()].into_iter().filter_map(Place::node)
}
