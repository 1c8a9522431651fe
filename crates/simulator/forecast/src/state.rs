//! States of a running system, as Slurm prints them: the output of `squeue` and `scontrol show job`,
//! lines of `sacct`, and JSON.
//!
//! All forms have the same fields under several names ([`Field`]). A job needs an id, a state, a
//! size and a time limit; a running one also its start or the time for which it has run. Jobs that
//! have ended, and steps, are not part of the state.

mod json;
mod listing;
mod nodes;
mod read;
mod scontrol;
mod site;
mod snapshot;
mod table;
mod values;

pub use json::StateFile;
pub use nodes::NodeStates;
pub use read::{Counts, Job as StateJob, State, read};
pub use snapshot::StateSnapshot;
pub use values::{Phase, duration};

use dfrsim_model::named;

named! {
    /// Field of a job in a state. Each has the names that it has in the forms of Slurm.
    pub enum Field as "field" {
        /// Number of the job.
        Id = "JobId" | "JOBID" | "JobID" | "job_id",
        /// Number of the job with its task in an array; read if there is no other number.
        RawId = "JobIDRaw",
        /// Tasks of an array that wait and are listed as one job.
        Tasks = "ArrayTaskId" | "array_task_string",
        /// User.
        User = "UserId" | "USER" | "User" | "user_name",
        /// State of the job.
        State = "JobState" | "STATE" | "ST" | "State" | "job_state",
        /// Number of nodes.
        Nodes = "NumNodes" | "NODES" | "NNodes" | "AllocNodes" | "node_count",
        /// Number of processors.
        Processors = "NumCPUs" | "CPUS" | "ReqCPUS" | "AllocCPUS" | "NCPUS" | "cpus",
        /// Time limit.
        Limit = "TimeLimit" | "TIME_LIMIT" | "Timelimit" | "time_limit",
        /// Time for which the job has run.
        Elapsed = "RunTime" | "TIME" | "Elapsed" | "elapsed",
        /// Time of the submission.
        Submit = "SubmitTime" | "SUBMIT_TIME" | "Submit" | "submit_time",
        /// Time of the start.
        Start = "StartTime" | "START_TIME" | "Start" | "start_time",
        /// Reason for which the job waits.
        Reason = "Reason" | "REASON" | "NODELIST(REASON)" | "state_reason",
        /// Dependencies.
        Dependency = "Dependency" | "DEPENDENCY" | "dependency",
        /// Account.
        Account = "Account" | "ACCOUNT" | "account",
        /// Partition, or several.
        Partition = "Partition" | "PARTITION" | "partition",
        /// Quality of service.
        Qos = "QOS" | "qos",
        /// Nodes on which the job runs.
        NodeList = "NodeList" | "NODELIST" | "nodes",
        /// Resources that were requested, as in `cpu=4,mem=8G,gres/gpu=1`.
        ReqTres = "ReqTRES" | "tres_req_str",
        /// Resources that were allocated.
        AllocTres = "AllocTRES" | "TRES" | "TRES_ALLOC" | "tres_alloc_str",
        /// Resources of each node, as in `gres/gpu:2`.
        TresPerNode = "TresPerNode" | "TRES_PER_NODE" | "tres_per_node",
        /// Features that the nodes must have.
        Features = "Features" | "FEATURES" | "Constraints" | "features",
        /// Reservation in which the job runs.
        Reservation = "Reservation" | "RESERVATION" | "resv_name",
    }
}

/// Error in a state: the job, the field, and the cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Line of the file, or index of the job for JSON, from 1.
    pub place: usize,
    /// Job, if it is known.
    pub job: Option<String>,
    /// Description of the error, which begins with the name of the field.
    pub message: String,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.job {
            Some(job) => write!(f, "line {}, job `{job}`: {}", self.place, self.message),
            None => write!(f, "line {}: {}", self.place, self.message),
        }
    }
}
