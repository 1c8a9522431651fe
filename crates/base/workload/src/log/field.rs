//! The 18 fields by name, for messages.

/// A field of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "described at the fields of `Record`, which have the same names")]
pub enum Field {
    Job = 1,
    Submit,
    Wait,
    RunTime,
    AllocatedProcessors,
    CpuTime,
    UsedMemory,
    RequestedProcessors,
    RequestedTime,
    RequestedMemory,
    Status,
    User,
    Group,
    Executable,
    Queue,
    Partition,
    PrecedingJob,
    ThinkTime,
}

impl Field {
    /// How many fields a line has.
    pub const COUNT: usize = 18;
    /// All of them, in the order of a line.
    pub const ALL: [Field; Field::COUNT] = [
        Field::Job,
        Field::Submit,
        Field::Wait,
        Field::RunTime,
        Field::AllocatedProcessors,
        Field::CpuTime,
        Field::UsedMemory,
        Field::RequestedProcessors,
        Field::RequestedTime,
        Field::RequestedMemory,
        Field::Status,
        Field::User,
        Field::Group,
        Field::Executable,
        Field::Queue,
        Field::Partition,
        Field::PrecedingJob,
        Field::ThinkTime,
    ];

    /// Its place in the line, from 1.
    #[must_use]
    pub const fn number(self) -> usize {
        self as usize
    }
    /// Its name in the format's definition.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Field::Job => "job number",
            Field::Submit => "submit time",
            Field::Wait => "wait time",
            Field::RunTime => "run time",
            Field::AllocatedProcessors => "allocated processors",
            Field::CpuTime => "average CPU time",
            Field::UsedMemory => "used memory",
            Field::RequestedProcessors => "requested processors",
            Field::RequestedTime => "requested time",
            Field::RequestedMemory => "requested memory",
            Field::Status => "status",
            Field::User => "user",
            Field::Group => "group",
            Field::Executable => "executable",
            Field::Queue => "queue",
            Field::Partition => "partition",
            Field::PrecedingJob => "preceding job",
            Field::ThinkTime => "think time",
        }
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
