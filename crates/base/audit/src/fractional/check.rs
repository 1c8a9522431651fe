//! Checks of the records under a fractional policy.

use super::FractionalPolicy;
use super::cap::{PowerOfYields, cap_of_yields, draw};
use super::decide::{Decider, Events, Sum, Yields};
use super::mapping::{JobView, Mapping};
use super::nodes::{FractionalNodes, PlacementRequest};
use super::pay::PreemptionBudget;
use super::weights::Weights;
use crate::Phase;
use crate::check::{Change, Check, Jobs, ReportViolation};
use crate::common::{amount_at, lasting_amount, least_from, next_step, rises_at};
use crate::devices::{DeviceList, Triples};
use crate::job::Job;
use crate::levels::{last_level, linear_power, slowdowns};
use crate::nodes::TasksByNode;
use crate::nodes::{Kind, Size};
use crate::placement;
use crate::platform::{Platform, Window};
use crate::priority::PrioritySystem;
use crate::unrecorded::UnrecordedDecisions;
use dfrsim_model::event::ResourceOfCluster;
use dfrsim_model::fractional::Periodic;
use dfrsim_model::site::SiteSettings;
use dfrsim_model::{SimSpan, SortedMap};
use std::sync::Arc;

/// Job as known from its submission, with its state after the last decision or interruption.
#[derive(Debug)]
struct CheckedJob {
    size: Arc<Size>,
    /// Power at a yield of 1 at each speed level; empty without a power cap.
    draws: Arc<Vec<u64>>,
    weight: u32,
    tasks: u32,
    /// True if no class of the site ever admits it.
    is_never_admitted: bool,
    phase: Phase,
    on: TasksByNode,
    /// Triples of node, device and tasks.
    devices: DeviceList,
    job_yield: u32,
    /// Speed level.
    level: u32,
    /// Intervals in which penalties may have run: each from its start until the job left its nodes
    /// or moved again.
    penalties: Vec<(u64, u64)>,
}

impl CheckedJob {
    fn end_penalty(&mut self, now: u64) {
        if let Some((_, end)) = self.penalties.last_mut() {
            *end = now.min(*end);
        }
    }
}

/// Speed levels of the running jobs of a record.
#[derive(Debug)]
struct Levels {
    /// Level of the first running job, and the job.
    found: u32,
    job: u64,
    /// Least speed at each level of the nodes that have tasks, relative to full speed.
    slowdowns: Vec<u32>,
}

impl Levels {
    fn of(kinds: &[Kind], jobs: &Jobs) -> Levels {
        let running = || jobs.iter().filter(|(_, job)| job.phase == Phase::Running);
        let (job, found) = running().next().map_or((0, 0), |(number, job)| (*number, job.level));
        Levels { found, job, slowdowns: slowdowns(kinds, running().map(|(_, job)| &job.placement[..])) }
    }
    /// Finds a job that does not run at the level of the first one.
    fn difference(&self, jobs: &Jobs) -> Option<(u64, String)> {
        let is_other = |job: &Job| job.phase == Phase::Running && job.level != self.found;
        let (number, job) = jobs.iter().find(|(_, job)| is_other(job))?;
        let (own, first, level) = (job.level, self.job, self.found);
        Some((*number, format!("its speed level is {own}, but that of job {first} is {level}")))
    }
    fn wrong(&self, right: u32) -> Option<(u64, String)> {
        Some((self.job, format!("its speed level is {}; the policy gives all jobs {right}", self.found)))
    }
}

/// Tolerance of yields in units, as they are computed in floating point.
const ROUNDING: f64 = 1.0 / 256.0;

