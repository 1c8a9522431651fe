//! Nodes that are filled one after the other, each with the item that suits what it has left best (Panigrahy, Talwar, Uyeda and
//! Wieder, Heuristics for vector bin packing, 2011).

use super::algorithm::Rule;
use dfrsim_packing::filling::{FillRule, ItemLists, Take, fits, reduce};

/// Scores are of amounts without this many of their bits, so that they fit 128.
const FINE: u32 = 20;

/// A node takes the item of the one list that suits it best, again and again; of equal ones the first.
#[derive(Debug)]
pub(super) struct Scored<const D: usize> {
    rule: Rule,
    /// What a resource counts for: the mean of what tasks ask of it.
    weights: [u128; D],
}

impl<const D: usize> Scored<D> {
    pub(super) fn new(rule: Rule, items: &ItemLists<D>) -> Scored<D> {
        let mut weights = [0; D];
        let mut tasks = 0;
        for item in items.items() {
            tasks += u128::from(item.left);
            for (sum, size) in weights.iter_mut().zip(item.size) {
                *sum += u128::from(size >> FINE) * u128::from(item.left);
            }
        }
        Scored { rule, weights: weights.map(|sum| sum / tasks.max(1)) }
    }

    /// How badly an item suits what is free; the least is best.
    fn misfit(&self, free: &[u64; D], size: &[u64; D]) -> u128 {
        let by_resource = (0..D).map(|d| {
            if self.rule == Rule::DotProduct {
                self.weights[d] * u128::from(free[d] >> FINE) * u128::from(size[d] >> FINE)
            } else {
                let rest = u128::from((free[d] - size[d]) >> FINE);
                self.weights[d] * rest * rest
            }
        });
        let sum = by_resource.sum();
        if self.rule == Rule::DotProduct { u128::MAX - sum } else { sum }
    }
}

impl<const D: usize> FillRule<D> for Scored<D> {
    fn fill(&mut self, items: &ItemLists<D>, free: &mut [u64; D], takes: &mut Vec<Take>) {
        // Free capacity only shrinks: an item that does not fit once need not be examined again.
        let open = items.items().iter().zip(0..).filter(|(item, _)| item.left > 0 && fits(&item.size, free));
        let mut open: Vec<Take> = open.map(|(_, item)| Take { item, count: 0 }).collect();
        let item = |take: &Take| &items.items()[take.item as usize];
        while let Some(best) = open.iter_mut().min_by_key(|take| self.misfit(free, &item(take).size)) {
            best.count += 1;
            reduce(free, &item(best).size, 1);
            open.retain(|take| {
                let goes_on = take.count < item(take).left && fits(&item(take).size, free);
                if !goes_on && take.count > 0 {
                    takes.push(*take);
                }
                goes_on
            });
        }
    }
}
