//! The shape of a scenario file of the context-switch study, and the way from there to a checked scenario.

use super::scenario::{ClusterPart, PolicyName, SamplePart, Scenario, StateName};
use crate::scenario::fields::{Names, Numbers};
use crate::scenario::{Resolver, ScenarioErrors, ScenarioText, anywhere, resolved};
use dfrsim_context_switch::{Durations, Limits};
use dfrsim_model::SimSpan;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use toml::Spanned;

/// A scenario file, before it is checked. Resolved scenarios are written in this shape too.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    study: Study,
    #[serde(default)]
    title: String,
    #[serde(default = "first_seed")]
    seed: Spanned<i64>,
    #[serde(default = "usual_steps")]
    steps: Spanned<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_limit_s: Option<Spanned<f64>>,
    #[serde(default = "usual_durations")]
    durations: Spanned<Durations>,
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<SamplesFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cluster: Option<ClusterFile>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Study {
    ContextSwitch,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct SamplesFile {
    nodes: Spanned<i64>,
    vms: Spanned<Numbers>,
    states: Spanned<Names>,
    samples: Spanned<i64>,
}

impl Default for SamplesFile {
    /// Figure 10.
    fn default() -> SamplesFile {
        let vms = (1..=9).map(|size| f64::from(size * 54)).collect();
        let states = ["waiting", "running", "sleeping"].map(str::to_owned).to_vec();
        SamplesFile {
            nodes: anywhere(200),
            vms: anywhere(Numbers(vms)),
            states: anywhere(Names(states)),
            samples: anywhere(30),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ClusterFile {
    nodes: Spanned<i64>,
    cpu: Spanned<i64>,
    memory_mb: Spanned<i64>,
    vjobs: Spanned<i64>,
    vm_memory_mb: Spanned<Numbers>,
    work: Spanned<f64>,
    repetitions: Spanned<i64>,
    policies: Spanned<Names>,
    period_s: Spanned<f64>,
    observation_s: Spanned<f64>,
    failures: Spanned<f64>,
    retries: Spanned<i64>,
    horizon_s: Spanned<f64>,
}

impl Default for ClusterFile {
    /// Section 5.2.
    fn default() -> ClusterFile {
        let policies = ["booking", "first-fit", "optimised"].map(str::to_owned).to_vec();
        ClusterFile {
            nodes: anywhere(11),
            cpu: anywhere(2),
            memory_mb: anywhere(3_584),
            vjobs: anywhere(8),
            vm_memory_mb: anywhere(Numbers(vec![512.0, 1_024.0, 2_048.0])),
            work: anywhere(4.0),
            repetitions: anywhere(10),
            policies: anywhere(Names(policies)),
            period_s: anywhere(30.0),
            observation_s: anywhere(10.0),
            failures: anywhere(0.0),
            retries: anywhere(1),
            horizon_s: anywhere(1e6),
        }
    }
}

fn first_seed() -> Spanned<i64> {
    anywhere(1)
}

fn usual_steps() -> Spanned<i64> {
    anywhere(Limits::default().steps as i64)
}

fn usual_durations() -> Spanned<Durations> {
    anywhere(Durations::default())
}

pub(super) fn scenario(source: &ScenarioText<'_>) -> Result<Scenario, ScenarioErrors> {
    resolved(source, |resolver, file: &File| {
        let Study::ContextSwitch = file.study;
        if let Err(error) = file.durations.get_ref().check() {
            resolver.fault(&file.durations, error.to_string());
        }
        if file.samples.is_none() && file.cluster.is_none() {
            resolver.fault_of_file("there should be `[samples]` or `[cluster]`");
        }
        Scenario {
            title: file.title.clone(),
            seed: resolver.integer(&file.seed, "a seed", 0, i64::MAX) as u64,
            steps: resolver.integer(&file.steps, "a number of steps", 0, i64::MAX) as u64,
            time_limit: file
                .time_limit_s
                .as_ref()
                .map(|field| Duration::from_micros(resolver.seconds(field).micros())),
            durations: file.durations.get_ref().clone(),
            samples: file.samples.as_ref().map(|file| resolver.samples(file)),
            cluster: file.cluster.as_ref().map(|file| resolver.cluster(file)),
        }
    })
}

const MOST: i64 = 1_000_000;

impl Resolver<'_> {
    fn samples(&mut self, file: &SamplesFile) -> SamplePart {
        SamplePart {
            nodes: self.integer(&file.nodes, "a number of nodes", 1, MOST) as u32,
            vms: self.counts(&file.vms, "a number of VMs"),
            states: self.names::<StateName>(&file.states, "state"),
            samples: self.integer(&file.samples, "a number of samples", 1, MOST) as u32,
        }
    }

    fn cluster(&mut self, file: &ClusterFile) -> ClusterPart {
        let work = *file.work.get_ref();
        if !(work > 0.0 && work <= 1e6) {
            self.fault(
                &file.work,
                format!("expected a multiple of class A above 0, to 1000000, found {work}"),
            );
        }
        let failures = *file.failures.get_ref();
        if !(0.0..=1.0).contains(&failures) {
            self.fault(
                &file.failures,
                format!("expected a part of all actions from 0 to 1, found {failures}"),
            );
        }
        ClusterPart {
            nodes: self.integer(&file.nodes, "a number of nodes", 1, MOST) as u32,
            cpu: self.integer(&file.cpu, "units of CPU", 1, MOST) as u32,
            memory_mb: self.integer(&file.memory_mb, "MB", 1, i64::from(u32::MAX)) as u32,
            vjobs: self.integer(&file.vjobs, "a number of vjobs", 1, MOST) as u32,
            vm_memory_mb: self.counts(&file.vm_memory_mb, "MB"),
            work,
            repetitions: self.integer(&file.repetitions, "a number of repetitions", 1, MOST) as u32,
            policies: self.names::<PolicyName>(&file.policies, "policy"),
            period: self.seconds(&file.period_s),
            observation: self.seconds(&file.observation_s),
            failures,
            retries: self.integer(&file.retries, "a number of retries", 0, MOST) as u32,
            horizon: self.seconds(&file.horizon_s),
        }
    }

    /// At least one whole number.
    fn counts(&mut self, field: &Spanned<Numbers>, what: &str) -> Vec<u32> {
        let numbers = &field.get_ref().0;
        let right = |number: &f64| (1.0..=MOST as f64).contains(number) && number.fract() == 0.0;
        if let Some(wrong) = numbers.iter().find(|number| !right(number)) {
            self.fault(field, format!("expected {what} from 1 to {MOST}, found {wrong}"));
        } else if numbers.is_empty() {
            self.fault(field, format!("there must be at least {what}"));
        }
        numbers.iter().map(|number| *number as u32).collect()
    }

    /// A time above 0.
    fn seconds(&mut self, field: &Spanned<f64>) -> SimSpan {
        let seconds = *field.get_ref();
        let span = SimSpan::try_from_secs_f64(seconds).filter(|span| !span.is_zero());
        span.unwrap_or_else(|| {
            self.fault(field, format!("expected seconds above 0, found {seconds}"));
            SimSpan::ZERO
        })
    }
}

impl File {
    /// A scenario in the shape of a file.
    pub(super) fn of(scenario: &Scenario) -> File {
        let Scenario { title, seed, steps, time_limit, durations, samples, cluster } = scenario;
        File {
            study: Study::ContextSwitch,
            title: title.clone(),
            seed: anywhere(*seed as i64),
            steps: anywhere(*steps as i64),
            time_limit_s: time_limit.map(|limit| anywhere(limit.as_secs_f64())),
            durations: anywhere(durations.clone()),
            samples: samples.as_ref().map(SamplesFile::of),
            cluster: cluster.as_ref().map(ClusterFile::of),
        }
    }
}

fn numbers(counts: &[u32]) -> Spanned<Numbers> {
    anywhere(Numbers(counts.iter().copied().map(f64::from).collect()))
}

impl SamplesFile {
    fn of(part: &SamplePart) -> SamplesFile {
        let SamplePart { nodes, vms, states, samples } = part;
        SamplesFile {
            nodes: anywhere((*nodes).into()),
            vms: numbers(vms),
            states: anywhere(Names(states.iter().map(ToString::to_string).collect())),
            samples: anywhere((*samples).into()),
        }
    }
}

impl ClusterFile {
    fn of(part: &ClusterPart) -> ClusterFile {
        ClusterFile {
            nodes: anywhere(part.nodes.into()),
            cpu: anywhere(part.cpu.into()),
            memory_mb: anywhere(part.memory_mb.into()),
            vjobs: anywhere(part.vjobs.into()),
            vm_memory_mb: numbers(&part.vm_memory_mb),
            work: anywhere(part.work),
            repetitions: anywhere(part.repetitions.into()),
            policies: anywhere(Names(part.policies.iter().map(ToString::to_string).collect())),
            period_s: anywhere(part.period.as_secs_f64()),
            observation_s: anywhere(part.observation.as_secs_f64()),
            failures: anywhere(part.failures),
            retries: anywhere(part.retries.into()),
            horizon_s: anywhere(part.horizon.as_secs_f64()),
        }
    }
}
