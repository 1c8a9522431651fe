//! Failures of clusters, and publications of states.

use super::Auditor;
use super::cluster::Cluster;
use super::job::{Departure, Job};
use super::rule::{not_running, publication};

impl Auditor {
    pub(super) fn fail(&mut self, at: u32) {
        if self.check_state_change(at, true) {
            let now = self.now;
            self.clusters[at as usize].fail(now);
        }
    }
    pub(super) fn repair(&mut self, at: u32) {
        if self.check_state_change(at, false) {
            self.clusters[at as usize].failed = false;
            self.unsettled.append(&mut self.unplaced);
        }
    }
    /// Checks that the cluster exists and changes its state.
    fn check_state_change(&mut self, at: u32, failed: bool) -> bool {
        let known = self.check_cluster(None, at);
        if known && self.clusters[at as usize].failed == failed {
            let state = if failed { "has already failed" } else { "is already working" };
            self.fault(None, format!("cluster {at} {state}"));
        }
        known
    }

    pub(super) fn lose(&mut self, number: u64, at: u32) {
        let job = self.jobs.get_mut(&number).expect("it is there");
        let Some(started) = job.started.take_if(|started| started.cluster == at) else {
            return self.fault(Some(number), not_running(at));
        };
        job.left = Some(Departure { cluster: at, at: self.now, expected: None, is_forced: true });
        job.data = None;
        let cluster = &mut self.clusters[at as usize];
        cluster.running.remove(number);
        cluster.touched = true;
        cluster.local.withdraw(self.line, self.now, started.place);
        let failed = cluster.failed || cluster.lost.take() == Some(number);
        self.unsettled.push(number);
        if !failed {
            self.fault(Some(number), format!("it is lost, although cluster {at} works"));
        }
    }

    /// Returns whether the job fits on one of the clusters that satisfy a condition and on which it
    /// may wait. On a cluster with licences or a power cap of its own that depends on requests that no
    /// record has for a job that it does not get; such a cluster does not count.
    pub(super) fn fits_on_one(&self, job: &Job, is_meant: impl Fn(&Cluster) -> bool) -> bool {
        self.clusters.iter().zip(0..).any(|(cluster, at)| {
            let is_known = !cluster.has_common && is_meant(cluster);
            is_known && job.width <= cluster.cores && job.home.is_none_or(|home| home == at)
        })
    }

    pub(super) fn publish(&mut self) {
        let due = self.publication;
        if due != Some(self.now) {
            return self.fault(None, publication(due));
        }
        self.publication = self.period.map(|period| self.now.saturating_add(period));
        let now = self.now;
        self.clusters.iter_mut().for_each(|cluster| cluster.publish(now));
    }
}
