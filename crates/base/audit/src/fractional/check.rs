//! Follows what a fractional policy decides.

use super::memory::Memory;
use super::name::Arrival;
use super::ranking::Ranking;
use super::weights::Weights;
use super::{FractionalPolicy, FractionalRule, MOST_TICKS, shares};
use crate::Phase;
use crate::job::Job;
use crate::platform::{Platform, Window};
use crate::priority::PriorityRule;
use dfrsim_model::priority::Priorities;
use dfrsim_model::{SimTime, VirtualTime};
use std::collections::BTreeMap;

/// The jobs in the system, by their number.
type Jobs = BTreeMap<u64, Job>;

/// The change of a job at one time.
#[derive(Debug)]
struct Change {
    line: u64,
    record: &'static str,
    /// Its state before.
    phase: Phase,
    /// Where it was before.
    placement: Vec<(u32, u32)>,
    tasks: u32,
    memory: u32,
}

/// A fault of a job, and the line of its change, if it has one.
type Found = (u64, Option<u64>, FractionalRule);

/// Follows a schedule moment by moment.
#[derive(Debug)]
pub(crate) struct FractionalCheck {
    policy: FractionalPolicy,
    first_submission: Option<u64>,
    /// As the policy finds it: what completes is gone, and what is decided has not happened.
    memory: Memory,
    submitted: Vec<u64>,
    has_completions: bool,
    changes: BTreeMap<u64, Change>,
    /// Whether nodes went down or came up in this moment: then jobs may change for that reason.
    platform_changed: bool,
    /// The windows that were announced before this moment. Jobs leave their nodes a microsecond before one begins.
    windows: Vec<Window>,
    /// Jobs that were interrupted in this moment by a window, each with a node of it.
    by_window: Vec<(u64, u32)>,
    weights: Weights,
    /// Whether yields are judged by them.
    has_weights: bool,
    /// Whether decisions are judged: not at a site with priorities or limits.
    is_judged: bool,
}

impl FractionalCheck {
    pub(crate) fn new(policy: FractionalPolicy, nodes: u32) -> FractionalCheck {
        FractionalCheck {
            policy,
            first_submission: None,
            memory: Memory::new(nodes),
            submitted: Vec::new(),
            has_completions: false,
            changes: BTreeMap::new(),
            platform_changed: false,
            windows: Vec::new(),
            by_window: Vec::new(),
            weights: Weights::default(),
            has_weights: false,
            is_judged: true,
        }
    }

    /// Jobs have weights; what is wrong with that.
    pub(crate) fn priority(&mut self, settings: &Priorities) -> Option<PriorityRule> {
        self.is_judged = settings.are_plain();
        if self.policy.knows_weights && settings.have_weights() {
            self.weights = Weights::new(settings);
            self.has_weights = true;
        }
        None
    }

    pub(crate) fn submit(&mut self, job: u64, now: u64) {
        self.first_submission.get_or_insert(now);
        self.submitted.push(job);
    }

    pub(crate) fn complete(&mut self, job: &Job) {
        self.has_completions = true;
        self.memory.give_back(&job.placement, job.memory);
    }

    pub(crate) fn platform(&mut self, platform: &Platform) {
        self.platform_changed = true;
        self.memory.set_down(&platform.down);
        self.windows.clone_from(&platform.windows);
    }

    /// A job that was on these nodes waits now, or is lost.
    pub(crate) fn interrupt(&mut self, number: u64, now: u64, job: &Job, on: &[(u32, u32)]) {
        self.platform_changed = true;
        let begins = |node: u32| self.windows.iter().any(|window| window.from == now && window.has(node));
        let by_window = on.iter().map(|&(node, _)| node).find(|&node| begins(node));
        self.by_window.extend(by_window.filter(|_| self.policy.pauses()).map(|node| (number, node)));
        self.memory.give_back(on, job.memory);
    }

    /// A job is about to change.
    pub(crate) fn change(&mut self, line: u64, number: u64, record: &'static str, job: &Job) {
        let Job { phase, tasks, memory, .. } = *job;
        let placement = job.placement.clone();
        // A second change in the moment is a fault of its own.
        self.changes.entry(number).or_insert(Change { line, record, phase, placement, tasks, memory });
    }

