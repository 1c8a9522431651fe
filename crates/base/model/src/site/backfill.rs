//! Limits of backfilling.

use super::declare::{Values, positive, seconds, settings};
use crate::numbers::is_default;

settings! {
    /// Limits of backfilling.
    #[derive(Copy)]
    pub struct BackfillSettings {
        /// True if SLURM does not backfill at all (`SchedulerType=sched/builtin`).
        #[serde(skip_serializing_if = "is_default")]
        pub off: bool = false, Values::Flag;
        /// Maximum number of waiting jobs tried, including the queue head; unlimited if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub max_job_test: Option<u32> = None, positive("a number of jobs"),
            slurm Number ["SchedulerParameters=bf_max_job_test", "SchedulerParameters=max_job_bf"];
        /// Interval in seconds: jobs are backfilled at multiples of it only; 0 if they are
        /// backfilled at every event.
        pub interval_s: u64 = 0, seconds(0), slurm Number ["SchedulerParameters=bf_interval"];
        /// Planning window of conservative backfilling in seconds: jobs that can only start later
        /// have no reservation. 0 if it is unlimited.
        pub window_s: u64 = 0, seconds(0), slurm Minutes ["SchedulerParameters=bf_window"];
        /// Resolution in seconds: backfilling rounds the ends of jobs up to multiples of
        /// it; 0 if they are exact. SLURM rounds the starts and ends of reservations down
        /// instead.
        pub resolution_s: u64 = 0, seconds(0), slurm Number ["SchedulerParameters=bf_resolution"];
        /// Growth in seconds of the windows in which a cycle of SLURM looks at the expected ends of
        /// running jobs; 0 if each window doubles the time looked at, as by default in Slurm.
        #[serde(skip_serializing_if = "is_default")]
        pub window_linear_s: u64 = 0, seconds(0), slurm Number ["SchedulerParameters=bf_window_linear"];
        /// Maximum number of waiting jobs per user in a backfill cycle of SLURM; unlimited if
        /// absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub max_job_user: Option<u32> = None, positive("a number of jobs"),
            slurm Limit ["SchedulerParameters=bf_max_job_user"];
        /// Maximum number of waiting jobs per partition in a backfill cycle of SLURM; unlimited if
        /// absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub max_job_part: Option<u32> = None, positive("a number of jobs"),
            slurm Limit ["SchedulerParameters=bf_max_job_part"];
        /// True if cycles of SLURM skip a job whose licences are not free, and its reservations hold no
        /// licences, as in Slurm without `bf_licenses`. Otherwise such a job ends the main cycle, and
        /// reservations hold licences.
        #[serde(skip_serializing_if = "is_default")]
        pub skips_unlicensed: bool = false, Values::Flag;
    }
}

impl BackfillSettings {
    /// Returns the settings with Slurm's defaults for missing ones: a cycle every 30 s, 500 jobs, a
    /// window of one day, a resolution of one minute.
    #[must_use]
    pub fn as_slurm(self) -> BackfillSettings {
        let or = |value: u64, default: u64| if value == 0 { default } else { value };
        BackfillSettings {
            max_job_test: self.max_job_test.or(Some(500)),
            interval_s: or(self.interval_s, 30),
            window_s: or(self.window_s, 86_400),
            resolution_s: or(self.resolution_s, 60),
            ..self
        }
    }
}
