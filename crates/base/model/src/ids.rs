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

/// Where a job comes from: the group of its user, and the queue and the partition of its submission (fields 13, 15 and 16 of SWF).
/// Of Slurm's accounting these are account, QOS and partition.
///
/// Eight bytes, so that jobs remain small: numbers of queues and partitions from 65,535 on count as unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    group: u32,
    queue: u16,
    partition: u16,
}

impl Origin {
    /// None of the three is known.
    pub const UNKNOWN: Origin = Origin { group: u32::MAX, queue: u16::MAX, partition: u16::MAX };

    /// From the numbers of a log.
    pub fn new(group: Option<u32>, queue: Option<u32>, partition: Option<u32>) -> Origin {
        let small = |number: Option<u32>| number.and_then(|it| u16::try_from(it).ok()).unwrap_or(u16::MAX);
        Origin { group: group.unwrap_or(u32::MAX), queue: small(queue), partition: small(partition) }
    }
    /// The group, if known.
    #[must_use]
    pub fn group(self) -> Option<u32> {
        Some(self.group).filter(|&it| it != u32::MAX)
    }
    /// The queue, if known.
    #[must_use]
    pub fn queue(self) -> Option<u32> {
        Some(self.queue).filter(|&it| it != u16::MAX).map(u32::from)
    }
    /// The partition, if known.
    #[must_use]
    pub fn partition(self) -> Option<u32> {
        Some(self.partition).filter(|&it| it != u16::MAX).map(u32::from)
    }
}

impl Default for Origin {
    fn default() -> Self {
        Origin::UNKNOWN
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

/// Rising numbers as text, with those that follow each other as ranges: `0-3 5` with a blank between them.
///
/// ```
/// assert_eq!(dfrsim_model::ranges(&[0, 1, 2, 3, 5], " "), "0-3 5");
/// ```
pub fn ranges(rising: &[u32], between: &str) -> String {
    let range = |run: &[u32]| match run {
        [first, .., last] => format!("{first}-{last}"),
        _ => run[0].to_string(),
    };
    rising.chunk_by(|a, b| a.checked_add(1) == Some(*b)).map(range).collect::<Vec<_>>().join(between)
}

#[cfg(test)]
mod tests {
    use super::{Origin, UserId};

    #[test]
    fn users_keep_their_numbers_in_four_bytes() {
        for number in [0, 1, u32::MAX - 1] {
            assert_eq!(UserId::new(number).map(UserId::number), Some(number));
        }
        assert_eq!(UserId::new(u32::MAX), None);
        assert_eq!(size_of::<Option<UserId>>(), 4);
    }

    #[test]
    fn origins_keep_what_is_known_in_eight_bytes() {
        let origin = Origin::new(Some(0), Some(65_534), None);
        assert_eq!((origin.group(), origin.queue(), origin.partition()), (Some(0), Some(65_534), None));
        assert_eq!(Origin::new(None, Some(65_535), Some(70_000)), Origin::UNKNOWN);
        assert_eq!(size_of::<Origin>(), 8);
    }
}
