//! Follows a simulation record by record.

use crate::batch::BatchPolicy;
use crate::classes::Classes;
use crate::fault::{AuditError, Fault, Faults};
use crate::job::Job;
use crate::lines::{first_record, follow, record};
use crate::links::{Claimed, Links};
use crate::nodes::{Nodes, Overcommitted};
use crate::placement;
use crate::platform::{Interruption, Platform, Window};
use crate::policy::{CheckedPolicy, PolicyCheck, PolicyFault};
use crate::priority::{Limits, PriorityRule};
use crate::tally::{Figures, Tally};
use crate::{Phase, Report, Rule};
use dfrsim_model::event::{FORMAT_VERSION, InterruptionRule, Objectives, Placement, Record};
use dfrsim_model::priority::{PreemptMode, Priorities};
use dfrsim_model::{Clock, Share, SimSpan, SimTime, Yield};
use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;

/// The largest cluster that is audited; a larger number in a file is a fault.
pub const MOST_NODES: u32 = 1 << 24;

/// Checks an events file (see the [crate's page](crate)).
///
/// # Errors
/// [`AuditError::Faults`] with every rule that is broken, [`AuditError::Io`] if the file cannot be read to its end.
/// A fault can lead to others further down: start with the first one.
pub fn audit(reader: impl BufRead) -> Result<Report, AuditError> {
    audit_with(reader, |auditor| auditor)
}

/// Checks an events file, and that its policy is this one and keeps to its rules (see [`crate::batch`] and [`crate::fractional`]).
///
/// # Errors
/// As those of [`audit`].
pub fn audit_policy(reader: impl BufRead, policy: CheckedPolicy) -> Result<Report, AuditError> {
    audit_with(reader, |auditor| auditor.with_policy(policy))
}

fn audit_with(reader: impl BufRead, prepare: impl FnOnce(Auditor) -> Auditor) -> Result<Report, AuditError> {
    let begin = |text: &[u8]| {
        let auditor = Auditor::begin(&first_record(text)?).map_err(AuditError::of_beginning)?;
        Ok(prepare(auditor))
    };
    let auditor = follow(reader, begin, |auditor, text| match record(text) {
        Ok(record) => auditor.record(&record),
        Err(rule) => auditor.malformed(rule),
    })?;
    Ok(auditor.finish()?)
}

/// The place of a record within its moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    Completion,
    Platform,
    Submission,
    Change,
}

/// Checks records as they come: what [`audit`] does for a file, for a simulation that runs in the same program.
#[derive(Debug)]
pub struct Auditor {
    pub(crate) policy: String,
    /// What the name of the policy leaves open and is not as by default.
    options: Option<String>,
    pub(crate) nodes: u32,
    penalty: u64,
    pub(crate) faults: Faults,
    /// The line at hand.
    pub(crate) line: u64,
    pub(crate) now: u64,
    pub(crate) rank: Rank,
    /// The jobs in the system, by their place in the order of submission.
    pub(crate) jobs: BTreeMap<u64, Job>,
    /// The running jobs by the moment at which their work is done.
    due: BTreeSet<(u64, u64)>,
    usage: Nodes,
    tally: Tally,
    links: Links,
    peak_jobs: usize,
    pub(crate) check: Option<PolicyCheck>,
    clock: Option<Clock>,
    pub(crate) platform: Option<Platform>,
    pub(crate) limits: Option<Limits>,
    /// The jobs that came to nodes in this moment, with the lines: limits count them once all that leave have left.
    started: Vec<(u64, u64)>,
    /// Whether jobs of some classes preempt those of others.
    preempts: bool,
    classes: Option<Classes>,
    report: Option<Report>,
    /// The batch policy of a cluster of a grid.
    pub(crate) outside: Option<BatchPolicy>,
}

