//! VMs and the vjobs to which they belong.

use crate::amount::Amount;

/// Number of a VM of the cluster, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VmId(pub u32);

/// Number of a vjob of the cluster, counted from 0 in the order of submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VjobId(pub u32);

impl VmId {
    /// Returns the number as an index into vectors with one entry per VM.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl VjobId {
    /// Returns the number as an index into vectors with one entry per vjob.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A virtual machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vm {
    /// Unique name among the VMs. Suspends and resumes of a vjob happen in the order of names.
    pub name: String,
    /// Vjob of the VM.
    pub vjob: VjobId,
    /// Amount that the VM needs while it runs: as observed, not as requested.
    pub demand: Amount,
}

/// A virtualised job: VMs that always share a state (section 2.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vjob {
    /// Unique name among the vjobs.
    pub name: String,
    /// Priority. Vjobs with a higher value are served first, equal ones in the order of submission.
    pub priority: i64,
}
