//! The outcome of the lines of a listing of jobs.

/// How many lines and jobs of a listing of Slurm are of a kind that other logs do not have: every line is a step, a job that had
/// not ended, a broken line or a record.
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
    /// Records of components of heterogeneous jobs, which here start one by one.
    pub components: u64,
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
            ("components of heterogeneous jobs, which start one by one", self.components),
            ("jobs with GPUs, which are not kept", self.with_gpus),
        ];
        let met = counts.into_iter().filter(|(_, number)| *number > 0);
        met.map(|(what, number)| format!("{what}: {number}"))
    }
}
