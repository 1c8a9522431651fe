//! Factors of the priority of a job.

use super::declare::{count, settings};
use crate::named;
use schemars::JsonSchema;

settings! {
    /// Weights of the priority factors.
    #[derive(Copy)]
    pub struct PriorityWeights {
        /// Weight of the age factor: wait / `max_age_s`.
        pub age: u32 = 0, count("a weight", 0, u32::MAX), slurm Number ["PriorityWeightAge"];
        /// Weight of the size factor: size of the job / size of the cluster, or 1 minus this ratio.
        pub size: u32 = 0, count("a weight", 0, u32::MAX), slurm Number ["PriorityWeightJobSize"];
        /// Weight of the fair-share factor of the account or the user.
        pub fair_share: u32 = 0, count("a weight", 0, u32::MAX), slurm Number ["PriorityWeightFairshare"];
        /// Weight of the QOS factor: priority of the QOS / largest priority of a QOS.
        pub qos: u32 = 0, count("a weight", 0, u32::MAX), slurm Number ["PriorityWeightQOS"];
        /// Weight of the partition factor: priority of the partition / largest priority of a
        /// partition.
        pub partition: u32 = 0, count("a weight", 0, u32::MAX), slurm Number ["PriorityWeightPartition"];
    }
}

named! {
    /// Definition of the size of a job.
    #[derive(Default, JsonSchema)]
    #[schemars(rename_all = "snake_case")]
    pub enum SizeFactor as "size factor" {
        /// Tasks of the job / nodes of the cluster.
        #[default]
        Tasks = "tasks",
        /// Mean of tasks / nodes of the cluster and cores / cores of the cluster, as in Slurm.
        NodesAndCpus = "nodes_and_cpus",
    }
}
