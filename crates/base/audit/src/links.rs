//! Dependencies of jobs that are submitted after others have left or started.

use crate::Rule;
use dfrsim_model::SortedMap;
use dfrsim_model::event::Record;

/// Tracker of jobs that depend on others, and of the times at which they are due.
#[derive(Debug, Default)]
pub(crate) struct Links {
    /// Job submitted by the last record.
    submitted: Option<u64>,
    ends: FollowedEvents,
    starts: FollowedEvents,
}

/// Jobs that others follow by their end or their start, as long as followers are outstanding.
#[derive(Debug, Default)]
struct FollowedEvents(SortedMap<u64, Followers>);

#[derive(Clone, Copy, Debug)]
struct Followers {
    left: u32,
    /// Time at which the event occurred, and true if it was a decision, which comes after the
    /// submissions of its time.
    happened: Option<(u64, bool)>,
}

impl FollowedEvents {
    fn announce(&mut self, job: u64, followers: u32) {
        if followers > 0 {
            self.0.insert(job, Followers { left: followers, happened: None });
        }
    }

    fn record_event(&mut self, at: u64, job: u64, by_decision: bool) {
        self.0.get_mut(&job).into_iter().for_each(|it| _ = it.happened.get_or_insert((at, by_decision)));
    }

    /// Returns the time at which a follower of the job is due with this delay, and counts it; `None`
    /// if the event has not occurred or no follower is outstanding.
    fn due(&mut self, job: u64, delay: u64) -> Option<u64> {
        let followers = self.0.get_mut(&job)?;
        let (at, by_decision) = followers.happened?;
        followers.left -= 1;
        if followers.left == 0 {
            self.0.remove(&job);
        }
        Some(at.saturating_add(delay).max(at.saturating_add(by_decision.into())))
    }

    /// Returns the jobs whose event has occurred, with the number of outstanding followers.
    fn missing(&self) -> impl Iterator<Item = (u64, u32)> {
        self.0.iter().filter(|(_, it)| it.happened.is_some()).map(|(&job, it)| (job, it.left))
    }
}

impl Links {
    /// Handles the next record: the submission of this job, or another record.
    pub(crate) fn record(&mut self, submitted: Option<u64>) {
        self.submitted = submitted;
    }

    /// Checks a `link` record at its time: the jobs that the job follows, and the numbers of jobs
    /// that follow its end and its start.
    pub(crate) fn link(&mut self, now: u64, link: &Record<'_>) -> Option<Rule> {
        let &Record::Link {
            job,
            after,
            ref others,
            think_us: think,
            not_before_us: not_before,
            ref starts,
            followers,
            start_followers,
            ..
        } = link
        else {
            return None;
        };
        if self.submitted.take() != Some(job) {
            return Some("`link` record not directly after the submission of its job".into());
        }
        self.ends.announce(job, followers);
        self.starts.announce(job, start_followers);
        let ends: Vec<u64> = after.into_iter().chain(others.iter().copied()).collect();
        let follows_none = ends.is_empty() && starts.is_empty();
        if ends.is_empty() != think.is_none()
            || follows_none && (not_before.is_some() || followers + start_followers == 0)
        {
            return Some("a `link` needs `after` and `think_us` together, `starts`, or followers".into());
        }
        let of_ends = ends.iter().map(|&before| (before, self.ends.due(before, think.unwrap_or(0)), "ended"));
        let of_starts =
            starts.iter().map(|&(before, delay)| (before, self.starts.due(before, delay), "started"));
        let mut due = not_before.unwrap_or(0);
        for (before, at, what) in of_ends.chain(of_starts) {
            let Some(at) = at else {
                let rule =
                    format!("it follows job {before}, which has not {what} or has no outstanding follower");
                return Some(rule.into());
            };
            due = due.max(at);
        }
        let (due_s, last) =
            (dfrsim_model::SimTime::from_micros(due), ends.last().or(starts.last().map(|it| &it.0))?);
        (now != due)
            .then(|| format!("it follows job {last} and should have been submitted at {due_s} s").into())
    }

    /// Handles the start of a job.
    pub(crate) fn start(&mut self, at: u64, job: u64) {
        self.starts.record_event(at, job, true);
    }

    /// Handles a job that leaves the system.
    pub(crate) fn leave(&mut self, at: u64, job: u64, by_decision: bool) {
        self.starts.record_event(at, job, by_decision);
        self.ends.record_event(at, job, by_decision);
    }

    /// Reports the jobs with followers that were never submitted, with their number.
    pub(crate) fn missing(&self) -> impl Iterator<Item = (u64, Rule)> {
        self.ends.missing().chain(self.starts.missing()).map(|(job, followers)| {
            (job, format!("{followers} announced followers were never submitted").into())
        })
    }
}