impl Auditor {
    /// Begins with the first record, without which the others cannot be interpreted.
    ///
    /// # Errors
    /// If it is not a `run` record, or one of another format or of too large a cluster.
    pub fn begin(first: &Record<'_>) -> Result<Auditor, Faults> {
        let rule = match first {
            Record::Run { format, .. } if *format != FORMAT_VERSION => {
                Rule::Format { found: *format, known: FORMAT_VERSION }
            }
            Record::Run { nodes, .. } if *nodes > MOST_NODES => {
                Rule::TooManyNodes { nodes: *nodes, most: MOST_NODES }
            }
            Record::Run { policy, nodes, penalty_us, tau_us, options, .. } => {
                let tau = SimSpan::from_micros(*tau_us);
                let auditor = Auditor::new(policy.clone().into_owned(), *nodes, *penalty_us, tau);
                let options = options.as_ref().map(|options| options.clone().into_owned());
                return Ok(Auditor { options, ..auditor });
            }
            _ => Rule::NoRun,
        };
        Err(Faults::from(Fault { line: 1, at: None, job: None, rule }))
    }

    fn new(policy: String, nodes: u32, penalty: u64, tau: SimSpan) -> Auditor {
        Auditor {
            policy,
            options: None,
            nodes,
            penalty,
            faults: Faults::default(),
            line: 1,
            now: 0,
            rank: Rank::Completion,
            jobs: BTreeMap::new(),
            due: BTreeSet::new(),
            usage: Nodes::default(),
            tally: Tally::new(tau),
            links: Links::default(),
            peak_jobs: 0,
            check: None,
            clock: None,
            platform: None,
            limits: None,
            started: Vec::new(),
            preempts: false,
            classes: None,
            report: None,
            outside: None,
        }
    }

    /// Jobs progress and complete by this clock; to be called before any record follows. Events files do not have it.
    #[must_use]
    pub fn with_clock(mut self, clock: Option<Clock>) -> Auditor {
        self.clock = clock;
        self
    }

    /// Also checks that the policy is this one and keeps to its rules; to be called before any record follows.
    #[must_use]
    pub fn with_policy(mut self, policy: CheckedPolicy) -> Auditor {
        let expected = policy.to_string();
        // A batch policy may have several names.
        let is_same = match &policy {
            CheckedPolicy::Batch(policy) => BatchPolicy::parse(&self.policy).as_ref() == Some(policy),
            CheckedPolicy::Fractional(_) => self.policy == expected,
        };
        if !is_same {
            let found = self.policy.clone();
            self.fault(None, Rule::Policy { found, expected });
        }
        // The rules are those of the name alone.
        if self.options.is_none() || matches!(policy, CheckedPolicy::Batch(_)) {
            self.check = Some(policy.check(self.nodes));
        }
        self
    }

    /// The next line of the file is not a record.
    pub(crate) fn malformed(&mut self, rule: Rule) {
        self.line += 1;
        self.fault(None, rule);
    }

    /// A fault of the record at hand.
    fn fault(&mut self, job: Option<u64>, rule: Rule) {
        let at = job.is_some().then_some(SimTime::from_micros(self.now));
        self.faults.push(Fault { line: self.line, at, job, rule });
    }

