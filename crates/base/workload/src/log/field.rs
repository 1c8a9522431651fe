//! The 18 fields of SWF, with their names in messages.

use dfrsim_model::named;

named! {
    /// A field of a line, with its name in the definition of the format.
    #[expect(missing_docs, reason = "described at the fields of `Record`, which have the same names")]
    pub enum Field as "field" {
        Job = "job number",
        Submit = "submit time",
        Wait = "wait time",
        RunTime = "run time",
        AllocatedProcessors = "allocated processors",
        CpuTime = "average CPU time",
        UsedMemory = "used memory",
        RequestedProcessors = "requested processors",
        RequestedTime = "requested time",
        RequestedMemory = "requested memory",
        Status = "status",
        User = "user",
        Group = "group",
        Executable = "executable",
        Queue = "queue",
        Partition = "partition",
        PrecedingJob = "preceding job",
        ThinkTime = "think time",
    }
}

impl Field {
    /// Number of fields of a line.
    pub const COUNT: usize = Field::ALL.len();

    /// Returns the position of the field in the line, from 1.
    #[must_use]
    pub const fn number(self) -> usize {
        self as usize + 1
    }
    /// Describes the valid values.
    #[must_use]
    pub const fn expected(self) -> &'static str {
        match self {
            Field::Job => "a non-negative whole number",
            Field::Submit => "a number of seconds from 0 to 16,000,000,000",
            Field::Wait | Field::RunTime | Field::CpuTime | Field::RequestedTime | Field::ThinkTime => {
                "a number of seconds (at most 16,000,000,000) or -1"
            }
            Field::UsedMemory | Field::RequestedMemory => "a number of kilobytes or -1",
            Field::AllocatedProcessors | Field::RequestedProcessors => {
                "a whole number of processors (at most 4,294,967,295) or -1"
            }
            Field::Status => "a status from 0 to 5 or -1",
            Field::User | Field::Group | Field::Executable | Field::Queue | Field::Partition => {
                "a whole number (at most 4,294,967,295) or -1"
            }
            Field::PrecedingJob => "a job number or -1",
        }
    }
}
