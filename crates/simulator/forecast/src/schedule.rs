//! Schedules with the starts, ends and nodes of all jobs, and snapshots of them.

use crate::place::FreeNodes;
use crate::snapshot::{AFTER_STARTS, RunningJob, Snapshot};
use dfrsim_cluster::{
    Decision, Followers, NodeRange, Observer, Occurrence, Placement, Scheduler, Simulation, SimulationError,
};
use dfrsim_model::platform::devices::OnDevices;
use dfrsim_model::{Job, SimSpan, SimTime};
use dfrsim_policies::Setup;

/// Schedule of all jobs of a workload.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    entries: Vec<ScheduledJob>,
    /// True if it was recorded, so that jobs may run beyond their requested times.
    is_recorded: bool,
}

/// Job of a schedule.
#[derive(Clone, Debug)]
pub struct ScheduledJob {
    /// The job; its run time is the time that it runs.
    pub job: Job,
    /// Time at which it was rejected, if it was.
    pub rejected: Option<SimTime>,
    /// Periods in which it runs, in order; the first begins with its start.
    pub periods: Vec<Period>,
}

/// Period in which a job runs on nodes.
#[derive(Clone, Debug)]
pub struct Period {
    /// Start of the period.
    pub from: SimTime,
    /// End; [`SimTime::MAX`] if it is not known.
    pub until: SimTime,
    /// Nodes at its end.
    pub on: Vec<NodeRange>,
    /// Devices of the tasks on each node.
    pub devices: Vec<(u32, OnDevices)>,
}

/// Time within which a job that exceeded its requested time in the recorded schedule is expected to
/// end.
const OVERTIME: SimSpan = SimSpan::from_secs(60);

impl ScheduledJob {
    /// Returns the time of the first start.
    pub fn start(&self) -> Option<SimTime> {
        self.periods.first().map(|period| period.from)
    }

    /// Returns the time of the first start at a time or later. A job that was preempted starts again.
    pub fn start_after(&self, at: SimTime) -> Option<SimTime> {
        self.periods.iter().map(|period| period.from).find(|&from| from >= at)
    }

    /// Returns the time of the last end; `None` if it has not started or its end is not known.
    pub fn end(&self) -> Option<SimTime> {
        self.periods.last().map(|period| period.until).filter(|&until| until < SimTime::MAX)
    }
}

impl Schedule {
    /// Simulates jobs and records their schedule.
    ///
    /// # Errors
    /// The errors of the simulation.
    pub fn simulate(
        setup: &Setup,
        jobs: impl IntoIterator<Item = Job>,
        followers: Followers,
    ) -> Result<Schedule, SimulationError> {
        let mut schedule = Schedule::default();
        setup.simulate(jobs, followers, &mut schedule)?;
        Ok(schedule)
    }

    /// Creates a schedule of the recorded starts of jobs, given with their waits in order of
    /// submission, and assigns nodes. Also returns the number of jobs that do not fit into the
    /// nodes that are free at their start: they are not among the running jobs of a snapshot.
    pub fn recorded(jobs: Vec<(Job, SimSpan)>, nodes: u32) -> (Schedule, usize) {
        let period = |(job, wait): (Job, SimSpan)| {
            let from = job.submit.saturating_add(wait);
            let until = from.saturating_add(job.run_time);
            let periods = vec![Period { from, until, on: Vec::new(), devices: Vec::new() }];
            ScheduledJob { job, rejected: None, periods }
        };
        let mut entries: Vec<ScheduledJob> = jobs.into_iter().map(period).collect();
        let mut events: Vec<(SimTime, bool, usize)> = Vec::with_capacity(2 * entries.len());
        for (at, entry) in entries.iter().enumerate() {
            events.push((entry.periods[0].from, true, at));
            events.push((entry.periods[0].until, false, at));
        }
        // Ends come before starts of the same time.
        events.sort_unstable();
        let (mut free, mut without_room) = (FreeNodes::all(nodes), 0);
        for (_, is_start, at) in events {
            let tasks = entries[at].job.tasks;
            let on = &mut entries[at].periods[0].on;
            match is_start {
                true => match free.take(tasks) {
                    Some(taken) => *on = taken,
                    None => without_room += 1,
                },
                false => free.give(on),
            }
        }
        (Schedule { entries, is_recorded: true }, without_room)
    }

    /// Returns the jobs, in order of submission.
    pub fn entries(&self) -> &[ScheduledJob] {
        &self.entries
    }

