//! Pairwise comparison of algorithms: table 4.5 and the domination relation of section 4.4.4 of the
//! dissertation.

use super::gaps::MARGINS;
use crate::published::TABLE_4_5;
use crate::results::{Results, Subset};
use dfrsim_lab::{Table, TableLine};
use dfrsim_vector_packing::instances::InstanceSet;

/// Subsets of numbers of resources for which the text describes the domination relation.
pub(crate) const SUBSETS: [(&str, &[u32]); 6] =
    [("2,4,6", &[2, 4, 6]), ("2,4", &[2, 4]), ("4,6", &[4, 6]), ("2", &[2]), ("4", &[4]), ("6", &[6])];

/// Returns the dissertation's instances with these numbers of resources; `None` if there are none.
pub(crate) fn subset<'a>(results: &'a Results<'_>, dimensions: &[u32]) -> Option<Subset<'a>> {
    let part = results.of_set(InstanceSet::Dissertation)?;
    Some(part.filter(|record| dimensions.contains(&record.row.dimensions))).filter(|part| !part.is_empty())
}

/// Builds table 4.5. For Y it also has the share of the instances solved by both on which the first
/// algorithm is better, and the mean gain there.
pub(super) fn table_4_5(results: &Results<'_>) -> Option<Table> {
    let part = results.of_set(InstanceSet::Dissertation)?;
    let line = |([measure, one, other], [published]): ([&str; 3], [f64; 1])| {
        let advantage = part.advantage(results.column(one)?, results.column(other)?);
        let is_yield = measure == "Y";
        let (own, margin) = if is_yield {
            (advantage.minimum_yield, advantage.minimum_yield_margin)
        } else {
            (advantage.success, advantage.success_margin)
        };
        let line = TableLine::new()
            .with("measure", measure)
            .with("one", one)
            .with("other", other)
            .with("percent", own)
            .with("percent_published", published)
            .with("percent_difference", own - published)
            .with("percent_margin", margin)
            .with("median_percent", advantage.median.filter(|_| is_yield))
            .with("better_percent", is_yield.then_some(advantage.better))
            .with("better_by_percent", is_yield.then_some(advantage.gain));
        Some(line)
    };
    Some(TABLE_4_5.lines().filter_map(line).collect::<Table>().with_notes(vec![MARGINS.to_owned()]))
}

/// Builds the table of S, Y and domination for every pair of algorithms except the 49 greedy passes.
pub(super) fn table(results: &Results<'_>) -> Option<Table> {
    let algorithms: Vec<(String, usize)> = (results.algorithms.iter())
        .filter(|(each, _)| !each.is_greedy_pass())
        .map(|(each, column)| (each.to_string(), *column))
        .collect();
    let mut lines = Vec::new();
    for (name, dimensions) in SUBSETS {
        let Some(part) = subset(results, dimensions) else { continue };
        let advantages: Vec<Vec<_>> = (algorithms.iter())
            .map(|(_, one)| algorithms.iter().map(|(_, other)| part.advantage(*one, *other)).collect())
            .collect();
        for (first, (one, _)) in algorithms.iter().enumerate() {
            for (second, (other, _)) in algorithms.iter().enumerate().filter(|(second, _)| *second != first) {
                let (own, others) = (&advantages[first][second], &advantages[second][first]);
                let line = TableLine::new()
                    .with("dimensions", name)
                    .with("one", one.as_str())
                    .with("other", other.as_str())
                    .with("S", own.success)
                    .with("Y", own.minimum_yield)
                    .with("dominates", own.dominates(others).to_string());
                lines.push(line);
            }
        }
    }
    Some(lines.into_iter().collect())
}
