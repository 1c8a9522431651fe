//! Clusters for tests, and the checker's results on plans.

use crate::random_constraints::{PLACES, constrained};
use dfrsim_context_switch::check::{PlanReport, PlanViolations, check_plan};
use dfrsim_context_switch::file::{PlanFigures, plan_to_json};
use dfrsim_context_switch::*;
use dfrsim_model::{NodeId, Rng};
use rand::RngExt;
use rand::seq::{IndexedRandom, SliceRandom};

pub(crate) const WAITING: Place = Place::Waiting;
pub(crate) const TERMINATED: Place = Place::Terminated;
pub(crate) const fn running(node: u32) -> Place {
    Place::Running(NodeId(node))
}
pub(crate) const fn sleeping(node: u32) -> Place {
    Place::Sleeping(NodeId(node))
}
pub(crate) const fn dozing(node: u32) -> Place {
    Place::Dozing(NodeId(node))
}

/// Creates a cluster of nodes and of VMs, each with its vjob, CPU and memory. VMs are named from
/// `VM1` on, with two digits if there are ten or more.
pub(crate) fn cluster(nodes: &[(i64, i64)], vms: &[(u32, i64, i64)]) -> Cluster {
    let nodes = nodes.iter().zip(1..).map(|(&(cpu, memory), number)| Node {
        name: format!("N{number}"),
        capacity: Amount::new(cpu, memory),
    });
    let vjobs = (0..=vms.iter().map(|vm| vm.0).max().unwrap_or(0))
        .map(|number| Vjob { name: format!("vjob {number}"), priority: 0 });
    let digits = if vms.len() < 10 { 1 } else { 2 };
    let vms = vms.iter().zip(1..).map(|(&(vjob, cpu, memory), number)| Vm {
        name: format!("VM{number:0digits$}"),
        vjob: VjobId(vjob),
        demand: Amount::new(cpu, memory),
    });
    Cluster::new(nodes.collect(), vjobs.collect(), vms.collect()).unwrap()
}

/// Returns the checker's result on a plan, with the document of the plan.
pub(crate) fn judged(
    cluster: &Cluster,
    from: &Configuration,
    to: &Configuration,
    plan: &Plan,
) -> (Result<PlanReport, PlanViolations>, String) {
    let pools = timetable(cluster, plan, to, &Durations::default());
    let figures = PlanFigures { cost: plan.cost(cluster), bound: None, proven: false };
    let text = plan_to_json(cluster, from, to, &pools, &figures);
    (check_plan(&text), text)
}

/// Returns the report on a plan; panics if the checker finds a violation.
pub(crate) fn checked(
    cluster: &Cluster,
    from: &Configuration,
    to: &Configuration,
    plan: &Plan,
) -> PlanReport {
    let (report, text) = judged(cluster, from, to, plan);
    report.unwrap_or_else(|faults| panic!("{faults}\n{text}"))
}

/// Checks a plan whose actions begin as soon as resources are free, none of them later than in its
/// pool.
pub(crate) fn checked_early(cluster: &Cluster, from: &Configuration, to: &Configuration, plan: &Plan) {
    let early = cluster.clone().with_starts(Starts::Asap);
    checked(&early, from, to, plan);
    let times = [cluster, &early].map(|cluster| timetable(cluster, plan, to, &Durations::default()).pools);
    let [pools, early] = times.map(Vec::into_iter).map(Iterator::flatten);
    pools.zip(early).for_each(|(pool, early)| {
        assert!(early.begin <= pool.begin && early.action == pool.action, "{early:?} and {pool:?}");
    });
}

/// Formats a plan as in `suspend VM2 | migrate VM1 N1>N2`.
pub(crate) fn words(cluster: &Cluster, plan: &Plan) -> String {
    let name = |node: NodeId| cluster.node(node).name.as_str();
    let word = |action: &Action| {
        let vm = &cluster.vm(action.vm()).name;
        let nodes: Vec<&str> =
            [action.from(), action.to()].iter().filter_map(|place| place.node().map(name)).collect();
        format!("{} {vm} {}", action.kind().name(), nodes.join(">"))
    };
    let pools = plan.pools().iter().map(|pool| pool.iter().map(word).collect::<Vec<_>>().join(", "));
    pools.collect::<Vec<_>>().join(" | ")
}

/// A reconfiguration between two random configurations: the first may have overloaded CPUs, the
/// second is viable.
pub(crate) struct Reconfiguration {
    pub(crate) cluster: Cluster,
    pub(crate) current: Configuration,
    pub(crate) wanted: Configuration,
}

