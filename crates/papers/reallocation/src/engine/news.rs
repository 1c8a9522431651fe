//! What happens on a cluster.

use dfrsim_cluster::{Observer, Occurrence, PlatformChange};
use dfrsim_model::event::Record;
use dfrsim_model::{SimSpan, SimTime, Yield};

/// What happened.
#[derive(Debug)]
pub(crate) struct News {
    /// What is of consequence to the meta-scheduler, and to which job, by its place in the order of submission there.
    pub(crate) what: Option<(What, u64)>,
    /// Where records are of use, and the meta-scheduler does not say so itself.
    pub(crate) record: Option<Record<'static>>,
}

/// What happened to a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// It has nodes, for the first time or again.
    Started,
    /// It has none any more, and waits.
    Paused,
    /// The same, without this work.
    Interrupted(SimSpan),
    /// It has left the cluster, and is not done.
    Lost,
    Completed,
    /// It was turned away.
    Rejected,
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
    fn note(&mut self, what: Option<(What, u64)>, record: impl FnOnce() -> Record<'static>) {
        if what.is_some() || self.records {
            let is_said = matches!(what, Some((What::Completed, _)));
            self.news.push(News { what, record: (self.records && !is_said).then(record) });
        }
    }
}

impl Observer for Recorder {
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) {
        let what = match occurrence {
            // The meta-scheduler says so itself.
            Occurrence::Submitted(..) => return,
            Occurrence::Started(..) | Occurrence::Resumed(..) => Some(What::Started),
            Occurrence::Paused(_) => Some(What::Paused),
            Occurrence::Interrupted(_, _, lost) => {
                Some(What::Interrupted(lost.time_at(Yield::ONE).unwrap_or(SimSpan::MAX)))
            }
            Occurrence::Lost(..) => Some(What::Lost),
            Occurrence::Completed(_) => Some(What::Completed),
            Occurrence::Rejected | Occurrence::Killed(_) => Some(What::Rejected),
            Occurrence::Linked(_)
            | Occurrence::Asked(..)
            | Occurrence::Migrated(..)
            | Occurrence::YieldChanged(_) => None,
        };
        self.note(what.map(|what| (what, job)), || occurrence.record(now, job));
    }
    fn observe_platform(&mut self, now: SimTime, change: PlatformChange<'_>) {
        self.note(None, || change.record(now));
    }
}
