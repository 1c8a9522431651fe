//! Runs the parts of a fractional policy.

mod arrivals;
mod platform;

use super::available::Available;
use super::budget::{Candidate, Mover, ranges};
use super::idle::{Idle, IdleJob};
use super::mapping::{Mapping, Placed};
use super::priority::{Priority, Ranked, Ranking};
use super::readings::{ArrivalsAtTicks, Opportunism, Readings, StretchYields, TickOrigin, Unmarking};
use super::room::Room;
use super::{Extensions, Fractional, OnSubmission, Periodic, PriorityRule, RemapLimit, SecondPhase};
use dfrsim_cluster::{Decision, JobHandle, JobState, JobView, Placement, Scheduler, Situation, View};
use dfrsim_model::{NodeTasks, Share, SimSpan, SimTime, VirtualTime, Yield};
use dfrsim_packing::mcb::{DropRule, Mcb, McbOptions, PackJob};
use dfrsim_packing::shares::{SharedJob, Shares, StretchJob};
use platform::Displaced;
use std::ops::Range;

/// The numbers that a fractional policy's name leaves open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FractionalOptions {
    /// The time between ticks.
    pub period: SimSpan,
    /// How MCB packs and searches.
    pub mcb: McbOptions,
    /// How priorities are computed.
    pub priority: PriorityRule,
    /// Readings of other points that the text leaves open.
    pub readings: Readings,
    /// The memory of a node in GB, above 0, by which [`Fractional::budget_gb`] is measured.
    pub node_memory_gb: f64,
}

impl Default for FractionalOptions {
    /// The dissertation's: a period of 600 s (section 5.3.1), nodes of 8 GB (section 6.1).
    fn default() -> Self {
        FractionalOptions {
            period: SimSpan::from_secs(600),
            mcb: McbOptions::default(),
            priority: PriorityRule::default(),
            readings: Readings::default(),
            node_memory_gb: 8.0,
        }
    }
}

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
    mapping: Mapping,
    /// The jobs that the cluster has on no node.
    idle: Idle,
    /// The state of the platform that the mapping follows.
    platform_changes: u64,
    mcb: Mcb,
    mover: Mover,
    shares: Shares,
    ranking: Ranking,
    room: Room,
    first_submission: Option<SimTime>,
    /// The jobs that were paused at this moment for others, by decreasing priority, and where they were.
    evicted: Vec<Placed>,
    /// By handle.
    yields: Vec<Yield>,
    /// By handle: the yields with which the last tick of `/stretch-per` packed.
    floors: Vec<Yield>,
    /// The placements of running jobs by segments of nodes, one after the other, and where each ends.
    parts: Vec<NodeTasks>,
    ends: Vec<usize>,
    /// What the second phase gives, by place among the running jobs.
    shared: Vec<Yield>,
    probe: Option<Box<dyn McbProbe>>,
}

impl FractionalScheduler {
    /// The policy on a cluster of this many nodes.
    #[must_use]
    pub fn new(policy: Fractional, nodes: u32, options: FractionalOptions) -> FractionalScheduler {
        FractionalScheduler {
            policy,
            options,
            mapping: Mapping::new(nodes),
            idle: Idle::new(Priority::new(&policy, &options)),
            platform_changes: 0,
            mcb: Mcb::new(nodes, options.mcb),
            mover: Mover::default(),
            shares: Shares::new(nodes),
            ranking: Ranking::default(),
            room: Room::default(),
            first_submission: None,
            evicted: Vec::new(),
            yields: Vec::new(),
            floors: Vec::new(),
            parts: Vec::new(),
            ends: Vec::new(),
            shared: Vec::new(),
            probe: None,
        }
    }

    /// The same, telling this probe of MCB.
    #[must_use]
    pub fn with_probe(mut self, probe: Box<dyn McbProbe>) -> FractionalScheduler {
        self.probe = Some(probe);
        self
    }

    /// How jobs are ranked.
    fn priority(&self) -> Priority {
        Priority::new(&self.policy, &self.options)
    }

    /// The time between ticks.
    fn period(&self) -> SimSpan {
        self.policy.extensions.period.unwrap_or(self.options.period)
    }

    fn rank_all(&mut self, view: View<'_>) {
        self.ranking.rank(self.priority(), view, view.jobs().iter().copied());
    }

