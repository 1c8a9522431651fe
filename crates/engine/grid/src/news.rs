//! What happens on a cluster.

use dfrsim_cluster::{Observer, Occurrence, PlatformChange};
use dfrsim_model::event::Record;
use dfrsim_model::{SimSpan, SimTime, Yield};

/// What happened, with the record of it where records are of use.
#[derive(Debug)]
pub(crate) struct News {
    pub(crate) what: What,
    pub(crate) record: Option<Record<'static>>,
}

/// To which job, by its place in the order of submission there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// It has nodes, for the first time or again.
    Started(u64),
    /// It has none any more, and waits.
    Paused(u64),
    /// The same, without this work.
    Interrupted(u64, SimSpan),
    /// It has left the cluster, and is not done.
    Lost(u64),
    Completed(u64),
    /// It was turned away.
    Rejected(u64),
    /// Of no consequence to the meta-scheduler.
    Other,
}

/// Keeps what happens until it is taken.
#[derive(Debug)]
pub(crate) struct Recorder {
    records: bool,
    news: Vec<News>,
}

impl Recorder {
    pub(crate) fn new(records: bool) -> Recorder {
        Recorder { records, news: Vec::new() }
    }
    pub(crate) fn take(&mut self) -> Vec<News> {
        std::mem::take(&mut self.news)
    }
    /// Gives the memory of what was taken back.
    pub(crate) fn give_back(&mut self, mut news: Vec<News>) {
        news.clear();
        self.news = news;
    }
    /// The meta-scheduler knows of the last one, since it was its doing.
    pub(crate) fn forget_last(&mut self) {
        self.news.pop();
    }
    fn note(&mut self, what: What, record: impl FnOnce() -> Record<'static>) {
        if what != What::Other || self.records {
            self.news.push(News { what, record: self.records.then(record) });
        }
    }
}

impl Observer for Recorder {
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) {
        let what = match occurrence {
            // The meta-scheduler says so itself.
            Occurrence::Submitted(..) => return,
            Occurrence::Started(..) | Occurrence::Resumed(..) => What::Started(job),
            Occurrence::Paused(_) => What::Paused(job),
            Occurrence::Interrupted(_, _, lost) => {
                What::Interrupted(job, lost.time_at(Yield::ONE).unwrap_or(SimSpan::MAX))
            }
            Occurrence::Lost(..) => What::Lost(job),
            Occurrence::Completed(_) => What::Completed(job),
            Occurrence::Rejected | Occurrence::Killed(_) => What::Rejected(job),
            Occurrence::Linked(_)
            | Occurrence::Asked(..)
            | Occurrence::Migrated(..)
            | Occurrence::YieldChanged(_) => What::Other,
        };
        self.note(what, || occurrence.record(now, job));
    }
    fn observe_platform(&mut self, now: SimTime, change: PlatformChange<'_>) {
        self.note(What::Other, || change.record(now));
    }
}
