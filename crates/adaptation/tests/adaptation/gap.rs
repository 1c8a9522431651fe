//! The gap to the optimum, on fewer instances than the example `adaptation_gap`.

use dfrsim_adaptation::Adapter;
use dfrsim_model::{Seed, Yield};
use dfrsim_offline::instances::{InstanceSet, changed};
use dfrsim_optimum::{Limits, adapted_optimum};

#[test]
fn gaps_are_small() {
    let (seed, set) = (Seed::new(1), InstanceSet::DissertationSmall);
    let mut adapter = Adapter::new();
    let mut gaps = Vec::new();
    for scenario in (0..729).step_by(10) {
        let sample = |sample| set.instance(seed, scenario, sample).unwrap();
        let Some(problem) = changed(&sample(0), &sample(1), seed.numbered(scenario.into())) else { continue };
        let best = |budget| {
            adapted_optimum(&problem, budget, &Limits::default()).best.map(|placed| placed.min_yield)
        };
        for percent in [10, 25, 50] {
            let budget = problem.total() / 100 * percent;
            let Some(optimum) = best(budget) else { continue };
            if optimum < Yield::ONE && best(0) < Some(optimum) {
                let found = adapter.adapt(&problem, budget).map_or(Yield::ZERO, |found| found.minimum_yield);
                gaps.push(1.0 - found.as_f64() / optimum.as_f64());
            }
        }
    }
    let (mean, worst) =
        (gaps.iter().sum::<f64>() / gaps.len() as f64, gaps.iter().copied().fold(0.0, f64::max));
    println!("{} problems: mean gap {mean:.4}, largest {worst:.4}", gaps.len());
    assert!(gaps.len() > 100 && mean <= 0.02 && worst <= 0.15, "{} {mean} {worst}", gaps.len());
}