/// Checker that follows a schedule decision by decision.
#[derive(Debug, Default)]
pub(crate) struct FractionalCheck {
    policy: FractionalPolicy,
    kinds: Arc<Vec<Kind>>,
    payer: PreemptionBudget,
    weights: Weights,
    site: Option<PrioritySystem>,
    known: SortedMap<u64, CheckedJob>,
    down: Vec<bool>,
    windows: Vec<Window>,
    /// Nodes that were available to jobs at the last decision.
    open: Vec<bool>,
    first_submission: Option<u64>,
    /// Yields of the last tick of `/stretch-per`.
    floors: SortedMap<u64, u32>,
    submitted: Vec<u64>,
    rejected: Vec<u64>,
    interrupted: Vec<u64>,
    is_room: bool,
    /// True if an event has occurred since the last decision.
    is_due: bool,
    /// Time of the next decision without an event.
    wake: Option<u64>,
    changes: SortedMap<u64, (u64, &'static str)>,
    /// Devices of the jobs that were placed at the current time.
    bound: SortedMap<u64, DeviceList>,
    unrecorded: UnrecordedDecisions,
    /// Number of decisions whose mapping cannot be determined.
    undetermined: u64,
    /// Resources of the whole cluster.
    common: Vec<ResourceOfCluster>,
    /// Yields of `/stretch-per` before a power cap shrinks them, by job, in units, and their tolerance.
    full_yields: SortedMap<u64, (f64, f64)>,
}

impl FractionalCheck {
    pub(crate) fn new(policy: FractionalPolicy, kinds: &Arc<Vec<Kind>>, penalty: u64) -> FractionalCheck {
        let nodes = kinds.iter().map(|kind| kind.nodes as usize).sum();
        FractionalCheck {
            payer: PreemptionBudget::new(policy.extensions().pay, penalty),
            policy,
            kinds: Arc::clone(kinds),
            down: vec![false; nodes],
            open: vec![true; nodes],
            ..FractionalCheck::default()
        }
    }
    fn leave(&mut self, number: u64, now: u64) {
        self.known.remove(&number);
        self.floors.remove(&number);
        self.full_yields.remove(&number);
        self.site.iter_mut().for_each(|site| site.leave(number, now));
    }

    /// Returns the time of the next decision if no event comes before.
    fn next_decision(&self, now: u64, jobs: &Jobs) -> Option<u64> {
        let edges = self.windows.iter().flat_map(|it| [it.from, it.until]);
        let drains =
            self.windows.iter().filter(|_| self.policy.parts.pauses()).map(|it| it.from.saturating_sub(1));
        let by_platform = edges.chain(drains).filter(|&at| at > now).min();
        let waits = |job: &Job| match job.phase {
            Phase::Running => false,
            Phase::Waiting => true,
            Phase::Paused => self.policy.extensions().swap.is_some() || job.done_at(now) == 0,
        };
        let retry = self.policy.extensions().retry.filter(|_| jobs.values().any(waits));
        let retry = retry.map(|span| now.saturating_add(span.micros()));
        let tick = self.next_tick(now);
        let exempt = self.site.as_ref().and_then(|site| site.next_candidate(now));
        let step = self.common.iter().filter_map(|it| next_step(it, now)).min();
        let by_policy = [retry, tick, exempt, step].into_iter().flatten().min().filter(|_| !jobs.is_empty());
        by_platform.into_iter().chain(by_policy).min()
    }
    fn next_tick(&self, now: u64) -> Option<u64> {
        let origin = self.first_submission.filter(|_| self.policy.parts.periodic != Periodic::Nothing)?;
        let period = self.policy.period.micros().max(1);
        Some(origin.saturating_add(((now - origin) / period + 1).saturating_mul(period)))
    }
    fn is_tick(&self, now: u64) -> bool {
        let since = self.first_submission.map_or(0, |first| now - first);
        let period = self.policy.period.micros().max(1);
        self.policy.parts.periodic != Periodic::Nothing && since > 0 && since.is_multiple_of(period)
    }
    fn is_open(&self, now: u64, node: u32) -> bool {
        let closes = |it: &Window| it.contains(node) && it.from <= now.saturating_add(1) && it.until > now;
        let drained = self.policy.parts.pauses() && self.windows.iter().any(closes);
        !self.down[node as usize] && !drained
    }

    /// Checks that jobs that can never run are rejected, and no others.
    fn check_rejections(&self) -> Option<(u64, String)> {
        let empty = FractionalNodes::new(&self.kinds, |_| true);
        let fits = |&CheckedJob { ref size, tasks, weight, .. }: &CheckedJob| {
            empty.fits(PlacementRequest { size, tasks, weight, spread: false })
        };
        let has_lastingly = |known: &CheckedJob| {
            let units = |place: usize, it: &ResourceOfCluster| known.size.held_of(place, it.power);
            let lasting =
                |it: &ResourceOfCluster| if it.power { least_from(it, u64::MAX) } else { lasting_amount(it) };
            self.held().all(|(place, it)| units(place, it) <= lasting(it))
        };
        let should = |known: &CheckedJob| known.is_never_admitted || !fits(known) || !has_lastingly(known);
        let late = self.rejected.iter().find(|job| !self.submitted.contains(job));
        let wrong =
            |job: &u64| Some((*job, "it is rejected, but the policy does not reject such jobs".to_owned()));
        let judge = |job: &u64| {
            let known = self.known.get(job)?;
            match (should(known), self.rejected.contains(job)) {
                (true, false) => {
                    let rule = "it is not rejected, although its tasks do not fit on the empty cluster";
                    Some((*job, rule.to_owned()))
                }
                (false, true) => wrong(job),
                _ => None,
            }
        };
        late.and_then(wrong).or_else(|| self.submitted.iter().find_map(judge))
    }

