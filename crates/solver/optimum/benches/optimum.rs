//! Benchmarks of the exact solver, the linear programs and the second phase: `cargo bench -p
//! dfrsim-optimum`.

#[path = "../../tests/optimum/instances.rs"]
mod instances;

use dfrsim_model::offline::Instance;
use dfrsim_optimum::{
    Attempt, Backend, Limits, Outcome, Relaxation, Status, lp_bound, max_average, optimum,
    optimum_by_program, relaxed,
};
use divan::{Bencher, black_box};
use instances::{Scenario, dissertation, rr6692};

fn main() {
    divan::main();
}

fn sample(nodes: usize, jobs: usize, dimensions: usize, number: u64) -> Instance {
    let scenario = Scenario { nodes, jobs, dimensions, sigma: 0.5, rho: 0.25, slack: 0.5 };
    dissertation(scenario, number)
}

fn exact(instance: &Instance) -> Outcome {
    let outcome = optimum(instance, &Limits::default());
    assert_ne!(outcome.status, Status::TimedOut);
    outcome
}

/// Solves 100 instances of RR-6692 with 12 jobs on 4 nodes.
#[divan::bench]
fn hundred_optima_of_rr6692(bencher: Bencher<'_, '_>) {
    let list: Vec<Instance> =
        (0..100).map(|number| rr6692(4, 12, 0.75, 0.1 * (1 + number % 9) as f64, number)).collect();
    bencher.bench(|| list.iter().map(exact).filter(|outcome| outcome.best.is_some()).count());
}

/// Solves 100 instances of the dissertation's small set, with 12 jobs on 4 nodes.
#[divan::bench(args = [2, 4, 6])]
fn hundred_optima_of_the_dissertation(bencher: Bencher<'_, '_>, dimensions: usize) {
    let list: Vec<Instance> = (0..100).map(|number| sample(4, 12, dimensions, number)).collect();
    bencher.bench(|| list.iter().map(exact).filter(|outcome| outcome.best.is_some()).count());
}

/// Solves one larger instance; sizes are given as nodes and jobs.
#[divan::bench(args = [(4, 16), (6, 18), (8, 16)])]
fn one_optimum(bencher: Bencher<'_, '_>, (nodes, jobs): (usize, usize)) {
    let instance = sample(nodes, jobs, 4, 0);
    bencher.bench(|| exact(black_box(&instance)));
}

/// Measures linear programs on 4 nodes, for each solver and number of jobs.
#[divan::bench(sample_count = 3, args = by_solver([8, 10]))]
fn optimum_by_solver(bencher: Bencher<'_, '_>, &(backend, jobs): &(Backend, usize)) {
    let instance = sample(4, jobs, 4, 0);
    let solver = backend.solver();
    bencher.bench(|| optimum_by_program(&instance, solver, &Limits::default()).map(|found| found.status));
}

fn by_solver<const N: usize>(sizes: [usize; N]) -> Vec<(Backend, usize)> {
    Backend::ALL.iter().flat_map(|&backend| sizes.map(|size| (backend, size))).collect()
}

#[divan::bench(args = [100, 500])]
fn bound(bencher: Bencher<'_, '_>, jobs: usize) {
    let instance = sample(64, jobs, 6, 0);
    bencher.bench(|| lp_bound(black_box(&instance)));
}

fn vertex(bencher: Bencher<'_, '_>, relaxation: Relaxation, nodes: usize, jobs: usize) {
    let (instance, solver) = (sample(nodes, jobs, 4, 0), Backend::Microlp.solver());
    bencher.bench(|| {
        let found = relaxed(&instance, relaxation, solver, &Limits::default());
        assert!(matches!(found, Ok(Attempt::Found(_))));
    });
}

/// Solves the relaxed program as printed; sizes are given as nodes and jobs.
#[divan::bench(sample_count = 2, args = [(4, 12), (16, 40), (64, 100)])]
fn relaxed_as_printed(bencher: Bencher<'_, '_>, (nodes, jobs): (usize, usize)) {
    vertex(bencher, Relaxation::Published, nodes, jobs);
}

/// Solves the largest size of the dissertation's table 4.2, for which its solver took four minutes.
#[divan::bench(sample_count = 1)]
fn relaxed_as_printed_with_512_jobs(bencher: Bencher<'_, '_>) {
    vertex(bencher, Relaxation::Published, 64, 512);
}

/// Solves the relaxed program with the yield fixed at the bound; sizes are given as nodes and jobs.
#[divan::bench(sample_count = 2, args = [(4, 12), (16, 40), (64, 100), (64, 512)])]
fn relaxed_at_the_bound(bencher: Bencher<'_, '_>, (nodes, jobs): (usize, usize)) {
    vertex(bencher, Relaxation::AtBound, nodes, jobs);
}

/// Runs the second phase on the best mapping of 12 jobs on 4 nodes.
#[divan::bench]
fn second_phase(bencher: Bencher<'_, '_>) {
    let (instance, solver) = (sample(4, 12, 6, 0), Backend::Microlp.solver());
    let best = exact(&instance).best.expect("half of all memory is free");
    bencher.bench(|| max_average(&instance, &best.mapping, best.minimum_yield, solver, &Limits::default()));
}
