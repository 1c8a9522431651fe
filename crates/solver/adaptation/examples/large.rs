//! Measures the heuristic on 64 nodes, where the optimum is not known: the loss of yield relative to
//! a packing from scratch (VP_EJECT), which ignores the budget, and the time of a call: `cargo run
//! --release -p dfrsim-adaptation --example large [SEED]`.

use dfrsim_adaptation::Adapter;
use dfrsim_model::offline::Adaptation;
use dfrsim_model::{Seed, Yield};
use dfrsim_vector_packing::instances::{DissertationScenario, changed};
use dfrsim_vector_packing::vector::{Algorithm, Options, VectorPacking};
use std::time::Instant;

const BUDGETS: [u64; 4] = [10, 25, 50, 100];

fn main() {
    let seed = std::env::args().nth(1).map_or(1, |text| text.parse().expect("a seed is a number"));
    println!("| jobs | problems | VP_EJECT | 10 % | 25 % | 50 % | 100 % | ms |");
    println!("|--:|--:|--:|--:|--:|--:|--:|--:|");
    for jobs in [100, 200, 500] {
        let problems = problems(Seed::new(seed), jobs);
        let rebuilt: Vec<f64> = problems.iter().map(|problem| from_scratch(problem).as_f64()).collect();
        let mut adapter = Adapter::new();
        let begin = Instant::now();
        let means = BUDGETS.map(|percent| {
            let yields = problems.iter().map(|problem| {
                let budget = (u128::from(problem.total_migration_cost()) * u128::from(percent) / 100) as u64;
                adapter.adapt(problem, budget).map_or(0.0, |found| found.minimum_yield.as_f64())
            });
            yields.sum::<f64>() / problems.len() as f64
        });
        let calls = (problems.len() * BUDGETS.len()) as f64;
        let time = begin.elapsed().as_secs_f64() * 1e3 / calls;
        let best = rebuilt.iter().sum::<f64>() / rebuilt.len() as f64;
        let cells = means.map(|mean| format!("{mean:.4} ({:+.1} %)", 100.0 * (mean / best - 1.0)));
        println!("| {jobs} | {} | {best:.4} | {} | {time:.1} |", problems.len(), cells.join(" | "));
    }
}

/// Generates changes of instances with 2, 4 and 6 resources and three values of slack.
fn problems(seed: Seed, jobs: u32) -> Vec<Adaptation> {
    let mut problems = Vec::new();
    for dimensions in [2, 4, 6] {
        for (slack, number) in [0.3, 0.5, 0.7].into_iter().zip(0..) {
            let scenario = DissertationScenario { nodes: 64, jobs, dimensions, sigma: 0.5, rho: 0.25, slack };
            let seed = seed.fork("large").numbered(u64::from(dimensions)).numbered(number);
            let sample = |name| scenario.instance(seed.fork(name));
            problems.extend(changed(&sample("before"), &sample("other"), seed));
        }
    }
    problems
}

fn from_scratch(problem: &Adaptation) -> Yield {
    let packed = VectorPacking::new(Algorithm::EJECT, Options::default()).solve(&problem.instance);
    packed.expect("six resources at most").map_or(Yield::ZERO, |solution| solution.minimum_yield)
}