    /// Collects the jobs as the policy sees them.
    fn seen(&mut self, now: u64, jobs: &Jobs) -> SortedMap<u64, JobView> {
        let FractionalCheck { policy, known, site, payer, .. } = self;
        let see = |(number, job): (&u64, &Job)| {
            let known = known.get(number)?;
            let mut seen = JobView {
                tasks: known.tasks,
                size: Arc::clone(&known.size),
                draws: Arc::clone(&known.draws),
                weight: known.weight,
                phase: known.phase,
                home: known.on.clone(),
                home_devices: known.devices.clone(),
                flow: now - job.submit,
                done: job.done_at(now),
                may_be_preempted: payer.may_preempt(job.done_at(now), now, &known.penalties),
                priority: 0.0,
                site_rank: site.as_mut().map_or((0, 0), |site| (site.level(*number), site.priority(*number))),
            };
            if !policy.is_equipartition {
                seen.priority = seen.priority(policy.extensions().age_bonus);
            }
            Some((*number, seen))
        };
        jobs.iter().filter_map(see).collect()
    }

    /// Recomputes a decision; returns the first difference from the record.
    fn decide(&mut self, now: u64, jobs: &Jobs) -> Option<(u64, String)> {
        self.payer.settle();
        self.site.iter_mut().for_each(|site| site.advance(now));
        let open: Vec<bool> = (0..self.down.len() as u32).map(|node| self.is_open(now, node)).collect();
        let is_room = std::mem::take(&mut self.is_room) || open != self.open || self.has_more_units(now);
        self.open = open;
        let seen = self.seen(now, jobs);
        let nodes = FractionalNodes::new(&self.kinds, |node| self.open[node as usize]);
        let running = jobs.iter().filter(|(_, job)| job.phase == Phase::Running);
        let recorded: SortedMap<u64, &[(u32, u32)]> =
            running.map(|(number, job)| (*number, &job.placement[..])).collect();
        let recorded_devices: SortedMap<u64, DeviceList> = jobs
            .iter()
            .filter(|(_, job)| job.phase == Phase::Running && job.size.devices.is_some())
            .map(|(number, _)| (*number, self.recorded_devices(*number)))
            .collect();
        let here = |all: &[u64]| all.iter().copied().filter(|job| seen.contains_key(job)).collect();
        let cap = self.common.iter().find(|resource| resource.power);
        let kinds = Arc::clone(&self.kinds);
        let amount = |it: &ResourceOfCluster| if it.power { least_from(it, now) } else { amount_at(it, now) };
        let held = self.held().map(|(place, it)| (place, it.power, amount(it)));
        let events = Events {
            now,
            submitted: here(&self.submitted),
            interrupted: here(&self.interrupted),
            is_room,
            is_tick: self.is_tick(now),
            to_tick: SimSpan::from_micros(self.next_tick(now).map_or(0, |tick| tick - now)),
            floors: &self.floors,
            cap: cap.map(|resource| amount_at(resource, now)),
            kinds: &kinds,
            held: held.collect(),
        };
        let cap = events.cap;
        let mut decider = Decider {
            policy: &self.policy,
            events,
            jobs: &seen,
            site: self.site.as_ref(),
            mapping: Mapping::of_cluster(&seen, nodes),
            recorded: &recorded,
            recorded_devices: &recorded_devices,
            floors: None,
            fault: None,
            is_shared_again: false,
            is_undetermined: false,
        };
        let mut yields = decider.decide();
        let Decider {
            mapping: Mapping { on: mapping, devices, .. },
            floors,
            fault,
            is_undetermined: is_open,
            ..
        } = decider;
        let differs = |job: &&u64| mapping.get(*job).map(|on| &on[..]) != recorded.get(*job).copied();
        let placed = seen.keys().iter().find(differs).map(|job| {
            let found = placement::describe(recorded.get(job).copied().unwrap_or_default());
            let expected = placement::describe(mapping.get(job).map(|on| &on[..]).unwrap_or_default());
            (*job, format!("it is {found}; the policy has it {expected}"))
        });
        let differs = |(job, found): &(&u64, &DeviceList)| devices.get(*job) != Some(*found);
        let on_devices = recorded_devices.iter().find(differs).map(|(job, found)| {
            let expected = devices.get(job).cloned().unwrap_or_default();
            let rule = "as triples of node, device and tasks";
            (*job, format!("it has {found:?}, {rule}, expected {expected:?}"))
        });
        let placed = placed.or(on_devices);
        self.floors = floors.unwrap_or(std::mem::take(&mut self.floors));
        if is_open {
            self.undetermined += 1;
            return None;
        }
        let levels = Levels::of(&kinds, jobs);
        let mut wrong_level = levels.difference(jobs);
        if let Some(cap) = cap {
            let better;
            (yields, better) = self.shrink(yields, (cap, &levels), &seen, jobs);
            wrong_level = wrong_level.or(better);
        } else if levels.found > 0 {
            wrong_level = levels.wrong(0);
        }
        fault
            .or(placed)
            .or(wrong_level)
            .or_else(|| self.check_yields(&yields, jobs))
            .or_else(|| self.check_changes(jobs))
    }

