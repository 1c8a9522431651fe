//! Failures of clusters, and the jobs that return to the meta-scheduler.

use super::{Event, Grid, Phase, State};
use crate::engine::cluster::Cluster;
use dfrsim_model::grid_event::Record;
use dfrsim_model::{SimSpan, SimTime};
use std::collections::BTreeSet;

impl Grid<'_> {
    /// Schedules the next failure or repair of each cluster.
    pub(crate) fn schedule_changes(&mut self) {
        (0..self.clusters.len()).for_each(|at| self.schedule_change(at));
    }
    fn schedule_change(&mut self, at: usize) {
        if let Some(time) = self.clusters[at].next_change() {
            self.schedule(time, &Event::Change(at));
        }
    }
    /// Returns whether unfinished jobs may still be lost, or get another cluster after a repair.
    pub(crate) fn may_change(&self) -> bool {
        let changes = |cluster: &Cluster<'_>| cluster.next_change().is_some() || cluster.may_interrupt();
        self.unfinished > 0 && self.clusters.iter().any(changes)
    }
    /// Applies the failure or repair of a cluster.
    pub(super) fn change(&mut self, at: usize) {
        let at_us = self.now.micros();
        let cluster = at as u32;
        if self.clusters[at].is_up {
            self.observer.record(Record::Fail { at_us, cluster });
            // The local scheduler must first handle the jobs that lose nodes at the same time.
            if self.clusters[at].may_interrupt() {
                self.run_cycle(at);
            }
            let is_here = |state: &State| match state.phase {
                Phase::Outside => false,
                Phase::Waiting(set) => set & 1 << at != 0,
                Phase::Started(on) => on == at && state.outcome.end == SimTime::MAX,
            };
            let here: Vec<usize> = (0..self.next).filter(|&job| is_here(&self.states[job])).collect();
            let failed = self.clusters[at].fail(self.now);
            self.check(at, failed);
            self.cycle_pending |= 1 << at;
            for job in here {
                if let Phase::Started(_) = self.states[job].phase {
                    self.record_loss(job, cluster);
                } else {
                    self.cancelled(job, at, None);
                }
                self.return_job(job, at);
            }
        } else {
            self.observer.record(Record::Repair { at_us, cluster });
            self.clusters[at].repair();
        }
        self.schedule_change(at);
    }
    fn record_loss(&mut self, job: usize, cluster: u32) {
        let state = &mut self.states[job];
        state.phase = Phase::Outside;
        if std::mem::take(&mut state.is_running) {
            let ran = self.now.since(state.outcome.start);
            self.count_loss(job, ran);
        }
        self.observer.record(Record::Lose { at_us: self.now.micros(), job: job as u64, cluster });
    }
    /// Counts a loss: a run of the job, or this much of its work.
    pub(super) fn count_loss(&mut self, job: usize, lost: SimSpan) {
        self.states[job].outcome.losses += 1;
        self.outcome.losses += 1;
        self.outcome.lost_work += u128::from(self.jobs[job].width) * u128::from(lost.micros());
    }
    /// Returns a job that is on no cluster any more to the meta-scheduler, which maps it again.
    fn return_job(&mut self, job: usize, from: usize) {
        let state = &mut self.states[job];
        if state.phase == Phase::Outside {
            (state.data, state.failed_on) = (None, Some(from as u32));
            self.unassigned.insert(job);
        }
    }
    /// Handles a running job that its cluster has lost.
    pub(super) fn handle_loss(&mut self, job: usize, at: usize) {
        let (demand, start) = (self.demand(job, at), self.states[job].outcome.start);
        self.clusters[at].ended(demand, start);
        self.clusters[at].note_gone(self.now, job);
        self.record_loss(job, at as u32);
        self.return_job(job, at);
        self.schedule(self.now, &Event::Returned);
    }
    /// Handles a job that the cluster has rejected, because its walltime there exceeds the limit.
    pub(super) fn handle_rejection(&mut self, job: usize, at: usize) {
        let demand = self.demand(job, at);
        self.clusters[at].remove_waiting(demand);
        self.cancelled(job, at, None);
        self.return_job(job, at);
        self.schedule(self.now, &Event::Returned);
    }
    /// Keeps a job for which no cluster is available now.
    pub(crate) fn keep_unassigned(&mut self, job: usize) {
        self.unassigned.insert(job);
    }
    /// Takes the jobs that were unassigned, in their order.
    pub(crate) fn take_unassigned(&mut self) -> BTreeSet<usize> {
        std::mem::take(&mut self.unassigned)
    }
    /// Takes the cluster that last lost the job, if the job was not submitted since.
    pub(crate) fn take_failed_on(&mut self, job: usize) -> Option<usize> {
        self.states[job].failed_on.take().map(|at| at as usize)
    }
}
