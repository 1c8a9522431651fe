//! Records about a single cluster.

use super::Auditor;
use dfrsim_audit::records::RecordHead;
use dfrsim_model::event::Record;

impl Auditor {
    /// Passes a record of a cluster to the auditor of the cluster.
    pub(super) fn local_record(&mut self, at: u32, record: &Record<'_>) {
        if !self.check_cluster(None, at) {
            return;
        }
        if let Some(head) = RecordHead::of(record) {
            self.advance(head.at);
        }
        let cluster = &mut self.clusters[at as usize];
        match *record {
            // Settings precede all events, as in the file of a single cluster.
            Record::Platform { .. }
            | Record::Classes { .. }
            | Record::Begin { .. }
            | Record::Series { .. }
            | Record::Energy { .. }
            | Record::Figures { .. }
            | Record::Priority { .. } => {
                cluster.stop_plan_checks();
                if let Record::Classes { common, .. } = record {
                    cluster.has_common = !common.is_empty();
                }
                return cluster.local.record(record);
            }
            Record::Interrupt { job, .. } | Record::Pause { job, .. } => self.set_requeued(at, job, true),
            Record::Resume { job, .. } => self.set_requeued(at, job, false),
            Record::Lose { job, .. } => cluster.lost = cluster.job(job),
            _ => {}
        }
        let cluster = &mut self.clusters[at as usize];
        cluster.touched = true;
        cluster.local.record_at(self.line, record);
    }

    /// Announces that a job joins or leaves the queue of a cluster next; `decided` is set if the
    /// cluster has decided since the last one.
    pub(super) fn begin_pass(&mut self, at: u32, decided: bool) {
        let now = self.now;
        if let Some(cluster) = self.clusters.get_mut(at as usize) {
            cluster.local.begin_pass(now, decided);
        }
    }

    fn set_requeued(&mut self, at: u32, place: u64, waits_again: bool) {
        let number = self.clusters[at as usize].job(place);
        let job = number.and_then(|number| self.jobs.get_mut(&number));
        let started = job.and_then(|job| job.started.as_mut()).filter(|started| started.cluster == at);
        started.into_iter().for_each(|started| started.is_requeued = waits_again);
    }
}
