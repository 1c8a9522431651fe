//! The figures of outages.

use crate::{Occurrence, PlatformChange, PlatformSummary};
use dfrsim_model::platform::NodeSpan;
use dfrsim_model::{Share, SimSpan, SimTime, VirtualTime};

/// What outages did so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Downtime {
    interruptions: u64,
    lost: u64,
    /// In node-seconds.
    lost_work: f64,
    /// The nodes that are down.
    down: u64,
    since: SimTime,
    /// Node-microseconds, from the first submission to `since`, and to the last completion.
    passed: u128,
    to_last_end: u128,
}

impl Downtime {
    /// The first job arrives.
    pub(crate) fn begin(&mut self, now: SimTime) {
        (self.since, self.passed) = (now, 0);
    }
    pub(crate) fn completed(&mut self, now: SimTime) {
        self.pass(now);
        self.to_last_end = self.passed;
    }
    fn pass(&mut self, now: SimTime) {
        self.passed += u128::from(self.down) * u128::from(now.since(self.since).micros());
        self.since = now;
    }
    fn lose(&mut self, tasks: u32, need: Share, lost: VirtualTime) {
        self.interruptions += 1;
        self.lost_work += f64::from(tasks) * need.as_f64() * lost.as_secs_f64();
    }

    pub(crate) fn observe(&mut self, occurrence: Occurrence<'_>) {
        match occurrence {
            Occurrence::Interrupted(job, _, lost) => self.lose(job.tasks, job.cpu_need, lost),
            Occurrence::Lost(record, lost) => {
                self.lost += 1;
                self.lose(record.tasks, record.cpu_need, lost);
            }
            _ => {}
        }
    }
    pub(crate) fn observe_platform(&mut self, now: SimTime, change: PlatformChange<'_>) {
        self.pass(now);
        let count = |spans: &[NodeSpan]| spans.iter().map(|span| u64::from(span.nodes)).sum::<u64>();
        match change {
            PlatformChange::Announced(_) => {}
            PlatformChange::Down(spans) => self.down += count(spans),
            PlatformChange::Up(spans) => self.down -= count(spans),
        }
    }

    /// The figures of a cluster with these nodes on which this work was done.
    pub(crate) fn summary(&self, nodes: u32, makespan: SimSpan, work: f64) -> PlatformSummary {
        let all = u128::from(nodes) * u128::from(makespan.micros());
        let up = all - self.to_last_end.min(all);
        PlatformSummary {
            interruptions: self.interruptions,
            lost: self.lost,
            lost_work: self.lost_work,
            availability: up as f64 / all as f64,
            goodput: work / (up as f64 / 1e6),
        }
    }
}
