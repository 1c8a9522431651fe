//! State of a grid, and the operations on it.

mod failures;

use crate::engine::cluster::Cluster;
use crate::engine::demand::Demand;
use crate::engine::news::{JobEvent, LocalEvent};
use crate::engine::{GridError, GridJob, JobOutcome, JobTraits, Observer, Outcome, Transfer};
use dfrsim_cluster::SimulationError;
use dfrsim_model::event;
use dfrsim_model::event_queue::{EventKey, EventQueue, Rank, Slot};
use dfrsim_model::grid_event::{Record, Traits};
use dfrsim_model::{SimSpan, SimTime, UserId};
use dfrsim_policies::batch::SubmissionEffect;
use std::collections::BTreeSet;

/// Set of clusters, one bit each.
pub(crate) type ClusterSet = u64;

pub(crate) struct Grid<'a> {
    jobs: &'a [GridJob],
    pub(crate) clusters: Vec<Cluster<'a>>,
    /// Clusters on which each job could run while they are up.
    possible: Vec<ClusterSet>,
    states: Vec<State>,
    now: SimTime,
    /// Index of the next job to arrive.
    next: usize,
    /// Clusters with events since their last scheduling cycle.
    cycle_pending: ClusterSet,
    events: EventQueue,
    observer: &'a mut dyn Observer,
    transfer: Transfer,
    /// Jobs in no queue, kept by the meta-scheduler: their cluster has failed, or none that could
    /// run them is up.
    unassigned: BTreeSet<usize>,
    /// Number of jobs that have neither completed nor been skipped.
    unfinished: usize,
    /// Counters so far.
    pub(crate) outcome: Outcome,
    /// First cluster whose simulation failed, with its error.
    error: Option<(usize, SimulationError)>,
}

#[derive(Clone, Copy, Debug)]
struct State {
    phase: Phase,
    outcome: JobOutcome,
    /// True if the job has nodes.
    is_running: bool,
    /// Cluster to which the job was submitted first, which has its data.
    data: Option<u32>,
    /// Cluster that lost the job, until it is submitted again.
    failed_on: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Not arrived, or in no queue at present.
    Outside,
    /// Queued on these clusters.
    Waiting(ClusterSet),
    /// Started on this cluster; the phase stays so after the end.
    Started(usize),
}

/// Work due at the current time, besides that of the clusters.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Due {
    /// True if unassigned jobs may find a cluster.
    pub(crate) change: bool,
    pub(crate) publication: bool,
    pub(crate) arrival: bool,
    pub(crate) tick: bool,
}

/// Kind of an event.
pub(crate) enum Event {
    Arrival,
    Tick,
    Publication,
    /// Jobs have returned to the meta-scheduler.
    Returned,
    /// An event of a cluster's own simulation.
    Local(usize),
    /// A cluster fails or is repaired.
    Change(usize),
}

impl Event {
    /// Returns the slot of the event, and its rank and sequence among the events of one time.
    fn slot_and_rank(&self) -> (Slot, Rank, u64) {
        let last = u64::MAX >> 8;
        let (slot, rank, sequence) = match *self {
            Event::Arrival => (0, Rank::Submission, 0),
            Event::Tick => (1, Rank::Tick, last),
            Event::Publication => (2, Rank::Tick, last - 1),
            Event::Returned => (3, Rank::PlatformChange, last),
            Event::Local(cluster) => (4 + 2 * cluster, Rank::Completion, cluster as u64),
            Event::Change(cluster) => (5 + 2 * cluster, Rank::PlatformChange, cluster as u64),
        };
        (Slot(slot as u32), rank, sequence)
    }
    fn of(Slot(slot): Slot) -> Event {
        let cluster = (slot as usize / 2).saturating_sub(2);
        match slot {
            0 => Event::Arrival,
            1 => Event::Tick,
            2 => Event::Publication,
            3 => Event::Returned,
            _ if slot % 2 == 0 => Event::Local(cluster),
            _ => Event::Change(cluster),
        }
    }
}

