//! Weights of jobs in weighted means.

use crate::named;

named! {
    /// Weighting rule: the factor of a job's weight that depends on the job itself.
    #[derive(Default)]
    pub enum WeightRule as "weighting rule" {
        /// Tasks * run time: node-seconds of the job at full speed.
        #[default]
        NodeSeconds = "node-seconds",
        /// Equal weight of all jobs.
        Equal = "equal",
    }
}
