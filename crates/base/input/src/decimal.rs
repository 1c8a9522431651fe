//! Numbers with up to three decimals, exactly.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A number from 0 to 2^32 - 1 with at most three decimals, as thousandths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decimal(i64);

const PARTS: i64 = 1_000;

impl Decimal {
    /// An amount in units of which `parts` make one; `parts` is 1, 10, 100 or 1,000.
    pub const fn of_parts(amount: i64, parts: i64) -> Decimal {
        Decimal(amount * (PARTS / parts))
    }
    /// Returns how many of `parts` to the unit fit into it.
    #[must_use]
    pub const fn in_parts(self, parts: i64) -> i64 {
        self.0 * parts / PARTS
    }
    /// The least of 1, 10, 100 and 1,000 parts to the unit of which it is a whole number.
    #[must_use]
    pub fn parts(self) -> i64 {
        [1, 10, 100].into_iter().find(|parts| self.0 % (PARTS / parts) == 0).unwrap_or(PARTS)
    }
    /// The product with an amount, rounded down.
    #[must_use]
    pub const fn times(self, amount: i64) -> i64 {
        amount * self.0 / PARTS
    }
}

impl TryFrom<f64> for Decimal {
    type Error = String;
    fn try_from(number: f64) -> Result<Decimal, String> {
        let thousandths = (number * PARTS as f64).round();
        // No two numbers with three decimals in this range have the same `f64`.
        if (0.0..=f64::from(u32::MAX)).contains(&number) && thousandths / PARTS as f64 == number {
            return Ok(Decimal(thousandths as i64));
        }
        Err(format!("expected a number from 0 to {} with at most three decimals, found {number}", u32::MAX))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0 as f64 / PARTS as f64)
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 % PARTS == 0 {
            serializer.serialize_i64(self.0 / PARTS)
        } else {
            serializer.serialize_f64(self.0 as f64 / PARTS as f64)
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
