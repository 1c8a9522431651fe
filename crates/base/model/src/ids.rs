//! Identifiers.

use std::fmt;
use std::num::NonZeroU32;

/// The number of a job in its log or generated workload (field 1 of SWF).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(pub u64);

/// The number of a user in a log (field 12 of SWF). An `Option` of it takes no more memory than the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserId(
    /// One more than the number.
    NonZeroU32,
);

impl UserId {
    /// The user of this number; `None` of the largest number of 32 bits.
    #[must_use]
    pub const fn new(number: u32) -> Option<UserId> {
        match NonZeroU32::new(number.wrapping_add(1)) {
            Some(successor) => Some(UserId(successor)),
            None => None,
        }
    }
    /// The number.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0.get() - 1
    }
}

/// A node of the cluster, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The node as an index of a vector with one entry a node.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Some tasks of one job on one node. The placement of a job is a list of these with rising nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeTasks {
    /// Where.
    pub node: NodeId,
    /// How many; at least one.
    pub tasks: u32,
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for UserId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number().fmt(f)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::UserId;

    #[test]
    fn users_keep_their_numbers_in_four_bytes() {
        for number in [0, 1, u32::MAX - 1] {
            assert_eq!(UserId::new(number).map(UserId::number), Some(number));
        }
        assert_eq!(UserId::new(u32::MAX), None);
        assert_eq!(size_of::<Option<UserId>>(), 4);
    }
}
