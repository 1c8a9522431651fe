//! First Fit and Best Fit with the degree of dominance.

use dfrsim_model::offline::Instance;
use dfrsim_vector_packing::vector::{self, VectorPacking};
use dfrsim_vector_packing::{Outcome, Settings};

/// `VP_{BF,FF}{SUM,MAX,LEX}_DD` (dissertation, section 4.2.5): a First Fit or Best Fit packing that
/// fails is tried again at the same yield with the items by decreasing sum of sizes, weighted by the
/// degree of dominance of each dimension. This is the fraction of the failed fit tests that failed
/// in the dimension. If a task fits nowhere, the first packing continues with the next task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dominance {
    /// Name of the algorithm.
    pub(super) name: &'static str,
    /// Name of the algorithm without the second packing.
    base: &'static str,
    is_best_fit: bool,
}

impl Dominance {
    /// All variants, in the order of the dissertation.
    pub const ALL: [Dominance; 6] = [
        Dominance { name: "VP_BFSUM_DD", base: "VP_BFSUM", is_best_fit: true },
        Dominance { name: "VP_BFMAX_DD", base: "VP_BFMAX", is_best_fit: true },
        Dominance { name: "VP_BFLEX_DD", base: "VP_BFLEX", is_best_fit: true },
        Dominance { name: "VP_FFSUM_DD", base: "VP_FFSUM", is_best_fit: false },
        Dominance { name: "VP_FFMAX_DD", base: "VP_FFMAX", is_best_fit: false },
        Dominance { name: "VP_FFLEX_DD", base: "VP_FFLEX", is_best_fit: false },
    ];

    /// Solves an instance.
    pub(super) fn solve(self, instance: &Instance, settings: &Settings) -> Outcome {
        let base: vector::Algorithm = self.base.parse().expect("the algorithm exists");
        let degrees = if self.is_best_fit { failed_in_best_fit } else { failed_in_first_fit };
        let solved = VectorPacking::new(base, settings.vector).with_second_try(degrees).solve(instance);
        solved.ok().flatten().map_or(Outcome::Failed, Outcome::Solved)
    }
}

/// Counts the fit tests that fail in each dimension when First Fit packs the items; it tests the
/// nodes in order, up to the first that fits. Items that fit nowhere are left out. Degrees of
/// dominance are these counts divided by the number of all failed tests.
fn failed_in_first_fit(items: &[(&[u64], u64)], nodes: &[&[u64]]) -> Vec<u64> {
    let mut failed = vec![0; items.first().map_or(0, |item| item.0.len())];
    let mut frees: Vec<Vec<u64>> = nodes.iter().map(|free| free.to_vec()).collect();
    for &(size, tasks) in items {
        let mut left = tasks;
        // Each task that does not fit on a node has failed one test there.
        for free in &mut frees {
            left -= take_most(size, left, free);
            count_failed(&mut failed, size, free, left);
        }
    }
    failed
}

/// Counts the fit tests that fail in each dimension under Best Fit, which tests all nodes for each
/// task.
fn failed_in_best_fit(items: &[(&[u64], u64)], nodes: &[&[u64]]) -> Vec<u64> {
    let mut failed = vec![0; items.first().map_or(0, |item| item.0.len())];
    let mut frees: Vec<Vec<u64>> = nodes.iter().map(|free| free.to_vec()).collect();
    for &(size, tasks) in items {
        for _ in 0..tasks {
            let mut best: Option<(u64, usize)> = None;
            for (node, free) in frees.iter().enumerate() {
                if fits(size, free) {
                    let candidate = (free.iter().sum(), node);
                    best = Some(best.map_or(candidate, |best| best.min(candidate)));
                } else {
                    count_failed(&mut failed, size, free, 1);
                }
            }
            if let Some((_, node)) = best {
                take_most(size, 1, &mut frees[node]);
            }
        }
    }
    failed
}

fn fits(size: &[u64], free: &[u64]) -> bool {
    size.iter().zip(free).all(|(size, free)| size <= free)
}

fn count_failed(failed: &mut [u64], size: &[u64], free: &[u64], tasks: u64) {
    for (failed, (size, free)) in failed.iter_mut().zip(size.iter().zip(free)) {
        *failed += u64::from(size > free) * tasks;
    }
}

/// Places up to `most` tasks on a node and returns their number.
fn take_most(size: &[u64], most: u64, free: &mut [u64]) -> u64 {
    let needs = size.iter().zip(&*free).filter(|(size, _)| **size > 0);
    let taken = needs.map(|(size, free)| free / size).min().map_or(most, |count| count.min(most));
    free.iter_mut().zip(size).for_each(|(free, size)| *free -= size * taken);
    taken
}
