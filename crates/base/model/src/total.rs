//! Numbers in a total order.

use std::cmp::Ordering;

/// A number that is compared as [`f64::total_cmp`] does.
#[derive(Clone, Copy, Debug)]
pub struct Total(pub f64);

impl Ord for Total {
    #[inline]
    fn cmp(&self, other: &Total) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Total {
    #[inline]
    fn partial_cmp(&self, other: &Total) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Total {
    #[inline]
    fn eq(&self, other: &Total) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Total {}
