//! The gap by budget.

use crate::rows::Row;
use crate::scenario::Changes;
use crate::tables::{gaps, part};
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::{Axis, Chart, Drawing, Join, Long, Series, mean};

pub(crate) fn all(scenario: &Scenario<Changes>, rows: &Long<Row>) -> Vec<Drawing> {
    let series = scenario.costs.iter().map(|&cost| {
        let point = |(_, percent): (_, f64)| {
            let gaps = gaps(part(rows, cost, percent));
            (!gaps.is_empty()).then(|| (percent, 100.0 * mean(&gaps)))
        };
        let variants = scenario.variants().into_iter().filter(|(of, _)| *of == cost);
        Series { name: cost.to_string(), points: variants.filter_map(point).collect(), join: Join::Straight }
    });
    vec![Drawing {
        stem: "gap-by-budget".to_owned(),
        title: "What the heuristic misses of the optimum, by budget".to_owned(),
        remarks: vec![
            "Means over the changes whose optimum is proven, below 1, and needs a move.".to_owned(),
        ],
        chart: Chart::Lines {
            x: Axis::linear("budget (% of what it costs to move everything)"),
            y: Axis::linear("mean gap (% of the optimum)"),
            name: "cost".to_owned(),
            series: series.collect(),
        },
    }]
}
