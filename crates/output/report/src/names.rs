//! Names of columns and files in words.

use dfrsim_lab::{Column, Kind};

/// How names of columns end that are not columns of rows, and the unit that this means.
const SUFFIXES: [(&str, &str); 7] = [
    ("_gb_per_s", "GB/s"),
    ("_gb", "GB"),
    ("_mb", "MB"),
    ("_ms", "ms"),
    ("_s", "s"),
    ("_h", "h"),
    ("_percent", "%"),
];

/// The heading of a column of a table: as the column of the rows that has this name says, or as the name ends.
pub(crate) fn heading(name: &str, columns: &[&Column]) -> String {
    match columns.iter().find(|column| column.name == name) {
        Some(column) => of_column(column),
        None => {
            let known = SUFFIXES.iter().find_map(|(suffix, unit)| Some((name.strip_suffix(suffix)?, *unit)));
            let (name, unit) = known.unwrap_or((name, ""));
            with_unit(name, unit)
        }
    }
}

/// The heading of a column of rows.
pub(crate) fn of_column(column: &Column) -> String {
    with_unit(bare(column), column.unit)
}

/// A name in words.
pub(crate) fn words(name: &str) -> String {
    name.replace('_', " ")
}

/// What is needed before and after a value to understand it: texts are clear by themselves, numbers need a name and a unit.
pub(crate) fn around(column: &Column) -> (String, String) {
    match (column.kind, column.unit) {
        (Kind::Text, _) => (String::new(), String::new()),
        (_, "") => (format!("{} ", words(column.name)), String::new()),
        (_, unit) => (format!("{} ", words(bare(column))), format!(" {unit}")),
    }
}

/// A value with what is needed to understand it.
pub(crate) fn value(column: &Column, text: &str) -> String {
    let (before, after) = around(column);
    before + text + &after
}

/// The name without its unit: `penalty` of `penalty_s`.
fn bare(column: &Column) -> &str {
    let suffix = SUFFIXES.iter().find(|(_, unit)| *unit == column.unit);
    suffix.and_then(|(suffix, _)| column.name.strip_suffix(suffix)).unwrap_or(column.name)
}

fn with_unit(name: &str, unit: &str) -> String {
    if unit.is_empty() { words(name) } else { format!("{} ({unit})", words(name)) }
}

#[cfg(test)]
mod tests {
    use super::{heading, value};
    use dfrsim_lab::{Columns as _, columns};

    columns! {
        /// A row.
        pub struct Row {
            /// A workload.
            label pub workload: String,
            /// A penalty.
            variant("s") pub penalty_s: u32,
            /// What looks like seconds and is none.
            metric(less, "nodes") pub width_s: f64,
            /// What looks like seconds and is a plain number.
            metric(less) pub tail_s: f64,
        }
    }

    #[test]
    fn units_are_those_of_the_columns_and_guessed_only_without_a_column() {
        let columns: Vec<_> = Row::COLUMNS.iter().collect();
        let expected = [
            ("penalty_s", "penalty (s)"),
            ("width_s", "width s (nodes)"),
            ("tail_s", "tail s"),
            ("mean_wait_s", "mean wait (s)"),
            ("mean_migration_gb_per_s", "mean migration (GB/s)"),
            ("gap_percent", "gap (%)"),
            ("mean", "mean"),
        ];
        for (name, words) in expected {
            assert_eq!(heading(name, &columns), words);
        }
        assert_eq!(value(columns[0], "log"), "log");
        assert_eq!(value(columns[1], "300"), "penalty 300 s");
        assert_eq!(value(columns[3], "2"), "tail s 2");
    }
}
