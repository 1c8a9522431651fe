//! Start times of actions that run as soon as resources are free, in the order of a plan.

use crate::action::Action;
use crate::amount::Amount;
use crate::cluster::Cluster;
use crate::configuration::Configuration;
use crate::contention::Progress;
use crate::durations::Durations;
use crate::ledger::{Ledger, needs};
use crate::timed_action::TimedAction;
use crate::vjob::VmId;
use crate::waits::{delays, nodes_ready_at};
use dfrsim_model::SimTime;
use rustc_hash::{FxHashMap, FxHashSet};

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
    // Positions of the actions, in the order in which they begin.
    let mut begun: Vec<usize> = Vec::with_capacity(actions.len());
    let mut progress = Progress::new(cluster, durations);
    let boot = SimTime::ZERO + durations.boot();
    let mut now = SimTime::ZERO;
    while !tasks.is_empty() {
        let ended = progress.advance(now).into_iter().map(|number| actions[begun[number]].vm());
        let ended: FxHashSet<VmId> = ended.collect();
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
                    begun.push(at);
                    progress.add(action, now + delay);
                }
            } else {
                closed.extend(doors());
                closed.extend(of.iter().map(|action| Conflict::Vm(action.vm().index())));
            }
            !may_begin
        });
        let next = progress.next();
        let next = next.into_iter().chain(Some(boot).filter(|boot| *boot > now)).min();
        now = next.expect("an action can start once all before it have ended");
    }
    let mut times = vec![(SimTime::ZERO, SimTime::ZERO); actions.len()];
    begun.into_iter().zip(progress.times()).for_each(|(at, time)| times[at] = time);
    let mut times = times.into_iter();
    let mut timed = |&action: &Action| {
        let (begin, end) = times.next().expect("every action has its times");
        TimedAction { action, begin, end }
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
