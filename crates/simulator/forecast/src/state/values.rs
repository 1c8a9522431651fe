//! Values of fields: times, durations, sizes and states, as Slurm writes them.

use dfrsim_workload::formats::times;

/// Largest duration that is accepted, in seconds: three centuries.
const MAX_DURATION: u64 = 10_000_000_000;

/// State of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The job waits.
    Pending,
    /// The job has nodes.
    Running,
    /// The job has ended.
    Ended,
}

/// Parses a time of Slurm after 1970 into seconds since then, as if it were UTC.
pub(super) fn timestamp(text: &str) -> Option<i64> {
    times::timestamp(text).filter(|&seconds| seconds > 0)
}

/// Parses a duration of Slurm, such as a time limit, into seconds.
pub fn duration(text: &str) -> Option<u64> {
    times::duration(text).filter(|&seconds| seconds <= MAX_DURATION)
}

/// Parses a size, of which the first number counts if it is a range, as in `2-4`.
pub(super) fn size(text: &str) -> Option<u32> {
    let first = text.split('-').next().unwrap_or_default();
    first.parse().ok().filter(|&size| size > 0)
}

/// Parses a state of a job; `None` if it is unknown.
pub(super) fn phase(text: &str) -> Option<Phase> {
    let word = text.split([' ', '+']).next().unwrap_or_default();
    Some(match word {
        "PENDING" | "PD" | "REQUEUED" | "RQ" | "REQUEUE_HOLD" | "RH" | "REQUEUE_FED" | "RF" => Phase::Pending,
        "RUNNING" | "R" | "COMPLETING" | "CG" | "CONFIGURING" | "CF" | "SUSPENDED" | "S" | "STOPPED"
        | "ST" | "SIGNALING" | "SI" | "RESIZING" | "RS" => Phase::Running,
        "COMPLETED" | "CD" | "CANCELLED" | "CA" | "FAILED" | "F" | "TIMEOUT" | "TO" | "NODE_FAIL" | "NF"
        | "PREEMPTED" | "PR" | "OUT_OF_MEMORY" | "OOM" | "BOOT_FAIL" | "BF" | "DEADLINE" | "DL"
        | "REVOKED" | "RV" | "SPECIAL_EXIT" | "SE" => Phase::Ended,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_slurm_writes_them() {
        assert_eq!(duration("30"), Some(1_800));
        assert_eq!(duration("2:03"), Some(123));
        assert_eq!(duration("1-02:03:04"), Some(93_784));
        assert_eq!(duration("2-12"), Some(216_000));
        assert_eq!([duration(""), duration("UNLIMITED"), duration("1-2-3")], [None; 3]);
        assert_eq!(timestamp("1970-01-02T00:00:01"), Some(86_401));
        assert_eq!([timestamp("N/A"), timestamp("Unknown"), timestamp("0")], [None; 3]);
        assert_eq!([size("4"), size("2-4"), size("0"), size("")], [Some(4), Some(2), None, None]);
        assert_eq!(phase("CANCELLED by 7"), Some(Phase::Ended));
        assert_eq!(phase("PD"), Some(Phase::Pending));
        assert_eq!(phase("WAITING"), None);
    }
}
