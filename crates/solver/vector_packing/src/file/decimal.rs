//! Conversion of fixed-point units to and from decimal fractions with nine digits.

use dfrsim_model::{Share, Yield};

const BILLION: u64 = 1_000_000_000;

/// Converts a fraction of a node to an amount: rounded to nine decimals, then down to units. Returns
/// `None` if it is negative or exceeds 32 bits.
pub(super) fn amount(fraction: f64) -> Option<u32> {
    units(fraction, Share::ONE.units()).and_then(|units| u32::try_from(units).ok())
}

/// Converts an amount to a fraction that [`amount`] reads back.
pub(super) fn of_amount(amount: u32) -> f64 {
    fraction(amount, Share::ONE.units())
}

/// Converts a fraction to a yield, with the rounding of [`amount`]; `None` outside of [0, 1].
pub(super) fn yield_of(fraction: f64) -> Option<Yield> {
    units(fraction, Yield::ONE.units()).and_then(|units| Yield::try_from_units(u32::try_from(units).ok()?))
}

/// Converts a yield to a fraction that [`yield_of`] reads back.
pub(super) fn of_yield(each: Yield) -> f64 {
    fraction(each.units(), Yield::ONE.units())
}

fn units(fraction: f64, whole: u32) -> Option<u64> {
    let billionths = (fraction * BILLION as f64).round();
    // The limit of a million wholes exceeds all sensible input.
    (0.0..1e15).contains(&billionths).then(|| {
        let units = u128::from(billionths as u64) * u128::from(whole) / u128::from(BILLION);
        units as u64
    })
}

/// Returns the smallest number of billionths that is not below the units, as a fraction. It reads
/// back exactly, since a unit is larger than a billionth.
fn fraction(units: u32, whole: u32) -> f64 {
    (u64::from(units) * BILLION).div_ceil(u64::from(whole)) as f64 / BILLION as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_reads_back(units: u32, of_yields in 0..=Yield::ONE.units()) {
            for units in [units, units % 1_000, u32::MAX - units % 1_000] {
                prop_assert_eq!(amount(of_amount(units)), Some(units));
            }
            let each = Yield::try_from_units(of_yields).unwrap();
            prop_assert_eq!(yield_of(of_yield(each)), Some(each));
        }
    }

    #[test]
    fn fractions_are_what_people_write() {
        for (fraction, part, whole) in
            [(0.0, 0, 1), (0.3, 3, 10), (1.0, 1, 1), (0.123_456_789, 123_456_789, BILLION)]
        {
            assert_eq!(amount(fraction), Some(Share::from_ratio(part, whole).units()));
            assert_eq!(yield_of(fraction), Some(Yield::from_ratio(part, whole)));
        }
        assert_eq!(of_amount(Share::from_ratio(3, 10).units()), 0.3);
        assert_eq!(amount(2.5), Some(Share::ONE.units() / 2 * 5));
        for wrong in [-0.1, 4.6, 1e9, 1e300, f64::INFINITY] {
            assert_eq!(amount(wrong), None);
        }
        assert_eq!(yield_of(1.000_001), None);
    }
}
