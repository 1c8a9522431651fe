//! Sharing of nodes among tasks and jobs.

use crate::named;

named! {
    /// Sharing of nodes among tasks and jobs.
    #[derive(Default)]
    pub enum NodeUse as "use of nodes" {
        /// Each task has a whole node.
        #[default]
        Whole = "WHOLE",
        /// Shared nodes: a node has as many tasks of any jobs as its cores, its memory and its other
        /// resources allow. This corresponds to Slurm's consumable resources (`select/cons_tres`
        /// with `CR_Core_Memory`). A task holds whole cores, at least one.
        Shared = "SHARED",
        /// Nodes with several tasks, as with `Shared`, but of one job only: Slurm's `--exclusive`.
        Exclusive = "EXCLUSIVE",
    }
}

impl NodeUse {
    /// Returns a short description.
    pub fn description(self) -> &'static str {
        match self {
            NodeUse::Whole => "each task on a node of its own",
            NodeUse::Shared => "tasks of any jobs on a node, by cores, memory and other resources",
            NodeUse::Exclusive => "tasks of one job on a node, by cores, memory and other resources",
        }
    }
}
