//! Jobs that are submitted when others have left or started.

use crate::Rule;
use dfrsim_model::SortedMap;
use dfrsim_model::event::Record;

/// Follows which jobs are to follow which other ones, and when.
#[derive(Debug, Default)]
pub(crate) struct Links {
    /// The job that the last record submitted.
    submitted: Option<u64>,
    ends: Followed,
    starts: Followed,
}

/// What jobs follow of others, that they end or that they start: those with followers that have not come yet.
#[derive(Debug, Default)]
struct Followed(SortedMap<u64, Followers>);

#[derive(Clone, Copy, Debug)]
struct Followers {
    left: u32,
    /// When it has happened, and whether by a decision, after the submissions of its moment.
    happened: Option<(u64, bool)>,
}

impl Followed {
    fn announce(&mut self, job: u64, followers: u32) {
        if followers > 0 {
            self.0.insert(job, Followers { left: followers, happened: None });
        }
    }

    fn happens(&mut self, at: u64, job: u64, by_decision: bool) {
        self.0.get_mut(&job).into_iter().for_each(|it| _ = it.happened.get_or_insert((at, by_decision)));
    }

    /// When one of the followers of a job is due by a time from then on; `None` if there is no other one.
    fn due(&mut self, job: u64, delay: u64) -> Option<u64> {
        let followers = self.0.get_mut(&job)?;
        let (at, by_decision) = followers.happened?;
        followers.left -= 1;
        if followers.left == 0 {
            self.0.remove(&job);
        }
        Some(at.saturating_add(delay).max(at.saturating_add(by_decision.into())))
    }

    /// The jobs of which it has happened, and how many have not come.
    fn missing(&self) -> impl Iterator<Item = (u64, u32)> {
        self.0.iter().filter(|(_, it)| it.happened.is_some()).map(|(&job, it)| (job, it.left))
    }
}

impl Links {
    /// A record that submits this job, or is no submission.
    pub(crate) fn record(&mut self, submitted: Option<u64>) {
        self.submitted = submitted;
    }

    /// A link of a job at a moment to those that it follows, and how many follow its end and its start. What is wrong with it.
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
            return Some("a `link` that does not come directly after the submission of its job".into());
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
                let rule = format!(
                    "it follows job {before}, which has not {what}, or has no follower that has not come"
                );
                return Some(rule.into());
            };
            due = due.max(at);
        }
        let (due_s, last) =
            (dfrsim_model::SimTime::from_micros(due), ends.last().or(starts.last().map(|it| &it.0))?);
        (now != due)
            .then(|| format!("it follows job {last} and should have been submitted at {due_s} s").into())
    }

    /// A job starts.
    pub(crate) fn start(&mut self, at: u64, job: u64) {
        self.starts.happens(at, job, true);
    }

    /// A job leaves the system.
    pub(crate) fn leave(&mut self, at: u64, job: u64, by_decision: bool) {
        self.starts.happens(at, job, by_decision);
        self.ends.happens(at, job, by_decision);
    }

    /// Jobs of which followers have never come, and how many.
    pub(crate) fn missing(&self) -> impl Iterator<Item = (u64, Rule)> {
        self.ends.missing().chain(self.starts.missing()).map(|(job, followers)| {
            (job, format!("{followers} jobs that were to follow it were never submitted").into())
        })
    }
}
