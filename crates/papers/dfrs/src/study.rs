//! The study: instances x (settings x taus) -> rows.

use crate::audited::Audited;
use crate::groups::Matrix;
use crate::instance::{self, Predecessors, RawInstance, ReadLog, RecordedWaits, raw_instances};
use crate::measured::{Measurements, Submissions};
use crate::own::{DepartedJobs, OwnMetric};
use crate::platform::{self, unequal, unequal_of_priorities};
use crate::rows::SimulationRow;
use crate::scenario::{Online, Simulation, Source, Workload};
use crate::setting::{Setting, SiteChoice, SiteIndex, settings};
use crate::waits::{OtherWaits, RunWaits, Waits};
use crate::{claims, drawings, tables};
use dfrsim_audit::Faults;
use dfrsim_bound::{
    clairvoyant_stretch, max_stretch_bound, max_stretch_bound_on, max_stretch_bound_with_penalties,
};
use dfrsim_cluster::{
    CommonMetrics, Conditions, DeviceMetrics, EnergyMetrics, EstimateModel, Followers, Metrics, Options,
    Overrun, SimulationError, SummaryOptions, Weights,
};
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::{
    Audit, Claim, Drawing, Failure, Input, InstanceId, KeyBuilder, Labels, Long, NamedTable, Prepared, Role,
    Row as _, RunContext, RunError, Status, Study, Unfinished,
};
use dfrsim_model::platform::Outages;
use dfrsim_model::platform::classes::{Misfits, UnequalNodes};
use dfrsim_model::platform::common::CommonResource;
use dfrsim_model::platform::file::ClusterNodes;
use dfrsim_model::site::SiteSettings;
use dfrsim_model::{Job, JobTexts, Seed, SimSpan, SimTime};
use dfrsim_policies::{Policy, PolicyOptions, Setup};
use dfrsim_workload::log::Header;
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// The on-line study of a scenario, with its logs already read.
pub struct OnlineStudy {
    scenario: Scenario<Online>,
    settings: Vec<Setting>,
    parts: Vec<RawInstance>,
    logs: Vec<ReadLog>,
    /// Nodes and priorities of each workload.
    workload_setups: Vec<WorkloadSetup>,
    /// Notices about the power of nodes, and about jobs of logs that no node can hold.
    notices: Vec<String>,
}

/// Index of the nodes of an instance: those of its workload, or those that a `priority` table
/// substitutes for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ClusterIndex(usize);

impl ClusterIndex {
    /// Nodes of the workload.
    const OF_WORKLOAD: ClusterIndex = ClusterIndex(0);
}

/// Nodes and priorities of a workload.
struct WorkloadSetup {
    /// The workload's nodes, if they differ, followed by those that priorities substitute for them.
    nodes: Vec<Option<Arc<UnequalNodes>>>,
    /// For each of the scenario's `priority` tables, its settings with the numbers of the log, and
    /// the index of its nodes.
    sites: Vec<(Arc<SiteSettings>, ClusterIndex)>,
}

/// A week, log or trace.
pub struct Instance {
    jobs: Arc<[Job]>,
    /// The predecessor of each job, if users wait for their jobs.
    predecessors: Option<Predecessors>,
    /// Waits that the log records, if there are any.
    recorded: Option<Arc<RecordedWaits>>,
    /// Settings of each of the scenario's `priority` tables.
    sites: Vec<Arc<SiteSettings>>,
    /// The workload's nodes, followed by those that priorities substitute for them.
    clusters: Vec<Cluster>,
    /// Mean time for which jobs are held, and the number of jobs that are not, as the series does not cover
    /// their estimates; `None` if no job may be held.
    held: Option<(SimSpan, u64)>,
    /// Measurements of each setting for all taus, or its failure. They are computed for the first
    /// tau that needs them.
    summaries: Vec<OnceLock<Result<Box<Measurements>, Failure>>>,
}

/// The nodes of an instance.
struct Cluster {
    nodes: u32,
    /// Differences between the nodes, if there are any.
    unequal: Option<Arc<UnequalNodes>>,
    /// Times when nodes are down, if they ever are.
    outages: Option<Arc<Outages>>,
    /// Lower bound for each tau, computed when it is first needed.
    bounds: Vec<OnceLock<f64>>,
    /// For each tau and penalty, the lower bound that accounts for penalties and the stretch of a
    /// clairvoyant schedule.
    reached: Vec<OnceLock<Option<(f64, f64)>>>,
}

