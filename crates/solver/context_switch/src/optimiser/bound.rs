//! A lower bound on the costs of all plans to the decided states.

use super::goal::Goal;
use crate::amount::Amount;
use crate::cluster::Aim;
use crate::configuration::Place;
use crate::optimiser::knapsack;
use crate::vjob::{VjobId, VmId};
use dfrsim_model::NodeId;

/// Computes the lower bound: the local costs of all actions, namely of the decided ones and, for VMs
/// that are to run, the minimum over all nodes; plus the larger of two bounds on the remaining
/// costs. The bound holds for every order of the actions and any pools, provided that each VM acts
/// at most once.
///
/// * Some VMs must leave: those that constraints forbid on their cheapest node and, where the
///   remaining ones do not fit there together or exceed the budgets of the node, some of these. Each
///   departure is a migration or a remote resume and costs the memory of the VM. Some VMs must also
///   wait: runs and resumes that do not fit into the resources free after all departures cheaper
///   than a price wait for a pool of at least that price. The resumes of a vjob all wait, or none
///   does. Migrations free as much as they take.
/// * If no action waits, resumes must fit into the resources free after all actions without cost, so
///   that more VMs must leave. A vjob whose resumes wait may avoid this on the nodes of its images,
///   but then all of them wait for the first departure from these nodes.
pub(super) fn lower_bound(goal: &Goal<'_>, room: &[Amount]) -> u64 {
    let cluster = goal.cluster;
    let all = |costs: &mut dyn Iterator<Item = u64>| costs.fold(0, |sum, cost| cluster.joint_cost(sum, cost));
    let together = all(&mut (0..goal.units.len()).map(|unit| goal.least_cost(unit)));
    let alone = all(&mut goal.running().map(|vm| goal.least_cost_alone(vm)));
    let waits = cluster.waiting_cost(1) > 0;
    let waiting = if waits { waiting_bound(goal, room) } else { 0 };
    if cluster.aim() == Aim::Makespan {
        let drained =
            all(&mut goal.running().filter(|vm| must_leave(goal, *vm)).map(|vm| goal.departure_cost(vm)));
        return goal.decided_cost.max(together).max(alone).max(waiting).max(drained);
    }
    let homes = homes(goal);
    let leaving: u64 = homes.iter().map(|home| home.in_the_end).sum();
    let at_once: u64 = homes.iter().map(|home| home.at_once).sum();
    let spared: u64 = cluster.vjob_ids().map(|vjob| waiting_saving(goal, &homes, vjob)).sum();
    // Gathered VMs with different homes count either together or as leaving, never both.
    let at_once = if waits { at_once.saturating_sub(spared) } else { 0 };
    let rest = alone + (leaving + waiting).max(at_once);
    goal.decided_cost + rest.max(together + waiting)
}

/// Returns true if constraints forbid the node on which running the VM would cost least.
pub(super) fn must_leave(goal: &Goal<'_>, vm: VmId) -> bool {
    goal.current.place(vm).node().is_some_and(|home| !goal.cluster.constraints().allows(vm, home))
}

/// Lower bounds on departures from a node, in terms of the memory of VMs for which it is the
/// cheapest node.
#[derive(Clone, Copy, Debug)]
struct Home {
    /// Minimum that must leave so that the other VMs fit at the end.
    in_the_end: u64,
    /// Minimum that must leave if resumes have to fit into the resources that are free now.
    at_once: u64,
    /// Lowest cost above 0 of an action that frees resources of the node.
    first_leaves: u64,
}

fn homes(goal: &Goal<'_>) -> Vec<Home> {
    let nodes = goal.cluster.nodes().len();
    let constraints = goal.cluster.constraints();
    let (mut stay, mut come) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
    let (mut vms, mut must_leave) = (vec![Vec::new(); nodes], vec![0; nodes]);
    for vm in goal.running() {
        let (demand, price) = (goal.cluster.vm(vm).demand, goal.departure_cost(vm));
        let place = goal.current.place(vm);
        let Some(home) = place.node() else { continue };
        if self::must_leave(goal, vm) {
            must_leave[home.index()] += price;
            continue;
        }
        let list = if let Place::Sleeping(_) = place { &mut come } else { &mut stay };
        list[home.index()].push((demand, price));
        vms[home.index()].push(vm);
    }
    let assignment = goal.assignment();
    let home = |node: NodeId| {
        let (stay, come) = (&stay[node.index()], &come[node.index()]);
        let all: Vec<(Amount, u64)> = stay.iter().chain(come).copied().collect();
        let capacity = assignment.free(node);
        let own = constraints.node(node).budgets.iter().map(|&budget| &constraints.budgets[budget]);
        let limited = own.filter(|budget| budget.nodes.len() == 1).map(|budget| {
            let taken = |vm: &VmId| budget.usage.of(*vm, goal.cluster.vm(*vm), Place::Running(node));
            let items = vms[node.index()].iter().map(|vm| (taken(vm), goal.departure_cost(*vm) as i64));
            let sum: i64 = items.clone().map(|(taken, _)| taken).sum();
            knapsack::least_cover(items, sum - budget.limit)
        });
        let may_leave = cover(&all, capacity).max(limited.max().unwrap_or(0));
        let (in_the_end, must_leave) = (must_leave[node.index()] + may_leave, must_leave[node.index()]);
        let at_once =
            must_leave + cover(stay, capacity) + cover(come, goal.free_at_once[node.index()].positive());
        Home {
            in_the_end,
            at_once: at_once.max(in_the_end),
            first_leaves: goal.first_departure_cost[node.index()],
        }
    };
    goal.cluster.node_ids().map(home).collect()
}

