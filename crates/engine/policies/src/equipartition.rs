//! EQUIPARTITION: every job the same share (dissertation, section 5.1.2).

use dfrsim_cluster::{Decision, JobHandle, JobState, JobView, Placement, Scheduler, Situation};
use dfrsim_model::{NodeId, NodeTasks, Share, Yield};

/// Gives all running jobs the same yield, the largest that the fullest node allows.
///
/// The dissertation studies it on one node; here it also places: task after task on the node with the smallest
/// sum of needs that has the memory (ties: the lowest node). A job whose tasks do not all fit waits; waiting jobs
/// are tried in order of submission at every moment, and one that would not even fit an empty cluster is rejected.
/// No job is paused or moved. An interrupted job waits again, at its place by submission; no window is planned around.
#[derive(Debug)]
pub struct Equipartition {
    nodes: Vec<NodeLoad>,
    waiting: Vec<JobHandle>,
    /// Tasks of the job being placed, by node; all zero in between.
    tasks_on: Vec<u32>,
    platform_changes: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct NodeLoad {
    /// The sum of the needs, in share units.
    need: u64,
    /// The memory occupied, in share units.
    memory: u64,
    /// Whether it is down.
    is_down: bool,
}

impl NodeLoad {
    fn add(&mut self, need: Share, memory: Share, tasks: u32) {
        self.need += u64::from(need.units()) * u64::from(tasks);
        self.memory += u64::from(memory.units()) * u64::from(tasks);
    }
    fn remove(&mut self, need: Share, memory: Share, tasks: u32) {
        self.need -= u64::from(need.units()) * u64::from(tasks);
        self.memory -= u64::from(memory.units()) * u64::from(tasks);
    }
}

impl Equipartition {
    /// For a cluster of this many nodes.
    #[must_use]
    pub fn new(nodes: u32) -> Equipartition {
        Equipartition {
            nodes: vec![NodeLoad::default(); nodes as usize],
            waiting: Vec::new(),
            tasks_on: vec![0; nodes as usize],
            platform_changes: 0,
        }
    }

    /// Places all tasks of a job, or none.
    fn place(&mut self, job: JobView<'_>) -> Option<Vec<NodeTasks>> {
        let (need, memory) = (job.cpu_need(), job.memory());
        let room = u64::from(Share::ONE.units() - memory.units());
        let mut placed = 0;
        while placed < job.tasks() {
            let fitting =
                self.nodes.iter().enumerate().filter(|(_, load)| load.memory <= room && !load.is_down);
            let Some((node, _)) = fitting.min_by_key(|(_, load)| load.need) else { break };
            self.nodes[node].add(need, memory, 1);
            self.tasks_on[node] += 1;
            placed += 1;
        }
        let mut placement = Vec::new();
        for (node, tasks) in self.tasks_on.iter_mut().enumerate().filter(|(_, tasks)| **tasks > 0) {
            placement.push(NodeTasks { node: NodeId(node as u32), tasks: std::mem::take(tasks) });
        }
        if placed == job.tasks() {
            return Some(placement);
        }
        self.take_away(job, placement);
        None
    }

    /// Whether the tasks would find memory on an empty cluster.
    fn fits_empty_cluster(&self, job: JobView<'_>) -> bool {
        let on_one_node = Share::ONE.units().checked_div(job.memory().units()).map_or(u64::MAX, u64::from);
        on_one_node.saturating_mul(self.nodes.len() as u64) >= u64::from(job.tasks())
    }

    fn take_away(&mut self, job: JobView<'_>, placement: impl IntoIterator<Item = NodeTasks>) {
        for part in placement {
            self.nodes[part.node.index()].remove(job.cpu_need(), job.memory(), part.tasks);
        }
    }
}

impl Scheduler for Equipartition {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        let view = situation.view;
        for &(job, before) in situation.discovered {
            let job = view.job(job);
            for part in job.placement() {
                let node = &mut self.nodes[part.node.index()];
                node.remove(before, job.memory(), part.tasks);
                node.add(job.cpu_need(), job.memory(), part.tasks);
            }
        }
        for &job in situation.completed {
            self.take_away(view.job(job), view.job(job).placement());
        }
        for interrupted in situation.interrupted {
            let job = view.job(interrupted.job);
            self.take_away(job, Placement::new(&interrupted.on));
            if job.state() == JobState::Waiting {
                let at = self.waiting.partition_point(|&other| view.job(other).sequence() < job.sequence());
                self.waiting.insert(at, interrupted.job);
            }
        }
        if self.platform_changes != view.platform_changes() {
            self.platform_changes = view.platform_changes();
            for (node, load) in (0..).map(NodeId).zip(&mut self.nodes) {
                load.is_down = !view.is_up(node);
            }
        }
        for &job in situation.submitted {
            if self.fits_empty_cluster(view.job(job)) {
                self.waiting.push(job);
            } else {
                decision.reject(job);
            }
        }
        let waiting = std::mem::take(&mut self.waiting);
        let mut starting = Vec::new();
        for job in waiting {
            match self.place(view.job(job)) {
                Some(placement) => starting.push((job, placement)),
                None => self.waiting.push(job),
            }
        }
        let fullest = self.nodes.iter().map(|load| load.need).max().unwrap_or(0);
        let whole = u64::from(Share::ONE.units());
        let share = Yield::from_ratio(whole, fullest.max(whole));
        for &job in view.jobs() {
            let running = !view.job(job).placement().is_empty();
            if running && view.job(job).current_yield() != share {
                decision.set_yield(job, share);
            }
        }
        for (job, placement) in starting {
            decision.start(job, placement, share);
        }
    }
}
