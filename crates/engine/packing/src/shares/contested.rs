//! The nodes that cannot give all of their tasks what they need.

use super::SharedJob;
use dfrsim_model::{Share, Yield};

/// The amount that one job asks of one node at yield 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Part {
    /// Its place in the list of jobs.
    pub(super) job: u32,
    /// (Its tasks there) * need, in load units; positive, exact.
    pub(super) load: u64,
}

/// The contested nodes: those where all jobs at yield 1 are more than the node has. No other node can ever
/// limit a yield, and so neither can a task that needs no CPU.
///
/// Loads are in units of the largest share that divides a node and all needs, so that they are small numbers
/// where needs are halves or quarters of a node.
#[derive(Clone, Debug)]
pub(super) struct Contested {
    /// Share units in one load unit.
    unit: u32,
    /// For each node of the cluster, its load, and then where its next part goes.
    nodes: Vec<Node>,
    /// How many of them there are up to the last one with a task.
    in_use: usize,
    /// Where the parts of each contested node begin, and where the last one ends.
    starts: Vec<u32>,
    /// Node by node, in the order of jobs.
    parts: Vec<Part>,
}

/// The yield that all jobs can have at once: `capacity / load`, at most 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommonYield {
    /// The CPU of a node, in load units.
    pub(super) capacity: u64,
    /// The largest load of a node, in load units, but at least the capacity.
    pub(super) load: u64,
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
    pub(super) fn new(nodes: u32) -> Contested {
        let nodes = vec![Node::default(); nodes as usize];
        Contested { unit: Share::ONE.units(), nodes, in_use: 0, starts: vec![0], parts: Vec::new() }
    }

    /// The yield that all jobs can have at once.
    pub(super) fn weigh<'a>(&mut self, jobs: impl Iterator<Item = SharedJob<'a>> + Clone) -> CommonYield {
        self.unit = jobs.clone().fold(Share::ONE.units(), |unit, job| common_divisor(unit, job.need.units()));
        // Nodes behind all tasks have no load, and there may be many.
        let last = jobs.clone().filter_map(|job| job.placement.last()).map(|part| part.node.index()).max();
        self.in_use = last.map_or(0, |last| last + 1);
        self.nodes[..self.in_use].fill(Node::default());
        for job in jobs {
            let need = u64::from(job.need.units() / self.unit);
            for part in job.placement {
                let node = &mut self.nodes[part.node.index()];
                node.load = node.load.saturating_add(need * u64::from(part.tasks));
                node.parts += u32::from(need > 0);
            }
        }
        let capacity = u64::from(self.capacity());
        let largest = self.nodes[..self.in_use].iter().map(|node| node.load).max().unwrap_or(0);
        CommonYield { capacity, load: largest.max(capacity) }
    }

    /// Lists the parts of every contested node; gives the yield that all jobs can have at once.
    pub(super) fn gather<'a>(&mut self, jobs: impl Iterator<Item = SharedJob<'a>> + Clone) -> CommonYield {
        let common = self.weigh(jobs.clone());
        let capacity = u64::from(self.capacity());
        self.starts.clear();
        self.starts.push(0);
        let mut end = 0;
        for node in &mut self.nodes[..self.in_use] {
            node.next = FREE;
            if node.load > capacity {
                node.next = end;
                end += node.parts;
                self.starts.push(end);
            }
        }
        self.parts.clear();
        self.parts.resize(end as usize, Part { job: 0, load: 0 });
        if end == 0 {
            return common;
        }
        for (index, job) in (0..).zip(jobs) {
            let need = u64::from(job.need.units() / self.unit);
            if need == 0 {
                continue;
            }
            for part in job.placement {
                let node = &mut self.nodes[part.node.index()];
                if node.next != FREE {
                    let load = need * u64::from(part.tasks);
                    self.parts[node.next as usize] = Part { job: index, load };
                    node.next += 1;
                }
            }
        }
        common
    }

    /// The CPU of a node, in load units.
    pub(super) fn capacity(&self) -> u32 {
        Share::ONE.units() / self.unit
    }
    /// The nodes of the cluster.
    pub(super) fn nodes(&self) -> usize {
        self.nodes.len()
    }
    /// How many nodes are contested.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }
    /// The parts of a contested node.
    pub(super) fn parts(&self, node: usize) -> &[Part] {
        &self.parts[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
    /// The parts of all contested nodes.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[Part]> {
        self.starts.windows(2).map(|range| &self.parts[range[0] as usize..range[1] as usize])
    }
}

/// The largest number that divides both (Euclid); the positive one of them if the other is 0.
fn common_divisor(mut a: u32, mut b: u32) -> u32 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}