    /// Checks the decision at one time once all of its records are known. A fault is reported with its job and the line
    /// of its change, if it has one.
    pub(crate) fn settle(
        &mut self,
        now: u64,
        jobs: &Jobs,
        mut fault: impl FnMut(u64, Option<u64>, FractionalRule),
    ) {
        let mut found = Vec::new();
        let not_drained =
            self.by_window.drain(..).map(|(job, node)| (job, None, FractionalRule::NotDrained { node }));
        found.extend(not_drained);
        let drains = self.windows.iter().any(|window| window.from.checked_sub(1) == Some(now));
        let is_moved = std::mem::take(&mut self.platform_changed) || drains;
        if self.is_judged && (!is_moved || self.is_tick(now)) {
            self.judge(now, jobs, &mut found);
        }
        if self.has_weights {
            shares::judge(jobs, &self.weights, |number, rule| {
                found.push((number, self.changes.get(&number).map(|change| change.line), rule));
            });
        }
        found.into_iter().for_each(|(job, line, rule)| fault(job, line, rule));
        for (number, change) in std::mem::take(&mut self.changes) {
            self.memory.give_back(&change.placement, change.memory);
            if let Some(job) = jobs.get(&number) {
                self.memory.take(&job.placement, job.memory);
            }
        }
        self.submitted.clear();
        self.has_completions = false;
    }

    /// Checks the ticks between one time and the next one, for which the file has no records: they changed no
    /// allocation.
    pub(crate) fn pass(
        &self,
        now: u64,
        until: u64,
        jobs: &Jobs,
        mut fault: impl FnMut(u64, u64, FractionalRule),
    ) {
        let period = self.policy.period.filter(|_| self.is_judged);
        let (Some(first), Some(period)) = (self.first_submission, period) else { return };
        let period = period.micros().max(1);
        let passed = (now - first) / period;
        let ticks = (1..=MOST_TICKS)
            .map_while(|more| passed.checked_add(more)?.checked_mul(period)?.checked_add(first));
        for tick in ticks.take_while(|&tick| tick < until) {
            if let Some((job, lower)) = self.passed_over_by_mcb(tick, jobs) {
                let at = Some(SimTime::from_micros(tick));
                return fault(job, tick, FractionalRule::Priority { lower, tick: at });
            }
        }
    }

