//! The study: instances x (settings x taus) -> rows.

use crate::audited::Audited;
use crate::groups::Matrix;
use crate::instance::{self, Part, Preceded, ReadLog, parts};
use crate::measured::{Measured, Submissions};
use crate::outages::outages;
use crate::platform::unequal;
use crate::rows::{Identity, SettingLabel, SimulationRow};
use crate::scenario::{Online, Workload};
use crate::setting::{Setting, settings};
use crate::{claims, drawings, tables};
use dfrsim_audit::Faults;
use dfrsim_bound::{max_stretch_bound, max_stretch_bound_on};
use dfrsim_cluster::{
    Followers, Metrics, Options, Overrun, SimulationError, SummaryOptions, Weights, simulate, simulate_with,
};
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::{
    Audit, Claim, Drawing, Failure, Input, InstanceId, KeyBuilder, Labels, Long, NamedTable, Prepared,
    RunError, Status, Study, Value as _, Watch,
};
use dfrsim_model::{Job, Seed, SimSpan};
use dfrsim_platform::Outages;
use dfrsim_platform::classes::UnequalNodes;
use dfrsim_policies::PolicyOptions;
use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// The on-line study of a scenario whose logs are read.
pub struct OnlineStudy {
    scenario: Scenario<Online>,
    settings: Vec<Setting>,
    parts: Vec<Part>,
    logs: Vec<ReadLog>,
    /// The nodes of each workload, where they differ.
    unequal: Vec<Option<Arc<UnequalNodes>>>,
}

/// A week, log or trace.
pub struct Instance {
    nodes: u32,
    jobs: Arc<[Job]>,
    /// For each job the one that it follows, if users wait for their jobs.
    preceded: Option<Preceded>,
    /// The bound for each tau, computed when it is first needed.
    bounds: Vec<OnceLock<f64>>,
    /// For each setting what the simulation measured, with all taus, or why it failed: simulated for the first tau that
    /// needs it.
    summaries: Vec<OnceLock<Result<Box<Measured>, Failure>>>,
    /// When nodes are down, if they ever are.
    outages: Option<Arc<Outages>>,
    /// What differs from node to node, if nodes differ.
    unequal: Option<Arc<UnequalNodes>>,
}

impl Instance {
    /// The bound of jobs on these nodes.
    fn least_stretch(&self, jobs: &[Job], tau: SimSpan) -> f64 {
        match &self.unequal {
            None => max_stretch_bound(jobs, self.nodes, tau).value,
            Some(unequal) => max_stretch_bound_on(jobs, unequal, tau),
        }
    }
    /// What nodes that differ can do together.
    fn capacity(&self) -> Option<f64> {
        self.unequal.as_ref().map(|unequal| unequal.classes.capacity())
    }
}

