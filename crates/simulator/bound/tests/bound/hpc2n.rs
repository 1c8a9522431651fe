//! Tests the bounds of the weeks of the on-line study.

use crate::weeks::{NODES, weeks};
use dfrsim_bound::max_stretch_bound;
use dfrsim_model::SimSpan;

/// Compares the mean 1.801, standard deviation 0.815 and maximum 5.354 over the weeks, which two
/// other programs computed by bisection to 1e-4.
#[test]
#[ignore = "needs logs: HPC2N"]
fn bounds_of_all_weeks() {
    let bounds: Vec<f64> = weeks()
        .unwrap()
        .iter()
        .map(|jobs| {
            let bound = max_stretch_bound(jobs, NODES, SimSpan::from_secs(10));
            assert!(bound.upper <= bound.value * (1.0 + 1e-9), "{bound:?}");
            bound.value
        })
        .collect();
    let count = bounds.len() as f64;
    let mean = bounds.iter().sum::<f64>() / count;
    let variance = bounds.iter().map(|bound| (bound - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let maximum = bounds.iter().copied().fold(1.0, f64::max);
    assert_eq!(bounds.len(), 182);
    let figures = format!("{mean:.3} {:.3} {maximum:.3}", variance.sqrt());
    assert_eq!(figures, "1.801 0.815 5.354");
}
