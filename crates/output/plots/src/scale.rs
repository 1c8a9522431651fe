//! Axes: positions of values, and ticks.
//!
//! Plotters' own axes are not used: its logarithmic axes label powers of ten only, of which a short
//! axis has one or none, and it has no time axes.

use crate::font;
use dfrsim_model::SimTime;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use std::ops::Range;

/// A linear or logarithmic axis with its range and ticks.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    from: f64,
    to: f64,
    is_logarithmic: bool,
    ticks: Vec<Tick>,
}

/// Fraction of a logarithmic axis that is left free at its ends.
const MARGIN: f64 = 0.015;

/// Largest absolute value on an axis.
const MAX_VALUE: f64 = 1e30;

/// A tick of an axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    pub(crate) value: f64,
    /// Label of the tick; `None` for minor ticks.
    pub(crate) label: Option<String>,
}

impl Scale {
    /// Creates a linear axis with about `ticks` ticks that begins and ends at ticks and covers all
    /// values from `low` to `high`.
    pub fn linear(low: f64, high: f64, ticks: usize) -> Scale {
        let (low, high) = (low.clamp(-MAX_VALUE, MAX_VALUE), high.clamp(-MAX_VALUE, MAX_VALUE));
        let (low, high) = if high > low { (low, high) } else { (low - 0.5, low + 0.5) };
        let step = round_step((high - low) / ticks as f64);
        // A value that exceeds a tick only by rounding must not extend the axis.
        let (first, last) = ((low / step + 1e-9).floor(), (high / step - 1e-9).ceil());
        let places = (first as i64..=last as i64).map(|index| index as f64);
        let decimals = (-step.log10() - 1e-9).ceil().max(0.0) as usize;
        let ticks = places.map(|index| tick(index * step, &group_digits(index * step, decimals))).collect();
        Scale { from: first * step, to: last * step, is_logarithmic: false, ticks }
    }

    /// Creates a logarithmic axis that begins and ends at 1, 2 or 5 times a power of ten and covers
    /// all values from `low` to `high`, which must be positive. Markers of values that are not such a
    /// number themselves do not touch its ends.
    pub fn logarithmic(low: f64, high: f64) -> Scale {
        let (low, high) = (low.clamp(1.0 / MAX_VALUE, MAX_VALUE), high.clamp(1.0 / MAX_VALUE, MAX_VALUE));
        let margin = (high / low).max(1.0).powf(MARGIN);
        let (from, to) = (round_step_down(low), round_step(high));
        let from = if from < low { round_step_down(low / margin) } else { from };
        let to = if to > high { round_step(high * margin) } else { to };
        let to = if to > from { to } else { round_step(from * 1.5) };
        // Powers of ten are labelled; on a short axis also 2 and 5 times powers of ten.
        let is_short = to / from < 80.0;
        let (lowest, highest) = ((from.log10() + 1e-9).floor() as i32, (to.log10() - 1e-9).ceil() as i32);
        let spacing = (highest - lowest) / 7 + 1;
        let mut ticks = Vec::new();
        for power in lowest..=highest {
            for digit in 1..=9 {
                let value = power_of_ten(digit, power);
                let has_label = if is_short {
                    matches!(digit, 1 | 2 | 5)
                } else {
                    digit == 1 && power.rem_euclid(spacing) == 0
                };
                if (from * (1.0 - 1e-9)..=to * (1.0 + 1e-9)).contains(&value) {
                    let label = has_label.then(|| logarithmic_label(digit, power));
                    ticks.push(Tick { value, label });
                }
            }
        }
        Scale { from, to, is_logarithmic: true, ticks }
    }