    /// Takes in the next record, which is the next line of what would be the file.
    pub fn record(&mut self, record: &Record<'_>) {
        self.line += 1;
        if self.report.is_some() {
            return self.fault(None, Rule::AfterSummary);
        }
        let is_link = matches!(record, Record::Link { .. } | Record::Ask { .. });
        if !is_link {
            self.links.record(None);
        }
        match *record {
            Record::Run { .. } => self.fault(None, Rule::SecondRun),
            Record::Summary {
                completed,
                rejected,
                makespan_us,
                max_stretch,
                max_bounded_stretch,
                mean_bounded_stretch,
                mean_turnaround_s,
                utilisation,
                preemptions,
                migrations,
                migrated_tasks,
                ref objectives,
                platform,
            } => {
                let claimed = Figures {
                    completed,
                    rejected,
                    makespan_us,
                    max_stretch,
                    max_bounded_stretch,
                    mean_bounded_stretch,
                    mean_turnaround_s,
                    utilisation,
                    preemptions,
                    migrations,
                    migrated_tasks,
                    platform,
                };
                self.summary(&claimed, objectives.as_ref());
            }
            Record::Platform { interruption: rule, interval_us, cost_us, restart_us } => {
                if self.line != 2 {
                    return self.fault(None, Rule::LatePlatform);
                }
                if (rule == InterruptionRule::Checkpoint) != (interval_us > 0) {
                    self.fault(None, Rule::BadCheckpoints);
                }
                let (interval, cost, restart) = (interval_us, cost_us, restart_us);
                let interruption = Interruption { rule, interval, cost, restart };
                let platform = Platform::new(interruption, self.nodes);
                if let Some(check) = &mut self.check {
                    check.platform(&platform);
                }
                self.platform = Some(platform);
            }
            Record::Priority { ref settings } => self.priority(settings),
            Record::Classes { ref resources, ref classes, cores } => {
                if self.line != 2 && !(self.line == 3 && self.platform.is_some()) {
                    return self.fault(None, Rule::LateClasses);
                }
                let Some(classes) = Classes::new(resources, classes, cores, self.nodes) else {
                    return self.fault(None, Rule::BadClasses);
                };
                self.usage.differ(classes.capacities());
                if let Some(check) = &mut self.check {
                    check.classes(&classes);
                }
                self.classes = Some(classes);
            }
            Record::Ask { at_us, job, ref resources, ref features } => {
                if self.advance(at_us, Rank::Submission, job, "ask") {
                    let waits = |it: &Job| it.phase == Phase::Waiting && it.submit == at_us;
                    let is_last = job + 1 == self.tally.submitted && self.jobs.get(&job).is_some_and(waits);
                    let classes = self.classes.as_mut().filter(|_| is_last);
                    let rule = classes.map_or(Some(Rule::BadAsk), |it| it.ask(job, resources, features));
                    if let Some(rule) = rule {
                        self.fault(Some(job), rule);
                    }
                    self.pass_what_fits(job);
                }
            }
            Record::Window { at_us, first, nodes, from_us: from, until_us: until } => {
                if self.advance(at_us, Rank::Platform, None, "window") {
                    self.change_platform("window", |platform, now| {
                        platform.announce(now, Window { first, nodes, from, until })
                    });
                }
            }
            Record::Down { at_us, ref nodes } => {
                if self.advance(at_us, Rank::Platform, None, "down") {
                    self.change_platform("down", |platform, now| platform.change(now, nodes, true));
                }
            }
            Record::Up { at_us, ref nodes } => {
                if self.advance(at_us, Rank::Platform, None, "up") {
                    self.change_platform("up", |platform, now| platform.change(now, nodes, false));
                }
            }
            Record::Interrupt { at_us, job, kept_us } => {
                if self.advance(at_us, self.rank_of_interruption(job), job, "interrupt") {
                    self.interrupt(job, "interrupt", Some(kept_us));
                }
            }
            Record::Lose { at_us, job } => {
                if self.advance(at_us, self.rank_of_interruption(job), job, "lose") {
                    self.interrupt(job, "lose", None);
                }
            }
            Record::Submit {
                at_us,
                job,
                tasks,
                cpu_need,
                memory,
                run_us,
                estimate_us,
                user,
                group,
                queue,
                partition,
                ..
            } => {
                if self.advance(at_us, Rank::Submission, job, "submit") {
                    let estimate = estimate_us.unwrap_or(run_us);
                    let mut submitted = Job::submitted(at_us, tasks, cpu_need, memory, run_us, estimate);
                    if let Some(platform) = &self.platform {
                        submitted = submitted.with_checkpoints(&platform.interruption);
                    }
                    let submitted = submitted.with_clock(self.clock).with_user(user);
                    self.submit(job, submitted.from(group, queue, partition));
                }
            }
            Record::Link { at_us, job, after, think_us: think, followers } => {
                if self.advance(at_us, Rank::Submission, job, "link") {
                    let jobs = &self.jobs;
                    let is_in_system = |job| jobs.contains_key(&job);
                    let claimed = Claimed { after, think, followers };
                    if let Some(rule) = self.links.link(at_us, job, claimed, is_in_system) {
                        self.fault(Some(job), rule);
                    }
                }
            }
            Record::Complete { at_us, job } => {
                if self.advance(at_us, Rank::Completion, job, "complete") {
                    self.complete(job);
                }
            }
            Record::Start { at_us, job, ref on, job_yield } => {
                if self.advance(at_us, Rank::Change, job, "start") {
                    self.place(job, "start", Phase::Waiting, on, job_yield);
                }
            }
            Record::Resume { at_us, job, ref on, job_yield } => {
                if self.advance(at_us, Rank::Change, job, "resume") {
                    self.place(job, "resume", Phase::Paused, on, job_yield);
                }
            }
            Record::Migrate { at_us, job, ref on, job_yield } => {
                if self.advance(at_us, Rank::Change, job, "migrate") {
                    self.place(job, "migrate", Phase::Running, on, job_yield);
                }
            }
            Record::Yield { at_us, job, job_yield } => {
                if self.advance(at_us, Rank::Change, job, "yield") {
                    self.change_yield(job, job_yield);
                }
            }
            Record::Pause { at_us, job } => {
                if self.advance(at_us, Rank::Change, job, "pause") {
                    self.pause(job);
                }
            }
            Record::Reject { at_us, job } => {
                if self.advance(at_us, Rank::Change, job, "reject") {
                    self.reject(job);
                }
            }
            Record::Kill { at_us, job } => {
                if self.advance(at_us, Rank::Change, job, "kill") {
                    self.kill(job);
                }
            }
        }
    }

