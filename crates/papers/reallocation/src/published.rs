//! The published tables (source: `README.md`).

use crate::metrics::{Effects, Group, Metric, Metrics};
use dfrsim_lab::Reference;
use dfrsim_model::named;
use std::sync::LazyLock;

named! {
    /// A report with tables and claims.
    pub enum Published as "report" {
        /// Caniou, Charrier, Desprez, INRIA research report RR-7226.
        Rr7226 = "rr-7226",
    }
}

/// Number of jobs of each site of each workload.
const TABLE_1: Reference = Reference(include_str!("../reference/table_1.csv"));

impl Published {
    /// Returns tables 2 to 17.
    pub(crate) fn tables(self) -> &'static Metrics {
        let Published::Rr7226 = self;
        &TABLES
    }

    /// Returns the published number of jobs of a site of a workload (table 1).
    pub(crate) fn jobs(self, workload: &str, site: &str) -> Option<usize> {
        let Published::Rr7226 = self;
        TABLE_1.find([workload, site]).map(|[jobs]| jobs as usize)
    }
}

fn jobs_of_workload(workload: &str) -> f64 {
    let lines = TABLE_1.lines::<2, 1>().filter(|([own, _], _)| *own == workload);
    lines.map(|(_, [jobs])| jobs).sum()
}

static TABLES: LazyLock<Metrics> = LazyLock::new(|| {
    let mut metrics = Metrics::default();
    let all = Reference(include_str!("../reference/tables_2_to_17.csv"));
    for ([_, algorithm, platform, local, heuristic, workload, metric], [value]) in all.lines() {
        let metric = match metric {
            "changed_pct" => Metric::Changed,
            "reallocations" => Metric::Moves,
            "earlier_pct" => Metric::Earlier,
            _ => Metric::Turnaround,
        };
        let group = Group {
            algorithm: algorithm.to_owned(),
            platform: platform.to_owned(),
            local: if local == "CBF" { "CONS" } else { local }.to_owned(),
            heuristic: heuristic.to_owned(),
        };
        let value = Some(value).filter(|value| !value.is_nan());
        metrics.add(metric, &group, workload, value);
        if let Some(moves) = value.filter(|_| metric == Metric::Moves) {
            let moves_percent = 100.0 * moves / jobs_of_workload(workload);
            metrics.effects.push(Effects {
                group,
                workload: workload.to_owned(),
                moves_percent,
                worst: None,
            });
        }
    }
    metrics
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_values_are_read() {
        assert_eq!((TABLES.groups.len(), TABLES.workloads.len()), (2 * 2 * 2 * 6, 7));
        let group = |local: &str| Group {
            algorithm: "with".to_owned(),
            platform: "homogeneous".to_owned(),
            local: local.to_owned(),
            heuristic: "minmin".to_owned(),
        };
        assert_eq!(TABLES.value(Metric::Turnaround, &group("FCFS"), "apr"), Some(0.26));
        assert_eq!(TABLES.value(Metric::Moves, &group("CONS"), "pwa-g5k"), Some(2899.0));
        assert_eq!(TABLES.value(Metric::Moves, &group("EASY"), "apr"), None);
        for metric in Metric::ALL {
            for group in &TABLES.groups {
                assert!(
                    TABLES.workloads.iter().all(|workload| TABLES.value(metric, group, workload).is_some())
                );
            }
        }
        // The last column of table 1, and section 3.3.
        assert_eq!(jobs_of_workload("apr"), 36_041.0);
        assert_eq!(jobs_of_workload("pwa-g5k"), 133_135.0);
        assert_eq!(Published::Rr7226.jobs("may", "lyon"), Some(2_179));
    }
}
