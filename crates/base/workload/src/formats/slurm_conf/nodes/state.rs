//! State of a node when Slurm starts, as `slurm.conf` gives it.

use dfrsim_model::named;

named! {
    /// State of a node in `slurm.conf`.
    #[derive(Default)]
    pub enum NodeState as "state" {
        /// Available to jobs.
        #[default]
        Up = "UNKNOWN",
        /// Defunct.
        Down = "DOWN",
        /// Closed to further jobs.
        Drain = "DRAIN",
        /// Expected to fail soon, and closed to jobs.
        Fail = "FAIL",
        /// Defined for later use; it does not exist yet.
        Future = "FUTURE",
        /// Node of a cloud, which is powered up when jobs need it.
        Cloud = "CLOUD",
    }
}

impl NodeState {
    /// Parses the value of `State`, in any case.
    pub(super) fn of(text: &str) -> Option<NodeState> {
        match text.to_ascii_uppercase().as_str() {
            "UNKNOWN" | "IDLE" | "ALLOCATED" | "ALLOC" | "MIXED" => Some(NodeState::Up),
            "DRAINED" | "DRAINING" => Some(NodeState::Drain),
            "FAILING" => Some(NodeState::Fail),
            other => NodeState::ALL.iter().copied().find(|state| state.name() == other),
        }
    }

    /// Returns whether nodes in this state take jobs.
    pub(super) fn takes_jobs(self) -> bool {
        matches!(self, NodeState::Up | NodeState::Cloud)
    }
}
