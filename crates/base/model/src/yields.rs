//! Yield of a job.

use std::fmt;

/// Fraction of its CPU need that a job gets: k / 2^20, from 0 to 1. It is always rounded down, so
/// that rounding can never over-commit a node (dissertation, section 4.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Yield(u32);

impl Yield {
    /// Number of binary digits after the point.
    pub const BITS: u32 = 20;
    /// Yield of zero: no progress.
    pub const ZERO: Yield = Yield(0);
    /// Yield of one: full speed.
    pub const ONE: Yield = Yield(1 << Self::BITS);

    /// Creates a yield of `part / whole`, rounded down, at most 1.
    ///
    /// # Panics
    ///
    /// Panics if `whole` is 0.
    pub fn from_ratio(part: u64, whole: u64) -> Yield {
        if part >= whole {
            assert!(whole > 0, "denominator of a yield must be above 0");
            return Self::ONE;
        }
        Yield(((u128::from(part) << Self::BITS) / u128::from(whole)) as u32)
    }
    /// Converts a fraction to the largest yield not above it, clamped to [0, 1]; NaN becomes 0.
    pub fn from_f64(fraction: f64) -> Yield {
        Yield((fraction.clamp(0.0, 1.0) * f64::from(Self::ONE.0)) as u32)
    }
    /// Converts a decimal fraction to the nearest yield, clamped to [0, 1]; NaN becomes 0.
    pub fn nearest(fraction: f64) -> Yield {
        Yield::from_f64(fraction + 0.5 / f64::from(Self::ONE.0))
    }
    /// Creates a yield from a number of units; `None` above full speed.
    pub fn try_from_units(units: u32) -> Option<Yield> {
        (units <= Self::ONE.0).then_some(Yield(units))
    }
    /// Multiplies two yields, rounded down.
    #[must_use]
    pub const fn times(self, other: Yield) -> Yield {
        Yield(((self.0 as u64 * other.0 as u64) >> Self::BITS) as u32)
    }
    /// Returns the number of units of 2^-20.
    #[must_use]
    pub const fn units(self) -> u32 {
        self.0
    }
    /// Returns the exact fraction, for statistics and output.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / f64::from(Self::ONE.0)
    }
}

impl fmt::Display for Yield {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6}", self.as_f64())
    }
}
