//! Names of columns and files in words.

use dfrsim_lab::Column;

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
    if let Some(column) = columns.iter().find(|column| column.name == name) {
        return column.heading();
    }
    let known = SUFFIXES.iter().find_map(|(suffix, unit)| Some((name.strip_suffix(suffix)?, unit)));
    known.map_or_else(|| words(name), |(name, unit)| format!("{} ({unit})", words(name)))
}

/// A name in words.
pub(crate) fn words(name: &str) -> String {
    name.replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::heading;
    use dfrsim_lab::{Row as _, columns};

    columns! {
        /// A row.
        pub struct Measured {
            /// What looks like seconds and is a number of nodes.
            metric(less, "nodes") pub width_s: f64,
            /// What looks like seconds and is a plain number.
            metric(less) pub tail_s: f64,
        }
    }

    #[test]
    fn units_are_those_of_the_columns_and_guessed_only_without_a_column() {
        let columns: Vec<_> = Measured::TYPES[0].columns.iter().collect();
        let expected = [
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
    }
}
