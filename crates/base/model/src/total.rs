//! Floating-point numbers with a total order.

use std::cmp::Ordering;

/// Number that is compared by [`f64::total_cmp`], so that it can be a key or a sort criterion.
#[derive(Clone, Copy, Debug)]
pub struct TotalF64(pub f64);

impl Ord for TotalF64 {
    #[inline]
    fn cmp(&self, other: &TotalF64) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for TotalF64 {
    #[inline]
    fn partial_cmp(&self, other: &TotalF64) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for TotalF64 {
    #[inline]
    fn eq(&self, other: &TotalF64) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for TotalF64 {}
