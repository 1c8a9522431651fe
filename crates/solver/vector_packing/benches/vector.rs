//! Benchmarks of vector packing on instances of the dissertation's study: `cargo bench -p
//! dfrsim-vector-packing --bench vector`.

use dfrsim_model::Seed;
use dfrsim_model::offline::Instance;
use dfrsim_vector_packing::instances::DissertationScenario;
use dfrsim_vector_packing::vector::{Algorithm, Options, VectorPacking};
use std::fmt;

fn main() {
    divan::main();
}

/// An algorithm and an instance size, with the parameters of the dissertation's timings.
#[derive(Clone, Copy, Debug)]
struct Case {
    algorithm: Algorithm,
    jobs: u32,
    nodes: u32,
    dimensions: u32,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Case { algorithm, jobs, nodes, dimensions } = self;
        write!(f, "{algorithm}, {jobs} x {nodes}, D = {dimensions}")
    }
}

fn bench(bencher: divan::Bencher, case: Case, slacks: &[f64]) {
    let Case { algorithm, jobs, nodes, dimensions } = case;
    let instances: Vec<Instance> = slacks
        .iter()
        .zip(0..)
        .map(|(&slack, number)| {
            let scenario = DissertationScenario { nodes, jobs, dimensions, sigma: 0.5, rho: 0.25, slack };
            scenario.instance(Seed::new(1).fork("bench").numbered(number))
        })
        .collect();
    let mut packing = VectorPacking::new(algorithm, Options::default());
    bencher.counter(instances.len()).bench_local(|| {
        let mut solved = |instance| packing.solve(instance).is_ok_and(|solution| solution.is_some());
        instances.iter().filter(|instance| solved(instance)).count()
    });
}

/// Measures the sizes of the study, with three values of slack.
#[divan::bench(args = small_cases())]
fn study(bencher: divan::Bencher, case: Case) {
    bench(bencher, case, &[0.2, 0.5, 0.8]);
}

fn small_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for algorithm in &Algorithm::ALL[..14] {
        for dimensions in [2, 4, 6] {
            for jobs in [100, 200, 500] {
                cases.push(Case { algorithm: *algorithm, jobs, nodes: 64, dimensions });
            }
        }
    }
    for dimensions in [2, 4, 6] {
        cases.push(Case { algorithm: Algorithm::EJECT, jobs: 500, nodes: 64, dimensions });
    }
    let mcb8 = "MCB8".parse().expect("a name");
    cases.push(Case { algorithm: mcb8, jobs: 500, nodes: 64, dimensions: 2 });
    cases
}

/// Measures the largest cluster that the dissertation mentions: 1,024 nodes and 8,192 jobs.
#[divan::bench(args = large_cases(), sample_count = 10)]
fn large(bencher: divan::Bencher, case: Case) {
    bench(bencher, case, &[0.5]);
}

fn large_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for name in ["VP_CPSUM", "VP_FFSUM", "VP_BFSUM", "VP_PPSUM", "VP_EJECT"] {
        for dimensions in [2, 4, 6] {
            let algorithm = name.parse().expect("a name");
            cases.push(Case { algorithm, jobs: 8192, nodes: 1024, dimensions });
        }
    }
    cases
}
