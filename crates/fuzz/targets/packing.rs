//! Small instances of the off-line problem, built and not read: algorithms pack them, and the checker finds no fault in what they pack.
#![no_main]

use arbitrary::Arbitrary;
use dfrsim::offline_study::genetic::GeneticParameters;
use dfrsim::offline_study::{Algorithm, PaperSettings};
use dfrsim_model::{Seed, Yield};
use dfrsim_optimum::Limits;
use dfrsim_vector_packing::check::check_minimum_yield;
use dfrsim_vector_packing::file::instance_from_json;
use dfrsim_vector_packing::{Outcome, Settings, VectorOptions};
use libfuzzer_sys::fuzz_target;
use serde_json::json;
use std::sync::LazyLock;
use std::time::Duration;

static ALGORITHMS: LazyLock<Vec<Algorithm>> = LazyLock::new(|| Algorithm::all().collect());

#[derive(Arbitrary, Debug)]
struct Problem {
    algorithm: u8,
    fixed: u8,
    fluid: u8,
    nodes: u8,
    coarse: bool,
    jobs: Vec<Job>,
}

#[derive(Arbitrary, Debug)]
struct Job {
    tasks: u8,
    demand: [u8; 4],
    quality: u8,
}

/// A part of a node; most are ones at which many tasks just fit.
fn part(byte: u8) -> f64 {
    match byte % 8 {
        0 => 0.0,
        1 => 1.0,
        2 => 0.5,
        3 => 1.0 / 3.0,
        4 => 1e-9,
        _ => f64::from(byte) / 255.0,
    }
}

fuzz_target!(|problem: Problem| {
    let (fixed, fluid) = (usize::from(problem.fixed % 3), 1 + usize::from(problem.fluid % 2));
    let jobs: Vec<_> = problem
        .jobs
        .iter()
        .take(10)
        .map(|job| {
            let demand = job.demand.map(part);
            let (requirements, needs) = (&demand[..fixed], &demand[fixed..fixed + fluid]);
            json!({ "requirements": requirements, "needs": needs, "tasks": 1 + job.tasks % 5, "qos": part(job.quality) })
        })
        .collect();
    let nodes = 1 + problem.nodes % 5;
    let text = json!({ "fixed": fixed, "fluid": fluid, "nodes": nodes, "jobs": jobs }).to_string();
    let Ok(instance) = instance_from_json("built.json", &text) else { return };
    let shared = Settings {
        vector: VectorOptions {
            precision: Yield::from_f64(if problem.coarse { 0.1 } else { 0.001 }),
            ..VectorOptions::default()
        },
        limits: Limits { time: Some(Duration::from_millis(200)), ..Limits::default() },
        ..Settings::new(Seed::new(1))
    };
    let settings = PaperSettings { shared, genetic: GeneticParameters::default() };
    let algorithm = ALGORITHMS[usize::from(problem.algorithm) % ALGORITHMS.len()];
    if let Outcome::Solved(solved) = algorithm.solve(&instance, &settings) {
        let faults = check_minimum_yield(&instance, &solved.mapping, solved.minimum_yield);
        assert!(faults.is_empty(), "{algorithm}: {}\n{text}", faults[0]);
    }
});
