//! Random constraints that a configuration keeps.

use dfrsim_context_switch::*;
use dfrsim_model::{NodeId, Rng};
use rand::RngExt;
use rand::seq::{IndexedRandom, SliceRandom};

/// Draws one of a kind.
type Draw = fn(&Cluster, &mut Rng) -> Constraint;

/// Constraints on places.
pub(crate) const PLACES: &[Draw] = &[
    |cluster, rng| Constraint::Spread(Spread { vms: group(cluster, rng), continuous: rng.random() }),
    |cluster, rng| Constraint::Gather(Gather { vms: group(cluster, rng), continuous: rng.random() }),
    |cluster, rng| Constraint::Fence(Fence { vms: group(cluster, rng), nodes: nodes(cluster, rng) }),
    |cluster, rng| Constraint::Ban(Ban { vms: group(cluster, rng), nodes: nodes(cluster, rng) }),
];

/// All kinds.
pub(crate) const ALL: &[Draw] = &[
    PLACES[0],
    PLACES[1],
    PLACES[2],
    PLACES[3],
    |cluster, rng| Constraint::Lonely(Lonely { vms: group(cluster, rng), continuous: rng.random() }),
    |cluster, rng| {
        Constraint::Split(Split { groups: halves(&group(cluster, rng)), continuous: rng.random() })
    },
    |cluster, rng| {
        Constraint::Among(Among {
            vms: group(cluster, rng),
            groups: halves(&nodes(cluster, rng)),
            continuous: rng.random(),
        })
    },
    |cluster, rng| {
        let vms = group(cluster, rng).chunks(1).map(<[VmId]>::to_vec).collect();
        Constraint::SplitAmong(SplitAmong { vms, groups: halves(&nodes(cluster, rng)) })
    },
    |cluster, rng| {
        Constraint::Quarantine(Quarantine {
            nodes: cluster.node_ids().filter(|_| rng.random_bool(0.2)).collect(),
        })
    },
    |cluster, rng| Constraint::Root(Root { vms: group(cluster, rng) }),
    |cluster, rng| {
        let limit = rng.random_range(0..=cluster.vms().len() as u32);
        Constraint::RunningCapacity(RunningCapacity { nodes: nodes(cluster, rng), limit })
    },
    |cluster, rng| {
        let (resource, limit) = (resource(cluster, rng), f64::from(rng.random_range(0..40)) / 2.0);
        let limit = limit.try_into().unwrap();
        Constraint::ResourceCapacity(ResourceCapacity { nodes: nodes(cluster, rng), resource, limit })
    },
    |cluster, rng| {
        let (resource, ratio) = (resource(cluster, rng), f64::from(rng.random_range(1..16)) / 8.0);
        let ratio = ratio.try_into().unwrap();
        Constraint::Overbook(Overbook { nodes: nodes(cluster, rng), resource, ratio })
    },
    |cluster, rng| Constraint::Online(Online { nodes: nodes(cluster, rng) }),
    |cluster, rng| Constraint::Offline(Offline { nodes: nodes(cluster, rng) }),
    |cluster, rng| Constraint::Precedence(Precedence { vms: group(cluster, rng) }),
    |cluster, rng| Constraint::Serialise(Serialise { vms: group(cluster, rng) }),
];

fn group(cluster: &Cluster, rng: &mut Rng) -> Vec<VmId> {
    let mut vms: Vec<VmId> = cluster.by_name().sample(rng, 3).copied().collect();
    vms.shuffle(rng);
    vms
}

fn nodes(cluster: &Cluster, rng: &mut Rng) -> Vec<NodeId> {
    cluster.node_ids().filter(|_| rng.random_bool(0.6)).collect()
}

fn halves<T: Clone>(list: &[T]) -> Vec<Vec<T>> {
    list.chunks(2).map(<[T]>::to_vec).collect()
}

fn resource(cluster: &Cluster, rng: &mut Rng) -> String {
    let others = cluster.resources().iter().map(|resource| resource.name.as_str());
    let names: Vec<&str> = ["cpu", "memory"].into_iter().chain(others).collect();
    (*names.choose(rng).unwrap()).to_owned()
}

/// Whether a node is to be on and off.
fn is_contradictory(list: &[Constraint]) -> bool {
    let nodes = |is_on: bool| {
        list.iter().flat_map(move |constraint| match constraint {
            Constraint::Online(Online { nodes }) if is_on => &nodes[..],
            Constraint::Offline(Offline { nodes }) if !is_on => &nodes[..],
            _ => &[],
        })
    };
    nodes(true).any(|node| nodes(false).any(|other| other == node))
}

/// The cluster with `count` more random constraints of these kinds, in turn from a random one on, less those that do not hold in
/// the wanted configuration, or contradict others.
pub(crate) fn constrained(
    cluster: Cluster,
    current: &Configuration,
    wanted: &Configuration,
    kinds: &[Draw],
    count: usize,
    rng: &mut Rng,
) -> Cluster {
    let first = rng.random_range(0..kinds.len());
    let mut list = cluster.constraints().list().to_vec();
    for at in 0..count {
        list.push(kinds[(first + at) % kinds.len()](&cluster, rng));
        let with = cluster.clone().with_constraints(list.clone(), current);
        if wanted.check(&with).is_err() || is_contradictory(&list) {
            list.pop();
        }
    }
    cluster.with_constraints(list, current)
}
