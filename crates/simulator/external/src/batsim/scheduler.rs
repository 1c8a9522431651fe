//! Batsim's part: sends what happened, and carries out each order at its time.

use super::events::{End, Events};
use super::messages::Message;
use super::orders::Order;
use super::sharing::Owners;
use super::{Sharing, Transport};
use crate::fault::nonsense;
use crate::nodes;
use crate::pace::Pace;
use crate::seconds::{moment, next};
use dfrsim_cluster::{Decision, JobHandle, JobState, Scheduler, Situation, View};
use dfrsim_model::{Job, JobId, JobText, JobTexts, NodeId, SimSpan, SimTime, Yield, ranges};
use serde_json::{Map, json};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The workload of the jobs of the log.
const WORKLOAD: &str = "w0";

/// Numbers of registered jobs begin here, where no log has any.
const FIRST_REGISTERED: u64 = 1 << 62;

/// The most exchanges in one moment, after which a scheduler is held to be in a loop.
const MOST_EXCHANGES: u32 = 10_000;

/// A policy that an external scheduler decides.
pub(super) struct BatsimScheduler<C, T: Transport> {
    connect: C,
    nodes: u32,
    sharing: Sharing,
    pace: Pace,
    /// How far the clock of the other side is ahead where the first job arrives at second 0.
    ahead: SimSpan,
    session: Option<Session<T>>,
}

/// A connection, and what both sides know.
struct Session<T> {
    transport: T,
    now: SimTime,
    nodes: u32,
    jobs: BTreeMap<Rc<str>, KnownJob>,
    /// The names of the jobs in the system by their place in the order of submission.
    names: BTreeMap<u64, Rc<str>>,
    owners: Owners,
    /// The jobs that start at this moment.
    starting: Vec<Rc<str>>,
    /// What happened and was not sent yet.
    events: Events,
    /// What is ordered for later.
    orders: BTreeMap<(SimTime, u64), Order>,
    ordered: u64,
    /// When the last answer was ready: what happens before is sent then.
    ready: SimTime,
    calls: BTreeSet<SimTime>,
    profiles: BTreeMap<String, SimSpan>,
    /// Jobs that were registered and have not arrived: by number, with the names of the job and of its profile.
    registered: BTreeMap<u64, (String, String)>,
    registrations: u64,
    sent_all_submitted: bool,
    /// The nodes that are down, and at how many changes of the platform that was so.
    down: BTreeSet<u32>,
    platform_changes: u64,
}

struct KnownJob {
    handle: JobHandle,
    tasks: u32,
    profile: Rc<str>,
    /// How often it was submitted again after it had lost its nodes.
    again: u32,
    phase: Phase,
}

enum Phase {
    Waiting,
    /// Decided at this moment.
    Starting(Vec<u32>),
    Running {
        on: Vec<u32>,
        share: Yield,
    },
}

impl<T: Transport, C: Fn() -> Result<T, String>> BatsimScheduler<C, T> {
    pub(super) fn new(connect: C, nodes: u32, sharing: Sharing, ahead: SimSpan) -> BatsimScheduler<C, T> {
        BatsimScheduler { connect, nodes, sharing, pace: Pace::default(), ahead, session: None }
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
            let mut events = Events::new(session.events.ahead);
            events.simulation_ends(session.now);
            // The simulation is over: its answer has no effect.
            let _ = session.transport.exchange(&events.request(session.now));
            session.transport.end();
        }
    }
}

