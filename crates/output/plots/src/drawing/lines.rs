//! Line charts of series.

use super::{Captions, Drawn, MAX_SHOWN, axis, is_shown, with_zero};
use crate::chart::ONE_PANEL;
use crate::line::{self, Line};
use crate::styles::Styles;
use crate::table::Csv;
use dfrsim_lab::{Axis, Series};

/// Largest number of lines whose intervals are drawn.
const MAX_WITH_INTERVALS: usize = 8;

pub(super) fn draw(
    sheet: &mut Captions,
    (x, y): (&Axis, &Axis),
    name: &str,
    series: &[Series],
    styles: &Styles,
) -> Option<Drawn> {
    let has_intervals = series.iter().any(|series| !series.intervals.is_empty());
    let mut csv = match has_intervals {
        true => Csv::new([name, &x.label, &y.label, "interval_low", "interval_high"]),
        false => Csv::new([name, &x.label, &y.label]),
    };
    for Series { name, points, intervals, .. } in series {
        for (place, (across, up)) in points.iter().enumerate() {
            let [low, high] = match intervals.get(place).copied().flatten() {
                Some((low, high)) => [low, high].map(|end| end.to_string()),
                None => <[String; 2]>::default(),
            };
            match has_intervals {
                true => csv.line([name, across, up, &low, &high]),
                false => csv.line([name, across, up]),
            }
        }
    }
    let shown = series.len().min(MAX_SHOWN);
    let numbers = styles.of(series[..shown].iter().map(|series| series.name.as_str()));
    // Intervals of many lines would cover each other; the data have them.
    let shows_intervals = has_intervals && shown <= MAX_WITH_INTERVALS;
    if has_intervals && !shows_intervals {
        sheet.remarks.push(format!(
            "Intervals are drawn for up to {MAX_WITH_INTERVALS} series; those of this figure are in its data."
        ));
    }
    let mut hidden = 0;
    let line = |(series, style): (&Series, usize)| {
        let mut points = series.points.clone();
        points.retain(|&(across, up)| is_shown(x, across) && is_shown(y, up));
        hidden += series.points.len() - points.len();
        let of_points = series.points.iter().zip(&series.intervals);
        let intervals = of_points.filter_map(|(point, interval)| {
            let (low, high) = (*interval)?;
            let is_drawn = shows_intervals && points.contains(point) && is_shown(y, low) && is_shown(y, high);
            is_drawn.then_some((point.0, low, high))
        });
        let intervals = intervals.collect();
        Line { panel: 0, name: series.name.clone(), style, points, intervals, join: series.join }
    };
    let lines: Vec<Line> = series[..shown].iter().zip(numbers).map(line).collect();
    sheet.note_left_out(hidden, "points");
    sheet.note_truncation(shown, series.len(), "series");
    let (across, mut up): (Vec<f64>, Vec<f64>) = lines.iter().flat_map(|line| &line.points).copied().unzip();
    up.extend(lines.iter().flat_map(|line| &line.intervals).flat_map(|&(_, low, high)| [low, high]));
    let x = axis(x, across.into_iter(), 8, 0.02)?;
    let y = axis(y, with_zero(y, &up).into_iter(), 8, 0.0)?;
    Some((line::draw(sheet.frame(x, vec![(y, ONE_PANEL)]), &lines), csv))
}
