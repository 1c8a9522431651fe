//! The policies that are compared.

use std::fmt;
use std::str::FromStr;

/// What sets the weights of virtual machines, and may migrate them (dissertation, sections 7.2.2 and 7.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Approach {
    /// `Xen`: equal weights, nothing else.
    Xen,
    /// `DYNAMIC`: weights by estimates of the needs.
    Dynamic,
    /// `DYNAMIC+MIGRATION`: the same, and machines migrate where that promises a better minimum yield.
    DynamicMigration,
}

impl Approach {
    /// All of them, in the order of the text.
    pub const ALL: [Approach; 3] = [Approach::Xen, Approach::Dynamic, Approach::DynamicMigration];
}

impl fmt::Display for Approach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Approach::Xen => "Xen",
            Approach::Dynamic => "DYNAMIC",
            Approach::DynamicMigration => "DYNAMIC+MIGRATION",
        })
    }
}

/// A name that no approach has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown approach {0:?}: expected Xen, DYNAMIC or DYNAMIC+MIGRATION")]
pub struct UnknownApproach(String);

impl FromStr for Approach {
    type Err = UnknownApproach;
    fn from_str(name: &str) -> Result<Approach, UnknownApproach> {
        let found = Approach::ALL.into_iter().find(|approach| approach.to_string() == name);
        found.ok_or_else(|| UnknownApproach(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_printed() {
        for approach in Approach::ALL {
            assert_eq!(approach.to_string().parse(), Ok(approach));
        }
        assert!("xen".parse::<Approach>().is_err());
    }
}
