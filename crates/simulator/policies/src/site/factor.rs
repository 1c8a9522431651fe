//! Factors between 0 and 1 as integers, so that results are the same on every machine.

/// The factor 1 in fixed point (units of 2^-32).
pub(super) const ONE: u64 = 1 << 32;

/// Returns `part / whole` as a factor; 0 if `whole` is 0.
pub(super) fn ratio(part: u128, whole: u128) -> u64 {
    match whole {
        0 => 0,
        _ => (part * u128::from(ONE) / whole) as u64,
    }
}

/// Returns 2^-x for x in units of 2^-32, in the same units, rounded down.
///
/// The fractional bits of x select among the factors 2^(-2^-k), each of which is the square root of
/// the previous one.
pub(super) fn power_of_half(x: u64) -> u64 {
    let whole = x >> 32;
    if whole > 32 {
        return 0;
    }
    // Fixed point with 64 fractional bits.
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

/// Returns 2^(-span / half-life); 1 without a half-life.
pub(super) fn decay(span: u64, half_life: u64) -> u64 {
    match half_life {
        0 => ONE,
        _ => {
            let exponent = u128::from(span) * u128::from(ONE) / u128::from(half_life);
            power_of_half(u64::try_from(exponent).unwrap_or(u64::MAX))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn whole_powers_are_exact() {
        assert_eq!(power_of_half(0), ONE);
        for power in 0..=32 {
            assert_eq!(power_of_half(power << 32), ONE >> power);
        }
        assert_eq!(power_of_half(33 << 32), 0);
        assert_eq!(power_of_half(u64::MAX), 0);
        // The square root of one half is 0.7071067811865475244...
        assert_eq!(power_of_half(ONE / 2), 3_037_000_499);
        assert_eq!((decay(300, 0), decay(300, 300), decay(u64::MAX, 1)), (ONE, ONE / 2, 0));
    }

    proptest! {
        #[test]
        fn powers_are_those_of_floating_point(x in 0_u64..1 << 37) {
            let exact = (-(x as f64) / ONE as f64).exp2() * ONE as f64;
            prop_assert!((power_of_half(x) as f64 - exact).abs() <= 1.0 + exact * 1e-15);
        }
    }
}
