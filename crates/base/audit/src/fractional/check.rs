//! Follows the record of a fractional policy.

use super::decide::{Decider, Decision, Events, Sum, Yields};
use super::mapping::{Mapping, Seen};
use super::name::Ticks;
use super::nodes::{Nodes, On, Size};
use super::options::McbOptions;
use super::rule::Where;
use super::site::Site;
use super::weights::Weights;
use super::{FractionalPolicy, FractionalRule, MOST_MOMENTS};
use crate::Phase;
use crate::classes::{Classes, NodeKind};
use crate::job::Job;
use crate::platform::{Platform, Window};
use dfrsim_model::SimSpan;
use dfrsim_model::priority::Priorities;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The jobs in the system, by their number.
type Jobs = BTreeMap<u64, Job>;

/// What is known of a job from its submission on.
#[derive(Debug)]
struct Known {
    size: Arc<Size>,
    weight: u32,
    tasks: u32,
    /// Whether the classes of the site never admit it.
    is_never_admitted: bool,
}

/// How a job was after the last decision, or is since an interruption.
#[derive(Clone, Debug)]
struct Before {
    phase: Phase,
    on: On,
    job_yield: u32,
}

/// What yields may be off, in units, as they were computed in floating point.
const ROUNDING: f64 = 1.0 / 256.0;

/// Follows a schedule moment by moment.
#[derive(Debug)]
pub(crate) struct FractionalCheck {
    policy: FractionalPolicy,
    mcb: McbOptions,
    kinds: Arc<Vec<NodeKind>>,
    /// Whether jobs that can never run are rejected.
    rejects: bool,
    weights: Weights,
    site: Option<Site>,
    known: BTreeMap<u64, Known>,
    before: BTreeMap<u64, Before>,
    down: Vec<bool>,
    windows: Vec<Window>,
    /// The nodes that jobs could be on at the last decision.
    open: Vec<bool>,
    first_submission: Option<u64>,
    /// The yields of the last tick of `/stretch-per`.
    floors: BTreeMap<u64, u32>,
    submitted: Vec<u64>,
    rejected: Vec<u64>,
    interrupted: Vec<u64>,
    is_room: bool,
    /// Whether an event has come since the last decision.
    is_due: bool,
    /// When the policy decides without one.
    wake: Option<u64>,
    changes: BTreeMap<u64, (u64, &'static str)>,
    /// How many decisions were not judged.
    left: u64,
}

impl FractionalCheck {
    pub(crate) fn new(policy: FractionalPolicy, nodes: u32) -> FractionalCheck {
        let rejects = policy.is_equipartition;
        FractionalCheck {
            policy,
            mcb: McbOptions::default(),
            kinds: Arc::new(vec![NodeKind::reference(nodes)]),
            rejects,
            weights: Weights::default(),
            site: None,
            known: BTreeMap::new(),
            before: BTreeMap::new(),
            down: vec![false; nodes as usize],
            windows: Vec::new(),
            open: vec![true; nodes as usize],
            first_submission: None,
            floors: BTreeMap::new(),
            submitted: Vec::new(),
            rejected: Vec::new(),
            interrupted: Vec::new(),
            is_room: false,
            is_due: false,
            wake: None,
            changes: BTreeMap::new(),
            left: 0,
        }
    }
    /// A site has settings.
    pub(crate) fn priority(&mut self, settings: &Priorities) {
        self.weights = Weights::new(settings);
        self.site = (!settings.are_plain()).then(|| Site::new(settings, self.down.len() as u32));
    }
    /// Nodes differ.
    pub(crate) fn classes(&mut self, classes: &Classes) {
        self.kinds = Arc::new(classes.node_kinds());
        self.rejects = true;
    }