    /// Goes on to the moment of a record; false if that is in the past.
    pub(crate) fn advance(
        &mut self,
        at: u64,
        rank: Rank,
        job: impl Into<Option<u64>>,
        record: &'static str,
    ) -> bool {
        let job = job.into();
        if at < self.now {
            let before = SimTime::from_micros(self.now);
            let at = Some(SimTime::from_micros(at));
            self.faults.push(Fault { line: self.line, at, job, rule: Rule::TimeBackwards { before } });
            return false;
        }
        if at > self.now {
            self.settle();
            self.pass(at);
            self.overdue(at);
            self.now = at;
        } else if rank < self.rank {
            self.fault(job, Rule::Order { record });
        }
        self.rank = rank;
        true
    }

    /// Ends a moment: what was done by now must have completed, and no node may be over-committed.
    pub(crate) fn settle(&mut self) {
        // The node of a job that failed to leave may be full for that reason: first the cause.
        self.overdue(self.now.saturating_add(1));
        let (faults, at) = (&mut self.faults, Some(SimTime::from_micros(self.now)));
        self.usage.settle(|Overcommitted { line, job, rule }| {
            faults.push(Fault { line, at, job: Some(job), rule });
        });
        if let Some(classes) = &mut self.classes {
            classes.settle(|Overcommitted { line, job, rule }| {
                faults.push(Fault { line, at, job: Some(job), rule });
            });
        }
        for (number, line) in self.started.drain(..) {
            let limits = self.limits.as_mut().zip(self.jobs.get(&number));
            if let Some(rule) = limits.and_then(|(limits, job)| limits.start(number, job)) {
                faults.push(Fault { line, at, job: Some(number), rule: rule.into() });
            }
        }
        let seen = self.line;
        if let Some(platform) = &mut self.platform {
            if platform.changed
                && let Some(check) = &mut self.check
            {
                check.platform(platform);
            }
            let jobs = self.jobs.iter().map(|(&number, job)| (number, job));
            platform.settle(self.now, jobs, |job, rule| faults.push(Fault { line: seen, at, job, rule }));
        }
        if let Some(check) = &mut self.check {
            check.settle(self.now, &self.jobs, |(job, now, line, rule): PolicyFault| {
                let at = Some(SimTime::from_micros(now));
                faults.push(Fault { line: line.unwrap_or(seen), at, job: Some(job), rule });
            });
        }
    }

