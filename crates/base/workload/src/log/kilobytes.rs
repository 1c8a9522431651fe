//! Amounts of memory.

use std::fmt;

/// Millionths per kilobyte.
pub(super) const MILLION: u64 = 1_000_000;

/// An amount of memory in kilobytes, with a resolution of one millionth; up to 18 petabytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kilobytes(u64);

impl Kilobytes {
    /// Creates an amount from millionths of a kilobyte.
    pub const fn from_millionths(millionths: u64) -> Kilobytes {
        Kilobytes(millionths)
    }
    /// Rounds a number of kilobytes to millionths; `None` if it is out of range.
    pub(crate) fn rounded(amount: f64) -> Option<Kilobytes> {
        let millionths = (amount * 1e6).round();
        (0.0..1.8e19).contains(&millionths).then_some(Kilobytes(millionths as u64))
    }
    /// Returns the amount in millionths of a kilobyte.
    #[must_use]
    pub const fn millionths(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Kilobytes {
    /// Formats the kilobytes with as many decimals as necessary: `2097152`, `838860.8`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, millionths) = (self.0 / MILLION, self.0 % MILLION);
        if millionths == 0 {
            return write!(f, "{whole}");
        }
        write!(f, "{whole}.{}", format!("{millionths:06}").trim_end_matches('0'))
    }
}
