//! Messages for rules that several kinds of records can violate.

use dfrsim_model::SimTime;

pub(super) fn by_plan(planned: u64) -> String {
    format!("it is expected to end at {} s by the plan of the policy", SimTime::from_micros(planned))
}

pub(super) fn started_on(cluster: u32) -> String {
    format!("it has already started on cluster {cluster}")
}

pub(super) fn not_in_queue(cluster: u32) -> String {
    format!("it is not in the queue of cluster {cluster}")
}

pub(super) fn not_running(cluster: u32) -> String {
    format!("it does not run on cluster {cluster}")
}

pub(super) fn still_waiting(queues: usize) -> String {
    format!("it has started, but is still in {queues} queues")
}

/// Makes the message for a publication at a wrong time, or for a missing one.
pub(super) fn publication(due: Option<u64>) -> String {
    match due.map(SimTime::from_micros) {
        Some(due) => format!("clusters publish their states at {due} s, not before"),
        None => "clusters never publish their states in this run".to_owned(),
    }
}
