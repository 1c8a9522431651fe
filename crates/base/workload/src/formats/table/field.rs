//! Fields of a job that a map describes.

use dfrsim_model::named;

named! {
    /// A field of a job, with its name in maps.
    pub enum JobField as "field of a job" {
        /// Id of the job.
        Number = "number",
        /// Submit time.
        Submit = "submit",
        /// Start time; absent in rows of jobs that never started.
        Start = "start",
        /// End time.
        End = "end",
        /// Time from the submission to the start; used if there is no start time.
        Wait = "wait",
        /// Run time; without it, the time from the start to the end.
        RunTime = "run_time",
        /// Number of allocated processors.
        Processors = "processors",
        /// Number of requested processors.
        RequestedProcessors = "requested_processors",
        /// Requested run time.
        RequestedTime = "requested_time",
        /// Requested memory.
        Memory = "memory",
        /// Used memory.
        UsedMemory = "used_memory",
        /// Number of GPUs.
        Gpus = "gpus",
        /// Part of each GPU, from 0 to 1; a job without it has whole ones.
        GpuPart = "gpu_part",
        /// Name of a part of each GPU, such as the profile of a MIG GPU.
        GpuProfile = "gpu_profile",
        /// Features that the nodes must have; alternatives are separated by `|`.
        Features = "features",
        /// Number of nodes.
        Nodes = "nodes",
        /// Name of the user.
        User = "user",
        /// Name of the group or account.
        Group = "group",
        /// Name of the queue or quality of service.
        Queue = "queue",
        /// Name of the partition.
        Partition = "partition",
        /// Name of the job.
        Name = "name",
        /// Final state.
        Status = "status",
    }
}

/// Kind of the values of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    Time,
    Duration,
    Count,
    Memory,
    Text,
    Status,
}

impl JobField {
    pub(super) const fn quantity(self) -> Quantity {
        match self {
            JobField::Submit | JobField::Start | JobField::End => Quantity::Time,
            JobField::Wait | JobField::RunTime | JobField::RequestedTime => Quantity::Duration,
            JobField::Processors
            | JobField::RequestedProcessors
            | JobField::Gpus
            | JobField::GpuPart
            | JobField::Nodes => Quantity::Count,
            JobField::Memory | JobField::UsedMemory => Quantity::Memory,
            JobField::Number
            | JobField::User
            | JobField::Group
            | JobField::Queue
            | JobField::Partition
            | JobField::Features
            | JobField::GpuProfile
            | JobField::Name => Quantity::Text,
            JobField::Status => Quantity::Status,
        }
    }
}
