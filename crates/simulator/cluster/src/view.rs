//! The view of schedulers: the state without true run times.

use crate::job_table::{ActiveJob, JobTable};
use crate::node_loads::NodeLoads;
use crate::platform::Platform;
use crate::unequal::UnequalState;
use crate::{JobHandle, JobState, Options, Placement};
use dfrsim_model::platform::Window;
use dfrsim_model::platform::classes::{Demand, NodeClasses};
use dfrsim_model::platform::devices::OnDevices;
use dfrsim_model::{
    CpuUse, JobId, JobTexts, NodeId, Origin, Seed, Share, SimSpan, SimTime, UserId, VirtualTime, Yield,
};

/// Read-only view of the cluster at one instant.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub(crate) now: SimTime,
    pub(crate) jobs: &'a JobTable,
    pub(crate) nodes: &'a NodeLoads,
    pub(crate) platform: Option<&'a Platform>,
    pub(crate) unequal: Option<&'a UnequalState>,
    pub(crate) options: &'a Options,
}

impl<'a> View<'a> {
    /// Returns the current time.
    #[must_use]
    pub fn now(self) -> SimTime {
        self.now
    }
    /// Returns the number of nodes.
    #[must_use]
    pub fn nodes(self) -> u32 {
        self.nodes.len()
    }
    /// Returns the view of one job.
    #[must_use]
    pub fn job(self, handle: JobHandle) -> JobView<'a> {
        JobView { active: self.jobs.get(handle), now: self.now }
    }
    /// Returns all jobs in the system (waiting, running or paused), in order of submission.
    #[must_use]
    pub fn jobs(self) -> &'a [JobHandle] {
        self.jobs.in_system()
    }
    /// Returns the number of handles issued so far: the length of a vector with one entry per
    /// handle.
    #[must_use]
    pub fn handles(self) -> usize {
        self.jobs.handles()
    }
    /// Returns the rescheduling penalty: time without progress after a job resumes or one of its
    /// tasks changes node.
    #[must_use]
    pub fn penalty(self) -> SimSpan {
        self.options.penalty
    }
    /// Returns the seed for randomised policies; equal in each run of the simulation.
    #[must_use]
    pub fn seed(self) -> Seed {
        self.options.seed.fork("policy")
    }
    /// Returns the texts that describe the jobs in the workload, if there are any.
    #[must_use]
    pub fn texts(self) -> Option<&'a JobTexts> {
        self.options.texts.as_deref()
    }
    /// Returns whether jobs may have different weights in fractional shares.
    #[must_use]
    pub fn has_weights(self) -> bool {
        self.options.weights.is_some()
    }
    /// Returns the node classes; `None` if all nodes are equal.
    #[must_use]
    pub fn classes(self) -> Option<&'a NodeClasses> {
        self.unequal.map(UnequalState::classes)
    }
    /// Returns the class of a node; 0 if all nodes are equal.
    #[must_use]
    #[inline]
    pub fn class_of(self, node: u32) -> usize {
        self.classes().map_or(0, |classes| classes.class_of(node))
    }
    /// Returns whether nodes of this cluster fall asleep.
    #[must_use]
    #[inline]
    pub fn can_sleep(self) -> bool {
        self.unequal.is_some_and(|unequal| unequal.sleep.is_some())
    }
    /// Returns whether a node is awake, so that a job which starts there progresses at once.
    #[must_use]
    pub fn is_awake(self, node: u32) -> bool {
        let states = self.unequal.and_then(|unequal| unequal.sleep.as_ref());
        states.is_none_or(|states| states.is_awake(node as usize, self.now))
    }
    /// Returns a job's requirements beyond CPU and memory; `None` if all nodes are equal.
    #[must_use]
    pub fn demand(self, job: JobHandle) -> Option<&'a Demand> {
        self.unequal.map(|unequal| unequal.demand(job))
    }
    /// Returns the devices of each node that a running job holds; empty if it requests none.
    #[must_use]
    pub fn devices(self, job: JobHandle) -> &'a [(u32, OnDevices)] {
        self.unequal.map_or(&[], |unequal| unequal.devices(job))
    }
    /// Returns whether a task of the job fits an empty node of the class, at full speed.
    #[must_use]
    pub fn fits(self, job: JobHandle, class: usize) -> bool {
        self.unequal.is_none_or(|unequal| {
            let job_view = self.job(job);
            unequal.classes().fits_task(class, job_view.cpu_need(), job_view.memory(), unequal.demand(job))
        })
    }
    /// Returns whether nodes may go down in this simulation.
    #[must_use]
    pub fn has_outages(self) -> bool {
        self.platform.is_some()
    }
    /// Returns whether a node takes jobs: it is neither down nor drained.
    #[must_use]
    #[inline]
    pub fn is_up(self, node: NodeId) -> bool {
        self.platform.is_none_or(|platform| platform.takes_jobs(node.0 as usize))
    }
    /// Returns whether a node is drained and not down, so that jobs which began earlier may still run
    /// there.
    #[must_use]
    #[inline]
    pub fn is_drained(self, node: NodeId) -> bool {
        self.platform.is_some_and(|platform| platform.is_drained(node.0))
    }
    /// Returns the announced windows that are not over, including those in force, in order of
    /// announcement.
    #[must_use]
    pub fn windows(self) -> &'a [Window] {
        self.platform.map_or(&[], |platform| &platform.windows)
    }
    /// Counts the times at which the platform has changed: a node went down or came up, was drained or
    /// takes jobs again, or a window was announced, began or ended.
    #[must_use]
    #[inline]
    pub fn platform_changes(self) -> u64 {
        self.platform.map_or(0, |platform| platform.version)
    }
    /// Returns the free memory of a node; at most that of a whole reference node.
    #[must_use]
    pub fn free_memory(self, node: NodeId) -> Share {
        let one = u64::from(Share::ONE.units());
        let capacity = self.classes().map_or(one, |classes| classes.of(node.0).memory);
        let free = (capacity - self.nodes.memory_in_use(node)).min(one);
        Share::try_from_units(free as u32).expect("it is at most a node's")
    }
    /// Returns the CPU of a node that is in use.
    #[must_use]
    pub fn cpu_in_use(self, node: NodeId) -> CpuUse {
        self.nodes.cpu_in_use(node)
    }
}