    /// Finds what a policy should have decided between this moment and the next one.
    fn pass(&mut self, until: u64) {
        let (faults, line) = (&mut self.faults, self.line);
        if let Some(platform) = &mut self.platform {
            platform.pass_to(until, |rule| faults.push(Fault { line, at: None, job: None, rule }));
        }
        if let Some(check) = &mut self.check {
            check.pass(self.now, until, &self.jobs, |(job, now, _, rule)| {
                let at = Some(SimTime::from_micros(now));
                faults.push(Fault { line, at, job: Some(job), rule });
            });
        }
    }

    /// A change that the policy may have no reason for.
    fn check_change(&mut self, number: u64, record: &'static str) {
        let line = self.line;
        if let Some(rule) = self.check.as_mut().and_then(|check| check.change(line, number, record)) {
            self.fault(Some(number), rule);
        }
    }

    /// Finds the jobs that should have completed before the moment `until`.
    fn overdue(&mut self, until: u64) {
        while let Some(&(due, job)) = self.due.first().filter(|&&(due, _)| due < until) {
            self.due.pop_first();
            if let Some(job) = self.jobs.get_mut(&job) {
                job.due = None;
            }
            let due = SimTime::from_micros(due);
            let rule = Rule::Overdue { due };
            self.faults.push(Fault { line: self.line, at: Some(due), job: Some(job), rule });
        }
    }

    fn submit(&mut self, number: u64, job: Job) {
        if number < self.tally.submitted {
            return self.fault(Some(number), Rule::SubmittedTwice);
        }
        if number > self.tally.submitted {
            let expected = self.tally.submitted;
            return self.fault(Some(number), Rule::Numbering { expected });
        }
        if job.tasks == 0 || job.run == 0 {
            self.fault(Some(number), Rule::Empty);
        }
        for (resource, units) in [("memory", job.memory), ("CPU need", job.need)] {
            if units > Share::ONE.units() {
                self.fault(Some(number), Rule::TooLarge { resource, units });
            }
        }
        if let Some(platform) = self.platform.as_mut().filter(|_| self.tally.submitted == 0) {
            platform.begin(self.now);
        }
        self.tally.submit(self.now);
        if let Some(check) = &mut self.check {
            check.submit(number, self.now, &job);
        }
        self.links.record(Some(number));
        self.jobs.insert(number, job);
        self.peak_jobs = self.peak_jobs.max(self.jobs.len());
        self.pass_what_fits(number);
    }

    /// Lets the check of the policy know on which nodes the tasks of a job fit, where nodes differ.
    fn pass_what_fits(&mut self, number: u64) {
        if let (Some(classes), Some(check), Some(job)) =
            (&self.classes, &mut self.check, self.jobs.get(&number))
        {
            check.fitting(number, job, classes);
        }
    }

    /// Whether a record is legal: its job is in the system and in this phase.
    fn is_legal(&mut self, number: u64, record: &'static str, phase: Phase) -> bool {
        let rule = match self.jobs.get(&number) {
            Some(job) if job.phase == phase => return true,
            Some(job) => Rule::IllegalState { record, phase: job.phase },
            None if number < self.tally.submitted => Rule::Gone { record },
            None => Rule::Unknown { record },
        };
        self.fault(Some(number), rule);
        false
    }

    /// Whether a change is legal, which must be the only one of its job in this moment.
    fn may_change(&mut self, number: u64, record: &'static str, phase: Phase) -> bool {
        if !self.is_legal(number, record, phase) {
            return false;
        }
        let Some(job) = self.jobs.get_mut(&number) else { return false };
        if job.changed.replace(self.now) == Some(self.now) {
            self.fault(Some(number), Rule::ChangedTwice);
        }
        true
    }

    fn complete(&mut self, number: u64) {
        if !self.is_legal(number, "complete", Phase::Running) {
            return;
        }
        let Some(job) = self.leave(number) else { return };
        self.links.leave(self.now, number, false);
        // Work that was done earlier was reported when its time passed.
        if !job.is_done(self.now) {
            let run_s = SimSpan::from_micros(job.run).as_secs_f64();
            self.fault(Some(number), Rule::Early { done_s: job.length_s(self.now, false), run_s });
        }
        if let Some(check) = &mut self.check {
            check.complete(number, self.now);
        }
        if let Some(limits) = &mut self.limits {
            limits.end(number);
        }
        if let Some(platform) = &mut self.platform {
            platform.completed(self.now);
        }
        self.tally.complete(&job, self.now);
    }

