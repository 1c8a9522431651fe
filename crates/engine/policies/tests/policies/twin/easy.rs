//! EASY, with the reservation looked up again for every candidate.

use super::{State, Twin};
use dfrsim_policies::batch::QueueOrder;

pub(crate) struct Easy {
    order: QueueOrder,
    /// The first reservation of each job that had one.
    promises: Vec<(usize, u64)>,
}

impl Easy {
    pub(crate) fn new(order: QueueOrder) -> Easy {
        Easy { order, promises: Vec::new() }
    }
}

/// The nodes that are free at a moment if every running job ends when it is expected to.
fn free_at(state: &State<'_>, time: u64) -> u32 {
    let there = state.running.iter().filter(|&&running| state.expected_end(running) > time);
    state.nodes - there.map(|&(job, _)| state.jobs[job].width).sum::<u32>()
}

/// The first moment at which this many nodes are free.
fn reservation(state: &State<'_>, width: u32) -> u64 {
    let ends = state.running.iter().map(|&running| state.expected_end(running));
    ends.filter(|&end| free_at(state, end) >= width).min().unwrap()
}

impl Twin for Easy {
    fn pass(&mut self, state: &mut State<'_>) -> Option<u64> {
        loop {
            let queue = state.ordered(self.order);
            let head = *queue.first()?;
            let width = state.jobs[head].width;
            if width <= state.free() {
                state.start(head);
                continue;
            }
            let shadow = reservation(state, width);
            if self.promises.iter().all(|&(job, _)| job != head) {
                self.promises.push((head, shadow));
            }
            // Started on trial, a job must leave the head's nodes free at its time. The order in which the
            // others are tried does not change within the pass, and who failed once fails again.
            for candidate in queue.into_iter().skip(1) {
                if state.jobs[candidate].width > state.free() {
                    continue;
                }
                let before = state.queue.clone();
                state.start(candidate);
                if free_at(state, shadow) < width {
                    state.running.pop();
                    state.queue = before;
                }
            }
            return None;
        }
    }

    fn promises(&self) -> Vec<(usize, u64)> {
        self.promises.clone()
    }
}
