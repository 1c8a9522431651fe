//! Measurement of the time spent reading while a simulation pulls its jobs.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Iterator that measures the time spent in an inner one. Items are pulled ahead by the thousand, so
/// that reading the clock costs little.
pub(super) struct Timed<I: Iterator> {
    items: I,
    ahead: VecDeque<I::Item>,
    spent: Duration,
}

const BATCH: usize = 1024;

impl<I: Iterator> Timed<I> {
    pub(super) fn new(items: I) -> Timed<I> {
        Timed { items, ahead: VecDeque::with_capacity(BATCH), spent: Duration::ZERO }
    }
    /// Returns the time spent in the inner iterator.
    pub(super) fn spent(&self) -> Duration {
        self.spent
    }
}

impl<I: Iterator> Iterator for Timed<I> {
    type Item = I::Item;
    fn next(&mut self) -> Option<I::Item> {
        if self.ahead.is_empty() {
            let begin = Instant::now();
            self.ahead.extend(self.items.by_ref().take(BATCH));
            self.spent += begin.elapsed();
        }
        self.ahead.pop_front()
    }
}
