//! Ratios of two results or two policies, with their intervals.

use crate::axes::{self, Area, Axis, EDGE, LABEL, WIDTH, X_AXIS};
use crate::colour::Colour;
use crate::figure::Figure;
use crate::font;
use crate::palette;
use crate::picture::{Picture, Stroke};
use crate::scale::Scale;
use crate::statistics::range;
use crate::table::Csv;
use dfrsim_legacy::comparison::{Column, Comparison, Estimate, GroupComparison};

/// More rows are too many for a page.
const MOST_ROWS: usize = 40;

/// Draws a comparison: for each figure that was compared a row for each group, with the geometric mean of the ratios B / A
/// and its bootstrap interval on a logarithmic axis. Rows right of 1 are those in which B has more.
#[must_use]
pub fn draw_comparison(comparison: &Comparison) -> Vec<Figure> {
    let mut columns: Vec<Column> = Vec::new();
    for group in &comparison.groups {
        if !columns.contains(&group.figure) {
            columns.push(group.figure);
        }
    }
    columns.into_iter().filter_map(|column| draw(comparison, column)).collect()
}

/// A group and the ratio of its means.
type Row<'a> = (&'a GroupComparison, Estimate);

fn draw(comparison: &Comparison, column: Column) -> Option<Figure> {
    const ROW: f64 = 22.0;
    let of_column = || comparison.groups.iter().filter(|group| group.figure == column);
    let mut rows: Vec<Row<'_>> = of_column().filter_map(|group| Some((group, group.ratio?.mean))).collect();
    let mut remarks = vec![format!("intervals of {} confidence", comparison.confidence)];
    let left_out = of_column().count() - rows.len();
    if left_out > 0 {
        remarks.push(format!("{left_out} groups have no ratios: a side of each is 0"));
    }
    if rows.len() > MOST_ROWS {
        // Where a workload has several loads, what they are together says most.
        let is_part = |key: &str| key != "all";
        rows.retain(|(group, _)| !group.key.load.as_deref().is_some_and(is_part));
        let shown = rows.len().min(MOST_ROWS);
        rows.truncate(shown);
        remarks.push(format!("the first {shown} groups, all loads of a workload together"));
    }
    let ends = rows.iter().flat_map(|(_, ratio)| {
        let (low, high) = ratio.interval.unwrap_or((ratio.value, ratio.value));
        [low, high, ratio.value, 1.0]
    });
    let (low, high) = range(ends)?;
    let title = format!("ratio of {}, B / A", column.name().replace('_', " "));
    let x = Axis::new(title, Scale::logarithmic(low, high));
    let room = WIDTH * 0.55;
    let names: Vec<String> =
        rows.iter().map(|(group, _)| axes::shortened(&name(group), LABEL, room)).collect();
    let widest = names.iter().map(|name| font::width(name, LABEL)).fold(0.0, f64::max);
    let top = axes::header_height(&remarks);
    let bottom = top + rows.len() as f64 * ROW + 8.0;
    let area = Area { left: EDGE + widest + 8.0, top, right: WIDTH - axes::right_of(&x), bottom };
    let mut picture = Picture::new(WIDTH, bottom + X_AXIS + EDGE / 2.0);
    axes::header(&mut picture, "B against A, instance by instance", &remarks);
    axes::x_grid(&mut picture, &area, &x.scale);
    let one = area.x(&x.scale, 1.0);
    picture.line(vec![(one, area.top), (one, area.bottom)], Stroke::solid(Colour::INK, 1.2));
    area.outline(&mut picture);
    axes::x_axis(&mut picture, &area, &x);
    let mut csv =
        Csv::new(["workload", "load", "policy", "with", "pairs", "ratio", "interval_low", "interval_high"]);
    for (place, ((group, ratio), name)) in rows.iter().zip(&names).enumerate() {
        let middle = top + 4.0 + (place as f64 + 0.5) * ROW;
        axes::row_label(&mut picture, (area.left, middle), name);
        let at = |value: f64| area.x(&x.scale, value);
        // One colour for better, another one for worse, ink where the interval does not tell.
        let (low, high) = ratio.interval.unwrap_or((ratio.value, ratio.value));
        let number = usize::from((low > 1.0) != column.more_is_better());
        let is_open = low <= 1.0 && high >= 1.0;
        let colour = if is_open { Colour::INK } else { palette::stroke(number).colour };
        picture.line(vec![(at(low), middle), (at(high), middle)], Stroke::solid(colour, 2.0));
        for end in [low, high] {
            picture.line(vec![(at(end), middle - 4.0), (at(end), middle + 4.0)], Stroke::solid(colour, 2.0));
        }
        picture.disc((at(ratio.value), middle), 4.0, colour);
        let key = &group.key;
        let load = key.load.clone().unwrap_or_default();
        csv.line([
            &key.workload,
            &load,
            &key.policy,
            &group.with,
            &group.pairs.len(),
            &ratio.value,
            &low,
            &high,
        ]);
    }
    let stem = format!("comparison-{}", column.name());
    Some(Figure { stem, picture, csv: csv.finish(), remarks })
}

