//! Ranked preemption.

use super::FullSpeedPolicy;
use super::free_nodes::FreeNodes;
use super::seen::{Decided, SeenJob, Situation, State};
use crate::Phase;
use dfrsim_model::Yield;
use std::cmp::Ordering;

const SECOND: u64 = 1_000_000;
/// Ends of the levels of `LAS` but the last, in seconds of work.
const LEVEL_ENDS: [u64; 7] = [60, 240, 960, 3_840, 15_360, 61_440, 245_760];

/// Returns the work in whole microseconds.
fn work(job: &SeenJob) -> u64 {
    (job.done >> Yield::BITS) as u64
}

/// Returns the end of the level that a job is in, in microseconds of work; `None` in the last one.
fn level_end(job: &SeenJob) -> Option<u64> {
    LEVEL_ENDS.into_iter().map(|end| end * SECOND).find(|end| u128::from(*end) << Yield::BITS > job.done)
}

/// Multiplies two numbers exactly; the result is in units of 2^64 and the rest.
fn product(one: u64, other: u128) -> (u128, u64) {
    let low = u128::from(one) * (other & u128::from(u64::MAX));
    (u128::from(one) * (other >> 64) + (low >> 64), low as u64)
}

/// Compares the ranks of two jobs; the smaller one is tried first.
fn compare(policy: FullSpeedPolicy, one: &SeenJob, other: &SeenJob) -> Ordering {
    match policy {
        FullSpeedPolicy::FlowOverWork => {
            // The flow time of a running job counts three times; work is in milliseconds.
            let flow = |job: &SeenJob| {
                job.flow.saturating_add(2_700 * SECOND).saturating_mul(if job.is_running() { 3 } else { 1 })
            };
            let square = |job: &SeenJob| (u128::from(work(job)) / 1_000).pow(2);
            if (square(one), square(other)) == (0, 0) {
                return flow(other).cmp(&flow(one));
            }
            product(flow(other), square(one)).cmp(&product(flow(one), square(other)))
        }
        FullSpeedPolicy::Attained => {
            let level = |job: &SeenJob| level_end(job).unwrap_or(u64::MAX);
            level(one).cmp(&level(other))
        }
        _ => one.remaining.cmp(&other.remaining),
    }
}

/// A decision in the making.
struct RankedDecider<'a> {
    policy: FullSpeedPolicy,
    situation: &'a Situation<'a>,
    /// Jobs on nodes, the last rank first.
    running: Vec<u64>,
    /// Jobs that start or resume.
    placed: Vec<u64>,
    free: FreeNodes,
    decided: Decided,
}

/// Recomputes a decision of ranked preemption.
pub(super) fn decide(policy: FullSpeedPolicy, situation: &Situation<'_>) -> Decided {
    let jobs = situation.jobs;
    let mut decider = RankedDecider {
        policy,
        situation,
        running: Vec::new(),
        placed: Vec::new(),
        free: situation.nodes(),
        decided: Decided::default(),
    };
    let mut ranked: Vec<u64> = jobs.keys().copied().collect();
    ranked.sort_by(|one, other| compare(policy, &jobs[one], &jobs[other]).then(one.cmp(other)));
    for &number in ranked.iter().rev().filter(|number| jobs[number].is_running()) {
        decider.running.push(number);
        decider.free.take(jobs[&number].size(), &jobs[&number].state.place);
    }
    let before = decider.running.len();
    let idle: Vec<u64> = ranked.into_iter().filter(|number| !jobs[number].is_running()).collect();
    let waiting = idle.into_iter().filter(|&number| !decider.place(number)).count();
    if waiting > 0 || decider.running.len() < before {
        decider.decided.wake = decider.wake().into_iter().chain(situation.next_step).min();
    }
    decider.decided
}

impl RankedDecider<'_> {
    /// Places a job, if necessary in place of running ones; returns whether there is room.
    fn place(&mut self, number: u64) -> bool {
        let job = &self.situation.jobs[&number];
        let level = job.first_level(|size| self.free.fits(size, job.tasks));
        if level.is_none() && !self.make_room(number) {
            return false;
        }
        // Others are paused for full speed only.
        let level = level.unwrap_or(0);
        let Some(place) = self.free.place(job.at(level), job.tasks) else { return false };
        let state = State { phase: Phase::Running, place, job_yield: Yield::ONE.units(), level };
        self.decided.changed.insert(number, state);
        self.placed.push(number);
        true
    }

    /// Pauses jobs of a later rank for a job; returns false, without a change, if that does not suffice.
    fn make_room(&mut self, number: u64) -> bool {
        let jobs = self.situation.jobs;
        let job = &jobs[&number];
        let is_later = |other: &u64| compare(self.policy, &jobs[other], job).is_gt();
        let candidates: Vec<u64> =
            self.running.iter().copied().filter(|it| is_later(it) && self.may_pause(&jobs[it])).collect();
        let free_without = |leaving: &[u64]| {
            let mut free = self.situation.nodes();
            for other in self.running.iter().filter(|it| !leaving.contains(it)) {
                free.take(jobs[other].size(), &jobs[other].state.place);
            }
            for other in &self.placed {
                let State { place, level, .. } = &self.decided.changed[other];
                free.take(jobs[other].at(*level), place);
            }
            free
        };
        let enough = |leaving: &[u64]| free_without(leaving).fits(job.size(), job.tasks);
        let Some(count) = (1..=candidates.len()).find(|&count| enough(&candidates[..count])) else {
            return false;
        };
        let mut leaving = candidates[..count].to_vec();
        for at in (0..count).rev() {
            let victim = leaving.remove(at);
            if !enough(&leaving) {
                leaving.insert(at, victim);
            }
        }
        self.free = free_without(&leaving);
        self.running.retain(|other| !leaving.contains(other));
        let paused = State { phase: Phase::Paused, ..State::default() };
        self.decided.changed.extend(leaving.into_iter().map(|victim| (victim, paused.clone())));
        true
    }

    /// Returns whether a running job may be paused.
    fn may_pause(&self, job: &SeenJob) -> bool {
        let (work, penalties) = (work(job), job.paid.saturating_add(self.situation.penalty));
        self.policy != FullSpeedPolicy::FlowOverWork
            || work >= 30 * SECOND && penalties <= work.saturating_mul(30)
    }

    /// Returns the time of the next decision without an event, if a job waits.
    fn wake(&self) -> Option<u64> {
        let Situation { now, jobs, penalty, .. } = *self.situation;
        if self.policy == FullSpeedPolicy::FlowOverWork {
            return Some(now.saturating_add(60 * SECOND));
        }
        let leaves_level = |job: &SeenJob, idle: u64| {
            let left = (u128::from(level_end(job)?) << Yield::BITS) - job.done;
            Some(now.saturating_add(idle).saturating_add(left.div_ceil(1 << Yield::BITS) as u64))
        };
        let placed = self.placed.iter().map(|number| &jobs[number]);
        let placed = placed.map(|job| (job, if job.state.phase == Phase::Paused { penalty } else { 0 }));
        let running = self.running.iter().map(|number| &jobs[number]).map(|job| (job, job.penalty_left));
        let levels = placed.chain(running).filter_map(|(job, idle)| leaves_level(job, idle)).min();
        levels.filter(|_| self.policy == FullSpeedPolicy::Attained)
    }
}
