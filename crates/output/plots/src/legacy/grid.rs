//! Tables 2 to 17 of the grid study (RR-7226), each a picture: the means over the workloads beside the published ones.

use super::mean::mean;
use crate::legacy::beside::Rows;
use crate::legacy::results::Drawn;
use dfrsim_legacy::TabledResults;

/// What the tables tell, in their order.
const METRICS: [(&str, &str, bool); 4] = [
    ("changed_pct", "changed jobs (%)", false),
    ("reallocations", "reallocations", true),
    ("earlier_pct", "earlier jobs (% of the changed ones)", false),
    ("relative_response", "relative response time", true),
];
const ALGORITHMS: [&str; 2] = ["without", "with"];
const PLATFORMS: [&str; 2] = ["homogeneous", "heterogeneous"];

pub(crate) fn draw(results: &TabledResults, drawn: &mut Drawn) {
    let Some(table) = results.table("figures") else {
        return drawn.left_out.push("there is no table `figures`".to_owned());
    };
    let mut number = 1;
    for algorithm in ALGORITHMS {
        for (metric, value, is_logarithmic) in METRICS {
            for platform in PLATFORMS {
                number += 1;
                // Of each local policy and heuristic both figures of the workloads that have a published one.
                let mut rows: Vec<(String, [Vec<f64>; 2])> = Vec::new();
                for line in table.lines().filter(|line| {
                    [("metric", metric), ("cancellation", algorithm), ("platform", platform)]
                        .iter()
                        .all(|&(column, text)| line.text(column) == text)
                }) {
                    let Some((here, published)) = line.number("mean").zip(line.number("published")) else {
                        continue;
                    };
                    let name = format!("{} {}", line.text("local"), line.text("heuristic"));
                    let at = rows.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
                        rows.push((name, [Vec::new(), Vec::new()]));
                        rows.len() - 1
                    });
                    rows[at].1[0].push(here);
                    rows[at].1[1].push(published);
                }
                let means = |(name, [here, published]): (String, [Vec<f64>; 2])| {
                    Some((name, [mean(&here)?, mean(&published)?]))
                };
                let rows = Rows {
                    stem: format!("table-{number:02}"),
                    title: format!("Table {number}: {algorithm} cancellation, {platform}"),
                    of: "local_and_heuristic",
                    value,
                    is_logarithmic,
                    rows: rows.into_iter().filter_map(means).collect(),
                };
                match rows.figure() {
                    Some(figure) => drawn.figures.push(figure),
                    None => drawn.left_out.push(format!("table {number}: nothing published beside it")),
                }
            }
        }
    }
}
