//! Jobs that are submitted when others have left.

use dfrsim_model::{Job, JobId, Preceding, SimSpan, SimTime};
use std::collections::BTreeMap;

/// Jobs each of which is submitted a think time after another one has left the system, because it has completed, was rejected or
/// killed, or was lost with its node.
///
/// Submissions are events as all others are: after the completions of their moment and the changes of nodes. A job whose predecessor leaves by a decision
/// of the policy is submitted in a later moment than that, however short its think time is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Followers {
    /// By the number of the job that they wait for; in the order in which they are submitted at equal think times.
    waiting: BTreeMap<JobId, Vec<(SimSpan, Job)>>,
    /// Jobs whose think time runs: the place of the one before in the order of submission, and the think time.
    thinking: BTreeMap<JobId, (u64, SimSpan)>,
    /// Jobs that were released by a decision.
    pub(crate) released: Vec<Job>,
    is_used: bool,
}

/// How a job is connected with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The place of the job that it follows in the order of submission, and the think time.
    pub after: Option<(u64, SimSpan)>,
    /// How many jobs follow it.
    pub followers: u32,
}

impl Followers {
    /// Takes the jobs that follow others out of a list; the others stay in their order. The number of a preceding job must be that
    /// of one job of the list.
    pub fn split(jobs: impl IntoIterator<Item = (Job, Option<Preceding>)>) -> (Vec<Job>, Followers) {
        let (mut first, mut followers) = (Vec::new(), Followers::default());
        for (job, preceding) in jobs {
            match preceding {
                None => first.push(job),
                Some(Preceding { job: after, think }) => followers.add(after, think, job),
            }
        }
        (first, followers)
    }

    /// Adds a job that is submitted this long after another one has left. Its own submission time does not matter.
    pub fn add(&mut self, after: JobId, think: SimSpan, job: Job) {
        self.is_used = true;
        self.waiting.entry(after).or_default().push((think, job));
    }

    /// The jobs that still wait for another one to leave, with that one's number.
    pub fn waiting(&self) -> impl Iterator<Item = (JobId, &Job)> {
        self.waiting.iter().flat_map(|(&after, jobs)| jobs.iter().map(move |(_, job)| (after, job)))
    }

    /// Whether there was ever a job.
    pub(crate) const fn are_used(&self) -> bool {
        self.is_used
    }
    /// Whether no job waits for another one to leave.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The jobs that follow one of this number and place in the order of submission, which leaves at a moment; none is submitted
    /// before the `earliest`.
    pub(crate) fn release(&mut self, id: JobId, sequence: u64, left: SimTime, earliest: SimTime) -> Vec<Job> {
        let jobs = self.waiting.remove(&id).unwrap_or_default().into_iter();
        jobs.map(|(think, job)| {
            self.thinking.insert(job.id, (sequence, think));
            Job { submit: left.saturating_add(think).max(earliest), ..job }
        })
        .collect()
    }

    /// What connects a job that is being submitted with others, if anything does.
    pub(crate) fn link(&mut self, id: JobId) -> Option<Link> {
        let after = self.thinking.remove(&id);
        let followers = self.waiting.get(&id).map_or(0, |jobs| jobs.len() as u32);
        (after.is_some() || followers > 0).then_some(Link { after, followers })
    }
}
