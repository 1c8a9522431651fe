//! Two nodes, whose tasks are parted anew.

use crate::placement::Placement;
use crate::tasks::Tasks;

/// With more tasks than this two nodes are left as they are.
const TASKS: usize = 12;

/// Parts the tasks of any two nodes anew between them in the cheapest way, as long as that makes the placement cheaper. One task
/// against two others is what repairs, task by task, may miss. Of a placement that overloads no node.
pub(crate) fn exchange(placement: &mut Placement, tasks: &Tasks) {
    let mut parting = Parting::default();
    let mut cheaper = true;
    while cheaper {
        cheaper = false;
        for one in placement.nodes() {
            for other in one + 1..placement.on.len() as u32 {
                cheaper |= parting.improve(placement, tasks, [one, other]);
            }
        }
    }
}

/// A search for the cheapest parting, depth first.
#[derive(Debug, Default)]
struct Parting {
    /// The tasks of both nodes.
    list: Vec<u32>,
    /// What is free on each, without those that have no side yet.
    free: [Vec<i64>; 2],
    side: Vec<usize>,
    best: Option<Vec<usize>>,
    least: u128,
}

impl Parting {
    /// Parts the tasks of two nodes in the cheapest way, if it is cheaper than what is; says whether it is.
    fn improve(&mut self, placement: &mut Placement, tasks: &Tasks, nodes: [u32; 2]) -> bool {
        let on = |node: u32| &placement.on[node as usize];
        self.list.clear();
        self.list.extend(nodes.into_iter().flat_map(on));
        let cost = |task: &u32| away(tasks, *task, placement.node_of[*task as usize]);
        self.least = self.list.iter().map(cost).sum();
        if self.list.len() > TASKS || self.least == 0 {
            return false;
        }
        for (free, node) in self.free.iter_mut().zip(nodes) {
            free.clear();
            free.extend_from_slice(placement.free(node));
            for &task in on(node) {
                free.iter_mut().zip(tasks.takes(task)).for_each(|(free, takes)| *free += takes);
            }
        }
        self.side.clear();
        self.best = None;
        self.part(tasks, nodes, 0);
        let Some(best) = self.best.take() else { return false };
        for &task in &self.list {
            placement.remove(tasks, task);
        }
        for (&task, side) in self.list.iter().zip(best) {
            placement.add(tasks, task, nodes[side]);
        }
        true
    }

    /// Gives the tasks from the next one on a side, in all ways that are cheaper than the best.
    fn part(&mut self, tasks: &Tasks, nodes: [u32; 2], cost: u128) {
        let Some(&task) = self.list.get(self.side.len()) else {
            self.least = cost;
            self.best = Some(self.side.clone());
            return;
        };
        for side in [0, 1] {
            let cost = cost + away(tasks, task, nodes[side]);
            let fits = self.free[side].iter().zip(tasks.takes(task)).all(|(free, takes)| takes <= free);
            if cost < self.least && fits {
                self.take(tasks, task, side, 1);
                self.side.push(side);
                self.part(tasks, nodes, cost);
                self.side.pop();
                self.take(tasks, task, side, -1);
            }
        }
    }

    fn take(&mut self, tasks: &Tasks, task: u32, side: usize, sign: i64) {
        let amounts = self.free[side].iter_mut().zip(tasks.takes(task));
        amounts.for_each(|(free, takes)| *free -= sign * takes);
    }
}

/// What it costs to have a task on a node.
fn away(tasks: &Tasks, task: u32, node: u32) -> u128 {
    let at = task as usize;
    if tasks.home[at] == node { 0 } else { u128::from(tasks.cost[at]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Adaptation;
    use dfrsim_model::offline::{Instance, OfflineJob};
    use dfrsim_model::{NodeId, NodeTasks, Yield};
    use proptest::prelude::*;

    /// Jobs of one task at a node each, as (memory, need, home, cost), on nodes of 12 by 12.
    fn tasks_of(jobs: &[(u32, u32, u32, u64)], nodes: usize) -> Tasks {
        let job = |&(memory, need, ..): &(u32, u32, u32, u64)| OfflineJob {
            tasks: 1,
            demand: [memory, need].into(),
            least_yield: Yield::ZERO,
        };
        let home = |&(_, _, home, _): &(u32, u32, u32, u64)| vec![NodeTasks { node: NodeId(home), tasks: 1 }];
        let problem = Adaptation {
            instance: Instance {
                fixed: 1,
                fluid: 1,
                nodes: vec![[12, 12].into(); nodes],
                jobs: jobs.iter().map(job).collect(),
            },
            current: jobs.iter().map(home).collect(),
            cost: jobs.iter().map(|job| job.3).collect(),
        };
        let mut tasks = Tasks::of(&problem);
        tasks.size_at(&problem, Yield::ONE);
        tasks
    }

    fn placed(tasks: &Tasks, node_of: &[u32]) -> Placement {
        let mut placement = Placement::default();
        placement.start(tasks, node_of);
        placement
    }

    /// A task of 8 is away from node 0, where two of 5 and 6 are that belong to node 1; none of them can go alone.
    #[test]
    fn one_goes_against_two() {
        let tasks = tasks_of(&[(8, 8, 0, 3), (5, 5, 1, 1), (6, 6, 1, 1)], 2);
        let mut placement = placed(&tasks, &[1, 0, 0]);
        assert_eq!(placement.cost, 5);
        exchange(&mut placement, &tasks);
        assert_eq!((placement.cost, placement.node_of), (0, vec![0, 1, 1]));
    }

    proptest! {
        /// All ways to part the tasks of any two nodes are tried one by one.
        #[test]
        fn no_two_nodes_can_be_parted_more_cheaply(
            jobs in prop::collection::vec((0_u32..7, 0_u32..7, 0_u32..3, 0_u64..5), 1..9),
            start in prop::collection::vec(0_u32..3, 8),
        ) {
            let tasks = tasks_of(&jobs, 3);
            let before = placed(&tasks, &start[..jobs.len()]);
            prop_assume!(before.nodes().all(|node| !before.is_overloaded(node)));
            let mut after = before.clone();
            exchange(&mut after, &tasks);
            prop_assert!(after.cost <= before.cost);
            prop_assert!(after.nodes().all(|node| !after.is_overloaded(node)));
            for [one, other] in [[0, 1], [0, 2], [1, 2]] {
                for way in 0..1_u32 << jobs.len() {
                    let parted = |(task, &node): (usize, &u32)| match way >> task & 1 {
                        _ if node != one && node != other => node,
                        0 => one,
                        _ => other,
                    };
                    let node_of: Vec<u32> = after.node_of.iter().enumerate().map(parted).collect();
                    let twin = placed(&tasks, &node_of);
                    let whole = twin.nodes().all(|node| !twin.is_overloaded(node));
                    prop_assert!(!whole || twin.cost >= after.cost, "{node_of:?}");
                }
            }
        }
    }
}
