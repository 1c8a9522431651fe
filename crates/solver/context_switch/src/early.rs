//! Start times of actions that run as soon as resources are free, in the order of a plan.

use crate::action::Action;
use crate::amount::Amount;
use crate::cluster::Cluster;
use crate::configuration::Configuration;
use crate::durations::Durations;
use crate::ledger::{Ledger, needs};
use crate::timed_action::TimedAction;
use crate::waits::{delays, nodes_ready_at};
use dfrsim_model::SimTime;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Subjects of conflicts between actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Conflict {
    /// Resources of a node, or a budget; budgets are numbered after the nodes.
    Resource(usize),
    Vm(usize),
}

/// Computes the times of the actions of these pools, each as early as free resources and constraints
/// allow.
///
/// The suspends and the resumes of a vjob, and actions in sync, start together. An action does not
/// overtake an earlier one that waits for the same node or budget, or that must not act at the same
/// time. So an action may start once all before it have ended, and none starts later than it would
/// in its pool.
pub(crate) fn asap_times(
    cluster: &Cluster,
    current: &Configuration,
    pools: &[Vec<Action>],
    durations: &Durations,
) -> Vec<Vec<TimedAction>> {
    let (constraints, nodes) = (cluster.constraints(), cluster.nodes().len());
    let actions: Vec<Action> = pools.iter().flatten().copied().collect();
    let mut ledger = Ledger::default();
    ledger.reset(cluster, current, &current.free_resources(cluster), &actions);
    let mut tasks = tasks(cluster, pools);
    let mut begins = vec![SimTime::ZERO; actions.len()];
    let mut running = BinaryHeap::new();
    let boot = SimTime::ZERO + durations.boot();
    let mut now = SimTime::ZERO;
    while !tasks.is_empty() {
        let mut ended = FxHashSet::default();
        while let Some(&Reverse((_, vm))) = running.peek().filter(|Reverse((end, _))| *end <= now) {
            running.pop();
            ended.insert(vm);
        }
        ledger.end(|vm| ended.contains(&vm));
        let mut closed = FxHashSet::default();
        tasks.retain(|task| {
            let of: Vec<Action> = task.iter().map(|&at| actions[at]).collect();
            let doors = || {
                let needs = of.iter().flat_map(|&action| needs(cluster, action));
                let is_door = |(room, need): &(usize, Amount)| *room < nodes || *need != Amount::NONE;
                needs.filter(is_door).map(|(room, _)| Conflict::Resource(room))
            };
            let others = of.iter().flat_map(|action| &constraints.vm(action.vm()).in_turn);
            let may_begin = nodes_ready_at(cluster, &of, durations) <= now
                && !doors().any(|door| closed.contains(&door))
                && !others.clone().any(|vm| closed.contains(&Conflict::Vm(vm.index())))
                && ledger.admits_all(cluster, &of);
            if may_begin {
                for ((&at, &action), delay) in task.iter().zip(&of).zip(delays(cluster, &of)) {
                    ledger.begin(cluster, action);
                    begins[at] = now + delay;
                    running.push(Reverse((begins[at] + durations.of(cluster, action), action.vm())));
                }
            } else {
                closed.extend(doors());
                closed.extend(of.iter().map(|action| Conflict::Vm(action.vm().index())));
            }
            !may_begin
        });
        let next = running.peek().map(|Reverse((end, _))| *end);
        let next = next.into_iter().chain(Some(boot).filter(|boot| *boot > now)).min();
        now = next.expect("an action can start once all before it have ended");
    }
    let mut begins = begins.into_iter();
    let mut timed = |&action: &Action| {
        let begin = begins.next().expect("every action has a start time");
        TimedAction { action, begin, end: begin + durations.of(cluster, action) }
    };
    pools.iter().map(|pool| pool.iter().map(&mut timed).collect()).collect()
}

/// Returns the groups of actions that start together, as positions, in the order of the plan.
fn tasks(cluster: &Cluster, pools: &[Vec<Action>]) -> Vec<Vec<usize>> {
    let mut tasks: Vec<Vec<usize>> = Vec::new();
    let mut first = 0;
    for pool in pools {
        let mut shared = FxHashMap::default();
        let mut of_vm = FxHashMap::default();
        for (at, action) in (first..).zip(pool) {
            let vjob = cluster.vm(action.vm()).vjob;
            let number = match action.kind().stagger_group() {
                Some(group) => *shared.entry((vjob, group)).or_insert(tasks.len()),
                None => tasks.len(),
            };
            if number == tasks.len() {
                tasks.push(Vec::new());
            }
            tasks[number].push(at);
            of_vm.insert(action.vm(), number);
            for other in &cluster.constraints().vm(action.vm()).in_sync {
                if let Some(&other) = of_vm.get(other).filter(|other| **other != number) {
                    let (kept, joined) = (number.min(other), number.max(other));
                    let joining = std::mem::take(&mut tasks[joined]);
                    tasks[kept].extend(joining);
                    tasks[kept].sort_unstable();
                    for of in of_vm.values_mut().chain(shared.values_mut()).filter(|of| **of == joined) {
                        *of = kept;
                    }
                }
            }
        }
        first += pool.len();
    }
    tasks.retain(|task| !task.is_empty());
    tasks
}