impl Cluster {
    /// Computes the lower bound on the largest bounded stretch of jobs on these nodes.
    fn stretch_bound(&self, jobs: &[Job], tau: SimSpan) -> f64 {
        match &self.unequal {
            None => max_stretch_bound(jobs, self.nodes, tau).value,
            Some(unequal) => max_stretch_bound_on(jobs, unequal, tau),
        }
    }
}

/// A setting, measured with one tau.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    setting: usize,
    tau: usize,
    workload: usize,
}

impl OnlineStudy {
    fn workload(&self, at: usize) -> &Workload {
        &self.scenario.workloads[self.parts[at].workload]
    }
    fn setting(&self, variant: &Variant) -> &Setting {
        &self.settings[variant.setting]
    }
    fn tau(&self, variant: &Variant) -> SimSpan {
        self.scenario.simulation.taus[variant.tau]
    }

    /// Returns the texts of jobs in the log of a workload.
    fn texts(&self, workload: usize) -> Option<&Arc<JobTexts>> {
        self.logs.iter().find(|log| log.workload == workload)?.header.texts.as_ref()
    }
    fn node_memory_gb(&self, variant: &Variant) -> f64 {
        self.scenario.workloads[variant.workload].node_memory_gb
    }
    /// Returns the settings of the site of a variant and the index of its cluster.
    fn site(&self, variant: &Variant) -> (Option<&Arc<SiteSettings>>, ClusterIndex) {
        match &self.setting(variant).site {
            Some(SiteChoice { index: SiteIndex(index), .. }) => {
                let (settings, nodes) = &self.workload_setups[variant.workload].sites[*index];
                (Some(settings), *nodes)
            }
            None => (None, ClusterIndex::OF_WORKLOAD),
        }
    }

    /// Returns the lower bound for the tau of this index, computing it if necessary.
    fn bound(&self, instance: &Instance, cluster: ClusterIndex, tau: usize) -> f64 {
        if !self.scenario.bounded {
            return 1.0;
        }
        let cluster = &instance.clusters[cluster.0];
        *cluster.bounds[tau].get_or_init(|| {
            let jobs = with_actual_run_times(&instance.jobs, &self.settings[0].options);
            cluster.stretch_bound(&jobs, self.scenario.simulation.taus[tau])
        })
    }

    /// Returns the lower bound that accounts for penalties and the stretch reached with full
    /// knowledge of run times, for the tau of this index; `None` if the scenario does not request
    /// them or they cannot be computed.
    fn penalty_bounds(
        &self,
        instance: &Instance,
        cluster: ClusterIndex,
        tau: usize,
        penalty: SimSpan,
    ) -> Option<(f64, f64)> {
        let Cluster { nodes, unequal, reached, .. } = &instance.clusters[cluster.0];
        if !self.scenario.clairvoyant || instance.predecessors.is_some() || unequal.is_some() {
            return None;
        }
        let simulation = &self.scenario.simulation;
        let place = simulation.penalties.iter().position(|&it| it == penalty)?;
        *reached[tau * simulation.penalties.len() + place].get_or_init(|| {
            let jobs = with_actual_run_times(&instance.jobs, &self.settings[0].options);
            let (bound, tau) = (self.bound(instance, cluster, tau), simulation.taus[tau]);
            let counted = max_stretch_bound_with_penalties(&jobs, *nodes, penalty, tau, bound);
            Some((counted, clairvoyant_stretch(&jobs, *nodes, penalty, tau, bound).ok()?))
        })
    }

