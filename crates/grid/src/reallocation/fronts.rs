//! Which jobs can come first at all.
//!
//! Clusters that serve their queues in turn offer the same start to all jobs of one width. Then MinMin and MaxMin only have
//! to look at the job with the least or the largest walltime of each width: thousands of jobs have a few hundred widths.

use crate::{GridJob, Heuristic};
use std::collections::BTreeMap;

/// Waiting jobs by width, of which those are handed out that may be the first of their width.
pub(super) struct Fronts {
    /// By width: jobs and walltimes in microseconds that are still held back, the next one last.
    held: BTreeMap<u32, Vec<(u64, usize)>>,
    /// Walltimes that differ by less than this may be the same on a fast cluster, where they are rounded up.
    rounding: u64,
    /// Whether large walltimes come first.
    largest: bool,
}

impl Fronts {
    /// Of these jobs; nothing if the heuristic compares something else than completion times.
    pub(super) fn new<'a>(
        heuristic: Heuristic,
        jobs: impl Iterator<Item = (usize, &'a GridJob)>,
        fastest_thousandths: u32,
    ) -> Option<Fronts> {
        let largest = match heuristic {
            Heuristic::MinMin => false,
            Heuristic::MaxMin => true,
            Heuristic::Mct | Heuristic::MaxGain | Heuristic::MaxRelGain | Heuristic::Sufferage => {
                return None;
            }
        };
        let mut held = BTreeMap::<u32, Vec<(u64, usize)>>::new();
        for (number, job) in jobs {
            held.entry(job.width).or_default().push((job.walltime.micros(), number));
        }
        for of_width in held.values_mut() {
            of_width.sort_unstable();
            if !largest {
                of_width.reverse();
            }
        }
        Some(Fronts { held, rounding: u64::from(fastest_thousandths.div_ceil(1_000)), largest })
    }

    pub(super) fn widths(&self) -> Vec<u32> {
        self.held.keys().copied().collect()
    }

    /// The jobs of a width that can come before, or at the same place as, those that were handed out and are left: their
    /// walltimes are given.
    pub(super) fn next(&mut self, width: u32, left: impl Iterator<Item = u64>) -> Vec<usize> {
        let held = self.held.get_mut(&width).map_or(&mut [][..], |held| held.as_mut_slice());
        let first_held = held.last().map(|&(walltime, _)| walltime);
        let all = left.chain(first_held);
        let Some(first) = (if self.largest { all.max() } else { all.min() }) else { return Vec::new() };
        let near = held.iter().rev().take_while(|(walltime, _)| walltime.abs_diff(first) < self.rounding);
        let next: Vec<usize> = near.map(|&(_, job)| job).collect();
        if let Some(held) = self.held.get_mut(&width) {
            held.truncate(held.len() - next.len());
        }
        next
    }
}
