//! Search for the order in which the whole queue is planned, of which [`WaitPower`] has the rules.

use super::allocation::{Occupancy, Slot};
use super::pools::Pools;
use super::queue::Waiting;
use super::state::BatchState;
use super::timeline::Timeline;
use dfrsim_model::SimTime;
use dfrsim_model::batch::WaitPower;
use std::cmp::{Ordering, Reverse};

/// Number of places between two timelines of a plan that are kept.
const STRIDE: usize = 8;

/// Generator of random numbers (Steele, Lea and Flood 2014).
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Draws an index below `count`.
    fn index(&mut self, count: usize) -> usize {
        ((u128::from(self.next()) * count as u128) >> 64) as usize
    }

    /// Draws a number above 0 and at most 1.
    fn part(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 * (-53.0_f64).exp2()
    }
}

/// Plan of the jobs in an order.
#[derive(Default)]
struct OrderedPlan {
    /// Slot of the job at each place.
    slots: Vec<Option<(SimTime, Slot)>>,
    /// Scores of the jobs before each place, and of all.
    scores: Vec<u128>,
    /// Timeline before each place that is a multiple of [`STRIDE`].
    timelines: Vec<Timeline>,
}

impl OrderedPlan {
    /// Creates the plan of `count` jobs, none of which has a slot.
    fn new(count: usize, timeline: &Timeline) -> OrderedPlan {
        OrderedPlan {
            slots: vec![None; count],
            scores: vec![0; count + 1],
            timelines: vec![timeline.clone(); count.div_ceil(STRIDE)],
        }
    }

    /// Exchanges the parts of two plans that a change of the order from a place on affects.
    fn exchange_from(&mut self, place: usize, other: &mut OrderedPlan) {
        let timeline = place / STRIDE + 1;
        self.slots[place..].swap_with_slice(&mut other.slots[place..]);
        self.scores[place + 1..].swap_with_slice(&mut other.scores[place + 1..]);
        self.timelines[timeline..].swap_with_slice(&mut other.timelines[timeline..]);
    }
}

/// Search among the orders of some jobs.
struct Search<'a> {
    pools: &'a Pools,
    now: SimTime,
    exponent: u32,
    jobs: &'a [Waiting],
    /// Start that each job would have alone beside the running jobs, which is no later than any other.
    alone: Vec<Option<SimTime>>,
    /// Score of each job with that start, and their sum.
    least: Vec<u128>,
    least_sum: u128,
    /// Present order, as indices of jobs, and its plan.
    order: Vec<usize>,
    plan: OrderedPlan,
    /// Plan of the order that is tried. The jobs before its first change are those of the present plan.
    trial: OrderedPlan,
    timeline: Timeline,
}

/// Returns the score of a job that starts at `start`; `None` if it has no slot.
fn score(job: &Waiting, start: Option<SimTime>, exponent: u32) -> u128 {
    let most = u128::from(u32::MAX);
    let wait = start.map(|start| start.saturating_since(job.job.submit).micros() / 1_000_000);
    wait.map_or(most, |wait| most.min(wait.into())).pow(exponent)
}

