//! Degrees of dominance: relative frequency with which each dimension keeps an item out of a node.

use super::algorithm::Rule;
use dfrsim_packing::filling::{ItemLists, NodeRuns, fits, take_most};

/// Counts the fit tests that fail in each dimension when the items of one list are packed by First
/// Fit or Best Fit; items that fit nowhere are left out. Degrees of dominance are these counts
/// divided by the number of all failed tests.
///
/// First Fit tests the nodes in order up to the first that fits, Best Fit all of them.
pub(super) fn failed_tests<const D: usize>(
    rule: Rule,
    items: &ItemLists<D>,
    nodes: &NodeRuns<D>,
) -> [u64; D] {
    let mut frees: Vec<[u64; D]> = Vec::new();
    for run in nodes.runs() {
        frees.extend((0..run.nodes).map(|_| nodes.kinds()[run.kind as usize]));
    }
    let mut failed = [0; D];
    let mut count_failed = |size: &[u64; D], free: &[u64; D], tasks| {
        for d in 0..D {
            failed[d] += u64::from(size[d] > free[d]) * tasks;
        }
    };
    for item in items.items() {
        let mut left = item.left;
        if rule == Rule::BestFit {
            while left > 0 {
                let mut best: Option<(u64, usize)> = None;
                for (node, free) in frees.iter().enumerate() {
                    if fits(&item.size, free) {
                        let candidate = (free.iter().sum(), node);
                        best = Some(best.map_or(candidate, |best| best.min(candidate)));
                    } else {
                        count_failed(&item.size, free, 1);
                    }
                }
                if let Some((_, node)) = best {
                    take_most(&item.size, 1, &mut frees[node]);
                }
                left -= 1;
            }
        } else {
            // Every task that a node does not take has failed the test there.
            for free in &mut frees {
                left -= take_most(&item.size, left, free);
                count_failed(&item.size, free, left);
            }
        }
    }
    failed
}
