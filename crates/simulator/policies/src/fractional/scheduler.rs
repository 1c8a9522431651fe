//! Scheduler that runs the parts of a fractional policy.

mod arrivals;
mod platform;
mod remap;
mod sharing;

use super::available::AvailableNodes;
use super::common::has_common;
use super::idle::{IdleJob, IdleJobs};
use super::mapper::{Mapper, Placed, Sharing};
use super::nodes::{FreeMemory, PlacementRequest};
use super::options::{ArrivalsAtTicks, Opportunism, StretchYields, TickOrigin, Unmarking};
use super::pay::{Outcomes, Penalties};
use super::priority::{Priority, Ranked};
use super::ranking::Ranking;
use super::{Extensions, Fractional, FractionalOptions, OnSubmission, Periodic, admission, preemption};
use crate::site::PrioritySystem;
use arrivals::TrialNodes;
use dfrsim_cluster::{Decision, JobHandle, JobState, Scheduler, Situation, View};
use dfrsim_model::site::SiteSettings;
use dfrsim_model::{Share, SimSpan, SimTime, Yield};
use dfrsim_packing::mcb::Mcb;
use dfrsim_packing::shares::Shares;
use remap::RemapInput;
use std::sync::Arc;

/// Callbacks at the start and end of each mapping by MCB, to count and time its calls.
pub trait McbProbe: std::fmt::Debug {
    /// Called when MCB begins, with this number of jobs in the system.
    fn begin(&mut self, jobs: usize);
    /// Called when MCB ends.
    fn end(&mut self);
}

/// A [`Scheduler`] of any fractional policy.
#[derive(Debug)]
pub struct FractionalScheduler {
    policy: Fractional,
    options: FractionalOptions,
    mapper: Mapper,
    /// Jobs in the system that are not running.
    idle: IdleJobs,
    mcb: Mcb,
    /// State of the last mapping of all jobs.
    last_remap: Option<RemapInput>,
    shares: Shares,
    ranking: Ranking,
    /// Possible victims (running jobs that may be preempted), lowest rank first, and the time and
    /// mapping version for which they are valid.
    victims: Vec<Ranked>,
    victims_version: Option<(SimTime, u64)>,
    vacated: Option<TrialNodes>,
    free_memory: FreeMemory,
    first_submission: Option<SimTime>,
    /// Jobs rejected in the current decision.
    rejected: Vec<JobHandle>,
    /// Jobs paused for others in the current decision, by decreasing priority, with their former
    /// placements.
    evicted: Vec<Placed>,
    /// Recently completed jobs.
    outcomes: Outcomes,
    /// Yields by handle.
    yields: Vec<Yield>,
    /// Yields with which the last tick of `/stretch-per` packed the jobs, by handle.
    packed_yields: Vec<Yield>,
    /// Yields of `/stretch-per` before a power cap shrinks them, by handle; empty without resources of the
    /// whole cluster.
    full_yields: Vec<Yield>,
    /// Input for the division of CPU among running jobs.
    sharing: Sharing,
    /// Result of the second phase, by index among the running jobs.
    shared: Vec<Yield>,
    probe: Option<Box<dyn McbProbe>>,
}

impl FractionalScheduler {
    /// Creates the scheduler for a cluster of `nodes` nodes. The settings of the site, if there are
    /// any, must have been [checked](SiteSettings::check).
    pub fn new(
        policy: Fractional,
        nodes: u32,
        options: FractionalOptions,
        site: Option<&Arc<SiteSettings>>,
    ) -> FractionalScheduler {
        let priority = Priority::new(&policy, &options);
        FractionalScheduler {
            policy,
            options,
            mapper: Mapper::new(nodes, site, priority),
            idle: IdleJobs::new(priority),
            mcb: Mcb::new(nodes, options.mcb),
            last_remap: None,
            shares: Shares::new(nodes),
            ranking: Ranking::default(),
            victims: Vec::new(),
            victims_version: None,
            vacated: None,
            free_memory: FreeMemory::default(),
            first_submission: None,
            rejected: Vec::new(),
            evicted: Vec::new(),
            outcomes: Outcomes::default(),
            yields: Vec::new(),
            packed_yields: Vec::new(),
            full_yields: Vec::new(),
            sharing: Sharing::default(),
            shared: Vec::new(),
            probe: None,
        }
    }

    /// Sets a probe of MCB. MCB is then called at each tick, even if nothing has changed.
    #[must_use]
    pub fn with_probe(mut self, probe: Box<dyn McbProbe>) -> FractionalScheduler {
        self.probe = Some(probe);
        self
    }

    /// Returns the time between ticks.
    fn period(&self) -> SimSpan {
        // An API user may set a period of 0; it means ticks at every microsecond.
        self.policy.extensions.period.unwrap_or(self.options.period).max(SimSpan::from_micros(1))
    }

