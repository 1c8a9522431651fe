//! Published figures, to stand beside our own (sources: `reference/README.md`).

use std::fmt;
use std::str::FromStr;

/// A published table of degradations from the bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Published {
    /// Dissertation, table B.1: 182 weeks of HPC2N.
    DissertationB1,
    /// Dissertation, table B.2: 100 Lublin traces as the model makes them.
    DissertationB2,
    /// Dissertation, table B.3: these traces at nine loads.
    DissertationB3,
}

impl Published {
    const ALL: [Published; 3] =
        [Published::DissertationB1, Published::DissertationB2, Published::DissertationB3];

    fn name(self) -> &'static str {
        match self {
            Published::DissertationB1 => "dissertation-b1",
            Published::DissertationB2 => "dissertation-b2",
            Published::DissertationB3 => "dissertation-b3",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Published::DissertationB1 => {
                include_str!("../reference/dissertation_table_b1_degradation_hpc2n.csv")
            }
            Published::DissertationB2 => {
                include_str!("../reference/dissertation_table_b2_degradation_unscaled.csv")
            }
            Published::DissertationB3 => {
                include_str!("../reference/dissertation_table_b3_degradation_scaled.csv")
            }
        }
    }

    /// The policies of the table, in its order, each with the mean degradation.
    pub fn means(self) -> impl Iterator<Item = (&'static str, f64)> {
        let lines = self.text().lines().skip(1);
        lines.filter_map(|line| {
            let (policy, figures) = line.split_once(',')?;
            Some((policy, figures.split(',').next()?.parse().ok()?))
        })
    }

    /// The mean degradation of a policy.
    #[must_use]
    pub fn mean(self, policy: &str) -> Option<f64> {
        self.means().find(|(name, _)| *name == policy).map(|(_, mean)| mean)
    }
}

impl fmt::Display for Published {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no published table has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no published table is called `{0}`; there are dissertation-b1, dissertation-b2 and dissertation-b3")]
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
            let names: Vec<&str> = table.means().map(|(name, _)| name).collect();
            assert_eq!(names.len(), 118);
            for name in names {
                assert_eq!(name.parse::<Policy>().unwrap().to_string(), name);
                assert!(listed.iter().any(|known| known == name), "{name}");
            }
        }
        let fractional = listed.iter().filter(|name| name.contains("/OPT=")).count();
        assert_eq!(fractional, 116, "the catalogue lists no others");
    }
}
