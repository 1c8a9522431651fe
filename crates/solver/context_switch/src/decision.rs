//! The sample decision module, which selects the vjobs to run (section 3.2).

use crate::assignment::{Assignment, largest_first, units};
use crate::cluster::Cluster;
use crate::configuration::{Configuration, Place};
use crate::optimiser::{Unsolved, place_running};
use crate::vjob::{VjobId, VmId};
use dfrsim_model::NodeId;
use dfrsim_state::VmState;

/// Destinations of suspended VMs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SuspendTo {
    /// Disk of the node on which the VM runs.
    #[default]
    Disk,
    /// Memory of the node on which the VM runs, if the VMs that the decision places there leave
    /// enough of it for all running VMs of the vjob; the disk otherwise (section 7).
    Memory,
}

/// Builds a configuration in which each vjob has the given state; the VMs of a vjob without a given
/// state keep theirs. VMs that are to run stay on their node or, if they have none, get the first
/// node. The result need not be viable: it only tells [`solve`](crate::solve) the states, and
/// `solve` reports states that a VM cannot reach.
///
/// # Errors
/// [`Unsolved::Infeasible`]: a VM is to run, and there is no node.
pub fn in_states(
    cluster: &Cluster,
    current: &Configuration,
    states: &[Option<VmState>],
) -> Result<Configuration, Unsolved> {
    let mut configuration = current.clone();
    for (vjob, state) in cluster.vjob_ids().zip(states) {
        let Some(state) = state else { continue };
        for &vm in cluster.vms_of(vjob) {
            let place = Place::of(*state, current.place(vm).node().or(cluster.node_ids().next()));
            configuration.set(vm, place.ok_or(Unsolved::Infeasible)?);
        }
    }
    Ok(configuration)
}

/// Moves images from the disks of these nodes to other nodes that are on at the end and may host
/// their VMs. Each image goes to the node with the fewest images, ties broken by number.
pub fn clear_disks(cluster: &Cluster, current: &Configuration, wanted: &mut Configuration, nodes: &[NodeId]) {
    let mut images = vec![0; cluster.nodes().len()];
    for place in wanted.places() {
        if let Place::Sleeping(node) = place {
            images[node.index()] += 1;
        }
    }
    for &vm in cluster.by_name() {
        let Place::Sleeping(disk) = wanted.place(vm) else { continue };
        let can_leave = current.place(vm).node().is_some_and(|node| !cluster.stays_off(node));
        let may_take = |node: &NodeId| !nodes.contains(node) && cluster.constraints().allows(vm, *node);
        let others = cluster.node_ids().filter(may_take).min_by_key(|node| images[node.index()]);
        if let Some(other) = others.filter(|_| can_leave && nodes.contains(&disk)) {
            images[other.index()] += 1;
            wanted.set(vm, Place::Sleeping(other));
        }
    }
}

/// Solves the running job selection problem. Starting from empty nodes, each vjob of the queue in
/// turn runs if first-fit decreasing on memory and CPU finds nodes for all its VMs alongside those
/// of the vjobs before it. Otherwise it sleeps, or keeps waiting.
///
/// The result is viable.
///
/// Vjobs that are not in the queue are done: those that run are stopped. The demands of VMs are
/// those that the cluster currently has.
pub fn select_running(
    cluster: &Cluster,
    current: &Configuration,
    queue: &[VjobId],
    suspend_to: SuspendTo,
) -> Configuration {
    let mut assignment = Assignment::empty(cluster);
    let mut runs = vec![None; cluster.vjobs().len()];
    for &vjob in queue {
        let mut items = units(cluster, cluster.vms_of(vjob).iter().copied());
        largest_first(&mut items);
        let cannot_run = |vm: &VmId| {
            let place = current.place(*vm);
            place == Place::Terminated || place.node().is_some_and(|node| cluster.stays_off(node))
        };
        let is_over = cluster.vms_of(vjob).iter().any(cannot_run);
        runs[vjob.index()] = Some(!is_over && assignment.first_fit(&items));
    }
    let mut configuration = current.clone();
    for (vjob, runs) in cluster.vjob_ids().zip(runs) {
        let vms = cluster.vms_of(vjob);
        let dozes = runs == Some(false) && try_doze(cluster, current, &mut assignment, vjob, suspend_to);
        for &vm in vms {
            let place = match (runs, current.place(vm)) {
                (Some(true), _) => assignment.host(vm).map_or(Place::Waiting, Place::Running),
                (None, Place::Running(_)) => Place::Terminated,
                (Some(false), Place::Running(node) | Place::Dozing(node)) if dozes => Place::Dozing(node),
                (_, Place::Running(node) | Place::Dozing(node)) => Place::Sleeping(node),
                (_, place) => place,
            };
            configuration.set(vm, place);
        }
    }
    configuration
}

/// Lets vjobs run on that run now and that `wanted` suspends: one after the other in the order of the
/// queue, as long as the search kernel finds nodes for all VMs that run. First-fit decreasing, by
/// which [`select_running`] decides, refuses some that fit in another way.
#[must_use]
pub fn keep_running(
    cluster: &Cluster,
    current: &Configuration,
    mut wanted: Configuration,
    queue: &[VjobId],
) -> Configuration {
    for &vjob in queue {
        let vms = cluster.vms_of(vjob);
        let is_suspended = |vm: &VmId| {
            matches!(current.place(*vm), Place::Running(_)) && !matches!(wanted.place(*vm), Place::Running(_))
        };
        let mut places = vms.iter().map(|vm| current.place(*vm).node());
        if vms.is_empty() || !vms.iter().all(is_suspended) || places.any(|node| node.is_none()) {
            continue;
        }
        let mut tried = wanted.clone();
        for &vm in vms {
            tried.set(vm, current.place(vm));
        }
        if let Some(found) = place_running(cluster, current, &tried) {
            wanted = found;
        }
    }
    wanted
}

/// Checks that all running or dozing VMs of a vjob can doze on their nodes, and if so reserves their
/// memory there.
fn try_doze(
    cluster: &Cluster,
    current: &Configuration,
    assignment: &mut Assignment<&Cluster>,
    vjob: VjobId,
    suspend_to: SuspendTo,
) -> bool {
    let hosted = cluster.vms_of(vjob).iter().filter_map(|vm| Some((*vm, current.place(*vm).host()?)));
    let mut after = assignment.clone();
    let dozes = suspend_to == SuspendTo::Memory
        && hosted.clone().count() > 0
        && hosted.clone().all(|(vm, node)| after.try_doze(vm, node));
    if dozes {
        *assignment = after;
    }
    dozes
}
