//! The lines of `rows.csv`.

use crate::column::columns;
use dfrsim_model::SimSpan;

columns! {
    /// A sample, a simulation, or something that happened in one; columns that it does not have are empty.
    pub(crate) struct Row {
        /// What it is: `sample`, `run`, `switch`, `stay` or `load`.
        pub(crate) part: String,
        /// Who decided, of a simulation.
        pub(crate) policy: String,
        /// The sample or the repetition, from 0.
        pub(crate) number: u32,
        /// How many VMs there are.
        pub(crate) vms: u32,
        /// When it begins.
        pub(crate) at_s: Option<SimSpan>,
        /// How long it takes.
        pub(crate) duration_s: Option<SimSpan>,
        /// The vjob of a stay.
        pub(crate) vjob: Option<String>,
        /// The state of a stay; empty while VMs are in several.
        pub(crate) state: Option<String>,
        /// The cost of the plan of first-fit decreasing, in MB.
        pub(crate) first_fit_cost: Option<u64>,
        /// The cost of the plan, in MB.
        pub(crate) cost: Option<u64>,
        /// A cost that no plan is below.
        pub(crate) bound: Option<u64>,
        /// 1 if no plan is cheaper.
        pub(crate) proven: Option<u32>,
        /// How long the search took, where it had a limit of time.
        pub(crate) search_s: Option<f64>,
        /// How many pools the plan has.
        pub(crate) pools: Option<u64>,
        /// How many VMs are run.
        pub(crate) runs: Option<u64>,
        /// Stopped.
        pub(crate) stops: Option<u64>,
        /// Migrated.
        pub(crate) migrations: Option<u64>,
        /// Suspended.
        pub(crate) suspends: Option<u64>,
        /// Resumed where they were suspended.
        pub(crate) local_resumes: Option<u64>,
        /// Resumed elsewhere.
        pub(crate) remote_resumes: Option<u64>,
        /// How many tries of actions failed.
        pub(crate) failed: Option<u64>,
        /// Memory of the VMs that run, in MB.
        pub(crate) memory_mb: Option<u64>,
        /// Units of CPU that VMs ask for.
        pub(crate) demanded: Option<u64>,
        /// Units of CPU that they use.
        pub(crate) used: Option<f64>,
    }
}

impl Row {
    /// A row without figures.
    pub(super) fn new(part: &str, policy: &str, number: u32, vms: u32) -> Row {
        Row {
            part: part.to_owned(),
            policy: policy.to_owned(),
            number,
            vms,
            at_s: None,
            duration_s: None,
            vjob: None,
            state: None,
            first_fit_cost: None,
            cost: None,
            bound: None,
            proven: None,
            search_s: None,
            pools: None,
            runs: None,
            stops: None,
            migrations: None,
            suspends: None,
            local_resumes: None,
            remote_resumes: None,
            failed: None,
            memory_mb: None,
            demanded: None,
            used: None,
        }
    }
}
