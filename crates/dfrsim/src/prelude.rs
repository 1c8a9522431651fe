//! Items that most programs need: `use dfrsim::prelude::*;`.

pub use dfrsim_audit::{Auditor, audit};
pub use dfrsim_bound::max_stretch_bound;
pub use dfrsim_cluster::{
    Decision, EventLog, FreeNodes, JobHandle, JobState, JobView, Lists, Metrics, NodeOrder, Observer,
    Occurrence, Options, Scheduler, Situation, Summary, SummaryOptions, View, simulate,
};
pub use dfrsim_lab::{Registry, Results, RunOptions, Study};
pub use dfrsim_model::{Job, JobId, NodeId, NodeTasks, Origin, Seed, Share, SimSpan, SimTime, Yield};
pub use dfrsim_policies::{CustomPolicy, Policies, Policy, PolicyFamily, PolicyOptions};
pub use dfrsim_workload::lublin::{LublinParameters, generate};
