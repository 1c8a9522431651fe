//! VP_EJECT: vector packing repaired by chains of ejections; an algorithm of our own.
//!
//! What Permutation Pack cannot place at a yield is placed afterwards, by [`Placement::repair`]: a task without a node
//! takes the place of another, which then looks for one itself, and so on. A task becomes the dearer to eject the more
//! often it was, which keeps chains from going in circles (the ejection pool of Nagata and Bräysy 2009, from vehicle
//! routing). Sizes count by how scarce they are: what all tasks ask for by what all nodes have.
//!
//! The search starts at the top, because most instances can be packed close to the bound: the bound is tried, then 1/16
//! of it less, 1/8, 1/4, 1/2 and 0, and then what a bisection asks for. Nodes are seldom filled again: a placement of an
//! earlier yield is carried to the next one, tasks that are too much there lose their nodes, and the rest is repair. Below
//! 1/16 that is the placement whose repair failed last, from where a lower yield is near; in the bisection the one that
//! was found last, or with few tasks again the failed one. Only if that fails while the bisection is still coarse, First Fit begins
//! once more. Each success counts with the exact minimum yield of its mapping, so that the search continues from there. Where
//! the bisection ends, small steps follow: packing is not monotone in the yield, and a repair the likelier the less it changes.

mod placement;

use super::Options;
use super::Solution;
use super::demands::{Demands, read_nodes};
use super::engine::Solve;
use super::yields::{minimum_yield_of, yield_bound};
use crate::filling::{ItemLists, ListOrder, ListTable, NodeRuns, OneList, Packer, Plan, RankedLists};
use dfrsim_model::offline::{Instance, Mapping};
use dfrsim_model::{NodeId, NodeTasks, Yield};
use placement::{NOWHERE, Patience, Placement, Weights};

/// With fewer tasks than this a bisection goes on from the repair that failed last.
const FEW: usize = 64;

/// The algorithm for vectors of width D, with memory that is used again from instance to instance.
#[derive(Debug)]
pub(super) struct Eject<const D: usize> {
    demands: Demands<D>,
    nodes: NodeRuns<D>,
    /// The capacity of each node.
    capacities: Vec<[u64; D]>,
    /// What all of them have.
    capacity: [u128; D],
    /// The job of each task.
    job_of: Vec<u32>,
    items: ItemLists<D>,
    packer: Packer<D>,
    plan: Plan,
    /// The jobs by list and decreasing weight.
    keys: Vec<(u64, u32)>,
    /// The first task of each job that has no node yet.
    next_task: Vec<u32>,
    placement: Placement<D>,
    /// The node of each task, as a packing to be repaired and as it was found last.
    tried: Vec<u32>,
    found: Vec<u32>,
    /// The same of the last repair that failed, in which some have none; empty if there is none.
    failed: Vec<u32>,
}

/// How nodes are filled at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filling {
    PermutationPack,
    FirstFit,
}

impl<const D: usize> Eject<D> {
    pub(super) fn boxed() -> Box<dyn Solve> {
        Box::new(Eject::<D> {
            demands: Demands::default(),
            nodes: NodeRuns::default(),
            capacities: Vec::new(),
            capacity: [0; D],
            job_of: Vec::new(),
            items: ItemLists::new(),
            packer: Packer::default(),
            plan: Plan::default(),
            keys: Vec::new(),
            next_task: Vec::new(),
            placement: Placement::new(),
            tried: Vec::new(),
            found: Vec::new(),
            failed: Vec::new(),
        })
    }

    fn read(&mut self, instance: &Instance) {
        self.demands.read(instance);
        read_nodes(instance, &mut self.nodes);
        self.capacities.clear();
        for run in self.nodes.runs() {
            let capacity = self.nodes.kinds()[run.kind as usize];
            self.capacities.extend((0..run.nodes).map(|_| capacity));
        }
        self.capacity = std::array::from_fn(|d| self.capacities.iter().map(|own| u128::from(own[d])).sum());
        self.job_of.clear();
        for (&tasks, job) in self.demands.tasks().iter().zip(0..) {
            self.job_of.extend((0..tasks).map(|_| job));
        }
    }

