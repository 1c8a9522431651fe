//! Auditor that follows a simulation record by record.

use crate::check::{Change, Check, Jobs};
use crate::common::Common;
use crate::devices::{DeviceRequest, Devices, Triples, moved_tasks};
use crate::energy::{Energy, millijoules, thousandths};
use crate::fault::{AuditError, Fault, Faults};
use crate::forced::DueInterruptions;
use crate::head::{Rank, RecordHead};
use crate::job::Job;
use crate::levels::{fixed_power, largest_power, linear_power};
use crate::lines::follow;
use crate::links::Links;
use crate::nodes::Nodes;
use crate::placement;
use crate::platform::{Interruption, Platform, Window};
use crate::policy::CheckedPolicy;
use crate::priority::Limits;
use crate::series::Series;
use crate::sleep::Sleep;
use crate::summary::differences;
use crate::tally::Tally;
use crate::{Phase, Report, Rule, figures, rule};
use dfrsim_model::batch::BatchPolicy;
use dfrsim_model::event::{FORMAT_VERSION, InterruptionRule, Record, SleepOfRun};
use dfrsim_model::site::{PreemptMode, SiteSettings};
use dfrsim_model::{Clock, Share, SimSpan, SimTime, SortedMap, Yield};
use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;
use std::sync::Arc;

/// Largest cluster that is audited; a larger number of nodes in a file is a violation.
pub const MAX_NODES: u32 = 1 << 24;

/// Checks an events file (see the [crate's page](crate)).
///
/// # Errors
///
/// Returns [`AuditError::Faults`] with every violated rule, or [`AuditError::Io`] if the file cannot
/// be read to its end. A violation can cause others in later lines: start with the first one.
pub fn audit(reader: impl BufRead) -> Result<Report, AuditError> {
    audit_with(reader, |auditor| auditor)
}

/// Checks an events file, and that its policy is `policy` and complies with the policy's rules (see
/// [`crate::batch`] and [`crate::fractional`]).
///
/// # Errors
///
/// Returns errors as [`audit`] does.
pub fn audit_policy(reader: impl BufRead, policy: CheckedPolicy) -> Result<Report, AuditError> {
    audit_with(reader, |auditor| auditor.with_policy(policy))
}

fn audit_with(reader: impl BufRead, prepare: impl FnOnce(Auditor) -> Auditor) -> Result<Report, AuditError> {
    let begin = |first| Ok(prepare(Auditor::begin(&first)?));
    Ok(follow(reader, Record::from_json, begin, |auditor, line| auditor.read(&line))?.finish()?)
}

/// Auditor of the records of a running simulation in the same program; [`audit`] applies it to a
/// file.
#[derive(Debug, Default)]
pub struct Auditor {
    pub(crate) policy: String,
    /// Options of the run that differ from the defaults and are not part of the policy's name.
    options: Option<String>,
    pub(crate) nodes: u32,
    penalty: u64,
    faults: Faults,
    /// Number of the current line.
    pub(crate) line: u64,
    pub(crate) now: u64,
    pub(crate) rank: Rank,
    pub(crate) jobs: Jobs,
    /// Job of the last `submit` record, as long as an `ask` record may follow.
    arriving: Option<u64>,
    /// Running jobs as (completion time, job), by the time at which their work will be done.
    due: BTreeSet<(u64, u64)>,
    pub(crate) cluster: Nodes,
    devices: Devices,
    /// Number of tasks of each migrated job that left their node, until its `bind` record.
    moved_by_node: SortedMap<u64, u64>,
    pub(crate) common: Common,
    pub(crate) energy: Energy,
    sleep: Sleep,
    /// Time for which it is known which nodes were awake before the decision.
    awake_at: Option<u64>,
    /// Times until nodes are awake that `wake` records of this time have to report, by job, with the
    /// line of the job's placement.
    wakes: BTreeMap<u64, (u64, u64)>,
    pub(crate) tally: Tally,
    links: Links,
    peak_jobs: usize,
    pub(crate) check: Option<Box<dyn Check>>,
    clock: Option<Clock>,
    platform: Option<Platform>,
    due_interruptions: DueInterruptions,
    /// True if jobs are killed at their estimates.
    kills_at_estimates: bool,
    pub(crate) limits: Option<Limits>,
    /// Jobs placed on nodes at the current time, with their lines. They are checked against limits
    /// after all jobs that leave have left.
    started: Vec<(u64, u64)>,
    /// True if jobs of some classes can preempt others.
    preempts: bool,
    /// Epilog of each job in microseconds, after its run time.
    epilog: u64,
    report: Option<Report>,
    /// True after an `energy` record, and after a `figures` record.
    has_energy: bool,
    has_figures: bool,
    /// Time of the first decision of the policy; 0 unless it takes over a running system.
    first_decision: u64,
    /// True once that time has come.
    has_begun: bool,
    /// Batch policy, if the auditor checks a cluster of a grid.
    pub(crate) cluster_policy: Option<BatchPolicy>,
}

impl Auditor {
    /// Creates an auditor from the first record, which is needed to interpret the others.
    ///
    /// # Errors
    ///
    /// Returns an error if the record is not a `run` record, has another format version or has too
    /// many nodes.
    pub fn begin(first: &Record<'_>) -> Result<Auditor, Faults> {
        let fault = |rule| Faults::from(Fault { line: 1, at: None, job: None, rule });
        let Record::Run {
            format,
            policy,
            nodes,
            penalty_us,
            tau_us,
            options,
            kills_at_estimates,
            period_us: _,
        } = first
        else {
            return Err(fault(Rule::no_run()));
        };
        if *format != FORMAT_VERSION {
            return Err(fault(Rule::format(*format, FORMAT_VERSION)));
        }
        if *nodes > MAX_NODES {
            let rule = format!("{nodes} nodes are more than the {MAX_NODES} that can be audited");
            return Err(fault(Rule::Beginning(rule)));
        }
        Ok(Auditor {
            policy: policy.clone().into_owned(),
            options: options.as_ref().map(|options| options.clone().into_owned()),
            nodes: *nodes,
            penalty: *penalty_us,
            kills_at_estimates: *kills_at_estimates,
            line: 1,
            cluster: Nodes::new(*nodes),
            tally: Tally::new(SimSpan::from_micros(*tau_us)),
            ..Auditor::default()
        })
    }

