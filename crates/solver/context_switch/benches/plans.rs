//! Benchmarks of decisions, plans and the optimiser: `cargo bench -p dfrsim-context-switch`.

use dfrsim_context_switch::workload::{InitialState, Sample, SampleShape};
use dfrsim_context_switch::*;
use dfrsim_model::Seed;
use divan::Bencher;

fn main() {
    divan::main();
}

/// Numbers of nodes and VMs: those of figure 10, and those of a cluster with ten times the nodes.
const SIZES: [(u32, u32); 2] = [(200, 500), (2_000, 10_000)];

fn sample((nodes, vms): (u32, u32)) -> (Sample, Configuration) {
    let sample = Sample::draw(SampleShape { nodes, vms, busy: None }, &InitialState::ALL, Seed::new(1));
    let queue = first_come_first_served(&sample.cluster);
    let wanted = select_running(&sample.cluster, &sample.current, &queue, SuspendTo::Disk);
    (sample, wanted)
}

/// Solves the running job selection problem by first-fit decreasing.
#[divan::bench(args = SIZES, sample_count = 20)]
fn decision(bencher: Bencher<'_, '_>, size: (u32, u32)) {
    let (Sample { cluster, current }, _) = sample(size);
    let queue = first_come_first_served(&cluster);
    bencher.bench(|| select_running(&cluster, &current, &queue, SuspendTo::Disk));
}

/// Plans the context switch to the configuration of first-fit decreasing, including its cycles.
#[divan::bench(args = SIZES, sample_count = 20)]
fn plan_of_first_fit(bencher: Bencher<'_, '_>, size: (u32, u32)) {
    let (Sample { cluster, current }, wanted) = sample(size);
    bencher.bench(|| plan(&cluster, &current, &wanted).unwrap());
}

/// Computes the optimiser's first assignment and the lower bound.
#[divan::bench(args = SIZES, sample_count = 5)]
fn first_assignment(bencher: Bencher<'_, '_>, size: (u32, u32)) {
    let (Sample { cluster, current }, wanted) = sample(size);
    let limits = Limits { steps: 0, time: None };
    bencher.bench(|| solve(&cluster, &current, &wanted, &limits, Seed::new(1)).unwrap());
}

/// Runs 100 steps of the search, or fewer if the search ends earlier.
#[divan::bench(args = SIZES, sample_count = 5)]
fn hundred_steps(bencher: Bencher<'_, '_>, size: (u32, u32)) {
    let (Sample { cluster, current }, wanted) = sample(size);
    let limits = Limits { steps: 100, time: None };
    bencher.bench(|| solve(&cluster, &current, &wanted, &limits, Seed::new(1)).unwrap());
}
