//! Factors between 0 and 1 as integers, so that they are the same on every machine.

/// A factor of 1; factors are in units of 2^-32.
pub(super) const ONE: u64 = 1 << 32;

/// Returns `part / whole` as a factor; 0 if both are 0.
pub(super) fn ratio(part: u128, whole: u128) -> u64 {
    match whole {
        0 => 0,
        _ => (part * u128::from(ONE) / whole) as u64,
    }
}

/// 2^-x for x in units of 2^-32, in the same units, rounded down.
///
/// The bits of x behind the point select among the 2^(-2^-k), which are square roots of each other.
pub(super) fn half_to_the(x: u64) -> u64 {
    let whole = x >> 32;
    if whole > 32 {
        return 0;
    }
    // With 64 bits behind the point.
    let mut value: u128 = 1 << 64;
    let mut root: u128 = 1 << 63;
    for bit in (0..32).rev() {
        root = (root << 64).isqrt();
        if x >> bit & 1 == 1 {
            value = (value * root) >> 64;
        }
    }
    (value >> 32 >> whole) as u64
}

/// 2^(-span / half life); 1 without a half life.
pub(super) fn decay(span: u64, half_life: u64) -> u64 {
    match half_life {
        0 => ONE,
        _ => {
            let exponent = u128::from(span) * u128::from(ONE) / u128::from(half_life);
            half_to_the(u64::try_from(exponent).unwrap_or(u64::MAX))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn whole_powers_are_exact() {
        assert_eq!(half_to_the(0), ONE);
        for power in 0..=32 {
            assert_eq!(half_to_the(power << 32), ONE >> power);
        }
        assert_eq!(half_to_the(33 << 32), 0);
        assert_eq!(half_to_the(u64::MAX), 0);
        // The square root of one half is 0.7071067811865475244...
        assert_eq!(half_to_the(ONE / 2), 3_037_000_499);
        assert_eq!((decay(300, 0), decay(300, 300), decay(u64::MAX, 1)), (ONE, ONE / 2, 0));
    }

    proptest! {
        #[test]
        fn powers_are_those_of_floating_point(x in 0_u64..1 << 37) {
            let exact = (-(x as f64) / ONE as f64).exp2() * ONE as f64;
            prop_assert!((half_to_the(x) as f64 - exact).abs() <= 1.0 + exact * 1e-15);
        }
    }
}
