//! Jobs that are submitted when others have left or started.

use dfrsim_model::{Job, JobId, Preceding, SimSpan, SimTime};
use std::collections::BTreeMap;

/// Jobs each of which is submitted a think time after others have left the system, because they have completed, were rejected or
/// killed, or were lost with their nodes; or a time after the start of others.
///
/// Submissions are events as all others are: after the completions of their moment and the changes of nodes. A job whose last predecessor leaves or
/// starts by a decision of the policy is submitted in a later moment than that, however short its think time is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Followers {
    all: Vec<Follower>,
    /// By the number of a job, and what they wait for of it: their places, and the times from then; in the order in which they are submitted at
    /// equal times.
    waiting: BTreeMap<(JobId, Until), Vec<(usize, SimSpan)>>,
    /// Jobs whose last predecessor has left or started.
    thinking: BTreeMap<JobId, After>,
    /// Jobs that were released by a decision.
    pub(crate) released: Vec<Job>,
}

/// What a job waits for of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Until {
    /// That it has left.
    End,
    /// That it has started or left.
    Start,
}

#[derive(Clone, Debug, PartialEq)]
struct Follower {
    job: Job,
    /// How many jobs have not left or started that it waits for.
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
    /// Those of jobs that had to start or leave, each with the time from then.
    pub starts: Vec<(u64, SimSpan)>,
    /// Before which moment it is not submitted, either.
    pub not_before: Option<SimTime>,
}

/// How a job is connected with others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// What it follows.
    pub after: Option<After>,
    /// How many jobs follow it.
    pub followers: u32,
    /// How many jobs follow its start.
    pub start_followers: u32,
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
        let Preceding { jobs, think, starts, is_hold } = preceding;
        let ends = jobs.iter().map(|&other| ((other, Until::End), *think));
        for (what, delay) in ends.chain(starts.iter().map(|&(other, delay)| ((other, Until::Start), delay))) {
            self.waiting.entry(what).or_default().push((self.all.len(), delay));
        }
        let not_before = is_hold.then_some(job.submit);
        let after = After { think: *think, not_before, ..After::default() };
        let due = not_before.unwrap_or(SimTime::ZERO);
        self.all.push(Follower { job, missing: jobs.len() + starts.len(), after, due });
    }

    /// The jobs that still wait for another one to leave or start, with that one's number.
    pub fn waiting(&self) -> impl Iterator<Item = (JobId, &Job)> {
        let job = |(place, _): &(usize, SimSpan)| &self.all[*place].job;
        self.waiting
            .iter()
            .flat_map(move |((after, _), places)| places.iter().map(move |it| (*after, job(it))))
    }

    /// Whether there was ever a job.
    pub(crate) const fn are_used(&self) -> bool {
        !self.all.is_empty()
    }
    /// Whether no job waits for another one.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The jobs that follow one of this number and place in the order of submission, which leaves or starts at a moment, and wait for no
    /// other; none is submitted before the `earliest`.
    pub(crate) fn release(
        &mut self,
        (id, sequence): (JobId, u64),
        what: Until,
        now: SimTime,
        earliest: SimTime,
    ) -> Vec<Job> {
        let mut released = Vec::new();
        // One that leaves need not have started.
        for until in [Until::End, Until::Start].into_iter().filter(|&it| it == what || what == Until::End) {
            for (place, delay) in self.waiting.remove(&(id, until)).unwrap_or_default() {
                let Follower { job, missing, after, due } = &mut self.all[place];
                match until {
                    Until::End => after.jobs.push(sequence),
                    Until::Start => after.starts.push((sequence, delay)),
                }
                *due = now.saturating_add(delay).max(earliest).max(*due);
                *missing -= 1;
                if *missing == 0 {
                    self.thinking.insert(job.id, std::mem::take(after));
                    released.push(Job { submit: *due, ..job.clone() });
                }
            }
        }
        released
    }

    /// What connects a job that is being submitted with others, if anything does.
    pub(crate) fn link(&mut self, id: JobId) -> Option<Link> {
        let after = self.thinking.remove(&id);
        let count = |what| self.waiting.get(&(id, what)).map_or(0, |jobs| jobs.len() as u32);
        let link = Link { after, followers: count(Until::End), start_followers: count(Until::Start) };
        (link != Link::default()).then_some(link)
    }
}
