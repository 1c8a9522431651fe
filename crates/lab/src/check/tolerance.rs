//! Tolerated deviations from the baseline.

use super::baseline::{COUNTS, MEAN, WORST};
use crate::fields::unknown;
use crate::text::percent::{parse_fraction, percent};
use std::collections::BTreeMap;
use std::fmt;

/// Tolerated deviation as a fraction of the baseline value; zero allows no difference. Parses from
/// `2%` and from `0.02`.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Tolerance(f64);

impl Tolerance {
    /// Returns whether the change of a value is within the tolerance.
    #[must_use]
    pub fn allows(self, before: f64, now: f64) -> bool {
        (now - before).abs() <= self.0 * before.abs()
    }
}

dfrsim_model::parses!(
    Tolerance,
    "expected a tolerance such as 2% or 0.02 (above 1 only as a percentage such as 200%), found `{text}`",
    |text| {
        let fraction = parse_fraction(text).filter(|fraction| *fraction >= 0.0 && fraction.is_finite());
        // A plain 2 is probably meant as 2 %; 200 % must be written as a percentage.
        fraction.filter(|fraction| *fraction <= 1.0 || text.contains('%')).map(Tolerance)
    }
);

impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&percent(self.0))
    }
}

/// Tolerances, by metric.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tolerances {
    /// Tolerance of all metrics without an entry in `single`; counts of runs have zero instead.
    pub all: Tolerance,
    /// Tolerances of single metrics: `degradation` for mean and worst value, `degradation.mean`,
    /// `failures`.
    pub single: BTreeMap<String, Tolerance>,
}

impl Tolerances {
    /// Returns the tolerance of a metric.
    pub fn of(&self, metric: &str) -> Tolerance {
        let general = if COUNTS.contains(&metric) { Tolerance::default() } else { self.all };
        let single = self.single.get(metric).or_else(|| self.single.get(column(metric)));
        single.copied().unwrap_or(general)
    }
}

/// Returns the column of a metric: `degradation` of `degradation.mean`.
pub(super) fn column(metric: &str) -> &str {
    metric.rsplit_once('.').map_or(metric, |(column, _)| column)
}

/// Checks that all names are metrics of the study, or columns with a mean and a worst value.
pub(super) fn check_names<'n, 'a>(
    mut names: impl Iterator<Item = &'n String>,
    known: impl Iterator<Item = &'a str>,
) -> Result<(), String> {
    let known: Vec<&str> = known.collect();
    let is_known = |name: &str| {
        known.contains(&name)
            || [MEAN, WORST].iter().any(|of| known.contains(&format!("{name}.{of}").as_str()))
    };
    match names.find(|name| !is_known(name)) {
        Some(wrong) => Err(unknown("metric", wrong, known)),
        None => Ok(()),
    }
}

impl fmt::Display for Tolerances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.all)?;
        self.single.iter().try_for_each(|(metric, tolerance)| write!(f, ", {metric} {tolerance}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_not_a_tolerance_is_refused() {
        for text in ["", "-1%", "nan", "inf", "2 percent"] {
            assert!(text.parse::<Tolerance>().unwrap_err().to_string().contains("2% or 0.02"), "{text}");
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
    fn one_more_failure_is_never_within_the_general_tolerance() {
        let mut tolerances = Tolerances { all: "50%".parse().unwrap(), ..Tolerances::default() };
        assert!(tolerances.of("wait_s.mean").allows(10.0, 12.0));
        assert!(!tolerances.of("failures").allows(10.0, 11.0));
        tolerances.single.insert("failures".to_owned(), "20%".parse().unwrap());
        tolerances.single.insert("wait_s".to_owned(), "10%".parse().unwrap());
        assert!(tolerances.of("failures").allows(10.0, 11.0));
        assert!(!tolerances.of("wait_s.mean").allows(10.0, 12.0));
        assert_eq!(tolerances.to_string(), "50 %, failures 20 %, wait_s 10 %");
        let names = || tolerances.single.keys();
        assert_eq!(check_names(names(), ["failures", "wait_s.mean"].into_iter()), Ok(()));
        let wrong = check_names(names(), ["failures", "waits_s.mean"].into_iter()).unwrap_err();
        assert_eq!(wrong, "unknown metric `wait_s`; did you mean `waits_s.mean`?");
    }
}
