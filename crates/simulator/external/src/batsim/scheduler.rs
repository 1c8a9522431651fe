//! The role of Batsim: sends events, and carries out each command at its time.

use super::events::{Events, JobEnd};
use super::messages::BatsimMessage;
use super::orders::Order;
use super::sharing::NodeOccupancy;
use super::{Sharing, Transport};
use crate::fault::invalid_answer;
use crate::nodes;
use crate::pace::ProgressCheck;
use crate::seconds::{next_instant, time_from_seconds};
use dfrsim_cluster::{Decision, JobHandle, JobState, Scheduler, Situation, View};
use dfrsim_model::{Job, JobId, JobText, JobTexts, NodeId, SimSpan, SimTime, Yield, ranges};
use serde_json::{Map, json};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Name of the workload to which the jobs of the log belong.
const WORKLOAD: &str = "w0";

/// First number of registered jobs, which exceeds the numbers in logs.
const FIRST_REGISTERED: u64 = 1 << 62;

/// Maximum number of exchanges at one time; a scheduler that needs more is in an infinite loop.
const MAX_EXCHANGES: u32 = 10_000;

/// A policy whose decisions are made by an external scheduler.
pub(super) struct BatsimScheduler<C, T: Transport> {
    connect: C,
    nodes: u32,
    sharing: Sharing,
    pace: ProgressCheck,
    /// Offset of the scheduler's clock if the first job arrives at second 0.
    ahead: SimSpan,
    session: Option<Session<T>>,
}

/// A connection with the state that both sides know.
struct Session<T> {
    transport: T,
    now: SimTime,
    nodes: u32,
    jobs: BTreeMap<Rc<str>, KnownJob>,
    /// Names of the jobs in the system, by their index in the order of submission.
    names: BTreeMap<u64, Rc<str>>,
    occupancy: NodeOccupancy,
    /// Jobs that start now.
    starting: Vec<Rc<str>>,
    /// Events that have not been sent yet.
    events: Events,
    /// Commands for later, by their time and sequence number.
    orders: BTreeMap<(SimTime, u64), Order>,
    order_count: u64,
    /// Time of the last reply; earlier events are sent at that time.
    ready: SimTime,
    calls: BTreeSet<SimTime>,
    profiles: BTreeMap<String, SimSpan>,
    /// Registered jobs that have not arrived yet, as (job name, profile name) by number.
    registered: BTreeMap<u64, (String, String)>,
    registrations: u64,
    sent_all_submitted: bool,
    /// Nodes that are down, as of `platform_changes`.
    down: BTreeSet<u32>,
    platform_changes: u64,
}

struct KnownJob {
    handle: JobHandle,
    tasks: u32,
    profile: Rc<str>,
    /// Number of resubmissions after losing its nodes.
    resubmissions: u32,
    phase: Phase,
}

enum Phase {
    Waiting,
    /// Decided now.
    Starting(Vec<u32>),
    Running {
        on: Vec<u32>,
        share: Yield,
    },
}

impl<T: Transport, C: Fn() -> Result<T, String>> BatsimScheduler<C, T> {
    pub(super) fn new(connect: C, nodes: u32, sharing: Sharing, ahead: SimSpan) -> BatsimScheduler<C, T> {
        BatsimScheduler { connect, nodes, sharing, pace: ProgressCheck::default(), ahead, session: None }
    }

    fn session(&mut self, view: View<'_>) -> Result<&mut Session<T>, String> {
        let session = match self.session.take() {
            Some(session) => session,
            None => {
                let ahead = if view.now() == SimTime::ZERO { self.ahead } else { SimSpan::ZERO };
                Session::begin((self.connect)()?, self.nodes, self.sharing, ahead, view.texts())?
            }
        };
        Ok(self.session.insert(session))
    }
}

impl<T: Transport, C: Fn() -> Result<T, String>> Scheduler for BatsimScheduler<C, T> {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        let paced = self.pace.check(situation);
        let decided = paced
            .and_then(|()| self.session(situation.view))
            .and_then(|session| session.decide(situation, decision));
        if let Err(fault) = decided {
            self.session = None;
            decision.fail(fault);
        }
    }
}

