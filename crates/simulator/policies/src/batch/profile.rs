//! How many nodes are free when.

use dfrsim_model::{SimSpan, SimTime};

/// The free nodes as a step function of time, from now to the end of time.
///
/// Intervals are half-open: a job that ends at a moment has left for one that starts then.
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
#[derive(Clone, Debug)]
pub struct Profile {
    nodes: u64,
    /// By rising time, neighbours with different counts; the last one holds for ever.
    steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    from: SimTime,
    /// Below zero where nodes are closed that a job still has.
    free: i64,
}

impl Profile {
    /// All of this many nodes are free for ever.
    pub fn new(nodes: impl Into<u64>) -> Profile {
        let nodes = nodes.into();
        Profile { nodes, steps: vec![Step { from: SimTime::ZERO, free: signed(nodes) }] }
    }

    /// Takes back all reservations, and begins again at this moment.
    pub fn clear(&mut self, from: SimTime) {
        self.steps.clear();
        self.steps.push(Step { from, free: signed(self.nodes) });
    }

    /// Forgets what was before now.
    pub fn advance(&mut self, now: SimTime) {
        if now <= self.steps[0].from {
            return;
        }
        let passed = self.steps.partition_point(|step| step.from <= now) - 1;
        self.steps.drain(..passed);
        self.steps[0].from = now;
    }

    /// The earliest moment, not before `from`, from which `width` nodes are free for `span`, which must not be
    /// zero; [`SimTime::MAX`] if there is none.
    pub fn earliest(&self, from: SimTime, width: impl Into<u64>, span: SimSpan) -> SimTime {
        // Only jobs without any estimate hold their nodes for ever: then there may be no such moment.
        self.earliest_or_held(from, width, span, SimTime::MAX)
    }

    /// Like [`Profile::earliest`] for a job that has a reservation of `width` nodes for `span` from `held` on and
    /// would give it up for an earlier one: the moment at which it can start, `held` at the latest.
    ///
    /// Since its own nodes are free for itself, only what is before `held` matters, and the reservation may stay
    /// in the profile meanwhile.
    pub fn earliest_or_held(
        &self,
        from: SimTime,
        width: impl Into<u64>,
        span: SimSpan,
        held: SimTime,
    ) -> SimTime {
        let width = signed(width.into());
        // Mostly it is the first step in which the search begins.
        let is_first = self.steps.get(1).is_none_or(|second| second.from > from);
        let mut at = if is_first { 0 } else { self.steps.partition_point(|step| step.from <= from) - 1 };
        let mut start = from;
        while start < held {
            // `at` is the step in which `start` lies; look for the first obstacle before the end.
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

    /// Like [`Profile::earliest`] where nodes only come free: any job that can start can go on.
    pub fn earliest_where_rising(&self, from: SimTime, width: impl Into<u64>) -> SimTime {
        let width = signed(width.into());
        debug_assert!(self.steps.is_sorted_by_key(|step| step.free), "nodes only come free");
        let first = self.steps.partition_point(|step| step.free < width);
        self.steps.get(first).map_or(SimTime::MAX, |step| step.from.max(from))
    }

    /// What is free all the time from one moment, not in the past, to another.
    pub fn least(&self, start: SimTime, end: SimTime) -> u64 {
        let at = self.steps.partition_point(|step| step.from <= start).saturating_sub(1);
        let steps = self.steps[at..].iter().take_while(|step| step.from < end || step.from <= start);
        steps.map(|step| step.free).min().map_or(0, |least| u64::try_from(least).unwrap_or(0))
    }

    /// The next moment after another one from which more is free.
    pub(super) fn next_rise(&self, after: SimTime) -> Option<SimTime> {
        let at = self.steps.partition_point(|step| step.from <= after).saturating_sub(1);
        let rise = self.steps[at..].windows(2).find(|pair| pair[1].free > pair[0].free);
        rise.map(|pair| pair[1].from)
    }

    /// The reserved area, in nodes * microseconds; endless reservations do not count.
    pub fn reserved(&self) -> u128 {
        let span = |pair: &[Step]| u128::from(pair[1].from.since(pair[0].from).micros());
        self.steps
            .windows(2)
            .map(|pair| u128::from(self.nodes.saturating_add_signed(-pair[0].free)) * span(pair))
            .sum()
    }

    /// Takes `width` nodes from `start` to `end`; they must be free, or closed nodes that a job still has.
    pub fn reserve(&mut self, start: SimTime, end: SimTime, width: impl Into<u64>) {
        self.change(start, end, -signed(width.into()));
    }

    /// Gives `width` nodes back from `start` to `end`.
    pub fn release(&mut self, start: SimTime, end: SimTime, width: impl Into<u64>) {
        self.change(start, end, signed(width.into()));
    }

    /// Moves a reservation of `width` nodes to an earlier start: only what one span has and the other has not changes.
    pub(super) fn move_up(
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

    /// Adds an amount, which may be below zero, from `start` to `end`.
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
        // All steps in between moved by the same amount: only the two borders can have come or gone.
        let joins_first = begins && before == Some(steps[first].free);
        let joins_last = ends && steps[last].free == until + amount;
        let new_first = || Step { from: start, free: before.expect("a profile begins before") + amount };
        let new_last = Step { from: end, free: until };
        match (begins, joins_first, ends, joins_last) {
            // A border that moves: what is behind it stays where it is.
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
    /// Whether the step at a place is there and begins at a moment.
    fn begins(steps: &[Step], at: usize, time: SimTime) -> bool {
        steps.get(at).is_some_and(|step| step.from == time)
    }
}

/// Amounts of a pool are far below 2^63.
#[inline]
fn signed(amount: u64) -> i64 {
    amount.cast_signed()
}
