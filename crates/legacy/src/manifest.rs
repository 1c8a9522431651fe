//! The manifest: where results come from, and what they took.

use crate::instance::{Input, Instance};
use crate::key::{Digest, SEMANTICS_VERSION};
use crate::run::RowCounts;
use crate::scenario::Scenario;
use dfrsim_workload::prepare::{Anomaly, Counts};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// What depends on the machine. It stands in the manifest and nowhere else.
pub(crate) struct HostFacts {
    pub(crate) threads: usize,
    pub(crate) wall: Duration,
    /// Added up over the threads.
    pub(crate) simulations: Duration,
    /// Added up over the threads.
    pub(crate) bounds: Duration,
}

#[derive(Serialize)]
struct Manifest<'a> {
    program: &'static str,
    version: &'static str,
    semantics: u32,
    title: &'a str,
    seed: u64,
    rows: RowsSection,
    host: HostSection,
    inputs: Vec<InputSection<'a>>,
    instances: Vec<InstanceSection<'a>>,
}

#[derive(Serialize)]
struct RowsSection {
    total: usize,
    failed: usize,
    computed: usize,
    restored: usize,
}

#[derive(Serialize)]
struct HostSection {
    threads: usize,
    wall_s: f64,
    simulations_s: f64,
    bounds_s: f64,
}

#[derive(Serialize)]
struct InputSection<'a> {
    workload: &'a str,
    file: &'a str,
    sha256: String,
    records: u64,
    jobs: u64,
    outside: u64,
    without_memory: u64,
    broken_lines: u64,
    lines_out_of_order: u64,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    rules: BTreeMap<&'static str, Hits>,
}

#[derive(Serialize)]
struct Hits {
    kept: u64,
    clamped: u64,
    dropped: u64,
}

#[derive(Serialize)]
struct InstanceSection<'a> {
    workload: &'a str,
    name: &'a str,
    jobs: usize,
    sha256: String,
}

/// What is read back of a manifest.
#[derive(Debug, Deserialize)]
pub(crate) struct Origin {
    pub(crate) semantics: u32,
    pub(crate) instances: Vec<OriginInstance>,
}

/// An instance that was simulated.
#[derive(Debug, Deserialize)]
pub(crate) struct OriginInstance {
    pub(crate) workload: String,
    pub(crate) name: String,
    /// The digest of its jobs.
    pub(crate) sha256: String,
}

/// Reads what [`text`] wrote.
pub(crate) fn read(text: &str) -> Result<Origin, toml::de::Error> {
    toml::from_str(text)
}

/// The manifest of a run; `digests` are those of the instances.
pub(crate) fn text(
    scenario: &Scenario,
    instances: &[Instance],
    digests: &[Digest],
    inputs: &[Input],
    rows: RowCounts,
    host: &HostFacts,
) -> String {
    let manifest = Manifest {
        program: "dfrsim",
        version: env!("CARGO_PKG_VERSION"),
        semantics: SEMANTICS_VERSION,
        title: &scenario.title,
        seed: scenario.seed,
        rows: RowsSection {
            total: rows.total,
            failed: rows.failed,
            computed: rows.computed,
            restored: rows.restored,
        },
        host: HostSection {
            threads: host.threads,
            wall_s: host.wall.as_secs_f64(),
            simulations_s: host.simulations.as_secs_f64(),
            bounds_s: host.bounds.as_secs_f64(),
        },
        inputs: inputs.iter().map(|input| input_section(scenario, input)).collect(),
        instances: instances
            .iter()
            .zip(digests)
            .map(|(instance, digest)| InstanceSection {
                workload: &scenario.workloads[instance.workload].name,
                name: &instance.name,
                jobs: instance.size(),
                sha256: digest.to_string(),
            })
            .collect(),
    };
    toml::to_string(&manifest).expect("a manifest can be written as TOML")
}

fn input_section<'a>(scenario: &'a Scenario, input: &Input) -> InputSection<'a> {
    let workload = &scenario.workloads[input.workload];
    let file = input.file(scenario);
    let counts = &input.report.counts;
    InputSection {
        workload: &workload.name,
        file,
        sha256: input.digest.to_string(),
        records: counts.records,
        jobs: counts.jobs,
        outside: counts.outside,
        without_memory: counts.without_memory,
        broken_lines: input.report.read.broken,
        lines_out_of_order: input.report.read.out_of_order,
        rules: rules(counts),
    }
}

/// What the rules met, those that met something.
fn rules(counts: &Counts) -> BTreeMap<&'static str, Hits> {
    let hits = Anomaly::ALL.iter().map(|&anomaly| (anomaly.name(), counts.of(anomaly)));
    hits.filter(|(_, hits)| hits.kept + hits.clamped + hits.dropped > 0)
        .map(|(name, hits)| (name, Hits { kept: hits.kept, clamped: hits.clamped, dropped: hits.dropped }))
        .collect()
}
