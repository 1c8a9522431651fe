//! The published tables 2 to 17 (source: `reference/grid/README.md`).

use super::figures::{Group, Metric};
use crate::table_file;
use std::collections::BTreeMap;
use std::sync::LazyLock;

static TABLES: LazyLock<BTreeMap<(Metric, Group, String), f64>> = LazyLock::new(|| {
    let lines = table_file::records(include_str!("../../reference/grid/tables_2_to_17.csv")).skip(1);
    let read = |line: csv::StringRecord| {
        let field = |at: usize| line.get(at).map(str::to_owned);
        let group =
            Group { cancellation: field(1)?, platform: field(2)?, local: field(3)?, heuristic: field(4)? };
        Some(((Metric::named(&line[6])?, group, field(5)?), line[7].parse().ok()?))
    };
    lines.filter_map(read).collect()
});

/// The published value.
pub(super) fn value(metric: Metric, group: &Group, workload: &str) -> Option<f64> {
    TABLES.get(&(metric, group.clone(), workload.to_owned())).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_values_are_read() {
        assert_eq!(TABLES.len(), 16 * 12 * 7);
        let group = |local: &str| Group {
            cancellation: "with".to_owned(),
            platform: "homogeneous".to_owned(),
            local: local.to_owned(),
            heuristic: "minmin".to_owned(),
        };
        assert_eq!(value(Metric::Response, &group("FCFS"), "apr"), Some(0.26));
        assert_eq!(value(Metric::Moves, &group("CBF"), "pwa-g5k"), Some(2899.0));
        assert_eq!(value(Metric::Moves, &group("EASY"), "apr"), None);
    }
}