/// View of one job, without its true run time.
#[derive(Clone, Copy, Debug)]
pub struct JobView<'a> {
    active: &'a ActiveJob,
    now: SimTime,
}

impl<'a> JobView<'a> {
    /// Returns the job's number in the log.
    #[must_use]
    pub fn id(self) -> JobId {
        self.active.job.id
    }
    /// Returns the user, if known.
    #[must_use]
    pub fn user(self) -> Option<UserId> {
        self.active.job.user
    }
    /// Returns the group, queue and partition of the job, as far as they are known.
    #[must_use]
    pub fn origin(self) -> Origin {
        self.active.job.origin
    }
    /// Returns the weight in fractional shares, at least 1; 1 if all jobs weigh the same.
    #[must_use]
    pub fn weight(self) -> u32 {
        self.active.weight
    }
    /// Returns the sequence number in the order of submission, from 0. It breaks all ties.
    #[must_use]
    pub fn sequence(self) -> u64 {
        self.active.sequence
    }
    /// Returns the submit time.
    #[must_use]
    pub fn submit(self) -> SimTime {
        self.active.job.submit
    }
    /// Returns the time of the first start; `None` if it has not started.
    #[must_use]
    pub fn first_start(self) -> Option<SimTime> {
        self.active.first_start
    }
    /// Returns the time since submission.
    #[must_use]
    pub fn flow_time(self) -> SimSpan {
        self.now.since(self.active.job.submit)
    }
    /// Returns the number of tasks.
    #[must_use]
    pub fn tasks(self) -> u32 {
        self.active.job.tasks
    }
    /// Returns the CPU need of one task as far as it is known: as given, or as discovered since.
    #[must_use]
    pub fn cpu_need(self) -> Share {
        self.active.believed_need
    }
    /// Returns the memory of one task.
    #[must_use]
    pub fn memory(self) -> Share {
        self.active.job.memory
    }
    /// Returns the time that the user requested, if known.
    #[must_use]
    pub fn requested_time(self) -> Option<SimSpan> {
        self.active.job.requested_time
    }
    /// Returns the estimate of the run time, including the checkpoints that the job writes; `None`
    /// if it has no estimate.
    #[must_use]
    pub fn estimate(self) -> Option<SimSpan> {
        self.active.estimate
    }
    /// Returns the estimated time from the next start to the end; `None` without an estimate. It
    /// includes checkpoints, the restart or the penalty of resuming, and excludes the work kept
    /// after an interruption or a pause.
    #[must_use]
    pub fn remaining_estimate(self) -> Option<SimSpan> {
        self.active.remaining
    }
    /// Returns the expected end if the estimate is right and yield and nodes stay; `None` without an
    /// estimate or at yield 0. In the past if the job has exceeded its estimate.
    #[must_use]
    pub fn expected_end(self) -> Option<SimTime> {
        self.active.expected_end()
    }
    /// Returns the state of the job.
    #[must_use]
    pub fn state(self) -> JobState {
        self.active.state
    }
    /// Returns the current placement, in ascending order of nodes; for a job that has just
    /// completed, the last one; otherwise empty.
    #[must_use]
    pub fn placement(self) -> Placement<'a> {
        self.active.placement()
    }
    /// Returns the yield; zero unless the job runs.
    #[must_use]
    pub fn current_yield(self) -> Yield {
        self.active.job_yield
    }
    /// Returns the speed level; 0, full speed, unless the job runs below.
    #[must_use]
    pub fn level(self) -> u8 {
        self.active.level
    }
    /// Returns whether the job ended because it reached its estimate, with work left.
    #[must_use]
    pub fn was_cut_off(self) -> bool {
        self.active.state == JobState::Completed && self.active.killed
    }
    /// Returns the time from now on in which a running job makes no progress: what is left of the
    /// penalty for its last resumption or migration, or of reading a checkpoint. Zero if the job does
    /// not run.
    ///
    /// A job at a yield `y` thus reaches a virtual time `v` after this time and
    /// `(v - virtual_time) / y`.
    #[must_use]
    pub fn penalty_left(self) -> SimSpan {
        self.active.penalty_left(self.now)
    }
    /// Returns the virtual time: the work done so far.
    #[must_use]
    pub fn virtual_time(self) -> VirtualTime {
        self.active.virtual_time(self.now)
    }
}
