//! The nodes that cannot give all of their tasks what they need.

use super::SharedJob;
use crate::Capacities;
use dfrsim_model::{Share, Yield, greatest_divisor};
use std::sync::Arc;

/// The amount that one job asks of one node at yield 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Part {
    /// Its place in the list of jobs.
    pub(super) job: u32,
    /// (Its tasks there) * need, in load units; positive, exact.
    pub(super) load: u64,
}

/// The contested nodes: those where all jobs at yield 1 are more than the node has. No other node can ever
/// limit a yield, and so neither can a task that needs no CPU. Where nodes differ, a node counts once for each dimension.
///
/// Loads are in units of the largest share that divides all capacities and all needs, so that they are small numbers
/// where needs are halves or quarters of a node.
#[derive(Clone, Debug, Default)]
pub(super) struct Contested {
    /// `None` if each node has a CPU of 1, and no other resource is shared.
    capacities: Option<Arc<Capacities>>,
    dimensions: usize,
    /// Share units in one load unit, and load units in one node.
    unit: u64,
    whole: u64,
    /// For each node of the cluster in each dimension, its load, and then where its next part goes.
    nodes: Vec<Node>,
    /// How many of them there are up to the last one with a task.
    in_use: usize,
    /// Where the parts of each contested node begin, and where the last one ends.
    starts: Vec<u32>,
    /// The capacity of each contested node, in load units.
    full: Vec<u64>,
    /// Node by node, in the order of jobs.
    parts: Vec<Part>,
}

/// The yield that all jobs can have at once: `capacity / load`, at most 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommonYield {
    /// The capacity of the node that limits it, in load units.
    pub(super) capacity: u64,
    /// Its load in load units, but at least the capacity.
    load: u64,
    /// The largest load of any node, likewise.
    pub(super) largest: u64,
}

impl CommonYield {
    pub(super) fn rounded_down(self) -> Yield {
        Yield::from_ratio(self.capacity, self.load)
    }
    pub(super) fn as_f64(self) -> f64 {
        self.capacity as f64 / self.load as f64
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Node {
    /// In load units. It stays at the largest integer where that is too small, far above what brings a yield
    /// down to zero by rounding.
    load: u64,
    parts: u32,
    next: u32,
}

/// The node is not contested.
const FREE: u32 = u32::MAX;

impl Contested {
    /// Of this many nodes, each with a CPU of 1 where there are no capacities.
    pub(super) fn new(nodes: usize, capacities: Option<Arc<Capacities>>) -> Contested {
        let dimensions = capacities.as_ref().map_or(1, |all| all.wholes.len());
        let nodes = vec![Node::default(); nodes * dimensions];
        Contested {
            capacities,
            dimensions,
            unit: 1,
            whole: 1,
            nodes,
            starts: vec![0],
            ..Contested::default()
        }
    }

    /// Whether all nodes are alike.
    pub(super) fn are_alike(&self) -> bool {
        self.capacities.is_none()
    }

    /// The largest unit that divides the capacities of the dimensions in which jobs have needs, and the needs.
    fn common_unit<'a>(&self, jobs: impl Iterator<Item = SharedJob<'a>> + Clone) -> u64 {
        let Some(capacities) = &self.capacities else {
            return jobs.fold(Share::ONE.units().into(), |unit, job| greatest_divisor(unit, job.need(0)));
        };
        let mut unit = 0;
        for dimension in 0..self.dimensions {
            if jobs.clone().any(|job| job.need(dimension) > 0) {
                unit = capacities.classes.iter().fold(unit, |unit, of| greatest_divisor(unit, of[dimension]));
                unit = jobs.clone().fold(unit, |unit, job| greatest_divisor(unit, job.need(dimension)));
            }
        }
        unit.max(1)
    }

    /// The yield that all jobs can have at once.
    pub(super) fn weigh<'a>(&mut self, jobs: impl Iterator<Item = SharedJob<'a>> + Clone) -> CommonYield {
        self.unit = self.common_unit(jobs.clone());
        self.whole = u64::from(Share::ONE.units()) / self.unit;
        // Nodes behind all tasks have no load, and there may be many.
        let last = jobs.clone().filter_map(|job| job.placement.last()).map(|part| part.node.index()).max();
        self.in_use = last.map_or(0, |last| (last + 1) * self.dimensions);
        self.nodes[..self.in_use].fill(Node::default());
        let Contested { dimensions, unit, ref mut nodes, .. } = *self;
        for job in jobs {
            for dimension in 0..dimensions {
                let need = job.need(dimension) / unit;
                for part in job.placement {
                    let node = &mut nodes[part.node.index() * dimensions + dimension];
                    node.load = node.load.saturating_add(need.saturating_mul(u64::from(part.tasks)));
                    node.parts += u32::from(need > 0);
                }
            }
        }
        let largest = self.nodes[..self.in_use].iter().map(|node| node.load).max().unwrap_or(0);
        if self.are_alike() {
            let load = largest.max(self.whole);
            return CommonYield { capacity: self.whole, load, largest: load };
        }
        let all = (0..self.in_use).map(|place| (self.capacity(place), self.nodes[place].load));
        let [capacity, load] = all.fold([1, 1], |[capacity, load], (other, its)| {
            let product = |a, b| u128::from(a) * u128::from(b);
            if product(other, load) < product(capacity, its) { [other, its] } else { [capacity, load] }
        });
        CommonYield { capacity, load, largest }
    }

