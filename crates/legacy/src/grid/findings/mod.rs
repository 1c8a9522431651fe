//! What sections 4.1 to 4.3 and 6 of the text say, checked on the published figures' counterparts here.
//!
//! "On average" is the mean over the workloads, "usually" and "most" more than half of the cases. A case is a workload
//! with a platform, a local policy and a heuristic.

mod cases;
mod checks;
mod comparison;
mod with;
mod without;

use super::figures::Figures;
use crate::Table;
use crate::tables::Cell;

const HOMOGENEOUS: &str = "homogeneous";
const HETEROGENEOUS: &str = "heterogeneous";

/// A statement; its check gives nothing where the scenario lacks what it is about.
struct Statement {
    section: &'static str,
    text: &'static str,
    check: fn(&Figures) -> Option<Check>,
}

/// Whether a statement holds, and the figures that say so.
type Check = (bool, String);

pub(super) fn table(figures: &Figures) -> Table {
    let line = |statement: &Statement| {
        let (holds, found) = (statement.check)(figures)?;
        Some(vec![
            Cell::Text(statement.section.to_owned()),
            Cell::Text(statement.text.to_owned()),
            Cell::Text(if holds { "holds" } else { "does not" }.to_owned()),
            Cell::Text(found),
        ])
    };
    let statements = without::STATEMENTS.iter().chain(with::STATEMENTS).chain(comparison::STATEMENTS);
    Table::new(vec!["section", "statement", "here", "figures"], statements.filter_map(line).collect())
}
