//! Dependent jobs: submitted when others have left the system or started.

use dfrsim_model::{Dependencies, Job, JobId, SimSpan, SimTime};
use std::collections::BTreeMap;

/// Dependent jobs. Each is submitted a think time after others have left the system (completed,
/// rejected, killed, or lost with their nodes), or a delay after others have started.
///
/// Their submissions are events like all others, and come after the completions and node changes of
/// the same time. A job whose last predecessor leaves or starts by a decision of the policy is
/// submitted strictly later than that decision, however short its think time is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Followers {
    all: Vec<Follower>,
    /// Dependents by the job and the event that they wait for: indices into `all`, each with the
    /// delay after that event, in the order of submission at equal times.
    waiting: BTreeMap<(JobId, DependencyEvent), Vec<(usize, SimSpan)>>,
    /// Jobs whose last dependency is satisfied and that are not submitted yet.
    satisfied: BTreeMap<JobId, After>,
    /// Jobs whose last dependency was satisfied by a decision.
    pub(crate) released: Vec<Job>,
}

/// Event of a job that satisfies a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DependencyEvent {
    /// The job has left the system.
    End,
    /// The job has started, or has left without a start.
    Start,
}

#[derive(Clone, Debug, PartialEq)]
struct Follower {
    job: Job,
    /// Number of dependencies that are not satisfied yet.
    unsatisfied: usize,
    after: After,
    /// Submit time as far as it is known, a lower bound while dependencies are open.
    due: SimTime,
}

/// Dependencies of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct After {
    /// Sequence numbers (order of submission) of the jobs that had to leave.
    pub jobs: Vec<u64>,
    /// Think time: the delay after the last of `jobs` has left.
    pub think: SimSpan,
    /// Sequence numbers of the jobs that had to start or leave, each with the delay after that.
    pub starts: Vec<(u64, SimSpan)>,
    /// Earliest submit time, if there is one.
    pub not_before: Option<SimTime>,
}

/// Dependencies of a job in both directions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// Dependencies of the job on others.
    pub after: Option<After>,
    /// Number of jobs that wait for its end.
    pub followers: u32,
    /// Number of jobs that wait for its start.
    pub start_followers: u32,
}

impl Followers {
    /// Splits a list into jobs without dependencies, which keep their order, and dependent jobs.
    /// Each predecessor must be a job of the list.
    pub fn split(jobs: impl IntoIterator<Item = (Job, Option<Dependencies>)>) -> (Vec<Job>, Followers) {
        let (mut first, mut followers) = (Vec::new(), Followers::default());
        for (job, preceding) in jobs {
            match preceding {
                None => first.push(job),
                Some(preceding) => followers.add(&preceding, job),
            }
        }
        (first, followers)
    }

    /// Adds a job that is submitted once its predecessors have left or started.
    pub fn add(&mut self, preceding: &Dependencies, job: Job) {
        let Dependencies { jobs, think, starts, is_hold } = preceding;
        let ends = jobs.iter().map(|&other| ((other, DependencyEvent::End), *think));
        for (what, delay) in
            ends.chain(starts.iter().map(|&(other, delay)| ((other, DependencyEvent::Start), delay)))
        {
            self.waiting.entry(what).or_default().push((self.all.len(), delay));
        }
        let not_before = is_hold.then_some(job.submit);
        let after = After { think: *think, not_before, ..After::default() };
        let due = not_before.unwrap_or(SimTime::ZERO);
        self.all.push(Follower { job, unsatisfied: jobs.len() + starts.len(), after, due });
    }

    /// Returns the jobs that still wait for another one to leave or start, each with the number of
    /// that one.
    pub fn waiting(&self) -> impl Iterator<Item = (JobId, &Job)> {
        let job = |(place, _): &(usize, SimSpan)| &self.all[*place].job;
        self.waiting
            .iter()
            .flat_map(move |((after, _), places)| places.iter().map(move |it| (*after, job(it))))
    }

    /// Returns whether any dependent job was ever added.
    pub(crate) const fn is_used(&self) -> bool {
        !self.all.is_empty()
    }
    /// Returns whether no job waits for another one.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Returns the jobs whose last dependency is satisfied by this event of the job with the given
    /// number and sequence number. None is submitted before `earliest`.
    pub(crate) fn release(
        &mut self,
        (id, sequence): (JobId, u64),
        what: DependencyEvent,
        now: SimTime,
        earliest: SimTime,
    ) -> Vec<Job> {
        let mut released = Vec::new();
        // A job may leave without having started, so its end also satisfies dependencies on its
        // start.
        for until in [DependencyEvent::End, DependencyEvent::Start]
            .into_iter()
            .filter(|&it| it == what || what == DependencyEvent::End)
        {
            for (place, delay) in self.waiting.remove(&(id, until)).unwrap_or_default() {
                let Follower { job, unsatisfied: missing, after, due } = &mut self.all[place];
                match until {
                    DependencyEvent::End => after.jobs.push(sequence),
                    DependencyEvent::Start => after.starts.push((sequence, delay)),
                }
                *due = now.saturating_add(delay).max(earliest).max(*due);
                *missing -= 1;
                if *missing == 0 {
                    self.satisfied.insert(job.id, std::mem::take(after));
                    released.push(Job { submit: *due, ..job.clone() });
                }
            }
        }
        released
    }

    /// Takes the dependencies of a job that is being submitted; `None` if it has none in either
    /// direction.
    pub(crate) fn link(&mut self, id: JobId) -> Option<Link> {
        let after = self.satisfied.remove(&id);
        let count = |what| self.waiting.get(&(id, what)).map_or(0, |jobs| jobs.len() as u32);
        let link = Link {
            after,
            followers: count(DependencyEvent::End),
            start_followers: count(DependencyEvent::Start),
        };
        (link != Link::default()).then_some(link)
    }
}
