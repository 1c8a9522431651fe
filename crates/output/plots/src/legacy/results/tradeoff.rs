//! Mean degradation against mean bandwidth: what is paid in the one for less of the other (dissertation, section 6.3).

use super::Drawn;
use super::by_period::periodic;
use super::groups::{Group, Series, chosen};
use crate::axes::Axis;
use crate::chart::{Chart, Course, Line, ONE_PANEL, Panel};
use crate::figure::Figure;
use crate::picture::Point;
use crate::scale::Scale;
use crate::statistics::range;
use crate::table::Csv;
use dfrsim_legacy::{Figures, Results};
use dfrsim_model::SimSpan;

/// The line of the best of all.
const BEST: &str = "best at equal bandwidth";

/// A setting with one of its periods.
struct Trade {
    period: SimSpan,
    instances: usize,
    gb_per_s: f64,
    degradation: f64,
}

/// Draws a line for each setting of a group that has several periods, a point a period, and through the points of all of them a
/// line of the best: the least degradation with no more than so much bandwidth.
pub(super) fn draw(results: &Results, group: &Group<'_>, drawn: &mut Drawn) {
    let (series, choice) = chosen(periodic(group));
    let Some(gigabytes) = results.node_memory_gb(group.workload).filter(|_| series.len() > 1) else {
        return;
    };
    let trades: Vec<Vec<Trade>> = series.iter().map(|series| trades(series, gigabytes)).collect();
    let mut csv =
        Csv::new(["policy", "period_s", "instances", "mean_gb_per_s", "mean_degradation", "is_best"]);
    let best = best(trades.iter().flatten().map(|trade| (trade.gb_per_s, trade.degradation)).collect());
    for (series, trades) in series.iter().zip(&trades) {
        for &Trade { period, instances, gb_per_s, degradation } in trades {
            let is_best = u32::from(best.contains(&(gb_per_s, degradation)));
            csv.line([&series.name, &period.as_secs_f64(), &instances, &gb_per_s, &degradation, &is_best]);
        }
    }
    let points =
        |trades: &Vec<Trade>| trades.iter().map(|trade| (trade.gb_per_s, trade.degradation)).collect();
    let mut lines: Vec<Line> = (trades.iter().enumerate())
        .map(|(number, trades)| Line { number, points: points(trades), course: Course::Straight })
        .collect();
    lines.push(Line { number: series.len(), points: best, course: Course::Steps });
    let all = || lines.iter().flat_map(|line| &line.points);
    let (widest, highest) = (range(all().map(|point| point.0)), range(all().map(|point| point.1)));
    let (widest, (lowest, highest)) = (widest.map_or(1.0, |range| range.1), highest.unwrap_or((0.0, 1.0)));
    let y = if highest > 10.0 * lowest {
        Scale::logarithmic(lowest, highest)
    } else {
        Scale::linear(0.0, highest, 6)
    };
    let x = Scale::linear(0.0, if widest > 0.0 { widest } else { 1.0 }, 8);
    let names = series.iter().map(|series| series.name.clone()).chain([BEST.to_owned()]).collect();
    let remarks: Vec<String> = group
        .remarks()
        .into_iter()
        .chain(choice)
        .chain(["a point a period; longer periods move less".to_owned()])
        .collect();
    let chart = Chart {
        title: format!("Degradation and bandwidth: {}", group.title()),
        remarks: remarks.clone(),
        x: Axis::new("preemption and migration [GB/s]", x),
        panels: vec![Panel { y: Axis::new("mean degradation from bound", y), height: ONE_PANEL, lines }],
        names,
    };
    let stem = group.stem("degradation-by-bandwidth");
    drawn.add(Figure { stem, picture: chart.picture(), csv: csv.finish(), remarks });
}

/// The means of a setting by rising period.
fn trades(series: &Series<'_>, node_memory_gb: f64) -> Vec<Trade> {
    let bandwidth = |figures: &Figures| {
        figures.preemption_gb_per_s(node_memory_gb) + figures.migration_gb_per_s(node_memory_gb)
    };
    let trade = |period| {
        let (instances, gb_per_s) = series.mean_where(|row| row.cell.period_s == Some(period), bandwidth)?;
        let (_, degradation) =
            series.mean_where(|row| row.cell.period_s == Some(period), |figures| figures.degradation)?;
        Some(Trade { period, instances, gb_per_s, degradation })
    };
    series.periods().into_iter().filter_map(trade).collect()
}

/// The points than which none has less of both, by rising bandwidth.
fn best(mut points: Vec<Point>) -> Vec<Point> {
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut least = f64::INFINITY;
    points.retain(|point| {
        let is_better = point.1 < least;
        least = least.min(point.1);
        is_better
    });
    points
}

#[cfg(test)]
mod tests {
    use super::best;

    #[test]
    fn the_best_fall_as_the_bandwidth_rises() {
        let points = vec![(3.0, 1.0), (1.0, 5.0), (2.0, 6.0), (2.0, 2.0), (4.0, 1.0)];
        assert_eq!(best(points), [(1.0, 5.0), (2.0, 2.0), (3.0, 1.0)]);
    }
}
