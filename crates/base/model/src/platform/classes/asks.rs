//! Requests that a log records for its jobs.

use crate::JobId;
use std::collections::BTreeMap;

/// Requests of one job: names, and the number of units for all of its tasks together.
///
/// A name after `@` is a feature that each node of the job must have, or alternatives such as
/// `@V100|A100`, of which each node must have at least one. [`REQUESTED_CORES`],
/// [`REQUESTED_NODES`], [`DISTINCT_NODES`] and [`DEVICE_PART`] are numbers of the job.
///
/// [`REQUESTED_CORES`]: super::REQUESTED_CORES
/// [`REQUESTED_NODES`]: super::REQUESTED_NODES
/// [`DISTINCT_NODES`]: super::DISTINCT_NODES
/// [`DEVICE_PART`]: super::DEVICE_PART
pub type Ask = Vec<(String, u32)>;

/// Requests of the jobs of a log. Each distinct request is stored once, since millions of jobs share
/// a few of them; jobs without a request take no memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asks {
    distinct: Vec<Ask>,
    numbers: BTreeMap<Ask, u32>,
    by_job: BTreeMap<JobId, u32>,
}

impl Asks {
    /// Creates requests of no job.
    pub fn new() -> Asks {
        Asks::default()
    }
    /// Records the requests of a job; they replace earlier ones of the same job.
    pub fn insert(&mut self, job: JobId, ask: Ask) {
        let next = self.distinct.len() as u32;
        let number = *self.numbers.entry(ask).or_insert_with_key(|ask| {
            self.distinct.push(ask.clone());
            next
        });
        self.by_job.insert(job, number);
    }
    /// Returns the requests of a job, or of its [original](JobId::original); `None` if it has none.
    #[inline]
    pub fn get(&self, job: &JobId) -> Option<&Ask> {
        self.by_job.get(&job.original()).map(|&number| &self.distinct[number as usize])
    }
    /// Returns whether no job has a request.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.by_job.is_empty()
    }
    /// Returns the distinct requests, in the order of their first occurrence.
    pub fn distinct(&self) -> &[Ask] {
        &self.distinct
    }
    /// Iterates over the jobs in the order of their numbers, each with its requests.
    pub fn iter(&self) -> impl Iterator<Item = (&JobId, &Ask)> {
        self.by_job.iter().map(|(job, &number)| (job, &self.distinct[number as usize]))
    }
    /// Iterates over the requests of all jobs, in the order of their numbers.
    pub fn values(&self) -> impl Iterator<Item = &Ask> {
        self.iter().map(|(_, ask)| ask)
    }
    /// Returns the requests of jobs that are copies: pairs of a copy and its original.
    #[must_use]
    pub fn of_copies<'a>(&self, copies: impl IntoIterator<Item = (&'a JobId, &'a JobId)>) -> Asks {
        let of = |(copy, original): (&JobId, &JobId)| Some((*copy, *self.by_job.get(original)?));
        let by_job = copies.into_iter().filter_map(of).collect();
        Asks { distinct: self.distinct.clone(), numbers: self.numbers.clone(), by_job }
    }
}

impl FromIterator<(JobId, Ask)> for Asks {
    fn from_iter<I: IntoIterator<Item = (JobId, Ask)>>(all: I) -> Asks {
        let mut asks = Asks::new();
        all.into_iter().for_each(|(job, ask)| asks.insert(job, ask));
        asks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_requests_are_stored_once() {
        let ask = |count| vec![("gpu".to_owned(), count)];
        let mut asks: Asks = (0..1000).map(|job| (JobId(job), ask(1 + job as u32 % 2))).collect();
        assert_eq!((asks.distinct().len(), asks.iter().count()), (2, 1000));
        assert_eq!((asks.get(&JobId(4)), asks.get(&JobId(1000))), (Some(&ask(1)), None));
        asks.insert(JobId(4), ask(3));
        assert_eq!(asks.get(&JobId(4)), Some(&ask(3)), "the last one of a job counts");
        let copies = [JobId(4).copy(0), JobId(4).copy(9), JobId(1 << 50).copy(9)];
        assert_eq!(copies.map(|copy| asks.get(&copy)), [Some(&ask(3)), Some(&ask(3)), None]);
        let copies = [(&JobId(7), &JobId(4)), (&JobId(8), &JobId(2000))];
        assert_eq!(asks.of_copies(copies).iter().collect::<Vec<_>>(), [(&JobId(7), &ask(3))]);
    }
}