/// A setting, measured with one tau.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    setting: usize,
    tau: usize,
    node_memory_gb: f64,
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

    /// The bound for the tau of this place.
    fn bound(&self, instance: &Instance, tau: usize) -> f64 {
        *instance.bounds[tau].get_or_init(|| {
            let jobs = as_run(&instance.jobs, &self.settings[0].options);
            instance.least_stretch(&jobs, self.scenario.simulation.taus[tau])
        })
    }

    /// What the simulation of a variant measured, or why it failed.
    fn simulate(
        &self,
        instance: &Instance,
        variant: &Variant,
        audit: bool,
    ) -> Result<Box<Measured>, Failure> {
        let faulty = |faults: &Faults| Failure::invalid(format_args!("audit: {faults}"));
        let Setting { policy, parameters, options, interruption, priorities, .. } = self.setting(variant);
        let priorities = priorities.as_ref().map(|(_, settings)| settings).filter(|it| policy.depends_on(it));
        let weights = priorities.and_then(|it| policy.share_weights(it));
        if options.clock.is_some() && (instance.outages.is_some() || instance.unequal.is_some()) {
            return Err(Failure::failed("a coarse clock cannot be simulated with outages or unequal nodes"));
        }
        let of_setting = |outages: &Arc<Outages>| match interruption {
            Some(rule) if outages.interruption != *rule => {
                Arc::new(Outages { interruption: *rule, ..Outages::clone(outages) })
            }
            _ => Arc::clone(outages),
        };
        let outages = instance.outages.as_ref().map(of_setting);
        let options = &Options { outages, unequal: instance.unequal.clone(), weights, ..options.clone() };
        let parameters = PolicyOptions { node_memory_gb: variant.node_memory_gb, ..*parameters };
        let mut scheduler = policy.scheduler_at(instance.nodes, &parameters, priorities);
        let simulation = &self.scenario.simulation;
        let audited = || Audited::new(*policy, &parameters, instance.nodes, options, simulation, priorities);
        let audited = audit.then(audited).transpose().map_err(|faults| faulty(&faults))?;
        let metrics = Metrics::new(SummaryOptions {
            nodes: instance.nodes,
            capacity: instance.capacity(),
            taus: simulation.taus.clone(),
            warm_up: simulation.warm_up,
            cool_down: simulation.cool_down,
            weights: simulation.weights(),
            outages: instance.outages.is_some() || priorities.is_some_and(|it| it.preempting().is_some()),
        });
        let mut watchers = ((metrics, audited), instance.preceded.as_ref().map(|_| Submissions::default()));
        match &instance.preceded {
            None => {
                let jobs = instance.jobs.iter().cloned();
                simulate(instance.nodes, options, jobs, scheduler.as_mut(), &mut watchers)
            }
            Some(preceded) => {
                let jobs = instance.jobs.iter().cloned().zip(preceded.iter().copied());
                let (first, followers) = Followers::split(jobs);
                simulate_with(instance.nodes, options, first, followers, scheduler.as_mut(), &mut watchers)
            }
        }
        .map_err(failure)?;
        let ((metrics, audited), submissions) = watchers;
        if let Some(audited) = audited {
            audited.verdict().map_err(|faults| faulty(&faults))?;
        }
        let summary = metrics.summary().ok_or_else(|| Failure::failed("no job is left to count"))?;
        let bound = |jobs: &[Job], tau| instance.least_stretch(jobs, tau);
        let bounds = submissions.map(|jobs| jobs.bounds(bound, &simulation.taus));
        Ok(Box::new(Measured { summary, bounds }))
    }
}

fn failure(error: SimulationError) -> Failure {
    let status = match error {
        SimulationError::Violation(_) => Status::Violation,
        SimulationError::Stuck { .. } => Status::Stalled,
        SimulationError::InvalidJob(_)
        | SimulationError::NeverFollows { .. }
        | SimulationError::BeyondRange(_)
        | SimulationError::Outages(_)
        | SimulationError::Unequal(_)
        | SimulationError::Policy { .. } => Status::Failed,
    };
    Failure::new(status, error)
}

