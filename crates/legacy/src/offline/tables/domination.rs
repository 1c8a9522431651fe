//! One algorithm against another: table 4.5 and the domination relation of section 4.4.4 of the dissertation.

use crate::Table;
use crate::offline::published::TABLE_4_5;
use crate::offline::study::{Part, Study};
use crate::tables::Cell;
use dfrsim_offline::Algorithm;
use dfrsim_offline::greedy::Greedy;
use dfrsim_offline::instances::InstanceSet;

/// The subsets of numbers of resources for which the text states who dominates whom.
pub(super) const SUBSETS: [(&str, &[u32]); 6] =
    [("2,4,6", &[2, 4, 6]), ("2,4", &[2, 4]), ("4,6", &[4, 6]), ("2", &[2]), ("4", &[4]), ("6", &[6])];

/// The dissertation's instances with these numbers of resources; nothing if there are none.
pub(super) fn subset<'a>(study: &'a Study<'_>, dimensions: &[u32]) -> Option<Part<'a>> {
    let part = study.of_set(InstanceSet::Dissertation)?;
    Some(study.with(&part, |parameters| dimensions.contains(&parameters.dimensions)))
}

/// Table 4.5.
pub(super) fn table_4_5(study: &Study<'_>) -> Table {
    let header = vec!["measure", "one", "other", "percent", "paper", "difference"];
    let Some(part) = study.of_set(InstanceSet::Dissertation) else { return Table::new(header, Vec::new()) };
    let (mut lines, mut notes) = (Vec::new(), Vec::new());
    for ([measure, one, other], [published]) in TABLE_4_5.lines() {
        let (Some(first), Some(second)) = (study.place(&one), study.place(&other)) else { continue };
        let advantage = part.advantage(first, second);
        let own = if measure == "S" { advantage.success } else { advantage.minimum_yield };
        if measure == "Y" {
            notes.push(format!(
                "{one} is better than {other} on {:.2} % of the instances that both solve, there by {:.2} %",
                advantage.better, advantage.gain
            ));
        }
        lines.push(vec![
            Cell::Text(measure),
            Cell::Text(one),
            Cell::Text(other),
            Cell::Number(own),
            Cell::Number(published),
            Cell::Number(own - published),
        ]);
    }
    Table::new(header, lines).with_notes(notes)
}

/// S, Y and domination for every pair of algorithms but the 49 greedy passes.
pub(super) fn table(study: &Study<'_>) -> Table {
    let header = vec!["D", "one", "other", "S", "Y", "dominates"];
    let algorithms: Vec<(usize, &Algorithm)> = (study.scenario.algorithms.iter().enumerate())
        .filter(|(_, each)| !matches!(each, Algorithm::Greedy(Greedy::Pass(..))))
        .collect();
    let mut lines = Vec::new();
    for (name, dimensions) in SUBSETS {
        let Some(part) = subset(study, dimensions).filter(|part| !part.records.is_empty()) else { continue };
        for (first, one) in &algorithms {
            for (second, other) in algorithms.iter().filter(|(second, _)| second != first) {
                let advantage = part.advantage(*first, *second);
                lines.push(vec![
                    Cell::Text(name.to_owned()),
                    Cell::Text(one.to_string()),
                    Cell::Text(other.to_string()),
                    Cell::Number(advantage.success),
                    Cell::Number(advantage.minimum_yield),
                    Cell::Text(part.dominates(*first, *second).to_string()),
                ]);
            }
        }
    }
    Table::new(header, lines)
}
