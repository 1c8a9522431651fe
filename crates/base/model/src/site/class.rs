//! Qualities of service and partitions.

use super::declare::{Values, count, names, positive, seconds, settings};
use super::{Limits, PreemptMode, Tres};
use crate::Origin;
use crate::numbers::is_default;

/// Largest tier of a partition.
pub const LARGEST_TIER: u32 = 65_535;

/// Largest weight of a class. The weight of a job is at most the square of it.
pub const LARGEST_WEIGHT: u32 = 100;

const NUMBERS: Values = Values::Any("a list of numbers of the log");

settings! {
    /// Quality of service or partition: the jobs that belong to it, and their limits. For each
    /// non-empty list, the number of the job must be in the list. Without any list every job matches.
    pub struct JobClass {
        /// Name of the QOS or partition.
        pub name: String = String::new(), Values::Any("a name");
        /// Priority of the QOS or partition.
        pub priority: u32 = 0, count("a priority", 0, u32::MAX);
        /// Tier of a partition (`PriorityTier`): its jobs precede all jobs of partitions of a lower
        /// tier, whatever their priority. At most [`LARGEST_TIER`], by default 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub tier: Option<u32> = None, count("a tier", 0, LARGEST_TIER);
        /// Factor of the weights of its jobs in fractional shares. At most [`LARGEST_WEIGHT`], by
        /// default 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub weight: Option<u32> = None, count("a weight", 1, LARGEST_WEIGHT);
        /// Queues of the log (field 15; the QOS of Slurm's accounting).
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub queues: Vec<u32> = Vec::new(), NUMBERS;
        /// Partitions of the log (field 16).
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub partitions: Vec<u32> = Vec::new(), NUMBERS;
        /// Groups of the log (field 13; the account of Slurm's accounting).
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub groups: Vec<u32> = Vec::new(), NUMBERS;
        /// Users of the log.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub users: Vec<u32> = Vec::new(), NUMBERS;
        /// Maximum time limit in seconds. Jobs with a longer estimate or without one are rejected.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub max_time_s: Option<u64> = None, seconds(0);
        /// Maximum number of nodes per job. Larger jobs are rejected.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub max_nodes: Option<u32> = None, positive("a number of nodes");
        /// Maximum number of nodes of all its running jobs. Larger jobs are rejected.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub total_nodes: Option<u32> = None, positive("a number of nodes");
        /// Maximum number of its running jobs per user.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub max_running_per_user: Option<u32> = None, positive("a number of jobs");
        /// Maximum number of cores that all of its jobs together have on a node, under policies that
        /// share nodes (Slurm's `MaxCPUsPerNode` of a partition).
        #[serde(skip_serializing_if = "Option::is_none")]
        pub max_cores_per_node: Option<u32> = None, positive("a number of cores");
        /// True if each of its jobs has whole nodes under policies that share them (Slurm's
        /// `OverSubscribe=EXCLUSIVE`). Each task then has a node of its own.
        #[serde(skip_serializing_if = "is_default")]
        pub whole_nodes: bool = false, Values::Flag;
        /// Limits of its jobs.
        #[serde(skip_serializing_if = "is_default")]
        pub limits: Limits = Limits::default(), Values::Any("a table of limits");
        /// Billing weights of a partition, which replace `billing` of the site for its jobs.
        #[serde(skip_serializing_if = "Tres::is_empty")]
        pub billing: Tres = Tres::new(), Values::Amounts;
        /// Names of the classes of the same kind whose running jobs its waiting jobs may preempt.
        /// Jobs of the first class are preempted first.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub preempt: Vec<String> = Vec::new(), Values::Any("a list of names of classes");
        /// Mode of preemption of its jobs.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub preempt_mode: Option<PreemptMode> = None, names!(PreemptMode);
        /// Run time in seconds since the last start before its jobs may be preempted.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub preempt_exempt_time_s: Option<u64> = None, seconds(0);
        /// Grace period in seconds under SLURM: time for which its preempted jobs keep their nodes,
        /// if they do not keep their work (`GraceTime`).
        #[serde(skip_serializing_if = "Option::is_none")]
        pub grace_s: Option<u64> = None, seconds(0);
    }
}

impl JobClass {
    /// Returns whether a job of this user and origin belongs to the class.
    pub fn matches(&self, user: Option<u32>, origin: Origin) -> bool {
        [
            (&self.queues, origin.queue()),
            (&self.partitions, origin.partition()),
            (&self.groups, origin.group()),
            (&self.users, user),
        ]
        .into_iter()
        .all(|(list, number)| list.is_empty() || number.is_some_and(|number| list.contains(&number)))
    }

    /// Returns the tier of a partition, by default 1.
    pub fn tier(&self) -> u32 {
        self.tier.unwrap_or(1)
    }

    /// Returns whether the partition neither precedes others nor restricts the nodes of its jobs.
    pub(super) fn is_ordinary(&self) -> bool {
        self.tier() == 1 && !self.whole_nodes && self.max_cores_per_node.is_none()
    }

    pub(super) fn has_limits(&self) -> bool {
        self.max_time_s.is_some()
            || self.max_nodes.is_some()
            || self.total_nodes.is_some()
            || self.max_running_per_user.is_some()
            || self.limits != Limits::default()
    }
}

/// Returns the feature that marks the nodes of a partition that does not have all nodes. Characters
/// that names of features do not have are replaced by `_`.
pub fn partition_feature(name: &str) -> String {
    let is_known = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    let name = name.chars().map(|letter| if is_known(letter) { letter } else { '_' });
    "partition-".chars().chain(name).collect()
}