/// The jobs with the run times that they really get: those that will be killed end at their estimates.
fn as_run<'a>(jobs: &'a [Job], options: &Options) -> Cow<'a, [Job]> {
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
    const SEMANTICS: u32 = 3;
    const AUDIT: Audit = Audit::Optional;
    const RUNS: &'static str = "rows";

    type Fields = Online;
    type Instance = Instance;
    type Variant = Variant;
    type Row = SimulationRow;
    type Rows = Long<SimulationRow>;

    fn memory(scenario: &Scenario<Online>) -> u64 {
        scenario.memory()
    }
    fn rows_at_least(scenario: &Scenario<Online>) -> u64 {
        scenario.traces().saturating_mul(settings(scenario).len() as u64)
    }
    fn open(scenario: &Scenario<Online>) -> Result<OnlineStudy, RunError> {
        let (parts, logs) = parts(scenario)?;
        let unequal = scenario.workloads.iter().map(|workload| unequal(workload, scenario.seed));
        let unequal = unequal.collect::<Result<_, _>>()?;
        Ok(OnlineStudy { settings: settings(scenario), parts, logs, unequal, scenario: scenario.clone() })
    }
    fn inputs(&self) -> Vec<Input> {
        self.logs.iter().map(|log| log.input(&self.scenario.workloads[log.workload])).collect()
    }
    fn instances(&self) -> Vec<InstanceId> {
        let id = |(at, part): (usize, &Part)| part.id(self.workload(at));
        self.parts.iter().enumerate().map(id).collect()
    }
    fn variants(&self, at: usize) -> Vec<Variant> {
        let node_memory_gb = self.workload(at).node_memory_gb;
        let taus = 0..self.scenario.simulation.taus.len();
        let of_setting = |setting| taus.clone().map(move |tau| Variant { setting, tau, node_memory_gb });
        (0..self.settings.len()).flat_map(of_setting).collect()
    }
    fn prepare(&self, at: usize) -> Result<Prepared<Instance>, Failure> {
        let part = &self.parts[at];
        let unequal = self.unequal[part.workload].as_ref().map(|nodes| Arc::new(part.unequal(nodes)));
        let jobs = part.jobs(self.workload(at), unequal.as_deref()).map_err(Failure::failed)?;
        let nodes = self.workload(at).nodes.get();
        let fields = self.scenario.outages.as_ref();
        let seed = Seed::new(self.scenario.seed);
        let outages = fields.map(|fields| outages(fields, nodes, &jobs, &self.parts[at].name, seed));
        let outages = outages.transpose().map_err(Failure::failed)?.map(Arc::new);
        let preceded = self.parts[at].preceded();
        let digest =
            instance::digest(nodes, &jobs, preceded.as_deref(), outages.as_deref(), unequal.as_deref());
        let bounds = self.scenario.simulation.taus.iter().map(|_| OnceLock::new()).collect();
        let summaries = self.settings.iter().map(|_| OnceLock::new()).collect();
        Ok(Prepared {
            instance: Instance { nodes, jobs, preceded, bounds, summaries, outages, unequal },
            digest,
        })
    }
    fn key(&self, variant: &Variant, key: &mut KeyBuilder) {
        self.setting(variant).key(variant.node_memory_gb, key);
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
        let SettingLabel {
            policy,
            penalty_s,
            period_s,
            packing,
            drop,
            estimates,
            overrun,
            cpu_needs,
            discovery_s,
            interruption,
        } = self.setting(variant).label();
        vec![
            ("policy", policy),
            ("penalty_s", penalty_s.write()),
            ("period_s", period_s.write()),
            ("packing", packing.write()),
            ("drop", drop.write()),
            ("estimates", estimates),
            ("overrun", overrun),
            ("cpu_needs", cpu_needs),
            ("discovery_s", discovery_s.write()),
            ("tau_s", self.tau(variant).write()),
            ("interruption", interruption.write()),
        ]
    }
    fn run(
        &self,
        instance: &Instance,
        at: usize,
        variant: &Variant,
        watch: Watch<'_>,
    ) -> Result<Vec<SimulationRow>, Failure> {
        let Measured { summary, bounds } = instance.summaries[variant.setting]
            .get_or_init(|| self.simulate(instance, variant, watch.audit))
            .as_deref()
            .map_err(Clone::clone)?;
        let (part, workload) = (&self.parts[at], self.workload(at));
        let identity = Identity {
            workload: workload.name.clone(),
            instance: part.name.clone(),
            load: part.load,
            nodes: instance.nodes,
            jobs: instance.jobs.len(),
            setting: self.setting(variant).label(),
            tau_s: self.tau(variant),
        };
        let (bounded, objectives) =
            (&summary.bounded_stretch[variant.tau].1, &summary.objectives[variant.tau]);
        let bound =
            bounds.as_ref().map_or_else(|| self.bound(instance, variant.tau), |bounds| bounds[variant.tau]);
        Ok(vec![SimulationRow::new(identity, summary, bounded, objectives, bound)])
    }
    fn beside(&self, instance: &Instance) {
        // Where users wait for their jobs each simulation has a bound of its own.
        let taus = if instance.preceded.is_none() { instance.bounds.len() } else { 0 };
        (0..taus).into_par_iter().for_each(|tau| _ = self.bound(instance, tau));
    }
    fn rename(&self, at: usize, _: &Variant, row: &mut SimulationRow) {
        row.workload.clone_from(&self.workload(at).name);
        row.instance.clone_from(&self.parts[at].name);
        row.load = self.parts[at].load;
    }
    fn tables(&self, rows: &Long<SimulationRow>) -> Vec<NamedTable> {
        tables::all(&Matrix::new(&self.scenario, rows))
    }
    fn claims(&self, rows: &Long<SimulationRow>) -> Vec<Claim> {
        claims::all(&Matrix::new(&self.scenario, rows))
    }
    fn notes(&self, _: &Long<SimulationRow>) -> Vec<String> {
        let altered = self.logs.iter().filter(|log| log.is_altered());
        altered.flat_map(|log| log.notes(&self.scenario.workloads[log.workload])).collect()
    }
    fn drawings(scenario: &Scenario<Online>, rows: &Long<SimulationRow>) -> Vec<Drawing> {
        drawings::all(&Matrix::new(scenario, rows))
    }
}
