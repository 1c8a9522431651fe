//! Selection of the free nodes that a starting job gets.

use dfrsim_model::batch::Place;
use std::ops::Range;

/// Determines the order in which a job takes free runs of these lengths, given by ascending node
/// number. Runs that it does not need may be missing.
pub(super) fn order(place: Place, lengths: &[u64], width: u64) -> Vec<usize> {
    let enough = |run: &usize| lengths[*run] >= width;
    let mut all: Vec<usize> = (0..lengths.len()).collect();
    match place {
        // Scored placements rank single nodes, not runs.
        place if place == Place::First || place.is_scored() => all,
        Place::Contiguous => all.iter().copied().find(enough).map_or(all, |run| vec![run]),
        _ => {
            // The sort is stable, so that the lowest of equally long runs is first.
            all.sort_by_key(|&run| lengths[run]);
            let (mut order, mut missing) = (Vec::new(), width);
            while let Some(&longest) = all.last().filter(|_| missing > 0) {
                let at = all.partition_point(|&run| lengths[run] < missing.min(lengths[longest]));
                let run = all.remove(at);
                missing = missing.saturating_sub(lengths[run]);
                order.push(run);
            }
            order
        }
    }
}

/// Selects `width` nodes from free runs in ascending order; returns ranges in ascending order. There
/// must be enough nodes.
pub(super) fn choose(place: Place, runs: &[Range<u32>], width: u32) -> Vec<Range<u32>> {
    let lengths: Vec<u64> = runs.iter().map(|run| u64::from(run.end - run.start)).collect();
    let mut missing = width;
    let taken = order(place, &lengths, width.into()).into_iter().map(|at| {
        let Range { start, end } = runs[at];
        let nodes = (end - start).min(missing);
        missing -= nodes;
        start..start + nodes
    });
    let mut taken: Vec<Range<u32>> = taken.take_while(|part| !part.is_empty()).collect();
    taken.sort_unstable_by_key(|part| part.start);
    taken
}

/// Selects `width` nodes from single free nodes in ascending order, as [`choose`] does.
pub(super) fn choose_nodes(
    place: Place,
    free: impl Iterator<Item = u32>,
    width: u32,
) -> impl Iterator<Item = u32> {
    let mut runs: Vec<Range<u32>> = Vec::new();
    for node in free {
        match runs.last_mut().filter(|run| run.end == node) {
            Some(run) => run.end += 1,
            None => runs.push(node..node + 1),
        }
    }
    choose(place, &runs, width).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::{Place, choose};
    use proptest::prelude::*;
    use std::ops::Range;

    /// Free: 0-1, 4-8, 10-12, 14-16.
    ///
    /// | nodes | first | contiguous | best |
    /// |---|---|---|---|
    /// | 2 | 0-1 | 0-1 | 0-1 |
    /// | 3 | 0-1 and 4 | 4-6 | 10-12 |
    /// | 4 | 0-1 and 4-5 | 4-7 | 4-7 |
    /// | 7 | 0-1 and 4-8 | the same | 4-8, of the rest the run of two: 0-1 |
    /// | 9 | 0-1, 4-8 and 10-11 | the same | 4-8, 10-12 (of two runs of three), then 0 |
    #[test]
    fn runs_are_chosen() {
        let runs = || vec![0..2, 4..9, 10..13, 14..17];
        type Parts = &'static [(u32, u32)];
        let cases: [(u32, [Parts; 3]); 5] = [
            (2, [&[(0, 2)], &[(0, 2)], &[(0, 2)]]),
            (3, [&[(0, 2), (4, 5)], &[(4, 7)], &[(10, 13)]]),
            (4, [&[(0, 2), (4, 6)], &[(4, 8)], &[(4, 8)]]),
            (7, [&[(0, 2), (4, 9)], &[(0, 2), (4, 9)], &[(0, 2), (4, 9)]]),
            (9, [&[(0, 2), (4, 9), (10, 12)], &[(0, 2), (4, 9), (10, 12)], &[(0, 1), (4, 9), (10, 13)]]),
        ];
        for (width, expected) in cases {
            for (place, expected) in Place::ALL.iter().copied().zip(expected) {
                let found = choose(place, &runs(), width).into_iter().map(|part| (part.start, part.end));
                assert_eq!(found.collect::<Vec<_>>(), expected, "{place:?}, {width}");
            }
        }
    }

    /// Computes the smallest number of runs that together have `width` nodes, by brute force over
    /// all subsets.
    fn least_runs(runs: &[Range<u32>], width: u32) -> u32 {
        let subsets = 0..1_u32 << runs.len();
        let size = |set: u32| -> u32 {
            runs.iter()
                .enumerate()
                .filter(|(bit, _)| set >> bit & 1 == 1)
                .map(|(_, run)| run.end - run.start)
                .sum()
        };
        subsets.filter(|&set| size(set) >= width).map(u32::count_ones).min().unwrap()
    }

    proptest! {
        #[test]
        fn best_takes_the_fewest_runs(
            lengths in prop::collection::vec((1..9_u32, 1..4_u32), 1..10), part: prop::sample::Index,
        ) {
            let mut from = 0;
            let runs: Vec<Range<u32>> = lengths.iter().map(|&(length, gap)| {
                let run = from..from + length;
                from = run.end + gap;
                run
            }).collect();
            let free: u32 = lengths.iter().map(|&(length, _)| length).sum();
            let width = part.index(free as usize) as u32 + 1;
            let taken = choose(Place::Best, &runs, width);
            prop_assert_eq!(taken.iter().map(|part| part.end - part.start).sum::<u32>(), width);
            prop_assert_eq!(taken.len() as u32, least_runs(&runs, width));
            // The best single run is the shortest one that is long enough.
            if let [part] = &taken[..] {
                let of = |from: u32| runs.iter().find(|run| run.contains(&from)).unwrap();
                let chosen = of(part.start);
                let better = |run: &&Range<u32>| {
                    let (length, chosen_length) = (run.end - run.start, chosen.end - chosen.start);
                    length >= width && (length, run.start) < (chosen_length, chosen.start)
                };
                prop_assert_eq!(runs.iter().find(better), None);
            }
        }
    }
}
