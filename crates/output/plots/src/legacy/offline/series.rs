//! Yields, failures and times against slack or tasks (RR-6692, figures 2 to 6, 8 to 22).

use crate::axes::Axis;
use crate::chart::{Chart, Course, Line, ONE_PANEL, Panel};
use crate::figure::Figure;
use crate::legacy::results::Drawn;
use crate::picture::Point;
use crate::scale::Scale;
use crate::statistics::range;
use crate::table::Csv;
use dfrsim_legacy::{ResultTable, TabledResults};

/// What is drawn against what.
struct Quantity {
    stem: &'static str,
    table: &'static str,
    /// The column that says of which instances a line is.
    of: &'static str,
    x: (&'static str, &'static str),
    y: (&'static str, &'static str),
    is_logarithmic: bool,
}

const QUANTITIES: [Quantity; 4] = [
    by_slack("minimum-yield-by-slack", "minimum_yield", "mean minimum yield"),
    by_slack("average-yield-by-slack", "average_yield", "mean average yield"),
    by_slack("failures-by-slack", "fr", "failure rate (%)"),
    Quantity {
        stem: "times-by-tasks",
        table: "times",
        of: "instances",
        x: ("tasks", "tasks"),
        y: ("mean_ms", "mean time (ms)"),
        is_logarithmic: true,
    },
];

const fn by_slack(stem: &'static str, column: &'static str, words: &'static str) -> Quantity {
    Quantity {
        stem,
        table: "rr6692_by_slack",
        of: "set",
        x: ("slack", "slack"),
        y: (column, words),
        is_logarithmic: false,
    }
}

/// Algorithms that are drawn together, as the report does it.
#[derive(Clone, Copy)]
enum Family {
    /// MCB1 to MCB8.
    Mcb,
    /// The best of these with all others.
    All,
}

impl Family {
    fn name(self) -> &'static str {
        match self {
            Family::Mcb => "mcb",
            Family::All => "all",
        }
    }
    fn has(self, algorithm: &str) -> bool {
        match self {
            Family::Mcb => algorithm.starts_with("MCB"),
            Family::All => algorithm == "MCB8" || !algorithm.starts_with("MCB"),
        }
    }
}

pub(super) fn draw(results: &TabledResults, drawn: &mut Drawn) {
    for quantity in &QUANTITIES {
        let Some(table) = results.table(quantity.table) else { continue };
        let mut sets: Vec<&str> = Vec::new();
        for line in table.lines() {
            let set = line.text(quantity.of);
            if set.starts_with("rr6692") && !sets.contains(&set) {
                sets.push(set);
            }
        }
        for set in sets {
            for family in [Family::Mcb, Family::All] {
                drawn.figures.extend(figure(&table, quantity, set, family));
            }
        }
    }
}

/// The lines of a family of algorithms on a set; nothing if there are none or only one point of each.
fn figure(table: &ResultTable, quantity: &Quantity, set: &str, family: Family) -> Option<Figure> {
    let Quantity { x: (x_column, x_words), y: (y_column, y_words), is_logarithmic, .. } = *quantity;
    let mut csv = Csv::new(["algorithm", x_column, y_column]);
    let mut names: Vec<String> = Vec::new();
    let mut lines: Vec<Line> = Vec::new();
    let mut instances: Vec<f64> = Vec::new();
    for line in
        table.lines().filter(|line| line.text(quantity.of) == set && family.has(line.text("algorithm")))
    {
        let point = line.number(x_column).zip(line.number(y_column));
        let Some((across, up)) = point.filter(|point| !is_logarithmic || point.1 > 0.0) else { continue };
        let name = line.text("algorithm");
        let number = names.iter().position(|known| known == name).unwrap_or_else(|| {
            names.push(name.to_owned());
            let number = lines.len();
            lines.push(Line { number, points: Vec::new(), course: Course::Straight });
            instances.push(0.0);
            number
        });
        lines[number].points.push((across, up));
        instances[number] += line.number("instances").unwrap_or(0.0);
        csv.line([&name, &across, &up]);
    }
    let points = || lines.iter().flat_map(|line| &line.points);
    let (left, right) = range(points().map(|point: &Point| point.0)).filter(|(left, right)| left < right)?;
    let (low, high) = range(points().map(|point| point.1))?;
    // Slow algorithms run on the smaller instances of a sample; what they reach there is not what they would reach on all.
    let most = instances.iter().copied().fold(0.0, f64::max);
    let partial: Vec<&str> =
        names.iter().zip(&instances).filter(|(_, own)| **own < most).map(|(name, _)| name.as_str()).collect();
    let remarks: Vec<String> = (!partial.is_empty())
        .then(|| format!("on a part of the instances: {}", partial.join(", ")))
        .into_iter()
        .collect();
    let room = (right - left) / 50.0;
    let y = if is_logarithmic { Scale::logarithmic(low, high) } else { Scale::linear(low.min(0.0), high, 8) };
    let chart = Chart {
        title: format!("{set}: {y_words}"),
        remarks: remarks.clone(),
        x: Axis::new(x_words, Scale::linear(left - room, right + room, 8)),
        panels: vec![Panel { y: Axis::new(y_words, y), height: ONE_PANEL, lines }],
        names,
    };
    let stem = format!("{}-{set}-{}", quantity.stem, family.name());
    Some(Figure { stem, picture: chart.picture(), csv: csv.finish(), remarks })
}
