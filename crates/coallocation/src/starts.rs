//! Phase III: the moments at which a job might start, and what is free then.

use crate::sufficiency::Sufficiency;
use crate::timetable::Steps;
use crate::{Candidates, Grid};
use dfrsim_model::coallocation::Request;
use dfrsim_model::{SimSpan, SimTime};

/// A moment is the least step of time.
const INSTANT: SimSpan = SimSpan::from_micros(1);

/// Goes through the potential starts in their order, and keeps what is reserved of each resource over the time that the
/// job would take from there.
///
/// What is free over the window [t, t + duration) grows only where a reservation ends, so those moments and the earliest
/// start are enough (section 3.3). A resource is looked at again only when a step of its timetable enters or leaves the
/// window, and its maximum is looked up only when the step that leaves had it: a start costs little more than a glance
/// at each resource.
pub(crate) struct Starts<'a> {
    grid: &'a Grid,
    request: &'a Request,
    sample: Vec<usize>,
    begun: bool,
    /// Whether more of some resource may be had than when candidates were last found to be insufficient.
    gained: bool,
    /// By resource of the sample: the step at which some reservation next ends, and when that is.
    release_step: Vec<usize>,
    release: Vec<SimTime>,
    /// The steps that the window touches, and until when these are the same.
    window: Vec<Steps>,
    valid_until: Vec<SimTime>,
    /// The most that is reserved in the window: an amount for each property and resource of the sample.
    reserved: Vec<u64>,
    available: Vec<bool>,
}

impl<'a> Starts<'a> {
    pub(crate) fn new(grid: &'a Grid, request: &'a Request, sample: Vec<usize>) -> Starts<'a> {
        let count = sample.len();
        let mut starts = Starts {
            grid,
            request,
            sample: Vec::new(),
            begun: false,
            gained: true,
            release_step: Vec::with_capacity(count),
            release: Vec::with_capacity(count),
            window: Vec::with_capacity(count),
            valid_until: vec![SimTime::ZERO; count],
            reserved: vec![0; count * grid.properties()],
            available: vec![false; count],
        };
        for &resource in &sample {
            let timetable = grid.timetable(resource);
            let first = timetable.step_at(request.earliest);
            let step = timetable.next_release(first);
            starts.release_step.push(step);
            starts.release.push(timetable.start_of(step));
            starts.window.push(Steps { first, end: first });
        }
        starts.sample = sample;
        starts
    }

    /// The next potential start at which N resources are available that might come to the totals; they are then
    /// `candidates`.
    pub(crate) fn next_sufficient(
        &mut self,
        candidates: &mut Candidates,
        sufficiency: &mut Sufficiency,
    ) -> Option<SimTime> {
        loop {
            let start = self.advance()?;
            // With no more than when it was too little, it still is.
            if !self.gained {
                continue;
            }
            self.collect(candidates);
            if candidates.len() >= self.request.resources
                && sufficiency.of_candidates(candidates, self.request)
            {
                return Some(start);
            }
            self.gained = false;
        }
    }

    /// The next potential start.
    fn advance(&mut self) -> Option<SimTime> {
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
    fn collect(&self, candidates: &mut Candidates) {
        let properties = self.grid.properties();
        candidates.clear(properties);
        for (index, &resource) in self.sample.iter().enumerate().filter(|(index, _)| self.available[*index]) {
            let reserved = &self.reserved[index * properties..][..properties];
            candidates.push(resource, &self.grid.resources()[resource].capacity, reserved);
        }
    }

    /// Looks again at the resources of which other steps are in the window from `time` on.
    fn look_from(&mut self, time: SimTime) {
        for index in 0..self.sample.len() {
            if self.valid_until[index] <= time {
                self.look_at(index, time);
            }
        }
    }

    fn look_at(&mut self, index: usize, time: SimTime) {
        let resource = self.sample[index];
        let timetable = self.grid.timetable(resource);
        let end = time + self.request.duration;
        let before = self.window[index];
        let mut window = before;
        while timetable.start_of(window.first + 1) <= time {
            window.first += 1;
        }
        window.end = window.end.max(window.first);
        while timetable.start_of(window.end) < end {
            window.end += 1;
        }
        self.window[index] = window;
        // The step that begins at `enters` is in the window an instant after its end reaches it.
        let (leaves, enters) = (timetable.start_of(window.first + 1), timetable.start_of(window.end));
        let enters = match enters {
            SimTime::MAX => SimTime::MAX,
            enters => time + (enters.since(end) + INSTANT),
        };
        self.valid_until[index] = leaves.min(enters);

        let properties = self.grid.properties();
        let reserved = &mut self.reserved[index * properties..][..properties];
        let left = before.first..window.first.min(before.end);
        let entered = before.end.max(window.first)..window.end;
        for (property, reserved) in reserved.iter_mut().enumerate() {
            let levels = timetable.levels(property);
            let most =
                |steps: &std::ops::Range<usize>| levels[steps.clone()].iter().copied().max().unwrap_or(0);
            let had = *reserved;
            *reserved = if !left.is_empty() && most(&left) == had {
                timetable.maximum_over(property, window)
            } else {
                had.max(most(&entered))
            };
            self.gained |= *reserved < had;
        }
        let capacity = &self.grid.resources()[resource].capacity;
        let mut amounts = capacity.iter().zip(&*reserved).zip(&self.request.minimum);
        self.available[index] =
            amounts.all(|((&capacity, &reserved), &minimum)| capacity - reserved >= minimum);
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
