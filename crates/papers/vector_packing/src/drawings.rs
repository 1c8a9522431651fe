//! Published figures, drawn from our tables.

use crate::results::Results;
use crate::scenario::{Packings, Source};
use crate::tables::{gaps, mcb, series, slack};
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::{Axis, Cell, Chart, Drawing, Join, ReadFile, Series, Table, by_key};

/// Returns all drawings that the results allow.
pub(crate) fn all(results: &Results<'_>) -> Vec<Drawing> {
    let mut drawings: Vec<Drawing> = gaps::figure_4_1(results).iter().flat_map(figure_4_1).collect();
    drawings.extend(slack::figure_4_2(results).and_then(|table| figure_4_2(&table)));
    drawings.extend(slack::figure_4_3(results).and_then(|table| figure_4_3(&table)));
    let table_4_4 = gaps::table_4_4(results);
    let tables = [&table_4_4, &table_4_4, &mcb::table_1(results), &mcb::figure_7(results)];
    let beside = |(beside, table): (Comparison, &Option<Table>)| draw_comparison(beside, table.as_ref()?);
    drawings.extend(COMPARISONS.into_iter().zip(tables).filter_map(beside));
    for set in series::SETS {
        for family in FAMILIES {
            let table =
                series::on_common_instances(results, set, |algorithm| is_in_family(family, algorithm));
            let drawn = |drawn: &_| draw_by_slack(*drawn, set.name(), family, table.as_ref()?);
            drawings.extend(BY_SLACK.iter().filter_map(drawn));
        }
    }
    drawings
}

/// Draws mean times against the number of tasks, for the groups that are sets of RR-6692 (its
/// figures 5, 10, 14, 18 and 22).
pub(crate) fn times(scenario: &Scenario<Packings>, times: &ReadFile) -> Vec<Drawing> {
    let place = |name: &str| times.header.iter().position(|column| column == name);
    let (Some(group), Some(tasks), Some(algorithm), Some(runs), Some(mean)) =
        (place("instances"), place("tasks"), place("algorithm"), place("runs"), place("mean_ms"))
    else {
        return Vec::new();
    };
    let mut drawings = Vec::new();
    for each in &scenario.instances {
        let Source::Set(set) = each.source else { continue };
        let set = set.to_string();
        if !set.starts_with("rr6692") {
            continue;
        }
        // The table splits times by slack too. Each entry has the name, tasks, runs and sum.
        let mut sums: Vec<(&str, f64, f64, f64)> = Vec::new();
        for line in times.lines.iter().filter(|line| line[group] == each.name) {
            let number = |place: usize| line[place].parse::<f64>().ok();
            let (Some(x), Some(runs), Some(mean)) = (number(tasks), number(runs), number(mean)) else {
                continue;
            };
            let name = line[algorithm].as_str();
            match sums.iter_mut().find(|sum| (sum.0, sum.1) == (name, x)) {
                Some(sum) => (sum.2, sum.3) = (sum.2 + runs, sum.3 + runs * mean),
                None => sums.push((name, x, runs, runs * mean)),
            }
        }
        // Means at the same size can be compared, even if one algorithm ran on more sizes.
        for family in FAMILIES {
            let own = sums.iter().filter(|sum| is_in_family(family, sum.0));
            let points = own.map(|(name, x, runs, sum)| ((*name).to_owned(), (*x, sum / runs)));
            let axes = (Axis::linear("tasks"), Axis::logarithmic("mean time (ms)"));
            drawings.extend(draw_family("times-by-tasks", &set, "mean time (ms)", family, axes, points));
        }
    }
    drawings
}

/// Stem, column and axis of each drawing.
const BY_SLACK: [(&str, &str, &str); 3] = [
    ("minimum-yield-by-slack", "minimum_yield", "mean minimum yield"),
    ("average-yield-by-slack", "average_yield", "mean average yield"),
    ("failures-by-slack", "failure_rate", "failure rate (%)"),
];

