//! The manifest of an off-line run: where results come from, and what they took.

use super::run::Counts;
use super::scenario::Scenario;
use serde::Serialize;
use std::time::Duration;

#[derive(Serialize)]
struct Manifest<'a> {
    program: &'static str,
    version: &'static str,
    title: &'a str,
    seed: u64,
    cells: Counts,
    host: HostSection,
}

#[derive(Serialize)]
struct HostSection {
    threads: usize,
    wall_s: f64,
    /// Added up over the threads.
    algorithms_s: f64,
}

pub(super) fn text(
    scenario: &Scenario,
    cells: Counts,
    threads: usize,
    wall: Duration,
    algorithms: Duration,
) -> String {
    let manifest = Manifest {
        program: "dfrsim",
        version: env!("CARGO_PKG_VERSION"),
        title: &scenario.title,
        seed: scenario.seed,
        cells,
        host: HostSection { threads, wall_s: wall.as_secs_f64(), algorithms_s: algorithms.as_secs_f64() },
    };
    toml::to_string(&manifest).expect("a manifest can be written as TOML")
}
