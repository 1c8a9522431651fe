//! Published figures, to stand beside our own (source: `reference/discovery/README.md`).

use crate::table_file;
use dfrsim_discovery::Approach;
use std::fmt;
use std::str::FromStr;

/// A published table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Published {
    /// Table 7.1: balanced.
    Balanced,
    /// Table 7.2: with hogs on two nodes.
    Unbalanced,
}

/// What is published of an approach: for each of the two runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Runs {
    pub(super) average_minimum: [f64; 2],
    pub(super) minimum_average: [f64; 2],
}

impl Published {
    pub(super) fn runs(self, approach: Approach) -> Option<Runs> {
        let text = match self {
            Published::Balanced => include_str!("../../reference/discovery/dissertation_table_7_1.csv"),
            Published::Unbalanced => include_str!("../../reference/discovery/dissertation_table_7_2.csv"),
        };
        let name = approach.to_string();
        let line = table_file::records(text).skip(1).find(|line| line.get(0) == Some(&name))?;
        let number = |at: usize| line.get(at)?.parse().ok();
        Some(Runs { average_minimum: [number(1)?, number(2)?], minimum_average: [number(3)?, number(4)?] })
    }
}

impl fmt::Display for Published {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Published::Balanced => "dissertation-7.1",
            Published::Unbalanced => "dissertation-7.2",
        })
    }
}

/// A name that no published table has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no published table is called `{0}`; there are dissertation-7.1 and dissertation-7.2")]
pub(super) struct UnknownTable(String);

impl FromStr for Published {
    type Err = UnknownTable;
    fn from_str(name: &str) -> Result<Published, UnknownTable> {
        let found =
            [Published::Balanced, Published::Unbalanced].into_iter().find(|one| one.to_string() == name);
        found.ok_or_else(|| UnknownTable(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_approaches_are_published() {
        for table in [Published::Balanced, Published::Unbalanced] {
            assert_eq!(table.to_string().parse(), Ok(table));
            assert!(Approach::ALL.iter().all(|&approach| table.runs(approach).is_some()));
        }
        let runs = Published::Unbalanced.runs(Approach::DynamicMigration).unwrap();
        assert_eq!((runs.average_minimum, runs.minimum_average), ([0.133, 0.113], [0.425, 0.401]));
        assert!("dissertation-7.3".parse::<Published>().is_err());
    }
}
