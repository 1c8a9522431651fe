//! Runs the parts of a fractional policy.

mod arrivals;
mod platform;
mod remap;
mod sharing;

pub(super) use sharing::weights_of;

use super::available::Available;
use super::idle::{Idle, IdleJob};
use super::mapper::{Mapper, Placed, Sharing};
use super::nodes::{Room, Wanted};
use super::options::{ArrivalsAtTicks, Opportunism, StretchYields, TickOrigin, Unmarking};
use super::pay::{Outcomes, Penalties};
use super::priority::{Priority, Ranked};
use super::ranking::Ranking;
use super::{Extensions, Fractional, FractionalOptions, OnSubmission, Periodic, admission, preemption};
use crate::site::Site;
use arrivals::Vacated;
use dfrsim_cluster::{Decision, JobHandle, JobState, Scheduler, Situation, View};
use dfrsim_model::priority::Priorities;
use dfrsim_model::{Share, SimSpan, SimTime, Yield};
use dfrsim_packing::mcb::Mcb;
use dfrsim_packing::shares::Shares;
use remap::Settled;
use sharing::relative;
use std::sync::Arc;

/// Called when MCB begins and ends mapping jobs, so that its calls can be counted and timed.
pub trait McbProbe: std::fmt::Debug {
    /// It begins, at a moment with this many jobs in the system.
    fn begins(&mut self, jobs: usize);
    /// It has ended.
    fn ends(&mut self);
}

/// A [`Scheduler`] of any fractional policy.
#[derive(Debug)]
pub struct FractionalScheduler {
    policy: Fractional,
    options: FractionalOptions,
    mapper: Mapper,
    /// The jobs that the cluster has on no node.
    idle: Idle,
    mcb: Mcb,
    /// Of the last mapping of all jobs.
    settled: Option<Settled>,
    shares: Shares,
    ranking: Ranking,
    /// The jobs on nodes that may give way, the lowest rank first, and when and of how many changes of the mapping's jobs that is so.
    leavers: Vec<Ranked>,
    leavers_at: Option<(SimTime, u64)>,
    vacated: Option<Vacated>,
    room: Room,
    first_submission: Option<SimTime>,
    /// The jobs that were rejected at this moment.
    rejected: Vec<JobHandle>,
    /// The jobs that were paused at this moment for others, by decreasing priority, and where they were.
    evicted: Vec<Placed>,
    /// The last jobs that completed.
    outcomes: Outcomes,
    /// By handle.
    yields: Vec<Yield>,
    /// By handle: the yields with which the last tick of `/stretch-per` packed.
    floors: Vec<Yield>,
    /// What running jobs share.
    sharing: Sharing,
    /// What the second phase gives, by place among the running jobs.
    shared: Vec<Yield>,
    probe: Option<Box<dyn McbProbe>>,
}

impl FractionalScheduler {
    /// The policy on a cluster of this many nodes, with the settings of a site if there are any, which must have been
    /// [checked](Priorities::check).
    pub fn new(
        policy: Fractional,
        nodes: u32,
        options: FractionalOptions,
        site: Option<&Arc<Priorities>>,
    ) -> FractionalScheduler {
        let priority = Priority::new(&policy, &options);
        FractionalScheduler {
            policy,
            options,
            mapper: Mapper::new(nodes, site, priority),
            idle: Idle::new(priority),
            mcb: Mcb::new(nodes, options.mcb),
            settled: None,
            shares: Shares::new(nodes),
            ranking: Ranking::default(),
            leavers: Vec::new(),
            leavers_at: None,
            vacated: None,
            room: Room::default(),
            first_submission: None,
            rejected: Vec::new(),
            evicted: Vec::new(),
            outcomes: Outcomes::default(),
            yields: Vec::new(),
            floors: Vec::new(),
            sharing: Sharing::default(),
            shared: Vec::new(),
            probe: None,
        }
    }

    /// The same, telling this probe of MCB, which is called at each tick then, even without a change.
    #[must_use]
    pub fn with_probe(mut self, probe: Box<dyn McbProbe>) -> FractionalScheduler {
        self.probe = Some(probe);
        self
    }

    /// The time between ticks.
    fn period(&self) -> SimSpan {
        // A program may ask for none: ticks are at every moment then.
        self.policy.extensions.period.unwrap_or(self.options.period).max(SimSpan::from_micros(1))
    }

    /// The jobs in the system, by order of submission.
    fn jobs<'a>(&'a self, view: View<'a>) -> impl Iterator<Item = JobHandle> + 'a {
        view.jobs().iter().copied().filter(|job| !self.rejected.contains(job))
    }

    fn rank_all(&mut self, view: View<'_>) {
        let ranker = self.mapper.ranker(view);
        let jobs = view.jobs().iter().copied().filter(|job| !self.rejected.contains(job));
        self.ranking.rank(ranker, jobs);
    }

