//! What nodes have, what is free on them, and how many tasks that is enough for.

use crate::batch::NodeUse;
use dfrsim_cluster::{JobHandle, View};
use dfrsim_model::{NodeId, NodeTasks, Yield};
use dfrsim_platform::classes::{NodeClass, NodeClasses};

/// What a task takes of its node: cores, memory, and other resources in their order.
#[derive(Debug)]
pub(super) struct Need {
    amounts: Vec<u64>,
    /// Whether it can be on nodes of each class.
    fits: Vec<bool>,
}

impl Need {
    pub(super) fn of(view: View<'_>, classes: &NodeClasses, job: JobHandle) -> Need {
        let seen = view.job(job);
        let mut amounts = vec![classes.cores_for(seen.cpu_need()).into(), seen.memory().units().into()];
        let asked = view.demand(job).into_iter().flat_map(|demand| &demand.resources);
        amounts.extend(asked.map(|asked| u64::from(asked.count)));
        Need { amounts, fits: (0..classes.classes().len()).map(|class| view.fits(job, class)).collect() }
    }

    /// The cores of all tasks of a job.
    pub(super) fn cores(&self, width: u32) -> u64 {
        self.amounts[0] * u64::from(width)
    }

    /// How often it is in some amounts.
    fn times_in(&self, amounts: impl Iterator<Item = u64>) -> u32 {
        let needed = self.amounts.iter().zip(amounts).filter(|(need, _)| **need > 0);
        // A task needs a core at least.
        needed.map(|(need, has)| has / need).min().map_or(0, |times| u32::try_from(times).unwrap_or(u32::MAX))
    }
}

/// What is free of all resources of a node, then of those of the next.
pub(super) type Free = Vec<u64>;

/// The nodes of a cluster.
#[derive(Debug)]
pub(super) struct Nodes {
    use_of_nodes: NodeUse,
    /// What a node of each class has.
    whole: Vec<Vec<u64>>,
    speeds: Vec<Yield>,
    /// The different speeds, the highest first.
    distinct_speeds: Vec<Yield>,
    class_of: Vec<usize>,
}

impl Nodes {
    pub(super) fn new(classes: &NodeClasses, use_of_nodes: NodeUse) -> Nodes {
        let of_class = |(place, class): (usize, &NodeClass)| {
            let amounts = class.amounts.iter().map(|&amount| u64::from(amount));
            [classes.cores_of(place).into(), class.memory].into_iter().chain(amounts).collect()
        };
        let speeds: Vec<Yield> = classes.classes().iter().map(|class| class.speed).collect();
        let mut distinct_speeds = speeds.clone();
        distinct_speeds.sort_unstable_by(|a, b| b.cmp(a));
        distinct_speeds.dedup();
        Nodes {
            use_of_nodes,
            whole: classes.classes().iter().enumerate().map(of_class).collect(),
            speeds,
            distinct_speeds,
            class_of: (0..classes.nodes()).map(|node| classes.class_of(node)).collect(),
        }
    }

    /// All nodes without a task.
    pub(super) fn all_free(&self) -> Free {
        self.class_of.iter().flat_map(|&class| self.whole[class].iter().copied()).collect()
    }

    fn dimensions(&self) -> usize {
        self.whole[0].len()
    }
    pub(super) fn speed(&self, node: usize) -> Yield {
        self.speeds[self.class_of[node]]
    }
    pub(super) fn slowest(&self, on: &[NodeTasks]) -> Yield {
        on.iter().map(|part| self.speed(part.node.index())).min().unwrap_or(Yield::ONE)
    }

    /// The free cores of all nodes.
    pub(super) fn free_cores(&self, free: &Free) -> u64 {
        free.iter().step_by(self.dimensions()).sum()
    }

    /// How many tasks there is room for on a node.
    fn room_on(&self, node: usize, need: &Need, free: &Free) -> u32 {
        let (class, dimensions) = (self.class_of[node], self.dimensions());
        if !need.fits[class] {
            return 0;
        }
        // A job that has its nodes to itself holds everything, so another one finds no core.
        need.times_in(free[node * dimensions..][..dimensions].iter().copied())
    }

    /// How many tasks there is room for on nodes that are no slower than a speed.
    pub(super) fn room(&self, need: &Need, speed: Yield, free: &Free) -> u64 {
        self.no_slower(speed).map(|node| u64::from(self.room_on(node, need, free))).sum()
    }
    fn no_slower(&self, speed: Yield) -> impl Iterator<Item = usize> {
        (0..self.class_of.len()).filter(move |&node| self.speed(node) >= speed)
    }