impl<T: Transport> Session<T> {
    /// Announces the cluster to the scheduler, which may already place orders for later.
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
            owners: Owners::new(nodes, sharing),
            starting: Vec::new(),
            events: Events::new(ahead),
            orders: BTreeMap::new(),
            ordered: 0,
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
        self.note(situation);
        let mut exchanges = 0;
        loop {
            self.carry_out_due(view, decision)?;
            if self.events.is_empty() || self.ready > self.now {
                break;
            }
            exchanges += 1;
            if exchanges > MOST_EXCHANGES {
                let fault = format!("it answers for ever at {} s: each answer makes another event", self.now);
                return Err(fault);
            }
            self.exchange(self.now)?;
        }
        self.start_and_share(decision);
        let waits = (!self.events.is_empty()).then_some(self.ready);
        let order = self.orders.first_key_value().map(|(&(time, _), _)| time);
        let wake_up = [waits, order, self.calls.first().copied()].into_iter().flatten().min();
        if let Some(time) = wake_up {
            decision.wake_at(time.max(next(self.now)));
        }
        Ok(())
    }

    /// Makes events of what happened at this moment.
    fn note(&mut self, situation: &Situation<'_>) {
        let (view, now) = (situation.view, self.now);
        for &handle in situation.completed {
            let job = view.job(handle);
            let end = if job.was_cut_off() { End::WalltimeReached } else { End::Done };
            self.end(job.sequence(), end);
        }
        self.note_platform(view);
        for interrupted in situation.interrupted {
            self.note_interrupted(view, interrupted.job);
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
                // Logs may give a number twice.
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

    /// The job of a place in the order of submission leaves its nodes; returns its name and what was known of it.
    fn end(&mut self, sequence: u64, end: End) -> Option<(Rc<str>, KnownJob)> {
        let name = self.names.remove(&sequence)?;
        let job = self.jobs.remove(&name)?;
        let Phase::Running { on, .. } = &job.phase else { return None };
        self.owners.release(&name, on);
        self.events.job_completed(self.now, &name, end, &ranges(on, " "));
        Some((name, job))
    }

    fn submit(&mut self, view: View<'_>, handle: JobHandle, name: &str, profile: Rc<str>, again: u32) {
        let job = view.job(handle);
        self.events.job_submitted(self.now, name, &profile, job, view.texts());
        let name: Rc<str> = name.into();
        self.names.insert(job.sequence(), Rc::clone(&name));
        let known = KnownJob { handle, tasks: job.tasks(), profile, again, phase: Phase::Waiting };
        self.jobs.insert(name, known);
    }

    /// A job that lost its nodes has failed; if it waits, it is submitted again as `NAME#1`, `NAME#2`, as pybatsim does.
    fn note_interrupted(&mut self, view: View<'_>, handle: JobHandle) {
        let job = view.job(handle);
        let Some((name, KnownJob { profile, again, .. })) = self.end(job.sequence(), End::Failed) else {
            return;
        };
        if job.state() == JobState::Waiting {
            let first =
                if again == 0 { &*name } else { name.rsplit_once('#').map_or(&*name, |(first, _)| first) };
            self.submit(view, handle, &format!("{first}#{}", again + 1), profile, again + 1);
        }
    }

    /// Adds events for the nodes that went down and came up.
    fn note_platform(&mut self, view: View<'_>) {
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
                self.events.machines(self.now, kind, &nodes);
            }
        }
    }

    /// Sends what happened, and keeps what is ordered until its time.
    fn exchange(&mut self, now: SimTime) -> Result<(), String> {
        let answer = self.transport.exchange(&self.events.request(now))?;
        let Message { now: ready, events } =
            serde_json::from_str(&answer).map_err(|error| nonsense(&error, &answer))?;
        self.ready = self.ours(moment(ready, "now")?).max(now);
        for event in events {
            let time = self.ours(moment(event.timestamp, &event.kind)?).max(now);
            let order = Order::read(event, self.nodes)?;
            self.ordered += 1;
            self.orders.insert((time, self.ordered), order);
        }
        Ok(())
    }

    /// A moment of the other side's clock by ours.
    fn ours(&self, time: SimTime) -> SimTime {
        SimTime::from_micros(time.micros().saturating_sub(self.events.ahead.micros()))
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
                let job = known(&mut self.jobs, "EXECUTE_JOB", &name)?;
                if !matches!(job.phase, Phase::Waiting) {
                    return Err(format!("EXECUTE_JOB of {name}: it runs already"));
                }
                if on.len() != job.tasks as usize {
                    let (given, has) = (on.len(), job.tasks);
                    let fault = format!("EXECUTE_JOB of {name}: {given} nodes for a job that needs {has}");
                    return Err(fault);
                }
                self.owners.take(&name, &on)?;
                job.phase = Phase::Starting(on);
                self.starting.push(name);
            }
            Order::Reject { job: name } => {
                let job = known(&mut self.jobs, "REJECT_JOB", &name)?;
                if !matches!(job.phase, Phase::Waiting) {
                    return Err(format!("REJECT_JOB of {name}: it runs already"));
                }
                decision.reject(job.handle);
                self.names.remove(&view.job(job.handle).sequence());
                self.jobs.remove(&*name);
            }
            Order::Kill { jobs } => self.kill(&jobs, view, decision)?,
            Order::CallAt(time) => {
                self.calls.insert(self.ours(time).max(next(self.now)));
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
                    return Err(format!("REGISTER_JOB of {job}: there is such a job"));
                }
                let number = FIRST_REGISTERED + self.registrations;
                self.registrations += 1;
                let profile = profile.split_once('!').map_or("", |(_, profile)| profile).to_owned();
                self.registered.insert(number, (job, profile));
                decision.submit(Job {
                    id: JobId(number),
                    submit: next(self.now),
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

    /// Kills those that run; jobs that have ended in the meantime are only acknowledged.
    fn kill(&mut self, names: &[String], view: View<'_>, decision: &mut Decision) -> Result<(), String> {
        let mut progress = Map::new();
        for name in names {
            let Some(job) = self.jobs.get(&**name) else { continue };
            match job.phase {
                Phase::Running { .. } => {}
                Phase::Waiting => return Err(format!("KILL_JOB of {name}: it does not run")),
                Phase::Starting(_) => return Err(format!("KILL_JOB of {name}: it starts at this moment")),
            }
            decision.kill(job.handle);
            self.end(view.job(job.handle).sequence(), End::Killed);
            progress.insert(name.clone(), json!({ "profile": name }));
        }
        self.events.job_killed(self.now, names, &progress);
        Ok(())
    }

    /// Starts jobs, and gives others the yields that their nodes leave them now.
    fn start_and_share(&mut self, decision: &mut Decision) {
        for name in self.owners.take_changed() {
            if let Some(KnownJob { handle, phase: Phase::Running { on, share }, .. }) =
                self.jobs.get_mut(&name)
            {
                let now = self.owners.share(on);
                if std::mem::replace(share, now) != now {
                    decision.set_yield(*handle, now);
                }
            }
        }
        for name in self.starting.drain(..) {
            if let Some(KnownJob { handle, phase, .. }) = self.jobs.get_mut(&name)
                && let Phase::Starting(on) = phase
            {
                let (share, on) = (self.owners.share(on), std::mem::take(on));
                decision.start(*handle, nodes::placement(on.clone()), share);
                *phase = Phase::Running { on, share };
            }
        }
    }
}

fn known<'a>(
    jobs: &'a mut BTreeMap<Rc<str>, KnownJob>,
    kind: &str,
    name: &str,
) -> Result<&'a mut KnownJob, String> {
    jobs.get_mut(name).ok_or_else(|| format!("{kind} of {name}: there is no such job"))
}
