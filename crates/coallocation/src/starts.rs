//! Phase III: the moments at which a job might start, and what is free then.

use crate::{Candidates, Grid};
use dfrsim_model::coallocation::Request;
use dfrsim_model::{SimSpan, SimTime};

/// A moment is the least step of time.
const INSTANT: SimSpan = SimSpan::from_micros(1);

/// Goes through the potential starts in their order, and keeps what is reserved of each resource over the time that the
/// job would take from there.
///
/// What is free over the window [t, t + duration) grows only where a reservation ends, so those moments and the earliest
/// start are enough (section 3.3). A resource is looked up again only when a step of its timetable enters or leaves the
/// window, so that a start costs little more than a glance at each resource.
pub(crate) struct Starts<'a> {
    grid: &'a Grid,
    request: &'a Request,
    sample: &'a [usize],
    begun: bool,
    /// By resource of the sample: the step at which some reservation next ends, and when that is.
    release_step: Vec<usize>,
    release: Vec<SimTime>,
    /// Until when `reserved` holds.
    valid_until: Vec<SimTime>,
    /// The most that is reserved in the window: an amount for each property and resource of the sample.
    reserved: Vec<u64>,
    available: Vec<bool>,
}

impl<'a> Starts<'a> {
    pub(crate) fn new(grid: &'a Grid, request: &'a Request, sample: &'a [usize]) -> Starts<'a> {
        let count = sample.len();
        let mut starts = Starts {
            grid,
            request,
            sample,
            begun: false,
            release_step: Vec::with_capacity(count),
            release: Vec::with_capacity(count),
            valid_until: vec![SimTime::ZERO; count],
            reserved: vec![0; count * grid.properties()],
            available: vec![false; count],
        };
        for &resource in sample {
            let timetable = grid.timetable(resource);
            let step = timetable.next_release(timetable.step_at(request.earliest));
            starts.release_step.push(step);
            starts.release.push(timetable.start_of(step));
        }
        starts
    }

    /// The next potential start, whose resources are then to be had from [`Starts::collect`].
    pub(crate) fn advance(&mut self) -> Option<SimTime> {
        if !self.begun {
            self.begun = true;
            self.look_from(self.request.earliest);
            return Some(self.request.earliest);
        }
        loop {
            let time = self.release.iter().copied().min()?;
            if time > self.request.latest {
                return None;
            }
            self.look_from(time);
            if self.pass_releases(time) {
                return Some(time);
            }
        }
    }

    /// Puts the resources that are available from the current start on into `candidates`.
    pub(crate) fn collect(&self, candidates: &mut Candidates) {
        let properties = self.grid.properties();
        candidates.clear(properties);
        let rows = self.reserved.chunks_exact(properties.max(1));
        for ((&resource, reserved), _) in
            self.sample.iter().zip(rows).zip(&self.available).filter(|(_, available)| **available)
        {
            candidates.push(resource, &self.grid.resources()[resource].capacity, reserved);
        }
    }

    /// Looks up what is reserved from `time` on, where it may have changed.
    fn look_from(&mut self, time: SimTime) {
        let properties = self.grid.properties();
        for (index, &resource) in self.sample.iter().enumerate() {
            if self.valid_until[index] > time {
                continue;
            }
            let timetable = self.grid.timetable(resource);
            let steps = timetable.steps_of(time, time + self.request.duration);
            let (leaves, enters) = (timetable.start_of(steps.first + 1), timetable.start_of(steps.end));
            // The step that begins at `enters` is in the window an instant after its end reaches it.
            let enters = match enters {
                SimTime::MAX => SimTime::MAX,
                enters => time + (enters.since(time + self.request.duration) + INSTANT),
            };
            self.valid_until[index] = leaves.min(enters);
            let reserved = &mut self.reserved[index * properties..(index + 1) * properties];
            for (property, reserved) in reserved.iter_mut().enumerate() {
                *reserved = timetable.maximum_over(property, steps);
            }
            let capacity = &self.grid.resources()[resource].capacity;
            let mut amounts = capacity.iter().zip(&*reserved).zip(&self.request.minimum);
            self.available[index] =
                amounts.all(|((&capacity, &reserved), &minimum)| capacity - reserved >= minimum);
        }
    }

    /// Moves on from the reservations that end at `time`; whether one of their resources is available then.
    fn pass_releases(&mut self, time: SimTime) -> bool {
        let mut any = false;
        for (index, &resource) in self.sample.iter().enumerate() {
            if self.release[index] == time {
                any |= self.available[index];
                let timetable = self.grid.timetable(resource);
                self.release_step[index] = timetable.next_release(self.release_step[index]);
                self.release[index] = timetable.start_of(self.release_step[index]);
            }
        }
        any
    }
}
