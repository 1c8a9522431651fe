//! Names of the policies.

use dfrsim_model::named;

named! {
    /// Policy that runs jobs at full speed or not at all, and whose decisions can be checked.
    pub enum FullSpeedPolicy as "policy at full speed" {
        /// Ranked preemption by (flow time + 2,700 s) / virtual time^2.
        FlowOverWork = "RANKED",
        /// Ranked preemption by the estimated remaining time.
        Remaining = "SRPT",
        /// Ranked preemption by levels of the work done.
        Attained = "LAS",
        /// Gang scheduling.
        Gang = "GANG",
    }
}
