//! Readers of the past, the state and the system of a forecast.

use super::times::{At, Users};
use super::{Forecast, failure};
use crate::arguments::WorkloadArguments;
use crate::commands::simulate::System;
use crate::failure::Failure;
use crate::output::{counted, notice, print_account};
use dfrsim_cluster::{Followers, Options, SummaryOptions};
use dfrsim_forecast::schedule::Schedule;
use dfrsim_forecast::state::{self, Fault, NodeStates, State, StateSnapshot};
use dfrsim_model::site::SiteSettings;
use dfrsim_model::{Dependencies, Job, JobId, Seed, SimSpan, SimTime, read_text_file};
use dfrsim_policies::{PolicyOptions, Setup};
use dfrsim_workload::feedback::Submission;
use dfrsim_workload::formats::slurm;
use dfrsim_workload::log::{Header, Naming, Record, Whole};
use rustc_hash::{FxHashMap, FxHashSet};
use std::iter;
use std::path::Path;
use std::sync::Arc;

/// Schedule of a log, and the rules under which snapshots of it are simulated.
pub(super) struct Past {
    /// Rules of the simulations.
    pub(super) setup: Setup,
    pub(super) schedule: Schedule,
    /// Jobs whose simulation made the schedule; empty if it was recorded.
    pub(super) simulated: Vec<Linked>,
    /// Unix time of second 0 of the schedule, if the log has it.
    pub(super) origin: Option<i64>,
    /// Numbers of the users by name, if the log has names.
    pub(super) users: Users,
    /// State from a file.
    pub(super) state: Option<StateSnapshot>,
    /// Hypothetical jobs of `--submit`, as the listing of a site describes jobs.
    pub(super) submitted: FxHashMap<JobId, Job>,
}

/// Job with its dependencies.
type Linked = (Job, Option<Dependencies>);

/// State of a site, and the jobs that were added to the listing of its history.
#[derive(Default)]
struct OfSite {
    state: Option<State>,
    /// Numbers of the hypothetical jobs.
    submitted: Vec<JobId>,
}

/// First number of the hypothetical jobs in the listing of a site.
pub(super) const NOT_IN_QUEUE: u64 = 900_000_000_000;

