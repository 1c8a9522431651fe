//! Cheapest partition of the tasks of a few nodes among these nodes.

use crate::placement::Placement;
use crate::rules::Rules;
use crate::tasks::{Tasks, UNPLACED};
use dfrsim_model::offline::Adaptation;
use std::cmp::Reverse;

/// Maximum number of partial partitions of two nodes that are examined; sufficient for an exhaustive
/// search with a dozen tasks.
const PAIR_STEPS: u32 = 1 << 13;

/// Search for the cheapest partition of tasks among nodes: depth first, expensive tasks first and at
/// home first, with a bounded number of steps. It reuses its buffers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Partition {
    /// Tasks to be partitioned.
    list: Vec<u32>,
    /// Free amounts without the unassigned tasks, one row per node.
    free: Vec<i64>,
    side: Vec<usize>,
    best: Option<Vec<usize>>,
    least: u128,
    steps: u32,
    /// Rules that are not resources, with the placed tasks.
    rules: Option<Box<dyn Rules>>,
}

impl Partition {
    /// Repartitions the tasks of any two nodes between them, as long as that makes the placement
    /// cheaper. This includes the exchange of one task for two others, which task-by-task repairs
    /// may miss. The placement must not overload any node.
    pub(crate) fn exchange(&mut self, placement: &mut Placement, tasks: &Tasks) {
        let mut cheaper = true;
        while cheaper {
            cheaper = false;
            for one in placement.nodes() {
                for other in one + 1..placement.on.len() as u32 {
                    self.list.clear();
                    self.list.extend([one, other].into_iter().flat_map(|node| &placement.on[node as usize]));
                    let cost = |task: &u32| cost_on(tasks, *task, placement.node_of[*task as usize]);
                    self.least = self.list.iter().map(cost).sum();
                    cheaper |= self.improve(placement, tasks, &[one, other], PAIR_STEPS);
                }
            }
        }
    }

    /// Places all tasks again so that no node is overloaded and the cost is below `least`; returns
    /// whether such a placement was found. For few tasks it is the cheapest one.
    pub(crate) fn search(
        &mut self,
        placement: &mut Placement,
        tasks: &Tasks,
        least: u128,
        steps: u32,
    ) -> bool {
        self.list.clear();
        self.list.extend(0..tasks.count() as u32);
        self.least = least;
        let nodes: Vec<u32> = placement.nodes().collect();
        self.improve(placement, tasks, &nodes, steps)
    }

    /// Repartitions the listed tasks, which are on these nodes or unplaced, if a lower cost is
    /// found.
    fn improve(&mut self, placement: &mut Placement, tasks: &Tasks, nodes: &[u32], steps: u32) -> bool {
        if self.least == 0 {
            return false;
        }
        self.list.sort_unstable_by_key(|&task| (Reverse(tasks.cost[task as usize]), task));
        self.free.clear();
        for &node in nodes {
            let first = self.free.len();
            self.free.extend_from_slice(placement.free(node));
            for &task in &placement.on[node as usize] {
                self.free[first..]
                    .iter_mut()
                    .zip(tasks.demand(task))
                    .for_each(|(free, takes)| *free += takes);
            }
        }
        self.rules.clone_from(&placement.rules);
        if let Some(rules) = &mut self.rules {
            for &task in &self.list {
                let node = placement.node_of[task as usize];
                if node != UNPLACED {
                    rules.remove(task, node);
                }
            }
        }
        self.side.clear();
        self.best = None;
        self.steps = steps;
        self.assign_rest(tasks, nodes, 0);
        let Some(best) = self.best.take() else { return false };
        for &task in &self.list {
            if placement.node_of[task as usize] != UNPLACED {
                placement.remove(tasks, task);
            }
        }
        for (&task, side) in self.list.iter().zip(best) {
            placement.add(tasks, task, nodes[side]);
        }
        true
    }

    /// Assigns the tasks from the next one on, in all ways that are cheaper than the best one found
    /// so far.
    fn assign_rest(&mut self, tasks: &Tasks, nodes: &[u32], cost: u128) {
        let Some(&task) = self.list.get(self.side.len()) else {
            self.least = cost;
            self.best = Some(self.side.clone());
            return;
        };
        let home = nodes.iter().position(|&node| node == tasks.home[task as usize]);
        let pinned = tasks.cost[task as usize] == Adaptation::PINNED;
        let others = (0..nodes.len()).filter(|&side| Some(side) != home && !pinned);
        for side in home.into_iter().chain(others) {
            let cost = cost + cost_on(tasks, task, nodes[side]);
            if self.steps == 0 {
                return;
            }
            if cost >= self.least {
                // Only further homes cost less than the other nodes.
                if tasks.further_homes.is_empty() {
                    return;
                }
                continue;
            }
            self.steps -= 1;
            let free = &self.free[side * tasks.dimensions..][..tasks.dimensions];
            let is_allowed = self.rules.as_ref().is_none_or(|rules| rules.admits(task, nodes[side], &[]));
            if is_allowed && free.iter().zip(tasks.demand(task)).all(|(free, takes)| takes <= free) {
                self.change_free(tasks, task, side, 1);
                self.rules.iter_mut().for_each(|rules| rules.add(task, nodes[side]));
                self.side.push(side);
                self.assign_rest(tasks, nodes, cost);
                self.side.pop();
                self.rules.iter_mut().for_each(|rules| rules.remove(task, nodes[side]));
                self.change_free(tasks, task, side, -1);
            }
        }
    }

