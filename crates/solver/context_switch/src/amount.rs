//! Amounts of the two resources of a node.

use serde::{Deserialize, Serialize};
use std::ops::{Add, AddAssign, Sub, SubAssign};

/// An amount of both resources.
///
/// Memory is in MB. CPU is in any whole unit that nodes and VMs share; in the experiments of the paper it is a processing
/// unit, of which a node has two and a VM that computes needs one. Differences may be negative: a node can be overloaded.
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

    /// So much CPU and memory.
    pub const fn new(cpu: i64, memory: i64) -> Amount {
        Amount { cpu, memory }
    }

    /// Whether `room` has as much of each resource that is needed at all.
    ///
    /// A need of 0 fits even where the rest is negative: it does not add to the overload.
    #[must_use]
    pub const fn fits(self, room: Amount) -> bool {
        (self.cpu <= 0 || self.cpu <= room.cpu) && (self.memory <= 0 || self.memory <= room.memory)
    }

    /// Whether neither resource is below zero.
    #[must_use]
    pub const fn is_viable(self) -> bool {
        self.cpu >= 0 && self.memory >= 0
    }

    /// What there is of each resource, where there is any.
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
