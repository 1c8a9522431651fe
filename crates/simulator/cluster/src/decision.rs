//! Decisions of a scheduler.

use crate::{JobHandle, NodeRange, Placement};
use dfrsim_model::platform::devices::OnDevices;
use dfrsim_model::{Job, SimTime, Yield};
use std::ops::Range;

/// Net change that a scheduler makes at one instant. Each job may be named at most once.
#[derive(Debug, Default)]
pub struct Decision {
    pub(crate) changes: Vec<Change>,
    ranges: Vec<NodeRange>,
    devices: Vec<(u32, OnDevices)>,
    pub(crate) wake_up: Option<SimTime>,
    pub(crate) submissions: Vec<Job>,
    pub(crate) failure: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) job: JobHandle,
    pub(crate) action: Action,
    /// Range in `ranges` of the new placement; empty for actions that place no task.
    placement: Range<u32>,
    /// Range in `devices` of the devices that it names; empty if the rule of the platform chooses
    /// them.
    devices: Range<u32>,
    pub(crate) job_yield: Yield,
    /// Speed level; `None` for full speed at a start or resumption, and otherwise for the current one.
    level: Option<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Start,
    Pause,
    Resume,
    Migrate,
    SetYield,
    Reject,
    Kill,
    Requeue,
    Lose,
}

impl Decision {
    /// Starts a waiting job with all of its tasks on the given nodes (or ranges of nodes), which
    /// must be in ascending order.
    pub fn start(
        &mut self,
        job: JobHandle,
        placement: impl IntoIterator<Item = impl Into<NodeRange>>,
        job_yield: Yield,
    ) {
        self.push_placed(Action::Start, job, placement, job_yield);
    }
    /// Resumes a paused job on the given nodes, which must be in ascending order.
    pub fn resume(
        &mut self,
        job: JobHandle,
        placement: impl IntoIterator<Item = impl Into<NodeRange>>,
        job_yield: Yield,
    ) {
        self.push_placed(Action::Resume, job, placement, job_yield);
    }
    /// Migrates a running job to the given nodes, which must be in ascending order; tasks whose node
    /// stays the same are not moved.
    pub fn migrate(
        &mut self,
        job: JobHandle,
        placement: impl IntoIterator<Item = impl Into<NodeRange>>,
        job_yield: Yield,
    ) {
        self.push_placed(Action::Migrate, job, placement, job_yield);
    }
    /// Sets the devices of the tasks of the last change, for each of its nodes. Without names the
    /// [rule of the platform](dfrsim_model::platform::devices) chooses them.
    pub fn on_devices(&mut self, devices: impl IntoIterator<Item = (u32, OnDevices)>) {
        let begin = self.devices.len();
        self.devices.extend(devices);
        if let Some(change) = self.changes.last_mut() {
            change.devices = begin as u32..self.devices.len() as u32;
        }
    }
    /// Sets the speed level of the last change, which starts, resumes or migrates a job or sets its yield:
    /// 0 is full speed. Without it, a job starts or resumes at full speed, and otherwise keeps its level.
    pub fn at_level(&mut self, level: u8) {
        if let Some(change) = self.changes.last_mut() {
            change.level = Some(level);
        }
    }
    /// Sets the yield of a running job.
    pub fn set_yield(&mut self, job: JobHandle, job_yield: Yield) {
        self.push_unplaced(Action::SetYield, job, job_yield);
    }
    /// Pauses a running job: it releases its nodes and keeps its virtual time.
    pub fn pause(&mut self, job: JobHandle) {
        self.push_unplaced(Action::Pause, job, Yield::ZERO);
    }
    /// Rejects a waiting job; it leaves the system.
    pub fn reject(&mut self, job: JobHandle) {
        self.push_unplaced(Action::Reject, job, Yield::ZERO);
    }
    /// Kills a running job, even if it has work left; it leaves the system.
    pub fn kill(&mut self, job: JobHandle) {
        self.push_unplaced(Action::Kill, job, Yield::ZERO);
    }
    /// Requeues a running job: it releases its nodes and waits again. It keeps the work of its last
    /// checkpoint if jobs write checkpoints ([`Options::outages`](crate::Options::outages)), and
    /// restarts from zero otherwise.
    pub fn requeue(&mut self, job: JobHandle) {
        self.push_unplaced(Action::Requeue, job, Yield::ZERO);
    }
    /// Removes a running job from the system as lost, with all of its work.
    pub fn lose(&mut self, job: JobHandle) {
        self.push_unplaced(Action::Lose, job, Yield::ZERO);
    }
    /// Submits one more job. It arrives at its own submit time, which must be later than now.
    pub fn submit(&mut self, job: Job) {
        self.submissions.push(job);
    }
    /// Ends the simulation with an error: the policy cannot decide, for this reason. The rest of the
    /// decision is ignored. Meant for policies that depend on something outside of the program.
    pub fn fail(&mut self, reason: impl Into<String>) {
        self.failure = Some(reason.into());
    }
    /// Asks to be called at a later time even if no event occurs then.
    pub fn wake_at(&mut self, time: SimTime) {
        self.wake_up = Some(time);
    }

    /// Returns the waiting jobs that this decision starts, in the order in which they were named.
    pub fn starts(&self) -> impl Iterator<Item = JobHandle> {
        self.changes.iter().filter(|change| change.action == Action::Start).map(|change| change.job)
    }

    fn push_placed(
        &mut self,
        action: Action,
        job: JobHandle,
        placement: impl IntoIterator<Item = impl Into<NodeRange>>,
        job_yield: Yield,
    ) {
        let begin = self.ranges.len();
        for range in placement.into_iter().map(Into::into) {
            // A range of another job must not be extended, hence the slice from `begin`.
            match self.ranges[begin..].last_mut() {
                Some(last) if last.is_continued_by(range) => last.nodes += range.nodes,
                _ => self.ranges.push(range),
            }
        }
        self.changes.push(Change {
            job,
            action,
            placement: begin as u32..self.ranges.len() as u32,
            devices: 0..0,
            job_yield,
            level: None,
        });
    }
    /// Records a change that places no task.
    fn push_unplaced(&mut self, verb: Action, job: JobHandle, job_yield: Yield) {
        let (placement, devices) = (0..0, 0..0);
        self.changes.push(Change { job, action: verb, placement, devices, job_yield, level: None });
    }
    pub(crate) fn placement(&self, change: &Change) -> Placement<'_> {
        Placement::new(&self.ranges[indices(&change.placement)])
    }
    pub(crate) fn devices(&self, change: &Change) -> &[(u32, OnDevices)] {
        &self.devices[indices(&change.devices)]
    }
    pub(crate) fn clear(&mut self) {
        self.devices.clear();
        self.changes.clear();
        self.ranges.clear();
        self.wake_up = None;
        self.submissions.clear();
    }
}

impl Change {
    /// Returns the speed level of a job after the change, given that before it.
    pub(crate) fn level_after(&self, before: u8) -> u8 {
        match self.action {
            Action::Start | Action::Resume => self.level.unwrap_or(0),
            Action::Migrate | Action::SetYield => self.level.unwrap_or(before),
            Action::Pause | Action::Reject | Action::Kill | Action::Requeue | Action::Lose => 0,
        }
    }
}

/// Converts a range of a [`Change`], which is kept small since each job has one, to indices.
fn indices(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}