    fn change_free(&mut self, tasks: &Tasks, task: u32, side: usize, sign: i64) {
        let amounts =
            self.free[side * tasks.dimensions..][..tasks.dimensions].iter_mut().zip(tasks.demand(task));
        amounts.for_each(|(free, takes)| *free -= sign * takes);
    }
}

/// Returns the cost of having a task on a node.
fn cost_on(tasks: &Tasks, task: u32, node: u32) -> u128 {
    u128::from(tasks.cost_on(task, node))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_model::offline::{Instance, OfflineJob};
    use dfrsim_model::{NodeId, NodeTasks, Yield};
    use proptest::prelude::*;

    /// Builds jobs of one task each, given as (memory, need, home, cost), with one node each, on
    /// nodes of 12 by 12.
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
        let mut tasks = Tasks::of(&problem, None);
        tasks.size_at(&problem, Yield::ONE);
        tasks
    }

    fn placed(tasks: &Tasks, node_of: &[u32]) -> Placement {
        let mut placement = Placement::default();
        placement.reset(tasks, node_of);
        placement
    }

    /// A task of 8 is away from node 0, which holds two tasks of 5 and 6 that belong to node 1; none
    /// of them can move alone.
    #[test]
    fn one_goes_against_two() {
        let tasks = tasks_of(&[(8, 8, 0, 3), (5, 5, 1, 1), (6, 6, 1, 1)], 2);
        let mut placement = placed(&tasks, &[1, 0, 0]);
        assert_eq!(placement.cost, 5);
        Partition::default().exchange(&mut placement, &tasks);
        assert_eq!((placement.cost, placement.node_of), (0, vec![0, 1, 1]));
    }

    proptest! {
        /// Tries all partitions of the tasks of any two nodes, as a reference.
        #[test]
        fn no_two_nodes_can_be_parted_more_cheaply(
            jobs in prop::collection::vec((0_u32..7, 0_u32..7, 0_u32..3, 0_u64..5), 1..9),
            start in prop::collection::vec(0_u32..3, 8),
        ) {
            let tasks = tasks_of(&jobs, 3);
            let before = placed(&tasks, &start[..jobs.len()]);
            prop_assume!(before.nodes().all(|node| !before.is_overloaded(node)));
            let mut after = before.clone();
            Partition::default().exchange(&mut after, &tasks);
            prop_assert!(after.cost <= before.cost);
            prop_assert!(after.nodes().all(|node| !after.is_overloaded(node)));
            for [one, other] in [[0, 1], [0, 2], [1, 2]] {
                for way in 0..1_u32 << jobs.len() {
                    let partitioned = |(task, &node): (usize, &u32)| match way >> task & 1 {
                        _ if node != one && node != other => node,
                        0 => one,
                        _ => other,
                    };
                    let node_of: Vec<u32> = after.node_of.iter().enumerate().map(partitioned).collect();
                    let twin = placed(&tasks, &node_of);
                    let whole = twin.nodes().all(|node| !twin.is_overloaded(node));
                    prop_assert!(!whole || twin.cost >= after.cost, "{node_of:?}");
                }
            }
        }

        /// Examines every placement of all tasks, from any start of the search. With 0 steps none is
        /// found.
        #[test]
        fn a_search_finds_the_cheapest_placement(
            jobs in prop::collection::vec((0_u32..7, 0_u32..7, 0_u32..3, 0_u64..5), 1..7),
            start in prop::collection::vec(0_u32..3, 6),
        ) {
            let tasks = tasks_of(&jobs, 3);
            let placement = |way: u32| placed(&tasks, &(0..jobs.len() as u32).map(|task| way / 3_u32.pow(task) % 3).collect::<Vec<u32>>());
            let costs = (0..3_u32.pow(jobs.len() as u32)).map(placement).filter(|twin| twin.nodes().all(|node| !twin.is_overloaded(node)));
            let least = costs.map(|twin| twin.cost).min();
            let mut found = placed(&tasks, &start[..jobs.len()]);
            let any = found.clone();
            prop_assert!(!Partition::default().search(&mut found, &tasks, u128::MAX, 0));
            prop_assert_eq!(&found.node_of, &any.node_of);
            let is_found = Partition::default().search(&mut found, &tasks, u128::MAX, u32::MAX);
            prop_assert_eq!(is_found.then_some(found.cost), least);
            prop_assert!(!is_found || found.nodes().all(|node| !found.is_overloaded(node)));
            let least = least.unwrap_or(0);
            prop_assert!(!Partition::default().search(&mut found, &tasks, least, u32::MAX));
        }
    }
}