impl<C, T: Transport> Drop for BatsimScheduler<C, T> {
    fn drop(&mut self) {
        if let Some(session) = &mut self.session {
            let mut events = Events::new(session.events.clock_offset);
            events.simulation_ends(session.now);
            // The simulation is over, so the reply has no effect.
            let _ = session.transport.exchange(&events.request(session.now));
            session.transport.end();
        }
    }
}

impl<T: Transport> Session<T> {
    /// Announces the cluster to the scheduler, whose reply may already contain commands for later.
    fn begin(
        transport: T,
        nodes: u32,
        sharing: Sharing,
        ahead: SimSpan,
        texts: Option<&JobTexts>,
    ) -> Result<Session<T>, String> {
        let mut session = Session {
            transport,
            now: SimTime::ZERO,
            nodes,
            jobs: BTreeMap::new(),
            names: BTreeMap::new(),
            occupancy: NodeOccupancy::new(nodes, sharing),
            starting: Vec::new(),
            events: Events::new(ahead),
            orders: BTreeMap::new(),
            order_count: 0,
            ready: SimTime::ZERO,
            calls: BTreeSet::new(),
            profiles: BTreeMap::new(),
            registered: BTreeMap::new(),
            registrations: 0,
            sent_all_submitted: false,
            down: BTreeSet::new(),
            platform_changes: 0,
        };
        session.events.simulation_begins(nodes, sharing, texts);
        session.exchange(SimTime::ZERO)?;
        Ok(session)
    }

    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) -> Result<(), String> {
        let view = situation.view;
        self.now = view.now();
        self.record_events(situation);
        let mut exchanges = 0;
        loop {
            self.carry_out_due(view, decision)?;
            if self.events.is_empty() || self.ready > self.now {
                break;
            }
            exchanges += 1;
            if exchanges > MAX_EXCHANGES {
                let fault =
                    format!("it makes no progress at {} s: each answer causes another event", self.now);
                return Err(fault);
            }
            self.exchange(self.now)?;
        }
        self.start_and_share(decision);
        let waits = (!self.events.is_empty()).then_some(self.ready);
        let order = self.orders.first_key_value().map(|(&(time, _), _)| time);
        let wake_up = [waits, order, self.calls.first().copied()].into_iter().flatten().min();
        if let Some(time) = wake_up {
            decision.wake_at(time.max(next_instant(self.now)));
        }
        Ok(())
    }

    /// Adds events for everything that has happened now.
    fn record_events(&mut self, situation: &Situation<'_>) {
        let (view, now) = (situation.view, self.now);
        for &handle in situation.completed {
            let job = view.job(handle);
            let end = if job.was_cut_off() { JobEnd::WalltimeReached } else { JobEnd::Done };
            self.end(job.sequence(), end);
        }
        self.record_outages(view);
        for interrupted in situation.interrupted {
            self.record_interruption(view, interrupted.job);
        }
        for &handle in situation.submitted {
            let job = view.job(handle);
            let (name, profile) = self.registered.remove(&job.id().0).unwrap_or_else(|| {
                let text = view.texts().and_then(|texts| texts.jobs.get(&job.id()));
                let (name, profile) = match text {
                    Some(JobText { name, profile, .. }) => (name.clone(), profile.clone()),
                    None => (job.id().to_string(), job.id().to_string()),
                };
                let name = format!("{WORKLOAD}!{name}");
                // Logs may repeat job numbers.
                let is_known = self.jobs.contains_key(&*name);
                (if is_known { format!("{name}.{}", job.sequence()) } else { name }, profile)
            });
            self.submit(view, handle, &name, profile.into(), 0);
        }
        if situation.all_submitted && !std::mem::replace(&mut self.sent_all_submitted, true) {
            self.events.all_submitted(now);
        }
        while let Some(call) = self.calls.first().copied().filter(|&call| call <= now) {
            self.calls.remove(&call);
            self.events.requested_call(now);
        }
    }

    /// Ends the job with this index in the order of submission, and releases its nodes; returns its
    /// name and state.
    fn end(&mut self, sequence: u64, end: JobEnd) -> Option<(Rc<str>, KnownJob)> {
        let name = self.names.remove(&sequence)?;
        let job = self.jobs.remove(&name)?;
        let Phase::Running { on, .. } = &job.phase else { return None };
        self.occupancy.release(&name, on);
        self.events.job_completed(self.now, &name, end, &ranges(on, " "));
        Some((name, job))
    }

    fn submit(&mut self, view: View<'_>, handle: JobHandle, name: &str, profile: Rc<str>, again: u32) {
        let job = view.job(handle);
        self.events.job_submitted(self.now, name, &profile, job, view.texts());
        let name: Rc<str> = name.into();
        self.names.insert(job.sequence(), Rc::clone(&name));
        let known =
            KnownJob { handle, tasks: job.tasks(), profile, resubmissions: again, phase: Phase::Waiting };
        self.jobs.insert(name, known);
    }

    /// Reports that a job failed because it lost its nodes. If it was requeued, it is resubmitted as
    /// `NAME#1`, `NAME#2`, as in pybatsim.
    fn record_interruption(&mut self, view: View<'_>, handle: JobHandle) {
        let job = view.job(handle);
        let Some((name, KnownJob { profile, resubmissions: again, .. })) =
            self.end(job.sequence(), JobEnd::Failed)
        else {
            return;
        };
        if job.state() == JobState::Waiting {
            let first =
                if again == 0 { &*name } else { name.rsplit_once('#').map_or(&*name, |(first, _)| first) };
            self.submit(view, handle, &format!("{first}#{}", again + 1), profile, again + 1);
        }
    }

    /// Adds events for the nodes that went down or came up.
    fn record_outages(&mut self, view: View<'_>) {
        if view.platform_changes() == std::mem::replace(&mut self.platform_changes, view.platform_changes()) {
            return;
        }
        let down: BTreeSet<u32> = (0..self.nodes).filter(|&node| !view.is_up(NodeId(node))).collect();
        let before = std::mem::replace(&mut self.down, down);
        for (kind, nodes) in [
            ("event_machine_unavailable", self.down.difference(&before)),
            ("event_machine_available", before.difference(&self.down)),
        ] {
            let nodes = ranges(&nodes.copied().collect::<Vec<_>>(), " ");
            if !nodes.is_empty() {
                self.events.machines_changed(self.now, kind, &nodes);
            }
        }
    }

    /// Sends the events, and stores the commands of the reply until their time.
    fn exchange(&mut self, now: SimTime) -> Result<(), String> {
        let answer = self.transport.exchange(&self.events.request(now))?;
        let BatsimMessage { now: ready, events } =
            serde_json::from_str(&answer).map_err(|error| invalid_answer(&error, &answer))?;
        self.ready = self.to_simulation_time(time_from_seconds(ready, "now")?).max(now);
        for event in events {
            let time = self.to_simulation_time(time_from_seconds(event.timestamp, &event.kind)?).max(now);
            let order = Order::read(event, self.nodes)?;
            self.order_count += 1;
            self.orders.insert((time, self.order_count), order);
        }
        Ok(())
    }

    /// Converts a time of the scheduler's clock to simulated time.
    fn to_simulation_time(&self, time: SimTime) -> SimTime {
        SimTime::from_micros(time.micros().saturating_sub(self.events.clock_offset.micros()))
    }

    fn carry_out_due(&mut self, view: View<'_>, decision: &mut Decision) -> Result<(), String> {
        while let Some(first) = self.orders.first_entry().filter(|first| first.key().0 <= self.now) {
            let order = first.remove();
            self.carry_out(order, view, decision)?;
        }
        Ok(())
    }

    fn carry_out(&mut self, order: Order, view: View<'_>, decision: &mut Decision) -> Result<(), String> {
        match order {
            Order::Execute { job: name, on } => {
                let name: Rc<str> = name.into();
                let job = find_job(&mut self.jobs, "EXECUTE_JOB", &name)?;
                if !matches!(job.phase, Phase::Waiting) {
                    return Err(format!("EXECUTE_JOB of {name}: the job is already running"));
                }
                if on.len() != job.tasks as usize {
                    let (given, has) = (on.len(), job.tasks);
                    let fault = format!("EXECUTE_JOB of {name}: {given} nodes for a job that needs {has}");
                    return Err(fault);
                }
                self.occupancy.allocate(&name, &on)?;
                job.phase = Phase::Starting(on);
                self.starting.push(name);
            }
            Order::Reject { job: name } => {
                let job = find_job(&mut self.jobs, "REJECT_JOB", &name)?;
                if !matches!(job.phase, Phase::Waiting) {
                    return Err(format!("REJECT_JOB of {name}: the job is already running"));
                }
                decision.reject(job.handle);
                self.names.remove(&view.job(job.handle).sequence());
                self.jobs.remove(&*name);
            }
            Order::Kill { jobs } => self.kill(&jobs, view, decision)?,
            Order::CallAt(time) => {
                self.calls.insert(self.to_simulation_time(time).max(next_instant(self.now)));
            }
            Order::SetState { resources, state } => {
                self.events.resource_state_changed(self.now, &resources, state);
            }
            Order::RegisterProfile { name, run_time } => {
                self.profiles.insert(name, run_time);
            }
            Order::RegisterJob { job, profile, tasks, walltime } => {
                let run_time = *self.profiles.get(&profile).ok_or_else(|| {
                    format!("REGISTER_JOB of {job}: the profile {profile} is not registered")
                })?;
                if self.jobs.contains_key(&*job) || self.registered.values().any(|(name, _)| *name == job) {
                    return Err(format!("REGISTER_JOB of {job}: a job of this name exists already"));
                }
                let number = FIRST_REGISTERED + self.registrations;
                self.registrations += 1;
                let profile = profile.split_once('!').map_or("", |(_, profile)| profile).to_owned();
                self.registered.insert(number, (job, profile));
                decision.submit(Job {
                    id: JobId(number),
                    submit: next_instant(self.now),
                    tasks,
                    run_time,
                    requested_time: walltime,
                    ..Job::default()
                });
            }
            Order::Ignored => {}
        }
        Ok(())
    }

    /// Kills the jobs that are running; those that have ended in the meantime are only acknowledged.
    fn kill(&mut self, names: &[String], view: View<'_>, decision: &mut Decision) -> Result<(), String> {
        let mut progress = Map::new();
        for name in names {
            let Some(job) = self.jobs.get(&**name) else { continue };
            match job.phase {
                Phase::Running { .. } => {}
                Phase::Waiting => return Err(format!("KILL_JOB of {name}: the job is not running")),
                Phase::Starting(_) => {
                    return Err(format!("KILL_JOB of {name}: the job is only starting now"));
                }
            }
            decision.kill(job.handle);
            self.end(view.job(job.handle).sequence(), JobEnd::Killed);
            progress.insert(name.clone(), json!({ "profile": name }));
        }
        self.events.job_killed(self.now, names, &progress);
        Ok(())
    }

    /// Starts jobs, and updates the yields of others whose nodes have changed.
    fn start_and_share(&mut self, decision: &mut Decision) {
        for name in self.occupancy.take_changed() {
            if let Some(KnownJob { handle, phase: Phase::Running { on, share }, .. }) =
                self.jobs.get_mut(&name)
            {
                let now = self.occupancy.share(on);
                if std::mem::replace(share, now) != now {
                    decision.set_yield(*handle, now);
                }
            }
        }
        for name in self.starting.drain(..) {
            if let Some(KnownJob { handle, phase, .. }) = self.jobs.get_mut(&name)
                && let Phase::Starting(on) = phase
            {
                let (share, on) = (self.occupancy.share(on), std::mem::take(on));
                decision.start(*handle, nodes::placement(on.clone()), share);
                *phase = Phase::Running { on, share };
            }
        }
    }
}

fn find_job<'a>(
    jobs: &'a mut BTreeMap<Rc<str>, KnownJob>,
    kind: &str,
    name: &str,
) -> Result<&'a mut KnownJob, String> {
    jobs.get_mut(name).ok_or_else(|| format!("{kind} of {name}: there is no such job"))
}