    fn ranking(&self) -> Ranking<'_> {
        Ranking { ahead: self.policy.ahead, estimates: self.policy.estimates, weights: &self.weights }
    }

    fn is_tick(&self, now: u64) -> bool {
        let since = self.first_submission.map_or(0, |first| now - first);
        self.policy.period.is_some_and(|period| since > 0 && since.is_multiple_of(period.micros().max(1)))
    }

    fn judge(&mut self, now: u64, jobs: &Jobs, found: &mut Vec<Found>) {
        let arrival = self.policy.arrival;
        let (arrives, ends) = (!self.submitted.is_empty(), self.has_completions);
        let by_mcb = arrival == Arrival::Mcb && (arrives || ends && self.policy.opportunistic);
        self.judge_rejections(jobs, found);
        if self.is_tick(now) || by_mcb {
            if let Some((job, lower)) = self.passed_over_by_mcb(now, jobs) {
                let line = self.changes.get(&job).map(|change| change.line);
                found.push((job, line, FractionalRule::Priority { lower, tick: None }));
            }
            return;
        }
        self.judge_reasons(found);
        self.judge_those_who_give_way(now, jobs, found);
        match arrival {
            Arrival::Waits | Arrival::Mcb => {}
            Arrival::InTurn => {
                judge_yields(jobs, found);
                if arrives || ends {
                    let waiting = self.waiting_before(jobs);
                    self.judge_in_turn(&waiting, found);
                }
            }
            Arrival::Greedy => {
                let mut in_turn = Vec::new();
                if ends && self.policy.opportunistic {
                    in_turn = self.ranking().ranked(self.waiting_before(jobs).into_iter(), now);
                    in_turn.retain(|(number, _)| !self.submitted.contains(number));
                }
                in_turn.extend(self.submitted.iter().filter_map(|number| Some((*number, jobs.get(number)?))));
                self.judge_in_turn(&in_turn, found);
            }
            Arrival::Pauses | Arrival::Moves if self.policy.retry || self.policy.spread => {
                self.judge_those_who_wait(now, jobs, found);
            }
            // What starts may give way again in the same moment.
            Arrival::Pauses | Arrival::Moves if ends && self.policy.opportunistic && arrives => {}
            Arrival::Pauses | Arrival::Moves if arrives => {
                if let [number] = self.submitted[..]
                    && let Some(job) = jobs.get(&number)
                {
                    self.judge_admission(now, number, job, jobs, found);
                }
            }
            Arrival::Pauses | Arrival::Moves => {
                if ends && self.policy.opportunistic {
                    let in_turn = self.ranking().ranked(self.waiting_before(jobs).into_iter(), now);
                    self.judge_in_turn(&in_turn, found);
                }
            }
        }
    }

    fn judge_rejections(&self, jobs: &Jobs, found: &mut Vec<Found>) {
        let in_turn = self.policy.arrival == Arrival::InTurn;
        for (&number, change) in self.changes.iter().filter(|(_, change)| change.record == "reject") {
            if !in_turn || self.memory.fits_when_empty(change.memory, change.tasks) {
                found.push((number, Some(change.line), FractionalRule::Rejected));
            }
        }
        for number in self.submitted.iter().filter(|_| in_turn) {
            if jobs.get(number).is_some_and(|job| !self.memory.fits_when_empty(job.memory, job.tasks)) {
                found.push((*number, None, FractionalRule::NotRejected));
            }
        }
    }

    /// Whether each change has a reason, at a moment at which not all jobs are mapped.
    fn judge_reasons(&self, found: &mut Vec<Found>) {
        let arrival = self.policy.arrival;
        let arrives = !self.submitted.is_empty();
        let tries = self.has_completions && self.policy.opportunistic;
        let in_turn = arrival == Arrival::InTurn && (arrives || self.has_completions);
        let FractionalPolicy { retry, swap, .. } = self.policy;
        // With retries a job may arrive at any time, and others may give way to it.
        let comes = retry && self.changes.keys().any(|&number| self.starts(number));
        for (&number, change) in &self.changes {
            let has_reason = match change.record {
                "start" => {
                    tries || retry || in_turn || arrival != Arrival::Waits && self.submitted.contains(&number)
                }
                "resume" => tries || swap.is_some(),
                "pause" => (arrives || comes) && matches!(arrival, Arrival::Pauses | Arrival::Moves),
                "migrate" => (arrives || comes) && arrival == Arrival::Moves,
                _ => true,
            };
            if !has_reason {
                let record = change.record;
                found.push((number, Some(change.line), FractionalRule::Unprompted { record }));
            }
        }
    }

    fn is_too_young(&self, job: &Job, now: u64) -> bool {
        job.length_at(now, self.policy.estimates) < VirtualTime::of(self.policy.safe).units()
    }

    /// Whether each job that gives way, at a moment at which not all jobs are mapped, may be one that does.
    fn judge_those_who_give_way(&self, now: u64, jobs: &Jobs, found: &mut Vec<Found>) {
        let (safe, ranking) = (self.policy.safe, self.ranking());
        let of = |record: &'static str| {
            self.changes.iter().filter(move |(_, change)| change.record == record).map(|(&number, _)| number)
        };
        let only_resumed = self.submitted.is_empty() && of("start").next().is_none();
        let priority = |number: u64| ranking.priority(&jobs[&number], now);
        let highest = of("resume").map(priority).fold(0.0, f64::max);
        for number in of("pause").chain(of("migrate")) {
            let line = self.changes.get(&number).map(|change| change.line);
            if self.is_too_young(&jobs[&number], now) {
                found.push((
                    number,
                    line,
                    FractionalRule::TooYoung { safe, by_estimates: self.policy.estimates },
                ));
            }
            if let Some(factor) = self.policy.swap.filter(|_| only_resumed)
                && priority(number) * f64::from(factor) > highest * (1.0 + 1e-9)
            {
                found.push((number, line, FractionalRule::Displaced { factor }));
            }
        }
    }

    /// Of these jobs, those for which there is room before the decision, or can be made.
    fn admissible(&mut self, now: u64, jobs: &Jobs, of: impl Fn(u64) -> bool) -> Vec<(u64, u32)> {
        let mut away = Vec::new();
        for (number, job) in jobs.iter().filter(|(_, job)| !self.is_too_young(job, now)) {
            let place = match self.changes.get(number) {
                Some(change) => (change.phase, change.placement.clone(), change.memory),
                None => (job.phase, job.placement.clone(), job.memory),
            };
            away.extend(Some(place).filter(|(phase, ..)| *phase == Phase::Running));
        }
        away.iter().for_each(|(_, placement, memory)| self.memory.give_back(placement, *memory));
        let mut found = Vec::new();
        for (&number, job) in jobs.iter().filter(|&(&number, _)| of(number)) {
            found.extend(self.memory.has_room(job.memory, job.tasks).then_some((number, job.tasks)));
        }
        away.iter().for_each(|(_, placement, memory)| self.memory.take(placement, *memory));
        found
    }

    /// Whether, at a time at which no job moved, there is no room for any of the jobs that are tried, and none can be
    /// made.
    fn judge_those_who_wait(&mut self, now: u64, jobs: &Jobs, found: &mut Vec<Found>) {
        if self.changes.values().any(|change| change.record != "yield") {
            return;
        }
        let (all, submitted) = (self.policy.retry, self.submitted.clone());
        let is_tried =
            |number: u64| jobs[&number].phase == Phase::Waiting && (all || submitted.contains(&number));
        for (number, tasks) in self.admissible(now, jobs, is_tried) {
            found.push((number, None, FractionalRule::NotAdmitted { tasks, room: "can be made" }));
        }
    }

    /// The jobs that wait or are paused as the policy decides.
    fn waiting_before<'a>(&self, jobs: &'a Jobs) -> Vec<(u64, &'a Job)> {
        let all = jobs.iter().map(|(&number, job)| (number, job));
        all.filter(|(number, job)| {
            let before = self.changes.get(number).map_or(job.phase, |change| change.phase);
            before != Phase::Running
        })
        .collect()
    }

    fn starts(&self, number: u64) -> bool {
        self.changes.get(&number).is_some_and(|change| matches!(change.record, "start" | "resume"))
    }

    /// Jobs that are tried in this order start where their memory is free.
    fn judge_in_turn(&mut self, in_turn: &[(u64, &Job)], found: &mut Vec<Found>) {
        let mut started = Vec::new();
        for (place, &(number, job)) in in_turn.iter().enumerate() {
            if self.starts(number) {
                self.memory.take(&job.placement, job.memory);
                started.push(job);
            } else if self.memory.has_room(job.memory, job.tasks) {
                let mut later = in_turn[place..].iter().map(|(number, _)| *number);
                let (tasks, other) = (job.tasks, later.find(|&number| self.starts(number)));
                let rule = match self.submitted.contains(&number) {
                    true => FractionalRule::NotAdmitted { tasks, room: "is free" },
                    false => FractionalRule::PassedOver { tasks, other },
                };
                found.push((number, None, rule));
            }
        }
        for job in started {
            self.memory.give_back(&job.placement, job.memory);
        }
    }

    /// One job arrives, and jobs of low priority may give way to it.
    fn judge_admission(&mut self, now: u64, arrived: u64, job: &Job, jobs: &Jobs, found: &mut Vec<Found>) {
        if !self.starts(arrived) {
            for (number, tasks) in self.admissible(now, jobs, |number| number == arrived) {
                found.push((number, None, FractionalRule::NotAdmitted { tasks, room: "can be made" }));
            }
            return;
        }
        let ran = |number: u64, job: &Job| {
            self.changes.get(&number).map_or(job.phase, |change| change.phase) == Phase::Running
        };
        let running =
            jobs.iter().map(|(&number, job)| (number, job)).filter(|&(number, job)| ran(number, job));
        let running = running.filter(|(_, job)| !self.is_too_young(job, now));
        let lowest_first: Vec<u64> =
            self.ranking().ranked(running, now).into_iter().rev().map(|(number, _)| number).collect();
        let gives_way = |number: &u64| {
            self.changes.get(number).is_some_and(|change| matches!(change.record, "pause" | "migrate"))
        };
        let Some(highest) = lowest_first.iter().rposition(gives_way) else { return };
        // Where a job is before the decision.
        let before = |number: &u64| match self.changes.get(number) {
            Some(change) => (change.placement.clone(), change.memory),
            None => (jobs[number].placement.clone(), jobs[number].memory),
        };
        let lower: Vec<_> = lowest_first[..highest].iter().map(before).collect();
        let away: Vec<u64> = lowest_first.iter().copied().filter(gives_way).collect();
        let line = |number: u64| self.changes.get(&number).map(|change| change.line);
        let lines: Vec<Option<u64>> = away.iter().map(|&number| line(number)).collect();
        let highest = lowest_first[highest];
        let line_of_highest = line(highest);
        let places: Vec<_> = away.iter().map(before).collect();
        lower.iter().for_each(|(placement, memory)| self.memory.give_back(placement, *memory));
        if self.memory.has_room(job.memory, job.tasks) {
            found.push((highest, line_of_highest, FractionalRule::LowerMakeRoom { arrived }));
        }
        lower.iter().for_each(|(placement, memory)| self.memory.take(placement, *memory));

        places.iter().for_each(|(placement, memory)| self.memory.give_back(placement, *memory));
        for ((&number, (placement, memory)), &line) in away.iter().zip(&places).zip(&lines) {
            self.memory.take(placement, *memory);
            let fits_beside = self.memory.has_room(job.memory, job.tasks);
            self.memory.give_back(placement, *memory);
            if fits_beside && jobs[&number].phase == Phase::Paused {
                found.push((number, line, FractionalRule::FitsBeside { arrived }));
            }
        }
        if self.policy.arrival == Arrival::Moves {
            let after: Vec<u64> = away.iter().copied().chain([arrived]).collect();
            after.iter().for_each(|number| self.memory.take(&jobs[number].placement, jobs[number].memory));
            for (&number, &line) in away.iter().zip(&lines) {
                let paused = &jobs[&number];
                if paused.phase == Phase::Paused && self.memory.has_room(paused.memory, paused.tasks) {
                    found.push((number, line, FractionalRule::CouldMove { tasks: paused.tasks }));
                }
            }
            after
                .iter()
                .for_each(|number| self.memory.give_back(&jobs[number].placement, jobs[number].memory));
        }
        places.iter().for_each(|(placement, memory)| self.memory.take(placement, *memory));
    }

    /// The job of the highest priority that does not run, and that of the lowest that does, if these are the wrong way round
    /// after all jobs were mapped.
    fn passed_over_by_mcb(&self, now: u64, jobs: &Jobs) -> Option<(u64, u64)> {
        if self.policy.budget {
            return None;
        }
        let ranking = self.ranking();
        let (mut left_out, mut lowest) = (None, None);
        for (&number, job) in jobs {
            let this = (number, job);
            let (extreme, is_new): (&mut Option<(u64, &Job)>, _) = if job.phase == Phase::Running {
                let is_new = lowest.is_none_or(|lowest| ranking.precedes(lowest, this, now));
                (&mut lowest, is_new)
            } else {
                let is_new = self.memory.fits_on_those_up(job.memory, job.tasks)
                    && left_out.is_none_or(|highest| ranking.precedes(this, highest, now));
                (&mut left_out, is_new)
            };
            if is_new {
                *extreme = Some(this);
            }
        }
        let (left_out, lowest) = (left_out?, lowest?);
        ranking.precedes(left_out, lowest, now).then_some((left_out.0, lowest.0))
    }
}

/// All running jobs have the same yield.
fn judge_yields(jobs: &Jobs, found: &mut Vec<Found>) {
    let mut running = jobs.iter().filter(|(_, job)| job.phase == Phase::Running);
    let Some((&other, first)) = running.next() else { return };
    if let Some((&number, job)) = running.find(|(_, job)| job.job_yield != first.job_yield) {
        let (found_yield, expected) = (job.job_yield, first.job_yield);
        found.push((number, None, FractionalRule::Unequal { found: found_yield, other, expected }));
    }
}