    /// Iterates over the jobs in the system, by order of submission.
    fn jobs<'a>(&'a self, view: View<'a>) -> impl Iterator<Item = JobHandle> + 'a {
        view.jobs().iter().copied().filter(|job| !self.rejected.contains(job))
    }

    /// Notes the time of a submission, from the first of which ticks are counted.
    fn note_submission(&mut self, submit: SimTime) {
        let first = self.first_submission.get_or_insert(submit);
        *first = submit.min(*first);
    }

    fn rank_all(&mut self, view: View<'_>) {
        let ranker = self.mapper.ranker(view);
        let jobs = view.jobs().iter().copied().filter(|job| !self.rejected.contains(job));
        self.ranking.rank(ranker, jobs);
    }

    /// Ranks the jobs of highest priority, at least as many as a packing can hold that leaves jobs
    /// out from the lowest priority up. Only valid if no site ranks jobs.
    fn rank_fitting(&mut self, view: View<'_>) {
        let whole = u64::from(self.mapper.available.count()) * u64::from(Share::ONE.units());
        let mut sum = 0;
        let fits = self.mapper.fits(view);
        let is_enough = |job: JobHandle| {
            if fits(job) {
                sum += u64::from(view.job(job).memory().units()) * u64::from(view.job(job).tasks());
            }
            sum > whole
        };
        let ranker = self.mapper.ranker(view);
        let running = self.mapper.involved().filter(|&job| view.job(job).state() == JobState::Running);
        let running = running.map(|job| ranker.rank(job));
        self.ranking.rank_until(view.now(), running, &self.idle, is_enough);
    }

    /// Returns whether victims are restored or moved only after the preemptors are placed; never
    /// true with extensions that the paper does not have.
    fn restores_after_placing(&self) -> bool {
        let is_extended = self.policy.extensions != Extensions::NONE;
        self.options.readings.unmarking == Unmarking::AfterPlacing && !is_extended
    }

    /// Returns the origin of the grid of ticks; `None` before the first submission or without ticks.
    fn tick_origin(&self) -> Option<SimTime> {
        let first = self.first_submission.filter(|_| self.policy.periodic != Periodic::Nothing)?;
        Some(match self.options.readings.tick_origin {
            TickOrigin::FirstSubmission => first,
            TickOrigin::Zero => SimTime::ZERO,
        })
    }

    fn is_tick(&self, now: SimTime) -> bool {
        self.tick_origin().is_some_and(|origin| {
            let since = now.since(origin);
            let is_origin =
                since.is_zero() && self.options.readings.tick_origin == TickOrigin::FirstSubmission;
            !is_origin && since.micros().is_multiple_of(self.period().micros())
        })
    }

    fn next_tick(&self, now: SimTime) -> Option<SimTime> {
        let origin = self.tick_origin()?;
        let period = self.period().micros();
        let passed = now.since(origin).micros() / period;
        Some(origin.saturating_add(SimSpan::from_micros((passed + 1).saturating_mul(period))))
    }

    /// Updates the set of idle jobs once the mapping is final.
    fn update_idle(&mut self, view: View<'_>) {
        for handle in self.mapper.involved() {
            let job = view.job(handle);
            match (job.state() == JobState::Running, self.mapper.is_placed(handle)) {
                (true, false) => {
                    self.idle.insert(IdleJob::new(handle, job));
                }
                (false, true) => self.idle.remove(handle),
                _ => {}
            }
        }
    }

    /// Places jobs of preempting classes; returns whether any was placed.
    fn preempt_by_class(&mut self, view: View<'_>) -> bool {
        if !self.mapper.site.as_ref().is_some_and(PrioritySystem::has_preemption) {
            return false;
        }
        let ranker = self.mapper.ranker(view);
        let waiting = self.jobs(view).filter(|&job| !self.mapper.is_placed(job)).map(|job| ranker.rank(job));
        let mut waiting: Vec<Ranked> = waiting.collect();
        Ranked::sort(&mut waiting);
        preemption::preempt_by_class(&mut self.mapper, view, waiting.iter().map(Ranked::job))
    }

