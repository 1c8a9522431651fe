//! The 18 fields by name, for messages.

use dfrsim_model::named;

named! {
    /// A field of a line, by its name in the format's definition.
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
    /// How many fields a line has.
    pub const COUNT: usize = Field::ALL.len();

    /// Its place in the line, from 1.
    #[must_use]
    pub const fn number(self) -> usize {
        self as usize + 1
    }
    /// The allowed values.
    #[must_use]
    pub const fn expected(self) -> &'static str {
        match self {
            Field::Job => "a whole number, not negative",
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
