//! Co-allocation: parts of several resources that are allocated to one request at the same time.

use crate::{SimSpan, SimTime};

/// Units per one core, GHz or GB: amounts are counted in millionths of the unit of a property.
pub const UNITS_PER_ONE: u64 = 1_000_000;
/// Largest amount of a property that a resource may have or a request may ask of one resource, in
/// millionths. The value of a hundred million keeps sums over 100,000 resources within 64 bits.
pub const MOST_UNITS: u64 = 100_000_000 * UNITS_PER_ONE;
/// Largest number of resources of a grid.
pub const MOST_RESOURCES: usize = 100_000;

/// Node of a grid; parts of it can be reserved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// Capacity by quantitative property, in millionths, at most [`MOST_UNITS`].
    pub capacity: Box<[u64]>,
    /// Label by qualitative property.
    pub labels: Box<[String]>,
}

/// Collective request: several resources at the same time, with a minimum for each resource and a
/// total over all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Duration of the allocation; above zero.
    pub duration: SimSpan,
    /// Number of resources (N); at least one.
    pub resources: usize,
    /// Earliest start.
    pub earliest: SimTime,
    /// Latest start; not before `earliest`.
    pub latest: SimTime,
    /// Minimum that each resource must provide, by quantitative property, in millionths.
    pub minimum: Box<[u64]>,
    /// Total that all resources together must provide, by quantitative property, in millionths; at
    /// least N times the minimum.
    pub total: Box<[u64]>,
    /// Granularity by quantitative property, in millionths: resources provide multiples of it. It is
    /// 1 for arbitrary amounts and [`UNITS_PER_ONE`] for whole units. The minimum and the total are
    /// multiples of it.
    pub step: Box<[u64]>,
    /// Required label by qualitative property; `None` accepts every label.
    pub labels: Box<[Option<String>]>,
}

/// Part of a resource that is reserved for the time from `from` (inclusive) to `until` (exclusive).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// Index of the resource, from 0.
    pub resource: usize,
    /// Start of the reservation.
    pub from: SimTime,
    /// End of the reservation (exclusive); after `from`.
    pub until: SimTime,
    /// Reserved amount by quantitative property, in millionths.
    pub amounts: Box<[u64]>,
}

/// Result of a request: one reservation per resource, all for the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Start of all reservations.
    pub start: SimTime,
    /// Reservations in ascending order of the resource.
    pub reservations: Vec<Reservation>,
}

impl Request {
    /// Checks whether a resource could serve the request if it were free: its labels match and its
    /// capacities reach the minima.
    pub fn accepts(&self, resource: &Resource) -> bool {
        let has_label =
            |(asked, label): (&Option<String>, &String)| asked.as_ref().is_none_or(|it| it == label);
        self.minimum.iter().zip(&resource.capacity).all(|(minimum, capacity)| minimum <= capacity)
            && self.labels.iter().zip(&resource.labels).all(has_label)
    }
}