/// Returns the minimum price of VMs whose removal lets the others fit.
fn cover(vms: &[(Amount, u64)], room: Amount) -> u64 {
    let taken = vms.iter().fold(Amount::NONE, |sum, (demand, _)| sum + *demand);
    let excess = (taken - room).positive();
    let by = |amount: fn(Amount) -> i64| {
        knapsack::least_cover(
            vms.iter().map(|(demand, price)| (amount(*demand), *price as i64)),
            amount(excess),
        )
    };
    by(|amount| amount.cpu).max(by(|amount| amount.memory))
}

/// Returns the largest saving if the resumes of a vjob wait: on the nodes of its images, minus the
/// cost of waiting.
fn waiting_saving(goal: &Goal<'_>, homes: &[Home], vjob: VjobId) -> u64 {
    let images = goal.cluster.vms_of(vjob).iter().filter_map(|vm| match goal.current.place(*vm) {
        Place::Sleeping(home) if goal.unit_of(*vm).is_some() => Some(home),
        _ => None,
    });
    let mut nodes: Vec<NodeId> = images.collect();
    let resumes = nodes.len() as u64;
    nodes.sort_unstable();
    nodes.dedup();
    nodes.retain(|node| homes[node.index()].at_once > homes[node.index()].in_the_end);
    nodes.sort_by_key(|node| homes[node.index()].first_leaves);
    let mut sum = 0;
    let net = nodes.iter().map(|node| {
        let home = homes[node.index()];
        sum += home.at_once - home.in_the_end;
        u64::saturating_sub(sum, home.first_leaves.saturating_mul(resumes))
    });
    net.max().unwrap_or(0)
}

/// Counts the VMs that are to run and do not run yet.
fn count_entering(goal: &Goal<'_>) -> u64 {
    goal.running().filter(|vm| !matches!(goal.current.place(*vm), Place::Running(_))).count() as u64
}

/// Returns a lower bound on the total waiting cost of runs and resumes. For each price of
/// departures, it counts the VMs that do not fit into the resources that cheaper departures free.
fn waiting_bound(goal: &Goal<'_>, room: &[Amount]) -> u64 {
    let entering = count_entering(goal);
    let mut free = room.iter().fold(Amount::NONE, |sum, room| sum + room.positive());
    let (mut before, mut sum) = (0, 0);
    for leaving in goal.departures.chunk_by(|a, b| a.price == b.price) {
        let price = leaving[0].price;
        let late = entering.saturating_sub(max_entering(goal, free));
        // The makespan depends on a single waiting action.
        let late = if goal.cluster.aim() == Aim::Makespan { late.min(1) } else { late };
        sum += (price - before) * late;
        let decided = leaving.iter().filter(|leaving| leaving.is_decided);
        free = decided.fold(free, |free, leaving| free + leaving.freed);
        before = price;
    }
    sum
}

/// Returns an upper bound on the number of entering VMs that fit into `free`, by the total CPU and
/// the total memory of all nodes.
fn max_entering(goal: &Goal<'_>, free: Amount) -> u64 {
    // The resumes of a vjob form one item, as they all wait or none does; runs and wakes are items
    // of their own.
    let mut groups = vec![(Amount::NONE, 0_u64); goal.cluster.vjobs().len()];
    for vm in goal.running() {
        let demand = goal.cluster.vm(vm).demand;
        match goal.current.place(vm) {
            Place::Sleeping(_) => {
                let group = &mut groups[goal.cluster.vm(vm).vjob.index()];
                *group = (group.0 + demand, group.1 + 1);
            }
            Place::Waiting => groups.push((demand, 1)),
            Place::Dozing(_) => groups.push((Amount::new(demand.cpu, 0), 1)),
            Place::Running(_) | Place::Terminated => {}
        }
    }
    groups.retain(|group| group.1 > 0);
    let by = |amount: fn(Amount) -> i64| {
        let items: Vec<(i64, u64)> = groups.iter().map(|(demand, count)| (amount(*demand), *count)).collect();
        knapsack::max_value(&items, amount(free))
    };
    by(|amount| amount.cpu).min(by(|amount| amount.memory))
}
