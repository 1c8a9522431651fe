//! How far figures may be from the baseline.

use super::figure::Figure;
use crate::part;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// A part of the baseline's figure by which it may differ; zero allows no difference at all. Parses from `2%` and from
/// `0.02`.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Tolerance(f64);

/// A text that is no tolerance.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a tolerance such as 2% or 0.02, found `{0}`")]
pub struct ParseToleranceError(String);

impl Tolerance {
    /// A part of the baseline's figure; nothing for negative and infinite parts.
    #[must_use]
    pub fn new(part: f64) -> Option<Tolerance> {
        (part >= 0.0 && part.is_finite()).then_some(Tolerance(part))
    }
    /// Whether it allows the change of a figure.
    #[must_use]
    pub fn allows(self, before: f64, now: f64) -> bool {
        // Equal infinities have no difference.
        before == now || (now - before).abs() <= self.0 * before.abs()
    }
}

impl FromStr for Tolerance {
    type Err = ParseToleranceError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = part::parse(text);
        number.and_then(Tolerance::new).ok_or_else(|| ParseToleranceError(text.to_owned()))
    }
}

impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&part::percent(self.0))
    }
}

/// The tolerance of each figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tolerances {
    /// Of figures that have none of their own, but for the numbers of simulations and of failed ones: those have zero.
    pub all: Tolerance,
    /// Of single figures.
    pub single: BTreeMap<Figure, Tolerance>,
}

impl Tolerances {
    /// The tolerance of a figure.
    #[must_use]
    pub fn of(&self, figure: Figure) -> Tolerance {
        let general = match figure {
            Figure::Instances | Figure::Failed => Tolerance::default(),
            _ => self.all,
        };
        self.single.get(&figure).copied().unwrap_or(general)
    }
}

impl fmt::Display for Tolerances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.all)?;
        self.single.iter().try_for_each(|(figure, tolerance)| write!(f, ", {figure} {tolerance}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_tolerance_is_refused() {
        for text in ["", "-1%", "nan", "inf", "2 percent"] {
            assert_eq!(text.parse::<Tolerance>(), Err(ParseToleranceError(text.to_owned())));
        }
    }

    #[test]
    fn the_edge_is_allowed_and_zero_takes_no_change() {
        let quarter: Tolerance = "25%".parse().unwrap();
        assert!(quarter.allows(4.0, 5.0) && quarter.allows(4.0, 3.0) && !quarter.allows(4.0, 5.000_001));
        assert!(quarter.allows(0.0, 0.0) && !quarter.allows(0.0, 1e-300));
        let none = Tolerance::default();
        assert!(none.allows(0.1, 0.1) && !none.allows(0.1, 0.1_f64.next_up()));
    }

    #[test]
    fn a_failed_simulation_more_is_never_within_the_general_tolerance() {
        let mut tolerances = Tolerances { all: "50%".parse().unwrap(), ..Tolerances::default() };
        assert!(tolerances.of(Figure::Pauses).allows(10.0, 12.0));
        assert!(!tolerances.of(Figure::Failed).allows(10.0, 11.0));
        tolerances.single.insert(Figure::Failed, "20%".parse().unwrap());
        assert!(tolerances.of(Figure::Failed).allows(10.0, 11.0));
        assert_eq!(tolerances.to_string(), "50 %, failed 20 %");
    }
}