    /// Starts the waiting and paused jobs that satisfy `is_meant`, by decreasing priority, where
    /// Greedy finds nodes.
    fn start_waiting(&mut self, view: View<'_>, is_meant: impl Fn(JobHandle) -> bool) {
        // A job that does not fit now does not fit after others have started either, so the next one
        // is always the first that fits.
        loop {
            let (mapping, room, ranker) = (&self.mapper, &mut self.free_memory, self.mapper.ranker(view));
            // Jobs removed from their nodes in the current decision.
            let evicted = mapping.involved().filter(|&job| {
                let is_running = view.job(job).state() == JobState::Running;
                is_running && !mapping.is_placed(job) && is_meant(job)
            });
            if mapping.site.is_some() || mapping.held.is_some() || !mapping.nodes.is_homogeneous() {
                let idle = self.idle.jobs().filter(|&job| !mapping.is_placed(job) && is_meant(job));
                self.ranking.rank(ranker, idle.chain(evicted));
                for job in self.ranking.highest_first() {
                    self.mapper.place_greedily(view, job);
                }
                break;
            }
            if self.idle.is_empty() && evicted.clone().next().is_none() {
                break;
            }
            mapping.nodes.store_free_memory(room);
            let is_waiting = |job: JobHandle| !mapping.is_placed(job) && is_meant(job);
            let first = self.idle.first_that_fits(room, view.now(), is_waiting);
            let fitting = evicted.filter(|&job| mapping.nodes.fits(room, PlacementRequest::of(view, job)));
            let first = first.max(fitting.map(|job| ranker.rank(job)).max());
            let Some(next) = first else { break };
            let placed = self.mapper.place_greedily(view, next.job());
            debug_assert!(placed, "Greedy must place a job for which the free memory suffices");
        }
    }
}

impl Scheduler for FractionalScheduler {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        let view = situation.view;
        let now = view.now();
        self.yields.resize(view.handles(), Yield::ZERO);
        self.packed_yields.resize(view.handles(), Yield::ZERO);
        let (displaced, is_room) = self.update(situation);
        if self.policy.extensions.pay.is_some() {
            self.outcomes.add(view, situation.completed);
        }
        self.rejected.clear();
        for &job in situation.running {
            self.note_submission(view.job(job).submit());
            self.yields[job.index()] = view.job(job).current_yield();
            if has_common(view) {
                self.full_yields.resize(view.handles(), Yield::ZERO);
                self.full_yields[job.index()] = view.job(job).current_yield();
            }
        }
        let mut submitted = Vec::with_capacity(situation.submitted.len());
        for &job in situation.submitted {
            self.note_submission(view.job(job).submit());
            self.mapper.nodes.learn(view, job);
            self.mapper.penalties[job.index()] = Penalties::default();
            let is_admitted = self.mapper.site.as_mut().is_none_or(|site| site.submit(view, job));
            let is_licensed = !self.mapper.is_never_licensed(job);
            if !is_admitted || !is_licensed || !self.mapper.nodes.can_fit(view, job, true) {
                self.rejected.push(job);
                decision.reject(job);
            } else {
                submitted.push(job);
                self.idle.insert(IdleJob::new(job, view.job(job)));
            }
        }
        self.evicted.clear();
        let readings = self.options.readings;
        let tick = self.is_tick(now);
        let by_mcb = self.policy.on_submission == OnSubmission::Mcb;
        let completed = self.policy.opportunistic && (!situation.completed.is_empty() || is_room);
        let arrived = by_mcb && !(submitted.is_empty() && displaced.is_empty());
        if completed && !by_mcb && readings.opportunism == Opportunism::Completions {
            let new_from = submitted.first().map_or(u64::MAX, |&job| view.job(job).sequence());
            let is_new = |job| view.job(job).sequence() >= new_from || displaced.contains(&job);
            self.start_waiting(view, |job| !is_new(job));
        }
        if !tick || readings.arrivals_at_ticks == ArrivalsAtTicks::Admitted {
            self.admit_displaced(view, &displaced);
            for &job in &submitted {
                self.admit(view, job);
            }
        }
        if self.restores_after_placing() && self.policy.on_submission == OnSubmission::GreedyPM {
            admission::migrate_victims(&mut self.mapper, view, &self.evicted, &mut self.free_memory);
        }
        self.retry(view, |job| submitted.contains(&job) || displaced.contains(&job));
        let remaps = arrived || completed && by_mcb || tick && self.is_remap_due(view);
        if remaps && !view.jobs().is_empty() {
            self.remap(view, self.budget().filter(|_| tick));
        }
        if self.policy.opportunistic && !by_mcb && readings.opportunism == Opportunism::EveryEvent {
            let evicted = std::mem::take(&mut self.evicted);
            self.start_waiting(view, |job| evicted.iter().all(|(other, _)| *other != job));
            self.evicted = evicted;
        }
        let others = self.preempt_by_class(view);
        let holds = readings.stretch_yields == StretchYields::Held && !tick && !others;
        if self.policy.periodic != Periodic::McbStretch || !holds {
            self.divide_cpu(view, others);
        } else if has_common(view) {
            self.shrink_again(view);
        }
        self.update_idle(view);
        self.mapper.decide(view, &self.yields, decision);
        let drain = AvailableNodes::next_drain(view).filter(|_| self.policy.pauses());
        let candidate = self.mapper.next_candidate(view, self.jobs(view));
        let step = view.classes().and_then(|classes| classes.next_common_step(now));
        let next = [self.next_tick(now), self.next_retry(view), drain, candidate, step];
        let next = next.into_iter().flatten().min();
        if let Some(time) = next.filter(|_| !view.jobs().is_empty()) {
            decision.wake_at(time);
        }
    }
}