    /// Creates an axis of simulated time that covers exactly this span; returns the unit of its
    /// labels, too.
    pub(crate) fn time(from: SimTime, to: SimTime) -> (Scale, &'static str) {
        const MINUTE: f64 = 60.0;
        const HOUR: f64 = 3600.0;
        const DAY: f64 = 86_400.0;
        let (from, to) = (from.as_secs_f64(), to.as_secs_f64());
        let to = if to > from { to } else { from + 1.0 };
        let wanted = (to - from) / 8.0;
        let (name, unit, step) = match wanted {
            short if short <= 100.0 => ("s", 1.0, round_step(short)),
            _ if wanted <= 20.0 * MINUTE && to <= 10.0 * HOUR => {
                ("min", MINUTE, first_at_least(wanted, &[5.0 * MINUTE, 10.0 * MINUTE, 20.0 * MINUTE]))
            }
            _ if wanted <= 12.0 * HOUR => {
                let hours = [0.5, 1.0, 2.0, 3.0, 6.0, 12.0].map(|hours| hours * HOUR);
                ("h", HOUR, first_at_least(wanted, &hours))
            }
            _ => ("days", DAY, round_step(wanted / DAY) * DAY),
        };
        let step_in_units = step / unit;
        let decimals = (-step_in_units.log10() - 1e-9).ceil().max(0.0) as usize;
        let (first, last) = ((from / step - 1e-9).ceil() as i64, (to / step + 1e-9).floor() as i64);
        let ticks = (first..=last).map(|index| index as f64);
        let ticks =
            ticks.map(|index| tick(index * step, &group_digits(index * step_in_units, decimals))).collect();
        (Scale { from, to, is_logarithmic: false, ticks }, name)
    }

    /// Returns the position of a value as a fraction of the axis: 0 at its beginning, 1 at its end.
    pub fn position(&self, value: f64) -> f64 {
        if self.is_logarithmic {
            (value / self.from).ln() / (self.to / self.from).ln()
        } else {
            (value - self.from) / (self.to - self.from)
        }
    }
    /// Creates an axis of rows of equal height, from top to bottom, with labels at some levels; 0 is
    /// the top.
    pub(crate) fn rows(rows: usize, labels: impl IntoIterator<Item = (f64, String)>) -> Scale {
        let ticks = labels.into_iter().map(|(value, label)| tick(value, &label)).collect();
        Scale { from: rows as f64, to: 0.0, is_logarithmic: false, ticks }
    }

    /// Creates a linear axis that covers exactly this range, with labels at some values.
    pub(crate) fn labelled(from: f64, to: f64, labels: impl IntoIterator<Item = (f64, String)>) -> Scale {
        let ticks = labels.into_iter().map(|(value, label)| tick(value, &label)).collect();
        Scale { from, to, is_logarithmic: false, ticks }
    }

    /// Removes labels that would overlap the previous one on a horizontal axis of this length.
    pub(crate) fn without_overlaps(mut self, length: i32, size: i32) -> Scale {
        let mut free_from = f64::NEG_INFINITY;
        for index in 0..self.ticks.len() {
            let at = self.position(self.ticks[index].value) * f64::from(length);
            let label = &mut self.ticks[index].label;
            let half = label.as_deref().map_or(0.0, |label| f64::from(font::width(label, size)) / 2.0);
            if at - half < free_from {
                *label = None;
            } else if label.is_some() {
                free_from = at + half + f64::from(size) * 0.6;
            }
        }
        self
    }

    /// Leaves every second, third and so on of the labels of a vertical axis of this length, so that they
    /// do not overlap.
    pub(crate) fn without_overlaps_above(mut self, length: i32, size: i32) -> Scale {
        let places: Vec<f64> = self.labels().map(|(place, _)| place * f64::from(length)).collect();
        let far = f64::from(size) * 1.25;
        let is_apart = |step: &usize| {
            let kept: Vec<f64> = places.iter().step_by(*step).copied().collect();
            kept.windows(2).all(|pair| (pair[1] - pair[0]).abs() >= far)
        };
        let step = (1..=places.len().max(1)).find(is_apart).unwrap_or(1);
        let labelled = self.ticks.iter_mut().filter(|tick| tick.label.is_some());
        for (_, tick) in { labelled }.enumerate().filter(|(place, _)| place % step != 0) {
            tick.label = None;
        }
        self
    }

