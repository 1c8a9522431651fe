//! The view of schedulers: the state without run times.

use crate::job_table::{ActiveJob, JobTable};
use crate::node_loads::NodeLoads;
use crate::platform::Platform;
use crate::unequal::Unequal;
use crate::{JobHandle, JobState, Options, Placement};
use dfrsim_model::platform::Window;
use dfrsim_model::platform::classes::{Demand, NodeClasses};
use dfrsim_model::{
    CpuUse, JobId, JobTexts, NodeId, Origin, Seed, Share, SimSpan, SimTime, UserId, VirtualTime, Yield,
};

/// A read-only view of the cluster at one moment.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub(crate) now: SimTime,
    pub(crate) jobs: &'a JobTable,
    pub(crate) nodes: &'a NodeLoads,
    pub(crate) platform: Option<&'a Platform>,
    pub(crate) unequal: Option<&'a Unequal>,
    pub(crate) options: &'a Options,
}

impl<'a> View<'a> {
    /// The moment.
    #[must_use]
    pub fn now(self) -> SimTime {
        self.now
    }
    /// How many nodes there are.
    #[must_use]
    pub fn nodes(self) -> u32 {
        self.nodes.len()
    }
    /// One job, as schedulers may see it.
    #[must_use]
    pub fn job(self, handle: JobHandle) -> JobView<'a> {
        JobView { active: self.jobs.get(handle), now: self.now }
    }
    /// All jobs in the system (waiting, running or paused), by order of submission.
    #[must_use]
    pub fn jobs(self) -> &'a [JobHandle] {
        self.jobs.in_system()
    }
    /// One more than the largest handle given so far: the length of a vector with one entry a handle.
    #[must_use]
    pub fn handles(self) -> usize {
        self.jobs.handles()
    }
    /// How long a job makes no progress after it resumes or a task of it changes node.
    #[must_use]
    pub fn penalty(self) -> SimSpan {
        self.options.penalty
    }
    /// A seed for policies that draw, the same in each run of the simulation.
    #[must_use]
    pub fn seed(self) -> Seed {
        self.options.seed.fork("policy")
    }
    /// What the workload says of jobs in texts.
    #[must_use]
    pub fn texts(self) -> Option<&'a JobTexts> {
        self.options.texts.as_deref()
    }
    /// Whether some jobs may count more than others in fractional shares.
    #[must_use]
    pub fn has_weights(self) -> bool {
        self.options.weights.is_some()
    }
    /// The classes of nodes; `None` if all nodes are equal.
    #[must_use]
    pub fn classes(self) -> Option<&'a NodeClasses> {
        self.unequal.map(Unequal::classes)
    }
    /// The class of a node; 0 if all nodes are equal.
    #[must_use]
    pub fn class_of(self, node: u32) -> usize {
        self.classes().map_or(0, |classes| classes.class_of(node))
    }
    /// What a job asks for beside CPU and memory; `None` if all nodes are equal.
    #[must_use]
    pub fn demand(self, job: JobHandle) -> Option<&'a Demand> {
        self.unequal.map(|unequal| unequal.demand(job))
    }
    /// Whether an empty node of a class has room for a task of a job, at full speed.
    #[must_use]
    pub fn fits(self, job: JobHandle, class: usize) -> bool {
        self.unequal.is_none_or(|unequal| {
            let job_view = self.job(job);
            unequal.classes().fits_task(class, job_view.cpu_need(), job_view.memory(), unequal.demand(job))
        })
    }
    /// Whether nodes may go down in this simulation.
    #[must_use]
    pub fn has_outages(self) -> bool {
        self.platform.is_some()
    }
    /// Whether a node is up.
    #[must_use]
    pub fn is_up(self, node: NodeId) -> bool {
        self.platform.is_none_or(|platform| platform.is_up(node.0))
    }
    /// The windows that are announced and not over, those in force included, by announcement.
    #[must_use]
    pub fn windows(self) -> &'a [Window] {
        self.platform.map_or(&[], |platform| &platform.windows)
    }
    /// At how many moments the platform has changed: a node went down or came up, or a window was announced, began or ended.
    #[must_use]
    #[inline]
    pub fn platform_changes(self) -> u64 {
        self.platform.map_or(0, |platform| platform.version)
    }
    /// The memory of a node that no task occupies; at most that of a whole reference node.
    #[must_use]
    pub fn free_memory(self, node: NodeId) -> Share {
        let one = u64::from(Share::ONE.units());
        let capacity = self.classes().map_or(one, |classes| classes.of(node.0).memory);
        let free = (capacity - self.nodes.memory_in_use(node)).min(one);
        Share::try_from_units(free as u32).expect("it is at most a node's")
    }
    /// The CPU of a node that tasks use.
    #[must_use]
    pub fn cpu_in_use(self, node: NodeId) -> CpuUse {
        self.nodes.cpu_in_use(node)
    }
}

