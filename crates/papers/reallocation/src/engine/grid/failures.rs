//! Clusters that fail, and the jobs that they leave.

use super::{Event, Grid, Phase, State};
use crate::engine::cluster::Cluster;
use dfrsim_model::grid_event::Record;
use dfrsim_model::{SimSpan, SimTime};
use std::collections::BTreeSet;

impl Grid<'_> {
    /// Waits for the next failure or repair of each cluster.
    pub(crate) fn schedule_changes(&mut self) {
        (0..self.clusters.len()).for_each(|at| self.schedule_change(at));
    }
    fn schedule_change(&mut self, at: usize) {
        if let Some(time) = self.clusters[at].next_change() {
            self.schedule(time, &Event::Change(at));
        }
    }
    /// Whether jobs are left that may be lost, or for which there may be another cluster.
    pub(crate) fn may_change(&self) -> bool {
        let changes = |cluster: &Cluster<'_>| cluster.next_change().is_some() || cluster.may_interrupt();
        self.unfinished > 0 && self.clusters.iter().any(changes)
    }
    /// A cluster fails or works again, in turn.
    pub(super) fn change(&mut self, at: usize) {
        let at_us = self.now.micros();
        let cluster = at as u32;
        if self.clusters[at].is_up {
            self.observer.record(Record::Fail { at_us, cluster });
            // Its scheduler must know which jobs lose nodes of theirs in this moment.
            if self.clusters[at].may_interrupt() {
                self.pass(at);
            }
            let is_here = |state: &State| match state.phase {
                Phase::Outside => false,
                Phase::Waiting(set) => set & 1 << at != 0,
                Phase::Started(on) => on == at && state.outcome.end == SimTime::MAX,
            };
            let here: Vec<usize> = (0..self.next).filter(|&job| is_here(&self.states[job])).collect();
            let failed = self.clusters[at].fail(self.now);
            self.check(at, failed);
            self.unsettled |= 1 << at;
            for job in here {
                if let Phase::Started(_) = self.states[job].phase {
                    self.lose(job, cluster);
                } else {
                    self.cancelled(job, at, None);
                }
                self.take_back(job, at);
            }
        } else {
            self.observer.record(Record::Repair { at_us, cluster });
            self.clusters[at].repair();
        }
        self.schedule_change(at);
    }
    fn lose(&mut self, job: usize, cluster: u32) {
        let state = &mut self.states[job];
        state.phase = Phase::Outside;
        if std::mem::take(&mut state.runs) {
            let ran = self.now.since(state.outcome.start);
            self.count_loss(job, ran);
        }
        self.observer.record(Record::Lose { at_us: self.now.micros(), job: job as u64, cluster });
    }
    /// A run of a job was lost, or what it had done in this time.
    pub(super) fn count_loss(&mut self, job: usize, lost: SimSpan) {
        self.states[job].outcome.losses += 1;
        self.outcome.losses += 1;
        self.outcome.lost_work += u128::from(self.jobs[job].width) * u128::from(lost.micros());
    }
    /// The meta-scheduler maps a job again that is on no cluster any more.
    fn take_back(&mut self, job: usize, from: usize) {
        let state = &mut self.states[job];
        if state.phase == Phase::Outside {
            (state.data, state.failed_on) = (None, Some(from as u32));
            self.held.insert(job);
        }
    }
    /// A cluster lost a running job.
    pub(super) fn lost(&mut self, job: usize, at: usize) {
        let (demand, start) = (self.demand(job, at), self.states[job].outcome.start);
        self.clusters[at].ended(demand, start);
        self.clusters[at].note_gone(self.now, job);
        self.lose(job, at as u32);
        self.take_back(job, at);
        self.schedule(self.now, &Event::Returned);
    }
    /// A cluster turned a job away whose walltime is longer there than it may be.
    pub(super) fn rejected(&mut self, job: usize, at: usize) {
        let demand = self.demand(job, at);
        self.clusters[at].forget(demand);
        self.cancelled(job, at, None);
        self.take_back(job, at);
        self.schedule(self.now, &Event::Returned);
    }
    /// The meta-scheduler holds a job for which there is no cluster now.
    pub(crate) fn hold(&mut self, job: usize) {
        self.held.insert(job);
    }
    /// The jobs that were held, which are not any more, in their order.
    pub(crate) fn release_held(&mut self) -> BTreeSet<usize> {
        std::mem::take(&mut self.held)
    }
    /// The cluster that failed with a job, if it was not submitted since.
    pub(crate) fn take_failed_on(&mut self, job: usize) -> Option<usize> {
        self.states[job].failed_on.take().map(|at| at as usize)
    }
}