    /// Whether tasks can be packed at a yield by filling the nodes again.
    fn packs_from_scratch(&mut self, scaled: Yield, filling: Filling, patience: &mut Patience) -> bool {
        self.demands.size_at(scaled);
        let weights = self.weights();
        self.fill(&weights, filling);
        self.repairs(&weights, patience)
    }

    /// Whether the mapping that was found last can be repaired to be one at a yield, or instead the placement of the last
    /// repair that failed, if there was one.
    fn packs_from_earlier(&mut self, scaled: Yield, prefer_failed: bool, patience: &mut Patience) -> bool {
        self.demands.size_at(scaled);
        let weights = self.weights();
        let earlier = if prefer_failed && !self.failed.is_empty() { &self.failed } else { &self.found };
        self.tried.clone_from(earlier);
        self.repairs(&weights, patience)
    }

    fn repairs(&mut self, weights: &Weights<D>, patience: &mut Patience) -> bool {
        let sizes = self.job_of.iter().map(|&job| self.demands.sizes()[job as usize]);
        self.placement.start(sizes, &self.capacities, weights, &self.tried);
        let repaired = self.placement.repair(patience);
        let kept = if repaired { &mut self.found } else { &mut self.failed };
        kept.clear();
        kept.extend_from_slice(self.placement.node_of());
        repaired
    }

    fn weights(&self) -> Weights<D> {
        let mut demand = [0u128; D];
        for (size, &tasks) in self.demands.sizes().iter().zip(self.demands.tasks()) {
            for (demand, &size) in demand.iter_mut().zip(size) {
                *demand += u128::from(size) * u128::from(tasks);
            }
        }
        Weights::new(&demand, &self.capacity)
    }

    /// Fills the nodes; `tried` is where the tasks went.
    fn fill(&mut self, weights: &Weights<D>, filling: Filling) {
        let Eject { demands, keys, items, .. } = self;
        let sizes = demands.sizes();
        let table = ListTable::new(demands.dimensions(), true);
        let lists = if filling == Filling::PermutationPack { table.count() } else { 1 };
        // Weights have fewer bits than that.
        const LIST_SHIFT: u32 = 54;
        keys.clear();
        keys.extend(sizes.iter().zip(0..).map(|(size, job)| {
            let list = if lists == 1 { 0 } else { table.list_of(&weights.weighted(size)) };
            (((list as u64 + 1) << LIST_SHIFT) - weights.of(size) - 1, job)
        }));
        keys.sort_unstable();
        demands.lay_out(keys, LIST_SHIFT, lists, items);
        match filling {
            Filling::PermutationPack => {
                self.packer.fill_all(
                    &mut RankedLists::new(table, ListOrder::ByRank),
                    items,
                    &self.nodes,
                    &mut self.plan,
                );
            }
            Filling::FirstFit => self.packer.fill_all(&mut OneList, items, &self.nodes, &mut self.plan),
        }

        self.tried.clear();
        self.tried.resize(self.job_of.len(), NOWHERE);
        self.next_task.clear();
        let mut tasks = 0;
        self.next_task.extend(self.demands.tasks().iter().map(|&own| {
            tasks += own as u32;
            tasks - own as u32
        }));
        for (nodes, takes) in self.plan.fillings() {
            for node in nodes {
                for take in takes {
                    let next = &mut self.next_task[self.keys[take.item as usize].1 as usize];
                    let end = *next + take.count as u32;
                    self.tried[*next as usize..end as usize].fill(node);
                    *next = end;
                }
            }
        }
    }

    /// The exact minimum yield of the mapping that was found last.
    fn found_yield(&self, instance: &Instance) -> Yield {
        let tasks = self.job_of.iter().zip(&self.found);
        let parts = tasks.map(|(&job, &node)| (job as usize, node as usize, 1));
        minimum_yield_of(instance, parts).expect("each node was found to have room")
    }

