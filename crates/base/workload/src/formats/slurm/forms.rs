//! Forms of the values in the columns of `sacct`, by which fields with delimiters are recognised.

use super::amounts::{is_never, memory, span};
use super::state::State;
use crate::formats::moment::timestamp;

/// Form of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A name or anything else without delimiters.
    Plain,
    /// Any text.
    Free,
    /// An expression of features.
    Features,
    /// The line of a command.
    Command,
    JobId,
    State,
    Time,
    Duration,
    Number,
    Memory,
    Resources,
}

/// Names of the columns of `sacct` (Slurm 19.05 to 25.05), with the form of their values.
const COLUMNS: &[(&str, Form)] = &[
    ("Account", Form::Plain),
    ("AdminComment", Form::Free),
    ("AllocCPUS", Form::Number),
    ("AllocGRES", Form::Plain),
    ("AllocNodes", Form::Number),
    ("AllocTRES", Form::Resources),
    ("AssocID", Form::Number),
    ("AveCPU", Form::Plain),
    ("AveCPUFreq", Form::Plain),
    ("AveDiskRead", Form::Plain),
    ("AveDiskWrite", Form::Plain),
    ("AvePages", Form::Plain),
    ("AveRSS", Form::Plain),
    ("AveVMSize", Form::Plain),
    ("BlockID", Form::Plain),
    ("Cluster", Form::Plain),
    ("Comment", Form::Free),
    ("Constraints", Form::Features),
    ("ConsumedEnergy", Form::Plain),
    ("ConsumedEnergyRaw", Form::Plain),
    ("Container", Form::Free),
    ("CPUTime", Form::Duration),
    ("CPUTimeRAW", Form::Number),
    ("DBIndex", Form::Number),
    ("DerivedExitCode", Form::Plain),
    ("Elapsed", Form::Duration),
    ("ElapsedRaw", Form::Number),
    ("Eligible", Form::Time),
    ("End", Form::Time),
    ("ExitCode", Form::Plain),
    ("Extra", Form::Free),
    ("FailedNode", Form::Plain),
    ("Flags", Form::Plain),
    ("GID", Form::Number),
    ("Group", Form::Plain),
    ("JobID", Form::JobId),
    ("JobIDRaw", Form::JobId),
    ("JobName", Form::Free),
    ("Layout", Form::Plain),
    ("Licenses", Form::Plain),
    ("MaxDiskRead", Form::Plain),
    ("MaxDiskReadNode", Form::Plain),
    ("MaxDiskReadTask", Form::Plain),
    ("MaxDiskWrite", Form::Plain),
    ("MaxDiskWriteNode", Form::Plain),
    ("MaxDiskWriteTask", Form::Plain),
    ("MaxPages", Form::Plain),
    ("MaxPagesNode", Form::Plain),
    ("MaxPagesTask", Form::Plain),
    ("MaxRSS", Form::Plain),
    ("MaxRSSNode", Form::Plain),
    ("MaxRSSTask", Form::Plain),
    ("MaxVMSize", Form::Plain),
    ("MaxVMSizeNode", Form::Plain),
    ("MaxVMSizeTask", Form::Plain),
    ("McsLabel", Form::Plain),
    ("MinCPU", Form::Plain),
    ("MinCPUNode", Form::Plain),
    ("MinCPUTask", Form::Plain),
    ("NCPUS", Form::Number),
    ("NNodes", Form::Number),
    ("NodeList", Form::Plain),
    ("NTasks", Form::Number),
    ("Partition", Form::Plain),
    ("Planned", Form::Duration),
    ("PlannedCPU", Form::Duration),
    ("PlannedCPURAW", Form::Plain),
    ("Priority", Form::Number),
    ("QOS", Form::Plain),
    ("QOSRAW", Form::Number),
    ("QOSREQ", Form::Plain),
    ("Reason", Form::Plain),
    ("ReqCPUFreq", Form::Plain),
    ("ReqCPUFreqGov", Form::Plain),
    ("ReqCPUFreqMax", Form::Plain),
    ("ReqCPUFreqMin", Form::Plain),
    ("ReqCPUS", Form::Number),
    ("ReqGRES", Form::Plain),
    ("ReqMem", Form::Memory),
    ("ReqNodes", Form::Number),
    ("ReqReservation", Form::Plain),
    ("ReqTRES", Form::Resources),
    ("Reservation", Form::Plain),
    ("ReservationId", Form::Plain),
    ("Reserved", Form::Duration),
    ("Restarts", Form::Number),
    ("ResvCPU", Form::Duration),
    ("ResvCPURAW", Form::Plain),
    ("SegmentSize", Form::Number),
    ("SLUID", Form::Plain),
    ("Start", Form::Time),
    ("State", Form::State),
    ("StdErr", Form::Free),
    ("StdIn", Form::Free),
    ("StdOut", Form::Free),
    ("Submit", Form::Time),
    ("SubmitLine", Form::Command),
    ("Suspended", Form::Duration),
    ("SystemComment", Form::Free),
    ("SystemCPU", Form::Duration),
    ("Timelimit", Form::Plain),
    ("TimelimitRaw", Form::Plain),
    ("TotalCPU", Form::Duration),
    ("TRESUsageInAve", Form::Plain),
    ("TRESUsageInMax", Form::Plain),
    ("TRESUsageInMaxNode", Form::Plain),
    ("TRESUsageInMaxTask", Form::Plain),
    ("TRESUsageInMin", Form::Plain),
    ("TRESUsageInMinNode", Form::Plain),
    ("TRESUsageInMinTask", Form::Plain),
    ("TRESUsageInTot", Form::Plain),
    ("TRESUsageOutAve", Form::Plain),
    ("TRESUsageOutMax", Form::Plain),
    ("TRESUsageOutMaxNode", Form::Plain),
    ("TRESUsageOutMaxTask", Form::Plain),
    ("TRESUsageOutMin", Form::Plain),
    ("TRESUsageOutMinNode", Form::Plain),
    ("TRESUsageOutMinTask", Form::Plain),
    ("TRESUsageOutTot", Form::Plain),
    ("UID", Form::Number),
    ("User", Form::Plain),
    ("UserCPU", Form::Duration),
    ("WCKey", Form::Plain),
    ("WCKeyID", Form::Number),
    ("WorkDir", Form::Free),
];

