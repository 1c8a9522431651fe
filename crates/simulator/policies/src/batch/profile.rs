//! Free nodes as a function of time.

use dfrsim_model::platform::common::CommonResource;
use dfrsim_model::{SimSpan, SimTime};
use std::sync::Arc;

/// Free nodes as a step function of time, from now on without end.
///
/// Intervals are half-open: the nodes of a job that ends at some time are free for a job that starts
/// at that time.
///
/// ```
/// use dfrsim_model::{SimSpan, SimTime};
/// use dfrsim_policies::batch::Profile;
/// let second = SimTime::from_secs;
/// let mut profile = Profile::new(4_u32);
/// profile.reserve(second(0), second(10), 3_u32);
/// assert_eq!(profile.earliest(second(0), 1_u32, SimSpan::from_secs(99)), second(0));
/// assert_eq!(profile.earliest(second(0), 2_u32, SimSpan::from_secs(99)), second(10));
/// assert_eq!(profile.reserved(), 3 * 10_000_000);
/// ```
#[derive(Debug)]
pub struct Profile {
    nodes: u64,
    /// Steps in ascending order of time, with different counts for adjacent steps; the last one has
    /// no end.
    steps: Vec<Step>,
    /// Resource of the whole cluster whose amount repeats: of its largest amount, which is `nodes`, less
    /// is free than the steps say, by the difference to the amount of the time.
    repeating: Option<Arc<CommonResource>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    from: SimTime,
    /// Free nodes; negative where closed nodes are still in use by a job.
    free: i64,
}

impl Clone for Profile {
    fn clone(&self) -> Profile {
        Profile { nodes: self.nodes, steps: self.steps.clone(), repeating: self.repeating.clone() }
    }

    fn clone_from(&mut self, other: &Profile) {
        self.nodes = other.nodes;
        self.steps.clone_from(&other.steps);
        self.repeating.clone_from(&other.repeating);
    }
}

impl Profile {
    /// Creates a profile in which all `nodes` nodes are always free.
    pub fn new(nodes: impl Into<u64>) -> Profile {
        let nodes = nodes.into();
        Profile { nodes, steps: vec![Step { from: SimTime::ZERO, free: signed(nodes) }], repeating: None }
    }

    /// Creates the profile of a resource of the whole cluster, all of which is free, from `now` on.
    pub(super) fn of_common(resource: &CommonResource, now: SimTime) -> Profile {
        let largest = resource.largest_amount();
        let mut profile = Profile::new(largest);
        profile.clear(now);
        if resource.period.is_some() {
            profile.repeating = Some(Arc::new(resource.clone()));
            return profile;
        }
        for (from, until, amount) in resource.spans_between(now, SimTime::MAX) {
            profile.reserve(from, until, largest - amount);
        }
        profile
    }

    /// Cancels all reservations, and lets the profile begin at `from`.
    pub fn clear(&mut self, from: SimTime) {
        self.steps.clear();
        self.steps.push(Step { from, free: signed(self.nodes) });
    }

    /// Drops the steps before `now`.
    pub fn advance(&mut self, now: SimTime) {
        if now <= self.steps[0].from {
            return;
        }
        let passed = self.steps.partition_point(|step| step.from <= now) - 1;
        self.steps.drain(..passed);
        self.steps[0].from = now;
    }

    /// Returns the earliest time, not before `from`, from which `width` nodes are free for `span`,
    /// which must not be zero; [`SimTime::MAX`] if there is none.
    pub fn earliest(&self, from: SimTime, width: impl Into<u64>, span: SimSpan) -> SimTime {
        // Only jobs without an estimate occupy their nodes for ever; then the job may never fit.
        self.earliest_or_reserved(from, width, span, SimTime::MAX)
    }

    /// Returns the earliest start of a job that holds a reservation of `width` nodes for `span` from
    /// `held` on and would replace it by an earlier one; `held` if there is none.
    ///
    /// Since the job's own nodes count as free for it, only the profile before `held` matters, and
    /// the reservation may remain in the profile during the search.
    pub fn earliest_or_reserved(
        &self,
        from: SimTime,
        width: impl Into<u64>,
        span: SimSpan,
        held: SimTime,
    ) -> SimTime {
        let width = signed(width.into());
        if let Some(resource) = &self.repeating {
            return self.earliest_of_repeating(resource, (from, held), width, span);
        }
        // Fast path: most searches begin in the first step.
        let is_first = self.steps.get(1).is_none_or(|second| second.from > from);
        let mut at = if is_first { 0 } else { self.steps.partition_point(|step| step.from <= from) - 1 };
        let mut start = from;
        while start < held {
            // `at` is the step that contains `start`; find the first step before the end that has
            // too few nodes.
            let end = start.saturating_add(span).min(held);
            let obstacle =
                self.steps[at..].iter().take_while(|step| step.from < end).position(|step| step.free < width);
            let Some(obstacle) = obstacle else { return start };
            at += obstacle;
            let Some(clear) = self.steps[at..].iter().position(|step| step.free >= width) else {
                return held;
            };
            at += clear;
            start = self.steps[at].from;
        }
        held
    }

