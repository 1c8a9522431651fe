//! Reserved amounts over a sliding window as long as the job.

use crate::{Candidates, Grid};
use dfrsim_model::coallocation::Request;
use dfrsim_model::{SimSpan, SimTime};

/// Smallest unit of time.
const INSTANT: SimSpan = SimSpan::from_micros(1);

/// For each resource of a sample, the maximum reserved amount of each property over a window as long
/// as the job.
pub(crate) struct Windows<'a> {
    grid: &'a Grid,
    request: &'a Request,
    sample: Vec<usize>,
    /// First step in the window of each resource, and the start time until which the steps in the
    /// window stay unchanged.
    first: Vec<usize>,
    same_until: Vec<SimTime>,
    /// Largest reserved amounts by resource of the sample and property.
    peaks: Vec<u64>,
    /// True for resources that had all minima of the request free at their last update.
    available: Vec<bool>,
}

impl<'a> Windows<'a> {
    /// Creates windows that have not been updated yet.
    pub(crate) fn new(grid: &'a Grid, request: &'a Request, sample: Vec<usize>) -> Windows<'a> {
        Windows {
            first: vec![0; sample.len()],
            same_until: vec![SimTime::ZERO; sample.len()],
            peaks: vec![0; sample.len() * grid.properties()],
            available: vec![false; sample.len()],
            grid,
            request,
            sample,
        }
    }

    /// Returns true if the resource had all minima of the request free at its last update.
    pub(crate) fn is_available(&self, index: usize) -> bool {
        self.available[index]
    }

    /// Returns the number of available resources.
    pub(crate) fn available_count(&self) -> usize {
        self.available.iter().filter(|available| **available).count()
    }

    /// Returns the free amount of each property of a resource at its last update, rounded down to
    /// steps of the request.
    fn free(&self, index: usize) -> impl Iterator<Item = u64> {
        let properties = self.grid.properties();
        let peaks = &self.peaks[index * properties..][..properties];
        let capacity = &self.grid.resources()[self.sample[index]].capacity;
        capacity.iter().zip(peaks).zip(&self.request.step).map(|((capacity, peak), &step)| {
            let free = capacity - peak;
            if step > 1 { free - free % step } else { free }
        })
    }

    /// Returns the first time after the start of the window at which the reserved amount of some
    /// property decreases.
    pub(crate) fn next_release(&self, index: usize) -> SimTime {
        let timetable = self.grid.timetable(self.sample[index]);
        timetable.start_of(timetable.next_release(self.first[index]))
    }

    /// Stores the available resources in `candidates`.
    pub(crate) fn collect(&self, candidates: &mut Candidates) {
        candidates.clear(self.grid.properties());
        for (index, &resource) in self.sample.iter().enumerate() {
            if self.available[index] {
                candidates.push(resource, &self.grid.resources()[resource].capacity, self.free(index));
            }
        }
    }

    /// Updates the resources whose windows have changed when the start has moved to `time`.
    pub(crate) fn update_to(&mut self, time: SimTime) {
        for index in 0..self.sample.len() {
            if self.same_until[index] <= time {
                self.update(index, time);
            }
        }
    }

    /// Updates a resource for the window that starts at `time`.
    fn update(&mut self, index: usize, time: SimTime) {
        let timetable = self.grid.timetable(self.sample[index]);
        let end = time + self.request.duration;
        let steps = timetable.steps_of(time, end);
        self.first[index] = steps.first;
        // Windows are half-open, so the step that starts at `enters` overlaps the window one instant
        // after the window's end reaches it.
        let (leaves, enters) = (timetable.start_of(steps.first + 1), timetable.start_of(steps.end));
        let enters = match enters {
            SimTime::MAX => SimTime::MAX,
            enters => time + (enters.since(end) + INSTANT),
        };
        self.same_until[index] = leaves.min(enters);

        let properties = self.grid.properties();
        let capacity = &self.grid.resources()[self.sample[index]].capacity;
        let mut available = true;
        for (property, peak) in self.peaks[index * properties..][..properties].iter_mut().enumerate() {
            *peak = timetable.peak(property, steps);
            available &= capacity[property] - *peak >= self.request.minimum[property];
        }
        self.available[index] = available;
    }
}
