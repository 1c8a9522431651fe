//! Values over the copies of a log and over the workloads drawn from it, with their noise.

use dfrsim_lab::{Statistics, mean, rounded, split_copy};
use std::fmt;

/// Quantiles that enclose nine tenths of the resampled workloads.
const RANGE_QUANTILES: [f64; 2] = [0.05, 0.95];

/// Number of standard errors within which a change is noise.
const NOISE_ERRORS: f64 = 2.0;

/// Origin of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InstanceKind {
    /// The log itself.
    Log,
    /// A copy whose submissions are moved, of a log or of a part of one.
    Copy(u32),
    /// A workload that is drawn from the users of the log, or a part of the log.
    Drawn,
}

impl InstanceKind {
    /// Returns the kind of the instance with this name.
    pub(super) fn of(instance: &str) -> InstanceKind {
        match split_copy(instance) {
            (_, Some(copy)) => InstanceKind::Copy(copy),
            ("whole", None) => InstanceKind::Log,
            _ => InstanceKind::Drawn,
        }
    }
}

/// Estimate of a value with its noise, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Ensemble {
    /// Mean over the copies of the log; without copies the value of the log, or else the mean over
    /// the drawn workloads.
    pub(super) value: Option<f64>,
    /// Standard error of the mean over the copies, if there are any.
    pub(super) error: Option<f64>,
    /// Ends of the interval with nine tenths of the drawn workloads, if there are several.
    pub(super) range: Option<(f64, f64)>,
}

/// Verdict on a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The noise of the change is not known.
    Unknown,
    /// The change is within its noise, or within the resolution of submissions.
    Noise,
    /// The change exceeds its noise.
    Change {
        is_longer: bool,
        /// True if nine tenths of the drawn workloads have a change of the same sign.
        is_general: bool,
    },
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Unknown => "noise unknown",
            Verdict::Noise => "within noise",
            Verdict::Change { is_longer: true, is_general: true } => "longer",
            Verdict::Change { is_longer: false, is_general: true } => "shorter",
            Verdict::Change { is_longer: true, is_general: false } => "longer for these users",
            Verdict::Change { is_longer: false, is_general: false } => "shorter for these users",
        })
    }
}

impl Ensemble {
    /// Estimates a value from those of instances.
    pub(super) fn of(values: &[(InstanceKind, f64)]) -> Ensemble {
        let of = |is: fn(InstanceKind) -> bool| -> Vec<f64> {
            values.iter().filter(|(kind, _)| is(*kind)).map(|(_, value)| *value).collect()
        };
        let of_log = of(|kind| kind == InstanceKind::Log);
        let mut drawn = of(|kind| kind == InstanceKind::Drawn);
        drawn.sort_by(f64::total_cmp);
        let copies = means_of_copies(values);
        let best = [&copies, &of_log, &drawn].into_iter().find(|values| !values.is_empty());
        let statistics = Statistics::from_values(&copies);
        let error = statistics.and_then(|it| Some(it.deviation? / (copies.len() as f64).sqrt()));
        let range = (drawn.len() > 1).then(|| RANGE_QUANTILES.map(|part| quantile(&drawn, part)).into());
        Ensemble { value: best.map(|values| mean(values)), error, range }
    }

    /// Returns the value, its standard error and the ends of its range.
    pub(super) fn columns(self) -> [Option<f64>; 4] {
        let (low, high) = self.range.unzip();
        [self.value, self.error, low, high]
    }

    /// Classifies the estimate of a change, if submissions are known with this resolution in
    /// seconds; `None` if there is no estimate.
    pub(super) fn verdict(self, resolution: f64) -> Option<Verdict> {
        let change = self.value?;
        let Some(error) = self.error else { return Some(Verdict::Unknown) };
        if change.abs() <= (NOISE_ERRORS * error).max(resolution) {
            return Some(Verdict::Noise);
        }
        let is_general =
            self.range.is_some_and(|(low, high)| if change > 0.0 { low > 0.0 } else { high < 0.0 });
        Some(Verdict::Change { is_longer: change > 0.0, is_general })
    }

    /// Formats the value and its standard error in hours, with as many decimals as the error
    /// justifies: `0.312 ± 0.014`.
    pub(super) fn with_error(self) -> Option<String> {
        let value = self.value.map(hours)?;
        let Some(error) = self.error.map(hours) else { return Some(format!("{} ± ?", rounded(value))) };
        if error == 0.0 {
            return Some(format!("{} ± 0", rounded(value)));
        }
        // Two digits of the error.
        let decimals = (1.0 - error.log10().floor()).clamp(0.0, DECIMALS.into()) as usize;
        Some(format!("{value:.decimals$} ± {error:.decimals$}"))
    }

    /// Formats the range in hours: `-0.4000 to 0.1000`.
    pub(super) fn range(self) -> Option<String> {
        let (low, high) = self.range?;
        Some(format!("{} to {}", rounded(hours(low)), rounded(hours(high))))
    }
}

