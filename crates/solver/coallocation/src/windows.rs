//! The reservations of the resources over the time that a job would take, as its start moves on.

use crate::timetable::Peak;
use crate::{Candidates, Grid};
use dfrsim_model::coallocation::Request;
use dfrsim_model::{SimSpan, SimTime};

/// A moment is the least step of time.
const INSTANT: SimSpan = SimSpan::from_micros(1);

/// For each resource of a sample, the most that is reserved of each property in a window that is as long as the job.
///
/// The maximum becomes smaller only when the last step that has it leaves the window. That moment is known in advance,
/// and until then a resource need not be examined: what was found to be free is the most that is.
pub(crate) struct Windows<'a> {
    grid: &'a Grid,
    request: &'a Request,
    pub(crate) sample: Vec<usize>,
    /// By resource of the sample: the first step that the window touches, and until which start its steps stay the same.
    first: Vec<usize>,
    pub(crate) same_until: Vec<SimTime>,
    /// The first start at which more of the resource may be free than when it was examined.
    pub(crate) gain: Vec<SimTime>,
    /// A peak for each property and resource of the sample.
    peaks: Vec<Peak>,
    /// Whether all minima of the request were free of the resource when it was examined.
    pub(crate) available: Vec<bool>,
}

impl<'a> Windows<'a> {
    /// Windows that have not been examined yet.
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

    /// The next start at which more of some resource may be free than when it was examined.
    pub(crate) fn next_gain(&self) -> Option<SimTime> {
        self.gain.iter().copied().min()
    }

    /// The free amounts of each property of a resource, in whole steps of the request, when it was examined.
    pub(crate) fn free(&self, index: usize) -> impl Iterator<Item = u64> {
        let properties = self.grid.properties();
        let peaks = &self.peaks[index * properties..][..properties];
        let capacity = &self.grid.resources()[self.sample[index]].capacity;
        capacity.iter().zip(peaks).zip(&self.request.step).map(|((capacity, peak), &step)| {
            let free = capacity - peak.level;
            if step > 1 { free - free % step } else { free }
        })
    }

    /// The first moment behind the window's begin at which less of some property is reserved than just before.
    pub(crate) fn next_release(&self, index: usize) -> SimTime {
        let timetable = self.grid.timetable(self.sample[index]);
        timetable.start_of(timetable.next_release(self.first[index]))
    }

    /// Puts the resources that were available into `candidates`.
    pub(crate) fn collect(&self, candidates: &mut Candidates) {
        candidates.clear(self.grid.properties());
        for (index, &resource) in self.sample.iter().enumerate() {
            if self.available[index] {
                candidates.push(resource, &self.grid.resources()[resource].capacity, self.free(index));
            }
        }
    }

    /// Updates a resource for the window from `time` on.
    pub(crate) fn update(&mut self, index: usize, time: SimTime) {
        let timetable = self.grid.timetable(self.sample[index]);
        let end = time + self.request.duration;
        let steps = timetable.steps_of(time, end);
        self.first[index] = steps.first;
        // The step that begins at `enters` is in the window an instant after its end reaches it.
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
