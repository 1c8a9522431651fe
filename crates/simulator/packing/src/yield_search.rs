//! Search for the largest value at which a test succeeds.

use dfrsim_model::Yield;

/// Range of values to search, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchRange {
    /// Lowest value that is tried.
    pub lowest: Yield,
    /// Highest value that is tried.
    pub highest: Yield,
}

impl SearchRange {
    /// Tries the highest value, then the lowest, and if that succeeds bisects between them. Returns
    /// the last value that succeeded, if any did.
    pub fn ends_first(self, precision: Yield, mut succeeds: impl FnMut(Yield) -> bool) -> Option<Yield> {
        if self.highest < self.lowest {
            None
        } else if succeeds(self.highest) {
            Some(self.highest)
        } else {
            let lowest_succeeds = self.lowest < self.highest && succeeds(self.lowest);
            lowest_succeeds.then(|| self.bisect(precision, succeeds))
        }
    }
    /// Searches by bisection between the lowest value, assumed to succeed, and the highest, assumed
    /// to fail, until they are no more than `precision` (at least one unit) apart. Returns the last
    /// value that succeeded.
    ///
    /// Success need not be monotone, so the sequence of values tried is part of the definition of
    /// the result.
    pub fn bisect(self, precision: Yield, mut succeeds: impl FnMut(Yield) -> bool) -> Yield {
        let (mut success, mut failure) = (self.lowest, self.highest);
        while failure.units() - success.units() > precision.units().max(1) {
            let middle = success.units() + (failure.units() - success.units()) / 2;
            let middle = Yield::try_from_units(middle).expect("it lies between two yields");
            if succeeds(middle) {
                success = middle;
            } else {
                failure = middle;
            }
        }
        success
    }
    /// Searches by bisection without assuming that the lowest value succeeds. Returns the last value
    /// that succeeded, if any did.
    pub fn bisect_open(self, precision: Yield, mut succeeds: impl FnMut(Yield) -> bool) -> Option<Yield> {
        let mut last = None;
        self.bisect(precision, |value| {
            let success = succeeds(value);
            if success {
                last = Some(value);
            }
            success
        });
        last
    }
}