impl Forecast {
    /// Reads the log, the state and the system, and simulates the log under the policy unless the
    /// recorded starts are taken.
    pub(super) fn read(&mut self) -> Result<Past, Failure> {
        self.system.check_options()?;
        self.system.refuse_intensity()?;
        let mut of_site = OfSite::default();
        let read = |workload: &WorkloadArguments| self.read_site(workload, &mut of_site);
        let mut workload = self.workload.clone();
        let (system, whole) = match self.system.read_site(&mut workload, self.policy, read)? {
            Some((system, whole)) => (system, Some(whole)),
            None => (self.system.read_platform(&mut workload, self.policy)?, None),
        };
        self.workload = workload;
        let (path, opened, nodes) = self.workload.open(whole)?;
        self.workload.check_unit(&path, &opened)?;
        let header = opened.header().clone();
        let system = self.system.with_priorities(system, self.policy, &header)?;
        let is_unequal = system.unequal.is_some();
        if is_unequal && self.recorded {
            return Err(Failure::input(
                "--recorded: a log does not say on which nodes its jobs ran, and these nodes are not equal",
            ));
        }
        if is_unequal && self.state.is_some() && !self.system.is_site() {
            return Err(Failure::input(
                "--state: its jobs name nodes of a Slurm site; give its --slurm-conf instead of --platform",
            ));
        }
        let opened = if system.settings.is_some() { opened.with_origins() } else { opened };
        let opened = if system.has_dependencies { opened.with_dependencies() } else { opened };
        let collected = opened.with_jobs(|jobs| iter::from_fn(|| jobs.next_with_record()).collect());
        let (pairs, report): (Vec<(Job, Record)>, _) =
            collected.map_err(|error| self.workload.log.failure(&error))?;
        print_account(&path, &report.account().summary());
        if pairs.is_empty() {
            return Err(self.workload.log.no_jobs(&path));
        }
        let without = pairs.iter().filter(|(job, _)| job.requested_time.is_none()).count();
        if without > 0 {
            notice!(
                "{}: notice: {without} of {} jobs have no requested time (field 9): the policy knows the run times that are drawn",
                path.display(),
                pairs.len()
            );
        }
        let links = system.has_dependencies.then(|| Submission::Holds.links(&pairs)).flatten();
        links.iter().for_each(|links| notice!("{}: {}", path.display(), links.counts));
        let links = links.map(|links| links.preceding);
        let setup = self.setup(system, (nodes, &header), &pairs)?;
        let users = header.names(Naming::User).map(|(number, name)| (name.to_owned(), number)).collect();
        let mut past = Past {
            setup,
            schedule: Schedule::default(),
            simulated: Vec::new(),
            origin: header.unix_start_time(),
            users,
            state: None,
            submitted: FxHashMap::default(),
        };
        if let (Some(file), false) = (&self.state, self.system.is_site()) {
            if past.setup.site.is_some() {
                notice!(
                    "{}: notice: its jobs count without account, quality of service and partition, which --slurm-conf reads",
                    file.display()
                );
            }
            let jobs = pairs.into_iter().map(|(job, record)| (job, record.wait)).collect();
            past.schedule = recorded(&path, self.read_state(file, jobs, &mut past)?, nodes);
            return Ok(past);
        }
        if self.recorded {
            let jobs = pairs.into_iter().map(|(job, record)| (job, record.wait)).collect();
            past.schedule = recorded(&path, jobs, nodes);
            return Ok(past);
        }
        let links = links.unwrap_or_else(|| vec![None; pairs.len()]);
        let jobs = pairs.into_iter().map(|(job, _)| job).zip(links).collect();
        let jobs = self.take_present(of_site, jobs, &mut past)?;
        let (first, followers) = Followers::split(jobs.iter().cloned());
        let setup = without_usage(&past.setup, self.state.is_some());
        past.schedule = Schedule::simulate(&setup, first, followers).map_err(failure)?;
        past.simulated = jobs;
        Ok(past)
    }

    /// Assembles the rules of the simulations.
    fn setup(
        &self,
        system: System,
        (nodes, header): (u32, &Header),
        pairs: &[(Job, Record)],
    ) -> Result<Setup, Failure> {
        let options = Options {
            estimates: self.estimates,
            overrun: self.overrun,
            seed: Seed::new(self.workload.seed),
            texts: header.texts.clone(),
            ..Options::default()
        };
        let last = pairs.last().map_or(SimTime::ZERO, |(job, _)| job.submit);
        let conditions = self.system.conditions(system, self.policy, nodes, (last, self.workload.seed))?;
        let policy = (self.policy, PolicyOptions::default());
        Ok(Setup::new(policy, nodes, conditions, options, SummaryOptions::new(nodes)))
    }

    /// Reads the listing of a site, with the jobs of the state and those of `--submit` added to
    /// it.
    fn read_site(&self, workload: &WorkloadArguments, found: &mut OfSite) -> Result<Whole, Failure> {
        let path = workload.path()?;
        let (mut present, mut at) = (Vec::new(), self.at.and_then(At::date));
        if let Some(file) = &self.state {
            if self.at.is_some() && at.is_none() {
                return Err(Failure::input("--at: with --slurm-conf and --state, give a date"));
            }
            let text = read_text_file(file).map_err(|error| Failure::in_file(file, error))?;
            let state = state::read(&text, at, false).map_err(|faults| in_state(file, &faults))?;
            at = Some(state.at);
            present = state.listed().map_err(|faults| in_state(file, &faults))?;
            found.state = Some(state);
        }
        if !self.submissions.is_empty() {
            let Some(at) = at else {
                return Err(Failure::input("--at: with --slurm-conf and --submit, give a date"));
            };
            for (number, wanted) in (NOT_IN_QUEUE..).zip(&self.submissions) {
                found.submitted.push(JobId(number));
                present.push(wanted.listed(number, at).map_err(Failure::input)?);
            }
        }
        if present.is_empty() {
            return workload.log.read_whole(&path);
        }
        let strictness = workload.log.options().lines;
        let (whole, same) =
            slurm::read_with(&path, strictness, &present).map_err(|error| workload.log.failure(&error))?;
        if same > 0 {
            notice!(
                "{}: notice: jobs of the history that are in the state, and not in its past: {same}",
                path.display()
            );
        }
        Ok(whole)
    }

