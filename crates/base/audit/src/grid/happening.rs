//! What is said of a cluster alone.

use super::Auditor;
use dfrsim_model::event::Record;

impl Auditor {
    /// A record of a cluster, whose own auditor judges it.
    pub(super) fn happens(&mut self, at: u32, record: &Record<'_>) {
        if !self.knows(None, at) {
            return;
        }
        match *record {
            Record::Window { at_us, .. }
            | Record::Down { at_us, .. }
            | Record::Up { at_us, .. }
            | Record::Ask { at_us, .. }
            | Record::Interrupt { at_us, .. }
            | Record::Lose { at_us, .. }
            | Record::Reject { at_us, .. }
            | Record::Pause { at_us, .. }
            | Record::Resume { at_us, .. } => self.advance(at_us),
            _ => {}
        }
        let cluster = &mut self.clusters[at as usize];
        match *record {
            // They are before all that happens, as in a file of the cluster alone.
            Record::Platform { .. } | Record::Classes { .. } | Record::Priority { .. } => {
                cluster.has_conditions();
                return cluster.local.record(record);
            }
            Record::Interrupt { job, .. } | Record::Pause { job, .. } => self.set_back(at, job, true),
            Record::Resume { job, .. } => self.set_back(at, job, false),
            Record::Lose { job, .. } => cluster.lost = cluster.job(job),
            _ => {}
        }
        let cluster = &mut self.clusters[at as usize];
        cluster.touched = true;
        cluster.local.go_to_line(self.line);
        cluster.local.record(record);
    }

    /// A job joins or leaves the queue of a cluster next, which has decided since the one before, or not.
    pub(super) fn begin_pass(&mut self, at: u32, decided: bool) {
        let now = self.now;
        if let Some(cluster) = self.clusters.get_mut(at as usize) {
            cluster.local.begin_pass(now, decided);
        }
    }

    fn set_back(&mut self, at: u32, place: u64, waits_again: bool) {
        let number = self.clusters[at as usize].job(place);
        let job = number.and_then(|number| self.jobs.get_mut(number));
        let started = job.and_then(|job| job.started.as_mut()).filter(|started| started.cluster == at);
        started.into_iter().for_each(|started| started.waits_again = waits_again);
    }
}
