//! Checks of the records under a policy that runs jobs at full speed or not at all.

use super::FullSpeedPolicy;
use super::due;
use super::free_nodes::{Amount, FreeNodes};
use super::gang::Turn;
use super::ranked;
use super::seen::{Decided, SeenJob, Situation, State};
use crate::Phase;
use crate::check::{Change, Check, Jobs, ReportViolation};
use crate::common::{amount_at, lasting_amount, least_from, next_step};
use crate::devices::{DeviceList, Triples};
use crate::job::Job;
use crate::levels::by_level;
use crate::nodes::{Kind, Size};
use crate::placement;
use crate::platform::Platform;
use crate::unrecorded::UnrecordedDecisions;
use dfrsim_model::Yield;
use dfrsim_model::event::ResourceOfCluster;
use dfrsim_model::site::SiteSettings;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Job as known after the last decision or interruption. Times are in microseconds.
#[derive(Debug, Default)]
struct KnownJob {
    tasks: u32,
    /// Resources of a task and of the job at each speed level.
    sizes: Vec<Arc<Size>>,
    state: State,
    /// Estimated time to its end, while it is on no node.
    remaining: u64,
    /// Time before which the current run makes no progress.
    penalised_until: u64,
    /// Time spent on penalties before the current run.
    paid_before: u64,
    /// True if the current run began with a penalty after a pause.
    is_resumed: bool,
    /// Row of the matrix under gang scheduling.
    row: usize,
}

impl KnownJob {
    /// Returns the time without progress that is left of the current run.
    fn penalty_left(&self, now: u64) -> u64 {
        let left = self.penalised_until.saturating_sub(now);
        if self.state.phase == Phase::Running { left } else { 0 }
    }
    /// Returns the time spent on penalties by now.
    fn paid(&self, now: u64, penalty: u64) -> u64 {
        let of_this_run = penalty.saturating_sub(self.penalty_left(now));
        self.paid_before.saturating_add(if self.is_resumed { of_this_run } else { 0 })
    }
}

/// Checker that follows a schedule decision by decision.
#[derive(Debug)]
pub(crate) struct FullSpeedCheck {
    policy: FullSpeedPolicy,
    penalty: u64,
    kinds: Arc<Vec<Kind>>,
    /// True for each node that takes no job.
    closed: Vec<bool>,
    /// Resources of the whole cluster.
    common: Vec<ResourceOfCluster>,
    known: BTreeMap<u64, KnownJob>,
    turn: Turn,
    submitted: Vec<u64>,
    /// Line and name of the record that changes a job at the current time.
    changes: BTreeMap<u64, (u64, &'static str)>,
    /// Devices of the jobs that were placed at the current time.
    bound: BTreeMap<u64, DeviceList>,
    /// True if an event has occurred since the last decision.
    is_due: bool,
    /// Time of the next decision without an event.
    wake: Option<u64>,
    unrecorded: UnrecordedDecisions,
}

impl FullSpeedCheck {
    pub(crate) fn new(policy: FullSpeedPolicy, kinds: &Arc<Vec<Kind>>, penalty: u64) -> FullSpeedCheck {
        FullSpeedCheck {
            policy,
            penalty,
            kinds: Arc::clone(kinds),
            closed: vec![false; kinds.iter().map(|kind| kind.nodes as usize).sum()],
            common: Vec::new(),
            known: BTreeMap::new(),
            turn: Turn::default(),
            submitted: Vec::new(),
            changes: BTreeMap::new(),
            bound: BTreeMap::new(),
            is_due: false,
            wake: None,
            unrecorded: UnrecordedDecisions::default(),
        }
    }

    /// Returns whether a job is to be rejected: it is new, and does not fit the empty cluster.
    fn must_reject(&self, number: u64) -> bool {
        let holds_power = self.kinds.iter().any(Kind::has_used_power);
        let lasting = |it: &ResourceOfCluster| {
            let amount = if it.power && holds_power { least_from(it, u64::MAX) } else { lasting_amount(it) };
            Amount { is_power: it.power, amount, in_use: 0 }
        };
        let common: Vec<Amount> = self.common.iter().map(lasting).collect();
        let fits = |job: &KnownJob| FreeNodes::all(&self.kinds, &common).fits(&job.sizes[0], job.tasks);
        self.submitted.contains(&number) && self.known.get(&number).is_some_and(|job| !fits(job))
    }

    /// Returns what the idle cluster has as a whole at a time; of power the smallest amount from then on if
    /// jobs stay on nodes at a yield of 0 and hold a part of it.
    fn amounts(&self, time: u64) -> Vec<Amount> {
        let stays = matches!(self.policy, FullSpeedPolicy::Gang | FullSpeedPolicy::EarliestDue(_));
        let holds_power = stays && self.kinds.iter().any(Kind::has_used_power);
        let amount = |it: &ResourceOfCluster| match it.power && holds_power {
            true => least_from(it, time),
            false => amount_at(it, time),
        };
        let of = |it: &ResourceOfCluster| Amount { is_power: it.power, amount: amount(it), in_use: 0 };
        self.common.iter().map(of).collect()
    }

