//! The scheduler of all ranks.

use super::rank::{Position, Rank, micros};
use dfrsim_cluster::{Decision, FreeNodes, JobHandle, JobState, NodeOrder, Scheduler, Situation, View};
use dfrsim_model::{SimSpan, SimTime, Yield};

/// Work after which a running job may give way.
const FIRST_WORK: SimSpan = SimSpan::from_secs(30);
/// Largest multiple of a job's work that its penalties may take.
const PENALTIES: u64 = 30;

/// Scheduler that runs jobs at full speed in the order of a rank and pauses others for them.
///
/// At each event, the jobs without nodes are tried by rank. One that fits takes the fullest nodes with
/// enough memory and CPU. Otherwise running jobs of a later rank are paused for it, the last ones
/// first, as far as they are needed; if all of them do not suffice, it waits. A paused job keeps its
/// work and pays the penalty when it resumes, at the next event at the earliest. A job that does not
/// fit the empty cluster is rejected. Nodes that are down are not used. Licences and power under a cap
/// count as resources of nodes do: a job without them waits, or others are paused for it. A job that lacks
/// power runs at the first lower speed level at which it fits; others are paused for full speed only.
#[derive(Debug)]
pub struct RankedScheduler {
    rank: Rank,
    /// Penalties of each job, by handle.
    penalties: Vec<Penalties>,
}

/// Penalties of a job.
#[derive(Clone, Copy, Debug, Default)]
struct Penalties {
    /// Time spent on penalties before the last start.
    before: SimSpan,
    /// True if the job runs after a pause, so that it pays or has paid one more penalty.
    is_resumed: bool,
}

/// A job with its place in the order.
struct Ranked {
    job: JobHandle,
    position: Position,
}

impl RankedScheduler {
    /// Creates the scheduler of a rank.
    #[must_use]
    pub fn new(rank: Rank) -> RankedScheduler {
        RankedScheduler { rank, penalties: Vec::new() }
    }

    /// Returns the time that a running job has spent on penalties.
    fn paid(&self, view: View<'_>, job: JobHandle) -> SimSpan {
        let Penalties { before, is_resumed } = self.penalties[job.index()];
        let of_this_run = view.penalty().micros().saturating_sub(view.job(job).penalty_left().micros());
        if is_resumed { before.saturating_add(SimSpan::from_micros(of_this_run)) } else { before }
    }
    /// Returns whether a running job may be paused.
    fn may_give_way(&self, view: View<'_>, job: JobHandle) -> bool {
        let work = micros(view.job(job).virtual_time());
        let paid = self.paid(view, job).saturating_add(view.penalty());
        !self.rank.bounds_penalties()
            || work >= FIRST_WORK.micros() && paid.micros() <= work.saturating_mul(PENALTIES)
    }
    /// Pauses a job.
    fn pause(&mut self, view: View<'_>, job: JobHandle, decision: &mut Decision) {
        let before = self.paid(view, job);
        self.penalties[job.index()] = Penalties { before, is_resumed: false };
        decision.pause(job);
    }

    /// Follows the events: new jobs have no penalties, and those that lost their nodes start without
    /// one.
    fn follow(&mut self, situation: &Situation<'_>) {
        let view = situation.view;
        self.penalties.resize(view.handles(), Penalties::default());
        for &job in situation.submitted {
            self.penalties[job.index()] = Penalties::default();
        }
        for interrupted in situation.interrupted {
            let own = &mut self.penalties[interrupted.job.index()];
            if own.is_resumed {
                *own = Penalties { before: own.before.saturating_add(view.penalty()), is_resumed: false };
            }
        }
    }

