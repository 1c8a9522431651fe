//! A comparison as tables and drawings.

use super::{ComparedRows, Comparison, GroupComparison};
use crate::column::{Column, Role};
use crate::drawing::{Axis, Chart, Drawing, stem};
use crate::groups::cell;
use crate::table::{Cell, Estimate, NamedTable, Table, decimals};

impl Comparison {
    /// For each type of rows a line for each group and metric, to be read: mean and median of differences and ratios, with
    /// their intervals in brackets.
    pub fn tables(&self) -> Vec<Table> {
        self.parts.iter().map(|part| part.table().with_notes(self.notes(part))).collect()
    }
    /// The files for other programs: `comparison`, and `pairs` with a line for each pair; of studies with several types of
    /// rows `comparison-case` and so on.
    pub fn exact_tables(&self) -> Vec<NamedTable> {
        let name = |kind: &str, part: &ComparedRows| match part.row_type.name {
            "" => kind.to_owned(),
            own => format!("{kind}-{own}"),
        };
        let tables = self.parts.iter().flat_map(|part| {
            [
                NamedTable::new(name("comparison", part), "Differences and ratios", part.exact_table()),
                NamedTable::new(name("pairs", part), "Pairs", part.pairs_table()),
            ]
        });
        tables.collect()
    }
    /// The geometric mean of the ratios with its interval, a figure for each metric.
    pub fn drawings(&self) -> Vec<Drawing> {
        self.parts.iter().flat_map(ComparedRows::drawings).collect()
    }

    /// What intervals are, and what was left out.
    fn notes(&self, part: &ComparedRows) -> Vec<String> {
        let (confidence, resamples) = (self.options.confidence, self.options.resamples);
        let mut notes = vec![format!(
            "difference: B - A, ratio: B / A, wins: B is better; in brackets the bootstrap interval of {confidence} confidence ({resamples} resamples; BCa for means, percentile for medians)"
        )];
        let left_out = [
            (part.only_in_a, "rows only in A"),
            (part.only_in_b, "rows only in B"),
            (part.other_instances, "pairs of instances with the same name and other contents"),
            (part.repeated, "rows that repeat an instance and variant"),
            (part.failed, "pairs with a failed run"),
        ];
        let counts = left_out.iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts.map(|(count, what)| format!("{count} {what}")).collect();
        if !counts.is_empty() {
            notes.push(format!("left out: {}", counts.join(", ")));
        }
        notes
    }
}

impl ComparedRows {
    fn table(&self) -> Table {
        let header = ["mean_difference", "median_difference", "geometric_mean_ratio", "median_ratio"];
        let line = |group: &GroupComparison| {
            let estimates = [group.difference, group.ratio].into_iter();
            let pairs = estimates.flat_map(|estimates| match estimates {
                Some(estimates) => {
                    [estimates.mean, estimates.median].map(|it| Cell::Formatted(with_interval(it)))
                }
                None => [Cell::Missing, Cell::Missing],
            });
            pairs.collect()
        };
        self.lines(&header, line)
    }

    /// A line for each group and metric, with the ends of intervals in columns of their own.
    pub fn exact_table(&self) -> Table {
        let mut header = Vec::new();
        for name in ["mean_difference", "median_difference", "geometric_mean_ratio", "median_ratio"] {
            header.extend([name.to_owned(), format!("{name}_low"), format!("{name}_high")]);
        }
        header.push("ratios".to_owned());
        let numbers = |estimate: Option<Estimate>| {
            let ends = estimate.and_then(|estimate| estimate.interval).unzip();
            [estimate.map(|estimate| estimate.value), ends.0, ends.1].map(Cell::optional)
        };
        let line = |group: &GroupComparison| {
            let sides = [group.difference, group.ratio];
            let estimates =
                sides.map(|each| [each.map(|each| each.mean), each.map(|each| each.median)]).concat();
            let mut cells: Vec<Cell> = estimates.into_iter().flat_map(numbers).collect();
            cells.push(Cell::Count(group.ratios));
            cells
        };
        self.lines(&header.iter().map(String::as_str).collect::<Vec<_>>(), line)
    }

