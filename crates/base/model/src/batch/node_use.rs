//! How many tasks a node has.

use crate::named;

named! {
    /// What of its nodes a job has to itself.
    #[derive(Default)]
    pub enum NodeUse as "use of nodes" {
        /// Each task has a node of its own.
        #[default]
        Whole = "WHOLE",
        /// A node has as many tasks of any jobs as its cores, its memory and its other resources allow: Slurm's consumable
        /// resources (`select/cons_tres` with `CR_Core_Memory`). A task holds whole cores, at least one.
        Shared = "SHARED",
        /// The same, but of one job: Slurm's `--exclusive`.
        Exclusive = "EXCLUSIVE",
    }
}

impl NodeUse {
    /// A description, in a few words.
    pub fn description(self) -> &'static str {
        match self {
            NodeUse::Whole => "each task on a node of its own",
            NodeUse::Shared => "tasks of any jobs on a node, by cores, memory and other resources",
            NodeUse::Exclusive => "tasks of one job on a node, by cores, memory and other resources",
        }
    }
}
