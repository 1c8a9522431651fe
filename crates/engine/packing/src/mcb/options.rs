//! What can be chosen about MCB.

use dfrsim_model::{Yield, named};

named! {
    /// The rule by which nodes are filled.
    #[derive(Default)]
    pub enum Packing as "packing" {
        /// Choose Pack with w = 2, that is one list by decreasing maximum of CPU and memory, of which a node
        /// takes the first fitting task again and again. The dissertation's VP_CPMAX (sections 4.2.5 and 5.2.2).
        #[default]
        ChoosePack = "cp",
        /// Two lists, tasks with more CPU than memory and the others (equal counts as memory), each by
        /// decreasing maximum; a node takes from the list against its imbalance, a balanced one from the memory
        /// list, and from the other list where nothing fits. MCB8 of RR-6692, section 3.4.
        TwoLists = "mcb8",
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
    /// Who stays when not all can.
    pub drop: DropRule,
    /// The lowest yield that is tried; zero counts as the smallest yield above it.
    pub floor: Yield,
    /// How near to each other the last success and the last failure of the search are; zero counts as the
    /// smallest yield above it.
    pub precision: Yield,
}

impl Default for McbOptions {
    /// `cp`, `prefix`, a floor of 0.01 and a precision of 0.01.
    fn default() -> McbOptions {
        let hundredth = Yield::from_ratio(1, 100);
        McbOptions {
            packing: Packing::default(),
            drop: DropRule::default(),
            floor: hundredth,
            precision: hundredth,
        }
    }
}
