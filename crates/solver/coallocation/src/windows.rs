//! Reserved amounts over a sliding window as long as the job.

use crate::timetable::Peak;
use crate::{Candidates, Grid};
use dfrsim_model::coallocation::Request;
use dfrsim_model::{SimSpan, SimTime};

/// Smallest unit of time.
const INSTANT: SimSpan = SimSpan::from_micros(1);

/// For each resource of a sample, the maximum reserved amount of each property over a window as long
/// as the job.
///
/// The maximum decreases only when the last step that attains it leaves the window. That time is
/// known in advance; until then a resource need not be updated, as its free amounts are upper
/// bounds.
pub(crate) struct Windows<'a> {
    grid: &'a Grid,
    request: &'a Request,
    pub(crate) sample: Vec<usize>,
    /// First step in the window of each resource, and the start time until which the steps in the
    /// window stay unchanged.
    first: Vec<usize>,
    pub(crate) same_until: Vec<SimTime>,
    /// First start time at which more of the resource may be free than at its last update.
    pub(crate) gain: Vec<SimTime>,
    /// Peaks by resource of the sample and property.
    peaks: Vec<Peak>,
    /// True for resources that had all minima of the request free at their last update.
    pub(crate) available: Vec<bool>,
}

impl<'a> Windows<'a> {
    /// Creates windows that have not been updated yet.
    pub(crate) fn new(grid: &'a Grid, request: &'a Request, sample: Vec<usize>) -> Windows<'a> {
        Windows {
            first: vec![0; sample.len()],
            same_until: vec![SimTime::ZERO; sample.len()],
            gain: vec![SimTime::ZERO; sample.len()],
            peaks: vec![Peak::default(); sample.len() * grid.properties()],
            available: vec![false; sample.len()],
            grid,
            request,
            sample,
        }
    }

    /// Returns the next start time at which more of some resource may be free than at its last
    /// update.
    pub(crate) fn next_gain(&self) -> Option<SimTime> {
        self.gain.iter().copied().min()
    }

    /// Returns the free amount of each property of a resource at its last update, rounded down to
    /// steps of the request.
    pub(crate) fn free(&self, index: usize) -> impl Iterator<Item = u64> {
        let properties = self.grid.properties();
        let peaks = &self.peaks[index * properties..][..properties];
        let capacity = &self.grid.resources()[self.sample[index]].capacity;
        capacity.iter().zip(peaks).zip(&self.request.step).map(|((capacity, peak), &step)| {
            let free = capacity - peak.level;
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

    /// Updates a resource for the window that starts at `time`.
    pub(crate) fn update(&mut self, index: usize, time: SimTime) {
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
        let mut first_to_leave = usize::MAX;
        let mut available = true;
        for (property, peak) in self.peaks[index * properties..][..properties].iter_mut().enumerate() {
            *peak = timetable.peak(property, steps);
            if peak.level > 0 {
                first_to_leave = first_to_leave.min(peak.step);
            }
            available &= capacity[property] - peak.level >= self.request.minimum[property];
        }
        self.available[index] = available;
        self.gain[index] = timetable.start_of(first_to_leave.saturating_add(1));
    }
}
