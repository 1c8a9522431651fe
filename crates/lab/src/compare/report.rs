//! Output of a comparison as tables and drawings.

use super::{ComparedRows, Comparison, GroupComparison, LeftOut, Pair};
use crate::column::{Column, Role};
use crate::drawing::{Axis, Chart, Drawing, stem};
use crate::groups::cell;
use crate::table::{Cell, Estimate, NamedTable, Table, TableLine, decimals};

/// Number of pairs below which a bootstrap interval is told to be unreliable.
const FEWEST_PAIRS: usize = 6;

impl Comparison {
    /// Builds tables for readers, one per row type, with a line for each group and metric: mean and
    /// median of differences and ratios, with their confidence intervals in brackets.
    pub fn tables(&self) -> Vec<Table> {
        self.parts.iter().map(|part| part.table().with_notes(self.notes(part))).collect()
    }
    /// Builds tables for other programs: `comparison`, and `pairs` with one line per pair. If the
    /// study has several row types, the names are `comparison-case` and so on. Empty tables are left
    /// out.
    pub fn exact_tables(&self) -> Vec<NamedTable> {
        let tables = self.parts.iter().flat_map(|part| {
            [
                NamedTable::new(
                    part.row_type.file_name_for("comparison"),
                    "Differences and ratios",
                    part.exact_table(),
                ),
                NamedTable::new(part.row_type.file_name_for("pairs"), "Pairs", part.pairs_table()),
            ]
        });
        tables.filter(|named| !named.table.is_empty()).collect()
    }
    /// Draws the geometric mean of the ratios with its confidence interval, one figure per metric.
    pub fn drawings(&self) -> Vec<Drawing> {
        self.parts.iter().flat_map(ComparedRows::drawings).collect()
    }

    /// Explains the intervals and counts the rows that were left out.
    fn notes(&self, part: &ComparedRows) -> Vec<String> {
        let (confidence, resamples) = (self.options.confidence, self.options.resamples);
        let mut notes = vec![format!(
            "difference: B - A, ratio: B / A, wins: B is better; in brackets the bootstrap interval of {confidence} confidence ({resamples} resamples; BCa for means, percentile for medians)"
        )];
        let LeftOut { only_in_a, only_in_b, other_instances, repeated, failed } = part.left_out;
        let left_out = [
            (only_in_a, "rows only in A"),
            (only_in_b, "rows only in B"),
            (other_instances, "pairs whose instances have the same name but different contents"),
            (repeated, "rows that share instance and variant with another row"),
            (failed, "pairs with a failed run"),
        ];
        let counts = left_out.iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts.map(|(count, what)| format!("{count} {what}")).collect();
        if !counts.is_empty() {
            notes.push(format!("left out: {}", counts.join(", ")));
        }
        let groups = || part.groups.iter().filter(|group| !group.is_pooled);
        let other_jobs: usize = groups().map(|group| group.other_jobs).sum();
        if other_jobs > 0 {
            let pairs: usize = groups().map(|group| group.pairs.len() + group.only_a + group.only_b).sum();
            notes.push(format!(
                "warning: in {other_jobs} of {pairs} pairs, A and B completed numbers of jobs that differ by more than 1 %, so their means are not of the same jobs; compare `counted`, `rejected` and `killed` in the rows"
            ));
        }
        let few = part.groups.iter().filter(|group| (2..FEWEST_PAIRS).contains(&group.pairs.len())).count();
        if few > 0 {
            notes.push(format!(
                "warning: {few} of {} lines have fewer than {FEWEST_PAIRS} pairs; their intervals can be far too narrow",
                part.groups.len()
            ));
        }
        notes
    }
}

impl ComparedRows {
    fn table(&self) -> Table {
        let with = |line: TableLine, name, estimate: Option<Estimate>| {
            line.with(name, estimate.map(|it| Cell::Formatted(with_interval(it))))
        };
        self.groups.iter().map(|group| self.line(group, with)).collect()
    }

    /// Builds a table with a line for each group and metric, and the ends of intervals in separate
    /// columns.
    pub fn exact_table(&self) -> Table {
        let lines = self
            .groups
            .iter()
            .map(|group| self.line(group, TableLine::with_estimate).with("ratios", group.ratios));
        lines.collect()
    }

    /// Builds the line of a group and metric: counts, and estimates, which `with` adds.
    fn line(
        &self,
        group: &GroupComparison,
        with: fn(TableLine, &'static str, Option<Estimate>) -> TableLine,
    ) -> TableLine {
        let line = self
            .key(group)
            .with("pairs", group.pairs.len())
            .with("only_a", group.only_a)
            .with("only_b", group.only_b)
            .with("wins", group.outcomes.wins)
            .with("ties", group.outcomes.ties)
            .with("losses", group.outcomes.losses);
        let (difference, ratio) = (group.difference, group.ratio);
        let estimates = [
            ("mean_difference", difference.map(|of| of.mean)),
            ("median_difference", difference.map(|of| of.median)),
            ("geometric_mean_ratio", ratio.map(|of| of.mean)),
            ("median_ratio", ratio.map(|of| of.median)),
            ("ratio_of_means", group.ratio_of_means),
        ];
        estimates.into_iter().fold(line, |line, (name, estimate)| with(line, name, estimate))
    }

    /// Builds the table of pairs. Groups that pool several values of a label are left out,
    /// as their pairs are in the groups of the single values.
    fn pairs_table(&self) -> Table {
        let instance: Vec<&Column> =
            self.row_type.columns.iter().filter(|column| column.role == Role::Instance).collect();
        let line = |(group, pair): (&GroupComparison, &Pair)| {
            let values = instance.iter().zip(&pair.instance);
            self.key(group)
                .with_all(values.map(|(column, value)| (column.name, cell(column, value))))
                .with("a", pair.a)
                .with("b", pair.b)
                .with("difference", pair.difference())
                .with("ratio", pair.ratio())
        };
        let groups = self.groups.iter().filter(|group| !group.is_pooled);
        groups.flat_map(|group| group.pairs.iter().map(move |pair| (group, pair))).map(line).collect()
    }

    /// Builds the cells that identify a group. A value selected for B follows the value of A that it
    /// replaces.
    fn key(&self, group: &GroupComparison) -> TableLine {
        let mut line = TableLine::new();
        for (column, value) in &group.key.values {
            line = line.with(column.name, cell(column, value));
            if let Some(place) = self.separate_columns.iter().position(|with| with == column) {
                line = line.with(format!("with_{}", column.name), cell(column, &group.with[place]));
            }
        }
        line.with("metric", group.metric.name)
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
        let name = stem(&format!("{}-{}", self.row_type.file_name_for("ratio"), metric.name));
        let title = format!("Geometric mean of the ratios of {} in B and A", metric.name);
        Some(Drawing::new(name, title, chart))
    }
}

/// Formats an estimate as `-12.34 [-15.02, -9.87]`, with the decimals that suit the largest of the
/// numbers.
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
