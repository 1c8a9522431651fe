//! On which side of a limit a statement has its value.

use dfrsim_lab::Verdict;

/// What is said of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Said {
    Above(f64),
    AtLeast(f64),
    Below(f64),
    AtMost(f64),
}

impl Said {
    pub(super) fn holds(self, value: f64) -> bool {
        match self {
            Said::Above(limit) => value > limit,
            Said::AtLeast(limit) => value >= limit,
            Said::Below(limit) => value < limit,
            Said::AtMost(limit) => value <= limit,
        }
    }
    /// The verdict on a value with an interval: it holds if it does on the whole interval, and fails if it fails on the
    /// whole interval.
    pub(super) fn verdict(self, (low, high): (f64, f64)) -> Verdict {
        match (self.holds(low), self.holds(high)) {
            (true, true) => Verdict::Holds,
            (false, false) => Verdict::Fails,
            _ => Verdict::Open,
        }
    }
    /// Of some values, the one that decides whether all of them are so.
    pub(super) fn worst(self, values: impl IntoIterator<Item = f64>) -> f64 {
        let values = values.into_iter();
        match self {
            Said::Above(_) | Said::AtLeast(_) => values.fold(f64::INFINITY, f64::min),
            Said::Below(_) | Said::AtMost(_) => values.fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_decide() {
        use Verdict::{Fails, Holds, Open};
        let verdicts =
            |said: Said| [(0.1, 0.4), (0.4, 0.5), (0.5, 0.5), (0.5, 0.6)].map(|it| said.verdict(it));
        assert_eq!(verdicts(Said::Below(0.5)), [Holds, Open, Fails, Fails]);
        assert_eq!(verdicts(Said::AtMost(0.5)), [Holds, Holds, Holds, Open]);
        assert_eq!(verdicts(Said::Above(0.5)), [Fails, Fails, Fails, Open]);
        assert_eq!(verdicts(Said::AtLeast(0.5)), [Fails, Open, Holds, Holds]);
        assert_eq!(Said::Below(1.0).worst([0.2, 0.9, 0.4]), 0.9);
        assert_eq!(Said::AtLeast(1.0).worst([0.2, 0.9, 0.4]), 0.2);
    }
}