    /// The speeds of nodes that have room for a job together, the highest first.
    pub(super) fn speeds_with_room(
        &self,
        need: &Need,
        width: u32,
        free: &Free,
    ) -> impl Iterator<Item = Yield> {
        let speeds = self.distinct_speeds.iter().copied();
        speeds.filter(move |&speed| self.room(need, speed, free) >= width.into())
    }

    /// The tasks of a job on the lowest nodes that are no slower than a speed.
    pub(super) fn lowest(&self, need: &Need, width: u32, speed: Yield, free: &Free) -> Vec<NodeTasks> {
        let mut missing = width;
        let parts = self.no_slower(speed).map(|node| {
            let tasks = self.room_on(node, need, free).min(missing);
            missing -= tasks;
            NodeTasks { node: NodeId(node as u32), tasks }
        });
        parts.filter(|part| part.tasks > 0).collect()
    }

    /// The tasks of a job on nodes that are no slower than a speed, where they cost the head of the queue least; `None` if it costs it
    /// its room.
    pub(super) fn beside(
        &self,
        head: &Head<'_>,
        need: &Need,
        width: u32,
        speed: Yield,
        free: &Free,
    ) -> Option<Vec<NodeTasks>> {
        let nodes: Vec<usize> = self.no_slower(speed).collect();
        let room: Vec<u32> = nodes.iter().map(|&node| self.room_on(node, need, free)).collect();
        let mut missing = width;
        let mut take = |most: u32| {
            let taken = most.min(missing);
            missing -= taken;
            taken
        };
        let mut tasks: Vec<u32> = nodes
            .iter()
            .zip(&room)
            .map(|(&node, &room)| take(room.min(self.harmless(head, need, node))))
            .collect();
        tasks.iter_mut().zip(&room).for_each(|(tasks, room)| *tasks += take(room - *tasks));
        let parts = nodes.iter().zip(tasks).filter(|(_, tasks)| *tasks > 0);
        let on: Vec<NodeTasks> =
            parts.map(|(&node, tasks)| NodeTasks { node: NodeId(node as u32), tasks }).collect();
        let mut then = head.free.clone();
        self.take(&mut then, &on, need);
        (self.room(head.need, head.speed, &then) >= head.width.into()).then_some(on)
    }

    /// How many tasks a node can have without costing the head of the queue a task there.
    fn harmless(&self, head: &Head<'_>, need: &Need, node: usize) -> u32 {
        let of_head =
            if self.speed(node) < head.speed { 0 } else { self.room_on(node, head.need, &head.free) };
        match (of_head, self.use_of_nodes) {
            (0, _) => u32::MAX,
            (_, NodeUse::Exclusive) => 0,
            (tasks, _) => {
                let free = &head.free[node * self.dimensions()..];
                let kept =
                    free.iter().zip(&head.need.amounts).map(|(free, need)| free - need * u64::from(tasks));
                need.times_in(kept)
            }
        }
    }

    /// Tasks come.
    pub(super) fn take(&self, free: &mut Free, on: &[NodeTasks], need: &Need) {
        self.change(free, on, need, |free, amount| *free -= amount);
    }
    /// Tasks that came go.
    pub(super) fn give_back(&self, free: &mut Free, on: &[NodeTasks], need: &Need) {
        self.change(free, on, need, |free, amount| *free += amount);
    }
    fn change(&self, free: &mut Free, on: &[NodeTasks], need: &Need, change: impl Fn(&mut u64, u64)) {
        let dimensions = self.dimensions();
        for part in on {
            let node = part.node.index();
            let free = free[node * dimensions..][..dimensions].iter_mut();
            for ((free, &need), &whole) in free.zip(&need.amounts).zip(&self.whole[self.class_of[node]]) {
                let of_tasks = need * u64::from(part.tasks);
                change(free, if self.use_of_nodes == NodeUse::Exclusive { whole } else { of_tasks });
            }
        }
    }
}

/// The head of the queue at its reservation.
#[derive(Debug)]
pub(super) struct Head<'a> {
    pub(super) need: &'a Need,
    pub(super) width: u32,
    /// It takes no slower nodes.
    pub(super) speed: Yield,
    /// What is free then, without it.
    pub(super) free: Free,
}
