//! What came of a comparison, to be read and to be drawn.

use super::bootstrap::Estimate;
use super::compare::{Comparison, GroupComparison};
use crate::tables::{Cell, GroupKey, Table, decimals};

impl Comparison {
    /// A line for each group and figure, to be read: mean and median of differences and ratios, with their intervals in
    /// brackets.
    #[must_use]
    pub fn table(&self) -> Table {
        let mut header = key_header();
        header.extend(["pairs", "wins", "ties", "losses"]);
        header.extend(["mean_difference", "median_difference", "geometric_mean_ratio", "median_ratio"]);
        let line = |group: &GroupComparison| {
            let mut cells = key_cells(group);
            cells.extend([group.pairs.len(), group.wins, group.ties, group.losses].map(Cell::Count));
            let estimates = [Some(group.difference), group.ratio].into_iter();
            let texts = estimates.flat_map(|estimates| {
                let text = |estimate: Estimate| Cell::Formatted(with_interval(estimate));
                match estimates {
                    Some(estimates) => [text(estimates.mean), text(estimates.median)],
                    None => [Cell::Nothing, Cell::Nothing],
                }
            });
            cells.extend(texts);
            cells
        };
        Table::new(header, self.groups.iter().map(line).collect()).with_notes(self.notes())
    }

    /// The same in full, for other programs.
    #[must_use]
    pub fn exact_table(&self) -> Table {
        let mut header = key_header();
        header.extend(["pairs", "wins", "ties", "losses", "mean_difference", "mean_difference_low"]);
        header.extend(["mean_difference_high", "median_difference", "median_difference_low"]);
        header.extend(["median_difference_high", "ratios", "geometric_mean_ratio"]);
        header.extend(["geometric_mean_ratio_low", "geometric_mean_ratio_high"]);
        header.extend(["median_ratio", "median_ratio_low", "median_ratio_high"]);
        let numbers = |estimate: Option<Estimate>| {
            let interval = estimate.and_then(|estimate| estimate.interval);
            let ends = [interval.map(|ends| ends.0), interval.map(|ends| ends.1)];
            [estimate.map(|estimate| estimate.value), ends[0], ends[1]].map(Cell::maybe)
        };
        let line = |group: &GroupComparison| {
            let mut cells = key_cells(group);
            cells.extend([group.pairs.len(), group.wins, group.ties, group.losses].map(Cell::Count));
            cells.extend(numbers(Some(group.difference.mean)));
            cells.extend(numbers(Some(group.difference.median)));
            cells.push(Cell::Count(group.ratios));
            cells.extend(numbers(group.ratio.map(|ratio| ratio.mean)));
            cells.extend(numbers(group.ratio.map(|ratio| ratio.median)));
            cells
        };
        Table::new(header, self.groups.iter().map(line).collect())
    }

    /// A line for each pair and figure. Groups of all loads are left out: their pairs stand in those of each load.
    #[must_use]
    pub fn pairs_table(&self) -> Table {
        let mut header = key_header();
        header.extend(["instance", "a", "b", "difference", "ratio"]);
        let together = |group: &&GroupComparison| group.key.load.as_deref() == Some("all");
        let lines = self.groups.iter().filter(|group| !together(group)).flat_map(|group| {
            group.pairs.iter().map(|pair| {
                let mut cells = key_cells(group);
                cells.push(Cell::Text(pair.instance.clone()));
                cells.extend([pair.a, pair.b, pair.difference()].map(Cell::Number));
                cells.push(Cell::maybe(pair.ratio()));
                cells
            })
        });
        let lines = lines.collect();
        Table::new(header, lines)
    }

    /// What intervals are, and what was left out.
    fn notes(&self) -> Vec<String> {
        let Comparison { confidence, resamples, only_in_a, only_in_b, other_jobs, failed, .. } = self;
        let mut notes = vec![format!(
            "difference: B - A, ratio: B / A, wins: B is better; in brackets the bootstrap interval of {confidence} confidence ({resamples} resamples; BCa for means, percentile for medians)"
        )];
        let left_out = [
            (*only_in_a, "rows only in A"),
            (*only_in_b, "rows only in B"),
            (*other_jobs, "pairs of instances with the same name and other jobs"),
            (*failed, "pairs with a failed simulation"),
        ];
        let told: Vec<String> = left_out
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        if !told.is_empty() {
            notes.push(format!("left out: {}", told.join(", ")));
        }
        let (a, b) = self.semantics;
        if a != b {
            notes.push(format!(
                "A is of semantics version {a}, B of {b}: their figures may mean other things"
            ));
        }
        notes
    }
}

fn key_header() -> Vec<&'static str> {
    let mut header = GroupKey::HEADER.to_vec();
    header.insert(WITH, "with");
    header.push("figure");
    header
}

/// The policy of B stands behind that of A.
const WITH: usize = 3;

fn key_cells(group: &GroupComparison) -> Vec<Cell> {
    let mut cells = group.key.cells();
    // Between the same policies it says nothing.
    let with = if group.with == group.key.policy { Cell::Nothing } else { Cell::Text(group.with.clone()) };
    cells.insert(WITH, with);
    cells.push(Cell::Text(group.figure.to_string()));
    cells
}

/// `-12.34 [-15.02, -9.87]`, all with the decimals of the largest.
pub(super) fn with_interval(estimate: Estimate) -> String {
    let Estimate { value, interval } = estimate;
    let ends = interval.map(|(low, high)| [low, high]);
    let size = ends.iter().flatten().fold(value.abs(), |size, end| size.max(end.abs()));
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
    fn intervals_stand_behind_their_value() {
        let text = |value, interval| with_interval(Estimate { value, interval });
        assert_eq!(text(1.5, Some((-2.0, 12.345))), "1.50 [-2.00, 12.35]");
        assert_eq!(text(0.0, Some((0.0, 0.0))), "0 [0, 0]");
        assert_eq!(text(1866.82, None), "1866.8");
    }
}