/// What tells a row from others: workload, load and policies.
fn name(group: &GroupComparison) -> String {
    let key = &group.key;
    let load = key.load.as_ref().map(|load| format!(" {load}")).unwrap_or_default();
    let with = if group.with == key.policy { String::new() } else { format!(" → {}", group.with) };
    format!("{}{load}: {}{with}", key.workload, key.policy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::legible::assert_legible;
    use dfrsim_legacy::comparison::{CompareOptions, compare};
    use dfrsim_legacy::{Results, RunOptions, Scenario, run};
    use std::sync::atomic::AtomicBool;

    fn results(policies: &str, traces: u32) -> Results {
        let text = format!(
            "study = 'online'\npolicies = {policies}\n[[workloads]]\nname = 'model'\nnodes = 16\n\
             lublin = {{ traces = {traces}, jobs = 60, loads = [0.3, 0.6, 0.9] }}\n"
        );
        let scenario = Scenario::parse(&text, "few.toml", &[]).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let options = RunOptions { threads: 1, ..RunOptions::new(folder.path()) };
        run(&scenario, &options, &AtomicBool::new(false), &()).unwrap();
        Results::read(folder.path()).unwrap()
    }

    /// EASY against FCFS: four rows (three loads and all of them), each with its ratio.
    #[test]
    fn rows_are_the_groups_of_the_comparison() {
        let results = results("['FCFS', 'EASY']", 6);
        let options = CompareOptions {
            policy: Some("FCFS".to_owned()),
            with: Some("EASY".to_owned()),
            resamples: 200,
            ..CompareOptions::default()
        };
        let comparison = compare(&results, &results, &options).unwrap();
        let figures = draw_comparison(&comparison);
        assert_eq!(figures.len(), 1);
        assert_legible(&figures[0]);
        let lines: Vec<&str> = figures[0].csv.lines().skip(1).collect();
        assert_eq!(lines.len(), comparison.groups.len());
        for (line, group) in lines.iter().zip(&comparison.groups) {
            let ratio = group.ratio.unwrap().mean.value;
            assert_eq!(line.split(',').nth(5).unwrap().parse::<f64>().unwrap(), ratio);
            assert!(line.starts_with("model,"), "{line}");
        }
        assert!(figures[0].picture.svg().contains("FCFS → EASY"));
    }

    /// Many policies against themselves: only all loads together, at most so many, and a remark.
    #[test]
    fn too_many_rows_are_cut_down() {
        let results = results("[{ matching = '/OPT=MIN' }]", 2);
        let options = CompareOptions { resamples: 100, ..CompareOptions::default() };
        let comparison = compare(&results, &results, &options).unwrap();
        assert!(comparison.groups.len() > 4 * MOST_ROWS);
        let figures = draw_comparison(&comparison);
        assert_legible(&figures[0]);
        assert_eq!(figures[0].csv.lines().count(), 1 + MOST_ROWS);
        assert!(figures[0].csv.lines().skip(1).all(|line| line.starts_with("model,all,")));
        assert!(figures[0].remarks[1].starts_with("the first 40 groups"));
    }
}
