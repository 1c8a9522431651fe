//! Preemption modes.

use crate::named;
use schemars::JsonSchema;

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