    /// Removes the jobs of the state and those of `--submit` from the jobs of a site's log, and
    /// keeps them apart.
    fn take_present(
        &self,
        of_site: OfSite,
        jobs: Vec<Linked>,
        past: &mut Past,
    ) -> Result<Vec<Linked>, Failure> {
        let OfSite { state, submitted } = of_site;
        let of_state = state.iter().flat_map(|state| &state.jobs);
        let of_state: FxHashSet<JobId> =
            of_state.filter_map(|job| job.name.parse().ok().map(JobId)).collect();
        let (mut present, mut history) = (FxHashMap::default(), Vec::new());
        for (job, after) in jobs {
            if of_state.contains(&job.id) {
                present.insert(job.id, job);
            } else if submitted.contains(&job.id) {
                past.submitted.insert(job.id, job);
            } else {
                history.push((job, after));
            }
        }
        if let (Some(state), Some(file)) = (state, &self.state) {
            let Some(nodes) = past.setup.options.unequal.clone() else { return Ok(history) };
            let origin = past.origin.unwrap_or_default();
            let found = state.snapshot_of_site(&present, &nodes.classes, origin);
            let mut found = found.map_err(|faults| in_state(file, &faults))?;
            found.snapshot.memory = past.setup.memory_of_usage(found.snapshot.first_decision());
            let before: FxHashSet<_> = history.iter().filter_map(|(job, _)| job.user).collect();
            let users: FxHashSet<_> = found.snapshot.jobs().filter_map(|(job, _)| job.user).collect();
            found.unknown_users = users.difference(&before).count();
            tell_state(file, &state, &found, 0);
            if let Some(file) = &self.node_states {
                let text = read_text_file(file).map_err(|error| Failure::in_file(file, error))?;
                let nodes = NodeStates::read(&text, nodes.classes.hosts());
                let nodes = nodes.map_err(|faults| in_state(file, &faults))?;
                notice!(
                    "{}: {} down, {} drained, on which jobs end and none start",
                    file.display(),
                    counted(nodes.down.len(), "node"),
                    nodes.drained.len()
                );
                let at = found.snapshot.first_decision();
                let outages = nodes.outages(at, past.setup.options.outages.as_deref());
                let lets_jobs_end = past.setup.policy.lets_jobs_end();
                let outages = if lets_jobs_end { outages } else { outages.without_drains() };
                past.setup.options.outages = Some(Arc::new(outages));
            }
            past.state = Some(found);
            // Dependencies on jobs of the state are part of the state.
            let known: FxHashSet<JobId> = history.iter().map(|(job, _)| job.id).collect();
            history.iter_mut().for_each(|(_, after)| {
                let others =
                    after.iter().flat_map(|it| it.jobs.iter().chain(it.starts.iter().map(|it| &it.0)));
                if { others }.any(|other| !known.contains(other)) {
                    *after = None;
                }
            });
        }
        Ok(history)
    }