/// Size of a random reconfiguration.
pub(crate) struct Size {
    pub(crate) nodes: u32,
    pub(crate) vms: u32,
    /// Largest number of CPU units that a VM needs.
    pub(crate) cpu: i64,
    /// True if there are placement constraints.
    pub(crate) constraints: bool,
}

pub(crate) fn random(size: &Size, rng: &mut Rng) -> Reconfiguration {
    let nodes: Vec<(i64, i64)> = (0..rng.random_range(1..=size.nodes))
        .map(|_| (rng.random_range(1..=3), rng.random_range(2..=8)))
        .collect();
    let vjobs = rng.random_range(1..=3.min(size.vms));
    let vms: Vec<(u32, i64, i64)> = (0..rng.random_range(1..=size.vms))
        .map(|_| (rng.random_range(0..vjobs), rng.random_range(0..=size.cpu), rng.random_range(1..=4)))
        .collect();
    let cluster = cluster(&nodes, &vms);
    let current = random_configuration(
        &cluster,
        rng,
        |_| [WAITING, running(0), running(0), sleeping(0), dozing(0)].to_vec(),
        true,
    );
    let wanted = random_configuration(&cluster, rng, |vm| after(current.place(vm)), false);
    let wanted = keeping_disks(&current, wanted);
    let cluster =
        if size.constraints { constrained(cluster, &current, &wanted, PLACES, 4, rng) } else { cluster };
    Reconfiguration { cluster, current, wanted }
}

/// Returns places in the states to which a VM can change. Images that stay on their disks, and VMs
/// that sleep where they ran, are handled later.
fn after(place: Place) -> Vec<Place> {
    match place {
        Place::Waiting => vec![WAITING, running(0), running(0)],
        Place::Running(_) => vec![
            running(0),
            running(0),
            running(0),
            place_of(place, sleeping),
            place_of(place, dozing),
            TERMINATED,
        ],
        Place::Sleeping(_) => vec![place, running(0)],
        Place::Dozing(_) => vec![place, place_of(place, sleeping), running(0)],
        Place::Terminated => vec![place],
    }
}

fn place_of(place: Place, make: fn(u32) -> Place) -> Place {
    make(place.node().unwrap().0)
}

/// Draws a configuration in which each VM is in one of the given places, on a random node with
/// sufficient resources if it runs. A VM that fits nowhere gets a place that needs no resources.
/// `overload` permits overloaded CPUs.
fn random_configuration(
    cluster: &Cluster,
    rng: &mut Rng,
    places: impl Fn(VmId) -> Vec<Place>,
    overload: bool,
) -> Configuration {
    let mut room: Vec<Amount> = cluster.nodes().iter().map(|node| node.capacity).collect();
    let mut order: Vec<VmId> = cluster.by_name().to_vec();
    order.shuffle(rng);
    let mut configuration = Configuration::new(vec![WAITING; order.len()]);
    for vm in order {
        let mut choice = places(vm);
        let first = *choice.choose(rng).unwrap();
        choice.insert(0, first);
        let found = choice.iter().find_map(|&place| {
            let mut taken = place.usage(cluster.vm(vm));
            if overload && rng.random_bool(0.3) {
                taken.cpu = 0;
            }
            let fixed = matches!(place, Place::Dozing(_) | Place::Sleeping(_)) && !overload;
            let mut nodes: Vec<NodeId> =
                if fixed { place.node().into_iter().collect() } else { cluster.node_ids().collect() };
            nodes.shuffle(rng);
            if place.node().is_none() {
                return Some(place);
            }
            let node = nodes.into_iter().find(|node| taken.fits(room[node.index()]))?;
            room[node.index()] -= taken.positive();
            Place::of(place.state(), Some(node))
        });
        let place = found.unwrap_or_else(|| {
            // No place fits: choose one that needs no resources.
            let free = |place: &&Place| place.host().is_none();
            *choice.iter().find(free).expect("every state leads to one that needs no resources")
        });
        configuration.set(vm, place);
    }
    configuration
}

/// Keeps VMs that sleep or doze in both configurations, or ran in the first, on their nodes.
fn keeping_disks(current: &Configuration, mut wanted: Configuration) -> Configuration {
    for (index, &before) in current.places().iter().enumerate() {
        let vm = VmId(index as u32);
        if let (Some(node), Place::Sleeping(_)) = (before.node(), wanted.place(vm)) {
            wanted.set(vm, Place::Sleeping(node));
        }
    }
    wanted
}
