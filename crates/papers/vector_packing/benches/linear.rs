//! Benchmarks of diving and VP_CHEKURI: `cargo bench -p dfrsim-paper-vector-packing`.

use dfrsim_model::offline::Instance;
use dfrsim_model::{Seed, Yield};
use dfrsim_optimum::{Attempt, Backend, Limits};
use dfrsim_paper_vector_packing::{Diving, chekuri_pack, dive};
use dfrsim_vector_packing::instances::{DissertationScenario, InstanceInterpretation, Scenario};
use divan::Bencher;

fn main() {
    divan::main();
}

fn sample(nodes: u32, jobs: u32) -> Instance {
    let scenario = DissertationScenario { nodes, jobs, dimensions: 4, sigma: 0.5, rho: 0.25, slack: 0.5 };
    Scenario::Dissertation(scenario).instance_as(Seed::new(1), InstanceInterpretation::default())
}

/// Measures linear programs for sizes given as nodes, jobs and diving mode.
#[divan::bench(sample_count = 2, args = [(4, 12, Diving::Fast), (4, 12, Diving::Slow), (16, 40, Diving::Fast), (16, 40, Diving::Slow), (64, 100, Diving::Fast)])]
fn diving(bencher: Bencher<'_, '_>, (nodes, jobs, how): (u32, u32, Diving)) {
    let (instance, solver) = (sample(nodes, jobs), Backend::Microlp.solver());
    bencher.bench(|| dive(&instance, how, solver, &Limits::default()).map(|found| found == Attempt::Failed));
}

#[divan::bench(sample_count = 2, args = [(4, 12), (16, 40), (64, 100)])]
fn chekuri(bencher: Bencher<'_, '_>, (nodes, jobs): (u32, u32)) {
    let (instance, solver) = (sample(nodes, jobs), Backend::Microlp.solver());
    bencher.bench(|| chekuri_pack(&instance, Yield::ZERO, solver, &Limits::default()).map(|_| ()));
}
