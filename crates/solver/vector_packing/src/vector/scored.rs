//! Bin-centric greedy filling: nodes are filled one after the other, each with the item of the best
//! score for its free capacity (Panigrahy, Talwar, Uyeda and Wieder, Heuristics for vector bin
//! packing, 2011).

use super::algorithm::Rule;
use dfrsim_packing::filling::{FillRule, ItemLists, Take, fits, reduce};

/// Number of low bits dropped from amounts in scores, so that scores fit in 128 bits.
const DROPPED_BITS: u32 = 20;

/// Rule by which a node repeatedly takes the item with the best score from the single list; of equal
/// ones the first.
#[derive(Debug)]
pub(super) struct Scored<const D: usize> {
    rule: Rule,
    /// Weight of each resource: the mean demand of the tasks for it.
    weights: [u128; D],
}

impl<const D: usize> Scored<D> {
    pub(super) fn new(rule: Rule, items: &ItemLists<D>) -> Scored<D> {
        let mut weights = [0; D];
        let mut tasks = 0;
        for item in items.items() {
            tasks += u128::from(item.left);
            for (sum, size) in weights.iter_mut().zip(item.size) {
                *sum += u128::from(size >> DROPPED_BITS) * u128::from(item.left);
            }
        }
        Scored { rule, weights: weights.map(|sum| sum / tasks.max(1)) }
    }

    /// Computes the score of an item for the free capacity; the smallest is best.
    fn score(&self, free: &[u64; D], size: &[u64; D]) -> u128 {
        let by_resource = (0..D).map(|d| {
            if self.rule == Rule::DotProduct {
                self.weights[d] * u128::from(free[d] >> DROPPED_BITS) * u128::from(size[d] >> DROPPED_BITS)
            } else {
                let rest = u128::from((free[d] - size[d]) >> DROPPED_BITS);
                self.weights[d] * rest * rest
            }
        });
        let sum = by_resource.sum();
        if self.rule == Rule::DotProduct { u128::MAX - sum } else { sum }
    }
}

impl<const D: usize> FillRule<D> for Scored<D> {
    fn fill(&mut self, items: &ItemLists<D>, free: &mut [u64; D], takes: &mut Vec<Take>) {
        // Free capacity only shrinks, so an item that did not fit once need not be examined again.
        let open = items.items().iter().zip(0..).filter(|(item, _)| item.left > 0 && fits(&item.size, free));
        let mut open: Vec<Take> = open.map(|(_, item)| Take { item, count: 0 }).collect();
        let item = |take: &Take| &items.items()[take.item as usize];
        while let Some(best) = open.iter_mut().min_by_key(|take| self.score(free, &item(take).size)) {
            best.count += 1;
            reduce(free, &item(best).size, 1);
            open.retain(|take| {
                let stays_open = take.count < item(take).left && fits(&item(take).size, free);
                if !stays_open && take.count > 0 {
                    takes.push(*take);
                }
                stays_open
            });
        }
    }
}
