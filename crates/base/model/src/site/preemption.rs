//! Preemption modes.

use crate::named;
use schemars::JsonSchema;

named! {
    /// Order in which running jobs of a class are preempted.
    #[derive(Default, JsonSchema)]
    #[schemars(rename_all = "snake_case")]
    pub enum VictimOrder as "order of preemption" {
        /// Latest start first, and no more jobs than needed.
        #[default]
        Youngest = "youngest",
        /// Fewest nodes first, then earliest submission, as in Slurm. Jobs that turn out to be
        /// needed come first in further passes.
        Smallest = "smallest",
        /// Slurm's `preempt_youngest_first`: latest start first, with the passes of `smallest`.
        SlurmYoungest = "slurm_youngest",
    }
}

named! {
    /// Handling of a running job that is preempted (`PreemptMode`).
    #[derive(Default, JsonSchema)]
    #[schemars(rename_all = "snake_case")]
    pub enum PreemptMode as "preemption mode" {
        /// The job cannot be preempted.
        Off = "off",
        /// The job is requeued. It restarts from its last checkpoint, if it has any, otherwise from
        /// zero.
        #[default]
        Requeue = "requeue",
        /// The job is cancelled and its work is lost.
        Cancel = "cancel",
        /// The job waits without losing its work, and resumes after the penalty.
        Suspend = "suspend",
    }
}