    /// Reads the state of a running system, and returns the jobs of its history: the jobs of
    /// the log that are not in the state, with times relative to the earlier beginning of the
    /// two.
    fn read_state(
        &self,
        file: &Path,
        mut jobs: Vec<(Job, Option<SimSpan>)>,
        past: &mut Past,
    ) -> Result<Vec<(Job, Option<SimSpan>)>, Failure> {
        let text = read_text_file(file).map_err(|error| Failure::in_file(file, error))?;
        let Some(start) = past.origin else {
            return Err(Failure::input(
                "--state: the log has no UnixStartTime, so that its times cannot be compared",
            ));
        };
        let at = self.at.map(|at| at.unix(start));
        let has_processors = self.workload.is_of_processors();
        let state = state::read(&text, at, has_processors).map_err(|faults| in_state(file, &faults))?;
        let origin = start.min(state.earliest());
        let later = SimSpan::from_secs(start.abs_diff(origin));
        let present: FxHashSet<JobId> =
            state.jobs.iter().filter_map(|job| job.name.parse().ok().map(JobId)).collect();
        let before = jobs.len();
        jobs.retain(|(job, _)| !present.contains(&job.id));
        jobs.iter_mut().for_each(|(job, _)| job.submit = job.submit.saturating_add(later));
        let found = state.snapshot(past.setup.nodes, origin, &past.users);
        let mut found = found.map_err(|faults| in_state(file, &faults))?;
        found.snapshot.memory = past.setup.memory_of_usage(found.snapshot.first_decision());
        tell_state(file, &state, &found, before - jobs.len());
        past.origin = Some(origin);
        past.state = Some(found);
        Ok(jobs)
    }
}

/// Returns the rules under which the history of a state is simulated: without the usage of the
/// settings, which is that at the time of the state.
fn without_usage(setup: &Setup, has_state: bool) -> Setup {
    let without = |site: &Arc<SiteSettings>| {
        let mut settings = SiteSettings::clone(site);
        settings.accounts.iter_mut().for_each(|account| account.usage_s = 0);
        Arc::new(settings)
    };
    let site = setup.site.as_ref().filter(|_| has_state).map(without);
    Setup { site: site.or_else(|| setup.site.clone()), ..setup.clone() }
}

/// Converts the errors of a state to a failure.
fn in_state(file: &Path, faults: &[Fault]) -> Failure {
    let lines: Vec<String> = faults.iter().map(|fault| format!("{}: {fault}", file.display())).collect();
    Failure::input(lines.join("\n"))
}

/// Prints a summary of a state, and what was assumed. `same` is the number of jobs of the history
/// that are in the state.
fn tell_state(file: &Path, state: &State, found: &StateSnapshot, same: usize) {
    notice!(
        "{}: {} running and {} waiting, {} held, {} that have ended, {}",
        file.display(),
        counted(found.snapshot.running.len(), "job"),
        found.snapshot.waiting.len(),
        found.held.len(),
        state.counts.ended,
        counted(state.counts.steps, "step")
    );
    let told = [
        (
            state.counts.without_submit,
            "jobs without a submission, assumed to be submitted at their start or now",
        ),
        (state.counts.unlimited, "jobs without a time limit, planned for a year"),
        (found.unknown_users, "users without a job in the history"),
        (found.fulfilled, "dependencies on jobs that are not in the state, taken for fulfilled"),
        (same, "jobs of the history that are in the state, and not in its past"),
    ];
    for (count, what) in told.into_iter().filter(|(count, _)| *count > 0) {
        notice!("{}: notice: {what}: {count}", file.display());
    }
}

/// Creates the schedule of the recorded starts of a log.
fn recorded(path: &Path, jobs: Vec<(Job, Option<SimSpan>)>, nodes: u32) -> Schedule {
    let count = jobs.len();
    let started: Vec<(Job, SimSpan)> =
        jobs.into_iter().filter_map(|(job, wait)| Some((job, wait?))).collect();
    let left_out = count - started.len();
    let (schedule, without_room) = Schedule::recorded(started, nodes);
    let told = [
        (left_out, "jobs without a recorded wait, left out"),
        (
            without_room,
            "jobs that the log has running where too few nodes are left, not simulated while they run",
        ),
    ];
    for (count, what) in told.into_iter().filter(|(count, _)| *count > 0) {
        notice!("{}: notice: {what}: {count}", path.display());
    }
    schedule
}
