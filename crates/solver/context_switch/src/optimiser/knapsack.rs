//! Two small knapsack problems of the lower bound.

/// Number of dynamic programming steps above which the fractional relaxation is used instead.
const MAX_STEPS: i64 = 20_000_000;

/// Returns the minimum total price of items (weight, price) with a total weight of at least
/// `weight`; the price of all items if their total weight is less. For large inputs the result is a
/// lower bound.
pub(super) fn least_cover(items: impl Iterator<Item = (i64, i64)>, weight: i64) -> u64 {
    if weight <= 0 {
        return 0;
    }
    let mut items: Vec<(i64, i64)> = items.filter(|(weight, _)| *weight > 0).collect();
    if weight.saturating_mul(items.len() as i64) > MAX_STEPS {
        // Fractional relaxation: items by price per weight, and a fraction of the last one.
        let by = |price: i64, weight: i64| i128::from(price) * i128::from(weight);
        items.sort_by(|a, b| by(a.1, b.0).cmp(&by(b.1, a.0)));
        let (mut left, mut price) = (weight, 0);
        for (item, cost) in items {
            price += (by(cost, left.min(item)) / i128::from(item)) as i64;
            left -= left.min(item);
        }
        return price.unsigned_abs();
    }
    // `least[w]` is the minimum price of a total weight of at least `w`.
    let mut least = vec![u64::MAX; weight as usize + 1];
    least[0] = 0;
    for &(item, price) in &items {
        for reached in (1..=weight as usize).rev() {
            let before = least[reached.saturating_sub(item as usize)];
            least[reached] = least[reached].min(before.saturating_add(price.unsigned_abs()));
        }
    }
    let all = || items.iter().map(|(_, price)| price.unsigned_abs()).sum();
    if least[weight as usize] == u64::MAX { all() } else { least[weight as usize] }
}

/// Returns the maximum total value of items (weight, value) with a total weight of at most
/// `capacity`. For large inputs the result is an upper bound.
pub(super) fn max_value(items: &[(i64, u64)], capacity: i64) -> u64 {
    let total: i64 = items.iter().map(|(weight, _)| weight).sum();
    if total <= capacity {
        return items.iter().map(|(_, value)| value).sum();
    }
    if capacity.saturating_mul(items.len() as i64) > MAX_STEPS {
        // Fractional relaxation: items by value per weight, and a fraction of the last one, rounded
        // up. Weightless items always fit and have no rank in that order.
        let (mut items, light): (Vec<_>, Vec<_>) = items.iter().copied().partition(|(weight, _)| *weight > 0);
        items.sort_by(|a, b| (b.1 as i64 * a.0).cmp(&(a.1 as i64 * b.0)));
        let (mut left, mut value) = (capacity, 0.0);
        let weightless: u64 = light.iter().map(|(_, value)| value).sum();
        for (weight, worth) in items {
            let part = if weight <= left { 1.0 } else { left as f64 / weight as f64 };
            value += worth as f64 * part;
            left -= weight.min(left);
        }
        return weightless + (value + 1e-6).floor() as u64;
    }
    let mut most = vec![0_u64; capacity.max(0) as usize + 1];
    for &(weight, value) in items {
        for within in (weight as usize..most.len()).rev() {
            most[within] = most[within].max(most[within - weight as usize] + value);
        }
    }
    most[most.len() - 1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the sums over all subsets.
    fn subsets(items: &[(i64, i64)]) -> impl Iterator<Item = (i64, i64)> + '_ {
        (0..1_u32 << items.len()).map(|subset| {
            let chosen = items.iter().enumerate().filter(|(at, _)| subset >> at & 1 == 1);
            chosen.fold((0, 0), |sum, (_, item)| (sum.0 + item.0, sum.1 + item.1))
        })
    }

    proptest! {
        /// Weights in millions exceed the dynamic program; the relaxation must then bound from the
        /// correct side.
        #[test]
        fn all_subsets_give_the_same(
            items in prop::collection::vec((0_i64..12, 0_i64..20), 0..9),
            weight in 0_i64..60,
        ) {
            const MILLIONS: i64 = 10_000_000;
            let large: Vec<(i64, i64)> = items.iter().map(|item| (item.0 * MILLIONS, item.1)).collect();
            let whole: i64 = items.iter().map(|item| item.0).sum();

            let cover = subsets(&items).filter(|sum| sum.0 >= weight.min(whole)).map(|sum| sum.1).min();
            prop_assert_eq!(least_cover(items.iter().copied(), weight.min(whole)), cover.unwrap() as u64);
            prop_assert!(least_cover(large.iter().copied(), weight.min(whole) * MILLIONS) <= cover.unwrap() as u64);

            let values = |items: &[(i64, i64)]| items.iter().map(|item| (item.0, item.1 as u64)).collect::<Vec<_>>();
            let most = subsets(&items).filter(|sum| sum.0 <= weight).map(|sum| sum.1).max();
            prop_assert_eq!(max_value(&values(&items), weight), most.unwrap() as u64);
            prop_assert!(max_value(&values(&large), weight * MILLIONS) >= most.unwrap() as u64);
        }
    }
}