    /// The settings of priorities and limits.
    fn priority(&mut self, settings: &Priorities) {
        if self.tally.submitted > 0 || self.limits.is_some() {
            return self.fault(None, PriorityRule::Late.into());
        }
        if let Err(error) = settings.check() {
            return self.fault(None, PriorityRule::Settings(error.to_string()).into());
        }
        self.limits = Some(Limits::new(settings));
        if let Some(check) = &mut self.check {
            check.priority(settings);
        }
        self.preempts = settings.preempting().is_some();
        if self.preempts {
            self.platform.get_or_insert_with(|| Platform::without_outages(self.nodes));
        }
    }

    /// Nodes change, or a window is announced.
    fn change_platform(
        &mut self,
        record: &'static str,
        change: impl FnOnce(&mut Platform, u64) -> Option<Rule>,
    ) {
        let Some(platform) = self.platform.as_mut().filter(|platform| platform.goes_down) else {
            return self.fault(None, Rule::NoPlatform { record });
        };
        if let Some(rule) = change(platform, self.now) {
            self.fault(None, rule);
        }
    }

    /// Whether a job that is interrupted makes room for another one: all of its nodes are up.
    fn makes_room(&self, number: u64) -> bool {
        let has_down =
            |it: &Platform| self.jobs.get(&number).is_some_and(|job| it.down_of(&job.placement).is_some());
        self.preempts && !self.platform.as_ref().is_some_and(has_down)
    }

    /// The place of an interruption within its moment.
    fn rank_of_interruption(&self, number: u64) -> Rank {
        if self.makes_room(number) { Rank::Change } else { Rank::Platform }
    }

    /// A node of a running job went down, or the policy takes its nodes: the job waits again, or has left for good.
    fn interrupt(&mut self, number: u64, record: &'static str, found: Option<u64>) {
        if self.platform.is_none() {
            return self.fault(Some(number), Rule::NoPlatform { record });
        }
        let makes_room = self.makes_room(number);
        let is_legal = match makes_room {
            true => self.may_change(number, record, Phase::Running),
            false => self.is_legal(number, record, Phase::Running),
        };
        if !is_legal {
            return;
        }
        let (Some(platform), Some(job)) = (&mut self.platform, self.jobs.get_mut(&number)) else { return };
        let is_lost = found.is_none();
        let has_reason = makes_room || platform.down_of(&job.placement).is_some();
        let is_rule = makes_room || is_lost == (platform.interruption.rule == InterruptionRule::Lose);
        let kept = platform.interrupt(self.now, job, is_lost);
        let restart = platform.interruption.restart;
        let task_use = job.task_use();
        self.usage.remove(&job.placement, task_use);
        if let Some(classes) = &mut self.classes {
            classes.remove(number, &job.placement, job.job_yield);
        }
        if let Some(due) = job.due {
            self.due.remove(&(due, number));
        }
        job.interrupt(self.now, kept, restart);
        if let Some(limits) = &mut self.limits {
            limits.end(number);
        }
        if makes_room {
            let estimate = job.remaining();
            let mode = if is_lost { PreemptMode::Cancel } else { PreemptMode::Requeue };
            self.check_preemption(number, mode, estimate);
        } else if let Some(check) = &mut self.check {
            check.interrupt(number, self.now, job, is_lost);
        }
        if is_lost {
            self.jobs.remove(&number);
            self.links.leave(self.now, number, makes_room);
        }
        if !has_reason {
            self.fault(Some(number), Rule::NoReason { record });
        }
        if !is_rule {
            self.fault(Some(number), Rule::OtherInterruption { record });
        }
        if let Some(found) = found.filter(|&found| found != kept) {
            let seconds = |micros| SimSpan::from_micros(micros).as_secs_f64();
            self.fault(Some(number), Rule::Kept { found_s: seconds(found), expected_s: seconds(kept) });
        }
    }

