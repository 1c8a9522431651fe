//! Phase III: potential start times of a job, and the free amounts then.

use crate::shortfall::Shortfall;
use crate::windows::Windows;
use crate::{Candidates, Grid};
use dfrsim_model::SimTime;
use dfrsim_model::coallocation::Request;

/// Iterates over the potential starts in chronological order and yields those at which N resources
/// might satisfy the totals.
///
/// Free amounts over the window [t, t + duration) increase only when a reservation ends, so the
/// earliest start and the ends of reservations are the only potential starts (section 3.3). Most of
/// these are skipped. Once the totals are provably out of reach, only an increase on some resource
/// can change that, and the next increase of each resource is known. Until the proof becomes
/// invalid, only these times are examined.
pub(crate) struct Starts<'a> {
    request: &'a Request,
    windows: Windows<'a>,
    shortfall: Shortfall,
    /// Enables pruning of start times that are provably infeasible.
    proofs: bool,
    /// Last start found.
    found: Option<SimTime>,
    /// Next end of a reservation of each resource in the sample, updated lazily.
    release: Vec<SimTime>,
}

impl<'a> Starts<'a> {
    pub(crate) fn new(grid: &'a Grid, request: &'a Request, sample: Vec<usize>, proofs: bool) -> Starts<'a> {
        Starts {
            request,
            proofs,
            shortfall: Shortfall::new(request, sample.len()),
            found: None,
            release: vec![SimTime::ZERO; sample.len()],
            windows: Windows::new(grid, request, sample),
        }
    }

    /// Finds the next potential start at which N available resources might satisfy the totals, and
    /// stores them in `candidates`. Without proofs, any N available resources suffice.
    pub(crate) fn next_sufficient(&mut self, candidates: &mut Candidates) -> Option<SimTime> {
        let mut start = match self.found {
            None => self.request.earliest,
            Some(found) => self.next_potential(found)?,
        };
        loop {
            self.update_from(start);
            start = match self.proofs {
                true if self.shortfall.find_proof() => self.next_without_proof()?,
                false if self.shortfall.lacks_resources() => self.next_potential(start)?,
                _ => break,
            };
        }
        self.found = Some(start);
        self.windows.collect(candidates);
        Some(start)
    }

    /// Returns the next potential start after `found`, regardless of the free amounts.
    fn next_potential(&mut self, found: SimTime) -> Option<SimTime> {
        let mut time = found;
        loop {
            for (index, release) in self.release.iter_mut().enumerate() {
                if *release <= time {
                    *release = self.windows.next_release(index);
                }
            }
            time = self.release.iter().copied().min().filter(|&time| time <= self.request.latest)?;
            self.update_from(time);
            let mut released = (0..self.release.len()).filter(|&index| self.release[index] == time);
            if released.any(|index| self.windows.available[index]) {
                return Some(time);
            }
        }
    }

    /// Returns the next start at which no proof rules out the totals. It is a potential start, as
    /// the free amount of an available resource increases there.
    fn next_without_proof(&mut self) -> Option<SimTime> {
        loop {
            let time = self.windows.next_gain().filter(|&time| time <= self.request.latest)?;
            for index in 0..self.windows.sample.len() {
                if self.windows.gain[index] <= time {
                    self.update(index, time);
                }
            }
            // When the last proof becomes invalid, another one may exist.
            if !self.shortfall.is_valid() && !self.shortfall.find_proof() {
                return Some(time);
            }
        }
    }

    /// Updates the resources whose windows from `time` on have changed.
    fn update_from(&mut self, time: SimTime) {
        for index in 0..self.windows.sample.len() {
            if self.windows.same_until[index] <= time {
                self.update(index, time);
            }
        }
    }

    fn update(&mut self, index: usize, time: SimTime) {
        self.windows.update(index, time);
        if self.windows.available[index] {
            self.shortfall.set(index, self.windows.free(index));
        } else {
            self.shortfall.remove(index);
        }
    }
}