    /// Ranks the jobs of highest priority, at least all of those that a packing can hold where it leaves jobs out from the lowest
    /// priority on.
    fn rank_fitting(&mut self, view: View<'_>) {
        let whole = u64::from(self.mapping.available.count()) * u64::from(Share::ONE.units());
        let mut sum = 0;
        let available = &self.mapping.available;
        let is_enough = |job: JobHandle| {
            if available.fits(view.job(job)) {
                sum += u64::from(view.job(job).memory().units()) * u64::from(view.job(job).tasks());
            }
            sum > whole
        };
        let priority = self.priority();
        let running = self.mapping.involved().filter(|&job| view.job(job).state() == JobState::Running);
        let running = running.map(|job| Ranked::of(priority, view, job));
        self.ranking.rank_until(view.now(), running, &self.idle, is_enough);
    }

    /// Ranks the jobs that are on nodes now or were so at the begin of this moment.
    fn rank_involved(&mut self, view: View<'_>) {
        self.ranking.rank(self.priority(), view, self.mapping.involved());
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
        for handle in self.mapping.involved() {
            let job = view.job(handle);
            match (job.state() == JobState::Running, self.mapping.runs(handle)) {
                (true, false) => {
                    self.idle.insert(IdleJob::new(handle, job, self.policy.extensions.length(job)));
                }
                (false, true) => self.idle.remove(handle),
                _ => {}
            }
        }
    }

    /// Starts those waiting and paused jobs that are meant, by decreasing priority, where Greedy finds room.
    fn start_waiting(&mut self, view: View<'_>, is_meant: impl Fn(JobHandle) -> bool) {
        let priority = self.priority();
        // What finds no room now finds none after others have started, so always the first that finds room is the next.
        loop {
            let (mapping, room) = (&self.mapping, &mut self.room);
            // Those that left their nodes at this moment.
            let evicted = mapping.involved().filter(|&job| {
                let is_running = view.job(job).state() == JobState::Running;
                is_running && !mapping.runs(job) && is_meant(job)
            });
            if self.idle.is_empty() && evicted.clone().next().is_none() {
                break;
            }
            room.set(mapping.nodes.free_memory());
            let is_waiting = |job: JobHandle| !mapping.runs(job) && is_meant(job);
            let first = self.idle.first_that_fits(room, view.now(), is_waiting);
            let fitting = evicted.filter(|&job| room.takes(view.job(job).memory(), view.job(job).tasks()));
            let first = first.max(fitting.map(|job| Ranked::of(priority, view, job)).max());
            let Some(next) = first else { break };
            let placed = self.mapping.place_greedily(view, next.job());
            debug_assert!(placed, "there was room");
        }
    }

    /// What a tick may move, in units of memory.
    fn budget(&self) -> Option<u64> {
        let nodes = f64::from(self.policy.budget_gb?) / self.options.node_memory_gb;
        Some((nodes * f64::from(Share::ONE.units())) as u64)
    }

    /// Whether a tick maps all jobs again: always, or under `/BELOW` only if that may help a job.
    fn is_remap_due(&mut self, view: View<'_>) -> bool {
        let Some(percent) = self.policy.extensions.below_percent else { return true };
        if view.jobs().iter().any(|&job| !self.mapping.runs(job)) {
            return true;
        }
        self.share(view);
        let enough = Yield::from_ratio(percent.into(), 100);
        self.mapping.placed().any(|job| self.yields[job.index()] < enough)
    }