    /// Returns the labels with their positions.
    pub fn labels(&self) -> impl Iterator<Item = (f64, &str)> {
        self.ticks.iter().filter_map(|tick| Some((self.position(tick.value), tick.label.as_deref()?)))
    }
}

impl Ranged for Scale {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        // Values far beyond the axis are clamped, so that their coordinates stay in range.
        from + (self.position(*value).clamp(-1.0, 2.0) * f64::from(to - from)).round() as i32
    }
    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        let is_any = hint.weight().allow_light_points();
        self.ticks.iter().filter(|tick| is_any || tick.label.is_some()).map(|tick| tick.value).collect()
    }
    fn range(&self) -> Range<f64> {
        self.from..self.to
    }
}

impl ValueFormatter<f64> for Scale {
    fn format_ext(&self, value: &f64) -> String {
        let tick = self.ticks.iter().find(|tick| tick.value == *value);
        tick.and_then(|tick| tick.label.clone()).unwrap_or_default()
    }
}

fn tick(value: f64, label: &str) -> Tick {
    Tick { value, label: Some(label.to_owned()) }
}

/// Computes `digit` times a power of ten, correctly rounded.
fn power_of_ten(digit: u32, power: i32) -> f64 {
    let digit = f64::from(digit);
    if power < 0 { digit / 10_f64.powi(-power) } else { digit * 10_f64.powi(power) }
}

/// Returns the smallest number of the form 1, 2 or 5 times a power of ten that is at least `size`,
/// which must be positive.
fn round_step(size: f64) -> f64 {
    let power = size.log10().floor() as i32;
    let steps = [(1, power), (2, power), (5, power), (1, power + 1)];
    let steps = steps.map(|(digit, power)| power_of_ten(digit, power));
    steps.into_iter().find(|&step| step >= size * (1.0 - 1e-9)).unwrap_or(size)
}

/// Returns the largest number of the form 1, 2 or 5 times a power of ten that is at most `size`.
fn round_step_down(size: f64) -> f64 {
    let power = size.log10().floor() as i32;
    let steps = [(1, power + 1), (5, power), (2, power), (1, power)];
    let steps = steps.map(|(digit, power)| power_of_ten(digit, power));
    steps.into_iter().find(|&step| step <= size * (1.0 + 1e-9)).unwrap_or(size)
}

/// Returns the first of ascending steps that is at least `size`, or the last one.
fn first_at_least(size: f64, steps: &[f64]) -> f64 {
    steps.iter().copied().find(|&step| step >= size).unwrap_or(steps[steps.len() - 1])
}

/// Formats a number with commas between groups of three digits.
pub(crate) fn group_digits(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let is_zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    let mut grouped = String::from(if value < 0.0 && !is_zero { "−" } else { "" });
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if !fraction.is_empty() {
        grouped.push('.');
        grouped.push_str(fraction);
    }
    grouped
}

