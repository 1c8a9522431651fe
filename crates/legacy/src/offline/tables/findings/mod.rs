//! What both texts say of their results, checked on ours.
//!
//! Words such as "about" are given a number here, which stands in the statement.

mod algorithms;
mod domination;
mod optima;
mod rr6692;
mod table_4_4;

use crate::Table;
use crate::offline::study::Study;
use crate::tables::Cell;

/// A statement; its check gives nothing where the scenario lacks the instances or algorithms.
struct Statement {
    source: &'static str,
    text: &'static str,
    check: fn(&Study<'_>) -> Option<Check>,
}

/// Whether a statement holds, and the figures that say so.
struct Check {
    holds: bool,
    figures: String,
}

/// All statements, by subject, as they stand in the table.
const SUBJECTS: [&[Statement]; 5] = [
    table_4_4::STATEMENTS,
    domination::STATEMENTS,
    algorithms::STATEMENTS,
    optima::STATEMENTS,
    rr6692::STATEMENTS,
];

/// All statements of which something can be said.
pub(super) fn table(study: &Study<'_>) -> Table {
    let line = |statement: &Statement| {
        let Check { holds, figures } = (statement.check)(study)?;
        let word = if holds { "holds" } else { "does not hold" };
        Some(
            [statement.source, statement.text, word, &figures]
                .map(|text| Cell::Text(text.to_owned()))
                .to_vec(),
        )
    };
    Table::new(
        vec!["source", "finding", "holds", "figures"],
        SUBJECTS.into_iter().flatten().filter_map(line).collect(),
    )
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("; not: {}", names.join(", ")) }
}