    /// Returns the jobs that do not run, in the order of their ranks, and those that run, in the
    /// reverse order; or the first job without the estimate that its rank needs.
    fn ranked(&self, view: View<'_>, rejected: &[JobHandle]) -> Result<[Vec<Ranked>; 2], JobHandle> {
        let (mut idle, mut running) = (Vec::new(), Vec::new());
        for &job in view.jobs().iter().filter(|job| !rejected.contains(job)) {
            let position = self.rank.position(view, view.job(job)).ok_or(job)?;
            let side = if view.job(job).state() == JobState::Running { &mut running } else { &mut idle };
            side.push(Ranked { job, position });
        }
        let order = |one: &Ranked, other: &Ranked| {
            let sequence = |ranked: &Ranked| view.job(ranked.job).sequence();
            one.position.compare(other.position).then(sequence(one).cmp(&sequence(other)))
        };
        idle.sort_by(order);
        running.sort_by(|one, other| order(other, one));
        Ok([idle, running])
    }

    /// Places a job if it fits, or if it does once others are paused for it.
    fn place(
        &mut self,
        view: View<'_>,
        job: &Ranked,
        running: &mut Vec<Ranked>,
        free: &mut FreeNodes,
        decision: &mut Decision,
    ) -> bool {
        if free.find_level(view, job.job, |free| free.fits(view, job.job)).is_none() {
            let gives_way = |other: &&Ranked| {
                other.position.compare(job.position).is_gt() && self.may_give_way(view, other.job)
            };
            let candidates: Vec<JobHandle> =
                running.iter().filter(gives_way).map(|other| other.job).collect();
            let Some(victims) = free.victims(view, job.job, &candidates) else { return false };
            for victim in victims.into_iter().map(|at| candidates[at]) {
                free.vacate(view, victim, view.job(victim).placement());
                self.pause(view, victim, decision);
                running.retain(|other| other.job != victim);
            }
        }
        let Some(nodes) = free.place(view, job.job, NodeOrder::Fullest) else { return false };
        let is_resumed = view.job(job.job).state() == JobState::Paused;
        if is_resumed {
            decision.resume(job.job, nodes, Yield::ONE);
        } else {
            decision.start(job.job, nodes, Yield::ONE);
        }
        decision.at_level(free.level(view, job.job));
        free.name_devices(job.job, decision);
        self.penalties[job.job.index()].is_resumed = is_resumed;
        true
    }
}

impl Scheduler for RankedScheduler {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        let view = situation.view;
        if !situation.discovered.is_empty() {
            decision.fail(format!("{} runs jobs at full speed, so it needs exact CPU needs", self.rank));
            return;
        }
        self.follow(situation);
        let all = FreeNodes::all(view);
        let fits_none = |job: &JobHandle| !all.fits(view, *job);
        let rejected: Vec<JobHandle> = situation.submitted.iter().copied().filter(fits_none).collect();
        rejected.iter().for_each(|&job| decision.reject(job));
        let [idle, mut running] = match self.ranked(view, &rejected) {
            Ok(ranked) => ranked,
            Err(job) => {
                let id = view.job(job).id();
                decision.fail(format!("{} needs estimates of run times, and job {id} has none", self.rank));
                return;
            }
        };
        let mut free = FreeNodes::besides_running(view);
        let (before, mut waits, mut next) = (running.len(), false, None::<SimTime>);
        let mut look_at = |time: Option<SimTime>| next = next.into_iter().chain(time).min();
        for job in &idle {
            if self.place(view, job, &mut running, &mut free, decision) {
                let own = view.job(job.job);
                let idle = if own.state() == JobState::Paused { view.penalty() } else { SimSpan::ZERO };
                look_at(self.rank.leaves_level(view, own, idle));
            } else {
                waits = true;
            }
        }
        waits |= running.len() < before;
        for job in &running {
            let own = view.job(job.job);
            look_at(self.rank.leaves_level(view, own, own.penalty_left()));
        }
        look_at(self.rank.look_again().map(|span| view.now() + span));
        look_at(view.classes().and_then(|classes| classes.next_common_step(view.now())));
        if let Some(next) = next.filter(|_| waits) {
            decision.wake_at(next);
        }
    }
}
