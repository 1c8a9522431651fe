//! Slow and simple reference implementations of the yields.

use super::mapping::Mapping;
use microlp::{ComparisonOp, OptimizationDirection, Problem};

/// Returns the yield of a job at the common level.
pub(crate) type YieldAt<'a> = &'a dyn Fn(usize, f64) -> f64;

/// Fills in rounds: finds the highest common level of the rising jobs by bisection, then stops all
/// jobs on full nodes, on which a level higher by 1e-9 would be too much. `top` is a level at which
/// every job is at yield 1.
///
/// Doubles are exact enough: 100 bisections of a level below 2 leave errors around 1e-16. In each
/// round a chain of stopped jobs multiplies them by the ratio of two loads, which is at most 3,000
/// here and rarely above 10. A yield unit is 1e-6.
pub(crate) fn filled(mapping: &Mapping, yield_at: YieldAt<'_>, top: f64) -> Vec<f64> {
    let count = mapping.jobs.len();
    let mut stopped: Vec<Option<f64>> = vec![None; count];
    loop {
        let used = |node: u32, level: f64| -> f64 {
            (0..count)
                .map(|job| mapping.load(job, node) * stopped[job].unwrap_or_else(|| yield_at(job, level)))
                .sum()
        };
        let rising = |job: usize, node: u32| stopped[job].is_none() && mapping.load(job, node) > 0.0;
        let matters: Vec<u32> =
            (0..mapping.nodes).filter(|&node| (0..count).any(|job| rising(job, node))).collect();
        let fits = |level: f64| matters.iter().all(|&node| used(node, level) <= 1.0 + 1e-13);
        if fits(top) {
            return (0..count).map(|job| stopped[job].unwrap_or(1.0)).collect();
        }
        let (mut low, mut high) = (0.0, top);
        for _ in 0..100 {
            let middle = f64::midpoint(low, high);
            *(if fits(middle) { &mut low } else { &mut high }) = middle;
        }
        let full: Vec<u32> =
            matters.iter().copied().filter(|&node| used(node, low + 1e-9) > 1.0 + 1e-13).collect();
        let stopping: Vec<usize> =
            (0..count).filter(|&job| full.iter().any(|&node| rising(job, node))).collect();
        for job in stopping {
            stopped[job] = Some(yield_at(job, low));
        }
    }
}

/// Returns the largest sum of weight * yield with these floors, computed by an independent solver
/// for linear programs.
pub(crate) fn largest_sum(mapping: &Mapping, weights: &[f64], floors: &[f64]) -> f64 {
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let variables: Vec<_> =
        weights.iter().zip(floors).map(|(&weight, &floor)| problem.add_var(weight, (floor, 1.0))).collect();
    for node in 0..mapping.nodes {
        let row: Vec<_> = (0..mapping.jobs.len())
            .map(|job| (variables[job], mapping.load(job, node)))
            .filter(|&(_, load)| load > 0.0)
            .collect();
        // The limit is slightly above the capacity, since rounding of the floors could make the
        // problem infeasible.
        problem.add_constraint(&row, ComparisonOp::Le, 1.0 + 1e-9);
    }
    let solution = problem.solve().expect("the floors are feasible");
    solution.into_solution().expect("no limits were set").objective()
}