    /// Adds the memory of the policy to snapshots of the schedule, which are in order of time;
    /// the schedule must be the simulation of these jobs. Snapshots of policies without a
    /// memory do not change.
    ///
    /// # Errors
    /// The errors of the simulation.
    pub fn remember(
        &self,
        setup: &Setup,
        (jobs, followers): (impl IntoIterator<Item = Job>, Followers),
        snapshots: &mut [Snapshot],
    ) -> Result<(), SimulationError> {
        let mut policy = setup.scheduler();
        if policy.memory(SimTime::ZERO).is_none() {
            return Ok(());
        }
        let mut left = snapshots.iter_mut();
        let mut next = left.next();
        let mut complete = |now: SimTime, policy: &dyn Scheduler| {
            while let Some(snapshot) = next.take_if(|snapshot| snapshot.at < now) {
                let (at, after) = (snapshot.at, snapshot.at.saturating_add(AFTER_STARTS));
                *snapshot = Snapshot { at, memory: policy.memory(after), ..self.at(after) };
                next = left.next();
            }
            next.is_some()
        };
        let mut simulation =
            Simulation::new(setup.nodes, setup.options.clone(), jobs, ())?.with_followers(followers);
        let mut decision = Decision::default();
        while let Some(situation) = simulation.advance()? {
            if !complete(situation.view.now(), &*policy) {
                return Ok(());
            }
            policy.decide(&situation, &mut decision);
            simulation.decide(&mut decision)?;
        }
        complete(SimTime::MAX, &*policy);
        Ok(())
    }

    /// Returns the state at a time: after the ends and submissions of that time, and before the
    /// starts.
    pub fn at(&self, at: SimTime) -> Snapshot {
        let mut snapshot = Snapshot { at, ..Snapshot::default() };
        let submitted = self.entries.partition_point(|entry| entry.job.submit <= at);
        for (place, entry) in self.entries[..submitted].iter().enumerate() {
            if entry.rejected.is_some() || entry.periods.last().is_some_and(|last| last.until <= at) {
                continue;
            }
            match entry.periods.iter().find(|period| period.from < at && at < period.until) {
                Some(period) if period.on.is_empty() => {}
                Some(period) => {
                    let mut job = entry.job.clone();
                    let elapsed = at.since(period.from);
                    if self.is_recorded && job.requested_time.is_some_and(|request| request <= elapsed) {
                        job.requested_time = Some(elapsed.saturating_add(OVERTIME));
                    }
                    let (on, devices) = (period.on.clone(), period.devices.clone());
                    snapshot.running.push(RunningJob { job, start: period.from, on, devices });
                }
                None => snapshot.waiting.push(entry.job.clone()),
            }
            snapshot.order.insert(entry.job.id, place);
        }
        snapshot
    }

    fn begin(&mut self, job: u64, from: SimTime, on: Placement<'_>) {
        let on = on.ranges().to_vec();
        let period = Period { from, until: SimTime::MAX, on, devices: Vec::new() };
        self.entries[job as usize].periods.push(period);
    }

    fn end(&mut self, job: u64, until: SimTime) {
        self.entries[job as usize].periods.last_mut().into_iter().for_each(|it| it.until = until);
    }
}

impl Observer for Schedule {
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) {
        match occurrence {
            Occurrence::Submitted(submitted, _) => {
                self.entries.push(ScheduledJob {
                    job: submitted.clone(),
                    rejected: None,
                    periods: Vec::new(),
                });
            }
            Occurrence::Started(on, _) | Occurrence::Resumed(on, _) => self.begin(job, now, on),
            Occurrence::Migrated(on, ..) => {
                let periods = &mut self.entries[job as usize].periods;
                periods.last_mut().into_iter().for_each(|it| it.on = on.ranges().to_vec());
            }
            Occurrence::Bound(devices) => {
                let periods = &mut self.entries[job as usize].periods;
                periods.last_mut().into_iter().for_each(|it| it.devices = devices.to_vec());
            }
            Occurrence::Paused(_)
            | Occurrence::Interrupted(..)
            | Occurrence::Killed(_)
            | Occurrence::Lost(..)
            | Occurrence::Completed(_) => self.end(job, now),
            Occurrence::Rejected => self.entries[job as usize].rejected = Some(now),
            Occurrence::Linked(_)
            | Occurrence::Asked(..)
            | Occurrence::YieldChanged(_)
            | Occurrence::Woken(_) => {}
        }
    }
}