/// Returns the form of the values of a column; [`Form::Plain`] for columns that `sacct` does not
/// have.
pub(super) fn form_of(column: &str) -> Form {
    let known = COLUMNS.iter().find(|(name, _)| name.eq_ignore_ascii_case(column));
    known.map_or(Form::Plain, |(_, form)| *form)
}

/// Returns the only column of `sacct` whose name is, or begins with, a text.
pub(super) fn column_beginning_with(text: &str) -> Option<&'static str> {
    let begins = |name: &str| name.get(..text.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(text));
    let mut found = COLUMNS.iter().map(|(name, _)| *name).filter(|name| begins(name));
    let first = found.next()?;
    (first.len() == text.len() || found.next().is_none()).then_some(first)
}

impl Form {
    /// Returns whether values may have delimiters.
    pub(super) fn is_free(self) -> bool {
        matches!(self, Form::Free | Form::Features | Form::Command)
    }

    /// Returns whether a text may be a value of this form. Without `strict`, commands and features
    /// may be any text.
    pub(super) fn admits(self, text: &str, delimiter: char, strict: bool) -> bool {
        let text = text.trim();
        if text.is_empty() {
            return !matches!(self, Form::JobId | Form::State | Form::Time);
        }
        match self {
            Form::Plain | Form::Free => true,
            Form::Features => {
                let is_part = |letter: char| {
                    letter.is_alphanumeric() || letter == delimiter || "_-.:&|*[](),=/+".contains(letter)
                };
                let is_whole = !text.starts_with(delimiter) && !text.ends_with(delimiter);
                !strict || text == "(null)" || is_whole && text.chars().all(is_part)
            }
            Form::Command => {
                let word = text.split_whitespace().next().unwrap_or_default();
                let program = word.rsplit('/').next().unwrap_or(word);
                !strict || ["sbatch", "srun", "salloc", "scrontab", "scrun"].contains(&program)
            }
            Form::JobId => text.starts_with(|first: char| first.is_ascii_digit()),
            Form::State => State::of(text).is_some(),
            Form::Time => is_never(text) || timestamp(text).is_some(),
            Form::Duration => {
                span(text).is_some() || text.parse::<f64>().is_ok() || text == "INVALID" || text == "None"
            }
            Form::Number => text.parse::<f64>().is_ok(),
            Form::Memory => memory(text).is_some(),
            Form::Resources => text.split(',').all(|part| part.contains('=')),
        }
    }
}
