//! Fixed-point fractions of a node.

use crate::Yield;
use std::fmt;
use std::ops::{Add, AddAssign, Sub, SubAssign};

/// Fraction of one node's capacity in one resource (memory or CPU), from 0 to the whole node.
///
/// The unit is 1/943,718,400 of the node (2^22 * 3^2 * 5^2): tenths, kilobytes of 2 GiB and most
/// 1/cores are exact. Everything else is rounded down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Share(u32);

impl Share {
    /// Share of zero.
    pub const ZERO: Share = Share(0);
    /// Share of a whole node.
    pub const ONE: Share = Share(943_718_400);

    /// Creates a share of `part / whole` of a node, rounded down.
    ///
    /// # Panics
    ///
    /// Panics unless `part <= whole` and `whole > 0`.
    pub fn from_ratio(part: u64, whole: u64) -> Share {
        assert!(part <= whole && whole > 0, "expected a share between 0 and a whole node");
        Share((u128::from(part) * u128::from(Self::ONE.0) / u128::from(whole)) as u32)
    }
    /// Converts a fraction in [0, 1], rounded to nine decimals (0.3 is three tenths, not the binary
    /// number just below it); `None` outside [0, 1].
    pub fn try_from_f64(fraction: f64) -> Option<Share> {
        const BILLION: u64 = 1_000_000_000;
        (0.0..=1.0)
            .contains(&fraction)
            .then(|| Share::from_ratio((fraction * BILLION as f64).round() as u64, BILLION))
    }
    /// Creates a share from a number of units; `None` above [`Share::ONE`].
    pub const fn try_from_units(units: u32) -> Option<Share> {
        if units <= Self::ONE.0 { Some(Share(units)) } else { None }
    }
    /// Returns the number of units, from 0 to 943,718,400.
    #[must_use]
    pub const fn units(self) -> u32 {
        self.0
    }
    /// Returns the fraction of the node, for statistics and output.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / f64::from(Self::ONE.0)
    }
    /// Computes the CPU that `tasks` tasks of this need use on one node at a yield. The result is
    /// exact up to 18,000 whole nodes and saturates beyond.
    #[must_use]
    #[inline]
    pub fn used_by(self, tasks: u32, at: Yield) -> CpuUse {
        CpuUse((u64::from(self.0) * u64::from(tasks)).saturating_mul(u64::from(at.units())))
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6}", self.as_f64())
    }
}

/// CPU in use on one node: a need times a yield, in units of 2^-20 [`Share`] units; exact.
///
/// Sums are exact up to 18,000 whole nodes and saturate beyond, far above the capacity of one node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CpuUse(u64);

impl CpuUse {
    /// No CPU in use.
    pub const ZERO: CpuUse = CpuUse(0);
    /// Whole CPU of a node.
    pub const ONE: CpuUse = CpuUse((Share::ONE.units() as u64) << Yield::BITS);

    /// Creates an amount from its number of units.
    pub const fn from_units(units: u64) -> CpuUse {
        CpuUse(units)
    }

    /// Returns the number of units.
    #[must_use]
    pub const fn units(self) -> u64 {
        self.0
    }

    /// Returns the fraction of a node's CPU, for statistics and output.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / Self::ONE.0 as f64
    }
}

impl Add for CpuUse {
    type Output = CpuUse;
    #[inline]
    fn add(self, other: CpuUse) -> CpuUse {
        CpuUse(self.0.saturating_add(other.0))
    }
}
impl AddAssign for CpuUse {
    #[inline]
    fn add_assign(&mut self, other: CpuUse) {
        *self = *self + other;
    }
}
impl Sub for CpuUse {
    type Output = CpuUse;
    #[inline]
    fn sub(self, other: CpuUse) -> CpuUse {
        CpuUse(self.0.checked_sub(other.0).expect("CPU use of a node must not be negative"))
    }
}
impl SubAssign for CpuUse {
    #[inline]
    fn sub_assign(&mut self, other: CpuUse) {
        *self = *self - other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tenths_quarters_and_kilobytes_of_two_gibibytes_are_exact() {
        for tenth in 1..=10u32 {
            let share = Share::from_ratio(u64::from(tenth), 10);
            assert_eq!(u64::from(share.units()) * 10, 943_718_400 * u64::from(tenth));
            assert_eq!(Share::try_from_f64(f64::from(tenth) / 10.0), Some(share));
        }
        assert_eq!(Share::from_ratio(1, 4).units() * 4, Share::ONE.units());
        assert_eq!(u64::from(Share::from_ratio(1, 2_097_152).units()) * 2_097_152, 943_718_400);
    }

    #[test]
    fn a_share_never_exceeds_a_node() {
        assert_eq!(Share::try_from_f64(1.1), None);
        assert_eq!(Share::try_from_f64(-0.1), None);
        assert_eq!(Share::try_from_f64(f64::NAN), None);
    }

    #[test]
    fn a_full_node_is_exactly_full() {
        let quarter = Share::from_ratio(1, 4);
        assert_eq!(quarter.used_by(4, Yield::ONE), CpuUse::ONE);
        assert_eq!(Share::ONE.used_by(2, Yield::from_ratio(1, 2)), CpuUse::ONE);
        assert!(Share::ONE.used_by(3, Yield::from_ratio(1, 3)) < CpuUse::ONE);
    }
}