    /// Returns the devices of a job by the record.
    fn recorded_devices(&self, number: u64) -> DeviceList {
        let before = || self.known.get(&number).map(|known| known.devices.clone());
        let is_placed =
            self.changes.get(&number).is_some_and(|it| matches!(it.1, "start" | "resume" | "migrate"));
        let found = self.bound.get(&number).cloned();
        found.or_else(|| before().filter(|_| !is_placed)).unwrap_or_default()
    }

    /// Returns whether the cluster has more units of a resource that jobs hold at any yield from now on.
    fn has_more_units(&self, now: u64) -> bool {
        self.held().any(|(_, it)| rises_at(it, now))
    }

    /// Iterates over the resources of the whole cluster that jobs hold at any yield, with their indices: also
    /// power, if devices or sockets draw all of theirs once they are used.
    fn held(&self) -> impl Iterator<Item = (usize, &ResourceOfCluster)> {
        let holds_power = self.kinds.iter().any(Kind::has_used_power);
        self.common.iter().enumerate().filter(move |(_, it)| !it.power || holds_power)
    }

    /// Applies the power cap to expected yields, at the speed level of the record; returns what is wrong
    /// about this level, too.
    fn shrink(
        &mut self,
        yields: Yields,
        (cap, levels): (u64, &Levels),
        seen: &SortedMap<u64, JobView>,
        jobs: &Jobs,
    ) -> (Yields, Option<(u64, String)>) {
        let is_held = matches!(yields, Yields::Held);
        let (yields, rounding) = match yields {
            Yields::Exact(yields, rounding) => (yields, rounding),
            Yields::Held => {
                let running = jobs.iter().filter(|(_, job)| job.phase == Phase::Running);
                let full = |number: &u64| {
                    let of_record = || self.known.get(number).map(|known| (f64::from(known.job_yield), 0.0));
                    self.full_yields.get(number).copied().or_else(of_record)
                };
                let full: Vec<(u64, (f64, f64))> =
                    running.filter_map(|(number, _)| Some((*number, full(number)?))).collect();
                let rounding = full.iter().map(|(_, (_, rounding))| *rounding).fold(0.0, f64::max);
                (full.into_iter().map(|(number, (at, _))| (number, at)).collect(), rounding)
            }
            Yields::Sum(sum) => return self.shrink_sum(sum, (cap, levels), seen, jobs),
        };
        if self.policy.parts.periodic == Periodic::McbStretch {
            self.full_yields = yields.iter().map(|(number, at)| (*number, (*at, rounding))).collect();
        }
        let power = PowerOfYields::new(cap, seen, &yields);
        let wrong_level = power.better_level(levels.found, &levels.slowdowns, |at| {
            // An exact yield is rounded down for certain unless it is near a whole number below 1.
            let is_certain =
                (ROUNDING..1.0 - ROUNDING).contains(&at.fract()) || at == super::shares::units(1.0);
            if rounding > 0.0 || !is_certain { rounding + 1.0 } else { 0.0 }
        });
        let wrong_level = wrong_level.and_then(|better| levels.wrong(better));
        let factor = power.factor(levels.found);
        // The tolerances of all jobs together change the factor of yields that were recovered from a record.
        let power = |number: &u64, at: f64| draw(seen, number, levels.found) * at;
        let all: f64 = yields.iter().map(|(number, at)| power(number, *at)).sum();
        let wrong: f64 = yields.keys().iter().map(|number| power(number, rounding)).sum();
        let of_factor = if is_held && all > 0.0 { super::shares::units(factor) * wrong / all } else { 0.0 };
        let rounding = rounding + of_factor;
        let shrunk = yields.into_iter().map(|(number, at)| (number, at * factor)).collect();
        // The yields before they shrink are rounded, too.
        (Yields::Exact(shrunk, if factor < 1.0 { rounding + 1.0 } else { rounding }), wrong_level)
    }

