//! Amounts of memory.

use std::fmt;

/// Millionths in one kilobyte.
pub(super) const MILLION: u64 = 1_000_000;

/// An amount of memory in kilobytes, exact to a millionth of one; up to 18 petabytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kilobytes(u64);

impl Kilobytes {
    /// An amount in millionths of a kilobyte.
    pub const fn from_millionths(millionths: u64) -> Kilobytes {
        Kilobytes(millionths)
    }
    /// This many kilobytes, to a millionth; `None` if they are too many.
    pub(crate) fn rounded(amount: f64) -> Option<Kilobytes> {
        let millionths = (amount * 1e6).round();
        (0.0..1.8e19).contains(&millionths).then_some(Kilobytes(millionths as u64))
    }
    /// The amount in millionths of a kilobyte.
    #[must_use]
    pub const fn millionths(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Kilobytes {
    /// Kilobytes with as many decimals as are needed: `2097152`, `838860.8`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, millionths) = (self.0 / MILLION, self.0 % MILLION);
        if millionths == 0 {
            return write!(f, "{whole}");
        }
        write!(f, "{whole}.{}", format!("{millionths:06}").trim_end_matches('0'))
    }
}