/// The two families that RR-6692 draws: MCB1 to MCB8, and the best of these with all others.
const FAMILIES: [&str; 2] = ["mcb", "all"];

/// Checks that an algorithm is drawn with a family.
fn is_in_family(family: &str, algorithm: &str) -> bool {
    algorithm == "MCB8" || algorithm.starts_with("MCB") == (family == "mcb")
}

/// Draws a column of a family by slack, with all algorithms over the same instances; `None` if each
/// has at most one point.
fn draw_by_slack(
    (stem, column, words): (&str, &str, &str),
    set: &str,
    family: &str,
    table: &Table,
) -> Option<Drawing> {
    let points = |line: LineView<'_>| {
        Some((line.text("algorithm").to_owned(), (line.number("slack")?, line.number(column)?)))
    };
    let axes = (Axis::linear("slack"), Axis::linear(words));
    let count =
        |line: LineView<'_>| (line.text("algorithm") == "MCB8").then(|| line.number("instances")).flatten();
    let instances: f64 = lines(table).filter_map(count).sum();
    let drawing = draw_family(stem, set, words, family, axes, lines(table).filter_map(points))?;
    Some(drawing.with_remark(format!("over the {instances} instances on which all of them ran")))
}

/// Draws the points of algorithms of a family, a series for each; `None` if each has at most one
/// point.
fn draw_family(
    stem: &str,
    set: &str,
    words: &str,
    family: &str,
    (x, y): (Axis, Axis),
    points: impl Iterator<Item = (String, (f64, f64))>,
) -> Option<Drawing> {
    let series = |points: Vec<(String, (f64, f64))>| {
        let (names, points): (Vec<_>, Vec<_>) = points.into_iter().unzip();
        Series::new(names[0].clone(), points)
    };
    let series: Vec<Series> = by_key(points, |(name, _)| name.clone()).into_iter().map(series).collect();
    let chart = Chart::lines(x, y, "algorithm", series.clone());
    let is_line = series.iter().any(|series| series.points.len() > 1);
    is_line.then(|| Drawing::new(format!("{stem}-{set}-{family}"), format!("{set}: {words}"), chart))
}

/// Draws a point for each greedy algorithm: once with a series for each rule for nodes (a), once
/// with one for each order of jobs (b).
fn figure_4_1(table: &Table) -> Vec<Drawing> {
    let points: Vec<(&str, (f64, f64))> = lines(table)
        .filter_map(|line| {
            Some((
                line.text("algorithm"),
                (line.number("failure_rate")?, line.number("relative_gap_to_bound")?),
            ))
        })
        .collect();
    let drawing = |(stem, title, letter): (&str, &str, char)| {
        let series = (1..=7).map(|number| format!("{letter}{number}")).map(|name| {
            let own = points.iter().filter(|(pass, _)| pass.split('_').any(|part| part == name));
            let own = own.map(|(_, point)| *point).collect();
            Series::new(name, own).joined(Join::None)
        });
        let (x, y) = (Axis::linear("failure rate (%)"), Axis::linear("mean gap to LPBOUND (% of it)"));
        let name = if letter == 'P' { "node picking" } else { "job sorting" };
        Drawing::new(stem, title, Chart::lines(x, y, name, series.collect()))
    };
    let parts = [
        ("figure-4-1-a", "Greedy algorithms by node picking, P1 to P7", 'P'),
        ("figure-4-1-b", "Greedy algorithms by job sorting, S1 to S7", 'S'),
    ];
    if points.is_empty() { Vec::new() } else { parts.map(drawing).into() }
}

fn figure_4_2(table: &Table) -> Option<Drawing> {
    let columns = [
        ("mean", "mean"),
        ("75 %", "p75"),
        ("90 %", "p90"),
        ("99 %", "p99"),
        ("maximum", "max"),
        ("mean, published", "mean_published"),
    ];
    let series = columns.map(|(name, column)| against_slack(table, name.to_owned(), column, |_| true));
    by_slack("figure-4-2", "VP_CPSUM below LPBOUND, by slack", series.into())
}

