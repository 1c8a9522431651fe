//! Chart of the gap by budget.

use crate::rows::Row;
use crate::scenario::Changes;
use crate::tables::{gaps, rows_of_variant};
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::{Axis, Chart, Drawing, Long, Series, average};

pub(crate) fn all(scenario: &Scenario<Changes>, rows: &Long<Row>) -> Vec<Drawing> {
    let series = scenario.costs.iter().map(|&cost| {
        let point = |(_, percent): (_, f64)| {
            average(gaps(rows_of_variant(rows, cost, percent))).map(|gap| (percent, 100.0 * gap))
        };
        let variants = scenario.variants().into_iter().filter(|(of, _)| *of == cost);
        Series::new(cost.to_string(), variants.filter_map(point).collect())
    });
    let x = Axis::linear("budget (% of what it costs to move everything)");
    let chart = Chart::lines(x, Axis::linear("mean gap (% of the optimum)"), "cost", series.collect());
    let title = "What the heuristic misses of the optimum, by budget";
    let remark = "Means over the changes whose optimum is proven, below 1, and needs a move.";
    vec![Drawing::new("gap-by-budget", title, chart).with_remark(remark)]
}
