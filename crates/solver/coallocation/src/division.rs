//! Phase VI: division of the totals among resources.

use crate::{Candidates, Choice};
use dfrsim_model::SimTime;
use dfrsim_model::coallocation::{Allocation, Request, Reservation};

/// Computes the reservations of an admissible choice. Each resource gives its minimum and a part of
/// the missing total in proportion to its free amount in excess of the minimum (section 3.6).
///
/// Parts are rounded down to steps of the request. The missing steps go to the resources with the
/// largest rounding errors, one each, so that the sum equals the total and no resource gives more
/// than is free.
pub(crate) fn divide(
    candidates: &Candidates,
    request: &Request,
    choice: &Choice,
    start: SimTime,
) -> Allocation {
    let mut chosen = choice.chosen.clone();
    chosen.sort_unstable_by_key(|&candidate| candidates.resource(candidate));
    let mut amounts = vec![vec![0; request.total.len()]; chosen.len()];
    for (property, &total) in request.total.iter().enumerate() {
        let (minimum, step) = (request.minimum[property], request.step[property]);
        let spare = |&candidate: &usize| (candidates.free(candidate)[property] - minimum) / step;
        let spare: Vec<u64> = chosen.iter().map(spare).collect();
        let parts = proportional_parts((total - minimum * chosen.len() as u64) / step, &spare);
        for (amounts, part) in amounts.iter_mut().zip(parts) {
            amounts[property] = minimum + part * step;
        }
    }
    let until = start + request.duration;
    let reservation = |(&candidate, amounts): (&usize, Vec<u64>)| Reservation {
        resource: candidates.resource(candidate),
        from: start,
        until,
        amounts: amounts.into(),
    };
    Allocation { start, reservations: chosen.iter().zip(amounts).map(reservation).collect() }
}

/// Divides an amount into integer parts proportional to `weights`, by largest remainders; the first
/// of equal ones wins. No part exceeds its weight if the amount does not exceed the sum of weights.
fn proportional_parts(amount: u64, weights: &[u64]) -> Vec<u64> {
    let whole: u128 = weights.iter().copied().map(u128::from).sum();
    if whole == 0 {
        return vec![0; weights.len()];
    }
    let product = |&weight: &u64| u128::from(amount) * u128::from(weight);
    let mut parts: Vec<u64> = weights.iter().map(|weight| (product(weight) / whole) as u64).collect();
    let missing = amount - parts.iter().sum::<u64>();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(product(&weights[index]) % whole));
    order.iter().take(missing as usize).for_each(|&index| parts[index] += 1);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Splitting 10 evenly among weights of 4 gives 3 1/3 each: the first of equal remainders gets
    /// the missing unit.
    #[test]
    fn largest_remainders_get_what_is_missing() {
        assert_eq!(proportional_parts(10, &[4, 4, 4]), [4, 3, 3]);
        // 7 * (5, 3, 2) / 10 = 3.5, 2.1, 1.4.
        assert_eq!(proportional_parts(7, &[5, 3, 2]), [4, 2, 1]);
        assert_eq!(proportional_parts(0, &[0, 0]), [0, 0]);
    }

    proptest! {
        #[test]
        fn parts_sum_up_and_fit(weights in prop::collection::vec(0..1_000_u64, 1..20), share in 0.0..=1.0) {
            let whole: u64 = weights.iter().sum();
            let amount = (whole as f64 * share) as u64;
            let parts = proportional_parts(amount, &weights);
            prop_assert_eq!(parts.iter().sum::<u64>(), amount);
            for (part, weight) in parts.iter().zip(&weights) {
                prop_assert!(part <= weight);
                // Parts are proportional except for rounding.
                let rounding = whole.max(1);
                prop_assert!(part * whole < amount * weight + rounding);
                prop_assert!(amount * weight < part * whole + rounding);
            }
        }
    }
}
