//! Random sets of jobs.

use dfrsim_model::{NodeId, NodeTasks, Share, Yield};
use dfrsim_packing::mcb::{Balanced, DropRule, McbOptions, PackJob, Packing, Probes, Ties};
use dfrsim_packing::{Capacities, TaskSize};
use proptest::prelude::*;
use std::sync::Arc;

/// A cluster with jobs that own their placements.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) nodes: u32,
    jobs: Vec<StateJob>,
}

#[derive(Clone, Debug)]
struct StateJob {
    tasks: u32,
    need: Share,
    memory: Share,
    sequence: u64,
    pinned: Option<Vec<NodeTasks>>,
}

impl State {
    /// Returns the task sizes for nodes of two classes with a third dimension, which no job uses.
    pub(crate) fn sizes(&self) -> Vec<TaskSize> {
        let size = |job: &StateJob| {
            let [memory, need] = [job.memory, job.need].map(|share| u64::from(share.units()));
            TaskSize {
                held: vec![memory, 0, 0],
                used: vec![0, need, 0],
                allowed: vec![true; 2],
                devices: None,
            }
        };
        self.jobs.iter().map(size).collect()
    }

    /// Returns the capacities of these nodes, which do not differ in what jobs use.
    pub(crate) fn capacities(&self) -> Arc<Capacities> {
        let one = u64::from(Share::ONE.units());
        let class_of = (0..self.nodes as usize).map(|node| node % 2).collect();
        Arc::new(Capacities {
            classes: vec![vec![one; 3], vec![one, one, 0]],
            wholes: vec![one; 3],
            class_of,
            devices: Vec::new(),
            device_groups: Vec::new(),
            devices_are_shared: false,
        })
    }

    pub(crate) fn jobs(&self) -> Vec<PackJob<'_>> {
        self.jobs
            .iter()
            .map(|job| PackJob {
                tasks: job.tasks,
                need: job.need,
                memory: job.memory,
                sequence: job.sequence,
                pinned: job.pinned.as_deref(),
                size: None,
            })
            .collect()
    }
}

/// Draws shares with many ties, also between CPU and memory, and a few shares without ties.
fn share() -> impl Strategy<Value = Share> {
    prop_oneof![
        4 => (1u64..=4).prop_map(|quarters| Share::from_ratio(quarters, 4)),
        4 => (1u64..=10).prop_map(|tenths| Share::from_ratio(tenths, 10)),
        2 => (1u64..=2_097_152).prop_map(|kilobytes| Share::from_ratio(kilobytes, 2_097_152)),
        1 => Just(Share::ZERO),
    ]
}

/// Draws at most this many nodes, jobs, and tasks per job; the tasks of `pinned` percent of the jobs
/// may not move.
pub(crate) fn state(nodes: u32, jobs: usize, tasks: u32, pinned: u32) -> impl Strategy<Value = State> {
    state_of(share, nodes, jobs, tasks, pinned)
}

/// Draws a state as [`state`] does, with jobs that mostly run at full speed. One job often needs as
/// much CPU as another needs memory, and vice versa.
pub(crate) fn mirrored_state(nodes: u32, jobs: usize, tasks: u32) -> impl Strategy<Value = State> {
    state_of(|| (2u64..=4).prop_map(|quarters| Share::from_ratio(quarters, 4)), nodes, jobs, tasks, 0)
}

fn state_of<S: Strategy<Value = Share>>(
    share: impl Fn() -> S + 'static,
    nodes: u32,
    jobs: usize,
    tasks: u32,
    pinned: u32,
) -> impl Strategy<Value = State> {
    // Memory needs are small in half of the states, so that CPU can be the bottleneck.
    let job = move |small: bool| {
        let placed = proptest::collection::vec(any::<prop::sample::Index>(), tasks as usize);
        (1..=tasks, share(), share(), 0u32..100, placed).prop_map(
            move |(tasks, need, memory, chance, placed)| {
                let memory = if small {
                    Share::from_ratio(u64::from(memory.units()), 8 * u64::from(Share::ONE.units()))
                } else {
                    memory
                };
                (tasks, need, memory, (chance < pinned).then_some(placed))
            },
        )
    };
    (1..=nodes, any::<bool>())
        .prop_flat_map(move |(nodes, small)| {
            let jobs = proptest::collection::vec(job(small), 0..=jobs);
            (Just(nodes), jobs)
        })
        .prop_flat_map(|(nodes, jobs)| {
            let order = Just((0..jobs.len() as u64).collect::<Vec<u64>>()).prop_shuffle();
            (Just(nodes), Just(jobs), order)
        })
        .prop_map(|(nodes, jobs, order)| {
            let jobs =
                jobs.into_iter().zip(order).map(|((tasks, need, memory, placed), sequence)| StateJob {
                    tasks,
                    need,
                    memory,
                    sequence,
                    pinned: placed.map(|placed| {
                        let mut on = vec![0u32; nodes as usize];
                        placed[..tasks as usize].iter().for_each(|node| on[node.index(nodes as usize)] += 1);
                        let parts = on.iter().zip(0u32..).filter(|&(&tasks, _)| tasks > 0);
                        parts.map(|(&tasks, node)| NodeTasks { node: NodeId(node), tasks }).collect()
                    }),
                });
            State { nodes, jobs: jobs.collect() }
        })
}

/// Draws all combinations of rules, with the default numbers or others.
pub(crate) fn options() -> impl Strategy<Value = McbOptions> {
    let number = || prop_oneof![3 => Just(Yield::from_ratio(1, 100)), 1 => (1u32..=1 << 19).prop_map(|units| Yield::try_from_units(units).unwrap())];
    let step =
        proptest::option::of(prop_oneof![Just(Share::from_ratio(1, 100)), Just(Share::from_ratio(1, 7))]);
    let numbers = (number(), number(), number(), step);
    (any::<[bool; 5]>(), numbers).prop_map(|(rules, (floor, precision, stretch_precision, cpu_step))| {
        let [one_list, prefix, by_memory, earlier, ends] = rules;
        McbOptions {
            packing: if one_list { Packing::ChoosePack } else { Packing::TwoLists },
            drop: if prefix { DropRule::Prefix } else { DropRule::Skip },
            balanced: if by_memory { Balanced::Memory } else { Balanced::Cpu },
            ties: if earlier { Ties::EarlierFirst } else { Ties::LaterFirst },
            probes: if ends { Probes::EndsFirst } else { Probes::Bisection },
            floor,
            precision,
            stretch_precision,
            cpu_step,
        }
    })
}
