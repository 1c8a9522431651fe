//! Clusters that fail, and the jobs that they leave.

use super::{Event, Grid, Phase, State};
use crate::Observer;
use dfrsim_model::grid_event::Record;
use std::collections::BTreeSet;

impl<O: Observer> Grid<'_, O> {
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
        self.unfinished > 0 && self.clusters.iter().any(|cluster| cluster.next_change().is_some())
    }
    /// A cluster fails or works again, in turn.
    pub(super) fn change(&mut self, at: usize) {
        let at_us = self.now.micros();
        let cluster = at as u32;
        if self.clusters[at].is_up {
            self.observer.record(Record::Fail { at_us, cluster });
            let is_here = |state: &State| match state.phase {
                Phase::Outside => false,
                Phase::Waiting(set) => set & 1 << at != 0,
                Phase::Started(on) => on == at && state.end > self.now,
            };
            let here: Vec<usize> = (0..self.next).filter(|&job| is_here(&self.states[job])).collect();
            self.clusters[at].fail(self.now);
            for job in here {
                if let Phase::Started(_) = self.states[job].phase {
                    self.lose(job, cluster);
                } else {
                    self.cancelled(job, at, None);
                }
                let state = &mut self.states[job];
                if state.phase == Phase::Outside {
                    (state.data, state.failed_on) = (None, Some(cluster));
                    self.held.insert(job);
                }
            }
        } else {
            self.observer.record(Record::Repair { at_us, cluster });
            self.clusters[at].repair();
        }
        self.schedule_change(at);
    }
    fn lose(&mut self, job: usize, cluster: u32) {
        self.events.cancel(self.slot(&Event::Completion(job)));
        if let Some(running) = &mut self.running {
            running.remove(&job);
        }
        let state = &mut self.states[job];
        self.losses += 1;
        self.lost_work += u128::from(self.jobs[job].width) * u128::from(self.now.since(state.start).micros());
        state.losses += 1;
        state.phase = Phase::Outside;
        self.observer.record(Record::Lose { at_us: self.now.micros(), job: job as u64, cluster });
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