    /// A job has left its nodes, and waits with an estimate.
    fn check_preemption(&mut self, number: u64, mode: PreemptMode, estimate: u64) {
        let (place, now) = ((self.line, number), self.now);
        let rule = self.check.as_mut().and_then(|check| check.preempt(place, now, mode, estimate));
        if let Some(rule) = rule {
            self.fault(Some(number), rule);
        }
    }

    fn reject(&mut self, number: u64) {
        if self.may_change(number, "reject", Phase::Waiting) {
            self.check_change(number, "reject");
            self.links.leave(self.now, number, true);
            self.leave(number);
            self.tally.rejected += 1;
        }
    }

    fn kill(&mut self, number: u64) {
        if self.may_change(number, "kill", Phase::Running) {
            self.check_change(number, "kill");
            self.links.leave(self.now, number, true);
            self.leave(number);
            self.tally.rejected += 1;
        }
    }

    /// Takes a job off its nodes and out of the system.
    pub(crate) fn leave(&mut self, number: u64) -> Option<Job> {
        let job = self.jobs.remove(&number)?;
        self.usage.remove(&job.placement, job.task_use());
        if let Some(classes) = &mut self.classes {
            classes.remove(number, &job.placement, job.job_yield);
            classes.forget(number);
        }
        if let Some(due) = job.due {
            self.due.remove(&(due, number));
        }
        Some(job)
    }

    fn place(&mut self, number: u64, record: &'static str, phase: Phase, on: &Placement<'_>, job_yield: u32) {
        if !self.may_change(number, record, phase) {
            return;
        }
        let penalty = self.penalty;
        let tasks = self.jobs.get(&number).map_or(0, |job| job.tasks);
        let fault = placement::fault(on, tasks, self.nodes);
        // A job whose placement is wrong runs on, but uses no node.
        let on = if fault.is_none() { &on[..] } else { &[] };
        if let Some(rule) = fault {
            self.fault(Some(number), rule);
        }
        if let Some(node) = self.platform.as_ref().and_then(|platform| platform.down_of(on)) {
            self.fault(Some(number), Rule::RunsOnDownNode { node });
        }
        if let Some(rule) = self.classes.as_ref().and_then(|classes| classes.missing(number, on)) {
            self.fault(Some(number), rule);
        }
        let node_speed = self.classes.as_ref().map(|classes| classes.slowest(on));
        if phase == Phase::Waiting || phase == Phase::Paused {
            let line = self.line;
            self.started.push((number, line));
            let check = self.check.as_mut();
            let rule = check.and_then(|check| check.start(line, number, on, (record, job_yield)));
            if let Some(rule) = rule {
                self.fault(Some(number), rule);
            }
        } else {
            self.check_change(number, record);
        }
        let mut moved = 0;
        self.change(number, job_yield, |job, now| {
            if phase == Phase::Running {
                moved = placement::moved_tasks(&job.placement, on);
            }
            if phase == Phase::Paused || moved > 0 {
                job.penalise(now, penalty);
            } else if phase == Phase::Waiting && job.restart() > 0 {
                job.penalise(now, job.restart());
            }
            if let Some(speed) = node_speed {
                job.set_node_speed(now, speed);
            }
            job.phase = Phase::Running;
            job.placement.clear();
            job.placement.extend_from_slice(on);
        });
        if moved > 0 {
            self.tally.migrations += 1;
            self.tally.migrated_tasks += moved;
        }
    }

    fn change_yield(&mut self, number: u64, job_yield: u32) {
        if self.may_change(number, "yield", Phase::Running) {
            self.check_change(number, "yield");
            self.change(number, job_yield, |_, _| ());
        }
    }

