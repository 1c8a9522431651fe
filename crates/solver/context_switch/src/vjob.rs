//! VMs and the vjobs to which they belong.

use crate::amount::Amount;

/// A VM of the cluster, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VmId(pub u32);

/// A vjob of the cluster, counted from 0 in the order of submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VjobId(pub u32);

impl VmId {
    /// The VM as an index of a vector with one entry a VM.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl VjobId {
    /// The vjob as an index of a vector with one entry a vjob.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A virtual machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vm {
    /// Its name, unlike those of all other VMs; suspends and resumes of a vjob happen in the order of these.
    pub name: String,
    /// The vjob that it belongs to.
    pub vjob: VjobId,
    /// The amount that it needs while it runs: as observed, not as requested.
    pub demand: Amount,
}

/// A virtualised job: VMs that always share a state (section 2.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vjob {
    /// Its name, unlike those of all other vjobs.
    pub name: String,
    /// Vjobs with a higher one are served before others; those with the same one in the order of submission.
    pub priority: i64,
}