    /// A line for each group and metric.
    fn lines(&self, header: &[&str], values: impl Fn(&GroupComparison) -> Vec<Cell>) -> Table {
        let mut all = self.key_header();
        all.extend(["pairs", "only_a", "only_b", "wins", "ties", "losses"].map(str::to_owned));
        all.extend(header.iter().map(|&name| name.to_owned()));
        let line = |group: &GroupComparison| {
            let GroupComparison { only_a, only_b, wins, ties, losses, .. } = *group;
            let counts = [group.pairs.len(), only_a, only_b, wins, ties, losses];
            let mut cells = self.key_cells(group);
            cells.extend(counts.map(Cell::Count));
            cells.extend(values(group));
            cells
        };
        Table::new(all, self.groups.iter().map(line).collect())
    }

    /// Groups with several values of a numeric label are left out: their pairs are in those of each value.
    fn pairs_table(&self) -> Table {
        let instance: Vec<&Column> =
            self.row_type.columns.iter().filter(|column| column.role == Role::Instance).collect();
        let mut header = self.key_header();
        header.extend(instance.iter().map(|column| column.name.to_owned()));
        header.extend(["a", "b", "difference", "ratio"].map(str::to_owned));
        let lines = self.groups.iter().filter(|group| !group.is_together).flat_map(|group| {
            group.pairs.iter().map(|pair| {
                let mut cells = self.key_cells(group);
                cells.extend(instance.iter().zip(&pair.instance).map(|(column, value)| cell(column, value)));
                cells.extend([pair.a, pair.b, pair.difference()].map(Cell::Number));
                cells.push(Cell::optional(pair.ratio()));
                cells
            })
        });
        Table::new(header, lines.collect())
    }

    /// The columns of a group; what was selected for B is after what it takes the place of.
    fn key_header(&self) -> Vec<String> {
        let mut header = Vec::new();
        let keys = self.row_type.columns.iter().filter(|it| matches!(it.role, Role::Label | Role::Variant));
        for column in keys {
            header.push(column.name.to_owned());
            if self.with.contains(&column) {
                header.push(format!("with_{}", column.name));
            }
        }
        header.push("metric".to_owned());
        header
    }
    fn key_cells(&self, group: &GroupComparison) -> Vec<Cell> {
        let mut cells = Vec::new();
        for (column, value) in &group.key.values {
            cells.push(cell(column, value));
            if let Some(place) = self.with.iter().position(|with| with == column) {
                cells.push(cell(column, &group.with[place]));
            }
        }
        cells.push(Cell::Text(group.metric.name.to_owned()));
        cells
    }

    fn drawings(&self) -> Vec<Drawing> {
        let mut metrics: Vec<&'static Column> = Vec::new();
        for group in &self.groups {
            if !metrics.contains(&group.metric) {
                metrics.push(group.metric);
            }
        }
        metrics.into_iter().filter_map(|metric| self.drawing(metric)).collect()
    }
    fn drawing(&self, metric: &'static Column) -> Option<Drawing> {
        let line = |group: &GroupComparison| {
            let with =
                if group.with.is_empty() { String::new() } else { format!(" -> {}", group.with.join(", ")) };
            let Estimate { value, interval } = group.ratio?.mean;
            Some((format!("{}{with}", group.key), value, interval))
        };
        let groups = self.groups.iter().filter(|group| group.metric == metric);
        let lines: Vec<_> = groups.filter_map(line).collect();
        let chart = Chart::Intervals {
            value: Axis::automatic(format!("{}: B / A", metric.name)),
            name: "group".to_owned(),
            reference: 1.0,
            better: metric.better()?,
            lines,
        };
        let name = [self.row_type.name, metric.name]
            .map(|name| if name.is_empty() { String::new() } else { format!("-{}", stem(name)) })
            .concat();
        let title = format!("Geometric mean of the ratios of {} in B and A", metric.name);
        Some(Drawing::new(format!("ratio{name}"), title, chart))
    }
}

/// `-12.34 [-15.02, -9.87]`, all with the decimals of the largest.
fn with_interval(Estimate { value, interval }: Estimate) -> String {
    let size = interval.map_or(value.abs(), |(low, high)| value.abs().max(low.abs()).max(high.abs()));
    let decimals = decimals(size);
    match interval {
        Some((low, high)) => format!("{value:.decimals$} [{low:.decimals$}, {high:.decimals$}]"),
        None => format!("{value:.decimals$}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_follow_their_value() {
        let text = |value, interval| with_interval(Estimate { value, interval });
        assert_eq!(text(1.5, Some((-2.0, 12.345))), "1.50 [-2.00, 12.35]");
        assert_eq!(text(0.0, Some((0.0, 0.0))), "0 [0, 0]");
        assert_eq!(text(1866.82, None), "1866.8");
    }
}
