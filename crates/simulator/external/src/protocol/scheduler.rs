//! Scheduler that asks a policy for each decision, and converts its answers.

use super::Partner;
use super::messages::{
    Answer, Arrival, Change, Class, FORMAT, Greeting, Interrupted, Message, Nodes, Placed, Progress, State,
};
use crate::nodes;
use crate::pace::ProgressCheck;
use crate::seconds::time_from_seconds;
use dfrsim_cluster::{Decision, JobHandle, JobState, Lists, Scheduler, Situation, View};
use dfrsim_model::platform::common::{CommonDemand, CommonResource};
use dfrsim_model::site::SiteSettings;
use dfrsim_model::{NodeTasks, Share, SimSpan, SimTime, UserId, Yield};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A policy whose decisions are made by a [`Partner`].
pub struct ProtocolScheduler<P: Partner> {
    partner: P,
    nodes: u32,
    site: Option<Arc<SiteSettings>>,
    stage: Stage,
    wants_progress: bool,
    wants_lists: bool,
    /// Lists of nodes and jobs, kept from the first decision that needs them.
    lists: Option<Lists>,
    now: SimTime,
    pace: ProgressCheck,
    /// Jobs in the system, by their index in the order of submission.
    jobs: BTreeMap<u64, JobHandle>,
}

/// Stage of the conversation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    NotStarted,
    Begun,
    Failed,
}

impl<P: Partner> Scheduler for ProtocolScheduler<P> {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        self.now = situation.view.now();
        if let Err(fault) = self
            .pace
            .check(situation)
            .and_then(|()| self.begin(situation.view))
            .and_then(|()| self.ask(situation, decision))
        {
            self.stage = Stage::Failed;
            decision.fail(fault);
        }
    }
}

impl<P: Partner> Drop for ProtocolScheduler<P> {
    fn drop(&mut self) {
        if self.stage == Stage::Begun {
            self.partner.end(&Message::End { now: self.now.as_secs_f64() });
        }
    }
}

impl<P: Partner> ProtocolScheduler<P> {
    /// Creates a policy for a cluster of this many nodes. The first message is sent with the first
    /// decision.
    pub fn new(partner: P, nodes: u32) -> ProtocolScheduler<P> {
        ProtocolScheduler {
            partner,
            nodes,
            site: None,
            stage: Stage::NotStarted,
            wants_progress: false,
            wants_lists: false,
            lists: None,
            now: SimTime::ZERO,
            pace: ProgressCheck::default(),
            jobs: BTreeMap::new(),
        }
    }

    /// Sets the settings of the site that the policy gets.
    #[must_use]
    pub fn at_site(mut self, site: Option<&Arc<SiteSettings>>) -> ProtocolScheduler<P> {
        self.site = site.cloned();
        self
    }

    fn begin(&mut self, view: View<'_>) -> Result<(), String> {
        if self.stage == Stage::NotStarted {
            let share_units = Share::ONE.units();
            let (seed, penalty) = (view.seed().value() as u32, view.penalty().as_secs_f64());
            let classes = classes(view);
            let nodes = self.nodes;
            let site = self.site.as_deref().cloned().map(Box::new);
            let levels = view.classes().map_or(&[][..], |classes| classes.levels());
            let levels = levels.iter().map(ToString::to_string).collect();
            let message =
                Message::Begin { format: FORMAT, nodes, share_units, seed, penalty, classes, levels, site };
            let Greeting { progress, lists, error } = self.partner.begin(&message)?;
            self.stage = Stage::Begun;
            (self.wants_progress, self.wants_lists) = (progress, lists);
            check_error(error)?;
        }
        Ok(())
    }