    pub(crate) fn submit(&mut self, number: u64, now: u64, job: &Job) {
        self.is_due = true;
        self.first_submission.get_or_insert(now);
        let held = vec![u64::from(job.memory), 0];
        let size = Arc::new(Size { held, used: vec![0, u64::from(job.need)], allowed: vec![true] });
        let is_never_admitted = self.site.as_mut().is_some_and(|site| site.admit(number, job, now));
        let known = Known { size, weight: self.weights.of(job), tasks: job.tasks, is_never_admitted };
        self.known.insert(number, known);
        self.before.insert(number, Before { phase: Phase::Waiting, on: On::new(), job_yield: 0 });
        self.submitted.push(number);
    }
    /// What the tasks of a job that was just submitted take of nodes that differ.
    pub(crate) fn fitting(&mut self, number: u64, size: Size) {
        self.known.entry(number).and_modify(|known| known.size = Arc::new(size));
    }
    pub(crate) fn complete(&mut self, number: u64, now: u64) {
        (self.is_due, self.is_room) = (true, true);
        self.leave(number, now);
    }
    fn leave(&mut self, number: u64, now: u64) {
        self.known.remove(&number);
        self.before.remove(&number);
        self.floors.remove(&number);
        self.site.iter_mut().for_each(|site| site.leave(number, now));
    }
    pub(crate) fn platform(&mut self, platform: &Platform) {
        self.is_due = true;
        self.down.clone_from(&platform.down);
        self.windows.clone_from(&platform.windows);
    }
    /// A job has lost its nodes and waits now, or is lost.
    pub(crate) fn interrupt(&mut self, number: u64, now: u64, is_lost: bool) {
        (self.is_due, self.is_room) = (true, true);
        if is_lost {
            return self.leave(number, now);
        }
        self.before.insert(number, Before { phase: Phase::Waiting, on: On::new(), job_yield: 0 });
        self.interrupted.push(number);
        if let Some(site) = &mut self.site {
            site.count(now);
            site.pause(number, now);
        }
    }
    /// A job is about to change.
    pub(crate) fn change(&mut self, line: u64, number: u64, record: &'static str) {
        if record == "reject" {
            self.rejected.push(number);
        }
        // A second change in the moment is a fault of its own.
        self.changes.entry(number).or_insert((line, record));
    }

    /// Judges the decision of a moment of which all records are known.
    pub(crate) fn settle(
        &mut self,
        now: u64,
        jobs: &Jobs,
        mut fault: impl FnMut(u64, Option<u64>, FractionalRule),
    ) {
        let first = self.changes.first_key_value().map(|(number, &(_, record))| (*number, record));
        let found = if std::mem::take(&mut self.is_due) || self.wake == Some(now) {
            self.judge_rejections().into_iter().chain(self.decide(now, jobs)).collect()
        } else {
            Vec::from_iter(first.map(|(number, record)| (number, FractionalRule::Unprompted { record })))
        };
        for (job, rule) in found {
            fault(job, self.changes.get(&job).map(|change| change.0), rule);
        }
        self.take_in(now, jobs);
        self.wake = self.next_decision(now, jobs);
    }
    /// Judges the decisions between one moment and the next for which there are records: those changed no job.
    pub(crate) fn pass(&mut self, until: u64, jobs: &Jobs, mut fault: impl FnMut(u64, u64, FractionalRule)) {
        for count in 1.. {
            let Some(now) = self.wake.filter(|&next| next < until) else { return };
            if count > MOST_MOMENTS {
                self.left += 1;
                return;
            }
            self.wake = self.next_decision(now, jobs);
            if let Some((job, rule)) = self.decide(now, jobs) {
                return fault(job, now, rule);
            }
        }
    }

    /// What of the decisions was not judged.
    pub(crate) fn not_judged(&self) -> Option<String> {
        let left = self.left;
        (left > 0).then(|| format!("{left} of the decisions of {}", self.policy))
    }

