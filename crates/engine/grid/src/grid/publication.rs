//! States that are published.

use super::{Grid, Phase};
use crate::Observer;
use crate::demand::Demand;
use dfrsim_model::SimTime;
use dfrsim_model::grid_event::Record;

impl<O: Observer> Grid<'_, O> {
    /// All clusters publish their states.
    pub(crate) fn publish(&mut self) {
        self.observer.record(Record::Publish { at_us: self.now.micros() });
        let mut plan = Vec::new();
        for at in 0..self.clusters.len() {
            let running = self.running.iter().flatten().copied();
            let ends: Vec<(SimTime, u32)> = running
                .filter(|&job| self.states[job].phase == Phase::Started(at))
                .map(|job| {
                    let Demand { width, walltime, .. } = self.demand(job, at);
                    (self.states[job].start + walltime, width)
                })
                .collect();
            plan.clear();
            self.clusters[at].plan(self.now, &mut plan);
            let demands: Vec<Demand> = plan.iter().map(|(job, _)| self.demand(*job, at)).collect();
            let Some(book) = &mut self.clusters[at].book else { continue };
            book.clear(self.now, ends.into_iter());
            for ((job, expected), demand) in plan.iter().zip(demands) {
                book.enter(*job, expected.start, demand);
            }
        }
    }
}