    /// Ranks the jobs of highest priority where no site ranks them, at least all of those that a packing can hold where it leaves jobs out from the lowest
    /// priority on.
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
        let running = running.map(|job| ranker.of(job));
        self.ranking.rank_until(view.now(), running, &self.idle, is_enough);
    }

    /// Whether jobs that left for others go back or move only when those have their nodes; with parts that the paper does not have they
    /// never do.
    fn unmarks_after_placing(&self) -> bool {
        let is_extended = self.policy.extensions != Extensions::NONE;
        self.options.readings.unmarking == Unmarking::AfterPlacing && !is_extended
    }

    /// Where the grid of ticks begins, once a job has come.
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

    /// Brings up to date which jobs are on no node, once the mapping is final.
    fn note_idle(&mut self, view: View<'_>) {
        for handle in self.mapper.involved() {
            let job = view.job(handle);
            match (job.state() == JobState::Running, self.mapper.runs(handle)) {
                (true, false) => {
                    self.idle.insert(IdleJob::new(handle, job));
                }
                (false, true) => self.idle.remove(handle),
                _ => {}
            }
        }
    }

    /// Jobs of classes that preempt others come where those leave; returns whether any did.
    fn make_room_by_class(&mut self, view: View<'_>) -> bool {
        if !self.mapper.site.as_ref().is_some_and(Site::preempts) {
            return false;
        }
        let ranker = self.mapper.ranker(view);
        let waiting = self.jobs(view).filter(|&job| !self.mapper.runs(job)).map(|job| ranker.of(job));
        let mut waiting: Vec<Ranked> = waiting.collect();
        Ranked::sort(&mut waiting);
        preemption::make_room(&mut self.mapper, view, waiting.iter().map(Ranked::job))
    }

    /// Starts those waiting and paused jobs that are meant, by decreasing priority, where Greedy finds room.
    fn start_waiting(&mut self, view: View<'_>, is_meant: impl Fn(JobHandle) -> bool) {
        // What finds no room now finds none after others have started, so always the first that finds room is the next.
        loop {
            let (mapping, room, ranker) = (&self.mapper, &mut self.room, self.mapper.ranker(view));
            // Those that left their nodes at this moment.
            let evicted = mapping.involved().filter(|&job| {
                let is_running = view.job(job).state() == JobState::Running;
                is_running && !mapping.runs(job) && is_meant(job)
            });
            if mapping.site.is_some() || !mapping.nodes.are_alike() {
                let idle = self.idle.jobs().filter(|&job| !mapping.runs(job) && is_meant(job));
                self.ranking.rank(ranker, idle.chain(evicted));
                for job in self.ranking.highest_first() {
                    self.mapper.place_greedily(view, job);
                }
                break;
            }
            if self.idle.is_empty() && evicted.clone().next().is_none() {
                break;
            }
            mapping.nodes.note(room);
            let is_waiting = |job: JobHandle| !mapping.runs(job) && is_meant(job);
            let first = self.idle.first_that_fits(room, view.now(), is_waiting);
            let fitting = evicted.filter(|&job| mapping.nodes.take(room, Wanted::of(view, job)));
            let first = first.max(fitting.map(|job| ranker.of(job)).max());
            let Some(next) = first else { break };
            let placed = self.mapper.place_greedily(view, next.job());
            debug_assert!(placed, "there was room");
        }
    }
}

impl Scheduler for FractionalScheduler {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        let view = situation.view;
        let now = view.now();
        self.yields.resize(view.handles(), Yield::ZERO);
        self.floors.resize(view.handles(), Yield::ZERO);
        let (displaced, is_room) = self.follow(situation);
        if self.policy.extensions.pay.is_some() {
            self.outcomes.add(view, situation.completed);
        }
        self.rejected.clear();
        let mut submitted = Vec::with_capacity(situation.submitted.len());
        for &job in situation.submitted {
            self.first_submission.get_or_insert(now);
            self.mapper.nodes.learn(view, job);
            self.mapper.penalties[job.index()] = Penalties::default();
            let is_admitted = self.mapper.site.as_mut().is_none_or(|site| site.submit(view, job));
            if !is_admitted || !self.mapper.nodes.fit(view, job, true) {
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
        if self.unmarks_after_placing() && self.policy.on_submission == OnSubmission::GreedyPM {
            admission::move_where_free(&mut self.mapper, view, &self.evicted, &mut self.room);
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
        let others = self.make_room_by_class(view);
        let holds = readings.stretch_yields == StretchYields::Held && !tick && !others;
        if self.policy.periodic != Periodic::McbStretch || !holds {
            self.share(view, others);
        }
        self.note_idle(view);
        self.mapper.decide(view, &self.yields, decision);
        let drain = Available::next_drain(view).filter(|_| self.policy.pauses());
        let candidate = self.mapper.next_candidate(view, self.jobs(view));
        let next = [self.next_tick(now), self.next_retry(view), drain, candidate].into_iter().flatten().min();
        if let Some(time) = next.filter(|_| !view.jobs().is_empty()) {
            decision.wake_at(time);
        }
    }
}