fn logarithmic_label(digit: u32, power: i32) -> String {
    if (-4..=6).contains(&power) {
        return group_digits(power_of_ten(digit, power), power.min(0).unsigned_abs() as usize);
    }
    let superscript = |character: char| match character {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '0' => '⁰',
        other => char::from_u32(u32::from(other) - u32::from('4') + u32::from('⁴')).unwrap_or(other),
    };
    let exponent: String = power.to_string().chars().map(superscript).collect();
    if digit == 1 { format!("10{exponent}") } else { format!("{digit}·10{exponent}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(scale: &Scale) -> Vec<&str> {
        scale.labels().map(|(_, label)| label).collect()
    }

    #[test]
    fn linear_axes_have_round_ticks() {
        assert_eq!(labels(&Scale::linear(0.1, 0.9, 5)), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(
            labels(&Scale::linear(0.0, 4_200.0, 5)),
            ["0", "1,000", "2,000", "3,000", "4,000", "5,000"]
        );
        assert_eq!(labels(&Scale::linear(3.0, 3.0, 2)), ["2.5", "3.0", "3.5"]);
        assert_eq!(labels(&Scale::linear(-1.0, 1.0, 2)), ["−1", "0", "1"]);
    }

    #[test]
    fn long_logarithmic_axes_name_powers_of_ten_and_short_ones_more() {
        assert_eq!(labels(&Scale::logarithmic(1.5, 9_000.0)), ["1", "10", "100", "1,000", "10,000"]);
        assert_eq!(
            labels(&Scale::logarithmic(600.0, 12_000.0)),
            ["500", "1,000", "2,000", "5,000", "10,000", "20,000"]
        );
        assert_eq!(labels(&Scale::logarithmic(0.03, 0.04)), ["0.02", "0.05"]);
        assert_eq!(labels(&Scale::logarithmic(1.0, 1.0)), ["1", "2"]);
        assert_eq!(
            labels(&Scale::logarithmic(1e-1, 1e12)),
            ["1", "100", "10,000", "1,000,000", "10⁸", "10¹⁰", "10¹²"]
        );
    }

    #[test]
    fn markers_do_not_touch_the_ends_of_a_logarithmic_axis() {
        let scale = Scale::logarithmic(2.1, 4_950.0);
        assert_eq!([scale.from, scale.to], [1.0, 10_000.0]);
        // A value that is a round number itself may be an end, such as a stretch of 1.
        let scale = Scale::logarithmic(1.0, 1_000.0);
        assert_eq!([scale.from, scale.to], [1.0, 1_000.0]);
    }

    #[test]
    fn time_has_the_unit_of_its_length() {
        let axis = |to| Scale::time(SimTime::ZERO, SimTime::from_secs(to));
        let (scale, unit) = axis(135);
        assert_eq!((labels(&scale).join(" "), unit), ("0 20 40 60 80 100 120".to_owned(), "s"));
        let (scale, unit) = axis(7_200);
        assert_eq!((labels(&scale).join(" "), unit), ("0 20 40 60 80 100 120".to_owned(), "min"));
        let (scale, unit) = axis(86_400);
        assert_eq!((labels(&scale).join(" "), unit), ("0 3 6 9 12 15 18 21 24".to_owned(), "h"));
        let (scale, unit) = axis(7 * 86_400);
        assert_eq!((labels(&scale).join(" "), unit), ("0 1 2 3 4 5 6 7".to_owned(), "days"));
        assert_eq!(axis(0).0.position(1.0), 1.0);
    }

    #[test]
    fn values_far_beyond_an_axis_have_a_place() {
        let places =
            [0.25, 1e300, -1e300].map(|value| Scale::linear(0.0, 1.0, 5).map(&value, (1_000, 5_000)));
        assert_eq!(places, [2_000, 9_000, -3_000]);
    }

    proptest! {
        /// Checks that every value is on its axis, and that the number of ticks is reasonable.
        #[test]
        fn no_value_is_beyond_an_axis(a in 1e-6..1e9_f64, ratio in 1.0..1e9_f64) {
            let (low, high) = (a, a * ratio);
            for scale in [Scale::linear(low, high, 6), Scale::logarithmic(low, high)] {
                let (first, last) = (scale.position(low), scale.position(high));
                prop_assert!(first > -1e-6 && first <= last && last < 1.0 + 1e-6, "{first} {last}");
                let labels = labels(&scale).len();
                prop_assert!((2..=10).contains(&labels), "{labels} labels");
            }
            let micros = |value: f64| SimTime::from_micros((value * 1e3) as u64);
            let (scale, _) = Scale::time(micros(low), micros(high));
            prop_assert!(labels(&scale).len() <= 12);
        }
    }
}
