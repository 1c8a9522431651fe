//! Options of MCB.

use dfrsim_model::{Share, Yield, named};

named! {
    /// Rule by which nodes are filled.
    #[derive(Default)]
    pub enum Packing as "packing" {
        /// Choose Pack with w = 2: one list by decreasing maximum of CPU and memory, from which a
        /// node repeatedly takes the first fitting task. The dissertation's VP_CPMAX (sections 4.2.5
        /// and 5.2.2).
        #[default]
        ChoosePack = "cp",
        /// Two lists, one of the tasks with more CPU than memory and one of the others (equal
        /// amounts included), each by decreasing maximum. A node takes from the list that reduces
        /// its imbalance (a balanced node as [`Balanced`] specifies), and from the other list if no
        /// item of that one fits. MCB8 of RR-6692, section 3.4.
        TwoLists = "mcb8",
    }
}

named! {
    /// List that a node takes from if its CPU and memory are equally used, for example when it is
    /// empty. The texts do not specify it.
    #[derive(Default)]
    pub enum Balanced as "list of a balanced node" {
        /// The list of tasks with more memory.
        #[default]
        Memory = "memory",
        /// The list of tasks with more CPU, as in the simulator of the dissertation's author (vcsim,
        /// 2010).
        Cpu = "cpu",
    }
}

named! {
    /// Order of equal tasks in a list. The texts do not specify it.
    #[derive(Default)]
    pub enum Ties as "order of equal tasks" {
        /// Tasks of the job submitted first.
        #[default]
        EarlierFirst = "earlier-first",
        /// Tasks of the job submitted last, as in the simulator of the dissertation's author (vcsim,
        /// 2010).
        LaterFirst = "later-first",
    }
}

impl Ties {
    /// Returns the sort key of a job with this sequence number and index in the call.
    pub(crate) fn order(self, sequence: u64, index: u32) -> (u64, u32) {
        match self {
            Ties::EarlierFirst => (sequence, index),
            Ties::LaterFirst => (!sequence, !index),
        }
    }
}

named! {
    /// Values that the search tries. The dissertation asks for a binary search (section 5.2.2) and
    /// does not specify its ends.
    #[derive(Default)]
    pub enum Probes as "search" {
        /// The highest value that the CPU of all nodes allows, then the lowest, then a bisection
        /// between them.
        #[default]
        EndsFirst = "ends-first",
        /// A bisection of [0, 1] that begins with 1/2 and tries neither end, as in the simulator of
        /// the dissertation's author (vcsim, 2010).
        Bisection = "bisection",
    }
}

named! {
    /// Jobs that are left out if not all can be kept.
    #[derive(Default)]
    pub enum DropRule as "drop rule" {
        /// Jobs are removed by ascending priority until the others can be packed (dissertation,
        /// section 5.2.3).
        #[default]
        Prefix = "prefix",
        /// Like `prefix`; then each removed job is tried again by decreasing priority and kept if
        /// the packing at the lowest value succeeds with it.
        Skip = "skip",
    }
}

/// Options of [`Mcb`](super::Mcb).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct McbOptions {
    /// Rule by which nodes are filled.
    pub packing: Packing,
    /// Rule for leaving jobs out if not all can be kept.
    pub drop: DropRule,
    /// List that a balanced node takes from; matters to [`Packing::TwoLists`] only.
    pub balanced: Balanced,
    /// Order of equal tasks.
    pub ties: Ties,
    /// Values that the search tries.
    pub probes: Probes,
    /// Lowest yield that is tried; zero counts as the smallest yield above it. [`Probes::Bisection`]
    /// ignores it.
    pub floor: Yield,
    /// Largest distance between the last success and the last failure at which the search for a
    /// yield ends; zero counts as the smallest yield above it.
    pub precision: Yield,
    /// Precision of the search for the inverse of the largest stretch
    /// ([`Mcb::map_by`](super::Mcb::map_by)).
    pub stretch_precision: Yield,
    /// Step of CPU, as a fraction of a node's CPU: tasks are packed with whole multiples of it,
    /// rounded down, but at least one. `None` packs them exactly.
    pub cpu_step: Option<Share>,
}

impl Default for McbOptions {
    /// Creates the options of the dissertation: `cp`, `prefix`, earlier tasks first, a floor of 0.01
    /// and a precision of 0.01 for yields (section 5.2.2), and of 0.0001 for inverse stretches, for
    /// which the text requires the lowest feasible stretch (section 5.2.6).
    fn default() -> McbOptions {
        let hundredth = Yield::from_ratio(1, 100);
        McbOptions {
            packing: Packing::default(),
            drop: DropRule::default(),
            balanced: Balanced::default(),
            ties: Ties::default(),
            probes: Probes::default(),
            floor: hundredth,
            precision: hundredth,
            stretch_precision: Yield::nearest(0.0001),
            cpu_step: None,
        }
    }
}
