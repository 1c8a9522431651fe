//! Jobs that are submitted when others have left.

use crate::Rule;
use std::collections::BTreeMap;

/// Follows which jobs are to follow which other ones, and when.
#[derive(Debug, Default)]
pub(crate) struct Links {
    /// The job that the last record submitted.
    submitted: Option<u64>,
    /// How many jobs are to follow each job in the system.
    announced: BTreeMap<u64, u32>,
    /// Jobs that have left, with followers that have not come yet.
    left: BTreeMap<u64, Left>,
}

#[derive(Clone, Copy, Debug)]
struct Left {
    at: u64,
    /// Whether it left by a decision, after the submissions of its moment.
    by_decision: bool,
    followers: u32,
}

impl Links {
    /// A record that submits this job, or is no submission.
    pub(crate) fn record(&mut self, submitted: Option<u64>) {
        self.submitted = submitted;
    }

    /// A link of a job at a moment to those that it follows after a think time, and not before a moment; `is_in_system` says so of another one.
    /// What is wrong with it.
    pub(crate) fn link(
        &mut self,
        now: u64,
        job: u64,
        (after, think, not_before): (&[u64], Option<u64>, Option<u64>),
        followers: u32,
        is_in_system: impl Fn(u64) -> bool,
    ) -> Option<Rule> {
        if self.submitted.take() != Some(job) {
            return Some("a `link` that does not come directly after the submission of its job".into());
        }
        if followers > 0 {
            self.announced.insert(job, followers);
        }
        let think = match (after, think, not_before) {
            ([_, ..], Some(think), _) => think,
            ([], None, None) if followers > 0 => return None,
            _ => return Some("a `link` needs `after` and `think_us` together, or `followers`".into()),
        };
        let mut due = not_before.unwrap_or(0);
        for &before in after {
            let Some(left) = self.left.get_mut(&before) else {
                return Some(match is_in_system(before) {
                    true => format!("it follows job {before}, which is still in the system").into(),
                    false => {
                        format!("it follows job {before}, which has no follower that has not come").into()
                    }
                });
            };
            let Left { at, by_decision, .. } = *left;
            left.followers -= 1;
            if left.followers == 0 {
                self.left.remove(&before);
            }
            due = due.max(at.saturating_add(think)).max(if by_decision { at.saturating_add(1) } else { at });
        }
        let (due_s, last) = (dfrsim_model::SimTime::from_micros(due), after.last()?);
        (now != due)
            .then(|| format!("it follows job {last} and should have been submitted at {due_s} s").into())
    }

    /// A job leaves the system.
    pub(crate) fn leave(&mut self, at: u64, job: u64, by_decision: bool) {
        if let Some(followers) = self.announced.remove(&job) {
            self.left.insert(job, Left { at, by_decision, followers });
        }
    }

    /// Jobs of which followers have never come, and how many.
    pub(crate) fn missing(&self) -> impl Iterator<Item = (u64, Rule)> {
        self.left.iter().map(|(&job, Left { followers, .. })| {
            (job, format!("{followers} jobs that were to follow it were never submitted").into())
        })
    }
}
