//! Actions that begin as soon as there is room, in the order of a plan.

use super::ledger::{Ledger, needs};
use crate::action::Action;
use crate::amount::Amount;
use crate::cluster::Cluster;
use crate::configuration::Configuration;
use crate::durations::Durations;
use crate::timetable::Timed;
use crate::waits::{delays, ready};
use dfrsim_model::SimTime;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What an action enters, takes from, or must not act beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Door {
    /// A node, or a budget behind the nodes.
    Room(usize),
    Vm(usize),
}

/// The times of the actions of these pools, each as early as what nodes have at that moment and constraints allow.
///
/// The suspends and the resumes of a vjob, and what acts in sync, begin together. No action passes one of the list that
/// waits to enter the same node, draws on the same budget, or must not act beside it. So whenever all before an action has
/// ended it may begin, and none begins later than in its pool.
pub(crate) fn early(
    cluster: &Cluster,
    current: &Configuration,
    pools: &[Vec<Action>],
    durations: &Durations,
) -> Vec<Vec<Timed>> {
    let (constraints, nodes) = (cluster.constraints(), cluster.nodes().len());
    let actions: Vec<Action> = pools.iter().flatten().copied().collect();
    let mut ledger = Ledger::default();
    ledger.reset(cluster, current, &current.room(cluster), &actions);
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
                needs.filter(is_door).map(|(room, _)| Door::Room(room))
            };
            let others = of.iter().flat_map(|action| &constraints.vm(action.vm()).in_turn);
            let may_begin = ready(cluster, &of, durations) <= now
                && !doors().any(|door| closed.contains(&door))
                && !others.clone().any(|vm| closed.contains(&Door::Vm(vm.index())))
                && ledger.admits_all(cluster, &of);
            if may_begin {
                for ((&at, &action), delay) in task.iter().zip(&of).zip(delays(cluster, &of)) {
                    ledger.begin(cluster, action);
                    begins[at] = now + delay;
                    running.push(Reverse((begins[at] + durations.of(cluster, action), action.vm())));
                }
            } else {
                closed.extend(doors());
                closed.extend(of.iter().map(|action| Door::Vm(action.vm().index())));
            }
            !may_begin
        });
        let next = running.peek().map(|Reverse((end, _))| *end);
        let next = next.into_iter().chain(Some(boot).filter(|boot| *boot > now)).min();
        now = next.expect("once all before it has ended an action may begin");
    }
    let mut begins = begins.into_iter();
    let mut timed = |&action: &Action| {
        let begin = begins.next().expect("each has one");
        Timed { action, begin, end: begin + durations.of(cluster, action) }
    };
    pools.iter().map(|pool| pool.iter().map(&mut timed).collect()).collect()
}

/// The actions that begin together, by their positions, in the order of the plan.
fn tasks(cluster: &Cluster, pools: &[Vec<Action>]) -> Vec<Vec<usize>> {
    let mut tasks: Vec<Vec<usize>> = Vec::new();
    let mut first = 0;
    for pool in pools {
        let mut shared = FxHashMap::default();
        let mut of_vm = FxHashMap::default();
        for (at, action) in (first..).zip(pool) {
            let vjob = cluster.vm(action.vm()).vjob;
            let number = match action.kind().group() {
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
