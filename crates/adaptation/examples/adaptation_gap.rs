//! How far the heuristic is from the proven optimum: `cargo run --release -p dfrsim-adaptation --example adaptation_gap`.
//!
//! Changed small instances of the dissertation (4 nodes; 8, 10 or 12 jobs) with budgets of 10, 25 and 50 % of the bytes, until
//! 1,000 of them, or as many as the first argument says, count: those of which the optimum is less than 1 and needs a move. The second argument
//! is the seed.

use dfrsim_adaptation::Adapter;
use dfrsim_audit::packing::check_minimum_yield;
use dfrsim_model::{Seed, Yield};
use dfrsim_offline::instances::{InstanceSet, changed};
use dfrsim_optimum::{Limits, Placed, adapted_optimum};
use std::time::{Duration, Instant};

fn main() {
    let mut arguments = std::env::args().skip(1).map(|number| number.parse().expect("a number"));
    let wanted = arguments.next().unwrap_or(1_000);
    let seed = Seed::new(arguments.next().unwrap_or(1));
    let set = InstanceSet::DissertationSmall;
    let mut adapter = Adapter::new();
    let mut gaps: Vec<(f64, u64)> = Vec::new();
    let mut time = Duration::ZERO;
    let mut instances = 0;
    let scenarios = set.scenarios().len() as u64;
    // A step that shares no factor with the number of scenarios comes to each of them.
    for round in (0..).map(|number: u64| number * 100) {
        if instances >= wanted {
            break;
        }
        let (scenario, first) = ((round % scenarios) as u32, 2 * (round / scenarios) as u32);
        let sample = |sample| set.instance(seed, scenario, sample).expect("the scenario is in the set");
        let Some(problem) = changed(&sample(first), &sample(first + 1), seed.numbered(round)) else {
            continue;
        };
        let best = |budget| adapted_optimum(&problem, budget, &Limits::default()).best;
        let unmoved = best(0).map(|placed| placed.min_yield);
        let mut counts = false;
        for percent in [10, 25, 50] {
            let budget = problem.total() / 100 * percent;
            let Some(Placed { min_yield: optimum, .. }) = best(budget) else { continue };
            if optimum == Yield::ONE || unmoved == Some(optimum) || optimum == Yield::ZERO {
                continue;
            }
            counts = true;
            let start = Instant::now();
            let found = adapter.adapt(&problem, budget);
            time += start.elapsed();
            let reached = found.map_or(0.0, |found| {
                assert!(problem.moving(&found.mapping) <= budget);
                assert_eq!(check_minimum_yield(&problem.instance, &found.mapping, found.minimum_yield), []);
                found.minimum_yield.as_f64()
            });
            gaps.push((1.0 - reached / optimum.as_f64(), percent));
        }
        instances += u64::from(counts);
    }
    gaps.sort_by(|a, b| b.0.total_cmp(&a.0));
    for percent in [10, 25, 50] {
        let of_budget: Vec<f64> = gaps.iter().filter(|gap| gap.1 == percent).map(|gap| gap.0).collect();
        report(&format!("budget {percent} %"), &of_budget);
    }
    report("all", &gaps.iter().map(|gap| gap.0).collect::<Vec<f64>>());
    println!("largest: {:.3?}", &gaps[..gaps.len().min(20)]);
    println!("{:.2} ms a problem", time.as_secs_f64() * 1e3 / gaps.len() as f64);
}

fn report(what: &str, gaps: &[f64]) {
    let mean = gaps.iter().sum::<f64>() / gaps.len().max(1) as f64;
    println!(
        "{what}: {} problems, mean gap {:.3} %, largest {:.2} %",
        gaps.len(),
        100.0 * mean,
        100.0 * gaps.iter().copied().fold(0.0, f64::max)
    );
}
