//! Published figures, to stand beside our own (sources: `reference/README.md`).

use std::fmt;
use std::str::FromStr;

/// Published tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Published {
    /// Dissertation, table B.1: degradation on 182 weeks of HPC2N.
    DissertationB1,
    /// Dissertation, table B.2: degradation on 100 Lublin traces as the model makes them.
    DissertationB2,
    /// Dissertation, table B.3: degradation on these traces at nine loads.
    DissertationB3,
    /// Dissertation, tables B.4 to B.6: what pauses and migrations cost on the traces of load 0.7 and more.
    DissertationB4ToB6,
}

/// In what the cost of pauses and migrations is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostUnit {
    /// GB a second (B.4).
    GigabytesPerSecond,
    /// Occurrences an hour (B.5).
    PerHour,
    /// Occurrences a job (B.6).
    PerJob,
}

/// What pauses (with their resumes) and migrations cost, over the instances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// Mean and maximum of the pauses.
    pub preemption: (f64, f64),
    /// Mean and maximum of the migrations.
    pub migration: (f64, f64),
}

impl Published {
    const ALL: [Published; 4] = [
        Published::DissertationB1,
        Published::DissertationB2,
        Published::DissertationB3,
        Published::DissertationB4ToB6,
    ];

    fn name(self) -> &'static str {
        match self {
            Published::DissertationB1 => "dissertation-b1",
            Published::DissertationB2 => "dissertation-b2",
            Published::DissertationB3 => "dissertation-b3",
            Published::DissertationB4ToB6 => "dissertation-b4-b6",
        }
    }

    fn degradations(self) -> Option<&'static str> {
        match self {
            Published::DissertationB1 => {
                Some(include_str!("../reference/dissertation_table_b1_degradation_hpc2n.csv"))
            }
            Published::DissertationB2 => {
                Some(include_str!("../reference/dissertation_table_b2_degradation_unscaled.csv"))
            }
            Published::DissertationB3 => {
                Some(include_str!("../reference/dissertation_table_b3_degradation_scaled.csv"))
            }
            Published::DissertationB4ToB6 => None,
        }
    }

    /// The policies of a table of degradations, in its order, each with its mean; none of other tables.
    pub fn means(self) -> impl Iterator<Item = (&'static str, f64)> {
        lines(self.degradations().unwrap_or_default()).map(|(policy, [mean])| (policy, mean))
    }

    /// The mean degradation of a policy, if this is a table of degradations that has it.
    #[must_use]
    pub fn mean(self, policy: &str) -> Option<f64> {
        self.means().find(|(name, _)| *name == policy).map(|(_, mean)| mean)
    }

    /// The policies of a table of costs, in its order; none of other tables.
    pub fn costs(self, unit: CostUnit) -> impl Iterator<Item = (&'static str, Costs)> {
        let text = match unit {
            _ if self != Published::DissertationB4ToB6 => "",
            CostUnit::GigabytesPerSecond => {
                include_str!("../reference/dissertation_table_b4_bandwidth_gb_per_s.csv")
            }
            CostUnit::PerHour => include_str!("../reference/dissertation_table_b5_occurrences_per_hour.csv"),
            CostUnit::PerJob => include_str!("../reference/dissertation_table_b6_occurrences_per_job.csv"),
        };
        lines(text).map(|(policy, [preemption, most_preemption, migration, most_migration])| {
            let (preemption, migration) = ((preemption, most_preemption), (migration, most_migration));
            (policy, Costs { preemption, migration })
        })
    }

    /// The least load of the traces of the table, if it leaves lighter ones out.
    #[must_use]
    pub fn least_load(self) -> Option<f64> {
        (self == Published::DissertationB4ToB6).then_some(0.7)
    }
}

/// The lines of a table: a policy and the first figures behind it.
fn lines<const FIGURES: usize>(text: &'static str) -> impl Iterator<Item = (&'static str, [f64; FIGURES])> {
    text.lines().skip(1).filter_map(|line| {
        let (policy, figures) = line.split_once(',')?;
        let mut values = [0.0; FIGURES];
        for (value, figure) in values.iter_mut().zip(figures.split(',')) {
            *value = figure.parse().ok()?;
        }
        Some((policy, values))
    })
}

impl fmt::Display for Published {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no published table has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no published table is called `{0}`; there are dissertation-b1, dissertation-b2, dissertation-b3 and dissertation-b4-b6"
)]
pub struct UnknownTable(String);

impl FromStr for Published {
    type Err = UnknownTable;
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Published::ALL.into_iter().find(|table| table.name() == name);
        found.ok_or_else(|| UnknownTable(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_policies::{Policy, catalogue};

    /// The 118 names of the dissertation parse, print back, and stand in the catalogue.
    #[test]
    fn all_published_names_are_known() {
        let listed: Vec<String> = catalogue().into_iter().map(|info| info.name).collect();
        for table in Published::ALL {
            assert_eq!(table.to_string().parse(), Ok(table));
            let units = [CostUnit::GigabytesPerSecond, CostUnit::PerHour, CostUnit::PerJob];
            let costs = units.map(|unit| table.costs(unit).map(|(name, _)| name).collect::<Vec<_>>());
            let names: Vec<&str> = table.means().map(|(name, _)| name).collect();
            let (expected, costed) = if table == Published::DissertationB4ToB6 { (0, 116) } else { (118, 0) };
            assert_eq!(names.len(), expected);
            assert_eq!(costs.each_ref().map(Vec::len), [costed; 3], "the batch policies never pause a job");
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
