//! Cheapest set of VMs to move off an overloaded node.

use crate::amount::Amount;

/// Number of subsets after which the search stops at its incumbent.
const MAX_VISITS: u32 = 10_000;

/// Returns the positions of the items (amount, price) of least total price that free the excess; all
/// items if even they do not suffice. For many items the search is truncated, and the result need
/// not be optimal.
pub(super) fn cheapest_cover(items: &[(Amount, u64)], excess: Amount) -> Vec<usize> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&at| items[at].1);
    let mut search = CoverSearch { items, order, chosen: Vec::new(), best: None, visits: 0 };
    search.visit(0, excess, 0);
    search.best.map_or_else(|| (0..items.len()).collect(), |(_, chosen)| chosen)
}

struct CoverSearch<'a> {
    items: &'a [(Amount, u64)],
    /// Positions sorted by price.
    order: Vec<usize>,
    chosen: Vec<usize>,
    best: Option<(u64, Vec<usize>)>,
    visits: u32,
}

impl CoverSearch<'_> {
    /// Extends the chosen set by items from position `from` of the order on, to cover the remaining
    /// excess `left`.
    fn visit(&mut self, from: usize, left: Amount, price: u64) {
        self.visits += 1;
        if self.best.as_ref().is_some_and(|(best, _)| price >= *best) {
            return;
        }
        if left.cpu <= 0 && left.memory <= 0 {
            self.best = Some((price, self.chosen.clone()));
            return;
        }
        for at in from..self.order.len() {
            if self.visits > MAX_VISITS && self.best.is_some() {
                return;
            }
            let item = self.order[at];
            let (amount, own) = self.items[item];
            self.chosen.push(item);
            self.visit(at + 1, left - amount, price + own);
            self.chosen.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_subset_is_cheaper(
            items in prop::collection::vec((0_i64..9, 0_i64..9, 0_u64..20), 0..8),
            cpu in -5_i64..30,
            memory in -5_i64..30,
        ) {
            let items: Vec<(Amount, u64)> =
                items.into_iter().map(|(cpu, memory, price)| (Amount::new(cpu, memory), price)).collect();
            let excess = Amount::new(cpu, memory);
            let sum = |chosen: &mut dyn Iterator<Item = usize>| {
                chosen.fold((Amount::NONE, 0), |sum, at| (sum.0 + items[at].0, sum.1 + items[at].1))
            };
            let covers = |freed: Amount| freed.cpu >= cpu && freed.memory >= memory;
            let subsets = 0..1_u32 << items.len();
            let sums = subsets.map(|set| sum(&mut (0..items.len()).filter(|at| set >> at & 1 == 1)));
            let least = sums.filter(|(freed, _)| covers(*freed)).map(|(_, price)| price).min();
            let (freed, price) = sum(&mut cheapest_cover(&items, excess).into_iter());
            match least {
                Some(least) => prop_assert!(covers(freed) && price == least),
                None => prop_assert_eq!(freed, sum(&mut (0..items.len())).0),
            }
        }
    }
}
