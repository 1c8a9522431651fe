//! Published values that ours are compared with (`reference/`).

use dfrsim_lab::Reference;
use dfrsim_model::named;

named! {
    /// A published table.
    pub enum Published as "published table" {
        /// Dissertation, table B.1: degradation on 182 weeks of HPC2N.
        DissertationB1 = "dissertation-b1",
        /// Dissertation, table B.2: degradation on 100 unscaled Lublin traces.
        DissertationB2 = "dissertation-b2",
        /// Dissertation, table B.3: degradation on the traces of table B.2 at nine loads.
        DissertationB3 = "dissertation-b3",
        /// Dissertation, tables B.4 to B.6: costs of preemptions and migrations on the traces of
        /// load 0.7 and more.
        DissertationB4ToB6 = "dissertation-b4-b6",
        /// Output of the simulator of the dissertation's author on the unscaled traces of seed 1:
        /// degradation, resumes and migrations.
        VcsimUnscaled = "vcsim-unscaled",
    }
}

/// Unit in which the costs of preemptions and migrations are published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostUnit {
    /// GB per second (B.4).
    GigabytesPerSecond,
    /// Occurrences per hour (B.5).
    PerHour,
    /// Occurrences per job (B.6).
    PerJob,
}

impl Published {
    fn degradations(self) -> Reference {
        Reference(match self {
            Published::DissertationB1 => {
                include_str!("../reference/dissertation_table_b1_degradation_hpc2n.csv")
            }
            Published::DissertationB2 => {
                include_str!("../reference/dissertation_table_b2_degradation_unscaled.csv")
            }
            Published::DissertationB3 => {
                include_str!("../reference/dissertation_table_b3_degradation_scaled.csv")
            }
            Published::DissertationB4ToB6 | Published::VcsimUnscaled => "",
        })
    }

    /// Returns the policies of a table of degradations in its order, each with its mean; nothing for
    /// other tables.
    pub fn means(self) -> impl Iterator<Item = (&'static str, f64)> {
        self.degradations().lines().map(|([policy], [mean])| (policy, mean))
    }

    /// Returns the mean, sample standard deviation and maximum of a policy's degradation, if this is
    /// a table of degradations that has the policy.
    #[must_use]
    pub fn degradation(self, policy: &str) -> Option<[f64; 3]> {
        self.degradations().find([policy])
    }

    /// Returns the policies of a table of costs in its order, each with the mean and maximum over
    /// the instances of its preemptions (pauses and resumes), then of its migrations; nothing for
    /// other tables.
    pub fn costs(self, unit: CostUnit) -> impl Iterator<Item = (&'static str, [f64; 4])> {
        let text = match unit {
            _ if self != Published::DissertationB4ToB6 => "",
            CostUnit::GigabytesPerSecond => {
                include_str!("../reference/dissertation_table_b4_bandwidth_gb_per_s.csv")
            }
            CostUnit::PerHour => include_str!("../reference/dissertation_table_b5_occurrences_per_hour.csv"),
            CostUnit::PerJob => include_str!("../reference/dissertation_table_b6_occurrences_per_job.csv"),
        };
        Reference(text).lines().map(|([policy], costs)| (policy, costs))
    }

    /// Returns the smallest load of the table's traces, if it omits lighter ones.
    #[must_use]
    pub fn min_load(self) -> Option<f64> {
        (self == Published::DissertationB4ToB6).then_some(0.7)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_policies::{Policy, catalogue};

    /// Checks that the 118 names of the dissertation parse, print back, and are in the catalogue.
    #[test]
    fn all_published_names_are_known() {
        let listed: Vec<String> = catalogue().into_iter().map(|info| info.name).collect();
        for &table in Published::ALL {
            assert_eq!(table.to_string().parse(), Ok(table));
            let units = [CostUnit::GigabytesPerSecond, CostUnit::PerHour, CostUnit::PerJob];
            let costs = units.map(|unit| table.costs(unit).map(|(name, _)| name).collect::<Vec<_>>());
            let names: Vec<&str> = table.means().map(|(name, _)| name).collect();
            let (expected, costed) = match table {
                Published::DissertationB4ToB6 => (0, 116),
                Published::VcsimUnscaled => (0, 0),
                _ => (118, 0),
            };
            assert_eq!(names.len(), expected);
            assert_eq!(costs.each_ref().map(Vec::len), [costed; 3], "the batch policies never preempt a job");
            let names = costs.into_iter().flatten().chain(names);
            for name in names {
                assert_eq!(name.parse::<Policy>().unwrap().to_string(), name);
                assert!(listed.iter().any(|known| known == name), "{name}");
            }
        }
        let fractional = listed.iter().filter(|name| name.contains("/OPT=")).count();
        assert_eq!(fractional, 116, "the catalogue lists no others");
    }
}