    fn ask(&mut self, situation: &Situation<'_>, decision: &mut Decision) -> Result<(), String> {
        let view = situation.view;
        let sequence = |&handle: &JobHandle| view.job(handle).sequence();
        let completed: Vec<u64> = situation.completed.iter().map(sequence).collect();
        for job in &completed {
            self.jobs.remove(job);
        }
        let of = |it: &dfrsim_cluster::Interrupted| {
            let job = view.job(it.job);
            Interrupted { job: job.sequence(), waits: job.state() == JobState::Waiting }
        };
        let interrupted: Vec<Interrupted> = situation.interrupted.iter().map(of).collect();
        for gone in interrupted.iter().filter(|it| !it.waits) {
            self.jobs.remove(&gone.job);
        }
        self.jobs.extend(situation.submitted.iter().map(|handle| (sequence(handle), *handle)));
        match &mut self.lists {
            Some(lists) => lists.update(situation),
            None if self.wants_lists => self.lists = Some(Lists::of(view)),
            None => {}
        }
        let message = Message::Decide {
            now: view.now().as_secs_f64(),
            tick: situation.tick,
            all_submitted: situation.all_submitted,
            submitted: situation.submitted.iter().map(|&handle| arrival(view, handle)).collect(),
            completed,
            interrupted,
            power: power(view),
            state: self.lists.as_ref().filter(|_| self.wants_lists).map(|lists| State { view, lists }),
            progress: self.wants_progress.then(|| progress(view)),
        };
        let Answer { changes, start, wake_at, error } = self.partner.decide(&message)?;
        check_error(error)?;
        for change in changes {
            self.change(change, view, decision)?;
        }
        for job in start {
            let handle = self.handle(job)?;
            if !matches!(view.job(handle).state(), JobState::Waiting | JobState::Paused) {
                return Err(format!("it starts job {}, which is already running", view.job(handle).id()));
            }
            let lists = self.lists.get_or_insert_with(|| Lists::of(view));
            if !lists.start(view, handle, decision) && never_fits(view, handle) {
                decision.reject(self.leave(job)?);
            }
        }
        if let Some(lists) = &mut self.lists {
            lists.decided(decision);
        }
        if let Some(seconds) = wake_at {
            decision.wake_at(time_from_seconds(seconds, "wake_at")?);
        }
        Ok(())
    }

    fn change(&mut self, change: Change, view: View<'_>, decision: &mut Decision) -> Result<(), String> {
        let level = match &change {
            Change::Start(placed) | Change::Resume(placed) | Change::Migrate(placed) => {
                self.level(placed.job, placed.level.as_deref(), view)?
            }
            Change::Yield { job, level, .. } => self.level(*job, level.as_deref(), view)?,
            Change::Pause { .. } | Change::Reject { .. } | Change::Kill { .. } => None,
        };
        match change {
            Change::Start(placed) => self.place(placed, view, |job, on, by| decision.start(job, on, by))?,
            Change::Resume(placed) => self.place(placed, view, |job, on, by| decision.resume(job, on, by))?,
            Change::Migrate(placed) => {
                self.place(placed, view, |job, on, by| decision.migrate(job, on, by))?;
            }
            Change::Yield { job, job_yield, level: _ } => {
                let job = self.handle(job)?;
                decision.set_yield(job, part_of_node(job_yield).map_err(with_job(job, view))?);
            }
            Change::Pause { job } => decision.pause(self.handle(job)?),
            Change::Reject { job } => decision.reject(self.leave(job)?),
            Change::Kill { job } => decision.kill(self.leave(job)?),
        }
        level.into_iter().for_each(|level| decision.at_level(level));
        Ok(())
    }

    /// Returns the number of the speed level that a change names; `None` if it names none.
    fn level(&self, job: u64, name: Option<&str>, view: View<'_>) -> Result<Option<u8>, String> {
        let Some(name) = name else { return Ok(None) };
        if name.is_empty() {
            return Ok(Some(0));
        }
        let levels = view.classes().map_or(&[][..], |classes| classes.levels());
        if let Some(at) = levels.iter().position(|level| **level == *name) {
            return Ok(Some(at as u8 + 1));
        }
        let known: Vec<String> = levels.iter().map(|level| format!("`{level}`")).collect();
        let known = match known.is_empty() {
            true => "jobs have speed levels only under a power cap, on nodes with levels".to_owned(),
            false => format!("expected {}, or an empty text for full speed", known.join(", ")),
        };
        let job = self.handle(job)?;
        Err(with_job(job, view)(format!("there is no speed level `{name}`: {known}")))
    }

    fn place(
        &self,
        placed: Placed,
        view: View<'_>,
        change: impl FnOnce(JobHandle, Vec<NodeTasks>, Yield),
    ) -> Result<(), String> {
        let job = self.handle(placed.job)?;
        let nodes = match placed.nodes {
            Nodes::List(nodes) => nodes,
            Nodes::Ranges(text) => nodes::parse(&text, self.nodes).map_err(with_job(job, view))?,
        };
        change(job, nodes::placement(nodes), part_of_node(placed.job_yield).map_err(with_job(job, view))?);
        Ok(())
    }

    fn handle(&self, job: u64) -> Result<JobHandle, String> {
        self.jobs.get(&job).copied().ok_or_else(|| unknown_job(job))
    }

    fn leave(&mut self, job: u64) -> Result<JobHandle, String> {
        self.jobs.remove(&job).ok_or_else(|| unknown_job(job))
    }
}

fn unknown_job(job: u64) -> String {
    format!("it names job {job}, which is not in the system")
}

fn check_error(error: Option<String>) -> Result<(), String> {
    error.map_or(Ok(()), |error| Err(format!("it says: {error}")))
}

