//! Instances: the weeks, logs and traces that policies are compared on.

use crate::RunError;
use crate::key::Digest;
use crate::scenario::{Cut, LogSource, LublinSource, Scenario, Source, Workload};
use dfrsim_model::{Job, Seed};
use dfrsim_workload::cut;
use dfrsim_workload::load::{LoadError, scale_to_load};
use dfrsim_workload::lublin::{LublinParameters, generate};
use dfrsim_workload::prepare::{self, Anomaly, Report};
use std::borrow::Cow;
use std::fs::File;

/// What all policies of a scenario run on in turn.
pub(crate) struct Instance {
    /// The workload that it is a part of, by its place in the scenario.
    pub(crate) workload: usize,
    /// Its name within the workload.
    pub(crate) name: String,
    /// The load that it is scaled to.
    pub(crate) load: Option<f64>,
    origin: Origin,
}

enum Origin {
    /// A part of a log, which is kept.
    Log(Vec<Job>),
    /// Generated when it is needed.
    Trace { parameters: LublinParameters, seed: Seed },
}

/// A log that was read.
pub(crate) struct Input {
    pub(crate) workload: usize,
    pub(crate) digest: Digest,
    pub(crate) report: Report,
}

impl Input {
    /// The name of the log as the scenario has it.
    pub(crate) fn file<'a>(&self, scenario: &'a Scenario) -> &'a str {
        match &scenario.workloads[self.workload].source {
            Source::Log(source) => &source.file,
            Source::Lublin(_) => unreachable!("models are no inputs"),
        }
    }
    /// Whether lines were left out or changed, but for those outside the selected part.
    pub(crate) fn is_altered(&self) -> bool {
        let counts = &self.report.counts;
        let clamped = Anomaly::ALL.iter().any(|&anomaly| counts.of(anomaly).clamped > 0);
        clamped || counts.records != counts.outside + counts.jobs || self.report.read.broken > 0
    }
}

/// The seed of a trace (from 0) in scenarios of this seed. It depends on nothing else, so traces are the same in all
/// workloads, whatever they are called and scaled to, and a longer trace begins like a shorter one.
#[must_use]
pub fn trace_seed(scenario_seed: u64, trace: u32) -> Seed {
    Seed::new(scenario_seed).fork("lublin").numbered(trace.into())
}

/// All instances in the order of the scenario, with the logs that they come from.
pub(crate) fn instances(scenario: &Scenario) -> Result<(Vec<Instance>, Vec<Input>), RunError> {
    let (mut instances, mut inputs) = (Vec::new(), Vec::new());
    for (place, workload) in scenario.workloads.iter().enumerate() {
        match &workload.source {
            Source::Log(source) => {
                let (parts, input) = of_log(place, workload, source)?;
                instances.extend(parts);
                inputs.push(input);
            }
            Source::Lublin(source) => instances.extend(of_model(place, source, scenario.seed)),
        }
    }
    Ok((instances, inputs))
}

fn of_log(place: usize, workload: &Workload, source: &LogSource) -> Result<(Vec<Instance>, Input), RunError> {
    let (jobs, report) = prepare::read_jobs(&source.path, &source.preparation)?;
    if jobs.is_empty() {
        return Err(RunError::NoJobs { workload: workload.name.clone() });
    }
    let digest = File::open(&source.path).and_then(Digest::of_file);
    let digest = digest.map_err(|error| RunError::io(&source.path, error))?;
    let instance = |name, jobs| Instance { workload: place, name, load: None, origin: Origin::Log(jobs) };
    let instances = match source.cut {
        Cut::None => vec![instance("whole".to_owned(), jobs)],
        Cut::Week => {
            let weeks = cut::weeks(jobs).into_iter();
            weeks.map(|(week, jobs)| instance(format!("week-{week:03}"), jobs)).collect()
        }
    };
    Ok((instances, Input { workload: place, digest, report }))
}

fn of_model(place: usize, source: &LublinSource, seed: u64) -> Vec<Instance> {
    let digits = (source.traces - 1).to_string().len().max(3);
    let loads: Vec<Option<f64>> =
        if source.loads.is_empty() { vec![None] } else { source.loads.iter().copied().map(Some).collect() };
    let mut instances = Vec::with_capacity(loads.len() * source.traces as usize);
    for load in loads {
        for trace in 0..source.traces {
            let suffix = load.map(load_suffix).unwrap_or_default();
            let origin = Origin::Trace { parameters: source.parameters, seed: trace_seed(seed, trace) };
            instances.push(Instance {
                workload: place,
                name: format!("trace-{trace:0digits$}{suffix}"),
                load,
                origin,
            });
        }
    }
    instances
}

fn load_suffix(load: f64) -> String {
    format!("-load-{load}")
}

/// The name of the trace that an instance of this name was scaled from: its own if it was not.
pub(crate) fn unscaled_name(name: &str, load: Option<f64>) -> &str {
    load.and_then(|load| name.strip_suffix(&load_suffix(load))).unwrap_or(name)
}

impl Instance {
    /// How many jobs it has.
    pub(crate) fn size(&self) -> usize {
        match &self.origin {
            Origin::Log(jobs) => jobs.len(),
            Origin::Trace { parameters, .. } => parameters.jobs,
        }
    }
    /// Its jobs, in order of submission.
    pub(crate) fn jobs(&self) -> Result<Cow<'_, [Job]>, LoadError> {
        match &self.origin {
            Origin::Log(jobs) => Ok(Cow::Borrowed(jobs)),
            Origin::Trace { parameters, seed } => {
                let mut jobs = generate(parameters, *seed);
                if let Some(load) = self.load {
                    scale_to_load(&mut jobs, parameters.nodes.get(), load)?;
                }
                Ok(Cow::Owned(jobs))
            }
        }
    }
}