    /// Simulates a variant and returns its measurements.
    fn simulate(
        &self,
        instance: &Instance,
        variant: &Variant,
        audit: bool,
    ) -> Result<Box<Measurements>, Failure> {
        let faulty = |faults: &Faults| Failure::invalid(format_args!("audit: {faults}"));
        let Setting { policy, parameters, options, interruption, .. } = self.setting(variant);
        let (_, ClusterIndex(cluster)) = self.site(variant);
        let cluster = &instance.clusters[cluster];
        let site = self.setting(variant).site.as_ref().map(|site| Arc::clone(&instance.sites[site.index.0]));
        if options.clock.is_some() && (cluster.outages.is_some() || cluster.unequal.is_some()) {
            return Err(Failure::failed("a coarse clock cannot be simulated with outages or unequal nodes"));
        }
        let of_setting = |outages: &Arc<Outages>| match interruption {
            Some(rule) if outages.interruption != *rule => {
                Arc::new(Outages { interruption: *rule, ..Outages::clone(outages) })
            }
            _ => Arc::clone(outages),
        };
        let outages = cluster.outages.as_ref().map(of_setting);
        let conditions = Conditions { outages, unequal: cluster.unequal.clone(), site };
        let texts = self.texts(variant.workload).cloned();
        let parameters = PolicyOptions { node_memory_gb: self.node_memory_gb(variant), ..*parameters };
        let simulation = &self.scenario.simulation;
        let figures = SummaryOptions {
            taus: simulation.taus.clone(),
            warm_up: simulation.warm_up,
            cool_down: simulation.cool_down,
            weights: simulation.weights(),
            ..SummaryOptions::new(cluster.nodes)
        };
        let options = Options { texts, ..options.clone() };
        let setup = Setup::new((*policy, parameters), cluster.nodes, conditions, options, figures);
        let audited = audit.then(|| Audited::new(&setup)).transpose().map_err(|faults| faulty(&faults))?;
        let metrics = Metrics::new(setup.figures.clone());
        let submissions = instance.predecessors.as_ref().map(|_| Submissions::default());
        let waits = (!self.scenario.waits_by.is_empty()).then(Waits::default);
        let left = (!self.scenario.metrics.is_empty()).then(DepartedJobs::default);
        let nodes = setup.options.unequal.as_ref();
        let devices = nodes.and_then(|nodes| DeviceMetrics::new(&nodes.classes));
        let energy = nodes.and_then(|nodes| EnergyMetrics::new(&nodes.classes));
        let common = nodes.and_then(|nodes| CommonMetrics::new(&nodes.classes));
        let mut watchers = ((metrics, audited), ((submissions, (devices, (energy, common))), (waits, left)));
        let jobs = instance.jobs.iter().cloned();
        match &instance.predecessors {
            None => setup.simulate(jobs, Followers::default(), &mut watchers),
            Some(preceded) => {
                let (first, followers) = Followers::split(jobs.zip(preceded.iter().cloned()));
                setup.simulate(first, followers, &mut watchers)
            }
        }
        .map_err(failure)?;
        let ((metrics, audited), ((submissions, (devices, (energy, common))), (waits, left))) = watchers;
        if let Some((first, last)) = energy.as_ref().and_then(EnergyMetrics::uncovered) {
            let file = self.scenario.workloads[variant.workload].intensity.as_ref();
            let file = file.map_or("the series", |file| file.given.as_str());
            return Err(Failure::failed(format_args!(
                "intensity: {file} does not cover the run, which lasts from {first} to {last} s"
            )));
        }
        if let Some(audited) = audited {
            audited.verdict().map_err(|faults| faulty(&faults))?;
        }
        let summary = metrics.summary().ok_or_else(|| nothing_to_count(&metrics, instance.jobs.len()))?;
        let bound = |jobs: &[Job], tau| cluster.stretch_bound(jobs, tau);
        let bounds = submissions.filter(|_| self.scenario.bounded);
        let bounds = bounds.map(|jobs| jobs.bounds(bound, &simulation.taus));
        let header = self.logs.iter().find(|log| log.workload == variant.workload).map(|log| &log.header);
        // Changes are those from the first setting, over the jobs that ran in both.
        let is_first = variant.setting == FIRST_SETTING;
        let of_first =
            waits.as_ref().filter(|_| !is_first).and_then(|_| self.first_waits(instance, variant, audit));
        let others = OtherWaits { first: of_first, recorded: instance.recorded.as_deref() };
        let of_jobs = waits.as_ref().filter(|_| is_first).map(Waits::of_jobs);
        let waits = waits.map(|waits| waits.json(&self.scenario.waits_by, header, others));
        let own = left.map(|left| OwnMetric::compute_all(&self.scenario.metrics, &left)).transpose();
        let own = own.map_err(Failure::failed)?;
        let devices = devices.and_then(|mut devices| devices.figures());
        let sleep = energy.as_ref().and_then(EnergyMetrics::sleep_figures);
        let energy = energy.and_then(|energy| energy.figures());
        let common = common.map(|common| common.figures()).filter(|figures| !figures.is_empty());
        let common =
            common.map(|figures| serde_json::to_string(&figures)).transpose().map_err(Failure::failed)?;
        let summary = Measurements { summary, bounds, waits, of_jobs, own, devices, energy, sleep, common };
        Ok(Box::new(summary))
    }

