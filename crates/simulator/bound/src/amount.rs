//! Integer types of the flow computation.

use std::fmt::Debug;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub, SubAssign};

/// A time, a rate or an amount of work: `i64` for instances that fit, `i128` for others.
///
/// [`Instance::unit`](crate::instance::Instance::unit) chooses the unit of time so that no sum or
/// product overflows.
pub(crate) trait Amount:
    Copy
    + Debug
    + Default
    + Ord
    + Add<Output = Self>
    + AddAssign
    + Sub<Output = Self>
    + SubAssign
    + Mul<Output = Self>
    + Sum
{
    /// Maximum number of binary digits of an amount such that sums of two amounts do not overflow.
    const DIGITS: u32;

    /// Converts a value that is known to fit.
    fn narrow(value: i128) -> Self;
    /// Converts the amount to `i128`.
    fn widen(self) -> i128;
}

impl Amount for i64 {
    const DIGITS: u32 = 61;

    fn narrow(value: i128) -> i64 {
        value as i64
    }
    fn widen(self) -> i128 {
        i128::from(self)
    }
}

impl Amount for i128 {
    const DIGITS: u32 = 124;

    fn narrow(value: i128) -> i128 {
        value
    }
    fn widen(self) -> i128 {
        self
    }
}
