//! Jobs and usage of a site that continue from a memory.

use super::memory::{JobMemory, SiteMemory};
use super::state::{PrioritySystem, TrackedJob};
use dfrsim_cluster::JobHandle;
use dfrsim_model::{JobId, SimTime};
use std::sync::Arc;

impl PrioritySystem {
    /// Returns the memory at a time, up to which the set of running jobs must not have changed.
    pub(crate) fn memory(&self, at: SimTime) -> SiteMemory {
        // The period in progress counts what was used before this time.
        let accounts = self.accounts.as_ref();
        let job = |(index, job): (usize, &Option<TrackedJob>)| {
            let job = job.as_ref()?;
            let is_of = |handle: &JobHandle| handle.index() == index;
            let id = |handle: &JobHandle| Some(self.jobs[handle.index()].as_ref()?.membership.id);
            let memory = JobMemory {
                waiting_since: job.waiting_since,
                eligible_at: job.eligible_at,
                waits_for_victims_until: job.waits_for_victims_until,
                grace_end: self.grace_ends.iter().find(|(handle, _)| is_of(handle)).map(|(_, end)| *end),
                preempted_for: self.preempted_for.get(&job.sequence).and_then(id),
                uncharged_since: accounts.and_then(|accounts| accounts.uncharged_since(index)),
            };
            Some((job.membership.id, memory))
        };
        let jobs = self.jobs.iter().enumerate().filter_map(job).collect();
        SiteMemory { accounts: accounts.map(|accounts| accounts.without_running(at)), jobs }
    }

    /// Begins at a time with the usage of the settings.
    pub(crate) fn begin_at(&mut self, at: SimTime) {
        self.accounts.iter_mut().for_each(|accounts| accounts.begin_at(at));
    }

    /// Continues from a memory; the jobs of the past are added afterwards.
    pub(crate) fn recall(&mut self, memory: &Arc<SiteMemory>) {
        if let (Some(own), Some(accounts)) = (&mut self.accounts, &memory.accounts) {
            own.clone_from(accounts);
        }
        self.recalled = Some(Arc::clone(memory));
    }

    /// Continues the past of a job that was just added, if it has one.
    #[cold]
    pub(super) fn recall_job(&mut self, handle: JobHandle) {
        let Some(recalled) = self.recalled.clone() else { return };
        let Some(job) = self.jobs[handle.index()].as_mut() else { return };
        let (id, sequence) = (job.membership.id, job.sequence);
        let Some(memory) = recalled.jobs.get(&id) else { return };
        job.waiting_since = memory.waiting_since;
        job.eligible_at = memory.eligible_at;
        job.waits_for_victims_until = memory.waits_for_victims_until;
        let is_held_off = memory.eligible_at > self.now || memory.preempted_for.is_some();
        self.flags[handle.index()].can_be_blocked |= is_held_off;
        // The other job of a preemption may have been added before or after this one.
        if let Some(preemptor) = memory.preempted_for.and_then(|other| self.handle_of(other)) {
            self.preempted_for.insert(sequence, preemptor);
        }
        for (&victim, _) in recalled.jobs.iter().filter(|(_, it)| it.preempted_for == Some(id)) {
            let victim = self.handle_of(victim).and_then(|victim| self.jobs[victim.index()].as_ref());
            if let Some(sequence) = victim.map(|victim| victim.sequence) {
                self.preempted_for.insert(sequence, handle);
            }
        }
    }

    /// Continues the past of a running job that was just added.
    #[cold]
    pub(super) fn recall_run(&mut self, handle: JobHandle) {
        let (Some(recalled), Some(job)) = (self.recalled.clone(), &self.jobs[handle.index()]) else { return };
        let Some(memory) = recalled.jobs.get(&job.membership.id) else { return };
        if let (Some(accounts), Some(since)) = (&mut self.accounts, memory.uncharged_since) {
            accounts.charge_since(handle.index(), since);
        }
        if let Some(end) = memory.grace_end {
            self.grace_ends.insert(handle, end);
        }
    }

    /// Finds a job in the system by its number.
    fn handle_of(&self, id: JobId) -> Option<JobHandle> {
        let is_meant = |job: &Option<TrackedJob>| job.as_ref().is_some_and(|job| job.membership.id == id);
        let found = (0..).zip(&self.jobs).find(|(_, job)| is_meant(job));
        found.map(|(number, _)| JobHandle::new(number))
    }
}
