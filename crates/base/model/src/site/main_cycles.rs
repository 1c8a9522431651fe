//! Cycles of Slurm's main scheduler.

use super::declare::{positive, seconds, settings};

settings! {
    /// Cycles and depth of the main scheduler of the policy SLURM. It tries jobs strictly in order,
    /// until a job of a partition does not fit. The defaults are those of Slurm.
    #[derive(Copy)]
    pub struct MainSettings {
        /// Minimum time in seconds from one cycle to the next one that an event triggers.
        pub delay_s: u64 = 3, seconds(0), slurm Number ["SchedulerParameters=batch_sched_delay"];
        /// Time in seconds from one cycle over the whole queue to the next.
        pub interval_s: u64 = 60, seconds(1), slurm AtLeastOne ["SchedulerParameters=sched_interval"];
        /// Maximum number of jobs tried in a cycle that an event triggers.
        pub depth: u32 = 100, positive("a number of jobs"),
            slurm AtLeastOne ["SchedulerParameters=default_queue_depth"];
        /// Maximum number of jobs tried per partition; unlimited if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub depth_per_partition: Option<u32> = None, positive("a number of jobs"),
            slurm Limit ["SchedulerParameters=partition_job_depth"];
    }
}
