//! A cost that no plan to the decided states is below.

use super::goal::Goal;
use crate::amount::Amount;
use crate::cluster::Aim;
use crate::configuration::Place;
use crate::optimiser::knapsack;
use crate::vjob::{VjobId, VmId};
use dfrsim_model::NodeId;

/// The bound: what actions cost by themselves, the decided ones and, for VMs that are to run, the least of all nodes; and the
/// larger of two bounds on the rest. It holds for every order of the actions, in any pools, if each VM acts at most once.
///
/// * Some VMs must leave: those that may not be where they would run for least, and, where those that may do not fit there
///   together, or not into what constraints leave of the node, some of them are migrated, or resumed elsewhere, for their memory each. And some must wait: runs and resumes that do not fit into what nodes have left
///   when all has left that costs less than a price, wait for a pool of that price at least. The resumes of a vjob all wait
///   or none does. Migrations free as much as they take.
/// * If no action waits, resumes fit into what nodes have free after all actions without cost, so that more VMs must
///   leave.
///   A vjob whose resumes wait may spare that on the nodes of its images, but then all of them wait for what first leaves
///   these nodes.
pub(super) fn lower_bound(goal: &Goal<'_>, room: &[Amount]) -> u64 {
    let cluster = goal.cluster;
    let all = |costs: &mut dyn Iterator<Item = u64>| costs.fold(0, |sum, cost| cluster.both(sum, cost));
    let together = all(&mut (0..goal.units.len()).map(|unit| goal.least_cost(unit)));
    let alone = all(&mut goal.running().map(|vm| goal.least_cost_alone(vm)));
    let waits = cluster.price_of_waiting(1) > 0;
    let waiting = if waits { waiting(goal, room) } else { 0 };
    if cluster.aim() == Aim::Makespan {
        let drained = all(&mut goal.running().filter(|vm| must_leave(goal, *vm)).map(|vm| goal.leaving(vm)));
        return goal.decided_cost.max(together).max(alone).max(waiting).max(drained);
    }
    let homes = homes(goal);
    let leaving: u64 = homes.iter().map(|home| home.in_the_end).sum();
    let at_once: u64 = homes.iter().map(|home| home.at_once).sum();
    let spared: u64 = cluster.vjob_ids().map(|vjob| spared(goal, &homes, vjob)).sum();
    // Gathered VMs that have different homes are counted either together, or as leaving.
    let at_once = if waits { at_once.saturating_sub(spared) } else { 0 };
    let rest = alone + (leaving + waiting).max(at_once);
    goal.decided_cost + rest.max(together + waiting)
}

/// Whether a VM may not be where it would run for least.
pub(super) fn must_leave(goal: &Goal<'_>, vm: VmId) -> bool {
    goal.current.place(vm).node().is_some_and(|home| !goal.cluster.constraints().allow(vm, home))
}

/// What must leave a node, as the memory of VMs that would run there for least.
#[derive(Clone, Copy, Debug)]
struct Home {
    /// So that the others fit there.
    in_the_end: u64,
    /// The same, if resumes must fit into what is left now.
    at_once: u64,
    /// The lowest cost above 0 of an action that frees resources there.
    first_leaves: u64,
}

fn homes(goal: &Goal<'_>) -> Vec<Home> {
    let nodes = goal.cluster.nodes().len();
    let constraints = goal.cluster.constraints();
    let (mut stay, mut come) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
    let (mut vms, mut must_leave) = (vec![Vec::new(); nodes], vec![0; nodes]);
    for vm in goal.running() {
        let (demand, price) = (goal.cluster.vm(vm).demand, goal.leaving(vm));
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
        let capacity = assignment.room(node);
        let own = constraints.node(node).budgets.iter().map(|&budget| &constraints.budgets[budget]);
        let limited = own.filter(|budget| budget.nodes.len() == 1).map(|budget| {
            let taken = |vm: &VmId| budget.taken.by(*vm, goal.cluster.vm(*vm), Place::Running(node));
            let items = vms[node.index()].iter().map(|vm| (taken(vm), goal.leaving(*vm) as i64));
            let sum: i64 = items.clone().map(|(taken, _)| taken).sum();
            knapsack::least_cover(items, sum - budget.limit)
        });
        let may_leave = cover(&all, capacity).max(limited.max().unwrap_or(0));
        let (in_the_end, must_leave) = (must_leave[node.index()] + may_leave, must_leave[node.index()]);
        let at_once =
            must_leave + cover(stay, capacity) + cover(come, goal.free_at_once[node.index()].positive());
        Home { in_the_end, at_once: at_once.max(in_the_end), first_leaves: goal.first_leaves[node.index()] }
    };
    goal.cluster.node_ids().map(home).collect()
}

/// The least price of VMs without which the others fit.
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

/// The most that is spared if the resumes of a vjob wait: on the nodes of its images, less what they wait for.
fn spared(goal: &Goal<'_>, homes: &[Home], vjob: VjobId) -> u64 {
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

/// How many VMs are to enter a node from nowhere.
fn entering(goal: &Goal<'_>) -> u64 {
    goal.running().filter(|vm| !matches!(goal.current.place(*vm), Place::Running(_))).count() as u64
}

/// What runs and resumes wait for altogether, at least: for each price that leaving costs, as often as they do not fit into
/// what is free without those that cost as much.
fn waiting(goal: &Goal<'_>, room: &[Amount]) -> u64 {
    let entering = entering(goal);
    let mut free = room.iter().fold(Amount::NONE, |sum, room| sum + room.positive());
    let (mut before, mut sum) = (0, 0);
    for leaving in goal.leaving.chunk_by(|a, b| a.price == b.price) {
        let price = leaving[0].price;
        let late = entering.saturating_sub(most_entering(goal, free));
        // Of the end of the plan one that waits counts.
        let late = if goal.cluster.aim() == Aim::Makespan { late.min(1) } else { late };
        sum += (price - before) * late;
        let decided = leaving.iter().filter(|leaving| leaving.is_decided);
        free = decided.fold(free, |free, leaving| free + leaving.freed);
        before = price;
    }
    sum
}

/// How many of them fit into so much, at most: by CPU and by memory of all nodes together.
fn most_entering(goal: &Goal<'_>, free: Amount) -> u64 {
    // Of a vjob the resumes are one item; runs, and VMs that wake, are items of their own.
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
        knapsack::most_within(&items, amount(free))
    };
    by(|amount| amount.cpu).min(by(|amount| amount.memory))
}