/// One job as schedulers may see it.
#[derive(Clone, Copy, Debug)]
pub struct JobView<'a> {
    active: &'a ActiveJob,
    now: SimTime,
}

impl<'a> JobView<'a> {
    /// Its number in the log.
    #[must_use]
    pub fn id(self) -> JobId {
        self.active.job.id
    }
    /// Whose it is, if known.
    #[must_use]
    pub fn user(self) -> Option<UserId> {
        self.active.job.user
    }
    /// The group, the queue and the partition that it comes from, as far as they are known.
    #[must_use]
    pub fn origin(self) -> Origin {
        self.active.job.origin
    }
    /// How much it counts in fractional shares, at least 1; 1 where all jobs count the same.
    #[must_use]
    pub fn weight(self) -> u32 {
        self.active.weight
    }
    /// Its place in the order of submission, from 0: breaks all ties.
    #[must_use]
    pub fn sequence(self) -> u64 {
        self.active.sequence
    }
    /// When it arrived.
    #[must_use]
    pub fn submit(self) -> SimTime {
        self.active.job.submit
    }
    /// How long ago it arrived.
    #[must_use]
    pub fn flow_time(self) -> SimSpan {
        self.now.since(self.active.job.submit)
    }
    /// How many tasks it has.
    #[must_use]
    pub fn tasks(self) -> u32 {
        self.active.job.tasks
    }
    /// The CPU need of one task, as far as it is known: as given, or as discovered since.
    #[must_use]
    pub fn cpu_need(self) -> Share {
        self.active.believed_need
    }
    /// The memory of one task.
    #[must_use]
    pub fn memory(self) -> Share {
        self.active.job.memory
    }
    /// How long its user said that it would run, if that is known.
    #[must_use]
    pub fn requested_time(self) -> Option<SimSpan> {
        self.active.job.requested_time
    }
    /// What is said of its run time, with the checkpoints that it writes, if anything.
    #[must_use]
    pub fn estimate(self) -> Option<SimSpan> {
        self.active.estimate
    }
    /// What is said of the time from its next start to its end, if anything: its run time and checkpoints, less what it has
    /// kept after an interruption or a pause, and the time that reading a checkpoint or going on takes.
    #[must_use]
    pub fn remaining_estimate(self) -> Option<SimSpan> {
        self.active.remaining
    }
    /// When it ends if its estimate is right and its yield and its nodes stay; `None` if it has no estimate or its yield is 0. In the past if
    /// it is past its estimate.
    #[must_use]
    pub fn expected_end(self) -> Option<SimTime> {
        self.active.expected_end()
    }
    /// Where it is in its life.
    #[must_use]
    pub fn state(self) -> JobState {
        self.active.state
    }
    /// Where its tasks are, with rising nodes; of a job that has just completed, where they were; otherwise
    /// empty.
    #[must_use]
    pub fn placement(self) -> Placement<'a> {
        self.active.placement()
    }
    /// Its yield; zero unless it runs.
    #[must_use]
    pub fn current_yield(self) -> Yield {
        self.active.job_yield
    }
    /// Whether it has completed because its estimate was over, not its work.
    #[must_use]
    pub fn was_cut_off(self) -> bool {
        self.active.state == JobState::Completed && self.active.killed
    }
    /// The work that it has done.
    #[must_use]
    pub fn virtual_time(self) -> VirtualTime {
        self.active.virtual_time(self.now)
    }
}