/// Prefixes an error with the job, named by its number in the log as in all other messages.
fn with_job(job: JobHandle, view: View<'_>) -> impl Fn(String) -> String {
    move |fault| format!("job {}: {fault}", view.job(job).id())
}

/// Converts a yield, rounding down.
fn part_of_node(part: f64) -> Result<Yield, String> {
    if !(0.0..=1.0).contains(&part) {
        return Err(format!("yield {part} is not between 0 and 1"));
    }
    Ok(Yield::from_f64(part))
}

fn arrival(view: View<'_>, handle: JobHandle) -> Arrival {
    let job = view.job(handle);
    let origin = job.origin();
    let mut arrival = Arrival {
        handle,
        job: job.sequence(),
        id: job.id().0,
        submit: job.submit().as_secs_f64(),
        tasks: job.tasks(),
        cpu_need: job.cpu_need().as_f64(),
        memory: job.memory().as_f64(),
        estimate: job.estimate().map(SimSpan::as_secs_f64),
        requested_time: job.requested_time().map(SimSpan::as_secs_f64),
        user: job.user().map(UserId::number),
        group: origin.group(),
        queue: origin.queue(),
        partition: origin.partition(),
        weight: view.has_weights().then(|| job.weight()),
        classes: None,
        resources: BTreeMap::new(),
        features: Vec::new(),
        draws: Vec::new(),
    };
    if let (Some(classes), Some(demand)) = (view.classes(), view.demand(handle)) {
        arrival.classes =
            Some((0..classes.classes().len()).filter(|&class| view.fits(handle, class)).collect());
        let asked = classes.resources().iter().zip(&demand.resources).filter(|(_, asked)| asked.count > 0);
        arrival.resources = asked.map(|(resource, asked)| (resource.name.to_string(), asked.count)).collect();
        arrival.features = classes.required_features(demand);
        if let Some((place, of_power)) = power_cap(view) {
            let at_level = |level| watts(demand.common_at(place, of_power.demand, level));
            arrival.draws = (0..=classes.levels().len() as u8).map(at_level).collect();
        }
    }
    arrival
}

/// Returns the power cap with its index among the resources of the whole cluster; `None` without one.
fn power_cap(view: View<'_>) -> Option<(usize, &CommonResource)> {
    let mut common = view.classes()?.common().iter().enumerate();
    common.find(|(_, resource)| resource.demand == CommonDemand::Draw)
}

/// Returns the power in watts that all jobs may draw now above that of idle nodes; `None` without a cap.
fn power(view: View<'_>) -> Option<f64> {
    power_cap(view).map(|(_, cap)| watts(cap.amount_at(view.now())))
}

fn watts(milliwatts: u64) -> f64 {
    milliwatts as f64 / 1000.0
}

/// Returns whether a job does not even fit on the empty cluster.
fn never_fits(view: View<'_>, job: JobHandle) -> bool {
    let wanted = view.job(job).tasks();
    match view.classes() {
        None => wanted > view.nodes(),
        Some(classes) => {
            let fitting = classes.classes().iter().enumerate().filter(|(place, _)| view.fits(job, *place));
            wanted > fitting.map(|(_, class)| class.nodes).sum()
        }
    }
}

/// Returns the classes of nodes, if nodes differ.
fn classes(view: View<'_>) -> Vec<Class> {
    let Some(all) = view.classes() else { return Vec::new() };
    let one = f64::from(Share::ONE.units());
    let mut first = 0;
    let class = |(place, class): (usize, &_)| {
        let dfrsim_model::platform::classes::NodeClass {
            name, nodes, memory, speed, amounts, features, ..
        } = class;
        let begin = first;
        first += nodes;
        let amounts = all.resources().iter().zip(amounts).filter(|(_, amount)| **amount > 0);
        Class {
            name: name.clone(),
            first: begin,
            nodes: *nodes,
            cpu: all.classes()[place].cpu as f64 / one,
            memory: *memory as f64 / one,
            speed: speed.as_f64(),
            level_speeds: (1..=all.levels().len() as u8)
                .map(|level| all.speed_at(place, level).as_f64())
                .collect(),
            resources: amounts.map(|(resource, amount)| (resource.name.to_string(), *amount)).collect(),
            features: all.feature_names(*features).map(str::to_owned).collect(),
        }
    };
    all.classes().iter().enumerate().map(class).collect()
}

fn progress(view: View<'_>) -> Vec<Progress> {
    let of = |&handle: &JobHandle| {
        let job = view.job(handle);
        Progress { job: job.sequence(), virtual_time: job.virtual_time().as_secs_f64() }
    };
    view.jobs().iter().map(of).collect()
}