    /// The first mapping: its yield, and the lowest that failed before it.
    fn first_success(
        &mut self,
        instance: &Instance,
        highest: Yield,
        patience: &mut Patience,
    ) -> Option<(Yield, Yield)> {
        let mut failure = None;
        for shift in [u32::BITS - 1, 4, 3, 2, 1] {
            let at = Yield::try_from_units(highest.units() - (highest.units() >> shift)).expect("not above");
            let packed = if shift < 4 {
                self.packs_from_earlier(at, true, patience)
            } else {
                self.packs_from_scratch(at, Filling::PermutationPack, patience)
            };
            if packed {
                return Some((self.found_yield(instance), failure.unwrap_or(highest)));
            }
            failure = Some(at);
        }
        // Without any mapping all is lost: no effort is spared.
        let zero = Yield::ZERO;
        let packed = [Filling::PermutationPack, Filling::FirstFit]
            .into_iter()
            .any(|filling| self.packs_from_scratch(zero, filling, &mut patience.last_resort()));
        packed.then(|| (self.found_yield(instance), failure.unwrap_or(highest)))
    }

    /// Raises the yield of the mapping that was found last by small steps, which a repair follows more often than the large
    /// ones of a bisection.
    fn climb(
        &mut self,
        instance: &Instance,
        mut success: Yield,
        precision: u32,
        highest: Yield,
        patience: &mut Patience,
    ) {
        let mut step = precision.saturating_mul(2);
        while step > precision / 2 && success < highest && !patience.is_exhausted() {
            let at = success.units().saturating_add(step).min(highest.units());
            let at = Yield::try_from_units(at).expect("not above");
            if self.packs_from_earlier(at, false, patience) {
                success = self.found_yield(instance).max(at);
                step = step.saturating_add(step / 2);
            } else {
                step /= 2;
            }
        }
    }

    fn mapping(&self, jobs: usize) -> Mapping {
        let mut mapping: Mapping = vec![Vec::new(); jobs];
        for (&job, &node) in self.job_of.iter().zip(&self.found) {
            mapping[job as usize].push(NodeTasks { node: NodeId(node), tasks: 1 });
        }
        for placement in &mut mapping {
            placement.sort_unstable_by_key(|part| part.node);
            placement.dedup_by(|next, part| {
                let same = next.node == part.node;
                if same {
                    part.tasks += next.tasks;
                }
                same
            });
        }
        mapping
    }
}

impl<const D: usize> Solve for Eject<D> {
    fn solve(&mut self, instance: &Instance, options: Options) -> Option<Solution> {
        let highest = yield_bound(instance)?;
        self.read(instance);
        self.failed.clear();
        let mut patience = Patience::for_tasks(self.job_of.len(), options.effort);
        let (mut success, mut failure) = self.first_success(instance, highest, &mut patience)?;
        let precision = options.precision.units().max(1);
        let has_few = self.job_of.len() < FEW;
        let coarse = match self.job_of.len() {
            0..16 => 16,
            16..FEW => 4,
            FEW.. => 2,
        };
        while failure.units().saturating_sub(success.units()) > precision {
            // Late in the search, the sooner the fewer tasks there are, a new filling seldom wins what it costs.
            let from_scratch = failure.units() - success.units() > coarse * options.precision.units();
            let middle = success.units() + (failure.units() - success.units()) / 2;
            let middle = Yield::try_from_units(middle).expect("it lies between two yields");
            if self.packs_from_earlier(middle, has_few, &mut patience)
                || from_scratch && self.packs_from_scratch(middle, Filling::FirstFit, &mut patience)
            {
                // Rounding may have it that the mapping's is a unit less.
                success = self.found_yield(instance).max(middle);
            } else {
                failure = middle;
            }
        }
        self.climb(instance, success, precision, highest, &mut patience);
        Some(Solution {
            mapping: self.mapping(instance.jobs.len()),
            minimum_yield: self.found_yield(instance),
        })
    }
}
