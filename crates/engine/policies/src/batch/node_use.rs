//! How many tasks a node has.

/// What of its nodes a job has to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum NodeUse {
    /// Each task has a node of its own.
    #[default]
    Whole,
    /// A node has as many tasks of any jobs as its cores, its memory and its other resources allow: Slurm's consumable resources
    /// (`select/cons_tres` with `CR_Core_Memory`). A task holds whole cores, at least one.
    Shared,
    /// The same, but of one job: Slurm's `--exclusive`.
    Exclusive,
}

impl NodeUse {
    /// All ways.
    pub const ALL: [NodeUse; 3] = [NodeUse::Whole, NodeUse::Shared, NodeUse::Exclusive];

    /// Its name in the names of policies.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            NodeUse::Whole => "WHOLE",
            NodeUse::Shared => "SHARED",
            NodeUse::Exclusive => "EXCLUSIVE",
        }
    }

    pub(crate) fn description(self) -> &'static str {
        match self {
            NodeUse::Whole => "each task on a node of its own",
            NodeUse::Shared => "tasks of any jobs on a node, by cores, memory and other resources",
            NodeUse::Exclusive => "tasks of one job on a node, by cores, memory and other resources",
        }
    }
}
