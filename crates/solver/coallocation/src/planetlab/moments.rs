//! Parameters of a normal distribution such that its truncation has given moments.

use super::Property;

/// Number of parts of the range in the numerical integration of moments.
const PARTS: u32 = 2_000;
/// Number of fixed-point iterations; a few dozen are enough.
const STEPS: u32 = 500;

/// Computes the mean and the deviation of a normal distribution such that, after truncation to the
/// range of the property and rounding if the property is an integer, it has the mean and the
/// deviation of the property.
pub(super) fn fit_normal(property: &Property) -> (f64, f64) {
    let (mut mean, mut deviation) = (property.mean, property.deviation);
    for _ in 0..STEPS {
        let (found_mean, found_deviation) = moments(property, mean, deviation);
        mean += property.mean - found_mean;
        deviation *= property.deviation / found_deviation;
    }
    (mean, deviation)
}

/// Computes the mean and the deviation of a truncated normal distribution.
fn moments(property: &Property, mean: f64, deviation: f64) -> (f64, f64) {
    let Property { least, most, is_integer: is_whole, .. } = *property;
    // An integer represents all values that round to it, so the range is extended by half a unit at
    // both ends.
    let (from, until) = if is_whole { (least - 0.5, most + 0.5) } else { (least, most) };
    let width = (until - from) / f64::from(PARTS);
    let part = |number: u32| {
        let at = from + (f64::from(number) + 0.5) * width;
        let away = (at - mean) / deviation;
        let value = if is_whole { at.round().clamp(least, most) } else { at };
        (value, (-0.5 * away * away).exp())
    };
    let (mut weights, mut first, mut second) = (0.0, 0.0, 0.0);
    for (value, weight) in (0..PARTS).map(part) {
        weights += weight;
        first += weight * value;
        second += weight * value.powi(2);
    }
    let found = first / weights;
    (found, (second / weights - found.powi(2)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::super::PROPERTIES;
    use super::*;

    #[test]
    fn the_moments_are_met() {
        for property in &PROPERTIES {
            let (mean, deviation) = fit_normal(property);
            let (found_mean, found_deviation) = moments(property, mean, deviation);
            assert!((found_mean - property.mean).abs() < 1e-6, "{}: {found_mean}", property.name);
            assert!(
                (found_deviation - property.deviation).abs() < 1e-6,
                "{}: {found_deviation}",
                property.name
            );
        }
    }

    /// A symmetrically truncated distribution keeps its mean. In the limit of a large deviation it
    /// is uniform on [0, 1], with a deviation of sqrt(1 / 12).
    #[test]
    fn a_wide_normal_distribution_is_uniform_on_its_range() {
        let property = Property { least: 0.0, most: 1.0, is_integer: false, ..PROPERTIES[1] };
        let (mean, deviation) = moments(&property, 0.5, 1e6);
        assert!((mean - 0.5).abs() < 1e-9 && (deviation - (1.0_f64 / 12.0).sqrt()).abs() < 1e-6);
    }
}
