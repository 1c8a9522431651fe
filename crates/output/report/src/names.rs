//! Readable names of columns and files.

use dfrsim_lab::Column;

/// Suffixes of column names that are not columns of rows, with the unit that they stand for.
const SUFFIXES: [(&str, &str); 7] = [
    ("_gb_per_s", "GB/s"),
    ("_gb", "GB"),
    ("_mb", "MB"),
    ("_ms", "ms"),
    ("_s", "s"),
    ("_h", "h"),
    ("_percent", "%"),
];

/// Returns the heading of a table column: that of the column of rows with this name, or one derived
/// from the suffix.
pub(crate) fn heading(name: &str, columns: &[&Column]) -> String {
    if let Some(column) = columns.iter().find(|column| column.name == name) {
        return column.heading();
    }
    let known = SUFFIXES.iter().find_map(|(suffix, unit)| Some((name.strip_suffix(suffix)?, unit)));
    known.map_or_else(|| words(name), |(name, unit)| format!("{} ({unit})", words(name)))
}

/// Replaces underscores by spaces.
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
            /// A number of nodes whose name looks like seconds.
            metric(less, "nodes") pub width_s: f64,
            /// A plain number whose name looks like seconds.
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
