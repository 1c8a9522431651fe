//! Amounts of CPU and memory.

use serde::{Deserialize, Serialize};
use std::ops::{Add, AddAssign, Sub, SubAssign};

/// An amount of CPU and memory.
///
/// Memory is in MB. CPU is in any integer unit that nodes and VMs share. In the experiments of the
/// paper the unit is a processing unit: a node has two, and a computing VM needs one. Differences
/// may be negative, since a node can be overloaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Amount {
    /// CPU, in the unit of the cluster.
    pub cpu: i64,
    /// Memory in MB.
    pub memory: i64,
}

impl Amount {
    /// No CPU and no memory.
    pub const NONE: Amount = Amount { cpu: 0, memory: 0 };

    /// Creates an amount from CPU units and MB.
    pub const fn new(cpu: i64, memory: i64) -> Amount {
        Amount { cpu, memory }
    }

    /// Checks that `free` has enough of each requested resource.
    ///
    /// A request of 0 fits even if the free amount is negative, as it does not add to the overload.
    #[must_use]
    pub const fn fits(self, free: Amount) -> bool {
        (self.cpu <= 0 || self.cpu <= free.cpu) && (self.memory <= 0 || self.memory <= free.memory)
    }

    /// Returns true if neither resource is negative.
    #[must_use]
    pub const fn is_viable(self) -> bool {
        self.cpu >= 0 && self.memory >= 0
    }

    /// Returns the amount with negative parts replaced by 0.
    #[must_use]
    pub fn positive(self) -> Amount {
        Amount::new(self.cpu.max(0), self.memory.max(0))
    }
}

impl Add for Amount {
    type Output = Amount;
    fn add(self, other: Amount) -> Amount {
        Amount::new(self.cpu + other.cpu, self.memory + other.memory)
    }
}

impl Sub for Amount {
    type Output = Amount;
    fn sub(self, other: Amount) -> Amount {
        Amount::new(self.cpu - other.cpu, self.memory - other.memory)
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Amount) {
        *self = *self + other;
    }
}

impl SubAssign for Amount {
    fn sub_assign(&mut self, other: Amount) {
        *self = *self - other;
    }
}
