//! The jobs in the system.

use super::job::Job;
use std::collections::VecDeque;

/// The jobs in the system, by number: a window over all that arrive.
#[derive(Debug, Default)]
pub(super) struct Jobs {
    /// The number of the first one in the window.
    first: u64,
    window: VecDeque<Option<Job>>,
}

impl Jobs {
    /// How many have arrived; the number of the next one.
    pub(super) fn arrived(&self) -> u64 {
        self.first + self.window.len() as u64
    }
    pub(super) fn push(&mut self, job: Job) {
        self.window.push_back(Some(job));
    }
    fn place(&self, number: u64) -> Option<usize> {
        usize::try_from(number.checked_sub(self.first)?).ok()
    }
    pub(super) fn get(&self, number: u64) -> Option<&Job> {
        self.window.get(self.place(number)?)?.as_ref()
    }
    pub(super) fn get_mut(&mut self, number: u64) -> Option<&mut Job> {
        let place = self.place(number)?;
        self.window.get_mut(place)?.as_mut()
    }
    pub(super) fn remove(&mut self, number: u64) -> Option<Job> {
        let place = self.place(number)?;
        let job = self.window.get_mut(place)?.take();
        while self.window.front().is_some_and(Option::is_none) {
            self.window.pop_front();
            self.first += 1;
        }
        job
    }
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &Job)> {
        (self.first..).zip(&self.window).filter_map(|(number, job)| Some((number, job.as_ref()?)))
    }
}
