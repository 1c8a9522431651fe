//! The manifest: where results come from, and what they took.

use super::report::Counts;
use super::run::Experiment;
use crate::key::SEMANTICS_VERSION;
use serde::Serialize;
use std::time::Duration;

#[derive(Serialize)]
struct Manifest<'a> {
    program: &'static str,
    version: &'static str,
    semantics: u32,
    study: &'static str,
    title: &'a str,
    seed: u64,
    cells: Counts,
    host: HostSection,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inputs: Vec<InputSection<'a>>,
}

#[derive(Serialize)]
struct HostSection {
    threads: usize,
    wall_s: f64,
    /// Added up over the threads.
    cells_s: f64,
}

#[derive(Serialize)]
struct InputSection<'a> {
    file: &'a str,
    sha256: String,
}

/// The manifest of a run on so many threads.
pub(super) fn text<E: Experiment>(
    experiment: &E,
    counts: Counts,
    threads: usize,
    wall: Duration,
    cells: Duration,
) -> String {
    let inputs = experiment.inputs();
    let manifest = Manifest {
        program: "dfrsim",
        version: env!("CARGO_PKG_VERSION"),
        semantics: SEMANTICS_VERSION,
        study: E::STUDY,
        title: experiment.title(),
        seed: experiment.seed(),
        cells: counts,
        host: HostSection { threads, wall_s: wall.as_secs_f64(), cells_s: cells.as_secs_f64() },
        inputs: inputs
            .iter()
            .map(|(file, digest)| InputSection { file, sha256: digest.to_string() })
            .collect(),
    };
    toml::to_string(&manifest).expect("a manifest can be written as TOML")
}
