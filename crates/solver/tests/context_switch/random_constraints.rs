//! Random constraints that a configuration satisfies.

use dfrsim_context_switch::{ConstraintKind as Kind, *};
use dfrsim_model::{NodeId, Rng};
use rand::RngExt;
use rand::seq::{IndexedRandom, SliceRandom};

/// Function that draws a constraint of a kind.
type Draw = fn(&Cluster, &mut Rng) -> Constraint;

/// Placement constraints.
pub(crate) const PLACES: &[Draw] = &[
    |cluster, rng| of_vms(Kind::Spread, cluster, rng).continuous(rng.random()),
    |cluster, rng| of_vms(Kind::Gather, cluster, rng).continuous(rng.random()),
    |cluster, rng| Constraint::new(Kind::Fence, vec![group(cluster, rng)], vec![nodes(cluster, rng)]),
    |cluster, rng| Constraint::new(Kind::Ban, vec![group(cluster, rng)], vec![nodes(cluster, rng)]),
];

/// Constraints of all kinds.
pub(crate) const ALL: &[Draw] = &[
    PLACES[0],
    PLACES[1],
    PLACES[2],
    PLACES[3],
    |cluster, rng| of_vms(Kind::Lonely, cluster, rng).continuous(rng.random()),
    |cluster, rng| {
        Constraint::new(Kind::Split, halves(&group(cluster, rng)), Vec::new()).continuous(rng.random())
    },
    |cluster, rng| {
        let (vms, nodes) = (group(cluster, rng), halves(&nodes(cluster, rng)));
        Constraint::new(Kind::Among, vec![vms], nodes).continuous(rng.random())
    },
    |cluster, rng| {
        let vms = group(cluster, rng).chunks(1).map(<[VmId]>::to_vec).collect();
        Constraint::new(Kind::SplitAmong, vms, halves(&nodes(cluster, rng)))
    },
    |cluster, rng| {
        let nodes = cluster.node_ids().filter(|_| rng.random_bool(0.2)).collect();
        Constraint::new(Kind::Quarantine, Vec::new(), vec![nodes])
    },
    |cluster, rng| of_vms(Kind::Root, cluster, rng),
    |cluster, rng| {
        let limit = f64::from(rng.random_range(0..=cluster.vms().len() as u32));
        of_nodes(Kind::RunningCapacity, cluster, rng).with("", limit.try_into().unwrap())
    },
    |cluster, rng| {
        let (resource, limit) = (resource(cluster, rng), f64::from(rng.random_range(0..40)) / 2.0);
        of_nodes(Kind::ResourceCapacity, cluster, rng).with(&resource, limit.try_into().unwrap())
    },
    |cluster, rng| {
        let (resource, ratio) = (resource(cluster, rng), f64::from(rng.random_range(1..16)) / 8.0);
        of_nodes(Kind::Overbook, cluster, rng).with(&resource, ratio.try_into().unwrap())
    },
    |cluster, rng| {
        let count = f64::from(rng.random_range(1..=2));
        let resource = if rng.random() { resource(cluster, rng) } else { String::new() };
        of_nodes(Kind::Spare, cluster, rng).with(&resource, count.try_into().unwrap())
    },
    |cluster, rng| of_nodes(Kind::Online, cluster, rng),
    |cluster, rng| of_nodes(Kind::Offline, cluster, rng),
    |cluster, rng| of_vms(Kind::Precedence, cluster, rng),
    |cluster, rng| of_vms(Kind::Serialise, cluster, rng),
    |cluster, rng| {
        let limit = f64::from(rng.random_range(0..=cluster.nodes().len() as u32));
        of_nodes(Kind::MaxOnline, cluster, rng).with("", limit.try_into().unwrap())
    },
    |cluster, rng| first(2, of_vms(Kind::Sync, cluster, rng)),
    |cluster, rng| {
        let seconds = f64::from(rng.random_range(20..400));
        first(1, of_vms(Kind::Deadline, cluster, rng)).with("", seconds.try_into().unwrap())
    },
    |cluster, rng| first(1, of_vms(Kind::NoDelay, cluster, rng)),
];

/// Draws a soft constraint.
pub(crate) fn soft(cluster: &Cluster, rng: &mut Rng) -> Constraint {
    loop {
        let draw = ALL.choose(rng).unwrap();
        let drawn = draw(cluster, rng);
        if drawn.kind.may_be_soft() {
            return drawn.soft(rng.random_range(1..12));
        }
    }
}

fn of_vms(kind: Kind, cluster: &Cluster, rng: &mut Rng) -> Constraint {
    Constraint::new(kind, vec![group(cluster, rng)], Vec::new())
}

fn first(count: usize, mut constraint: Constraint) -> Constraint {
    constraint.vms[0].truncate(count);
    constraint
}

fn of_nodes(kind: Kind, cluster: &Cluster, rng: &mut Rng) -> Constraint {
    Constraint::new(kind, Vec::new(), vec![nodes(cluster, rng)])
}

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

/// Returns whether some node must be both on and off.
fn is_contradictory(list: &[Constraint]) -> bool {
    let nodes = |kind| list.iter().filter(move |it| it.kind == kind).flat_map(Constraint::all_nodes);
    nodes(Kind::Online).any(|node| nodes(Kind::Offline).any(|other| other == node))
}

/// Adds `count` random constraints of these kinds, cyclically from a random one on. Constraints that
/// do not hold in the wanted configuration, or contradict others, are omitted.
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
