//! Figures of node outages: interruptions, lost work and availability.

use crate::{Occurrence, PlatformChange};
use dfrsim_model::platform::NodeSpan;
use dfrsim_model::{Share, SimSpan, SimTime, VirtualTime};
use schemars::JsonSchema;
use serde::Serialize;

/// Effects of outages so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Downtime {
    interruptions: u64,
    lost_jobs: u64,
    /// Lost work, in node-seconds.
    lost_work: f64,
    /// Number of nodes that are down.
    nodes_down: u64,
    updated_at: SimTime,
    /// Down time in node-microseconds, from the first submission to `updated_at` and to the last
    /// completion.
    down_time: u128,
    until_last_end: u128,
}

impl Downtime {
    /// Starts the measurement at the first submission.
    pub(crate) fn begin(&mut self, now: SimTime) {
        (self.updated_at, self.down_time) = (now, 0);
    }
    pub(crate) fn record_completion(&mut self, now: SimTime) {
        self.advance(now);
        self.until_last_end = self.down_time;
    }
    fn advance(&mut self, now: SimTime) {
        self.down_time += u128::from(self.nodes_down) * u128::from(now.since(self.updated_at).micros());
        self.updated_at = now;
    }
    fn record_interruption(&mut self, tasks: u32, need: Share, lost: VirtualTime) {
        self.interruptions += 1;
        self.lost_work += f64::from(tasks) * need.as_f64() * lost.as_secs_f64();
    }

    pub(crate) fn observe(&mut self, occurrence: Occurrence<'_>) {
        match occurrence {
            Occurrence::Interrupted(job, _, lost) => self.record_interruption(job.tasks, job.cpu_need, lost),
            Occurrence::Lost(record, lost) => {
                self.lost_jobs += 1;
                self.record_interruption(record.tasks, record.cpu_need, lost);
            }
            _ => {}
        }
    }
    pub(crate) fn observe_platform(&mut self, now: SimTime, change: PlatformChange<'_>) {
        self.advance(now);
        let count = |spans: &[NodeSpan]| spans.iter().map(|span| u64::from(span.nodes)).sum::<u64>();
        match change {
            PlatformChange::Announced(_) | PlatformChange::Drained(_) | PlatformChange::Undrained(_) => {}
            PlatformChange::Down(spans) => self.nodes_down += count(spans),
            PlatformChange::Up(spans) => self.nodes_down -= count(spans),
        }
    }

    /// Computes the figures for a cluster of `nodes` nodes on which `work` node-seconds were done.
    pub(crate) fn summary(&self, nodes: u32, makespan: SimSpan, work: f64) -> PlatformSummary {
        let all = u128::from(nodes) * u128::from(makespan.micros());
        let up = all - self.until_last_end.min(all);
        PlatformSummary {
            interruptions: self.interruptions,
            lost: self.lost_jobs,
            lost_work: self.lost_work,
            availability: up as f64 / all as f64,
            goodput: work / (up as f64 / 1e6),
        }
    }
}

/// Effects of outages, and of policies that requeue or lose jobs, from the first submission to the
/// last completion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PlatformSummary {
    /// Fraction of all node-seconds in which nodes were up.
    pub availability: f64,
    /// Goodput: work of completed jobs, without checkpoints / node-seconds in which nodes were up.
    pub goodput: f64,
    /// Number of interruptions of jobs, including lost jobs.
    pub interruptions: u64,
    /// Number of lost jobs, which left the system with their work undone; no other figure counts
    /// them.
    pub lost: u64,
    /// Work done and lost, in node-seconds: tasks * CPU need * virtual time.
    #[serde(rename = "lost_work_node_s")]
    pub lost_work: f64,
}
