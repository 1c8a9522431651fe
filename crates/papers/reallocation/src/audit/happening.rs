//! What is said of a cluster alone.

use super::Auditor;
use dfrsim_audit::records::Head;
use dfrsim_model::event::Record;

impl Auditor {
    /// A record of a cluster, whose own auditor judges it.
    pub(super) fn happens(&mut self, at: u32, record: &Record<'_>) {
        if !self.knows(None, at) {
            return;
        }
        if let Some(head) = Head::of(record) {
            self.advance(head.at);
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
        cluster.local.record_at(self.line, record);
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
        let job = number.and_then(|number| self.jobs.get_mut(&number));
        let started = job.and_then(|job| job.started.as_mut()).filter(|started| started.cluster == at);
        started.into_iter().for_each(|started| started.waits_again = waits_again);
    }
}
