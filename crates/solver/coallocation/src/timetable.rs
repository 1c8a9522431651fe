//! Reservation timetable of one resource.

use dfrsim_model::SimTime;
use dfrsim_model::coallocation::Reservation;

/// Reserved amounts of each property of a resource over time (T of section 2): a step function.
///
/// All properties share their steps, since a reservation covers each of them. The maximum over a
/// window takes time linear in the number of its steps, a new reservation takes time linear in the
/// number of all steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timetable {
    /// Start times of steps: strictly ascending, from time 0. The last step never ends.
    starts: Vec<SimTime>,
    /// Reserved amount of each property in each step.
    reserved: Vec<Vec<u64>>,
}

/// A range of steps, from `first` up to but excluding `end`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps {
    pub(crate) first: usize,
    pub(crate) end: usize,
}

impl Timetable {
    /// Creates a timetable without reservations, for this number of properties.
    pub fn new(properties: usize) -> Timetable {
        Timetable::with_reservations(properties, [])
    }

    /// Creates a timetable with these reservations, whichever resource they name; faster than adding
    /// them one by one.
    ///
    /// # Panics
    ///
    /// If a reservation does not have `properties` amounts.
    pub fn with_reservations<'a>(
        properties: usize,
        reservations: impl IntoIterator<Item = &'a Reservation>,
    ) -> Timetable {
        let mut changes: Vec<(SimTime, bool, &[u64])> = Vec::new();
        for each in reservations {
            assert_eq!(each.amounts.len(), properties, "a reservation has an amount of each property");
            changes.extend([(each.from, true, &*each.amounts), (each.until, false, &*each.amounts)]);
        }
        changes.sort_unstable_by_key(|&(time, ..)| time);
        let mut starts = vec![SimTime::ZERO];
        let mut reserved = vec![vec![0]; properties];
        // The sum of reservations may exceed 64 bits; the grid then rejects it.
        let mut sums = vec![0_i128; properties];
        for together in changes.chunk_by(|one, other| one.0 == other.0) {
            for &(_, begins, amounts) in together {
                for (sum, &amount) in sums.iter_mut().zip(amounts) {
                    *sum += if begins { i128::from(amount) } else { -i128::from(amount) };
                }
            }
            let time = together[0].0;
            if time > SimTime::ZERO {
                starts.push(time);
                reserved.iter_mut().for_each(|levels| levels.push(0));
            }
            for (levels, &sum) in reserved.iter_mut().zip(&sums) {
                *levels.last_mut().expect("there is a first step") = u64::try_from(sum).unwrap_or(u64::MAX);
            }
        }
        Timetable { starts, reserved }
    }

    /// Returns the number of steps; at most two per reservation, plus one.
    pub fn steps(&self) -> usize {
        self.starts.len()
    }

    /// Computes the maximum reserved amount of a property from `from` up to but excluding `until`,
    /// in millionths; 0 for an empty window.
    pub fn maximum(&self, property: usize, from: SimTime, until: SimTime) -> u64 {
        if from >= until { 0 } else { self.peak(property, self.steps_of(from, until)) }
    }

    /// Returns the reserved amount of a property at a time, in millionths.
    pub fn at(&self, property: usize, time: SimTime) -> u64 {
        self.reserved[property][self.step_at(time)]
    }

    /// Adds a reservation without a capacity check: see [`Grid::reserve`](crate::Grid::reserve).
    pub(crate) fn add(&mut self, from: SimTime, until: SimTime, amounts: &[u64]) {
        if from >= until {
            return;
        }
        let (first, end) = (self.split(from), self.split(until));
        for (levels, &amount) in self.reserved.iter_mut().zip(amounts) {
            levels[first..end].iter_mut().for_each(|level| *level += amount);
        }
    }

    /// Returns the maximum of a property over these steps.
    pub(crate) fn peak(&self, property: usize, steps: Steps) -> u64 {
        self.reserved[property][steps.first..steps.end].iter().copied().max().unwrap_or(0)
    }

    /// Returns the steps that overlap a window, which must not be empty.
    pub(crate) fn steps_of(&self, from: SimTime, until: SimTime) -> Steps {
        let first = self.step_at(from);
        let end = first + 1 + self.starts[first + 1..].partition_point(|&start| start < until);
        Steps { first, end }
    }

    fn step_at(&self, time: SimTime) -> usize {
        self.starts.partition_point(|&start| start <= time) - 1
    }

    /// Returns the start of a step; [`SimTime::MAX`] for the one after the last.
    pub(crate) fn start_of(&self, step: usize) -> SimTime {
        self.starts.get(step).copied().unwrap_or(SimTime::MAX)
    }

    /// Returns the first step after `step` at whose start the reserved amount of some property
    /// decreases.
    pub(crate) fn next_release(&self, step: usize) -> usize {
        let releases = |&later: &usize| self.reserved.iter().any(|levels| levels[later] < levels[later - 1]);
        (step + 1..self.steps()).find(releases).unwrap_or(self.steps())
    }

    /// Returns the step that starts at this time; creates it if there is none.
    fn split(&mut self, time: SimTime) -> usize {
        let step = self.step_at(time);
        if self.starts[step] == time {
            return step;
        }
        self.starts.insert(step + 1, time);
        for levels in &mut self.reserved {
            levels.insert(step + 1, levels[step]);
        }
        step + 1
    }
}
