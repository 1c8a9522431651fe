//! Quantities of Kubernetes, such as `250m` or `1.5Gi`.

use dfrsim_input::{Located, Reader};
use std::str::FromStr;

/// Parts of a quantity per unit.
const PARTS: u128 = 1_000_000_000;

/// An exact amount, in thousand-millionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Quantity(u128);

impl Quantity {
    /// One unit.
    pub(super) const ONE: Quantity = Quantity(PARTS);

    /// Reads a quantity, which may be a text or a number.
    pub(super) fn read(reader: &mut Reader, at: &Located<'_>) -> Option<Quantity> {
        let text = at.text().map(str::to_owned).or_else(|| Some(at.number()?.to_string()));
        let quantity = text.and_then(|text| text.parse().ok());
        reader.expected(at, quantity, || "a quantity, such as 250m or 1.5Gi")
    }

    /// Returns the sum; the largest quantity if there is no such sum.
    pub(super) const fn plus(self, other: Quantity) -> Quantity {
        Quantity(self.0.saturating_add(other.0))
    }

    /// Returns the difference, at least zero.
    pub(super) const fn minus(self, other: Quantity) -> Quantity {
        Quantity(self.0.saturating_sub(other.0))
    }

    /// Returns the number of units of `parts` millionths each, rounded up or down.
    fn count(self, millionths: u128, is_rounded_up: bool) -> u64 {
        let unit = millionths * (PARTS / 1_000_000);
        let count = if is_rounded_up { self.0.div_ceil(unit) } else { self.0 / unit };
        u64::try_from(count).unwrap_or(u64::MAX)
    }

    /// Returns the number of thousandths.
    pub(super) fn thousandths(self, is_rounded_up: bool) -> u64 {
        self.count(1_000, is_rounded_up)
    }

    /// Returns the number of whole units.
    pub(super) fn whole(self, is_rounded_up: bool) -> u64 {
        self.count(1_000_000, is_rounded_up)
    }

    /// Returns the number of MiB, if the unit is a byte.
    pub(super) fn mebibytes(self, is_rounded_up: bool) -> u64 {
        self.count((1 << 20) * 1_000_000, is_rounded_up)
    }
}

impl FromStr for Quantity {
    type Err = ();

    fn from_str(text: &str) -> Result<Quantity, ()> {
        let end = text.find(|it: char| !it.is_ascii_digit() && it != '.').unwrap_or(text.len());
        let (number, suffix) = text.split_at(end);
        let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
        let digits = format!("{whole}{decimals}");
        let mantissa: u128 = digits.parse().map_err(|_| ())?;
        let binary = |power: u32| Ok((1_u128 << (10 * power), 0));
        let decimal = |power: i32| Ok((1, power));
        let (factor, power) = match suffix {
            "n" => decimal(-9),
            "u" => decimal(-6),
            "m" => decimal(-3),
            "" => decimal(0),
            "k" => decimal(3),
            "M" => decimal(6),
            "G" => decimal(9),
            "T" => decimal(12),
            "P" => decimal(15),
            "E" => decimal(18),
            "Ki" => binary(1),
            "Mi" => binary(2),
            "Gi" => binary(3),
            "Ti" => binary(4),
            "Pi" => binary(5),
            "Ei" => binary(6),
            _ => {
                let exponent = suffix.strip_prefix(['e', 'E']).ok_or(())?;
                decimal(exponent.parse().map_err(|_| ())?)
            }
        }?;
        let power = power + 9 - i32::try_from(decimals.len()).map_err(|_| ())?;
        let scaled = mantissa.checked_mul(factor).ok_or(())?;
        let ten = |power: u32| 10_u128.checked_pow(power).ok_or(());
        let parts = match u32::try_from(power) {
            Ok(power) => scaled.checked_mul(ten(power)?).ok_or(())?,
            // Kubernetes rounds up what is finer than it can express.
            Err(_) => scaled.div_ceil(ten(power.unsigned_abs())?),
        };
        Ok(Quantity(parts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_exact() {
        let of = |text: &str| text.parse::<Quantity>().map(|it| (it.thousandths(true), it.whole(false)));
        assert_eq!(of("250m"), Ok((250, 0)));
        assert_eq!(of("1.5"), Ok((1_500, 1)));
        assert_eq!(of("0.1"), Ok((100, 0)));
        assert_eq!(of("2k"), Ok((2_000_000, 2_000)));
        assert_eq!(of("12e3"), Ok((12_000_000, 12_000)));
        assert_eq!(of("100u"), Ok((1, 0)));
        assert_eq!(
            of("5E"),
            Ok((
                5_000_000_000_000_000_000_000_u128.try_into().unwrap_or(u64::MAX),
                5_000_000_000_000_000_000
            ))
        );
        let memory =
            |text: &str| text.parse::<Quantity>().map(|it| (it.mebibytes(true), it.mebibytes(false)));
        assert_eq!(memory("1.5Gi"), Ok((1_536, 1_536)));
        assert_eq!(memory("129M"), Ok((124, 123)));
        assert_eq!(memory("131008900Ki"), Ok((127_939, 127_938)));
        for wrong in ["", "x", "1x", "-1", "1.2.3", "1e", "Gi", "9e999"] {
            assert_eq!(wrong.parse::<Quantity>(), Err(()), "{wrong}");
        }
    }
}
