//! Thinning of long step functions that preserves their extremes.

/// A time in microseconds, and the value from then on.
pub(super) type Step = (u64, f64);

/// Reduces a step function to at most four steps in each of `spans` equal time spans: the first, the
/// last, the smallest and the largest value. Times must increase.
pub(super) fn thin(steps: &[Step], spans: u64) -> Vec<Step> {
    let (Some(first), Some(last)) = (steps.first(), steps.last()) else { return Vec::new() };
    let length = u128::from(last.0 - first.0) + 1;
    let span = |step: &Step| u128::from(step.0 - first.0) * u128::from(spans) / length;
    let mut kept = Vec::new();
    for within in steps.chunk_by(|a, b| span(a) == span(b)) {
        let by_value = |a: &&Step, b: &&Step| a.1.total_cmp(&b.1);
        let ends = [within.first(), within.last()];
        let extremes = [within.iter().min_by(by_value), within.iter().max_by(by_value)];
        let mut some: Vec<Step> = ends.into_iter().chain(extremes).flatten().copied().collect();
        some.sort_by_key(|step| step.0);
        some.dedup();
        kept.extend(some);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Checks two spans, 0 to 4 and 5 to 9: the peak and the minimum of the first one are kept, the
    /// 2 at time 2 is dropped.
    #[test]
    fn peaks_stay() {
        let steps = [(0, 1.0), (1, 9.0), (2, 2.0), (3, 0.0), (4, 1.0), (5, 3.0), (9, 3.0)];
        let expected = [(0, 1.0), (1, 9.0), (3, 0.0), (4, 1.0), (5, 3.0), (9, 3.0)];
        assert_eq!(thin(&steps, 2), expected);
    }

    proptest! {
        #[test]
        fn extremes_of_every_span_stay(
            lengths in prop::collection::vec(1..50_u64, 1..200),
            values in prop::collection::vec(0..20_u32, 200),
            spans in 1..30_u64,
        ) {
            let mut at = 7;
            let steps: Vec<Step> = lengths.iter().zip(values).map(|(length, value)| {
                at += length;
                (at, f64::from(value))
            }).collect();
            let kept = thin(&steps, spans);
            prop_assert!(kept.len() as u64 <= 4 * spans);
            prop_assert!(kept.iter().all(|step| steps.contains(step)));
            prop_assert!(kept.windows(2).all(|pair| pair[0].0 < pair[1].0));
            let total = u128::from(steps[steps.len() - 1].0 - steps[0].0) + 1;
            for span in 0..spans {
                let within = |list: &[Step]| -> Vec<f64> {
                    let is_within = |step: &&Step| {
                        u128::from(step.0 - steps[0].0) * u128::from(spans) / total == u128::from(span)
                    };
                    list.iter().filter(is_within).map(|step| step.1).collect()
                };
                let (all, few) = (within(&steps), within(&kept));
                let extremes = |values: &[f64]| dfrsim_lab::range(values.iter().copied());
                prop_assert_eq!(extremes(&all), extremes(&few));
                prop_assert_eq!((all.first(), all.last()), (few.first(), few.last()));
            }
        }
    }
}
