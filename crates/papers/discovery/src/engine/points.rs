//! Points of weight: whole numbers, of which a node has 100 (dissertation, section 7.2).

/// Sum of the weights of the machines on a node.
pub(crate) const POINTS: u32 = 100;

/// Divides the points in proportion to the parts, which add up to at most `whole`, by largest
/// remainders. Each part gets at least one point, since a weight of 0 is invalid. Ties go to the
/// earlier part.
pub(crate) fn divide(parts: &[u64], whole: u64, points: &mut Vec<u32>) {
    points.clear();
    points.extend(
        parts.iter().map(|&part| ((u128::from(part) * u128::from(POINTS) / u128::from(whole)) as u32).max(1)),
    );
    // Deficit of a part with this many points, scaled; negative if it has too many.
    let lack = |at: usize, points: u32| {
        i128::from(parts[at]) * i128::from(POINTS) - i128::from(points) * i128::from(whole)
    };
    let mut sum: u32 = points.iter().sum();
    while sum < POINTS {
        let at = (0..parts.len())
            .rev()
            .max_by_key(|&at| lack(at, points[at]))
            .expect("there is at least one part");
        points[at] += 1;
        sum += 1;
    }
    while sum > POINTS {
        let most = (0..parts.len()).filter(|&at| points[at] > 1).min_by_key(|&at| lack(at, points[at]));
        points[most.expect("there are no more machines than points")] -= 1;
        sum -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn divided(parts: &[u64]) -> Vec<u32> {
        let mut points = Vec::new();
        divide(parts, parts.iter().sum(), &mut points);
        points
    }

    #[test]
    fn points_by_hand() {
        assert_eq!(divided(&[7, 3]), [70, 30]);
        assert_eq!(divided(&[1, 1, 1]), [34, 33, 33], "the point that is left goes to the first");
        // Quotas 0.1, 49.95, 49.95: a point for the first, 49 each, and the last point by remainder and order.
        assert_eq!(divided(&[2, 999, 999]), [1, 50, 49]);
        assert_eq!(divided(&[0, 0, 5]), [1, 1, 98]);
    }

    proptest! {
        /// Checks that no machine is more than a point off, unless it is kept at one point or gives
        /// points to those that are.
        #[test]
        fn points_are_near_the_quotas(parts in prop::collection::vec(0..1_000_000_u64, 1..20)) {
            prop_assume!(parts.iter().sum::<u64>() > 0);
            let points = divided(&parts);
            prop_assert_eq!(points.iter().sum::<u32>(), POINTS);
            prop_assert!(points.iter().all(|&point| point >= 1));
            let whole: u64 = parts.iter().sum();
            for (&part, &point) in parts.iter().zip(&points) {
                let quota = part as f64 * 100.0 / whole as f64;
                prop_assert!(f64::from(point) < quota + 1.0 || point == 1);
            }
        }
    }
}