    /// Returns the waits with the first setting of the scenario, which is simulated if it has not
    /// been; `None` if its simulation failed.
    fn first_waits<'a>(
        &self,
        instance: &'a Instance,
        variant: &Variant,
        audit: bool,
    ) -> Option<&'a RunWaits> {
        let first = Variant { setting: FIRST_SETTING, ..*variant };
        let measured =
            instance.summaries[FIRST_SETTING].get_or_init(|| self.simulate(instance, &first, audit));
        measured.as_ref().ok()?.of_jobs.as_ref()
    }
}

/// Index of the setting with which waits are compared.
const FIRST_SETTING: usize = 0;

/// Describes a simulation without any job that counts. That all jobs are rejected is a result, not a
/// failure.
fn nothing_to_count(metrics: &Metrics, jobs: usize) -> Failure {
    match metrics.rejected() {
        rejected if rejected == jobs as u64 => {
            Failure::new(Status::Infeasible, format_args!("all {jobs} jobs were rejected"))
        }
        rejected => {
            Failure::failed(format_args!("no job is left to count; {rejected} of {jobs} were rejected"))
        }
    }
}

/// Returns an error if a policy chooses nodes by their power, and that of a workload's platform is unknown.
fn refuse_unknown_power(
    scenario: &Scenario<Online>,
    workload: &Workload,
    nodes: Option<&UnequalNodes>,
) -> Result<(), RunError> {
    let of_sweeps = scenario.sweeps.iter().flat_map(|sweep| &sweep.policies);
    let mut policies = scenario.policies.iter().chain(of_sweeps);
    let needs_power =
        |policy: &&Policy| matches!(policy, Policy::Batch(batch) if batch.place.depends_on_power());
    match policies.find(needs_power) {
        Some(policy) if nodes.is_none_or(|nodes| nodes.classes.power().is_none()) => {
            Err(RunError::input(format_args!(
                "workload `{}`: {policy} needs the power of nodes; expected a platform with `power` in each class",
                workload.name
            )))
        }
        _ => Ok(()),
    }
}

/// Returns an error if policies are to know the times that users requested, but some jobs have none:
/// their exact run times are not a substitute, since nobody knew them.
fn refuse_unknown_requests(scenario: &Scenario<Online>, parts: &[RawInstance]) -> Result<(), RunError> {
    if scenario.simulation.estimates != EstimateModel::Requested {
        return Ok(());
    }
    for (place, workload) in scenario.workloads.iter().enumerate() {
        let own: Vec<&[Job]> =
            parts.iter().filter(|part| part.workload == place).map(RawInstance::log_jobs).collect();
        let jobs = || own.iter().copied().flatten();
        let without = jobs().filter(|job| job.requested_time.is_none_or(SimSpan::is_zero)).count();
        let reason = match &workload.source {
            Source::Lublin(_) => "jobs of the Lublin model have no requested time".to_owned(),
            _ if without > 0 => format!("{without} of {} jobs have no requested time", jobs().count()),
            _ => continue,
        };
        return Err(RunError::input(format_args!(
            "workload `{}`: {reason}, so estimates = \"requested\" is not possible; \"requested-or-exact\" gives policies the exact run \
             times of these jobs, and \"none\" gives no estimates",
            workload.name
        )));
    }
    Ok(())
}

/// Describes the jobs of each log that the nodes of its workload, or those of a `priority` table,
/// cannot hold.
fn misfits(scenario: &Scenario<Online>, parts: &[RawInstance], setups: &[WorkloadSetup]) -> Vec<String> {
    let mut notices = Vec::new();
    for (place, (workload, setup)) in scenario.workloads.iter().zip(setups).enumerate() {
        let own = |part: &&RawInstance| part.workload == place && part.is_of_log();
        for (index, nodes) in setup.nodes.iter().enumerate() {
            let Some(nodes) = nodes else { continue };
            let mut misfits = Misfits::default();
            for job in parts.iter().filter(own).flat_map(RawInstance::log_jobs) {
                misfits.add(&nodes.classes, job, &nodes.demand(job));
            }
            let user = setup.sites.iter().position(|(_, ClusterIndex(at))| *at == index);
            let name = match user.filter(|_| index > 0) {
                Some(site) => format!("{}, {}", workload.name, scenario.priorities[site].name),
                None => workload.name.clone(),
            };
            notices.extend(
                misfits.lines(&nodes.classes).iter().map(|line| format!("{name}: {}", line.trim_start())),
            );
        }
    }
    notices
}

