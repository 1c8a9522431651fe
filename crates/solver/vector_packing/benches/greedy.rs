//! Benchmarks of the greedy algorithms: `cargo bench -p dfrsim-vector-packing`.

use dfrsim_model::Seed;
use dfrsim_model::offline::Instance;
use dfrsim_vector_packing::greedy::{Greedy, NodeRule, SortOrder};
use dfrsim_vector_packing::instances::DissertationScenario;
use divan::Bencher;

fn main() {
    divan::main();
}

/// Creates an instance like those of the dissertation's timings (section 4.3): sigma 0.5 and slack
/// 0.5. rho is 0.25, or 0 if there are more than 16 jobs per node, where that many qualities of
/// service cannot be kept.
fn instance(jobs: u32, nodes: u32, dimensions: u32) -> Instance {
    let rho = if jobs > 16 * nodes { 0.0 } else { 0.25 };
    let scenario = DissertationScenario { nodes, jobs, dimensions, sigma: 0.5, rho, slack: 0.5 };
    scenario.instance(Seed::new(1))
}

#[divan::bench(args = [2, 4, 6], sample_count = 5, sample_size = 1)]
fn greedy_8192_jobs_1024_nodes(bencher: Bencher<'_, '_>, dimensions: u32) {
    let instance = instance(8_192, 1_024, dimensions);
    bencher.bench(|| Greedy::Best.solve(&instance, Seed::new(1), 0));
}

/// Runs one pass in the order S5 with each node rule.
#[divan::bench(args = NodeRule::OF_THE_DISSERTATION, sample_count = 5, sample_size = 1)]
fn greedy_s5_py_8192_jobs_1024_nodes(bencher: Bencher<'_, '_>, rule: &NodeRule) {
    let instance = instance(8_192, 1_024, 4);
    bencher.bench(|| Greedy::Pass(SortOrder::SumRigid, *rule).solve(&instance, Seed::new(1), 0));
}

#[divan::bench(args = [2, 4, 6], sample_count = 20)]
fn greedy_500_jobs_64_nodes(bencher: Bencher<'_, '_>, dimensions: u32) {
    let instance = instance(500, 64, dimensions);
    bencher.bench(|| Greedy::Best.solve(&instance, Seed::new(1), 0));
}

#[divan::bench(args = NodeRule::OF_THE_DISSERTATION, sample_count = 20)]
fn greedy_s5_py_4096_jobs_64_nodes(bencher: Bencher<'_, '_>, rule: &NodeRule) {
    let instance = instance(4_096, 64, 4);
    bencher.bench(|| Greedy::Pass(SortOrder::SumRigid, *rule).solve(&instance, Seed::new(1), 0));
}
