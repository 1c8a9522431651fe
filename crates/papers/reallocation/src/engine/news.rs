//! Events of a cluster that concern the meta-scheduler or its observer.

use dfrsim_cluster::{Observer, Occurrence, PlatformChange};
use dfrsim_model::event::Record;
use dfrsim_model::{SimSpan, SimTime, Yield};

/// Event of a cluster.
#[derive(Debug)]
pub(crate) struct LocalEvent {
    /// Effect on a job, if the meta-scheduler must process it, with the sequence number of the job
    /// on the cluster.
    pub(crate) job_event: Option<(JobEvent, u64)>,
    /// Record for the observer, if records are wanted and the meta-scheduler does not write one
    /// itself.
    pub(crate) record: Option<Record<'static>>,
}

/// Change of a job that the meta-scheduler must process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JobEvent {
    /// The job has nodes, for the first time or again.
    Started,
    /// The job has left its nodes and waits, with its work kept.
    Paused,
    /// The job has left its nodes and waits, without this work.
    Interrupted(SimSpan),
    /// The job has left the cluster before its work was done.
    Lost,
    Completed,
    /// The job was rejected or killed by the cluster.
    Rejected,
}

/// Observer that stores events until they are taken.
#[derive(Debug)]
pub(crate) struct Recorder {
    records: bool,
    events: Vec<LocalEvent>,
}

impl Recorder {
    pub(crate) fn new(records: bool) -> Recorder {
        Recorder { records, events: Vec::new() }
    }
    pub(crate) fn take(&mut self) -> Vec<LocalEvent> {
        std::mem::take(&mut self.events)
    }
    /// Takes back an event list for reuse of its memory.
    pub(crate) fn recycle(&mut self, mut news: Vec<LocalEvent>) {
        news.clear();
        self.events = news;
    }
    /// Drops the last event, which the meta-scheduler caused itself.
    pub(crate) fn drop_last(&mut self) {
        self.events.pop();
    }
    fn push(&mut self, what: Option<(JobEvent, u64)>, record: impl FnOnce() -> Record<'static>) {
        if what.is_some() || self.records {
            let is_recorded_elsewhere = matches!(what, Some((JobEvent::Completed, _)));
            self.events.push(LocalEvent {
                job_event: what,
                record: (self.records && !is_recorded_elsewhere).then(record),
            });
        }
    }
}

impl Observer for Recorder {
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) {
        let what = match occurrence {
            // The meta-scheduler records submissions itself.
            Occurrence::Submitted(..) => return,
            Occurrence::Started(..) | Occurrence::Resumed(..) => Some(JobEvent::Started),
            Occurrence::Paused(_) => Some(JobEvent::Paused),
            Occurrence::Interrupted(_, _, lost) => {
                Some(JobEvent::Interrupted(lost.time_at(Yield::ONE).unwrap_or(SimSpan::MAX)))
            }
            Occurrence::Lost(..) => Some(JobEvent::Lost),
            Occurrence::Completed(_) => Some(JobEvent::Completed),
            Occurrence::Rejected | Occurrence::Killed(_) => Some(JobEvent::Rejected),
            Occurrence::Linked(_)
            | Occurrence::Asked(..)
            | Occurrence::Bound(_)
            | Occurrence::Woken(_)
            | Occurrence::Migrated(..)
            | Occurrence::YieldChanged(_) => None,
        };
        self.push(what.map(|what| (what, job)), || occurrence.record(now, job));
    }
    fn observe_platform(&mut self, now: SimTime, change: PlatformChange<'_>) {
        self.push(None, || change.record(now));
    }
}
