//! How much a job counts in a weighted mean.

use crate::named;

named! {
    /// The part of a job's weight that the job itself determines.
    #[derive(Default)]
    pub enum WeightRule as "rule of weights" {
        /// Tasks * run time: the nodes that the job has, for as long as it runs at full speed.
        #[default]
        NodeSeconds = "node-seconds",
        /// All jobs count the same.
        Equal = "equal",
    }
}