    /// Determines the factor of the power cap from the recorded yields where several yields have the
    /// largest sum. If it is below 1, the recorded yields must have the power of the cap, and divided by
    /// the factor they must be within the limits of the others.
    fn shrink_sum(
        &mut self,
        sum: Sum,
        (cap, levels): (u64, &Levels),
        seen: &SortedMap<u64, JobView>,
        jobs: &Jobs,
    ) -> (Yields, Option<(u64, String)>) {
        let wrong_level = |yields: &SortedMap<u64, f64>, tolerance: f64| {
            let power = PowerOfYields::new(cap, seen, yields);
            let better = power.better_level(levels.found, &levels.slowdowns, |_| tolerance + 1.0);
            better.and_then(|better| levels.wrong(better))
        };
        let units = super::shares::units;
        let found = |number: &u64| jobs.get(number).map_or(0.0, |job| f64::from(job.job_yield));
        let numbers = sum.weights.keys().to_vec();
        let weighted: f64 = sum.weights.iter().map(|(number, weight)| weight * found(number)).sum();
        let slack: f64 = sum.weights.values().iter().sum::<f64>() * 2.0 + 1.0;
        let is_stretch = self.policy.parts.periodic == Periodic::McbStretch;
        let factor = (weighted + slack) / units(sum.best);
        if factor >= 1.0 {
            if is_stretch {
                // The factor may be below 1 by as much as the rounding hides.
                let hidden = slack / weighted.max(1.0) * units(1.0);
                self.full_yields =
                    numbers.iter().map(|number| (*number, (found(number), 1.0 + hidden))).collect();
            }
            let full = numbers.iter().map(|number| (*number, found(number))).collect();
            let wrong_level = wrong_level(&full, slack / weighted.max(1.0) * units(1.0));
            return (Yields::Sum(sum), wrong_level);
        }
        let factor = weighted / units(sum.best);
        let tolerance = (2.0 + slack / weighted.max(1.0) * units(1.0)) / factor;
        let full: SortedMap<u64, f64> =
            numbers.iter().map(|number| (*number, found(number) / factor)).collect();
        let power: f64 = numbers.iter().map(|number| draw(seen, number, levels.found) * found(number)).sum();
        let each: f64 = numbers.iter().map(|number| draw(seen, number, levels.found)).sum();
        let is_needed = power >= units(cap_of_yields(cap, seen, &numbers) as f64) - 1.5 * each;
        let is_within = full.iter().all(|(number, at)| {
            *at <= units(1.0) + tolerance
                && *at >= units(sum.floors.get(number).copied().unwrap_or(0.0)) - tolerance
        });
        let fits = sum.contested.iter().all(|it| {
            let used: f64 = it.loads.iter().map(|&(job, load)| load * full[&numbers[job]]).sum();
            let all: f64 = it.loads.iter().map(|(_, load)| load).sum();
            used <= units(it.capacity) + all * tolerance
        });
        if !(is_needed && is_within && fits) {
            // Reported as too small a sum.
            return (Yields::Sum(sum), None);
        }
        if is_stretch {
            self.full_yields = full.iter().map(|(number, at)| (*number, (*at, tolerance))).collect();
        }
        let shrunk = numbers.iter().map(|number| (*number, found(number))).collect();
        (Yields::Exact(shrunk, 0.0), wrong_level(&full, tolerance))
    }

