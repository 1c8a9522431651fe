//! Benchmarks of the adaptation heuristic: `cargo bench -p dfrsim-adaptation`.

use dfrsim_adaptation::Adapter;
use dfrsim_model::Seed;
use dfrsim_model::offline::Adaptation;
use dfrsim_optimum::{Limits, adapted_optimum};
use dfrsim_packing::relabelled;
use dfrsim_vector_packing::instances::{DissertationScenario, changed};
use divan::Bencher;

fn main() {
    divan::main();
}

/// Creates the problem of adapting one instance of the dissertation's middle scenario to another,
/// with a slack of 0.5 and two resources.
fn problem(nodes: u32, jobs: u32) -> Adaptation {
    let rho = if jobs > 7 * nodes { 0.0 } else { 0.25 };
    let scenario = DissertationScenario { nodes, jobs, dimensions: 2, sigma: 0.5, rho, slack: 0.5 };
    let seed = Seed::new(1);
    changed(&scenario.instance(seed.numbered(0)), &scenario.instance(seed.numbered(1)), seed)
        .expect("half of the memory is free")
}

/// Measures the heuristic for sizes given as nodes, jobs and budget in percent.
#[divan::bench(args = [(4, 12, 25), (64, 500, 10), (64, 500, 25), (64, 500, 50)], sample_count = 20)]
fn adapt(bencher: Bencher<'_, '_>, (nodes, jobs, percent): (u32, u32, u64)) {
    measure(bencher, &problem(nodes, jobs), percent);
}

#[divan::bench(args = [10, 50], sample_count = 5, sample_size = 1)]
fn adapt_1024_nodes_8192_jobs(bencher: Bencher<'_, '_>, percent: u64) {
    measure(bencher, &problem(1_024, 8_192), percent);
}

fn measure(bencher: Bencher<'_, '_>, problem: &Adaptation, percent: u64) {
    let budget = problem.total_migration_cost() / 100 * percent;
    let mut adapter = Adapter::new();
    bencher.bench_local(|| adapter.adapt(problem, budget));
}

#[divan::bench(args = [64, 128], sample_count = 20)]
fn relabel(bencher: Bencher<'_, '_>, nodes: u32) {
    let problem = problem(nodes, 7 * nodes);
    let mut all = problem.clone();
    all.current.iter_mut().for_each(Vec::clear);
    let fresh = Adapter::new().adapt(&all, 0).expect("there is a packing").mapping;
    bencher.bench(|| relabelled(&problem, &fresh));
}

#[divan::bench(sample_count = 20)]
fn exact_4_nodes_12_jobs(bencher: Bencher<'_, '_>) {
    let problem = problem(4, 12);
    let budget = problem.total_migration_cost() / 4;
    bencher.bench(|| adapted_optimum(&problem, budget, &Limits::default()));
}