/// Returns a notice for each workload with jobs that were not held, as the series of carbon intensities does
/// not cover their estimates.
fn not_held(rows: &Long<SimulationRow>) -> Vec<String> {
    let done = rows.records.iter().filter_map(|record| record.outcome.as_ref().ok());
    let counts = done.filter_map(|row| Some(((&row.workload, &row.instance), row.not_held?)));
    let by_instance: BTreeMap<_, u64> = counts.collect();
    let mut by_workload = BTreeMap::new();
    for ((workload, _), count) in by_instance {
        *by_workload.entry(workload).or_insert(0) += count;
    }
    let some = by_workload.into_iter().filter(|(_, count)| *count > 0);
    some.map(|(workload, count)| {
        format!("{workload}: defer: {count} jobs are not held: the series of intensities does not cover their estimates")
    })
    .collect()
}

/// Returns whether the amounts that the whole cluster has never change, nor does the carbon intensity or
/// the price of energy.
fn has_constant_amounts(nodes: &UnequalNodes) -> bool {
    nodes.classes.common().iter().all(CommonResource::is_constant)
        && nodes.classes.power().is_none_or(|power| power.series.is_none())
}

/// Moves the reservations of a site by a time in whole seconds.
fn moved(settings: Arc<SiteSettings>, by: SimSpan) -> Arc<SiteSettings> {
    if by.is_zero() || settings.reservations.is_empty() {
        return settings;
    }
    let seconds = by.micros() / 1_000_000;
    let mut settings = SiteSettings::clone(&settings);
    for it in &mut settings.reservations {
        it.from_s = it.from_s.saturating_add(seconds);
        it.until_s = it.until_s.saturating_add(seconds);
    }
    Arc::new(settings)
}

fn failure(error: SimulationError) -> Failure {
    let status = match error {
        SimulationError::Violation(_) => Status::Violation,
        SimulationError::Stuck { .. } => Status::Stalled,
        SimulationError::InvalidJob(_)
        | SimulationError::NeverFollows { .. }
        | SimulationError::BeyondRange(_)
        | SimulationError::WakesItself { .. }
        | SimulationError::Outages(_)
        | SimulationError::Unequal(_)
        | SimulationError::Beginning(_)
        | SimulationError::Policy { .. } => Status::Failed,
    };
    Failure::new(status, error)
}

/// Returns the jobs with their actual run times: those that will be killed end at their estimates.
fn with_actual_run_times<'a>(jobs: &'a [Job], options: &Options) -> Cow<'a, [Job]> {
    if options.overrun == Overrun::Extend {
        return Cow::Borrowed(jobs);
    }
    let cut = |job: &Job| {
        let estimate = options.estimates.estimate(job, options.seed).unwrap_or(SimSpan::MAX);
        Job { run_time: job.run_time.min(estimate), ..job.clone() }
    };
    Cow::Owned(jobs.iter().map(cut).collect())
}

impl Study for OnlineStudy {
    const NAME: &'static str = "online";
    const TITLE: &'static str =
        "Policies on weeks of logs and synthetic traces (Stillwell 2010, chapters 5 and 6)";
    const SEMANTICS: u32 = 4;
    const AUDIT: Audit = Audit::Optional;
    const RUNS: &'static str = "rows";

    type Fields = Online;
    type Instance = Instance;
    type Variant = Variant;
    type Rows = Long<SimulationRow>;