    /// Iterates over the free amounts of a resource that repeats, from `from` on, as begin and amount.
    fn free_of_repeating<'a>(
        &'a self,
        resource: &'a CommonResource,
        from: SimTime,
    ) -> impl Iterator<Item = (SimTime, i64)> + 'a {
        let mut next = Some(from);
        std::iter::from_fn(move || {
            let time = next?;
            let at = self.steps.partition_point(|step| step.from <= time);
            let missing = signed(self.nodes - resource.amount_at(time));
            let step = self.steps.get(at).map(|step| step.from);
            let change = resource.later_steps(time).next().map(|(from, _)| from);
            next = step.into_iter().chain(change).min();
            Some((time, self.steps[at.saturating_sub(1)].free - missing))
        })
    }

    /// Finds the earliest start, as [`Profile::earliest_or_reserved`] does, for a resource that repeats.
    /// After the last step of the profile, all is as in the first two rounds.
    #[inline(never)]
    fn earliest_of_repeating(
        &self,
        resource: &CommonResource,
        (from, held): (SimTime, SimTime),
        width: i64,
        span: SimSpan,
    ) -> SimTime {
        let period = resource.period.unwrap_or(SimSpan::ZERO);
        let last = self.steps.last().map_or(from, |step| step.from.max(from));
        let settled = last.saturating_add(period).saturating_add(period);
        let mut start = from;
        while start < held && start <= settled {
            let end = start.saturating_add(span).min(held);
            let until = end.min(settled.max(start).saturating_add(period));
            let mut free = self.free_of_repeating(resource, start);
            let Some(_) = free.by_ref().take_while(|(from, _)| *from < until).find(|it| it.1 < width) else {
                return start;
            };
            let clear = free.take_while(|(from, _)| *from <= settled).find(|it| it.1 >= width);
            let Some((clear, _)) = clear else { return held };
            start = clear;
        }
        held
    }

    /// Returns the earliest start, as [`Profile::earliest`] does, for a profile that never
    /// decreases: a job that fits once fits from then on.
    pub fn earliest_if_non_decreasing(&self, from: SimTime, width: impl Into<u64>) -> SimTime {
        let width = signed(width.into());
        debug_assert!(
            self.steps.is_sorted_by_key(|step| step.free),
            "the free nodes must not decrease over time"
        );
        let first = self.steps.partition_point(|step| step.free < width);
        self.steps.get(first).map_or(SimTime::MAX, |step| step.from.max(from))
    }

    /// Returns the minimum number of free nodes between `start`, which must not be in the past, and
    /// `end`; 0 if it is negative.
    pub fn min_free(&self, start: SimTime, end: SimTime) -> u64 {
        if let Some(resource) = &self.repeating {
            return self.min_free_of_repeating(resource, start, end);
        }
        let at = self.steps.partition_point(|step| step.from <= start).saturating_sub(1);
        let steps = self.steps[at..].iter().take_while(|step| step.from < end || step.from <= start);
        steps.map(|step| step.free).min().map_or(0, |least| u64::try_from(least).unwrap_or(0))
    }

    /// Returns the minimum free amount, as [`Profile::min_free`] does, of a resource that repeats.
    #[inline(never)]
    fn min_free_of_repeating(&self, resource: &CommonResource, start: SimTime, end: SimTime) -> u64 {
        let period = resource.period.unwrap_or(SimSpan::ZERO);
        let last = self.steps.last().map_or(start, |step| step.from.max(start));
        let until = end.min(last.saturating_add(period).saturating_add(period));
        let steps =
            self.free_of_repeating(resource, start).take_while(|(from, _)| *from < until || *from <= start);
        steps.map(|(_, free)| free).min().map_or(0, |least| u64::try_from(least).unwrap_or(0))
    }

    /// Returns the first time after `after` at which the number of free nodes increases.
    pub(super) fn next_rise(&self, after: SimTime) -> Option<SimTime> {
        let at = self.steps.partition_point(|step| step.from <= after).saturating_sub(1);
        let rise = self.steps[at..].windows(2).find(|pair| pair[1].free > pair[0].free);
        rise.map(|pair| pair[1].from)
    }

    /// Returns the reserved area, in nodes * microseconds; reservations without end are excluded.
    pub fn reserved(&self) -> u128 {
        let span = |pair: &[Step]| u128::from(pair[1].from.since(pair[0].from).micros());
        self.steps
            .windows(2)
            .map(|pair| u128::from(self.nodes.saturating_add_signed(-pair[0].free)) * span(pair))
            .sum()
    }

    /// Reserves `width` nodes from `start` to `end`. They must be free, or closed nodes that a job
    /// still uses.
    pub fn reserve(&mut self, start: SimTime, end: SimTime, width: impl Into<u64>) {
        self.change(start, end, -signed(width.into()));
    }

    /// Releases `width` nodes from `start` to `end`.
    pub fn release(&mut self, start: SimTime, end: SimTime, width: impl Into<u64>) {
        self.change(start, end, signed(width.into()));
    }

    /// Moves a reservation of `width` nodes to an earlier start, changing only the steps in which
    /// the two intervals differ.
    pub(super) fn move_earlier(
        &mut self,
        (start, end): (SimTime, SimTime),
        (new_start, new_end): (SimTime, SimTime),
        width: impl Into<u64>,
    ) {
        let width = signed(width.into());
        self.change(new_start, start.min(new_end), -width);
        self.change(start.max(new_end), end, width);
        self.change(end, new_end, -width);
    }

    /// Adds `amount`, which may be negative, from `start` to `end`.
    fn change(&mut self, start: SimTime, end: SimTime, amount: i64) {
        if start >= end || amount == 0 {
            return;
        }
        let steps = &mut self.steps;
        let first = steps.partition_point(|step| step.from < start);
        let last = first + steps[first..].partition_point(|step| step.from < end);
        let (begins, ends) = (Step::begins(steps, first, start), Step::begins(steps, last, end));
        let (before, until) = (first.checked_sub(1).map(|at| steps[at].free), steps[last.max(1) - 1].free);
        steps[first..last].iter_mut().for_each(|step| step.free += amount);
        // All steps in between change by the same amount, so that only the two boundary steps can be
        // inserted or removed.
        let joins_first = begins && before == Some(steps[first].free);
        let joins_last = ends && steps[last].free == until + amount;
        let new_first = || Step {
            from: start,
            free: before.expect("the profile must begin at or before the start of the change") + amount,
        };
        let new_last = Step { from: end, free: until };
        match (begins, joins_first, ends, joins_last) {
            // One boundary is inserted and the other removed: move only the steps in between.
            (false, _, _, true) => {
                let new_first = new_first();
                steps.copy_within(first..last, first + 1);
                steps[first] = new_first;
            }
            (_, true, false, _) => {
                steps.copy_within(first + 1..last, first);
                steps[last - 1] = new_last;
            }
            _ => {
                if joins_last {
                    steps.remove(last);
                } else if !ends {
                    steps.insert(last, new_last);
                }
                if joins_first {
                    steps.remove(first);
                } else if !begins {
                    steps.insert(first, new_first());
                }
            }
        }
    }
}

impl Step {
    /// Returns whether the step at index `at` exists and begins at `time`.
    fn begins(steps: &[Step], at: usize, time: SimTime) -> bool {
        steps.get(at).is_some_and(|step| step.from == time)
    }
}

/// Converts an amount to a signed number; amounts of a pool are far below 2^63.
#[inline]
fn signed(amount: u64) -> i64 {
    amount.cast_signed()
}
/// Finds the first time from `from` on from which all of these amounts are free for `span`, one of each
/// profile; `None` if there is none.
pub(super) fn first_with_amounts(
    profiles: &[Profile],
    amounts: &[u64],
    from: SimTime,
    span: SimSpan,
) -> Option<SimTime> {
    let mut start = from;
    loop {
        let mut next = start;
        for (profile, &amount) in profiles.iter().zip(amounts).filter(|(_, amount)| **amount > 0) {
            next = profile.earliest(next, amount, span);
        }
        if next == start {
            return (start < SimTime::MAX).then_some(start);
        }
        start = next;
    }
}