    /// Maps all jobs again and, if there is a budget, moves no more than that.
    fn remap(&mut self, view: View<'_>, budget: Option<u64>) {
        if self.mapping.available.count() == 0 {
            return;
        }
        let drops_lowest = self.options.mcb.drop == DropRule::Prefix;
        if drops_lowest && budget.is_none() && !self.policy.relabel {
            self.rank_fitting(view);
        } else {
            self.rank_all(view);
        }
        // One that cannot run on the nodes that are up would keep all others of lower priority from running.
        let fits = |job: &JobHandle| self.mapping.available.fits(view.job(*job));
        let ranked: Vec<JobHandle> = self.ranking.highest_first().filter(fits).collect();
        let (mapping, limit) = (&self.mapping, self.policy.remap_limit);
        // The placements of jobs that are pinned, one after the other, and which of them is whose.
        let mut parts = Vec::new();
        let mut part_of = |handle: JobHandle| {
            let begin = parts.len();
            parts.extend(Placement::new(mapping.placement(handle)));
            begin..parts.len()
        };
        let pinned = ranked.iter().map(|&handle| {
            let is_pinned = mapping.runs(handle) && limit.pins(view.job(handle), self.policy.extensions);
            is_pinned.then(|| part_of(handle))
        });
        let pinned: Vec<Option<Range<usize>>> = pinned.collect();
        let jobs: Vec<PackJob<'_>> = ranked
            .iter()
            .zip(&pinned)
            .map(|(&handle, pinned)| {
                let job = view.job(handle);
                PackJob {
                    tasks: job.tasks(),
                    need: job.cpu_need(),
                    memory: job.memory(),
                    sequence: job.sequence(),
                    pinned: pinned.clone().map(|pinned| &parts[pinned]),
                }
            })
            .collect();
        let by_stretch = self.policy.periodic == Periodic::McbStretch;
        let (period, floor) = (self.period(), self.options.mcb.floor);
        let yield_at = |job: usize, target| stretch_yield(view, ranked[job], period, floor, target);
        if let Some(probe) = &mut self.probe {
            probe.begins(view.jobs().len());
        }
        let packed = if by_stretch {
            self.mcb.map_by(&jobs, lowest_target(), Yield::ONE, yield_at)
        } else if let Some(weights) = weights_of(view, &ranked) {
            self.mcb.map_weighted(&jobs, &weights)
        } else {
            self.mcb.map(&jobs)
        };
        if let Some(probe) = &mut self.probe {
            probe.ends();
        }
        if by_stretch {
            // What others get beyond these is left to the second phase.
            let step = self.options.mcb.cpu_step;
            for (place, &handle) in ranked.iter().enumerate().filter(|(place, _)| packed.is_kept(*place)) {
                let exact = yield_at(place, packed.value()).expect("the packing used these yields");
                let need = view.job(handle).cpu_need();
                self.floors[handle.index()] = step.map_or(exact, |step| packed_in_steps(exact, need, step));
            }
        }
        let candidate =
            |(&handle, job): (&JobHandle, &PackJob<'_>)| Candidate { handle, pinned: job.pinned.is_some() };
        let candidates: Vec<Candidate> = ranked.iter().zip(&jobs).map(candidate).collect();
        let placements = (0..ranked.len()).map(|place| packed.placement(place));
        let change = |(&job, placement): (&JobHandle, &[NodeTasks])| {
            (Placement::new(mapping.placement(job)) != placement).then(|| (job, ranges(placement)))
        };
        let mut changes: Vec<Placed> = if self.policy.relabel || budget.is_some() {
            let mut placements = placements.map(<[NodeTasks]>::to_vec).collect();
            if self.policy.relabel {
                placements = self.mover.relabel(view, &mapping.available, &candidates, &placements);
            }
            if let Some(budget) = budget {
                placements = self.mover.limit(view, &mapping.available, &candidates, placements, budget);
            }
            ranked.iter().zip(placements.iter().map(Vec::as_slice)).filter_map(change).collect()
        } else {
            ranked.iter().zip(placements).filter_map(change).collect()
        };
        let mut known = ranked;
        known.sort_unstable();
        // Jobs that were not even ranked are in no packing.
        let unranked = mapping.placed().filter(|job| known.binary_search(job).is_err());
        changes.extend(unranked.map(|job| (job, Vec::new())));
        self.mapping.set_all(view, changes);
    }

    /// Gives out the CPU under the mapping as it is now.
    fn share(&mut self, view: View<'_>) {
        let running: Vec<JobHandle> = self.mapping.placed().collect();
        // Where CPU comes in steps, even what is on other nodes counts.
        self.mapping.nodes.number_segments(self.options.mcb.cpu_step.is_none());
        self.parts.clear();
        self.ends.clear();
        for &job in &running {
            self.mapping.nodes.by_segment(self.mapping.placement(job), &mut self.parts);
            self.ends.push(self.parts.len());
        }
        let mut begin = 0;
        let jobs = running.iter().zip(&self.ends).map(|(&job, &end)| SharedJob {
            need: view.job(job).cpu_need(),
            placement: &self.parts[std::mem::replace(&mut begin, end)..end],
        });
        let jobs: Vec<SharedJob<'_>> = jobs.collect();
        if self.policy.periodic == Periodic::McbStretch {
            let is_max = self.policy.second_phase != SecondPhase::Average;
            let (mut period, mut floor) = (self.period(), None);
            if self.options.readings.stretch_yields == StretchYields::Recomputed {
                let now = view.now();
                period = self.next_tick(now).map_or(period, |tick| tick.since(now));
                // Jobs may get less than at the tick, but the average is still computed above the yields of the tick.
                floor = is_max.then(|| self.options.mcb.floor.min(self.shares.common(&jobs)));
            }
            let stretched = running.iter().zip(&jobs).map(|(job, &shared)| StretchJob {
                job: shared,
                flow_time: view.job(*job).flow_time(),
                virtual_time: view.job(*job).virtual_time(),
                floor: floor.unwrap_or(self.floors[job.index()]),
            });
            let jobs: Vec<StretchJob<'_>> = stretched.collect();
            if let (true, Some(step)) = (is_max, self.options.mcb.cpu_step) {
                self.ranking.rank(self.priority(), view, running.iter().copied());
                let mut ranks = vec![0; running.len()];
                for (rank, job) in (0..).zip(self.ranking.highest_first()) {
                    // Both are by submission, as handles are not.
                    let sequence = view.job(job).sequence();
                    let place = running.partition_point(|&other| view.job(other).sequence() < sequence);
                    ranks[place] = rank;
                }
                self.shares.min_max_stretch_in_steps(&jobs, &ranks, period, step, &mut self.shared);
            } else if is_max {
                self.shares.min_max_stretch(&jobs, period, &mut self.shared);
            } else {
                self.shares.max_average_inverse_stretch(&jobs, period, &mut self.shared);
            }
        } else {
            let weight = |&job: &JobHandle| {
                self.policy.extensions.weight(self.policy.extensions.length(view.job(job)))
            };
            let by_service = || running.iter().map(weight).collect::<Option<Vec<u32>>>();
            let weights = weights_of(view, &running).or_else(by_service);
            match (self.policy.second_phase, weights, self.options.mcb.cpu_step) {
                (SecondPhase::Average, _, step) => {
                    self.shares.max_average(&jobs, &mut self.shared);
                    round_to_steps(&jobs, step, &mut self.shared);
                }
                (SecondPhase::Min | SecondPhase::Max, Some(weights), step) => {
                    self.shares.weighted_max_min(&jobs, &weights, &mut self.shared);
                    round_to_steps(&jobs, step, &mut self.shared);
                }
                (SecondPhase::Min | SecondPhase::Max, None, Some(step)) => {
                    self.shares.max_min_in_steps(&jobs, step, &mut self.shared);
                }
                (SecondPhase::Min | SecondPhase::Max, None, None) => {
                    self.shares.max_min(&jobs, &mut self.shared);
                }
            }
        }
        for (job, &job_yield) in running.iter().zip(&self.shared) {
            self.yields[job.index()] = job_yield;
        }
    }
}

/// Places a job by Greedy, unless the room that there was when `room` was set, or what was refused since, shows that it does not fit.
fn place_if_room(mapping: &mut Mapping, room: &mut Room, view: View<'_>, job: JobHandle) {
    let (memory, tasks) = (view.job(job).memory(), view.job(job).tasks());
    if room.takes(memory, tasks) && !mapping.place_greedily(view, job) {
        room.refuse(memory, tasks);
    }
}

/// The weights of these jobs; `None` if all of them count the same.
fn weights_of(view: View<'_>, jobs: &[JobHandle]) -> Option<Vec<u32>> {
    if !view.has_weights() {
        return None;
    }
    let weights: Vec<u32> = jobs.iter().map(|&job| view.job(job).weight()).collect();
    weights.iter().any(|&weight| weight != weights[0]).then_some(weights)
}

/// Rounds yields to whole steps of CPU, if there are steps; what is below one stays.
fn round_to_steps(jobs: &[SharedJob<'_>], step: Option<Share>, yields: &mut [Yield]) {
    let Some(step) = step else { return };
    for (job, job_yield) in jobs.iter().zip(yields) {
        *job_yield = in_steps(*job_yield, job.need, step).unwrap_or(*job_yield);
    }
}

/// The yield at which a task with this need gets whole steps of CPU, at most this yield; `None` below one step. What is less
/// than a unit below a step is meant to be that step.
fn in_steps(job_yield: Yield, need: Share, step: Share) -> Option<Yield> {
    let [need, step] = [need, step].map(|share| u64::from(share.units()));
    let cpu = need.saturating_mul(u64::from(job_yield.units()) + 1) >> Yield::BITS;
    let steps = (cpu / step.max(1)).checked_mul(step).filter(|&steps| steps > 0)?;
    Some(Yield::from_ratio(steps, need).min(job_yield))
}

/// The yield of the CPU with which MCB packs a task in whole steps: rounded down, but at least one step.
fn packed_in_steps(job_yield: Yield, need: Share, step: Share) -> Yield {
    let [need, step] = [need, step].map(|share| u64::from(share.units()));
    let cpu = need.saturating_mul(u64::from(job_yield.units())) >> Yield::BITS;
    let steps = (cpu / step.max(1)).max(1);
    Yield::from_ratio(steps.saturating_mul(step), need.max(1))
}

impl RemapLimit {
    /// Whether MCB may drop this running job but not move it.
    pub(super) fn pins(self, job: JobView<'_>, extensions: Extensions) -> bool {
        match self {
            RemapLimit::Unlimited => false,
            RemapLimit::FlowTime(limit) => job.flow_time() < limit,
            RemapLimit::VirtualTime(limit) => extensions.length(job) < VirtualTime::of(limit),
        }
    }
}

/// The lowest inverse stretch that is searched: the smallest above zero, so that no job has waited too long to have a place.
fn lowest_target() -> Yield {
    Yield::try_from_units(1).expect("a unit is a yield")
}

/// The yield that brings a job's inverse estimated stretch at the next tick, (virtual time + yield * period) / (flow time +
/// period), to the target, but at least the floor; `None` if it needs more than its full speed (section 5.2.6), but for
/// the lowest target, which a job may miss.
fn stretch_yield(
    view: View<'_>,
    job: JobHandle,
    period: SimSpan,
    floor: Yield,
    target: Yield,
) -> Option<Yield> {
    let job = view.job(job);
    let goal = (job.flow_time() + period).as_secs_f64() * target.as_f64();
    let wanted = (goal - job.virtual_time().as_secs_f64()) / period.as_secs_f64();
    (wanted <= 1.0 || target == lowest_target()).then(|| Yield::from_f64(wanted).max(floor))
}

impl Scheduler for FractionalScheduler {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        let view = situation.view;
        let now = view.now();
        self.mapping.grow(view.handles());
        self.yields.resize(view.handles(), Yield::ZERO);
        self.floors.resize(view.handles(), Yield::ZERO);
        for &(job, before) in situation.discovered {
            self.mapping.change_need(view, job, before);
        }
        for &job in situation.completed {
            self.mapping.forget(view, job);
        }
        let displaced =
            if view.has_outages() { self.follow_platform(situation) } else { Displaced::default() };
        for &job in situation.submitted {
            self.first_submission.get_or_insert(now);
            self.idle.insert(IdleJob::new(job, view.job(job), self.policy.extensions.length(view.job(job))));
        }
        self.evicted.clear();
        let readings = self.options.readings;
        let tick = self.is_tick(now);
        let by_mcb = self.policy.on_submission == OnSubmission::Mcb;
        let completed = self.policy.opportunistic && (!situation.completed.is_empty() || displaced.is_room);
        let submitted = by_mcb && !(situation.submitted.is_empty() && displaced.jobs.is_empty());
        if completed && !by_mcb && readings.opportunism == Opportunism::Completions {
            let new_from = situation.submitted.first().map_or(u64::MAX, |&job| view.job(job).sequence());
            let is_new = |job| view.job(job).sequence() >= new_from || displaced.jobs.contains(&job);
            self.start_waiting(view, |job| !is_new(job));
        }
        if !tick || readings.arrivals_at_ticks == ArrivalsAtTicks::Admitted {
            self.admit_displaced(view, &displaced.jobs);
            for &job in situation.submitted {
                self.admit(view, job);
            }
        }
        let is_moving = self.policy.on_submission == OnSubmission::GreedyPM;
        if is_moving && readings.unmarking == Unmarking::AfterPlacing {
            let evicted = std::mem::take(&mut self.evicted);
            self.move_evicted(view, &evicted);
            self.evicted = evicted;
        }
        self.retry(view, |job| situation.submitted.contains(&job) || displaced.jobs.contains(&job));
        let remaps = submitted || completed && by_mcb || tick && self.is_remap_due(view);
        if remaps && !view.jobs().is_empty() {
            self.remap(view, self.budget().filter(|_| tick));
        }
        if self.policy.opportunistic && !by_mcb && readings.opportunism == Opportunism::EveryEvent {
            let evicted = std::mem::take(&mut self.evicted);
            self.start_waiting(view, |job| evicted.iter().all(|(other, _)| *other != job));
            self.evicted = evicted;
        }
        let holds = readings.stretch_yields == StretchYields::Held && !tick;
        if self.policy.periodic != Periodic::McbStretch || !holds {
            self.share(view);
        }
        self.note_idle(view);
        self.mapping.decide(view, &self.yields, decision);
        let drain = Available::next_drain(view).filter(|_| self.policy.pauses());
        let next = self.next_tick(now).into_iter().chain(self.next_retry(view)).chain(drain).min();
        if let Some(time) = next.filter(|_| !view.jobs().is_empty()) {
            decision.wake_at(time);
        }
    }
}
