//! Identifiers of jobs, users, nodes and their origins.

use std::fmt;
use std::num::NonZeroU32;

/// Number of a job in its log or generated workload (field 1 of SWF).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(pub u64);

/// Bit of the numbers of copies.
const COPY: u64 = 1 << 62;

/// Number of bits of the original in the number of a copy.
const ORIGINAL_BITS: u32 = 40;

impl JobId {
    /// Returns the number of a copy of this job, which requests what its original does. Jobs with more
    /// than 40 bits in their number, and the copies after the first four million, have no original.
    #[must_use]
    pub const fn copy(self, number: u32) -> JobId {
        let number = number as u64;
        match self.0 >> ORIGINAL_BITS == 0 && number >> (62 - ORIGINAL_BITS) == 0 {
            true => JobId(COPY | number << ORIGINAL_BITS | self.0),
            false => JobId(COPY << 1 | number),
        }
    }

    /// Returns the job of which this is a copy; the job itself if it is none.
    #[must_use]
    pub const fn original(self) -> JobId {
        match self.0 & COPY {
            0 => self,
            _ => JobId(self.0 & ((1 << ORIGINAL_BITS) - 1)),
        }
    }
}

/// Number of a user in a log (field 12 of SWF). An `Option<UserId>` takes no more memory than the
/// number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserId(
    /// The number plus one, so that zero is free for `None`.
    NonZeroU32,
);

impl UserId {
    /// Creates the identifier of a user; `None` for the largest 32-bit number.
    pub const fn new(number: u32) -> Option<UserId> {
        match NonZeroU32::new(number.wrapping_add(1)) {
            Some(successor) => Some(UserId(successor)),
            None => None,
        }
    }
    /// Returns the number in the log.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0.get() - 1
    }
}

/// Origin of a job: the group of its user, the queue and the partition of its submission (fields 13,
/// 15 and 16 of SWF). In Slurm's accounting these are the account, the QOS and the partition.
///
/// It takes eight bytes, to keep jobs small: queue and partition numbers from 65,535 on count as
/// unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    group: u32,
    queue: u16,
    partition: u16,
}

impl Origin {
    /// Origin of which none of the three numbers is known.
    pub const UNKNOWN: Origin = Origin { group: u32::MAX, queue: u16::MAX, partition: u16::MAX };

    /// Creates an origin from the numbers in a log.
    pub fn new(group: Option<u32>, queue: Option<u32>, partition: Option<u32>) -> Origin {
        let small = |number: Option<u32>| number.and_then(|it| u16::try_from(it).ok()).unwrap_or(u16::MAX);
        Origin { group: group.unwrap_or(u32::MAX), queue: small(queue), partition: small(partition) }
    }
    /// Returns the group, if known.
    #[must_use]
    pub fn group(self) -> Option<u32> {
        Some(self.group).filter(|&it| it != u32::MAX)
    }
    /// Returns the queue, if known.
    #[must_use]
    pub fn queue(self) -> Option<u32> {
        Some(self.queue).filter(|&it| it != u16::MAX).map(u32::from)
    }
    /// Returns the partition, if known.
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

/// Node of the cluster, numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// Returns the node as an index into a vector with one entry per node.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Tasks of one job on one node. The allocation of a job is a list of these in ascending order of
/// the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeTasks {
    /// Node of the tasks.
    pub node: NodeId,
    /// Number of tasks; at least one.
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

/// Formats ascending numbers as text, with consecutive ones as ranges, such as `0-3 5`; `between` is
/// the separator.
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