    fn check_yields(&self, yields: &Yields, jobs: &Jobs) -> Option<(u64, String)> {
        let units = super::shares::units;
        let running = || jobs.iter().filter(|(_, job)| job.phase == Phase::Running);
        let wrong = |number: &u64, found: u32, expected: f64| {
            let expected = expected as u32;
            Some((*number, format!("its yield is {found} units; the policy gives it {expected}")))
        };
        let other = running().find_map(|(number, job)| {
            let found = f64::from(job.job_yield);
            // The exact yield, and the tolerances below and above it.
            let (exact, less, more) = match yields {
                Yields::Held => (f64::from(self.known.get(number)?.job_yield), 0.0, 0.0),
                Yields::Exact(yields, rounding) => {
                    (*yields.get(number)?, rounding + ROUNDING, rounding + ROUNDING)
                }
                Yields::Sum(sum) => (units(*sum.floors.get(number)?), ROUNDING, f64::INFINITY),
            };
            let is_right = found >= (exact - less).floor() && found <= exact + more;
            if is_right { None } else { wrong(number, job.job_yield, exact + ROUNDING) }
        });
        let Yields::Sum(Sum { weights, best, .. }) = yields else { return other };
        let weight = |(number, job): (&u64, &Job)| Some((*weights.get(number)?, f64::from(job.job_yield)));
        let (sum, unit) = running()
            .filter_map(weight)
            .fold((0.0, 0.0), |(sum, unit), (weight, found)| (sum + weight * found, unit + weight));
        let (first, _) = running().next()?;
        let (found, best) = (sum as u64, units(*best) as u64);
        // Each yield is rounded down.
        let is_less = sum < best as f64 - 1.5 * unit - 1.0;
        let less = || (*first, format!("the weighted sum of yields is {found} units; the maximum is {best}"));
        other.or_else(|| is_less.then(less))
    }
    /// Checks that each recorded change has an effect.
    fn check_changes(&self, jobs: &Jobs) -> Option<(u64, String)> {
        self.changes.iter().find_map(|(number, &(_, record))| {
            let (job, before) = (jobs.get(number)?, self.known.get(number)?);
            let stays = job.placement == before.on && self.recorded_devices(*number) == before.devices;
            let is_same = job.phase == before.phase
                && stays
                && (job.job_yield, job.level) == (before.job_yield, before.level);
            let is_yield = stays && record == "migrate";
            (is_same || is_yield).then(|| (*number, format!("`{record}` without an effect")))
        })
    }

    /// Applies the changes of the record.
    fn apply_record(&mut self, now: u64, jobs: &Jobs) {
        self.submitted.clear();
        self.interrupted.clear();
        for job in std::mem::take(&mut self.rejected) {
            self.leave(job, now);
        }
        for (number, (_, record)) in std::mem::take(&mut self.changes) {
            let Some((job, known)) = jobs.get(&number).zip(self.known.get_mut(&number)) else { continue };
            (known.phase, known.job_yield, known.level) = (job.phase, job.job_yield, job.level);
            if matches!(record, "pause" | "migrate") {
                known.end_penalty(now);
            }
            if matches!(record, "resume" | "migrate") {
                known.penalties.push((now, u64::MAX));
            }
            known.on.clone_from(&job.placement);
            match record {
                "pause" => known.devices.clear(),
                "start" | "resume" | "migrate" => {
                    known.devices = self.bound.remove(&number).unwrap_or_default();
                }
                _ => {}
            }
            if let Some(site) = &mut self.site {
                match job.phase {
                    Phase::Running => site.start(number, now),
                    _ => site.pause(number, now),
                }
            }
        }
        self.bound.clear();
    }
}

impl Check for FractionalCheck {
    fn classes(&mut self, kinds: &Arc<Vec<Kind>>) {
        self.kinds = Arc::clone(kinds);
    }
    fn common(&mut self, resources: &[ResourceOfCluster]) {
        self.common = resources.to_vec();
    }
    fn priority(&mut self, settings: &SiteSettings, kinds: &[Kind]) {
        self.weights = Weights::new(settings);
        self.site = (!settings.is_plain()).then(|| PrioritySystem::new(settings, kinds));
    }
    fn platform(&mut self, platform: &Platform) {
        self.is_due = true;
        self.down = platform.closed();
        self.windows.clone_from(&platform.windows);
    }

