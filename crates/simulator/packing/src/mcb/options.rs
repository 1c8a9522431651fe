//! The options of MCB.

use dfrsim_model::{Share, Yield, named};

named! {
    /// The rule by which nodes are filled.
    #[derive(Default)]
    pub enum Packing as "packing" {
        /// Choose Pack with w = 2, that is one list by decreasing maximum of CPU and memory, of which a node
        /// takes the first fitting task again and again. The dissertation's VP_CPMAX (sections 4.2.5 and 5.2.2).
        #[default]
        ChoosePack = "cp",
        /// Two lists, tasks with more CPU than memory and the others (equal counts as memory), each by
        /// decreasing maximum; a node takes from the list against its imbalance (a balanced one as [`Balanced`] says),
        /// and from the other list where no item fits. MCB8 of RR-6692, section 3.4.
        TwoLists = "mcb8",
    }
}

named! {
    /// From which of two lists a node takes whose CPU and memory are in use alike, an empty one for example. No text says.
    #[derive(Default)]
    pub enum Balanced as "list of a balanced node" {
        /// From the list of tasks with more memory.
        #[default]
        Memory = "memory",
        /// From the list of tasks with more CPU, as the dissertation's author has it in his simulator (vcsim, 2010).
        Cpu = "cpu",
    }
}

named! {
    /// Which of equal tasks is first in a list. No text says.
    #[derive(Default)]
    pub enum Ties as "order of equal tasks" {
        /// That of the job submitted first.
        #[default]
        EarlierFirst = "earlier-first",
        /// That of the job submitted last, as the dissertation's author has it in his simulator (vcsim, 2010).
        LaterFirst = "later-first",
    }
}

impl Ties {
    /// The sort key of jobs, given their places in the order of submission and in the call.
    pub(crate) fn order(self, sequence: u64, index: u32) -> (u64, u32) {
        match self {
            Ties::EarlierFirst => (sequence, index),
            Ties::LaterFirst => (!sequence, !index),
        }
    }
}

named! {
    /// Which values the search tries. The text asks for a binary search (section 5.2.2) and names no ends.
    #[derive(Default)]
    pub enum Probes as "search" {
        /// The highest value that the CPU of all nodes allows, then the lowest, then a bisection between them.
        #[default]
        EndsFirst = "ends-first",
        /// A bisection of [0, 1] that begins with 1/2 and tries neither end, as the dissertation's author has it in his
        /// simulator (vcsim, 2010).
        Bisection = "bisection",
    }
}

named! {
    /// Which jobs are kept when not all can be.
    #[derive(Default)]
    pub enum DropRule as "drop rule" {
        /// Jobs leave by rising priority until the others can be packed (dissertation, section 5.2.3).
        #[default]
        Prefix = "prefix",
        /// The same, and then each job that left is tried again by decreasing priority and stays if the
        /// packing at the lowest value succeeds with it.
        Skip = "skip",
    }
}

/// The options of [`Mcb`](super::Mcb).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct McbOptions {
    /// How nodes are filled.
    pub packing: Packing,
    /// The jobs that stay when not all can.
    pub drop: DropRule,
    /// From which list a balanced node takes; matters to [`Packing::TwoLists`] only.
    pub balanced: Balanced,
    /// Which of equal tasks is packed first.
    pub ties: Ties,
    /// Which values the search tries.
    pub probes: Probes,
    /// The lowest yield that is tried; zero counts as the smallest yield above it. [`Probes::Bisection`] has none.
    pub floor: Yield,
    /// How near to each other the last success and the last failure of the search for a yield are; zero counts as the
    /// smallest yield above it.
    pub precision: Yield,
    /// The same of the search for the inverse of the largest stretch ([`Mcb::map_by`](super::Mcb::map_by)).
    pub stretch_precision: Yield,
    /// Tasks are packed with whole multiples of this part of a node's CPU, rounded down, but at least one of them; `None` packs
    /// them exactly.
    pub cpu_step: Option<Share>,
}

impl Default for McbOptions {
    /// `cp`, `prefix`, earlier tasks first, a floor of 0.01 and a precision of 0.01 for yields (dissertation, section 5.2.2), and of
    /// 0.0001 for inverse stretches, whose lowest feasible value the text asks for (section 5.2.6).
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
