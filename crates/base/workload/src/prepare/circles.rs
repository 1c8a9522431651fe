//! Circles of dependencies: jobs that wait for one another, and so for ever.

use crate::log::{Line, Problem, Record};
use rustc_hash::{FxHashMap, FxHashSet};

/// Dependencies of the jobs that were read. A circle is found at its last line.
#[derive(Debug, Default)]
pub(super) struct Circles {
    /// Line of each job that has dependencies, and the jobs that it follows.
    following: FxHashMap<u64, (u64, Vec<u64>)>,
    /// Jobs that a job of an earlier line follows.
    awaited: FxHashSet<u64>,
}

impl Circles {
    /// Adds the job of a line; returns the problem if it closes a circle.
    pub(super) fn add(&mut self, line: &Line) -> Option<Problem> {
        let Record { job, preceding_job, also_preceding, .. } = &line.record;
        let preceding: Vec<u64> =
            preceding_job.iter().chain(also_preceding.iter().map(|(job, _)| job)).copied().collect();
        if preceding.is_empty() || self.following.contains_key(job) {
            return None;
        }
        if preceding.contains(job) {
            return Some(Problem::Circle { job: *job, through: None });
        }
        let is_awaited = self.awaited.contains(job);
        let through = is_awaited.then(|| self.path(*job, &preceding)).flatten();
        self.awaited.extend(&preceding);
        self.following.insert(*job, (line.number, preceding));
        through.map(|through| Problem::Circle { job: *job, through: Some(through) })
    }

    /// Follows the dependencies backwards from `preceding` and returns a job that follows `job`, with
    /// its line.
    fn path(&self, job: u64, preceding: &[u64]) -> Option<(u64, u64)> {
        let (mut open, mut seen) = (preceding.to_vec(), FxHashSet::default());
        while let Some(next) = open.pop() {
            let Some((line, further)) = self.following.get(&next).filter(|_| seen.insert(next)) else {
                continue;
            };
            if further.contains(&job) {
                return Some((next, *line));
            }
            open.extend(further);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(jobs: &[(u64, Option<u64>)]) -> Vec<(u64, String)> {
        let mut circles = Circles::default();
        let mut number = 0;
        let mut found = Vec::new();
        for &(job, preceding_job) in jobs {
            number += 1;
            let record = Record { job, preceding_job, ..Record::default() };
            let line = Line { number, place: number - 1, has_submit: true, record };
            found.extend(circles.add(&line).map(|problem| (number, problem.to_string())));
        }
        found
    }

    #[test]
    fn a_circle_is_found_at_its_last_line() {
        assert_eq!(problems(&[(1, None), (2, Some(1)), (3, Some(2)), (4, Some(9))]), []);
        let itself = "job 5 follows itself, so it would wait for ever";
        assert_eq!(problems(&[(5, Some(5))]), [(1, itself.to_owned())]);
        let circle = "job 3 waits for job 4 of line 2, which waits for job 3, so neither would ever start";
        assert_eq!(problems(&[(2, Some(3)), (4, Some(3)), (3, Some(4))]), [(3, circle.to_owned())]);
        let long = problems(&[(1, Some(3)), (2, Some(1)), (3, Some(2))]);
        assert_eq!(long[0].0, 3);
        assert!(long[0].1.contains("job 1 of line 1"), "{long:?}");
    }
}