/// Averages the values of all copies with the same number, as a log that is cut into parts has a
/// copy of each part.
fn means_of_copies(values: &[(InstanceKind, f64)]) -> Vec<f64> {
    let mut copies: Vec<(u32, f64)> = Vec::new();
    copies.extend(values.iter().filter_map(|&(kind, value)| match kind {
        InstanceKind::Copy(number) => Some((number, value)),
        InstanceKind::Log | InstanceKind::Drawn => None,
    }));
    copies.sort_by_key(|(number, _)| *number);
    let of_number = copies.chunk_by(|a, b| a.0 == b.0);
    of_number.map(|copies| mean(&copies.iter().map(|(_, value)| *value).collect::<Vec<_>>())).collect()
}

/// Number of decimals to which hours are rounded: some milliseconds.
const DECIMALS: u8 = 6;

/// Converts seconds to hours, rounded.
pub(super) fn hours(seconds: f64) -> f64 {
    let unit = 10_f64.powi(DECIMALS.into());
    // Adding 0 removes the sign of a negative zero.
    (seconds / 3600.0 * unit).round() / unit + 0.0
}

/// Computes a quantile of sorted values, interpolating linearly between neighbours.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let at = part * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    below + (above - below) * at.fract()
}

#[cfg(test)]
mod tests {
    use super::*;
    use InstanceKind::{Copy, Drawn, Log};

    fn drawn() -> Vec<(InstanceKind, f64)> {
        (0..=20).map(|value| (Drawn, f64::from(value))).collect()
    }

    #[test]
    fn estimates_are_of_the_copies_or_of_the_log_and_ranges_of_drawn_ones() {
        let of_drawn = Ensemble { value: Some(10.0), error: None, range: Some((1.0, 19.0)) };
        assert_eq!(Ensemble::of(&drawn()), of_drawn);
        let with_log = [vec![(Log, 7.5)], drawn()].concat();
        assert_eq!(Ensemble::of(&with_log), Ensemble { value: Some(7.5), ..of_drawn });
        // The copies have mean 6 and deviation 2: the standard error of four is 1.
        let copies = [3.0, 7.0, 7.0, 7.0].into_iter().zip(0..).map(|(value, number)| (Copy(number), value));
        let with_copies = [with_log, copies.collect()].concat();
        assert_eq!(Ensemble::of(&with_copies), Ensemble { value: Some(6.0), error: Some(1.0), ..of_drawn });
        assert_eq!(Ensemble::of(&[(Log, 3.0)]), Ensemble { value: Some(3.0), ..Ensemble::default() });
        assert_eq!(Ensemble::of(&[]), Ensemble::default());
    }

    #[test]
    fn copies_of_parts_of_a_log_are_averaged_by_number() {
        let weeks =
            [(Drawn, 1.0), (Copy(0), 1.0), (Copy(1), 3.0), (Drawn, 5.0), (Copy(0), 5.0), (Copy(1), 7.0)];
        // Copy 0 has 3, copy 1 has 5: the deviation is the root of 2, the standard error 1.
        let ensemble = Ensemble::of(&weeks);
        assert_eq!(ensemble.value, Some(4.0));
        assert!((ensemble.error.unwrap() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn verdicts_need_two_standard_errors_and_the_users() {
        let judged = |value, error, range| {
            Ensemble { value: Some(value), error, range }.verdict(1.0).unwrap().to_string()
        };
        assert_eq!(judged(-5.0, None, Some((-9.0, -1.0))), "noise unknown");
        assert_eq!(judged(-2.0, Some(1.0), Some((-9.0, -1.0))), "within noise");
        assert_eq!(judged(0.0, Some(0.0), None), "within noise");
        assert_eq!(judged(-2.1, Some(1.0), Some((-9.0, -1.0))), "shorter");
        assert_eq!(judged(-2.1, Some(1.0), Some((-9.0, 1.0))), "shorter for these users");
        assert_eq!(judged(2.1, Some(1.0), Some((1.0, 9.0))), "longer");
        assert_eq!(judged(2.1, Some(1.0), None), "longer for these users");
        // Listings have whole seconds.
        assert_eq!(judged(1.0, Some(0.1), None), "within noise");
        assert_eq!(judged(1.1, Some(0.1), None), "longer for these users");
        assert_eq!(Ensemble::default().verdict(1.0), None);
    }

    #[test]
    fn values_have_the_decimals_that_their_errors_justify() {
        let shown = |value, error| {
            Ensemble { value: Some(3600.0 * value), error: Some(3600.0 * error), range: None }
                .with_error()
                .unwrap()
        };
        assert_eq!(shown(12.3456, 0.0149), "12.346 ± 0.015");
        assert_eq!(shown(-0.31234, 0.0021), "-0.3123 ± 0.0021");
        assert_eq!(shown(123.456, 4.2), "123.5 ± 4.2");
        assert_eq!(shown(1234.56, 42.0), "1235 ± 42");
        assert_eq!(shown(0.00123, 0.000031), "0.001230 ± 0.000031");
        assert_eq!(shown(0.5, 0.0), "0.5000 ± 0");
        let alone = Ensemble { value: Some(1800.0), error: None, range: None };
        assert_eq!(alone.with_error().unwrap(), "0.5000 ± ?");
    }
}
