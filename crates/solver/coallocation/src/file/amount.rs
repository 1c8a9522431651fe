//! Conversion of amounts to and from decimals.

use dfrsim_model::coallocation::{MOST_UNITS, UNITS_PER_ONE};

/// Converts an amount to millionths, rounded to the nearest; `None` if it is negative or above 10^8.
pub(super) fn to_units(amount: f64) -> Option<u64> {
    let units = (amount * UNITS_PER_ONE as f64).round();
    (0.0..=MOST_UNITS as f64).contains(&units).then_some(units as u64)
}

/// Formats millionths as a decimal.
pub fn format_amount(units: u64) -> String {
    let (whole, rest) = (units / UNITS_PER_ONE, units % UNITS_PER_ONE);
    let decimals = format!(".{rest:06}");
    format!("{whole}{}", decimals.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse_amount(text: &str) -> Option<u64> {
        to_units(text.parse().ok()?)
    }

    #[test]
    fn amounts_are_decimals() {
        for (text, units) in [("0", 0), ("2.68", 2_680_000), ("8", 8_000_000), ("0.000001", 1)] {
            assert_eq!(parse_amount(text), Some(units));
            assert_eq!(format_amount(units), text);
        }
        for wrong in ["", "-1", "nan", "inf", "100000001", "two"] {
            assert_eq!(parse_amount(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(units in 0..=MOST_UNITS) {
            prop_assert_eq!(parse_amount(&format_amount(units)), Some(units));
        }
    }
}
