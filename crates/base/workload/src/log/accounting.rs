//! Counts of the lines and jobs of accounting data.

/// Counts of lines and jobs of kinds that only accounting data have.
///
/// Every line of a Slurm listing is a step, a job that had not ended, an invalid line or a record.
/// Every line of PBS accounting is the last one of a record, an event of a job, a line that is not
/// about a job, or an invalid line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accounting {
    /// Job steps, which are not separate jobs.
    pub steps: u64,
    /// Jobs that were still pending, running or suspended; they are skipped. The pending tasks of an
    /// array are one line.
    pub unended: u64,
    /// Records of jobs that ended before they started.
    pub unstarted: u64,
    /// Records of runs that ended in a requeue.
    pub requeued: u64,
    /// Records of jobs that were suspended for some time; their run times exclude it.
    pub suspended: u64,
    /// Records of array tasks.
    pub array_tasks: u64,
    /// Records of components of heterogeneous jobs.
    pub components: u64,
    /// PBS lines about events of jobs, such as queueing, start, change or a request for deletion.
    pub events: u64,
    /// PBS lines that are not about a job: licences, reservations, arrays as a whole.
    pub others: u64,
    /// Records whose submit, start or end time is the time stamp of a line, since no attribute has
    /// it.
    pub guessed_times: u64,
    /// Records of jobs without processors, which are assumed to have one.
    pub guessed_sizes: u64,
    /// Records of jobs with dependencies.
    pub dependent: u64,
    /// Records of jobs that ran in reservations; the simulation does not reserve nodes for them.
    pub reserved: u64,
    /// Records of jobs with GPUs, for which the record has no field.
    pub with_gpus: u64,
}

impl Accounting {
    /// Formats the counts above 0 as notices for the user.
    pub(super) fn notices(&self) -> impl Iterator<Item = String> {
        let counts = [
            ("lines of steps", self.steps),
            ("jobs that had not ended, left out", self.unended),
            ("jobs that never started", self.unstarted),
            ("runs that ended in a requeue", self.requeued),
            ("jobs that were suspended; their run times exclude it", self.suspended),
            ("tasks of arrays", self.array_tasks),
            ("components of heterogeneous jobs", self.components),
            ("lines of events of jobs", self.events),
            ("lines of licences, reservations and arrays as a whole", self.others),
            ("jobs with a time from a line's time stamp, as no attribute gives it", self.guessed_times),
            ("jobs without processors, assumed to have one", self.guessed_sizes),
            ("jobs that depend on another one", self.dependent),
            ("jobs of reservations, scheduled like any other jobs", self.reserved),
            ("jobs with GPUs; the GPUs count on nodes that have some", self.with_gpus),
        ];
        let met = counts.into_iter().filter(|(_, number)| *number > 0);
        met.map(|(what, number)| format!("{what}: {number}"))
    }
}
