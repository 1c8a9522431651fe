//! Contested nodes: those that cannot give all of their tasks what they need.

use super::SharedJob;
use crate::Capacities;
use crate::capacities::UNLIMITED;
use dfrsim_model::{Share, Yield, greatest_common_divisor};
use std::sync::Arc;

/// Load that one job puts on one node at yield 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Part {
    /// Index of the job in the list of jobs.
    pub(super) job: u32,
    /// (Number of its tasks there) * need, in load units; positive, exact.
    pub(super) load: u64,
}

/// Contested nodes: those whose load exceeds their capacity if all jobs have yield 1. No other node
/// can limit a yield, and neither can a task that needs no CPU. On heterogeneous nodes, each
/// dimension of a node counts as a node.
///
/// Loads are in units of the greatest common divisor of all capacities and needs, so that they are
/// small numbers if needs are halves or quarters of a node.
#[derive(Clone, Debug, Default)]
pub(super) struct Contested {
    /// Capacities of heterogeneous nodes; `None` if each node has a CPU of 1 and no other resource
    /// is shared.
    capacities: Option<Arc<Capacities>>,
    dimensions: usize,
    /// Share units per load unit; `whole` is the number of load units per node.
    unit: u64,
    whole: u64,
    /// Load of each node in each dimension, and the index of its next part during construction.
    nodes: Vec<Node>,
    /// Number of entries of `nodes` up to the last one with a task.
    in_use: usize,
    /// Index of the first part of each contested node, and the end of the last one.
    starts: Vec<u32>,
    /// Capacity of each contested node, in load units.
    limits: Vec<u64>,
    /// Parts, node by node, in the order of jobs.
    parts: Vec<Part>,
}

/// Largest yield that all jobs can have at once: `capacity / load`, at most 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommonYield {
    /// Capacity of the limiting node, in load units.
    pub(super) capacity: u64,
    /// Load of that node in load units, but at least the capacity.
    load: u64,
    /// Largest load of any node, in load units.
    pub(super) max_load: u64,
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
    /// Load in load units. It saturates at the largest integer, far above the load that already
    /// rounds a yield down to zero.
    load: u64,
    parts: u32,
    next: u32,
}

/// Value of `next` for a node that is not contested.
const UNCONTESTED: u32 = u32::MAX;

impl Contested {
    /// Creates the structure for this many nodes. Without capacities each node has a CPU of 1.
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

    /// Returns whether all nodes are identical.
    pub(super) fn is_homogeneous(&self) -> bool {
        self.capacities.is_none()
    }

    /// Computes the greatest common divisor of the needs, and of the capacities in the dimensions in
    /// which jobs have needs.
    fn common_unit<'a>(&self, jobs: impl Iterator<Item = SharedJob<'a>> + Clone) -> u64 {
        let Some(capacities) = &self.capacities else {
            return jobs
                .fold(Share::ONE.units().into(), |unit, job| greatest_common_divisor(unit, job.need(0)));
        };
        let mut unit = 0;
        for dimension in 0..self.dimensions {
            if jobs.clone().any(|job| job.need(dimension) > 0) {
                let limits = capacities.classes.iter().map(|of| of[dimension]).filter(|it| *it < UNLIMITED);
                unit = limits.fold(unit, greatest_common_divisor);
                unit =
                    jobs.clone().fold(unit, |unit, job| greatest_common_divisor(unit, job.need(dimension)));
            }
        }
        unit.max(1)
    }

    /// Computes the loads of all nodes. Returns the largest yield that all jobs can have at once.
    pub(super) fn compute_loads<'a>(
        &mut self,
        jobs: impl Iterator<Item = SharedJob<'a>> + Clone,
    ) -> CommonYield {
        self.unit = self.common_unit(jobs.clone());
        self.whole = u64::from(Share::ONE.units()) / self.unit;
        // Nodes after the last task have no load, and there may be many of them.
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
        if self.is_homogeneous() {
            let load = largest.max(self.whole);
            return CommonYield { capacity: self.whole, load, max_load: load };
        }
        let all = (0..self.in_use).map(|place| (self.capacity(place), self.nodes[place].load));
        let [capacity, load] = all.fold([1, 1], |[capacity, load], (other, its)| {
            let product = |a, b| u128::from(a) * u128::from(b);
            if product(other, load) < product(capacity, its) { [other, its] } else { [capacity, load] }
        });
        CommonYield { capacity, load, max_load: largest }
    }

    /// Returns the capacity of a node in a dimension, in load units.
    fn capacity(&self, place: usize) -> u64 {
        let amount = |all: &Arc<Capacities>| all.of(place / self.dimensions)[place % self.dimensions];
        self.capacities.as_ref().map_or(self.whole, |all| amount(all) / self.unit)
    }

    /// Lists the parts of every contested node. Returns the largest yield that all jobs can have at
    /// once.
    pub(super) fn list_parts<'a>(
        &mut self,
        jobs: impl Iterator<Item = SharedJob<'a>> + Clone,
    ) -> CommonYield {
        let common = self.compute_loads(jobs.clone());
        self.starts.clear();
        self.starts.push(0);
        self.limits.clear();
        let mut end = 0;
        for place in 0..self.in_use {
            let capacity = self.capacity(place);
            let node = &mut self.nodes[place];
            node.next = UNCONTESTED;
            if node.load > capacity {
                node.next = end;
                end += node.parts;
                self.starts.push(end);
                self.limits.push(capacity);
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
                    if node.next != UNCONTESTED {
                        let load = need.saturating_mul(u64::from(part.tasks));
                        parts[node.next as usize] = Part { job: index, load };
                        node.next += 1;
                    }
                }
            }
        }
        common
    }

    /// Returns the number of additional binary digits with which yields are computed.
    pub(super) fn fine_bits(&self, common: CommonYield) -> u32 {
        if self.is_homogeneous() {
            // A node's capacity times such a yield must stay within 63 bits: this gives 40 digits if
            // needs are quarters of a node, at least 13.
            common.capacity.leading_zeros() - Yield::BITS - 1
        } else {
            // Sums have 128 bits.
            let largest = self.limits.iter().max().map_or(0, |full| u64::BITS - full.leading_zeros());
            40.min(75 - largest)
        }
    }

    /// Returns the number of nodes of the cluster, times the number of dimensions.
    pub(super) fn nodes(&self) -> usize {
        self.nodes.len()
    }
    /// Returns the number of contested nodes.
    pub(super) fn len(&self) -> usize {
        self.limits.len()
    }
    /// Returns the parts of a contested node, and its capacity in load units.
    #[inline]
    pub(super) fn node(&self, node: usize) -> (&[Part], u64) {
        (&self.parts[self.starts[node] as usize..self.starts[node + 1] as usize], self.limits[node])
    }
    /// Iterates over the contested nodes: the parts of each, and its capacity in load units.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[Part], u64)> {
        let parts = self.starts.windows(2).map(|range| &self.parts[range[0] as usize..range[1] as usize]);
        parts.zip(self.limits.iter().copied())
    }
}