    /// When the policy decides next if no event comes before.
    fn next_decision(&self, now: u64, jobs: &Jobs) -> Option<u64> {
        let edges = self.windows.iter().flat_map(|it| [it.from, it.until]);
        let drains = self.windows.iter().filter(|_| self.policy.pauses()).map(|it| it.from.saturating_sub(1));
        let by_platform = edges.chain(drains).filter(|&at| at > now).min();
        let waits = |job: &Job| match job.phase {
            Phase::Running => false,
            Phase::Waiting => true,
            Phase::Paused => self.policy.swap.is_some() || job.done_at(now) == 0,
        };
        let retry = self.policy.retry.filter(|_| jobs.values().any(waits));
        let retry = retry.map(|span| now.saturating_add(span.micros()));
        let tick = self.next_tick(now);
        let exempt = self.site.as_ref().and_then(|site| site.next_candidate(now));
        let by_policy = [retry, tick, exempt].into_iter().flatten().min().filter(|_| !jobs.is_empty());
        by_platform.into_iter().chain(by_policy).min()
    }
    fn next_tick(&self, now: u64) -> Option<u64> {
        let origin = self.first_submission.filter(|_| self.policy.ticks != Ticks::None)?;
        let period = self.policy.period.micros().max(1);
        Some(origin.saturating_add(((now - origin) / period + 1).saturating_mul(period)))
    }
    fn is_tick(&self, now: u64) -> bool {
        let since = self.first_submission.map_or(0, |first| now - first);
        let period = self.policy.period.micros().max(1);
        self.policy.ticks != Ticks::None && since > 0 && since.is_multiple_of(period)
    }
    fn is_open(&self, now: u64, node: u32) -> bool {
        let closes = |it: &Window| it.has(node) && it.from <= now.saturating_add(1) && it.until > now;
        let drained = self.policy.pauses() && self.windows.iter().any(closes);
        !self.down[node as usize] && !drained
    }

    /// Jobs that can never run are rejected where the policy rejects any, and no others.
    fn judge_rejections(&self) -> Option<(u64, FractionalRule)> {
        let empty = Nodes::new(&self.kinds, |_| true);
        let fits = |known: &Known| {
            let Known { size, tasks, weight, .. } = known;
            empty.have_room(super::nodes::Wanted { size, tasks: *tasks, weight: *weight, beside: false })
        };
        let should = |known: &Known| known.is_never_admitted || self.rejects && !fits(known);
        let late = self.rejected.iter().find(|job| !self.submitted.contains(job));
        let judge = |job: &u64| {
            let known = self.known.get(job)?;
            match (should(known), self.rejected.contains(job)) {
                (true, false) => Some((*job, FractionalRule::NotRejected)),
                (false, true) => Some((*job, FractionalRule::Rejected)),
                _ => None,
            }
        };
        late.map(|job| (*job, FractionalRule::Rejected)).or_else(|| self.submitted.iter().find_map(judge))
    }

    /// The jobs as the policy sees them.
    fn seen(&mut self, now: u64, jobs: &Jobs) -> BTreeMap<u64, Seen> {
        let FractionalCheck { policy, known, before, site, .. } = self;
        let see = |(number, job): (&u64, &Job)| {
            let (known, before) = (known.get(number)?, before.get(number)?);
            let mut seen = Seen {
                tasks: known.tasks,
                size: Arc::clone(&known.size),
                weight: known.weight,
                phase: before.phase,
                home: before.on.clone(),
                flow: now - job.submit,
                done: job.done_at(now),
                length: job.length_at(now, policy.estimates),
                priority: 0.0,
                place: site.as_mut().map_or((0, 0), |site| site.place(*number)),
            };
            if !policy.is_equipartition {
                seen.priority = seen.priority(policy.ahead);
            }
            Some((*number, seen))
        };
        jobs.iter().filter_map(see).collect()
    }

