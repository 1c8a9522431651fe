//! Phase III: the moments at which a job might start, and what is free then.

use crate::shortfall::Shortfall;
use crate::windows::Windows;
use crate::{Candidates, Grid};
use dfrsim_model::SimTime;
use dfrsim_model::coallocation::Request;

/// Goes through the potential starts in their order, to those at which N resources might come to the totals.
///
/// The free amounts over the window [t, t + duration) grow only where a reservation ends, so those moments and the earliest
/// start are enough (section 3.3). Most of these are skipped: once too little is free, only more of some
/// resource can change that, and each resource says when there may be more of it. Until the proof that too little is
/// free fails, only these are examined.
pub(crate) struct Starts<'a> {
    request: &'a Request,
    windows: Windows<'a>,
    shortfall: Shortfall,
    /// Whether starts are skipped by proofs.
    proofs: bool,
    /// The start that was found last.
    found: Option<SimTime>,
    /// By resource of the sample: when some of its reservations next end. Brought up to date as it is needed.
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

    /// The next potential start at which N resources are available that might come to the totals; they are then
    /// `candidates`. Without proofs they might if there are N.
    pub(crate) fn next_sufficient(&mut self, candidates: &mut Candidates) -> Option<SimTime> {
        let mut start = match self.found {
            None => self.request.earliest,
            Some(found) => self.next_potential(found)?,
        };
        loop {
            self.update_from(start);
            start = match self.proofs {
                true if self.shortfall.find() => self.next_unproved()?,
                false if self.shortfall.lacks_resources() => self.next_potential(start)?,
                _ => break,
            };
        }
        self.found = Some(start);
        self.windows.collect(candidates);
        Some(start)
    }

    /// The next potential start after `found`, regardless of what is free then.
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

    /// The next start at which the totals are not proved to be out of reach. It is a potential one: more than just before
    /// is free of an available resource.
    fn next_unproved(&mut self) -> Option<SimTime> {
        loop {
            let time = self.windows.next_gain().filter(|&time| time <= self.request.latest)?;
            for index in 0..self.windows.sample.len() {
                if self.windows.gain[index] <= time {
                    self.update(index, time);
                }
            }
            // Another proof may do where the last one does no longer.
            if !self.shortfall.holds() && !self.shortfall.find() {
                return Some(time);
            }
        }
    }

    /// Updates the resources whose steps in the window from `time` on have changed.
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
