//! The integers that flows are made of.

use std::fmt::Debug;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub, SubAssign};

/// A time, a rate or an amount of work: `i64` where an instance fits, `i128` where it does not.
///
/// [`Instance::unit`](crate::instance::Instance::unit) chooses the unit of time so that no sum or product overflows.
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
    /// How many binary digits an amount may have so that sums of two still fit.
    const DIGITS: u32;

    /// The number, which is known to fit.
    fn narrow(value: i128) -> Self;
    /// The number.
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