    fn pause(&mut self, number: u64) {
        if self.may_change(number, "pause", Phase::Running) {
            if !self.preempts {
                self.check_change(number, "pause");
            }
            self.tally.preemptions += 1;
            let mut estimate = 0;
            let penalty = self.penalty;
            self.change(number, 0, |job, now| {
                job.phase = Phase::Paused;
                estimate = job.remaining_after_pause(now, penalty);
                job.placement.clear();
            });
            if let Some(limits) = &mut self.limits {
                limits.end(number);
            }
            if self.preempts {
                self.check_preemption(number, PreemptMode::Suspend, estimate);
            }
        }
    }

    /// Changes where a job is and its yield, and all that follows from them.
    fn change(&mut self, number: u64, job_yield: u32, change: impl FnOnce(&mut Job, u64)) {
        if job_yield > Yield::ONE.units() {
            self.fault(Some(number), Rule::YieldAboveOne(job_yield));
        }
        let Some(job) = self.jobs.get_mut(&number) else { return };
        self.usage.remove(&job.placement, job.task_use());
        if let Some(classes) = &mut self.classes {
            classes.remove(number, &job.placement, job.job_yield);
        }
        if let Some(due) = job.due {
            self.due.remove(&(due, number));
        }
        change(job, self.now);
        job.set_yield(self.now, job_yield.min(Yield::ONE.units()));
        self.usage.add(&job.placement, job.task_use(), self.line, number);
        if let Some(classes) = &mut self.classes {
            classes.add(number, &job.placement, job.job_yield, self.line);
        }
        if let Some(due) = job.due {
            self.due.insert((due, number));
        }
    }

    fn summary(&mut self, claimed: &Figures, objectives: Option<&Objectives>) {
        self.settle();
        for (number, rule) in self.links.missing() {
            self.faults.push(Fault { line: self.line, at: None, job: Some(number), rule });
        }
        for (number, phase) in self.jobs.iter().map(|(&number, job)| (number, job.phase)) {
            let rule = Rule::Unfinished { phase };
            self.faults.push(Fault { line: self.line, at: None, job: Some(number), rule });
        }
        let mut figures = self
            .tally
            .figures(self.classes.as_ref().map_or_else(|| f64::from(self.nodes), Classes::capacity));
        let makespan = figures.makespan_us;
        figures.platform =
            self.platform.as_ref().map(|platform| platform.figures(self.nodes, makespan, self.tally.work()));
        if claimed.platform.is_some() != figures.platform.is_some() {
            self.fault(None, Rule::PlatformFigures);
        }
        let of_objectives = objectives.map(|objectives| self.tally.objectives.differences(objectives));
        for rule in claimed.differences(&figures).into_iter().chain(of_objectives.into_iter().flatten()) {
            self.fault(None, rule);
        }
        self.report = Some(Report {
            policy: self.policy.clone(),
            nodes: self.nodes,
            penalty: SimSpan::from_micros(self.penalty),
            lines: self.line,
            jobs: self.tally.submitted,
            completed: figures.completed,
            rejected: figures.rejected,
            peak_jobs: self.peak_jobs,
            peak_cpu: self.usage.peak_cpu(),
            peak_memory: self.usage.peak_memory(),
            end: SimTime::from_micros(self.now),
            makespan: SimSpan::from_micros(figures.makespan_us),
            max_stretch: figures.max_stretch,
            tau: self.tally.tau,
            max_bounded_stretch: figures.max_bounded_stretch,
            utilisation: figures.utilisation,
            preemptions: figures.preemptions,
            migrations: figures.migrations,
            migrated_tasks: figures.migrated_tasks,
            platform: figures.platform,
            not_judged: match &self.check {
                Some(check) => check.not_judged(),
                None => Some(match &self.options {
                    Some(options) => format!("decisions with {options}"),
                    None => "decisions".to_owned(),
                }),
            },
        });
    }

    /// The report, if there was no fault.
    ///
    /// # Errors
    /// Every rule that was broken, [`Rule::NoSummary`] if the last record is missing.
    pub fn finish(mut self) -> Result<Report, Faults> {
        if self.report.is_none() {
            self.line += 1;
            self.settle();
            self.fault(None, Rule::NoSummary);
        }
        self.report.filter(|_| self.faults.count() == 0).ok_or(self.faults)
    }
}
