//! Forms of the values in the columns of `sacct`, by which fields with delimiters are recognised.

use super::amounts::{is_never, memory, span};
use super::state::State;
use crate::formats::times::timestamp;

/// Form of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnForm {
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
const COLUMNS: &[(&str, ColumnForm)] = &[
    ("Account", ColumnForm::Plain),
    ("AdminComment", ColumnForm::Free),
    ("AllocCPUS", ColumnForm::Number),
    ("AllocGRES", ColumnForm::Plain),
    ("AllocNodes", ColumnForm::Number),
    ("AllocTRES", ColumnForm::Resources),
    ("AssocID", ColumnForm::Number),
    ("AveCPU", ColumnForm::Plain),
    ("AveCPUFreq", ColumnForm::Plain),
    ("AveDiskRead", ColumnForm::Plain),
    ("AveDiskWrite", ColumnForm::Plain),
    ("AvePages", ColumnForm::Plain),
    ("AveRSS", ColumnForm::Plain),
    ("AveVMSize", ColumnForm::Plain),
    ("BlockID", ColumnForm::Plain),
    ("Cluster", ColumnForm::Plain),
    ("Comment", ColumnForm::Free),
    ("Constraints", ColumnForm::Features),
    ("ConsumedEnergy", ColumnForm::Plain),
    ("ConsumedEnergyRaw", ColumnForm::Plain),
    ("Container", ColumnForm::Free),
    ("CPUTime", ColumnForm::Duration),
    ("CPUTimeRAW", ColumnForm::Number),
    ("DBIndex", ColumnForm::Number),
    ("DerivedExitCode", ColumnForm::Plain),
    ("Elapsed", ColumnForm::Duration),
    ("ElapsedRaw", ColumnForm::Number),
    ("Eligible", ColumnForm::Time),
    ("End", ColumnForm::Time),
    ("ExitCode", ColumnForm::Plain),
    ("Extra", ColumnForm::Free),
    ("FailedNode", ColumnForm::Plain),
    ("Flags", ColumnForm::Plain),
    ("GID", ColumnForm::Number),
    ("Group", ColumnForm::Plain),
    ("JobID", ColumnForm::JobId),
    ("JobIDRaw", ColumnForm::JobId),
    ("JobName", ColumnForm::Free),
    ("Layout", ColumnForm::Plain),
    ("Licenses", ColumnForm::Plain),
    ("MaxDiskRead", ColumnForm::Plain),
    ("MaxDiskReadNode", ColumnForm::Plain),
    ("MaxDiskReadTask", ColumnForm::Plain),
    ("MaxDiskWrite", ColumnForm::Plain),
    ("MaxDiskWriteNode", ColumnForm::Plain),
    ("MaxDiskWriteTask", ColumnForm::Plain),
    ("MaxPages", ColumnForm::Plain),
    ("MaxPagesNode", ColumnForm::Plain),
    ("MaxPagesTask", ColumnForm::Plain),
    ("MaxRSS", ColumnForm::Plain),
    ("MaxRSSNode", ColumnForm::Plain),
    ("MaxRSSTask", ColumnForm::Plain),
    ("MaxVMSize", ColumnForm::Plain),
    ("MaxVMSizeNode", ColumnForm::Plain),
    ("MaxVMSizeTask", ColumnForm::Plain),
    ("McsLabel", ColumnForm::Plain),
    ("MinCPU", ColumnForm::Plain),
    ("MinCPUNode", ColumnForm::Plain),
    ("MinCPUTask", ColumnForm::Plain),
    ("NCPUS", ColumnForm::Number),
    ("NNodes", ColumnForm::Number),
    ("NodeList", ColumnForm::Plain),
    ("NTasks", ColumnForm::Number),
    ("Partition", ColumnForm::Plain),
    ("Planned", ColumnForm::Duration),
    ("PlannedCPU", ColumnForm::Duration),
    ("PlannedCPURAW", ColumnForm::Plain),
    ("Priority", ColumnForm::Number),
    ("QOS", ColumnForm::Plain),
    ("QOSRAW", ColumnForm::Number),
    ("QOSREQ", ColumnForm::Plain),
    ("Reason", ColumnForm::Plain),
    ("ReqCPUFreq", ColumnForm::Plain),
    ("ReqCPUFreqGov", ColumnForm::Plain),
    ("ReqCPUFreqMax", ColumnForm::Plain),
    ("ReqCPUFreqMin", ColumnForm::Plain),
    ("ReqCPUS", ColumnForm::Number),
    ("ReqGRES", ColumnForm::Plain),
    ("ReqMem", ColumnForm::Memory),
    ("ReqNodes", ColumnForm::Number),
    ("ReqReservation", ColumnForm::Plain),
    ("ReqTRES", ColumnForm::Resources),
    ("Reservation", ColumnForm::Plain),
    ("ReservationId", ColumnForm::Plain),
    ("Reserved", ColumnForm::Duration),
    ("Restarts", ColumnForm::Number),
    ("ResvCPU", ColumnForm::Duration),
    ("ResvCPURAW", ColumnForm::Plain),
    ("SegmentSize", ColumnForm::Number),
    ("SLUID", ColumnForm::Plain),
    ("Start", ColumnForm::Time),
    ("State", ColumnForm::State),
    ("StdErr", ColumnForm::Free),
    ("StdIn", ColumnForm::Free),
    ("StdOut", ColumnForm::Free),
    ("Submit", ColumnForm::Time),
    ("SubmitLine", ColumnForm::Command),
    ("Suspended", ColumnForm::Duration),
    ("SystemComment", ColumnForm::Free),
    ("SystemCPU", ColumnForm::Duration),
    ("Timelimit", ColumnForm::Plain),
    ("TimelimitRaw", ColumnForm::Plain),
    ("TotalCPU", ColumnForm::Duration),
    ("TRESUsageInAve", ColumnForm::Plain),
    ("TRESUsageInMax", ColumnForm::Plain),
    ("TRESUsageInMaxNode", ColumnForm::Plain),
    ("TRESUsageInMaxTask", ColumnForm::Plain),
    ("TRESUsageInMin", ColumnForm::Plain),
    ("TRESUsageInMinNode", ColumnForm::Plain),
    ("TRESUsageInMinTask", ColumnForm::Plain),
    ("TRESUsageInTot", ColumnForm::Plain),
    ("TRESUsageOutAve", ColumnForm::Plain),
    ("TRESUsageOutMax", ColumnForm::Plain),
    ("TRESUsageOutMaxNode", ColumnForm::Plain),
    ("TRESUsageOutMaxTask", ColumnForm::Plain),
    ("TRESUsageOutMin", ColumnForm::Plain),
    ("TRESUsageOutMinNode", ColumnForm::Plain),
    ("TRESUsageOutMinTask", ColumnForm::Plain),
    ("TRESUsageOutTot", ColumnForm::Plain),
    ("UID", ColumnForm::Number),
    ("User", ColumnForm::Plain),
    ("UserCPU", ColumnForm::Duration),
    ("WCKey", ColumnForm::Plain),
    ("WCKeyID", ColumnForm::Number),
    ("WorkDir", ColumnForm::Free),
];

