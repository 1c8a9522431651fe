//! States of jobs.

use crate::log::Status;

/// State of a job in a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The job waits.
    Pending,
    /// The job has nodes.
    Running,
    /// The run has ended early, and the job may have been requeued.
    Interrupted,
    /// The run has ended in a requeue.
    Requeued,
    /// The job has ended.
    Ended(Status),
}

impl State {
    /// Parses a state of `sacct`, also with words behind it, as in `CANCELLED by 1003`; `None` if
    /// it is unknown. A name that is cut, as in `OUT_OF_ME+`, is that of the only state that begins
    /// so.
    pub(super) fn of(text: &str) -> Option<State> {
        let word = text.split_whitespace().next().unwrap_or_default();
        let begin = word.split('+').next().unwrap_or_default();
        let known = |name: &&(&str, State)| name.0 == begin;
        let cut = |name: &&(&str, State)| begin.len() >= 8 && name.0.starts_with(begin);
        let found =
            STATES.iter().find(known).or_else(|| STATES.iter().find(cut).filter(|_| word.ends_with('+')));
        found.map(|(_, state)| *state)
    }
}

const STATES: &[(&str, State)] = &[
    ("COMPLETED", State::Ended(Status::Completed)),
    ("CANCELLED", State::Ended(Status::Cancelled)),
    ("REVOKED", State::Ended(Status::Cancelled)),
    ("FAILED", State::Ended(Status::Failed)),
    ("TIMEOUT", State::Ended(Status::Failed)),
    ("OUT_OF_MEMORY", State::Ended(Status::Failed)),
    ("DEADLINE", State::Ended(Status::Failed)),
    ("RECONFIG_FAIL", State::Ended(Status::Failed)),
    ("SPECIAL_EXIT", State::Requeued),
    ("BOOT_FAIL", State::Interrupted),
    ("LAUNCH_FAILED", State::Interrupted),
    ("NODE_FAIL", State::Interrupted),
    ("PREEMPTED", State::Interrupted),
    ("REQUEUED", State::Requeued),
    ("REQUEUE_HOLD", State::Requeued),
    ("REQUEUE_FED", State::Requeued),
    ("PENDING", State::Pending),
    ("CONFIGURING", State::Running),
    ("COMPLETING", State::Running),
    ("RUNNING", State::Running),
    ("RESIZING", State::Running),
    ("SIGNALING", State::Running),
    ("STOPPED", State::Running),
    ("SUSPENDED", State::Running),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_found_by_their_first_word() {
        assert_eq!(State::of("CANCELLED by 1003"), Some(State::Ended(Status::Cancelled)));
        assert_eq!(State::of("CANCELLED+"), Some(State::Ended(Status::Cancelled)));
        assert_eq!(State::of("OUT_OF_ME+"), Some(State::Ended(Status::Failed)));
        assert_eq!(State::of("PREEMPTED"), Some(State::Interrupted));
        for wrong in ["", "DONE", "OUT_OF_ME", "RE+"] {
            assert_eq!(State::of(wrong), None, "{wrong}");
        }
    }
}
