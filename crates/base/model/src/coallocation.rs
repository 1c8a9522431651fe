//! Co-allocation: the parts of several resources that one request is given at the same time.

use crate::{SimSpan, SimTime};

/// What amounts are counted in: millionths of the unit of a property (a core, a GHz, a GB).
pub const UNITS_PER_ONE: u64 = 1_000_000;
/// The largest amount of a property that a resource may have, or a request may ask of one, in millionths: a hundred
/// million, so that sums over 100,000 resources fit 64 bits.
pub const MOST_UNITS: u64 = 100_000_000 * UNITS_PER_ONE;
/// How many resources a grid may have.
pub const MOST_RESOURCES: usize = 100_000;

/// A node of a grid, of which parts can be reserved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// How much it has of each quantitative property, in millionths, at most [`MOST_UNITS`].
    pub capacity: Box<[u64]>,
    /// The label of each qualitative property.
    pub labels: Box<[String]>,
}

/// A collective request: resources at the same time, with a minimum for each of them and a total over all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// For how long; above zero.
    pub duration: SimSpan,
    /// How many resources (N); at least one.
    pub resources: usize,
    /// The earliest start.
    pub earliest: SimTime,
    /// The latest start, not before the earliest.
    pub latest: SimTime,
    /// What each resource has to give of each quantitative property, in millionths.
    pub minimum: Box<[u64]>,
    /// What all of them together have to give of each, in millionths; never below N times the minimum.
    pub total: Box<[u64]>,
    /// Of each, resources give multiples of this, in millionths: 1 for any amount, [`UNITS_PER_ONE`] for whole units. The minimum
    /// and the total are such multiples.
    pub step: Box<[u64]>,
    /// The label that is asked for in each qualitative property, if any.
    pub labels: Box<[Option<String>]>,
}

/// A part of a resource, from a moment until just before another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// The resource, from 0.
    pub resource: usize,
    /// When it begins.
    pub from: SimTime,
    /// When it has ended; after its begin.
    pub until: SimTime,
    /// How much of each quantitative property, in millionths.
    pub amounts: Box<[u64]>,
}

/// The answer to a request: one reservation a resource, all at the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// When it begins.
    pub start: SimTime,
    /// In the order of the resources.
    pub reservations: Vec<Reservation>,
}

impl Request {
    /// Whether a resource could serve, were it free: its labels are those asked for and it has the minima.
    pub fn accepts(&self, resource: &Resource) -> bool {
        let has_label =
            |(asked, label): (&Option<String>, &String)| asked.as_ref().is_none_or(|it| it == label);
        self.minimum.iter().zip(&resource.capacity).all(|(minimum, capacity)| minimum <= capacity)
            && self.labels.iter().zip(&resource.labels).all(has_label)
    }
}