/// Returns the form of the values of a column; [`ColumnForm::Plain`] for columns that `sacct` does not
/// have.
pub(super) fn form_of(column: &str) -> ColumnForm {
    let known = COLUMNS.iter().find(|(name, _)| name.eq_ignore_ascii_case(column));
    known.map_or(ColumnForm::Plain, |(_, form)| *form)
}

/// Returns the only column of `sacct` whose name is, or begins with, a text.
pub(super) fn column_beginning_with(text: &str) -> Option<&'static str> {
    let begins = |name: &str| name.get(..text.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(text));
    let mut found = COLUMNS.iter().map(|(name, _)| *name).filter(|name| begins(name));
    let first = found.next()?;
    (first.len() == text.len() || found.next().is_none()).then_some(first)
}

impl ColumnForm {
    /// Returns whether values may have delimiters.
    pub(super) fn is_free(self) -> bool {
        matches!(self, ColumnForm::Free | ColumnForm::Features | ColumnForm::Command)
    }

    /// Returns whether a text may be a value of this form. Without `strict`, commands and features
    /// may be any text.
    pub(super) fn admits(self, text: &str, delimiter: char, strict: bool) -> bool {
        let text = text.trim();
        if text.is_empty() {
            return !matches!(self, ColumnForm::JobId | ColumnForm::State | ColumnForm::Time);
        }
        match self {
            ColumnForm::Plain | ColumnForm::Free => true,
            ColumnForm::Features => {
                let is_part = |letter: char| {
                    letter.is_alphanumeric() || letter == delimiter || "_-.:&|*[](),=/+".contains(letter)
                };
                let is_whole = !text.starts_with(delimiter) && !text.ends_with(delimiter);
                !strict || text == "(null)" || is_whole && text.chars().all(is_part)
            }
            ColumnForm::Command => {
                let word = text.split_whitespace().next().unwrap_or_default();
                let program = word.rsplit('/').next().unwrap_or(word);
                !strict || ["sbatch", "srun", "salloc", "scrontab", "scrun"].contains(&program)
            }
            ColumnForm::JobId => text.starts_with(|first: char| first.is_ascii_digit()),
            ColumnForm::State => State::of(text).is_some(),
            ColumnForm::Time => is_never(text) || timestamp(text).is_some(),
            ColumnForm::Duration => {
                span(text).is_some() || text.parse::<f64>().is_ok() || text == "INVALID" || text == "None"
            }
            ColumnForm::Number => text.parse::<f64>().is_ok(),
            ColumnForm::Memory => memory(text).is_some(),
            ColumnForm::Resources => text.split(',').all(|part| part.contains('=')),
        }
    }
}
