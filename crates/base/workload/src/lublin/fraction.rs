//! Fractions of a node in files, as numbers from 0 to 1.

use dfrsim_model::Share;
use serde::de::{Deserialize as _, Deserializer, Error as _};
use serde::ser::Serializer;

pub(super) fn serialize<S: Serializer>(share: &Share, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(share.as_f64())
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Share, D::Error> {
    let fraction = f64::deserialize(deserializer)?;
    let share = (0.0..=1.0).contains(&fraction).then(|| nearest(fraction)).flatten();
    share.ok_or_else(|| {
        D::Error::custom(format!("expected a fraction of a node from 0 to 1, found {fraction}"))
    })
}

/// Parses the fraction of an optional field.
pub(super) fn optional<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Share>, D::Error> {
    deserialize(deserializer).map(Some)
}

/// Rounds a fraction to the nearest unit, so that every written value, such as a third, is read back
/// exactly.
fn nearest(fraction: f64) -> Option<Share> {
    Share::try_from_units((fraction * f64::from(Share::ONE.units())).round() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decimals_and_parts_of_cores_are_exact() {
        for tenth in 0..=10_u32 {
            assert_eq!(nearest(f64::from(tenth) / 10.0), Some(Share::from_ratio(tenth.into(), 10)));
        }
        for cores in [1, 2, 3, 4, 6, 8, 12, 16, 48] {
            assert_eq!(nearest(1.0 / cores as f64), Some(Share::from_ratio(1, cores)));
        }
    }

    proptest! {
        #[test]
        fn shares_are_read_as_they_were_written(units in 0..=Share::ONE.units()) {
            let share = Share::try_from_units(units).unwrap();
            prop_assert_eq!(nearest(share.as_f64()), Some(share));
        }
    }
}