fn figure_4_3(table: &Table) -> Option<Drawing> {
    let mut series = Vec::new();
    for line in [slack::OPT_BELOW_BOUND, slack::CPSUM_BELOW_OPT] {
        for (words, column) in [("mean", "mean"), ("90 %", "p90")] {
            for (published, suffix) in [("", ""), (", published", "_published")] {
                let name = format!("{line}, {words}{published}");
                series.push(against_slack(table, name, &format!("{column}{suffix}"), |other| other == line));
            }
        }
    }
    by_slack("figure-4-3", "VP_CPSUM, OPT and LPBOUND, by slack", series)
}

/// Returns a column against slack, of the selected lines. Published points are not joined.
fn against_slack(table: &Table, name: String, column: &str, is_meant: impl Fn(&str) -> bool) -> Series {
    let own = lines(table).filter(|line| is_meant(line.text("line")));
    let points = own.filter_map(|line| Some((line.number("slack")?, line.number(column)?))).collect();
    let join = if column.ends_with("_published") { Join::None } else { Join::Straight };
    Series::new(name, points).joined(join)
}

fn by_slack(stem: &str, title: &str, series: Vec<Series>) -> Option<Drawing> {
    let series: Vec<Series> = series.into_iter().filter(|series| !series.points.is_empty()).collect();
    let (x, y) = (Axis::linear("slack"), Axis::linear("gap (%)"));
    (!series.is_empty()).then(|| Drawing::new(stem, title, Chart::lines(x, y, "line", series)))
}

/// Stem, title, column, published column and axis of a comparison.
type Comparison = (&'static str, &'static str, &'static str, &'static str, fn() -> Axis);

const COMPARISONS: [Comparison; 4] = [
    (
        "table-4-4-gap",
        "Table 4.4: gap to LPBOUND",
        "relative_gap_to_bound",
        "relative_gap_to_bound_published",
        || Axis::linear("mean gap (% of LPBOUND)"),
    ),
    (
        "table-4-4-failures",
        "Table 4.4: failures where LPBOUND exists",
        "failure_rate_of_bounded",
        "failure_rate_published",
        || Axis::linear("failure rate (%)"),
    ),
    ("rr6692-table-1", "RR-6692, table 1: small instances", "mean", "mean_published", degradation),
    ("rr6692-figure-7", "RR-6692, figure 7: large instances", "mean", "mean_published", degradation),
];

fn degradation() -> Axis {
    Axis::logarithmic("mean degradation from the best (%)")
}

/// Draws our values and the published ones, with a line for each algorithm.
fn draw_comparison((stem, title, column, published, value): Comparison, table: &Table) -> Option<Drawing> {
    let line = |line: LineView<'_>| {
        Some((line.text("algorithm").to_owned(), line.number(column)?, line.number(published)?))
    };
    let lines: Vec<(String, f64, f64)> = lines(table).filter_map(line).collect();
    (!lines.is_empty())
        .then(|| Drawing::new(stem, title, Chart::published_comparison(value(), "algorithm", lines)))
}

/// A line of a table, whose cells are accessed by column name.
#[derive(Clone, Copy)]
struct LineView<'a>(&'a Table, &'a [Cell]);

fn lines(table: &Table) -> impl Iterator<Item = LineView<'_>> {
    table.lines().iter().map(move |line| LineView(table, line))
}

impl<'a> LineView<'a> {
    fn cell(self, column: &str) -> Option<&'a Cell> {
        self.1.get(self.0.header().position(|name| name == column)?)
    }
    fn text(self, column: &str) -> &'a str {
        match self.cell(column) {
            Some(Cell::Text(text)) => text,
            _ => "",
        }
    }
    fn number(self, column: &str) -> Option<f64> {
        match self.cell(column)? {
            Cell::Number(number) => Some(*number),
            Cell::Count(count) => Some(*count as f64),
            Cell::Text(_) | Cell::Span(_) | Cell::Formatted(_) | Cell::Missing => None,
        }
    }
}
