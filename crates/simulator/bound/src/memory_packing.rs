//! Exact test whether tasks fit into the memory of identical nodes.

use dfrsim_model::Share;

/// Number of nodes of the search tree after which tasks count as fitting.
const MAX_STEPS: u32 = 20_000;
const WHOLE: u32 = Share::ONE.units();

/// Returns whether tasks, given as pairs of the memory of a task in share units and their number, fit
/// into the memory of that many nodes.
///
/// A lower bound on the number of nodes (Martello and Toth 1990, L2) or a packing by decreasing memory
/// decides most cases, and a search that fills one node after the other the rest. A search that is not
/// over after 20,000 steps answers that the tasks fit, which keeps bounds valid.
pub(crate) fn fits_in_memory(tasks: &[(u32, u32)], nodes: u32) -> bool {
    let mut kinds: Vec<(u32, u32)> = tasks.iter().copied().filter(|(memory, _)| *memory > 0).collect();
    kinds.sort_unstable_by(|a, b| b.cmp(a));
    if kinds.iter().any(|(memory, _)| *memory > WHOLE) || least_nodes(&kinds) > u64::from(nodes) {
        return false;
    }
    if fit_decreasing(&kinds, nodes) {
        return true;
    }
    let mut left: Vec<u32> = kinds.iter().map(|kind| kind.1).collect();
    let sizes: Vec<u32> = kinds.iter().map(|kind| kind.0).collect();
    let mut search = Search { sizes: &sizes, steps: 0 };
    search.fill(&mut left, nodes)
}

/// Returns a lower bound on the number of nodes: tasks above 1 - k count as whole nodes and tasks below
/// k as nothing, for each k up to a half.
fn least_nodes(kinds: &[(u32, u32)]) -> u64 {
    let thresholds = kinds.iter().flat_map(|(memory, _)| [*memory, WHOLE - *memory]).chain([0]);
    let bound = |least: u32| {
        let of = |&(memory, tasks): &(u32, u32)| match memory {
            _ if memory > WHOLE - least => u64::from(WHOLE) * u64::from(tasks),
            _ if memory < least => 0,
            _ => u64::from(memory) * u64::from(tasks),
        };
        // Two tasks above a half never share a node.
        let large: u64 = kinds.iter().filter(|kind| kind.0 > WHOLE / 2).map(|kind| u64::from(kind.1)).sum();
        kinds.iter().map(of).sum::<u64>().div_ceil(u64::from(WHOLE)).max(large)
    };
    thresholds.filter(|least| *least <= WHOLE / 2).map(bound).max().unwrap_or(0)
}

/// Returns whether tasks fit if each takes the first node with room, the largest ones first.
fn fit_decreasing(kinds: &[(u32, u32)], nodes: u32) -> bool {
    let mut free = vec![WHOLE; nodes as usize];
    kinds.iter().all(|&(memory, tasks)| {
        let mut missing = tasks;
        for node in &mut free {
            let here = (*node / memory).min(missing);
            *node -= here * memory;
            missing -= here;
        }
        missing == 0
    })
}

/// Search that fills nodes one after the other.
struct Search<'a> {
    /// Memory of a task of each kind, in descending order.
    sizes: &'a [u32],
    steps: u32,
}

impl Search<'_> {
    /// Returns whether the tasks that are left of each kind fit into that many empty nodes.
    fn fill(&mut self, left: &mut Vec<u32>, nodes: u32) -> bool {
        let Some(first) = left.iter().position(|tasks| *tasks > 0) else { return true };
        let kinds: Vec<(u32, u32)> = self.sizes.iter().copied().zip(left.iter().copied()).collect();
        if nodes == 0 || least_nodes(&kinds) > u64::from(nodes) {
            return false;
        }
        // The largest task that is left is on some node; this is that node.
        left[first] -= 1;
        let found = self.complete(left, first, WHOLE - self.sizes[first], nodes);
        left[first] += 1;
        found
    }

    /// Returns whether some way of filling the rest of a node, with tasks from a kind on, leaves tasks
    /// that fit into the other nodes. Only nodes to which no further task could be added are tried.
    fn complete(&mut self, left: &mut Vec<u32>, from: usize, free: u32, nodes: u32) -> bool {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return true;
        }
        let mut is_full = true;
        for kind in from..left.len() {
            if left[kind] > 0 && self.sizes[kind] <= free {
                is_full = false;
                left[kind] -= 1;
                let found = self.complete(left, kind, free - self.sizes[kind], nodes);
                left[kind] += 1;
                if found {
                    return true;
                }
            }
        }
        // A larger task that still fits was left out on purpose, and that is never better.
        let could_add = (0..from).any(|kind| left[kind] > 0 && self.sizes[kind] <= free);
        is_full && !could_add && self.fill(left, nodes - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Tries all nodes for each task.
    fn fit_anyhow(tasks: &[u32], free: &mut Vec<u32>) -> bool {
        let Some((first, others)) = tasks.split_first() else { return true };
        (0..free.len()).any(|node| {
            let fits = free[node] >= *first;
            if fits {
                free[node] -= first;
                let found = fit_anyhow(others, free);
                free[node] += first;
                return found;
            }
            false
        })
    }

    proptest! {
        #[test]
        fn it_agrees_with_all_packings(
            kinds in prop::collection::vec((1_u32..=12, 1_u32..=3), 1..4), nodes in 1_u32..4,
        ) {
            let kinds: Vec<(u32, u32)> = kinds.into_iter().map(|(part, tasks)| (WHOLE / 12 * part, tasks)).collect();
            let tasks: Vec<u32> = kinds.iter().flat_map(|&(memory, tasks)| vec![memory; tasks as usize]).collect();
            let expected = fit_anyhow(&tasks, &mut vec![WHOLE; nodes as usize]);
            prop_assert_eq!(fits_in_memory(&kinds, nodes), expected);
        }
    }

    /// Six tasks fill two nodes exactly, and by decreasing memory they do not: 6 + 4 + 2 = 5 + 5 + 2 twelfths.
    #[test]
    fn a_search_finds_what_decreasing_memory_does_not() {
        let kinds = [(6, 1), (5, 2), (4, 1), (2, 2)].map(|(part, tasks)| (WHOLE / 12 * part, tasks));
        assert!(fits_in_memory(&kinds, 2));
        assert!(!fit_decreasing(&kinds, 2));
    }
}
