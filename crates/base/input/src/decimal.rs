//! Exact numbers with up to three decimals.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A number from 0 to 2^32 - 1 with at most three decimals, stored in thousandths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decimal(i64);

const SCALE: i64 = 1_000;

impl Decimal {
    /// Creates the number `amount / parts`; `parts` is 1, 10, 100 or 1,000.
    pub const fn of_parts(amount: i64, parts: i64) -> Decimal {
        Decimal(amount * (SCALE / parts))
    }
    /// Returns the number in units of `1 / parts`, rounded down.
    #[must_use]
    pub const fn in_parts(self, parts: i64) -> i64 {
        self.0 * parts / SCALE
    }
    /// Returns the smallest of 1, 10, 100 and 1,000 by which multiplying the number makes it whole.
    #[must_use]
    pub fn parts(self) -> i64 {
        [1, 10, 100].into_iter().find(|parts| self.0 % (SCALE / parts) == 0).unwrap_or(SCALE)
    }
    /// Multiplies by a whole amount and rounds down.
    #[must_use]
    pub const fn times(self, amount: i64) -> i64 {
        amount * self.0 / SCALE
    }
}

impl TryFrom<f64> for Decimal {
    type Error = String;
    fn try_from(number: f64) -> Result<Decimal, String> {
        let thousandths = (number * SCALE as f64).round();
        // Distinct numbers with three decimals in this range have distinct `f64` values.
        if (0.0..=f64::from(u32::MAX)).contains(&number) && thousandths / SCALE as f64 == number {
            return Ok(Decimal(thousandths as i64));
        }
        Err(format!("expected a number from 0 to {} with at most three decimals, found {number}", u32::MAX))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0 as f64 / SCALE as f64)
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 % SCALE == 0 {
            serializer.serialize_i64(self.0 / SCALE)
        } else {
            serializer.serialize_f64(self.0 as f64 / SCALE as f64)
        }
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
        Decimal::try_from(f64::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_decimals_are_exact() {
        let read = |text: &str| serde_json::from_str::<Decimal>(text).map_err(|error| error.to_string());
        for (text, thousandths, parts) in [
            ("2", 2_000, 1),
            ("0.1", 100, 10),
            ("1.35", 1_350, 100),
            ("4294967295", 4_294_967_295_000, 1),
            ("0.001", 1, 1_000),
        ] {
            let decimal = read(text).unwrap();
            assert_eq!((decimal, decimal.parts()), (Decimal(thousandths), parts));
            assert_eq!(serde_json::to_string(&decimal).unwrap(), text);
            assert_eq!(Decimal::of_parts(decimal.in_parts(parts), parts), decimal);
        }
        for wrong in ["-1", "0.0001", "4294967296"] {
            assert!(read(wrong).unwrap_err().contains("at most three decimals"), "{wrong}");
        }
        assert_eq!(read("1.5").unwrap().times(3), 4);
    }
}