    /// Recomputes the decision of a time.
    fn decide(&mut self, now: u64, jobs: &Jobs) -> Decided {
        let see = |(number, known): (&u64, &KnownJob)| {
            let (job, penalty_left) = (jobs.get(number)?, known.penalty_left(now));
            let done = job.done_at(now);
            let left = (u128::from(job.estimate) << Yield::BITS).saturating_sub(done);
            let remaining = match known.state.phase {
                Phase::Running => {
                    (left.div_ceil(job.node_speed.max(1).into()) as u64).saturating_add(penalty_left)
                }
                _ => known.remaining,
            };
            let seen = SeenJob {
                tasks: known.tasks,
                sizes: known.sizes.clone(),
                state: known.state.clone(),
                flow: now - job.submit,
                estimate: job.estimate,
                done,
                remaining,
                penalty_left,
                paid: known.paid(now, self.penalty),
                row: known.row,
            };
            Some((*number, seen))
        };
        let known = self.known.iter().filter(|(number, _)| !self.must_reject(**number));
        let seen: BTreeMap<u64, SeenJob> = known.filter_map(see).collect();
        let situation = Situation {
            now,
            jobs: &seen,
            kinds: &self.kinds,
            closed: &self.closed,
            penalty: self.penalty,
            common: &self.amounts(now),
            next_step: self.common.iter().filter_map(|it| next_step(it, now)).min(),
        };
        match self.policy {
            FullSpeedPolicy::Gang => self.turn.decide(&situation),
            FullSpeedPolicy::EarliestDue(stretch) => due::decide(stretch, &situation),
            policy => ranked::decide(policy, &situation),
        }
    }

    /// Returns the first job whose record differs from a decision, with the difference.
    fn difference(&self, decided: &Decided, jobs: &Jobs) -> Option<(u64, String)> {
        let rejected = self.changes.iter().filter(|(_, (_, record))| *record == "reject");
        let rejected: BTreeSet<u64> = rejected.map(|(number, _)| *number).collect();
        let due: BTreeSet<u64> =
            self.submitted.iter().copied().filter(|number| self.must_reject(*number)).collect();
        let wrong = "it is rejected, but the policy does not reject such jobs";
        let wrong = rejected.difference(&due).map(|number| (*number, wrong.to_owned()));
        let missing = "it is not rejected, although its tasks do not fit on the empty cluster";
        let missing = due.difference(&rejected).map(|number| (*number, missing.to_owned()));
        let differs = |(number, known): (&u64, &KnownJob)| {
            let job = jobs.get(number)?;
            let right = decided.changed.get(number).unwrap_or(&known.state);
            let found = State {
                phase: job.phase,
                place: (job.placement.clone(), self.devices(*number, &known.state)),
                job_yield: if job.phase == Phase::Running { job.job_yield } else { 0 },
                level: job.level,
            };
            let rule = || format!("it is {}; the policy has it {}", describe(&found), describe(right));
            (found != *right).then(|| (*number, rule()))
        };
        let is_kept = |number: &u64| !due.contains(number) && !rejected.contains(number);
        let states = self.known.iter().filter(|(number, _)| is_kept(number)).filter_map(differs);
        wrong.chain(missing).chain(states).next()
    }

    /// Returns the devices of a job by the record, given its state before.
    fn devices(&self, number: u64, before: &State) -> DeviceList {
        match self.changes.get(&number).map(|change| change.1) {
            Some("start" | "resume" | "migrate") => self.bound.get(&number).cloned().unwrap_or_default(),
            Some("pause") => Vec::new(),
            _ => before.place.1.clone(),
        }
    }

    /// Takes over the state of the record.
    fn apply_record(&mut self, now: u64, jobs: &Jobs, rows: &BTreeMap<u64, usize>) {
        self.submitted.clear();
        let devices: BTreeMap<u64, DeviceList> =
            self.known.iter().map(|(number, known)| (*number, self.devices(*number, &known.state))).collect();
        self.bound.clear();
        for (number, (_, record)) in std::mem::take(&mut self.changes) {
            let Some((job, known)) = jobs.get(&number).zip(self.known.get_mut(&number)) else {
                self.known.remove(&number);
                continue;
            };
            match record {
                "pause" => {
                    known.paid_before = known.paid(now, self.penalty);
                    known.is_resumed = false;
                    known.remaining = job.remaining_after_pause(now, self.penalty);
                }
                "resume" => {
                    known.is_resumed = true;
                    known.penalised_until = job.penalised_until();
                }
                "start" => {
                    known.is_resumed = false;
                    known.penalised_until = job.penalised_until();
                    known.row = rows.get(&number).copied().unwrap_or(0);
                }
                _ => {}
            }
            let place = (job.placement.clone(), devices.get(&number).cloned().unwrap_or_default());
            known.state = State { phase: job.phase, place, job_yield: job.job_yield, level: job.level };
        }
    }

