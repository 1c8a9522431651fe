//! Tests the gap to the optimum, on fewer instances than the study (`dfrsim run
//! scenarios/adaptation.toml`).

use dfrsim_adaptation::Adapter;
use dfrsim_model::offline::Adaptation;
use dfrsim_model::{Seed, Yield};
use dfrsim_optimum::{Limits, adapted_optimum};
use dfrsim_vector_packing::instances::small_change;

/// Returns the relative gap of the heuristic to the optimum, with a budget in percent of the total
/// migration cost; `None` if the optimum is 1 or needs no move.
fn gap(adapter: &mut Adapter, seed: u64, number: u64, percent: u64) -> Option<f64> {
    gap_of(adapter, &small_change(Seed::new(seed), number)?, percent)
}

fn gap_of(adapter: &mut Adapter, problem: &Adaptation, percent: u64) -> Option<f64> {
    let best =
        |budget| adapted_optimum(problem, budget, &Limits::default()).best.map(|placed| placed.minimum_yield);
    let budget = (problem.total_migration_cost() as f64 * percent as f64 / 100.0) as u64;
    let optimum = best(budget).filter(|&optimum| optimum < Yield::ONE && best(0) < Some(optimum))?;
    let found = adapter.adapt(problem, budget).map_or(Yield::ZERO, |found| found.minimum_yield);
    Some(1.0 - found.as_f64() / optimum.as_f64())
}

#[test]
fn gaps_are_small() {
    let mut adapter = Adapter::new();
    let percents = (0..60).flat_map(|number| [10, 25, 50].map(|percent| (number, percent)));
    let gaps: Vec<f64> =
        percents.filter_map(|(number, percent)| gap(&mut adapter, 1, number, percent)).collect();
    let (mean, worst) =
        (gaps.iter().sum::<f64>() / gaps.len() as f64, gaps.iter().copied().fold(0.0, f64::max));
    assert!(gaps.len() > 100 && mean <= 0.02 && worst <= 0.15, "{} {mean} {worst}", gaps.len());
}

/// Solves problems on which the climb once missed a large part of the optimum. Change 515 of seed 2:
/// three cheap tasks must swap nodes cyclically for 97 % of the budget, while two others are the
/// obvious ones to move and cost 6 % too much; repairs with equal disturbances at each yield reached
/// half of the optimum. Change 109 of seed 1: half as many repairs missed 22 %. Change 1126 of seed
/// 11: one task must be exchanged with two others for 96 % of the budget; moving single tasks missed
/// 19 %. Change 1040 is similar, with 8 %. Changes 240 and 1290: no repair succeeded at some yield;
/// 2.7 % were missed.
#[test]
fn problems_that_were_hard_are_solved() {
    for (seed, number, percent) in
        [(2, 515, 25), (1, 109, 50), (11, 1126, 25), (11, 1040, 25), (11, 240, 50), (11, 1290, 50)]
    {
        let found = gap(&mut Adapter::new(), seed, number, percent).unwrap();
        assert!(found < 0.003, "{seed} {number} {percent}: {found}");
    }
}
