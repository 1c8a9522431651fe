//! The published tables: two runs each.

use crate::engine::Approach;
use crate::rows::AVERAGE_MINIMUM;
use dfrsim_lab::Reference;
use dfrsim_model::named;

named! {
    /// A published table.
    pub enum Published as "published table" {
        /// Table 7.1: balanced workloads.
        Balanced = "dissertation-7.1",
        /// Table 7.2: unbalanced workloads, with hogs on two nodes.
        Unbalanced = "dissertation-7.2",
    }
}

impl Published {
    /// Returns the kind of workloads in the table.
    pub(crate) const fn workload_kind(self) -> &'static str {
        match self {
            Published::Balanced => "balanced",
            Published::Unbalanced => "unbalanced",
        }
    }

    /// Returns a metric of an approach in the two runs.
    pub(crate) fn runs(self, approach: Approach, metric: &str) -> Option<[f64; 2]> {
        let table = Reference(match self {
            Published::Balanced => include_str!("../reference/dissertation_table_7_1.csv"),
            Published::Unbalanced => include_str!("../reference/dissertation_table_7_2.csv"),
        });
        let [first, second, third, fourth] = table.find([approach.name()])?;
        Some(match metric {
            AVERAGE_MINIMUM => [first, second],
            _ => [third, fourth],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{METRICS, MINIMUM_AVERAGE};

    #[test]
    fn every_approach_is_published() {
        for table in Published::ALL {
            for metric in METRICS {
                assert!(Approach::ALL.iter().all(|&approach| table.runs(approach, metric).is_some()));
            }
        }
        let runs = |metric| Published::Unbalanced.runs(Approach::DynamicMigration, metric);
        assert_eq!(runs(AVERAGE_MINIMUM), Some([0.133, 0.113]));
        assert_eq!(runs(MINIMUM_AVERAGE), Some([0.425, 0.401]));
    }
}