    /// Returns a lower bound on the bytes that the largest generated trace and its cluster occupy.
    fn memory(scenario: &Scenario<Online>) -> u64 {
        const JOB: u64 = 100;
        const NODE: u64 = 16;
        let of = |workload: &Workload| {
            let jobs = match &workload.source {
                Source::Lublin(traces) => traces.jobs as u64,
                Source::Swf(_) | Source::Batsim(_) | Source::Own(_) => 0,
            };
            JOB * jobs + NODE * u64::from(workload.nodes.get())
        };
        scenario.workloads.iter().map(of).max().unwrap_or(0)
    }
    fn rows_at_least(scenario: &Scenario<Online>) -> u64 {
        let of = |workload: &Workload| match &workload.source {
            Source::Lublin(traces) => u64::from(traces.replications) * traces.loads.len().max(1) as u64,
            Source::Own(traces) => u64::from(traces.replications) * traces.loads.len().max(1) as u64,
            Source::Swf(_) | Source::Batsim(_) => 0,
        };
        let traces = scenario.workloads.iter().map(of).fold(0, u64::saturating_add);
        traces.saturating_mul(settings(scenario).len() as u64)
    }
    fn open(scenario: &Scenario<Online>, inputs: &mut Vec<Input>) -> Result<OnlineStudy, RunError> {
        let (parts, logs) = raw_instances(scenario)?;
        inputs.extend(logs.iter().map(|log| log.input(&scenario.workloads[log.workload])));
        refuse_unknown_requests(scenario, &parts)?;
        let without = Header::default();
        let of_workload = |(place, workload): (usize, &Workload)| {
            let own = unequal(workload, scenario.seed)?;
            refuse_unknown_power(scenario, workload, own.as_deref())?;
            let header = logs.iter().find(|log| log.workload == place).map_or(&without, |log| &log.header);
            let (mut nodes, mut sites) = (vec![own], Vec::new());
            for fields in &scenario.priorities {
                let settings = fields.of_log(header);
                let settings = settings.map_err(|error| {
                    RunError::input(format_args!("workload `{}`: {error}", workload.name))
                })?;
                let others = unequal_of_priorities(fields, workload, nodes[0].as_deref())?;
                let at = if others.is_some() { nodes.len() } else { 0 };
                nodes.extend(others.map(Some));
                sites.push((Arc::new(settings), ClusterIndex(at)));
            }
            Ok(WorkloadSetup { nodes, sites })
        };
        let sites =
            scenario.workloads.iter().enumerate().map(of_workload).collect::<Result<Vec<_>, RunError>>()?;
        let of_power = |workload: &Workload| {
            platform::notes(workload)
                .into_iter()
                .map(|note| format!("{}: {note}", workload.name))
                .collect::<Vec<_>>()
        };
        let of_power = scenario.workloads.iter().flat_map(of_power);
        let notices = of_power.chain(misfits(scenario, &parts, &sites)).collect();
        Ok(OnlineStudy {
            settings: settings(scenario),
            parts,
            logs,
            workload_setups: sites,
            notices,
            scenario: scenario.clone(),
        })
    }
    fn instances(&self) -> Vec<InstanceId> {
        let id = |(at, part): (usize, &RawInstance)| part.id(self.workload(at));
        self.parts.iter().enumerate().map(id).collect()
    }
    fn variants(&self, at: usize) -> Vec<Variant> {
        let workload = self.parts[at].workload;
        let taus = 0..self.scenario.simulation.taus.len();
        let of_setting = |setting| taus.clone().map(move |tau| Variant { setting, tau, workload });
        (0..self.settings.len()).flat_map(of_setting).collect()
    }
    fn prepare(&self, at: usize) -> Result<Prepared<Instance>, Failure> {
        let (part, workload) = (&self.parts[at], self.workload(at));
        let own = &self.workload_setups[part.workload].nodes;
        let mut clusters = Vec::with_capacity(own.len());
        let mut jobs = part.jobs(workload, own[0].as_deref()).map_err(Failure::failed)?;
        let preceded = part.predecessors();
        let sites = &self.workload_setups[part.workload].sites;
        let shift = match own.iter().flatten().all(|nodes| has_constant_amounts(nodes)) {
            true => part.shift(sites.iter().map(|(settings, _)| settings)),
            // Amounts that change with time belong to the times of the log.
            false => SimSpan::ZERO,
        };
        let sites = sites.iter().map(|(settings, _)| moved(part.settings(settings), shift)).collect();
        let until = jobs.last().map_or(SimTime::ZERO, |job| job.submit);
        if !shift.is_zero() {
            let submit = |job: &Job| Job { submit: job.submit.saturating_add(shift), ..job.clone() };
            jobs = jobs.iter().map(submit).collect();
        }
        let power = own[0].as_ref().and_then(|nodes| nodes.classes.power());
        let series = power.and_then(|power| power.series.as_deref());
        let held = workload.defer.zip(series).map(|(defer, series)| {
            let Options { estimates, seed, .. } = &self.settings[0].options;
            let estimate = |job: &Job| estimates.estimate(job, *seed);
            let (later, held, counts) = defer.apply(series, *seed, estimate, jobs.iter().cloned());
            jobs = later.into();
            let total: u64 = held.iter().map(|held| held.micros()).sum();
            (SimSpan::from_micros(total / held.len().max(1) as u64), counts.uncovered as u64)
        });
        let mut digests = Vec::new();
        for unequal in own {
            let unequal = unequal.as_ref().map(|nodes| Arc::new(part.unequal(nodes)));
            // The workload's own nodes may be equal; later ones come from priorities and are always
            // unequal.
            let nodes = match (&unequal, clusters.is_empty()) {
                (Some(unequal), false) => unequal.classes.nodes(),
                _ => workload.nodes.get(),
            };
            // Each instance has a random stream of its own, derived from its name.
            let seed = Seed::new(self.scenario.seed).fork("outages").fork(&part.name);
            let fields = self.scenario.outages.as_ref();
            let hosts = unequal.as_ref().map_or(&[][..], |unequal| unequal.classes.hosts());
            // The file of outages names the nodes of the workload's own cluster.
            let of_variant = own[0].as_ref().map_or(&[][..], |nodes| nodes.classes.hosts());
            let cluster = ClusterNodes { nodes, hosts, of_variant };
            let outages = fields.map(|fields| fields.times.outages(cluster, until, seed));
            let outages = outages.transpose().map_err(Failure::failed)?;
            let outages = outages.map(|outages| Arc::new(outages.moved(shift)));
            let (of_nodes, of_outages) = (unequal.as_deref(), outages.as_deref());
            let texts = self.texts(part.workload).map(|it| &**it);
            digests.push(instance::digest(nodes, &jobs, preceded.as_deref(), of_outages, of_nodes, texts));
            let Simulation { taus, penalties, .. } = &self.scenario.simulation;
            let bounds = taus.iter().map(|_| OnceLock::new()).collect();
            let reached = (0..taus.len() * penalties.len()).map(|_| OnceLock::new()).collect();
            clusters.push(Cluster { nodes, unequal, outages, bounds, reached });
        }
        let summaries = self.settings.iter().map(|_| OnceLock::new()).collect();
        let digest = instance::combined_digest(&digests);
        Ok(Prepared {
            instance: Instance {
                jobs,
                predecessors: preceded,
                recorded: part.recorded.clone(),
                sites,
                clusters,
                held,
                summaries,
            },
            digest,
        })
    }
    fn key(&self, variant: &Variant, key: &mut KeyBuilder) {
        let (site, cluster) = self.site(variant);
        self.setting(variant).key(self.node_memory_gb(variant), site.map(|it| &**it), key);
        if cluster != ClusterIndex::OF_WORKLOAD {
            key.field("cluster", cluster.0);
        }
        if !self.scenario.bounded {
            key.field("bounded", false);
        }
        if self.scenario.clairvoyant {
            key.field("clairvoyant", true);
        }
        if !self.scenario.waits_by.is_empty() {
            self.scenario.waits_by.iter().for_each(|part| _ = key.field("waits_by", part));
            // The column `waits` has the differences from the first setting.
            let first = Variant { setting: FIRST_SETTING, ..*variant };
            let (site, cluster) = self.site(&first);
            key.field("waits_from", cluster.0);
            self.setting(&first).key(self.node_memory_gb(&first), site.map(|it| &**it), key);
        }
        self.scenario.metrics.iter().for_each(|metric| _ = key.field("metric", metric.versioned_name()));
        let simulation = &self.scenario.simulation;
        key.field("tau_s", self.tau(variant));
        key.field("warm_up_s", simulation.warm_up).field("cool_down_s", simulation.cool_down);
        let weights = simulation.weights();
        if weights != Weights::default() {
            key.field("weights", weights.rule);
            weights
                .users
                .iter()
                .for_each(|(user, weight)| _ = key.field("user_weight", format_args!("{user}={weight}")));
        }
    }
    fn labels(&self, variant: &Variant) -> Labels {
        SimulationRow { tau_s: self.tau(variant), ..self.setting(variant).label() }.with_role(Role::Variant)
    }
    fn run(
        &self,
        instance: &Instance,
        variant: &Variant,
        watch: RunContext<'_>,
    ) -> Result<Vec<SimulationRow>, Failure> {
        let Measurements { summary, bounds, waits, own: figures, devices, energy, sleep, common, .. } =
            instance.summaries[variant.setting]
                .get_or_init(|| self.simulate(instance, variant, watch.audit))
                .as_deref()
                .map_err(Clone::clone)?;
        let (_, cluster) = self.site(variant);
        let own = || self.bound(instance, cluster, variant.tau);
        let bound = bounds.as_ref().map_or_else(own, |bounds| bounds[variant.tau]);
        let reached =
            self.penalty_bounds(instance, cluster, variant.tau, self.setting(variant).options.penalty);
        Ok(vec![SimulationRow {
            nodes: instance.clusters[cluster.0].nodes,
            jobs: instance.jobs.len(),
            waits: waits.clone(),
            own: figures.clone(),
            held_devices: devices.map(|it| it.held),
            peak_held_devices: devices.map(|it| it.peak_held),
            useless_devices: devices.map(|it| it.useless),
            last_held_devices: devices.map(|it| it.held_at_last_submission),
            last_useless_devices: devices.map(|it| it.useless_at_last_submission),
            energy: energy.map(|it| it.energy_kwh),
            energy_of_jobs: energy.map(|it| it.energy_of_jobs_kwh),
            mean_power: energy.map(|it| it.mean_w),
            peak_power: energy.map(|it| it.peak_w),
            over_cap: energy.map(|it| it.over_cap_s),
            carbon: energy.and_then(|it| it.carbon_kg),
            cost: energy.and_then(|it| it.cost),
            held_s: instance.held.map(|it| it.0),
            not_held: instance.held.map(|it| it.1),
            common: common.clone(),
            slowed: energy.and_then(|it| it.slowed),
            asleep: sleep.map(|it| it.asleep),
            woken: sleep.map(|it| it.woken_s),
            penalty_bound: reached.map(|it| it.0),
            reached: reached.map(|it| it.1),
            ..SimulationRow::of((summary, &summary.bounded_stretch[variant.tau], bound))
        }])
    }
    fn precompute_shared(&self, instance: &Instance) {
        // If users wait for their jobs, each simulation has its own bound.
        let taus = if instance.predecessors.is_none() { self.scenario.simulation.taus.len() } else { 0 };
        let clusters = (0..instance.clusters.len()).map(ClusterIndex);
        let each = clusters.flat_map(|cluster| (0..taus).map(move |tau| (cluster, tau)));
        each.collect::<Vec<_>>().into_par_iter().for_each(|(cluster, tau)| {
            self.bound(instance, cluster, tau);
            for &penalty in &self.scenario.simulation.penalties {
                self.penalty_bounds(instance, cluster, tau, penalty);
            }
        });
    }
    fn tables(&self, rows: &Long<SimulationRow>) -> Vec<NamedTable> {
        tables::all(&Matrix::new(&self.scenario, rows))
    }
    fn claims(&self, rows: &Long<SimulationRow>) -> Vec<Claim> {
        claims::all(&Matrix::new(&self.scenario, rows))
    }
    fn notes(&self, rows: &Long<SimulationRow>) -> Vec<String> {
        let altered = self.logs.iter().filter(|log| log.is_altered());
        let mut notes: Vec<String> =
            altered.flat_map(|log| log.notes(&self.scenario.workloads[log.workload])).collect();
        notes.extend(self.notices.iter().cloned());
        notes.extend(not_held(rows));
        let mut done = rows.records.iter().filter_map(|record| record.outcome.as_ref().ok());
        if self.scenario.clairvoyant && done.any(|row| row.reached.is_none()) {
            notes.push("some instances have no clairvoyant schedule: it is for equal nodes with room for each job at full speed, and jobs that do not wait for others".into());
        }
        let without: Vec<&Unfinished> = (rows.records.iter())
            .filter_map(|record| record.outcome.as_ref().err())
            .filter(|unfinished| unfinished.failure.status == Status::Infeasible)
            .collect();
        if let Some(first) = without.first() {
            notes.push(format!(
                "warning: {} rows have no value, as no job ran; the first: {}: {}",
                without.len(),
                first.fields[..4]
                    .iter()
                    .filter(|field| !field.is_empty())
                    .cloned()
                    .collect::<Vec<_>>()
                    .join(", "),
                first.failure.message
            ));
        }
        notes
    }
    fn drawings(scenario: &Scenario<Online>, rows: &Long<SimulationRow>) -> Vec<Drawing> {
        drawings::all(&Matrix::new(scenario, rows))
    }
}
