//! Phase III: potential start times of a job, and the free amounts then.

use crate::windows::Windows;
use crate::{Candidates, Grid};
use dfrsim_model::SimTime;
use dfrsim_model::coallocation::Request;

/// Iterates over the potential starts at which N resources are available, in chronological order.
///
/// Free amounts over the window [t, t + duration) increase only when a reservation ends, so the
/// earliest start and the ends of reservations are the only potential starts (section 3.3).
pub(crate) struct Starts<'a> {
    request: &'a Request,
    windows: Windows<'a>,
    /// Last start found.
    found: Option<SimTime>,
    /// Next end of a reservation of each resource in the sample, updated lazily.
    release: Vec<SimTime>,
}

impl<'a> Starts<'a> {
    pub(crate) fn new(grid: &'a Grid, request: &'a Request, sample: Vec<usize>) -> Starts<'a> {
        Starts {
            request,
            found: None,
            release: vec![SimTime::ZERO; sample.len()],
            windows: Windows::new(grid, request, sample),
        }
    }

    /// Finds the next potential start at which N resources are available, and stores these in
    /// `candidates`.
    pub(crate) fn next_with_candidates(&mut self, candidates: &mut Candidates) -> Option<SimTime> {
        let mut start = match self.found {
            None => self.request.earliest,
            Some(found) => self.next_potential(found)?,
        };
        self.windows.update_to(start);
        while self.windows.available_count() < self.request.resources {
            start = self.next_potential(start)?;
        }
        self.found = Some(start);
        self.windows.collect(candidates);
        Some(start)
    }

    /// Returns the next potential start after `found`, and updates the windows to it.
    fn next_potential(&mut self, found: SimTime) -> Option<SimTime> {
        let mut time = found;
        loop {
            for (index, release) in self.release.iter_mut().enumerate() {
                if *release <= time {
                    *release = self.windows.next_release(index);
                }
            }
            time = self.release.iter().copied().min().filter(|&time| time <= self.request.latest)?;
            self.windows.update_to(time);
            let mut released = (0..self.release.len()).filter(|&index| self.release[index] == time);
            if released.any(|index| self.windows.is_available(index)) {
                return Some(time);
            }
        }
    }
}