impl<'a> Search<'a> {
    /// Begins a search in the order of the queue; `None` if no job fits now.
    fn new(
        pools: &'a Pools,
        now: SimTime,
        jobs: &'a [Waiting],
        timeline: &Timeline,
        exponent: u32,
    ) -> Option<Search<'a>> {
        let alone = |job| timeline.earliest(pools, now, job, SimTime::MAX).map(|(start, _)| start);
        let alone: Vec<Option<SimTime>> = jobs.iter().map(alone).collect();
        alone.iter().find(|start| **start == Some(now))?;
        let least: Vec<u128> =
            jobs.iter().zip(&alone).map(|(job, start)| score(job, *start, exponent)).collect();
        Some(Search {
            pools,
            now,
            exponent,
            jobs,
            alone,
            least_sum: least.iter().sum(),
            least,
            order: (0..jobs.len()).collect(),
            plan: OrderedPlan::new(jobs.len(), timeline),
            trial: OrderedPlan::new(jobs.len(), timeline),
            timeline: timeline.clone(),
        })
    }

    /// Plans the order on trial, which is that of the present plan before the place `from`. Returns the
    /// score; `None` if it is not below the limit.
    fn plan_trial(&mut self, from: usize, limit: f64) -> Option<u128> {
        let Search { pools, exponent, jobs, ref alone, ref least, least_sum, .. } = *self;
        let (OrderedPlan { slots, scores, timelines }, trial) = (&self.plan, &mut self.trial);
        let (timeline, kept) = (&mut self.timeline, from / STRIDE);
        timeline.copy_from(&timelines[kept]);
        for place in kept * STRIDE..from {
            if let Some(slot) = &slots[place] {
                timeline.allocate(pools, occupied(&jobs[self.order[place]], slot));
            }
        }
        let mut sum = scores[from];
        let mut rest = least_sum - self.order[..from].iter().map(|&job| least[job]).sum::<u128>();
        for place in from..jobs.len() {
            if place > from && place % STRIDE == 0 {
                trial.timelines[place / STRIDE].copy_from(timeline);
            }
            let job = &jobs[self.order[place]];
            let first = alone[self.order[place]];
            let slot = first.and_then(|first| timeline.earliest(pools, first, job, SimTime::MAX));
            sum += score(job, slot.as_ref().map(|slot| slot.0), exponent);
            rest -= least[self.order[place]];
            if (sum + rest) as f64 >= limit {
                return None;
            }
            trial.scores[place + 1] = sum;
            if let Some(slot) = slot.as_ref().filter(|_| place + 1 < jobs.len()) {
                timeline.allocate(pools, occupied(job, slot));
            }
            trial.slots[place] = slot;
        }
        Some(sum)
    }

    /// Returns whether no job is before one of a higher priority.
    fn has_priorities(&self) -> bool {
        self.order.is_sorted_by_key(|&job| Reverse(self.jobs[job].priority))
    }

    /// Tries all permutations; returns the first one with the least score.
    fn try_all(mut self) -> Vec<usize> {
        let (mut best, mut least) = (self.order.clone(), f64::INFINITY);
        loop {
            if self.has_priorities()
                && let Some(score) = self.plan_trial(0, least)
            {
                (best, least) = (self.order.clone(), score as f64);
            }
            if !next_permutation(&mut self.order) {
                return best;
            }
        }
    }

    /// Returns the candidates for the first order, that of the queue first.
    fn candidates(&self) -> Vec<Vec<usize>> {
        let jobs = self.jobs;
        let mut all = vec![self.order.clone()];
        let mut add = |compare: &dyn Fn(&Waiting, &Waiting) -> Ordering| {
            for is_reversed in [true, false] {
                let mut order = self.order.clone();
                order.sort_by(|&a, &b| {
                    let by_key = compare(&jobs[a], &jobs[b]);
                    let by_key = if is_reversed { by_key.reverse() } else { by_key };
                    jobs[b].priority.cmp(&jobs[a].priority).then(by_key)
                });
                all.push(order);
            }
        };
        add(&|a, b| a.job.size.cmp(&b.job.size));
        add(&|a, b| b.job.estimate.cmp(&a.job.estimate));
        let amounts = |job: &Waiting| &self.pools.requests.get(job.request).common;
        let resources = jobs.iter().map(|job| amounts(job).len()).max().unwrap_or(0);
        for at in 0..resources {
            let amount = |job: &Waiting| u128::from(amounts(job).get(at).copied().unwrap_or(0));
            add(&|a, b| amount(a).cmp(&amount(b)));
            let times = |a: &Waiting, b: &Waiting| amount(a) * u128::from(b.job.size.max(1));
            add(&|a, b| times(a, b).cmp(&times(b, a)));
        }
        all
    }

    /// Anneals from the best candidate on; returns the best order.
    fn anneal(mut self) -> Vec<usize> {
        let (mut present, mut most, mut start) = (u128::MAX, 0, self.order.clone());
        for candidate in self.candidates() {
            self.order = candidate;
            let Some(score) = self.plan_trial(0, f64::INFINITY) else { continue };
            most = most.max(score);
            if score < present {
                (present, start) = (score, self.order.clone());
                self.plan.exchange_from(0, &mut self.trial);
            }
        }
        self.order = start;
        let (mut best, mut least) = (self.order.clone(), present);
        let mut temperature = most.saturating_sub(present) as f64;
        if temperature == 0.0 {
            return best;
        }
        let mut random = SplitMix64(self.now.micros());
        for _ in 0..WaitPower::COOLING_STEPS {
            for _ in 0..WaitPower::TRIALS {
                let (one, other) = (random.index(self.order.len()), random.index(self.order.len()));
                let limit = present as f64 - temperature * libm::log(random.part());
                let [first, second] = [one, other].map(|place| &self.jobs[self.order[place]]);
                if one == other || first.priority != second.priority {
                    continue;
                }
                self.order.swap(one, other);
                let from = one.min(other);
                let Some(score) = self.plan_trial(from, limit) else {
                    self.order.swap(one, other);
                    continue;
                };
                present = score;
                self.plan.exchange_from(from, &mut self.trial);
                if score < least {
                    (best, least) = (self.order.clone(), score);
                }
            }
            temperature = (temperature * WaitPower::COOLING_RATE).max(1.0);
        }
        best
    }
}

/// Returns the occupancy of a job with a slot.
fn occupied<'a>(job: &Waiting, (start, (allocation, end)): &'a (SimTime, Slot)) -> Occupancy<'a> {
    Occupancy { request: job.request, allocation, size: job.job.size, start: *start, end: *end }
}

/// Changes an order to the next one in the lexicographic order; returns false if it was the last one.
fn next_permutation(order: &mut [usize]) -> bool {
    let Some(at) = order.windows(2).rposition(|pair| pair[0] < pair[1]) else { return false };
    let next = order.iter().rposition(|&other| other > order[at]).unwrap_or(at);
    order.swap(at, next);
    order[at + 1..].reverse();
    true
}

impl BatchState {
    /// Puts the queue in the order that a search finds, given the timeline of the running jobs.
    pub(super) fn order_by_search(&mut self, now: SimTime, timeline: &Timeline, power: WaitPower) {
        let places: Vec<usize> =
            (0..self.queue.jobs.len()).filter(|&at| !self.is_blocked(self.queue.jobs[at].job.job)).collect();
        if places.len() < 2 {
            return;
        }
        let jobs: Vec<Waiting> = places.iter().map(|&at| self.planned(now, at)).collect();
        let search = Search::new(&self.pools, now, &jobs, timeline, power.exponent());
        let Some(search) = search else { return };
        let order = if jobs.len() <= WaitPower::MOST_EXHAUSTIVE { search.try_all() } else { search.anneal() };
        let mut waiting: Vec<Option<Waiting>> = self.queue.jobs.drain(..).map(Some).collect();
        let mut from: Vec<usize> = (0..waiting.len()).collect();
        places.iter().zip(order).for_each(|(&at, job)| from[at] = places[job]);
        self.queue.jobs.extend(from.into_iter().filter_map(|at| waiting[at].take()));
    }
}