    /// Decides at a moment; the first difference to the record.
    fn decide(&mut self, now: u64, jobs: &Jobs) -> Option<(u64, FractionalRule)> {
        self.site.iter_mut().for_each(|site| site.count(now));
        let open: Vec<bool> = (0..self.down.len() as u32).map(|node| self.is_open(now, node)).collect();
        let is_room = std::mem::take(&mut self.is_room) || open != self.open;
        self.open = open;
        let seen = self.seen(now, jobs);
        let nodes = Nodes::new(&self.kinds, |node| self.open[node as usize]);
        let running = jobs.iter().filter(|(_, job)| job.phase == Phase::Running);
        let recorded: BTreeMap<u64, &[(u32, u32)]> =
            running.map(|(number, job)| (*number, &job.placement[..])).collect();
        let here = |all: &[u64]| all.iter().copied().filter(|job| seen.contains_key(job)).collect();
        let events = Events {
            now,
            submitted: here(&self.submitted),
            interrupted: here(&self.interrupted),
            is_room,
            is_tick: self.is_tick(now),
            to_tick: SimSpan::from_micros(self.next_tick(now).map_or(0, |tick| tick - now)),
            floors: &self.floors,
        };
        let mut decider = Decider {
            policy: &self.policy,
            mcb: self.mcb,
            events,
            jobs: &seen,
            site: self.site.as_ref(),
            mapping: Mapping::of_cluster(&seen, nodes),
            recorded: &recorded,
            floors: None,
            fault: None,
            is_shared_again: false,
            is_open: false,
        };
        let Decision { yields, floors, fault, is_open } = decider.decide();
        let mapping = decider.mapping.on;
        let differs = |job: &&u64| mapping.get(*job).map(|on| &on[..]) != recorded.get(*job).copied();
        let placed = seen.keys().find(differs).map(|job| {
            let expected = Where(mapping.get(job).cloned().unwrap_or_default());
            let found = Where(recorded.get(job).map(|on| on.to_vec()).unwrap_or_default());
            (*job, FractionalRule::Placed { found, expected })
        });
        self.floors = floors.unwrap_or(std::mem::take(&mut self.floors));
        if is_open {
            self.left += 1;
            return None;
        }
        fault.or(placed).or_else(|| self.judge_yields(&yields, jobs)).or_else(|| self.judge_changes(jobs))
    }

    fn judge_yields(&self, yields: &Yields, jobs: &Jobs) -> Option<(u64, FractionalRule)> {
        let running = || jobs.iter().filter(|(_, job)| job.phase == Phase::Running);
        match yields {
            Yields::Held => running().find_map(|(number, job)| {
                let (found, expected) = (job.job_yield, self.before.get(number)?.job_yield);
                (found != expected).then_some((*number, FractionalRule::Yield { found, expected }))
            }),
            Yields::Exact(yields, rounding) => running().find_map(|(number, job)| {
                let (found, exact) = (job.job_yield, *yields.get(number)?);
                let off = rounding + ROUNDING;
                let is_right = f64::from(found) >= (exact - off).floor() && f64::from(found) <= exact + off;
                let expected = (exact + ROUNDING) as u32;
                (!is_right).then_some((*number, FractionalRule::Yield { found, expected }))
            }),
            Yields::Sum(Sum { weights, floors, best }) => {
                let units = super::shares::units;
                let (mut sum, mut unit) = (0.0, 0.0);
                for (number, job) in running() {
                    let (weight, floor) = (weights.get(number)?, units(*floors.get(number)?));
                    let found = f64::from(job.job_yield);
                    if found < (floor - ROUNDING).floor() {
                        let expected = floor as u32;
                        return Some((*number, FractionalRule::Yield { found: job.job_yield, expected }));
                    }
                    (sum, unit) = (sum + weight * found, unit + weight);
                }
                let (first, _) = running().next()?;
                let (found, best) = (sum as u64, units(*best) as u64);
                // Each yield is rounded down.
                (sum < best as f64 - 1.5 * unit - 1.0)
                    .then_some((*first, FractionalRule::Average { found, best }))
            }
        }
    }
    /// Each change changes something.
    fn judge_changes(&self, jobs: &Jobs) -> Option<(u64, FractionalRule)> {
        self.changes.iter().find_map(|(number, &(_, record))| {
            let (job, before) = (jobs.get(number)?, self.before.get(number)?);
            let is_same =
                job.phase == before.phase && job.placement == before.on && job.job_yield == before.job_yield;
            let is_yield = job.placement == before.on && record == "migrate";
            (is_same || is_yield).then_some((*number, FractionalRule::NoChange { record }))
        })
    }

    /// Goes on from what the record says.
    fn take_in(&mut self, now: u64, jobs: &Jobs) {
        self.submitted.clear();
        self.interrupted.clear();
        for job in std::mem::take(&mut self.rejected) {
            self.leave(job, now);
        }
        for number in std::mem::take(&mut self.changes).into_keys() {
            let Some(job) = jobs.get(&number) else { continue };
            let on = job.placement.clone();
            self.before.insert(number, Before { phase: job.phase, on, job_yield: job.job_yield });
            if let Some(site) = &mut self.site {
                match job.phase {
                    Phase::Running => site.start(number, now),
                    _ => site.pause(number, now),
                }
            }
        }
    }
}