    /// Sets the clock by which jobs progress and complete. Must be called before the second record.
    /// Events files contain no clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Option<Clock>) -> Auditor {
        self.clock = clock;
        self
    }

    /// Makes the auditor also check that the policy is `policy` and complies with its rules. Must be
    /// called before the second record.
    #[must_use]
    pub fn with_policy(mut self, policy: CheckedPolicy) -> Auditor {
        let expected = policy.to_string();
        // A batch policy may have several names.
        let is_same = match &policy {
            CheckedPolicy::Batch(policy) => BatchPolicy::parse(&self.policy).as_ref() == Some(policy),
            CheckedPolicy::Fractional(_) | CheckedPolicy::FullSpeed(_) => self.policy == expected,
        };
        if !is_same {
            let rule = format!("the file is of policy `{}`, not `{expected}`", self.policy);
            self.fault(None, Rule::Decision(rule));
        }
        // The rules of a fractional policy assume the default options.
        if self.options.is_none() || !matches!(policy, CheckedPolicy::Fractional(_)) {
            self.set_check(policy);
        }
        self
    }
    pub(crate) fn set_check(&mut self, policy: CheckedPolicy) {
        self.check = Some(policy.check(&self.cluster.kinds, self.penalty));
    }

    /// Handles the next line of the file.
    pub(crate) fn read(&mut self, line: &Result<Record<'_>, Rule>) {
        match line {
            Ok(record) => self.record(record),
            Err(rule) => {
                self.line += 1;
                self.fault(None, rule.clone());
            }
        }
    }

    /// Records a violation by the current record.
    fn fault(&mut self, job: Option<u64>, rule: impl Into<Rule>) {
        let at = job.is_some().then_some(SimTime::from_micros(self.now));
        self.faults.push(Fault { line: self.line, at, job, rule: rule.into() });
    }

    /// Checks the next record, which counts as the next line.
    pub fn record(&mut self, record: &Record<'_>) {
        self.line += 1;
        if self.report.is_some() {
            return self.fault(None, rule::AFTER_SUMMARY);
        }
        let Some(mut head) = RecordHead::of(record) else {
            self.links.record(None);
            return self.file_record(record);
        };
        if !matches!(head.name, "link" | "ask") {
            self.links.record(None);
        }
        let number = head.job.unwrap_or_default();
        if matches!(head.name, "interrupt" | "lose") && self.is_preempted(number) {
            head.rank = Rank::Change;
        }
        if !self.advance(head) {
            return;
        }
        if head.rank == Rank::Change {
            self.note_awake();
        }
        let past =
            ["submit", "link", "ask", "start", "bind", "wake", "window", "down", "up", "drain", "undrain"];
        let is_past = past.contains(&head.name);
        if self.now < self.first_decision && !is_past {
            let rule = format!("`{}` before the policy makes its first decision", head.name);
            self.fault(head.job, Rule::Beginning(rule));
        }
        match *record {
            Record::Window { first, nodes, from_us, until_us, .. } => {
                let window = Window::new((first, nodes), (from_us, until_us));
                self.change_platform(head.name, |platform, now| platform.announce(now, window));
            }
            Record::Down { ref nodes, .. } | Record::Up { ref nodes, .. } => {
                let (line, goes_down) = (self.line, head.name == "down");
                self.change_platform(head.name, |platform, now| {
                    platform.change((line, now), nodes, goes_down)
                });
                self.sleep.change(self.now, nodes, goes_down);
                if let Some(platform) = self.platform.as_ref().filter(|_| goes_down) {
                    self.due_interruptions.add(line, &self.jobs, platform);
                }
            }
            Record::Drain { ref nodes, .. } | Record::Undrain { ref nodes, .. } => {
                let (line, begins) = (self.line, head.name == "drain");
                self.change_platform(head.name, |platform, _| platform.drain(line, nodes, begins));
            }
            Record::Interrupt { kept_us, .. } => self.interrupt(number, head.name, Some(kept_us)),
            Record::Lose { .. } => self.interrupt(number, head.name, None),
            Record::Link { .. } => {
                let wrong = self.links.link(self.now, record);
                wrong.into_iter().for_each(|rule| self.fault(Some(number), rule));
            }
            Record::Ask {
                ref resources,
                ref features,
                requested_cores,
                requested_nodes,
                distinct_nodes,
                ref common,
                ..
            } => {
                let is_right = common.len() == self.common.resources().len();
                let is_arriving = self.arriving == Some(number);
                let job = self.jobs.get_mut(&number).filter(|_| is_arriving && is_right);
                let size = job.filter(|job| !job.has_asked).and_then(|job| {
                    job.has_asked = true;
                    (job.requested_cores, job.needs_distinct_nodes) = (requested_cores, distinct_nodes);
                    job.requested_nodes = requested_nodes;
                    let mut size = self.cluster.size(&job.size, resources, features)?;
                    size.common.clone_from(common);
                    job.size = Arc::new(size);
                    Some(())
                });
                if size.is_none() {
                    let rule = "unexpected `ask`: it does not follow the submission of its job, or requests resources or features that the `classes` record does not have";
                    self.fault(Some(number), rule);
                }
            }
            Record::Start { ref on, job_yield, level, .. }
            | Record::Resume { ref on, job_yield, level, .. }
            | Record::Migrate { ref on, job_yield, level, .. } => {
                self.place(number, head.name, on, (job_yield, level));
            }
            Record::Bind { ref devices, .. } => {
                let of = |job: &Job| {
                    let at = if job.size.shares_devices { job.job_yield } else { Yield::ONE.units() };
                    Some((job.size.devices?, job.placement.clone(), at))
                };
                let Some((request, on, at)) = self.jobs.get(&number).and_then(of) else {
                    return self.fault(Some(number), "`bind` of a job that requests no devices");
                };
                let count = |node| self.cluster.device_count(node);
                let wrong = self.devices.bind((number, self.line), request, &on, (devices, at), count);
                self.change_devices(number, request, devices);
                wrong.into_iter().for_each(|rule| self.fault(Some(number), rule));
                self.check.iter_mut().for_each(|check| check.bind(number, devices));
            }
            Record::Wake { woken_us, .. } => match self.wakes.remove(&number) {
                Some((right, _)) if right == woken_us => {}
                Some((right, _)) => {
                    let [found, right] = [woken_us, right].map(SimTime::from_micros);
                    let rule = format!("its nodes are awake after {found} s, expected {right} s");
                    self.fault(Some(number), rule);
                }
                None => self.fault(Some(number), "`wake` of a job whose nodes are awake"),
            },
            Record::Yield { job_yield, level, .. } => {
                if self.may_change(number, head.name, Phase::Running) {
                    let level = self.level(number, level);
                    self.check_change(number, head.name, &[], (job_yield, level));
                    let on = self.jobs.get(&number).map_or(&[][..], |job| &job.placement);
                    let speed = self.cluster.slowest(on, level);
                    self.change(number, (job_yield, level), |job, now| job.set_node_speed(now, speed));
                }
            }
            Record::Complete { .. } => self.complete(number),
            Record::Pause { .. } => self.pause(number),
            Record::Reject { .. } => self.reject_or_kill(number, head.name, Phase::Waiting),
            Record::Kill { .. } => self.reject_or_kill(number, head.name, Phase::Running),
            // This can only be a submission: all other records of events are covered above.
            _ => {
                if let Some(job) = Job::submitted(record, self.clock) {
                    self.submit(number, job);
                }
            }
        }
    }

    /// Handles a record that has no time.
    fn file_record(&mut self, record: &Record<'_>) {
        match *record {
            Record::Platform {
                interruption: rule,
                interval_us: interval,
                cost_us: cost,
                restart_us: restart,
            } => {
                if self.line != 2 {
                    return self.fault(None, "`platform` record after line 2");
                }
                if (rule == InterruptionRule::Checkpoint) != (interval > 0) {
                    let rule = "checkpoints need an interval above zero, and other rules must not have one";
                    self.fault(None, rule);
                }
                let platform = Platform::new(Interruption { rule, interval, cost, restart }, self.nodes);
                self.check.iter_mut().for_each(|check| check.platform(&platform));
                self.platform = Some(platform);
            }
            Record::Priority { ref settings } => self.priority(settings),
            Record::Begin { first_decision_us } => {
                if self.tally.submitted > 0 || self.first_decision > 0 {
                    return self.fault(None, "`begin` record after the first job, or a second one");
                }
                self.first_decision = first_decision_us;
                self.check.iter_mut().for_each(|check| check.take_over(first_decision_us));
            }
            Record::Classes { ref resources, ref classes, cores, core_parts, ref common } => {
                if self.line != 2 && !(self.line == 3 && self.platform.is_some()) {
                    return self.fault(None, "`classes` record after the beginning of the file");
                }
                if !self.cluster.set_classes(resources, classes, (cores, core_parts)) {
                    let rule = "invalid classes: expected as many nodes as the cluster has, and in each class a speed above 0 and up to 1, an amount of each resource, and speed levels of ever less speed and no more power, in one order in all classes";
                    return self.fault(None, rule);
                }
                if !self.common.set(common) {
                    let rule = "invalid resources of the cluster: expected steps that begin at 0 and rise";
                    return self.fault(None, rule);
                }
                self.sleep = Sleep::new(&self.cluster.kinds);
                let cap = common.iter().find(|resource| resource.power);
                self.energy.cap = cap.cloned();
                self.tally.slowed = vec![0; self.cluster.levels.last() as usize];
                self.check.iter_mut().for_each(|check| check.classes(&self.cluster.kinds));
                self.check.iter_mut().for_each(|check| check.common(common));
            }
            Record::Series { .. } => match Series::of(record) {
                Some(series) if self.tally.submitted == 0 && self.energy.series.is_none() => {
                    self.energy.series = Some(series);
                }
                Some(_) => self.fault(None, "`series` record after the first job, or a second one"),
                None => {
                    let rule = "invalid series: expected intervals that rise and a value for each of them";
                    self.fault(None, rule);
                }
            },
            Record::Figures { .. } => {
                self.settle();
                self.has_figures = true;
                let wrong = match self.figures() {
                    Some((right, names)) => figures::differences(record, &right, &names),
                    None => vec!["`figures` record of a cluster that has nothing as a whole".into()],
                };
                wrong.into_iter().for_each(|rule| self.fault(None, rule));
            }
            Record::Energy { nodes_mj, jobs_mj, peak_mw } => {
                self.settle();
                self.has_energy = true;
                let peak = u64::try_from(self.energy.peak.div_ceil(1 << Yield::BITS)).unwrap_or(u64::MAX);
                let right = [millijoules(self.energy.nodes), millijoules(self.energy.tasks), peak];
                let names = ["energy of nodes in mJ", "energy of jobs in mJ", "largest power in mW"];
                for ((found, right), name) in [nodes_mj, jobs_mj, peak_mw].into_iter().zip(right).zip(names) {
                    if found != right {
                        self.fault(None, format!("the {name} is {found}, expected {right}"));
                    }
                }
            }
            Record::Summary { .. } => self.summary(record),
            _ => self.fault(None, rule::SECOND_RUN),
        }
    }

    /// Advances to the time of a record; returns false if that is in the past.
    pub(crate) fn advance(&mut self, head: RecordHead) -> bool {
        let RecordHead { at, job, name, rank } = head;
        if at < self.now {
            let at = Some(SimTime::from_micros(at));
            self.faults.push(Fault { line: self.line, at, job, rule: Rule::backwards(self.now) });
            return false;
        }
        if !matches!(name, "link" | "ask") {
            self.finish_submission();
        }
        if at > self.now || rank > Rank::Platform {
            self.demand_interruptions();
        }
        if at > self.now {
            if !self.has_begun && at > self.first_decision {
                self.step_to(self.first_decision);
            }
            self.step_to(at);
        } else if rank < self.rank {
            let order = "records of one time are in the order completions, submissions, changes";
            self.fault(job, format!("`{name}` out of order: {order}"));
        }
        self.rank = rank;
        true
    }

    /// Advances to a time, after the last record of the current one.
    fn step_to(&mut self, at: u64) {
        if at > self.now {
            self.settle();
            self.pass(at);
            self.report_overdue(at);
            self.elapse(at);
            self.now = at;
        }
        if at >= self.first_decision && !self.has_begun {
            self.has_begun = true;
            let takes_over = self.first_decision > 0;
            self.check.iter_mut().filter(|_| takes_over).for_each(|check| check.begin());
        }
    }

    /// Adds the energy from the current time to another one, if the power of nodes is known.
    fn elapse(&mut self, at: u64) {
        for (node, is_used) in self.devices.take_changes() {
            self.cluster.use_device(node, is_used);
        }
        if self.tally.submitted == 0 {
            return;
        }
        self.common.elapse(at - self.now);
        self.sleep.elapse(self.now, at);
        if self.has_power() {
            let (tasks, mut from) = (self.cluster.power_of_tasks, self.now);
            if self.sleep.is_used() {
                for (idle, span) in self.sleep.powers(self.now, at) {
                    self.energy.elapse((from, from + span), idle, tasks);
                    from += span;
                }
                return;
            }
            let down = self.platform.as_ref().map_or(&[][..], |platform| &platform.down);
            let idle = self.cluster.idle_power(down);
            self.energy.elapse((from, at), idle, tasks);
        }
    }

    /// Returns whether the power of nodes is known.
    fn has_power(&self) -> bool {
        self.cluster.kinds.iter().any(|kind| kind.power.is_some())
    }

    /// Computes the use of what the cluster has as a whole, with the names of its resources; `None` if there
    /// is nothing of it.
    fn figures(&self) -> Option<(Record<'static>, Vec<String>)> {
        let span = self.tally.span_until(self.now);
        let (names, common) = if span > 0 { self.common.uses(span) } else { (Vec::new(), Vec::new()) };
        let sleep = (span > 0 && self.sleep.is_used()).then(|| SleepOfRun {
            asleep: self.sleep.time as f64 / (f64::from(self.nodes) * span as f64),
            wakes: self.sleep.wakes,
            woken_us: self.sleep.waited,
        });
        let series = self.energy.series.as_ref().filter(|_| self.has_power());
        let carbon = series.is_some_and(Series::has_carbon).then(|| thousandths(self.energy.carbon));
        let price = series.is_some_and(Series::has_price).then(|| thousandths(self.energy.price));
        let over_cap_us = self.energy.cap.is_some().then_some(self.energy.over_cap);
        let slowed = self.tally.slowed.clone();
        let has_any = !common.is_empty() || sleep.is_some() || over_cap_us.is_some() || !slowed.is_empty();
        let record = Record::Figures {
            common,
            over_cap_us,
            slowed,
            sleep,
            carbon_ug: carbon.map(|carbon| u64::try_from(carbon).unwrap_or(u64::MAX)),
            cost_billionths: price
                .map(|price| i64::try_from(price).unwrap_or(if price < 0 { i64::MIN } else { i64::MAX })),
        };
        (has_any || carbon.is_some() || price.is_some()).then_some((record, names))
    }

    /// Tells the rules of the policy which nodes are awake before the decision of this time.
    fn note_awake(&mut self) {
        if self.sleep.is_used() && self.awake_at != Some(self.now) {
            self.awake_at = Some(self.now);
            let awake = self.sleep.awake(self.now);
            self.check.iter_mut().for_each(|check| check.awake(awake.clone()));
        }
    }

    /// Checks the power that the job of a number holds of a capped cluster.
    fn check_power(&mut self, number: u64) {
        let Some(job) = self.jobs.get_mut(&number) else { return };
        let Some(at) = self.common.resources().iter().position(|resource| resource.power) else { return };
        let fixed = fixed_power(&self.cluster.kinds, &job.size, job.tasks);
        let linear = linear_power(&self.cluster.kinds, &job.size, job.tasks, 0);
        let (found, right) = (job.size.common.get(at).copied().unwrap_or(0), linear.saturating_add(fixed));
        Arc::make_mut(&mut job.size).fixed_power = fixed;
        if found != right {
            self.fault(Some(number), format!("it holds {found} mW of the power cap, expected {right} mW"));
        }
    }

    /// Completes the submission of the last job, of which all records are known.
    fn finish_submission(&mut self) {
        let Some(number) = self.arriving.take() else { return };
        self.check_power(number);
        if let (Some(check), Some(job)) = (&mut self.check, self.jobs.get(&number)) {
            check.submit(number, self.now, job);
        }
    }

    /// Reports the jobs that lost a node and were not interrupted before anything else happened.
    fn demand_interruptions(&mut self) {
        let (line, at) = (self.line, Some(SimTime::from_micros(self.now)));
        let wrong = self.due_interruptions.take();
        wrong.for_each(|(job, rule)| self.faults.push(Fault { line, at, job: Some(job), rule }));
    }

    /// Checks the state after all records of a time: all work done by now must have completed, and
    /// no node may be over-committed.
    pub(crate) fn settle(&mut self) {
        self.finish_submission();
        self.demand_interruptions();
        self.note_awake();
        for (number, (woken, line)) in std::mem::take(&mut self.wakes) {
            let (at, woken) = (Some(SimTime::from_micros(self.now)), SimTime::from_micros(woken));
            let rule = format!("no `wake` record, although its nodes are awake only after {woken} s");
            self.faults.push(Fault { line, at, job: Some(number), rule: rule.into() });
        }
        // Jobs that failed to complete may overload their nodes, so they are reported first.
        self.report_overdue(self.now.saturating_add(1));
        let (faults, at, seen) = (&mut self.faults, Some(SimTime::from_micros(self.now)), self.line);
        let mut fault = |line, job, rule| faults.push(Fault { line, at, job, rule });
        self.cluster.settle(|(line, job), rule| fault(line, Some(job), rule));
        self.devices.settle(|(line, job), rule| fault(line, Some(job), rule));
        self.common.settle(self.now, |(line, job), rule| fault(line, Some(job), rule));
        for (number, line) in self.started.drain(..) {
            let limits = self.limits.as_mut().zip(self.jobs.get(&number));
            if let Some(rule) = limits.and_then(|(limits, job)| limits.start(self.now, number, job)) {
                fault(line, Some(number), rule.into());
            }
        }
        if let Some(platform) = &mut self.platform {
            if platform.changed {
                self.check.iter_mut().for_each(|check| check.platform(platform));
            }
            platform.settle(self.now, |rule| fault(seen, None, rule));
        }
        if self.now < self.first_decision {
            self.check.iter_mut().for_each(|check| check.adopt(self.now, &self.jobs));
        } else if let Some(check) = &mut self.check {
            check.settle(self.now, &self.jobs, &mut |job, now, line, rule| {
                let (line, at) = (line.unwrap_or(seen), Some(SimTime::from_micros(now)));
                self.faults.push(Fault { line, at, job: Some(job), rule: Rule::Decision(rule) });
            });
        }
    }

    /// Checks that no decision was missed between the current time and `until`.
    fn pass(&mut self, until: u64) {
        let (faults, line) = (&mut self.faults, self.line);
        if let Some(platform) = &mut self.platform {
            platform.check_windows(until, |rule| faults.push(Fault { line, at: None, job: None, rule }));
        }
        if let Some(check) = self.check.as_mut().filter(|_| self.now >= self.first_decision) {
            check.pass(self.now, until, &self.jobs, &mut |job, now, _, rule| {
                let at = Some(SimTime::from_micros(now));
                faults.push(Fault { line, at, job: Some(job), rule: Rule::Decision(rule) });
            });
        }
    }

    /// Checks a change against the rules of the policy.
    fn check_change(
        &mut self,
        job: u64,
        record: &'static str,
        on: &[(u32, u32)],
        (job_yield, level): (u32, u32),
    ) {
        let change = Change { line: self.line, job, record, on, job_yield, level };
        if let Some(rule) = self.check.as_mut().and_then(|check| check.change(change)) {
            self.fault(Some(job), Rule::Decision(rule));
        }
    }

    /// Finds the jobs that should have completed before `until`.
    fn report_overdue(&mut self, until: u64) {
        while let Some(&(due, job)) = self.due.first().filter(|&&(due, _)| due < until) {
            self.due.pop_first();
            if let Some(job) = self.jobs.get_mut(&job) {
                job.due = None;
            }
            let due = SimTime::from_micros(due);
            let rule = format!("it should have completed at {due} s, when its work was done").into();
            self.faults.push(Fault { line: self.line, at: Some(due), job: Some(job), rule });
        }
    }

    fn submit(&mut self, number: u64, mut job: Job) {
        let expected = self.tally.submitted;
        if number < expected {
            return self.fault(Some(number), "it is submitted twice");
        }
        if number > expected {
            return self.fault(Some(number), Rule::numbering(expected));
        }
        if job.tasks == 0 || job.run == 0 {
            self.fault(Some(number), rule::EMPTY);
        }
        for (resource, units) in [("memory", job.size.held[0]), ("CPU need", job.size.used[1])] {
            if units > Share::ONE.units().into() {
                let rule = format!("a task's {resource} of {units} units exceeds a whole node");
                self.fault(Some(number), rule);
            }
        }
        if self.kills_at_estimates && job.run > job.estimate {
            let [run, estimate] = [job.run, job.estimate].map(SimTime::from_micros);
            let rule =
                format!("it runs for {run} s, although jobs are killed at their estimate: {estimate} s");
            self.fault(Some(number), rule);
        }
        if self.cluster.has_classes {
            job.size = Arc::new(self.cluster.plain_size(&job.size));
        }
        if let Some(platform) = &mut self.platform {
            if expected == 0 {
                platform.begin(self.now);
            }
            job = job.lengthened(|span| platform.interruption.with_checkpoints(span));
        }
        job.length = job.length.saturating_add(self.epilog);
        self.tally.submit(self.now);
        self.links.record(Some(number));
        self.jobs.insert(number, job);
        self.peak_jobs = self.peak_jobs.max(self.jobs.len());
        self.arriving = Some(number);
    }

    /// Checks that the job of a record is in the system and in this phase.
    fn is_legal(&mut self, number: u64, record: &'static str, phase: Phase) -> bool {
        let rule = match self.jobs.get(&number) {
            Some(job) if job.phase == phase => return true,
            Some(job) => format!("`{record}` of a job that is {}", job.phase).into(),
            None => Rule::absent(record, number < self.tally.submitted),
        };
        self.fault(Some(number), rule);
        false
    }

    /// Checks that a change is legal and the only one of its job at this time.
    fn may_change(&mut self, number: u64, record: &'static str, phase: Phase) -> bool {
        if !self.is_legal(number, record, phase) {
            return false;
        }
        let Some(job) = self.jobs.get_mut(&number) else { return false };
        if job.changed.replace(self.now) == Some(self.now) {
            self.fault(Some(number), "second change at the same time");
        }
        true
    }

    fn complete(&mut self, number: u64) {
        if !self.is_legal(number, "complete", Phase::Running) {
            return;
        }
        let Some(job) = self.leave(number) else { return };
        self.links.leave(self.now, number, false);
        // A job whose work was done earlier was already reported as overdue.
        if !job.is_done(self.now) {
            let (done_s, run_s) = (job.done_s(self.now), SimSpan::from_micros(job.run).as_secs_f64());
            let rule = format!("it completes too early: it has done {done_s} s of {run_s} s");
            self.fault(Some(number), rule);
        }
        self.check.iter_mut().for_each(|check| check.complete(number, self.now, &job));
        self.platform.iter_mut().for_each(|platform| platform.completed(self.now));
        self.tally.complete(&job, self.now);
    }

    /// Handles the settings of priorities and limits.
    fn priority(&mut self, settings: &SiteSettings) {
        if self.tally.submitted > 0 || self.limits.is_some() {
            return self.fault(None, "`priority` record after the first job, or a second one");
        }
        if let Err(error) = settings.check() {
            return self.fault(None, format!("invalid priority settings: {error}"));
        }
        self.limits = Some(Limits::new(settings, &self.cluster.kinds));
        self.check.iter_mut().for_each(|check| check.priority(settings, &self.cluster.kinds));
        self.epilog = settings.epilog_s.saturating_mul(1_000_000);
        self.preempts = settings.preempting_classes().is_some();
        if self.preempts {
            self.platform.get_or_insert_with(|| Platform::without_outages(self.nodes));
        }
    }

    /// Handles failures and repairs of nodes, and announcements of windows.
    fn change_platform(
        &mut self,
        record: &'static str,
        change: impl FnOnce(&mut Platform, u64) -> Option<Rule>,
    ) {
        let platform = self.platform.as_mut().filter(|platform| platform.goes_down);
        let wrong = match platform {
            Some(platform) => change(platform, self.now),
            None => Some(no_platform(record)),
        };
        wrong.into_iter().for_each(|rule| self.fault(None, rule));
    }

    /// Returns whether an interrupted job is preempted, which is the case if all of its nodes are
    /// up.
    fn is_preempted(&self, number: u64) -> bool {
        let has_down =
            |it: &Platform| self.jobs.get(&number).is_some_and(|job| it.first_down(&job.placement).is_some());
        self.preempts && !self.platform.as_ref().is_some_and(has_down)
    }

    /// Handles the interruption of a running job by a node failure or by preemption; the job is
    /// requeued or lost.
    fn interrupt(&mut self, number: u64, record: &'static str, found: Option<u64>) {
        if self.platform.is_none() {
            return self.fault(Some(number), no_platform(record));
        }
        let makes_room = self.is_preempted(number);
        let is_legal = match makes_room {
            true => self.may_change(number, record, Phase::Running),
            false => self.is_legal(number, record, Phase::Running),
        };
        if !is_legal {
            return;
        }
        self.limits.iter_mut().for_each(|limits| limits.end(number));
        self.due_interruptions.settle(number);
        self.release_nodes(number);
        self.devices.release(number);
        self.common.release(number);
        let (Some(platform), Some(job)) = (&mut self.platform, self.jobs.get_mut(&number)) else { return };
        let is_lost = found.is_none();
        let is_done = job.is_done(self.now);
        let has_reason = makes_room || platform.first_down(&job.placement).is_some();
        let is_rule = makes_room || is_lost == (platform.interruption.rule == InterruptionRule::Lose);
        self.sleep.leave(self.now, &job.placement);
        let kept = platform.interrupt(self.now, job, is_lost);
        job.interrupt(self.now, kept, platform.interruption.restart);
        let waits = (!is_lost).then(|| job.remaining());
        if makes_room {
            let mode = if is_lost { PreemptMode::Cancel } else { PreemptMode::Requeue };
            self.check_preemption(number, mode, waits);
        } else {
            self.check.iter_mut().for_each(|check| check.interrupt(number, self.now, waits));
        }
        if is_lost {
            self.jobs.remove(&number).iter().for_each(|job| self.tally.leave(job));
            self.links.leave(self.now, number, makes_room);
        }
        if is_done {
            self.fault(Some(number), format!("`{record}` of a job whose work is done: it completes"));
        }
        if !has_reason {
            self.fault(Some(number), format!("`{record}` of a job whose nodes are all up"));
        }
        if !is_rule {
            let rule =
                format!("unexpected `{record}`: it contradicts the rule for interrupted jobs in line 2");
            self.fault(Some(number), rule);
        }
        if let Some(found) = found.filter(|&found| found != kept) {
            let [found, kept] = [found, kept].map(|micros| SimSpan::from_micros(micros).as_secs_f64());
            let rule = format!("it keeps {found} s of work, but {kept} s by the rule");
            self.fault(Some(number), rule);
        }
    }

    /// Checks the preemption of a job, which may wait with a remaining estimate.
    fn check_preemption(&mut self, number: u64, mode: PreemptMode, waits: Option<u64>) {
        let (line, now) = (self.line, self.now);
        let rule = self.check.as_mut().and_then(|check| check.preempt(line, number, now, mode, waits));
        if let Some(rule) = rule {
            self.fault(Some(number), Rule::Decision(rule));
        }
    }

    /// Handles the rejection or the killing of a job.
    fn reject_or_kill(&mut self, number: u64, record: &'static str, phase: Phase) {
        if self.may_change(number, record, phase) {
            if record == "kill" && self.jobs.get(&number).is_some_and(|job| job.is_done(self.now)) {
                self.fault(Some(number), "`kill` of a job whose work is done: it completes");
            }
            if record == "kill" && self.check.is_some() {
                self.fault(Some(number), Rule::Decision("the policy does not kill jobs".to_owned()));
            } else {
                self.check_change(number, record, &[], (0, 0));
            }
            self.links.leave(self.now, number, true);
            self.leave(number);
            self.tally.rejected += 1;
        }
    }

    /// Releases the nodes of a job and removes it from the system.
    pub(crate) fn leave(&mut self, number: u64) -> Option<Job> {
        self.limits.iter_mut().for_each(|limits| limits.end(number));
        self.due_interruptions.settle(number);
        self.release_nodes(number);
        if let Some(job) = self.jobs.get(&number) {
            self.sleep.leave(self.now, &job.placement);
        }
        self.devices.release(number);
        self.common.release(number);
        let job = self.jobs.remove(&number)?;
        self.tally.leave(&job);
        Some(job)
    }
    /// Releases the resources of a job on its nodes.
    fn release_nodes(&mut self, number: u64) {
        let Some(job) = self.jobs.get(&number) else { return };
        self.cluster.change(None, &job.placement, &job.size, (job.job_yield, job.level));
        job.due.iter().for_each(|&due| _ = self.due.remove(&(due, number)));
    }

    /// Returns the speed level of a job after a record that may change it.
    fn level(&mut self, number: u64, level: Option<u32>) -> u32 {
        let last = self.cluster.levels.last();
        if let Some(level) = level.filter(|level| *level > last) {
            self.fault(Some(number), format!("it has the speed level {level}, but the last one is {last}"));
        }
        let before = self.jobs.get(&number).map_or(0, |job| job.level);
        level.unwrap_or(before)
    }

    fn place(
        &mut self,
        number: u64,
        record: &'static str,
        on: &[(u32, u32)],
        (job_yield, level): (u32, Option<u32>),
    ) {
        let phase = match record {
            "start" => Phase::Waiting,
            "resume" => Phase::Paused,
            _ => Phase::Running,
        };
        if !self.may_change(number, record, phase) {
            return;
        }
        let Some(job) = self.jobs.get(&number) else { return };
        let wrong = placement::check(on, job.tasks, self.nodes);
        // A job with an invalid placement keeps running, but uses no node.
        let on = if wrong.is_none() { on } else { &[] };
        let down = self.platform.as_ref().and_then(|platform| platform.check_up(on));
        let wrongs = wrong.into_iter().chain(down).chain(self.cluster.missing(&job.size, on));
        let wrongs: Vec<Rule> = wrongs.collect();
        wrongs.into_iter().for_each(|rule| self.fault(Some(number), rule));
        if phase == Phase::Waiting {
            self.links.start(self.now, number);
        }
        if phase != Phase::Running {
            self.started.push((number, self.line));
        }
        let level = self.level(number, level);
        self.check_change(number, record, on, (job_yield, level));
        let (mut moved, penalty, node_speed) = (0, self.penalty, self.cluster.slowest(on, level));
        let woken = self.wake(number, on);
        self.change(number, (job_yield, level), |job, now| {
            if phase == Phase::Running {
                moved = placement::moved_tasks(&job.placement, on);
            }
            if phase == Phase::Paused || moved > 0 {
                job.penalise(now, penalty.saturating_add(woken));
            } else if phase == Phase::Waiting && job.restart.saturating_add(woken) > 0 {
                job.penalise(now, job.restart.saturating_add(woken));
            }
            job.set_node_speed(now, node_speed);
            job.phase = Phase::Running;
            job.placement.clear();
            job.placement.extend_from_slice(on);
        });
        if self.jobs.get(&number).is_some_and(|job| job.size.devices.is_some()) {
            self.devices.place(number, self.line);
            if phase == Phase::Running {
                self.moved_by_node.insert(number, moved);
            }
        }
        if moved > 0 {
            self.tally.migrations += 1;
            self.tally.migrated_tasks += moved;
        }
    }

    /// Counts the tasks of a migrated job that stay on their nodes, but leave one of their devices.
    fn change_devices(&mut self, number: u64, request: DeviceRequest, devices: &Triples) {
        let Some((job, moved)) = self.jobs.get(&number).zip(self.moved_by_node.remove(&number)) else {
            return;
        };
        let all = moved_tasks(request, job.tasks, self.devices.before(number), devices);
        let more = all.saturating_sub(moved);
        if more > 0 && moved == 0 {
            let (at, penalty) = ((job.job_yield, job.level), self.penalty);
            self.change(number, at, |job, now| job.penalise(now, penalty));
            self.tally.migrations += 1;
        }
        self.tally.migrated_tasks += more;
    }

    /// Moves a job to other nodes; returns the time until the last of these is awake.
    fn wake(&mut self, number: u64, on: &[(u32, u32)]) -> u64 {
        let Some(job) = self.jobs.get(&number) else { return 0 };
        self.sleep.leave(self.now, &job.placement);
        let woken = self.sleep.enter(self.now, on);
        let stays = job.phase == Phase::Running && placement::moved_tasks(&job.placement, on) == 0;
        if woken > 0 && !stays {
            self.sleep.waited = self.sleep.waited.saturating_add(woken);
            self.wakes.insert(number, (woken, self.line));
        }
        woken
    }

    fn pause(&mut self, number: u64) {
        if self.may_change(number, "pause", Phase::Running) {
            if !self.preempts {
                self.check_change(number, "pause", &[], (0, 0));
            }
            self.tally.preemptions += 1;
            let (mut waits, penalty) = (None, self.penalty);
            if let Some(job) = self.jobs.get(&number) {
                self.sleep.leave(self.now, &job.placement);
            }
            self.change(number, (0, 0), |job, now| {
                job.phase = Phase::Paused;
                waits = Some(job.remaining_after_pause(now, penalty));
                job.placement.clear();
            });
            self.devices.release(number);
            self.common.take(number);
            self.limits.iter_mut().for_each(|limits| limits.end(number));
            if self.preempts {
                self.check_preemption(number, PreemptMode::Suspend, waits);
            }
        }
    }

    /// Applies a change of a job's placement, yield and speed level, and updates everything that depends on
    /// them.
    fn change(&mut self, number: u64, (job_yield, level): (u32, u32), change: impl FnOnce(&mut Job, u64)) {
        if job_yield > Yield::ONE.units() {
            self.fault(Some(number), format!("a yield of {job_yield} units is above 1"));
        }
        self.release_nodes(number);
        let Some(job) = self.jobs.get_mut(&number) else { return };
        change(job, self.now);
        job.level = level;
        job.slowest = job.slowest.max(level);
        job.set_yield(self.now, job_yield.min(Yield::ONE.units()));
        if job.size.shares_devices && self.devices.has(number) {
            self.devices.set_yield((self.line, number), job.job_yield);
        }
        let at = (job.job_yield, level);
        self.cluster.change(Some((self.line, number)), &job.placement, &job.size, at);
        if !job.placement.is_empty() {
            let power = (level > 0).then(|| largest_power(&self.cluster.kinds, &job.size, job.tasks, level));
            let amounts = (&job.size.common[..], power);
            self.common.hold((self.line, number), amounts, job.size.fixed_power, job.job_yield);
        }
        job.due.iter().for_each(|&due| _ = self.due.insert((due, number)));
    }

    fn summary(&mut self, claimed: &Record<'_>) {
        self.settle();
        let unfinished = self.jobs.iter().map(|(&job, it)| (job, Rule::unfinished(it.phase)));
        for (job, rule) in self.links.missing().chain(unfinished) {
            self.faults.push(Fault { line: self.line, at: None, job: Some(job), rule });
        }
        if !self.has_energy && self.has_power() {
            self.fault(None, "no `energy` record, although the power of nodes is known");
        }
        if !self.has_figures && self.figures().is_some() {
            self.fault(None, "no `figures` record, although the cluster has something as a whole");
        }
        let makespan = self.tally.makespan();
        let platform =
            self.platform.as_ref().map(|platform| platform.figures(self.nodes, makespan, self.tally.work));
        let objectives = match claimed {
            Record::Summary { objectives, .. } => objectives.as_ref(),
            _ => None,
        };
        let right = self.tally.summary(self.cluster.capacity(), platform, objectives);
        differences(claimed, &right).into_iter().for_each(|rule| self.fault(None, rule));
        let Record::Summary { completed, rejected, max_stretch, max_bounded_stretch, utilisation, .. } =
            right
        else {
            return;
        };
        self.report = Some(Report {
            policy: self.policy.clone(),
            nodes: self.nodes,
            penalty: SimSpan::from_micros(self.penalty),
            lines: self.line,
            jobs: self.tally.submitted,
            completed,
            rejected,
            peak_jobs: self.peak_jobs,
            peak_cpu: self.cluster.peaks[1],
            peak_memory: self.cluster.peaks[0],
            end: SimTime::from_micros(self.now),
            makespan: SimSpan::from_micros(makespan),
            max_stretch,
            tau: self.tally.tau,
            max_bounded_stretch,
            utilisation,
            preemptions: self.tally.preemptions,
            migrations: self.tally.migrations,
            migrated_tasks: self.tally.migrated_tasks,
            platform,
            not_judged: match &self.check {
                Some(check) => check.not_judged(),
                None => Some(match &self.options {
                    Some(options) => format!("decisions with {options}"),
                    None => "decisions".to_owned(),
                }),
            },
        });
    }

    /// Returns the report if no rule was violated.
    ///
    /// # Errors
    ///
    /// Returns all violations; a missing summary is one.
    pub fn finish(mut self) -> Result<Report, Faults> {
        if self.report.is_none() {
            self.line += 1;
            self.settle();
            self.fault(None, rule::NO_SUMMARY);
        }
        self.report.filter(|_| self.faults.count() == 0).ok_or(self.faults)
    }

    /// Returns the violations found so far, at the end of the records of a cluster of a grid.
    pub fn end(mut self, at: u64) -> Faults {
        self.advance(RecordHead { at: at.max(self.now), job: None, name: "summary", rank: self.rank });
        // The last job of another cluster may have ended before a window began at this time.
        self.platform.iter_mut().for_each(|platform| platform.windows.retain(|window| window.from < at));
        self.settle();
        let at = Some(SimTime::from_micros(self.now));
        for (&number, &Job { phase, .. }) in &self.jobs {
            let rule = Rule::unfinished(phase);
            self.faults.push(Fault { line: self.line, at, job: Some(number), rule });
        }
        self.faults
    }
}

fn no_platform(record: &str) -> Rule {
    format!("`{record}` in a file without a `platform` record in line 2").into()
}