    /// The capacity of a node in a dimension, in load units.
    fn capacity(&self, place: usize) -> u64 {
        let amount = |all: &Arc<Capacities>| all.of(place / self.dimensions)[place % self.dimensions];
        self.capacities.as_ref().map_or(self.whole, |all| amount(all) / self.unit)
    }

    /// Lists the parts of every contested node; gives the yield that all jobs can have at once.
    pub(super) fn gather<'a>(&mut self, jobs: impl Iterator<Item = SharedJob<'a>> + Clone) -> CommonYield {
        let common = self.weigh(jobs.clone());
        self.starts.clear();
        self.starts.push(0);
        self.full.clear();
        let mut end = 0;
        for place in 0..self.in_use {
            let capacity = self.capacity(place);
            let node = &mut self.nodes[place];
            node.next = FREE;
            if node.load > capacity {
                node.next = end;
                end += node.parts;
                self.starts.push(end);
                self.full.push(capacity);
            }
        }
        self.parts.clear();
        self.parts.resize(end as usize, Part { job: 0, load: 0 });
        if end == 0 {
            return common;
        }
        let Contested { dimensions, unit, ref mut nodes, ref mut parts, .. } = *self;
        for (index, job) in (0..).zip(jobs) {
            for dimension in 0..dimensions {
                let need = job.need(dimension) / unit;
                if need == 0 {
                    continue;
                }
                for part in job.placement {
                    let node = &mut nodes[part.node.index() * dimensions + dimension];
                    if node.next != FREE {
                        let load = need.saturating_mul(u64::from(part.tasks));
                        parts[node.next as usize] = Part { job: index, load };
                        node.next += 1;
                    }
                }
            }
        }
        common
    }

    /// Binary digits behind those of a yield with which yields are computed.
    pub(super) fn fine_bits(&self, common: CommonYield) -> u32 {
        if self.are_alike() {
            // As many as leave a node's capacity times such a yield within 63 bits: 40 where needs are quarters of a node, at least 13.
            common.capacity.leading_zeros() - Yield::BITS - 1
        } else {
            // Sums have 128 bits.
            let largest = self.full.iter().max().map_or(0, |full| u64::BITS - full.leading_zeros());
            40.min(75 - largest)
        }
    }

    /// The nodes of the cluster.
    pub(super) fn nodes(&self) -> usize {
        self.nodes.len()
    }
    /// How many nodes are contested.
    pub(super) fn len(&self) -> usize {
        self.full.len()
    }
    /// The parts of a contested node, and its capacity in load units.
    #[inline]
    pub(super) fn node(&self, node: usize) -> (&[Part], u64) {
        (&self.parts[self.starts[node] as usize..self.starts[node + 1] as usize], self.full[node])
    }
    /// The same of all contested nodes.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[Part], u64)> {
        let parts = self.starts.windows(2).map(|range| &self.parts[range[0] as usize..range[1] as usize]);
        parts.zip(self.full.iter().copied())
    }
}
