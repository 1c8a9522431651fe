//! Time, job and order of records.

use dfrsim_model::event::Record;

/// Order of records of the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// A job ends.
    #[default]
    Completion,
    /// Nodes go down or come up.
    Platform,
    /// A job is submitted.
    Submission,
    /// The policy changes a job.
    Change,
}

/// Common fields of all records that have a time.
#[derive(Clone, Copy, Debug)]
pub struct RecordHead {
    /// Time in microseconds.
    pub at: u64,
    /// Number of the job, by submission from 0; `None` for records of nodes.
    pub job: Option<u64>,
    /// Name of the record.
    pub name: &'static str,
    /// Position among the records of the same time.
    pub rank: Rank,
}

impl RecordHead {
    /// Returns the common fields; `None` for a record of the whole file.
    pub fn of(record: &Record<'_>) -> Option<RecordHead> {
        let head = |at: u64, job, name, rank| Some(RecordHead { at, job, name, rank });
        let of_job = |at: u64, job: u64, name, rank| head(at, Some(job), name, rank);
        match *record {
            Record::Run { .. }
            | Record::Platform { .. }
            | Record::Begin { .. }
            | Record::Priority { .. }
            | Record::Classes { .. }
            | Record::Series { .. }
            | Record::Energy { .. }
            | Record::Figures { .. }
            | Record::Summary { .. } => None,
            Record::Complete { at_us, job } => of_job(at_us, job, "complete", Rank::Completion),
            Record::Window { at_us, .. } => head(at_us, None, "window", Rank::Platform),
            Record::Down { at_us, .. } => head(at_us, None, "down", Rank::Platform),
            Record::Up { at_us, .. } => head(at_us, None, "up", Rank::Platform),
            Record::Drain { at_us, .. } => head(at_us, None, "drain", Rank::Platform),
            Record::Undrain { at_us, .. } => head(at_us, None, "undrain", Rank::Platform),
            Record::Interrupt { at_us, job, .. } => of_job(at_us, job, "interrupt", Rank::Platform),
            Record::Lose { at_us, job } => of_job(at_us, job, "lose", Rank::Platform),
            Record::Submit { at_us, job, .. } => of_job(at_us, job, "submit", Rank::Submission),
            Record::Link { at_us, job, .. } => of_job(at_us, job, "link", Rank::Submission),
            Record::Ask { at_us, job, .. } => of_job(at_us, job, "ask", Rank::Submission),
            Record::Start { at_us, job, .. } => of_job(at_us, job, "start", Rank::Change),
            Record::Bind { at_us, job, .. } => of_job(at_us, job, "bind", Rank::Change),
            Record::Wake { at_us, job, .. } => of_job(at_us, job, "wake", Rank::Change),
            Record::Resume { at_us, job, .. } => of_job(at_us, job, "resume", Rank::Change),
            Record::Migrate { at_us, job, .. } => of_job(at_us, job, "migrate", Rank::Change),
            Record::Yield { at_us, job, .. } => of_job(at_us, job, "yield", Rank::Change),
            Record::Pause { at_us, job } => of_job(at_us, job, "pause", Rank::Change),
            Record::Reject { at_us, job } => of_job(at_us, job, "reject", Rank::Change),
            Record::Kill { at_us, job } => of_job(at_us, job, "kill", Rank::Change),
        }
    }
}
