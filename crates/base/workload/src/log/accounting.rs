//! The outcome of the lines of accounting.

/// How many lines and jobs of accounting are of a kind that other logs do not have. Every line of a listing of Slurm is a step, a
/// job that had not ended, a broken line or a record; every line of PBS is the last one of a record, an event of a job, a line
/// of something else or a broken line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accounting {
    /// Steps of jobs, which are not jobs.
    pub steps: u64,
    /// Jobs that still waited, ran or were suspended, which are left out. What waits of an array is one line.
    pub unended: u64,
    /// Records of jobs that ended before they started.
    pub unstarted: u64,
    /// Records of runs that ended in a requeue.
    pub requeued: u64,
    /// Records of jobs that were suspended for a time, which their run times do not contain.
    pub suspended: u64,
    /// Records of tasks of arrays.
    pub array_tasks: u64,
    /// Records of components of heterogeneous jobs.
    pub components: u64,
    /// Lines of PBS about jobs that have a record or none: that they were queued, started, changed, or were to be deleted.
    pub events: u64,
    /// Lines of PBS that are about no job: licences, reservations, arrays as a whole.
    pub others: u64,
    /// Records of which the submission, the start or the end is the time of a line, since no attribute says it.
    pub guessed_times: u64,
    /// Records of jobs without processors, which are taken to have one.
    pub guessed_sizes: u64,
    /// Records of jobs that depend on another one.
    pub dependent: u64,
    /// Records of jobs that ran in reservations, which here have no nodes of their own.
    pub reserved: u64,
    /// Records of jobs with GPUs, for which a log has no field.
    pub with_gpus: u64,
}

impl Accounting {
    /// What a user should know, in words.
    pub(super) fn notices(&self) -> impl Iterator<Item = String> {
        let counts = [
            ("lines of steps", self.steps),
            ("jobs that had not ended, left out", self.unended),
            ("jobs that never started", self.unstarted),
            ("runs that ended in a requeue", self.requeued),
            ("jobs that were suspended, whose run times are without that", self.suspended),
            ("tasks of arrays", self.array_tasks),
            ("components of heterogeneous jobs", self.components),
            ("lines of events of jobs", self.events),
            ("lines of licences, reservations and arrays as a whole", self.others),
            ("jobs with a time of their lines, since no attribute says it", self.guessed_times),
            ("jobs without processors, taken to have one", self.guessed_sizes),
            ("jobs that depend on another one", self.dependent),
            ("jobs of reservations, which start beside others", self.reserved),
            ("jobs with GPUs, which count on nodes that have some", self.with_gpus),
        ];
        let met = counts.into_iter().filter(|(_, number)| *number > 0);
        met.map(|(what, number)| format!("{what}: {number}"))
    }
}