    /// Returns whether decisions can still be checked.
    fn is_known(&self) -> bool {
        !self.unrecorded.are_incomplete()
    }
}

impl Check for FullSpeedCheck {
    fn classes(&mut self, kinds: &Arc<Vec<Kind>>) {
        self.kinds = Arc::clone(kinds);
    }
    fn common(&mut self, resources: &[ResourceOfCluster]) {
        self.common = resources.to_vec();
    }
    fn priority(&mut self, _: &SiteSettings, _: &[Kind]) {}
    fn platform(&mut self, platform: &Platform) {
        self.is_due = true;
        self.closed = platform.closed();
    }

    fn submit(&mut self, number: u64, _: u64, job: &Job) {
        self.is_due = true;
        self.submitted.push(number);
        let (tasks, sizes) = (job.tasks, by_level(&self.kinds, &self.common, job));
        let known = KnownJob { tasks, sizes, remaining: job.estimate, ..KnownJob::default() };
        self.known.insert(number, known);
    }
    fn change(&mut self, Change { line, job, record, .. }: Change<'_>) -> Option<String> {
        // A second change at the same time is reported elsewhere.
        self.changes.entry(job).or_insert((line, record));
        None
    }
    fn bind(&mut self, job: u64, devices: &Triples) {
        self.bound.insert(job, devices.to_vec());
    }
    fn interrupt(&mut self, number: u64, _: u64, waits: Option<u64>) {
        self.is_due = true;
        let Some((remaining, known)) = waits.zip(self.known.get_mut(&number)) else {
            self.known.remove(&number);
            return;
        };
        if std::mem::take(&mut known.is_resumed) {
            known.paid_before = known.paid_before.saturating_add(self.penalty);
        }
        (known.state, known.remaining) = (State::default(), remaining);
    }
    fn complete(&mut self, number: u64, now: u64, _: &Job) {
        self.withdraw(number, now);
    }
    fn withdraw(&mut self, number: u64, _: u64) {
        self.is_due = true;
        self.known.remove(&number);
    }

    fn settle(&mut self, now: u64, jobs: &Jobs, fault: ReportViolation<'_>) {
        let mut rows = BTreeMap::new();
        let is_due = std::mem::take(&mut self.is_due) || self.wake == Some(now);
        let found = if !self.is_known() {
            None
        } else if is_due {
            let decided = self.decide(now, jobs);
            let found = self.difference(&decided, jobs);
            (self.wake, rows) = (decided.wake, decided.rows);
            found
        } else {
            let unprompted = |record| format!("the policy has no reason for a `{record}` at this time");
            self.changes.iter().next().map(|(number, (_, record))| (*number, unprompted(record)))
        };
        if let Some((job, rule)) = found {
            fault(job, now, self.changes.get(&job).map(|change| change.0), rule);
        }
        self.apply_record(now, jobs, &rows);
    }
    fn take_over(&mut self, _: u64) {}
    fn adopt(&mut self, now: u64, jobs: &Jobs) {
        let waiting = |job: &u64| !self.changes.contains_key(job);
        let waiting: Vec<u64> = self.submitted.iter().copied().filter(waiting).collect();
        self.apply_record(now, jobs, &BTreeMap::new());
        // The policy sees the waiting jobs as if they arrived at its first decision.
        self.submitted = waiting;
    }
    fn begin(&mut self) {
        self.is_due = true;
    }
    fn pass(&mut self, _: u64, until: u64, jobs: &Jobs, fault: ReportViolation<'_>) {
        self.unrecorded.begin_interval();
        while let Some(now) = self.wake.filter(|&next| next < until && self.is_known()) {
            if !self.unrecorded.may_check() {
                return;
            }
            let decided = self.decide(now, jobs);
            self.wake = decided.wake;
            if let Some((job, rule)) = self.difference(&decided, jobs) {
                return fault(job, now, None, rule);
            }
        }
    }
    fn not_judged(&self) -> Option<String> {
        let after = |some: String| format!("{some}, and those after them");
        self.unrecorded.not_judged().map(after)
    }
}

/// Describes the state of a job in words.
fn describe(state: &State) -> String {
    match state.phase {
        Phase::Running => {
            let share = f64::from(state.job_yield) / f64::from(Yield::ONE.units());
            let (on, devices) = &state.place;
            let mut on = placement::describe(on);
            if state.level > 0 {
                on.push_str(&format!(" at the speed level {}", state.level));
            }
            let devices = match devices.is_empty() {
                true => String::new(),
                false => format!(" with {devices:?}, as triples of node, device and tasks"),
            };
            if share == 1.0 {
                format!("{on}{devices}")
            } else {
                format!("{on}{devices} at a yield of {share}")
            }
        }
        phase => phase.to_string(),
    }
}