    fn submit(&mut self, number: u64, now: u64, job: &Job) {
        self.is_due = true;
        self.first_submission.get_or_insert(now);
        let is_never_admitted = self.site.as_mut().is_some_and(|site| site.admit(number, job, now, &[]));
        let (size, weight) = (Arc::clone(&job.size), self.weights.of(job));
        let (phase, on, job_yield, penalties) = (Phase::Waiting, TasksByNode::new(), 0, Vec::new());
        let (tasks, devices) = (job.tasks, Vec::new());
        let is_capped = self.common.iter().any(|resource| resource.power);
        let levels = 0..=if is_capped { last_level(&self.kinds) } else { 0 };
        let draws = levels.map(|level| linear_power(&self.kinds, &size, tasks, level));
        let known = CheckedJob {
            draws: Arc::new(draws.filter(|_| is_capped).collect()),
            size,
            weight,
            tasks,
            is_never_admitted,
            phase,
            on,
            devices,
            job_yield,
            level: 0,
            penalties,
        };
        self.known.insert(number, known);
        self.submitted.push(number);
    }
    fn change(&mut self, Change { line, job, record, .. }: Change<'_>) -> Option<String> {
        if record == "reject" {
            self.rejected.push(job);
        }
        // A second change at the same time is reported elsewhere.
        self.changes.or_insert_with(job, || (line, record));
        None
    }
    fn bind(&mut self, job: u64, devices: &Triples) {
        self.bound.insert(job, devices.to_vec());
    }
    fn interrupt(&mut self, number: u64, now: u64, waits: Option<u64>) {
        (self.is_due, self.is_room) = (true, true);
        if waits.is_none() {
            return self.leave(number, now);
        }
        if let Some(known) = self.known.get_mut(&number) {
            (known.phase, known.on, known.job_yield) = (Phase::Waiting, TasksByNode::new(), 0);
            known.level = 0;
            known.devices.clear();
            known.end_penalty(now);
        }
        self.interrupted.push(number);
        if let Some(site) = &mut self.site {
            site.advance(now);
            site.pause(number, now);
        }
    }
    fn complete(&mut self, number: u64, now: u64, job: &Job) {
        self.payer.complete(number, job.done_at(now));
        (self.is_due, self.is_room) = (true, true);
        self.leave(number, now);
    }
    fn withdraw(&mut self, number: u64, now: u64) {
        self.is_due = true;
        self.leave(number, now);
    }

    fn settle(&mut self, now: u64, jobs: &Jobs, fault: ReportViolation<'_>) {
        let first = self.changes.iter().next().map(|(number, &(_, record))| (*number, record));
        let found = if std::mem::take(&mut self.is_due) || self.wake == Some(now) {
            self.check_rejections().into_iter().chain(self.decide(now, jobs)).collect()
        } else {
            let unprompted = |record| format!("the policy has no reason for a `{record}` at this time");
            Vec::from_iter(first.map(|(number, record)| (number, unprompted(record))))
        };
        for (job, rule) in found {
            fault(job, now, self.changes.get(&job).map(|change| change.0), rule);
        }
        self.apply_record(now, jobs);
        self.wake = self.next_decision(now, jobs);
    }
    fn take_over(&mut self, first_decision: u64) {
        self.site.iter_mut().for_each(|site| site.take_over(first_decision));
    }
    fn adopt(&mut self, now: u64, jobs: &Jobs) {
        let waiting = |job: &u64| !self.changes.contains_key(job);
        let waiting: Vec<u64> = self.submitted.iter().copied().filter(waiting).collect();
        self.apply_record(now, jobs);
        // The policy sees the waiting jobs as if they arrived at its first decision.
        self.submitted = waiting;
    }
    fn begin(&mut self) {
        (self.is_due, self.is_room) = (true, true);
    }
    fn pass(&mut self, _: u64, until: u64, jobs: &Jobs, fault: ReportViolation<'_>) {
        self.unrecorded.begin_interval();
        while let Some(now) = self.wake.filter(|&next| next < until) {
            if !self.unrecorded.may_check() {
                return;
            }
            self.wake = self.next_decision(now, jobs);
            if let Some((job, rule)) = self.decide(now, jobs) {
                return fault(job, now, None, rule);
            }
        }
    }
    fn not_judged(&self) -> Option<String> {
        let left = self.undetermined;
        let undetermined = (left > 0).then(|| format!("{left} of the decisions of {}", self.policy));
        undetermined.or_else(|| self.unrecorded.not_judged())
    }
}
