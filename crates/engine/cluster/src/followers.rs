//! Jobs that are submitted when others have left.

use dfrsim_model::{Job, JobId, Preceding, SimSpan, SimTime};
use std::collections::BTreeMap;

/// Jobs each of which is submitted a think time after others have left the system, because they have completed, were rejected or
/// killed, or were lost with their nodes.
///
/// Submissions are events as all others are: after the completions of their moment and the changes of nodes. A job whose last predecessor leaves by
/// a decision of the policy is submitted in a later moment than that, however short its think time is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Followers {
    all: Vec<Follower>,
    /// By the number of a job that they wait for, their places; in the order in which they are submitted at equal think times.
    waiting: BTreeMap<JobId, Vec<usize>>,
    /// Jobs whose last predecessor has left.
    thinking: BTreeMap<JobId, After>,
    /// Jobs that were released by a decision.
    pub(crate) released: Vec<Job>,
}

#[derive(Clone, Debug, PartialEq)]
struct Follower {
    job: Job,
    /// How many jobs have not left that it waits for.
    missing: usize,
    after: After,
    /// When it is submitted as far as is known.
    due: SimTime,
}

/// What a job follows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct After {
    /// The places in the order of submission of the jobs that had to leave.
    pub jobs: Vec<u64>,
    /// The think time.
    pub think: SimSpan,
    /// Before which moment it is not submitted, either.
    pub not_before: Option<SimTime>,
}

/// How a job is connected with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// What it follows.
    pub after: Option<After>,
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
                Some(preceding) => followers.add(&preceding, job),
            }
        }
        (first, followers)
    }

    /// Adds a job that is submitted once others have left.
    pub fn add(&mut self, preceding: &Preceding, job: Job) {
        let Preceding { jobs, think, is_hold } = preceding;
        for &other in jobs {
            self.waiting.entry(other).or_default().push(self.all.len());
        }
        let not_before = is_hold.then_some(job.submit);
        let after = After { jobs: Vec::new(), think: *think, not_before };
        let due = not_before.unwrap_or(SimTime::ZERO);
        self.all.push(Follower { job, missing: jobs.len(), after, due });
    }

    /// The jobs that still wait for another one to leave, with that one's number.
    pub fn waiting(&self) -> impl Iterator<Item = (JobId, &Job)> {
        let job = |place: &usize| &self.all[*place].job;
        self.waiting.iter().flat_map(move |(&after, places)| places.iter().map(move |it| (after, job(it))))
    }

    /// Whether there was ever a job.
    pub(crate) const fn are_used(&self) -> bool {
        !self.all.is_empty()
    }
    /// Whether no job waits for another one to leave.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The jobs that follow one of this number and place in the order of submission, which leaves at a moment, and wait for no other; none is
    /// submitted before the `earliest`.
    pub(crate) fn release(&mut self, id: JobId, sequence: u64, left: SimTime, earliest: SimTime) -> Vec<Job> {
        let mut released = Vec::new();
        for place in self.waiting.remove(&id).unwrap_or_default() {
            let Follower { job, missing, after, due } = &mut self.all[place];
            after.jobs.push(sequence);
            *due = left.saturating_add(after.think).max(earliest).max(*due);
            *missing -= 1;
            if *missing == 0 {
                self.thinking.insert(job.id, std::mem::take(after));
                released.push(Job { submit: *due, ..job.clone() });
            }
        }
        released
    }

    /// What connects a job that is being submitted with others, if anything does.
    pub(crate) fn link(&mut self, id: JobId) -> Option<Link> {
        let after = self.thinking.remove(&id);
        let followers = self.waiting.get(&id).map_or(0, |jobs| jobs.len() as u32);
        (after.is_some() || followers > 0).then_some(Link { after, followers })
    }
}