impl<'a> Grid<'a> {
    pub(crate) fn new(
        mut clusters: Vec<Cluster<'a>>,
        jobs: &'a [GridJob],
        transfer: Transfer,
        observer: &'a mut dyn Observer,
    ) -> Grid<'a> {
        let (start, end, promised) = (SimTime::MAX, SimTime::MAX, SimTime::MAX);
        let outcome = JobOutcome { cluster: 0, start, end, promised, moves: 0, cancellations: 0, losses: 0 };
        let state = State { phase: Phase::Outside, outcome, is_running: false, data: None, failed_on: None };
        let possible = |job| {
            let mut set = 0;
            for (at, cluster) in clusters.iter_mut().enumerate() {
                set |= ClusterSet::from(cluster.could_run(job)) << at;
            }
            set
        };
        let possible = (0..jobs.len()).map(possible).collect();
        Grid {
            jobs,
            clusters,
            possible,
            states: vec![state; jobs.len()],
            now: SimTime::ZERO,
            next: 0,
            cycle_pending: 0,
            events: EventQueue::new(),
            observer,
            transfer,
            unassigned: BTreeSet::new(),
            unfinished: jobs.len(),
            outcome: Outcome::default(),
            error: None,
        }
    }

    pub(crate) fn now(&self) -> SimTime {
        self.now
    }
    pub(crate) fn job(&self, job: usize) -> &'a GridJob {
        &self.jobs[job]
    }
    /// Returns the first job after `job` that goes through the meta-scheduler; `None` if there is
    /// none or it has already arrived.
    pub(crate) fn next_mapped(&self, job: usize) -> Option<usize> {
        (job + 1..self.jobs.len())
            .find(|&next| self.jobs[next].home.is_none())
            .filter(|next| *next >= self.next)
    }
    /// Counts the waiting jobs; a job counts once on every cluster on which it waits.
    pub(crate) fn waiting(&self) -> usize {
        self.clusters.iter().map(|cluster| cluster.waiting).sum()
    }
    /// Returns whether every cluster offers one common start to all jobs of one width, which a
    /// submission can only delay, and the time that a job takes on a cluster does not depend on
    /// where it was before.
    pub(crate) fn serves_in_turn(&self) -> bool {
        self.transfer.is_zero()
            && self.clusters.iter().all(|cluster| cluster.effect_of_submission() == SubmissionEffect::Delays)
    }
    /// Returns the request of a job to a cluster, including the transfer of its data.
    pub(crate) fn demand(&self, job: usize, at: usize) -> Demand {
        let mut demand = self.clusters[at].demand(job);
        demand.walltime += self.transfer_to(job, at);
        demand
    }
    /// Returns the time for transferring the data of a job to a cluster.
    fn transfer_to(&self, job: usize, at: usize) -> SimSpan {
        if self.transfer.is_zero() || self.states[job].data.is_none_or(|data| data as usize == at) {
            return SimSpan::ZERO;
        }
        self.transfer.of_width(self.jobs[job].width)
    }
    /// Returns whether a job can be submitted to a cluster now.
    pub(crate) fn accepts(&self, at: usize, job: usize) -> bool {
        self.clusters[at].is_up && self.could_run(at, job)
    }
    /// Returns whether a job could run on a cluster while that is up.
    pub(crate) fn could_run(&self, at: usize, job: usize) -> bool {
        self.possible[job] >> at & 1 == 1
    }
    pub(crate) fn is_waiting(&self, job: usize) -> bool {
        matches!(self.states[job].phase, Phase::Waiting(_))
    }
    pub(crate) fn record<'r>(&mut self, record: impl FnOnce() -> Record<'r>) {
        self.observer.record(record());
    }

    pub(crate) fn schedule(&mut self, time: SimTime, event: &Event) {
        let (slot, rank, sequence) = event.slot_and_rank();
        self.events.schedule(slot, EventKey::new(time, rank, sequence));
    }
    /// Schedules the arrival of the next job, if there is one.
    pub(crate) fn schedule_arrival(&mut self) {
        if let Some(time) = self.next_submission() {
            self.schedule(time, &Event::Arrival);
        }
    }
    pub(crate) fn next_submission(&self) -> Option<SimTime> {
        self.jobs.get(self.next).map(|job| job.submit)
    }

    /// Advances to the next event time, applies completions and failures, and runs the scheduling
    /// cycles of the clusters affected. Returns what else is due then.
    pub(crate) fn advance(&mut self) -> Option<Due> {
        self.now = self.events.peek()?.0.time();
        let mut due = Due::default();
        while let Some((_, slot)) = self.events.peek().filter(|(key, _)| key.time() == self.now) {
            self.events.pop();
            match Event::of(slot) {
                // After the last job has left, events of clusters have no effect.
                Event::Local(_) | Event::Change(_) if self.unfinished == 0 => {}
                Event::Local(cluster) => {
                    let reached = self.clusters[cluster].advance_to(self.now);
                    self.check(cluster, reached);
                    self.process_events(cluster);
                    self.cycle_pending |= 1 << cluster;
                }
                Event::Returned => due.change = true,
                Event::Change(cluster) => {
                    self.change(cluster);
                    due.change = true;
                }
                Event::Publication => due.publication = self.unfinished > 0,
                Event::Arrival => due.arrival = true,
                Event::Tick => due.tick = true,
            }
        }
        self.run_pending_cycles();
        Some(due)
    }

    /// Returns the next job that arrives at the current time.
    pub(crate) fn next_arrival(&mut self) -> Option<usize> {
        let job = self.jobs.get(self.next).filter(|job| job.submit == self.now)?;
        let number = self.next;
        self.next += 1;
        self.observer.record(Record::Arrive {
            at_us: self.now.micros(),
            job: number as u64,
            id: job.id.0,
            width: job.width,
            run_us: job.run.micros(),
            walltime_us: job.walltime.micros(),
            home: job.home,
            traits: (job.traits != JobTraits::default()).then(|| traits(&job.traits)),
        });
        Some(number)
    }
    /// Skips a job that fits on no cluster.
    pub(crate) fn skip(&mut self, job: usize) {
        self.outcome.skipped += 1;
        self.unfinished -= 1;
        self.observer.record(Record::Skip { at_us: self.now.micros(), job: job as u64 });
    }

    fn complete(&mut self, job: usize) {
        let state = &self.states[job];
        let Phase::Started(at) = state.phase else { unreachable!("only started jobs complete") };
        let start = state.outcome.start;
        let demand = self.demand(job, at);
        self.clusters[at].ended(demand, start);
        (self.states[job].outcome.end, self.states[job].is_running) = (self.now, false);
        self.unfinished -= 1;
        self.observer.record(Record::Complete {
            at_us: self.now.micros(),
            job: job as u64,
            cluster: at as u32,
        });
    }

    /// Submits a job to a cluster. `expected` is its completion as predicted by the meta-scheduler.
    /// The cluster reacts in [`Grid::run_pending_cycles`].
    pub(crate) fn submit(&mut self, job: usize, at: usize, expected: SimTime) {
        let (now, demand) = (self.now, self.demand(job, at));
        let cluster = &mut self.clusters[at];
        // The cluster's own prediction is up to date, the published state is not.
        let is_published = cluster.is_published();
        let planned = if is_published { cluster.planned(now, now, demand).end } else { expected };
        let known = (is_published && self.jobs[job].home.is_none()).then_some(expected);
        let submitted = cluster.submit(now, demand);
        if known.is_some() && submitted.is_ok() {
            cluster.note_submitted(job);
        }
        self.check(at, submitted);
        self.cycle_pending |= 1 << at;
        self.outcome.submissions += 1;
        let state = &mut self.states[job];
        state.data.get_or_insert(at as u32);
        if (state.outcome.cancellations, state.outcome.losses) == (0, 0) {
            state.outcome.promised = state.outcome.promised.min(planned);
        }
        state.phase = match state.phase {
            Phase::Waiting(set) => Phase::Waiting(set | 1 << at),
            _ => Phase::Waiting(1 << at),
        };
        let decided = self.clusters[at].has_decided(now);
        self.observer.record(Record::Submit {
            at_us: now.micros(),
            job: job as u64,
            cluster: at as u32,
            expected_us: planned.micros(),
            known_us: known.map(SimTime::micros),
            decided,
        });
        self.process_events(at);
    }
    /// Cancels a job in a queue. The cluster reacts in [`Grid::run_pending_cycles`].
    pub(crate) fn cancel(&mut self, job: usize, at: usize, expected: Option<SimTime>) {
        let demand = self.demand(job, at);
        let cancelled = self.clusters[at].cancel(self.now, demand);
        self.check(at, cancelled);
        self.cancelled(job, at, expected);
    }
    /// Cancels the whole queue of a cluster; `jobs` must be all jobs that wait there, with their
    /// expected ends.
    pub(crate) fn cancel_all(&mut self, at: usize, jobs: &[(usize, SimTime)]) {
        let cancelled = self.clusters[at].cancel_all(self.now, jobs.iter().map(|(job, _)| *job));
        self.check(at, cancelled);
        for &(job, expected) in jobs {
            self.cancelled(job, at, Some(expected));
        }
    }
    /// Publishes the states of all clusters.
    pub(crate) fn publish(&mut self) {
        self.observer.record(Record::Publish { at_us: self.now.micros() });
        for at in 0..self.clusters.len() {
            let published = self.clusters[at].publish(self.now);
            self.check(at, published);
        }
    }
    fn cancelled(&mut self, job: usize, at: usize, expected: Option<SimTime>) {
        self.cycle_pending |= 1 << at;
        self.clusters[at].note_gone(self.now, job);
        self.outcome.cancellations += 1;
        let state = &mut self.states[job];
        state.outcome.cancellations += 1;
        state.phase = match state.phase {
            Phase::Waiting(set) if set != 1 << at => Phase::Waiting(set & !(1 << at)),
            Phase::Started(on) => Phase::Started(on),
            _ => Phase::Outside,
        };
        let decided = self.clusters[at].has_decided(self.now);
        self.observer.record(Record::Cancel {
            at_us: self.now.micros(),
            job: job as u64,
            cluster: at as u32,
            expected_us: expected.map(SimTime::micros),
            decided,
        });
    }
    /// Counts a move: the job was submitted to another cluster than the one on which it waited
    /// before.
    pub(crate) fn count_move(&mut self, job: usize) {
        self.outcome.moves += 1;
        self.states[job].outcome.moves += 1;
    }

    /// Runs a scheduling cycle on every cluster with new events.
    pub(crate) fn run_pending_cycles(&mut self) {
        while self.cycle_pending != 0 {
            let at = self.cycle_pending.trailing_zeros() as usize;
            self.cycle_pending &= !(1 << at);
            self.run_cycle(at);
        }
    }
    fn run_cycle(&mut self, at: usize) {
        let passed = self.clusters[at].run_cycle();
        self.check(at, passed);
        self.process_and_schedule(at);
    }
    /// Processes the events of a cluster that has decided, and schedules its next one.
    pub(crate) fn process_and_schedule(&mut self, at: usize) {
        self.process_events(at);
        match self.clusters[at].next_event_time() {
            Some(time) => self.schedule(time, &Event::Local(at)),
            None => self.events.cancel(Event::Local(at).slot_and_rank().0),
        }
    }
    fn check(&mut self, at: usize, done: Result<(), SimulationError>) {
        if let (Err(error), None) = (done, &self.error) {
            self.error = Some((at, error));
        }
    }

    /// Processes the events of a cluster.
    fn process_events(&mut self, at: usize) {
        let mut news = self.clusters[at].take_events();
        for LocalEvent { job_event: what, record } in news.drain(..) {
            if let Some(record) = record {
                self.forward_record(at, record);
            }
            let Some((what, place)) = what else { continue };
            let job = self.clusters[at].job_of(place);
            match what {
                JobEvent::Started => self.start(job, at),
                JobEvent::Completed => self.complete(job),
                JobEvent::Paused => self.requeue(job, at),
                JobEvent::Interrupted(lost) => {
                    self.requeue(job, at);
                    self.count_loss(job, lost);
                }
                JobEvent::Lost => self.handle_loss(job, at),
                JobEvent::Rejected => self.handle_rejection(job, at),
            }
        }
        self.clusters[at].recycle(news);
    }
    fn forward_record(&mut self, at: usize, record: event::Record<'static>) {
        let cluster = at as u32;
        self.observer.record(match record {
            event::Record::Start { at_us, job, on, level, .. } => {
                let job = self.clusters[at].job_of(job) as u64;
                Record::Start { at_us, job, cluster, on, level }
            }
            record => Record::Local { cluster, record: Box::new(record) },
        });
    }

    fn start(&mut self, job: usize, at: usize) {
        let demand = self.demand(job, at);
        self.clusters[at].started(self.now, demand);
        let state = &mut self.states[job];
        let before = std::mem::replace(&mut state.phase, Phase::Started(at));
        (state.outcome.start, state.is_running) = (self.now, true);
        // Copies of the job may wait in other queues and are no longer needed.
        let Phase::Waiting(set) = before else { return };
        let mut others = set & !(1 << at);
        while others != 0 {
            let other = others.trailing_zeros() as usize;
            others &= others - 1;
            self.cancel(job, other, None);
        }
    }
    /// Records that a running job waits again on its cluster.
    fn requeue(&mut self, job: usize, at: usize) {
        let (demand, start) = (self.demand(job, at), self.states[job].outcome.start);
        self.clusters[at].requeued(demand, start);
        self.states[job].is_running = false;
    }

    /// Returns whether the simulation of a cluster has failed.
    pub(crate) fn is_stuck(&self) -> bool {
        self.error.is_some()
    }

    pub(crate) fn finish(self) -> Result<Outcome, GridError> {
        if let Some((at, error)) = self.error {
            return Err(GridError::of_cluster(&self.clusters[at].spec.name, &error));
        }
        let outcome = |state: &State| match state.phase {
            Phase::Started(cluster) => Some(JobOutcome { cluster, ..state.outcome }),
            _ => None,
        };
        let jobs: Vec<Option<JobOutcome>> = self.states.iter().map(outcome).collect();
        let turnarounds = self
            .jobs
            .iter()
            .zip(&jobs)
            .filter_map(|(job, outcome)| outcome.map(|outcome| outcome.end.since(job.submit).micros()));
        self.observer.record(Record::Summary {
            completed: jobs.iter().flatten().count() as u64,
            skipped: self.outcome.skipped as u64,
            moves: self.outcome.moves,
            cancellations: self.outcome.cancellations,
            turnaround_us: turnarounds.fold(0, u64::saturating_add),
        });
        Ok(Outcome { jobs, ..self.outcome })
    }
}

fn traits(of: &JobTraits) -> Traits {
    let JobTraits { cpu_need, memory, user, origin } = *of;
    Traits {
        cpu_need: cpu_need.units(),
        memory: memory.units(),
        user: user.map(UserId::number),
        group: origin.group(),
        queue: origin.queue(),
        partition: origin.partition(),
    }
}
