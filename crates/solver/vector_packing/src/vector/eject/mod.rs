//! VP_EJECT: vector packing repaired by ejection chains; an algorithm of our own.
//!
//! Tasks that Permutation Pack cannot place at a yield are placed afterwards, by
//! [`Placement::repair`]: a task without a node takes the place of another one, which then needs a
//! node itself, and so on. Each ejection of a task makes it more expensive to eject, which keeps
//! chains from cycling (the ejection pool of Nagata and Bräysy 2009, from vehicle routing). Sizes
//! are weighted by scarcity: the total demand of all tasks divided by the total capacity of all
//! nodes.
//!
//! The search begins with VP_CPSUM, whose packing is the first solution. Yields above it are tried
//! in rounds: a quarter of the way to the bound with the nodes filled again (in the first round not,
//! if nodes differ), then a quarter of the distance between the last success and the last failure,
//! then small steps up, because packing is not monotone in the yield and small changes are repaired
//! more easily. Within a round nodes are not filled again. Instead the best placement, or after a
//! failure the one whose repair failed last, is carried to the next yield: overloaded nodes lose
//! tasks, and the repair places them again. Each success counts with the exact minimum yield of its
//! mapping, and the search continues from there. Every round is twice as patient with a repair as
//! the one before and fills nodes in another way. The total number of steps is proportional to the
//! work of VP_CPSUM. It only determines the end of the sequence: *more steps never give a lower
//! yield*.

mod placement;

use super::engine::{Engine, Reweighting, Solve};
use super::yields::{minimum_yield_of, yield_bound};
use super::{Algorithm, Options};
use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, Solved, collect_mapping};
use dfrsim_packing::filling::{
    ItemLists, ListOrder, ListTable, OneList, Packer, PackingPlan, RankedLists, fits,
};
use placement::{NOWHERE, Patience, Placement, Weights};

/// VP_EJECT for vectors of width D, with memory that is reused from instance to instance.
#[derive(Debug, Default)]
pub(super) struct Eject<const D: usize> {
    /// VP_CPSUM, which also holds the jobs and nodes of the instance.
    base: Engine<D>,
    /// Capacity of each node.
    capacities: Vec<[u64; D]>,
    /// Job of each task.
    job_of: Vec<u32>,
    items: ItemLists<D>,
    packer: Packer<D>,
    plan: PackingPlan,
    /// Jobs by list and decreasing weight.
    keys: Vec<(u64, u32)>,
    /// First task of each job that has no node yet.
    next_task: Vec<u32>,
    placement: Placement<D>,
    /// Node of each task in the packing under repair; `found` has those of the best packing.
    tried: Vec<u32>,
    found: Vec<u32>,
    /// Node of each task after the last failed repair, in which some have none; empty if there is
    /// none.
    failed: Vec<u32>,
}

/// Rule by which nodes are filled initially.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filling {
    PermutationPack,
    FirstFit,
}

/// Placement that is carried to the next yield.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Earlier {
    Found,
    /// Placement whose repair failed last.
    Failed,
}

impl<const D: usize> Eject<D> {
    /// Reads nodes and tasks from the instance that VP_CPSUM has read.
    fn read(&mut self) {
        let Eject { base: Engine { nodes, demands, .. }, capacities, job_of, .. } = self;
        capacities.clear();
        for run in nodes.runs() {
            let capacity = nodes.kinds()[run.kind as usize];
            capacities.extend((0..run.nodes).map(|_| capacity));
        }
        job_of.clear();
        for (&tasks, job) in demands.tasks().iter().zip(0..) {
            job_of.extend((0..tasks).map(|_| job));
        }
        self.failed.clear();
    }

    /// Checks that each task alone fits some node at the lowest yield.
    fn each_task_fits(&mut self) -> bool {
        self.base.demands.size_at(Yield::ZERO);
        let Engine { nodes, demands, .. } = &self.base;
        let has_room = |size: &[u64; D]| nodes.kinds().iter().any(|capacity| fits(size, capacity));
        demands.sizes().iter().zip(demands.tasks()).all(|(size, &tasks)| tasks == 0 || has_room(size))
    }

    /// Tries to pack the tasks at a yield by filling the nodes again.
    fn try_from_scratch(&mut self, scaled: Yield, filling: Filling, patience: &mut Patience) -> bool {
        self.base.demands.size_at(scaled);
        let weights = self.weights();
        self.fill(&weights, filling);
        patience.spend(2 * self.job_of.len());
        self.try_repair(&weights, patience)
    }

    /// Tries to repair an earlier placement into a packing at a yield.
    fn try_earlier(&mut self, earlier: Earlier, scaled: Yield, patience: &mut Patience) -> bool {
        self.base.demands.size_at(scaled);
        let weights = self.weights();
        self.tried.clone_from(if earlier == Earlier::Failed { &self.failed } else { &self.found });
        self.try_repair(&weights, patience)
    }

    fn try_repair(&mut self, weights: &Weights<D>, patience: &mut Patience) -> bool {
        let sizes = self.job_of.iter().map(|&job| self.base.demands.sizes()[job as usize]);
        self.placement.start(sizes, &self.capacities, weights, &self.tried);
        let repaired = self.placement.repair(patience);
        let kept = if repaired { &mut self.found } else { &mut self.failed };
        kept.clear();
        kept.extend_from_slice(self.placement.node_of());
        repaired
    }

    fn weights(&self) -> Weights<D> {
        let mut demand = [0u128; D];
        for (size, &tasks) in self.base.demands.sizes().iter().zip(self.base.demands.tasks()) {
            for (demand, &size) in demand.iter_mut().zip(size) {
                *demand += u128::from(size) * u128::from(tasks);
            }
        }
        let capacity = |d: usize| self.capacities.iter().map(|own| u128::from(own[d])).sum();
        Weights::new(&demand, &std::array::from_fn(capacity))
    }

    /// Fills the nodes; writes the node of each task to `tried`.
    fn fill(&mut self, weights: &Weights<D>, filling: Filling) {
        let Eject { base: Engine { demands, .. }, keys, items, .. } = self;
        let sizes = demands.sizes();
        let table = ListTable::new(demands.dimensions(), true);
        let lists = if filling == Filling::PermutationPack { table.count() } else { 1 };
        // Weights have fewer bits than this.
        const LIST_SHIFT: u32 = 54;
        keys.clear();
        keys.extend(sizes.iter().zip(0..).map(|(size, job)| {
            let list = if lists == 1 { 0 } else { table.list_of(&weights.weighted(size)) };
            (((list as u64 + 1) << LIST_SHIFT) - weights.of(size) - 1, job)
        }));
        keys.sort_unstable();
        demands.write_lists(keys, LIST_SHIFT, lists, items);
        match filling {
            Filling::PermutationPack => {
                self.packer.fill_all(
                    &mut RankedLists::new(table, ListOrder::ByRank),
                    items,
                    &self.base.nodes,
                    &mut self.plan,
                );
            }
            Filling::FirstFit => self.packer.fill_all(&mut OneList, items, &self.base.nodes, &mut self.plan),
        }

        self.tried.clear();
        self.tried.resize(self.job_of.len(), NOWHERE);
        let mut tasks = Tasks::of(&mut self.next_task, &self.base, &mut self.tried);
        let job = |item: u32| self.keys[item as usize].1 as usize;
        self.plan.parts().for_each(|(item, node, count)| tasks.put(job(item), node, count as u32));
    }

    /// Copies the packing of VP_CPSUM as the best one found.
    fn copy_base(&mut self) {
        self.found.clear();
        self.found.resize(self.job_of.len(), NOWHERE);
        let mut tasks = Tasks::of(&mut self.next_task, &self.base, &mut self.found);
        self.base.found().for_each(|(job, node, count)| tasks.put(job, node, count));
    }

    /// Computes the exact minimum yield of the mapping that was found last.
    fn found_yield(&self, instance: &Instance) -> Yield {
        let tasks = self.job_of.iter().zip(&self.found);
        let parts = tasks.map(|(&job, &node)| (job as usize, node as usize, 1));
        minimum_yield_of(instance, parts).expect("each node was found to fit its tasks")
    }

    /// Tries to find a packing at the lowest yield if there is none yet. Without a packing there is
    /// no solution, so all steps may be spent on it.
    fn find_first(&mut self, patience: &mut Patience) -> bool {
        if !self.each_task_fits() {
            return false;
        }
        patience.rescue();
        let mut fillings = [Filling::PermutationPack, Filling::FirstFit].into_iter().cycle();
        while !patience.is_exhausted() {
            let filling = fillings.next().expect("the iterator cycles");
            if self.try_from_scratch(Yield::ZERO, filling, patience) {
                return true;
            }
            patience.double();
        }
        false
    }

    /// Raises the yield of the best mapping in rounds, until the steps are used up.
    fn raise(&mut self, instance: &Instance, precision: u32, highest: Yield, patience: &mut Patience) {
        let mut success = self.found_yield(instance);
        // Repairing VP_CPSUM's packing reaches more than filling the nodes again if nodes differ
        // (example `eject`).
        let mut from_base = self.base.nodes.kinds().len() > 1;
        let mut fillings = [Filling::PermutationPack, Filling::FirstFit].into_iter().cycle();
        while success < highest && !patience.is_exhausted() {
            let filling = fillings.next().expect("the iterator cycles");
            self.failed.clear();
            let target = above(success, highest);
            let packs = if std::mem::take(&mut from_base) {
                self.try_earlier(Earlier::Found, target, patience)
            } else {
                self.try_from_scratch(target, filling, patience)
            };
            if packs {
                success = self.found_yield(instance).max(target);
            }
            success = self.narrow(instance, success, highest, precision, patience);
            success = self.climb(instance, success, precision, highest, patience);
            patience.double();
        }
    }

    /// Narrows the distance between the yield of the best mapping and one that failed.
    fn narrow(
        &mut self,
        instance: &Instance,
        mut success: Yield,
        mut failure: Yield,
        precision: u32,
        patience: &mut Patience,
    ) -> Yield {
        let mut earlier = if self.failed.is_empty() { Earlier::Found } else { Earlier::Failed };
        while failure.units().saturating_sub(success.units()) > precision && !patience.is_exhausted() {
            let middle = above(success, failure);
            if self.try_earlier(earlier, middle, patience) {
                // The mapping's own yield may be a unit lower because of rounding.
                success = self.found_yield(instance).max(middle);
                earlier = Earlier::Found;
            } else {
                failure = middle;
                earlier = Earlier::Failed;
            }
        }
        success
    }

    /// Raises the yield of the best mapping by small steps, since repairs succeed more often after
    /// small changes.
    fn climb(
        &mut self,
        instance: &Instance,
        mut success: Yield,
        precision: u32,
        highest: Yield,
        patience: &mut Patience,
    ) -> Yield {
        let mut step = precision.saturating_mul(2);
        while step > precision / 2 && success < highest && !patience.is_exhausted() {
            let at = success.units().saturating_add(step).min(highest.units());
            let at = Yield::try_from_units(at).expect("not above");
            if self.try_earlier(Earlier::Found, at, patience) {
                success = self.found_yield(instance).max(at);
                step = step.saturating_add(step / 2);
            } else {
                step /= 2;
            }
        }
        success
    }
}

impl<const D: usize> Solve for Eject<D> {
    fn solve(
        &mut self,
        _: Algorithm,
        instance: &Instance,
        options: Options,
        _: Option<Reweighting>,
    ) -> Option<Solved> {
        let highest = yield_bound(instance)?;
        let has_base = self.base.search(Algorithm::EJECT_START, instance, options, None).is_some();
        self.read();
        let mut patience = Patience::new(self.job_of.len(), D, self.base.work(), options.effort);
        if has_base {
            self.copy_base();
        } else if !self.find_first(&mut patience) {
            return None;
        }
        self.raise(instance, options.precision.units().max(1), highest, &mut patience);
        let parts = self.job_of.iter().zip(&self.found).map(|(&job, &node)| (job as usize, node, 1));
        Some(Solved {
            mapping: collect_mapping(instance.jobs.len(), parts),
            minimum_yield: self.found_yield(instance),
        })
    }
}

/// Returns the next yield to try between a success and a failure: a quarter of the way, because a
/// failure costs more than a success and gives less information.
fn above(success: Yield, failure: Yield) -> Yield {
    let step = (failure.units() - success.units()).div_ceil(4);
    Yield::try_from_units(success.units() + step).expect("it lies between two yields")
}

/// Assigner of nodes to the tasks of each job, one after the other.
struct Tasks<'a> {
    /// First task of each job that has no node yet.
    next: &'a mut [u32],
    node_of: &'a mut [u32],
}

impl<'a> Tasks<'a> {
    fn of<const D: usize>(next: &'a mut Vec<u32>, jobs: &Engine<D>, node_of: &'a mut [u32]) -> Tasks<'a> {
        let mut first = 0;
        next.clear();
        next.extend(jobs.demands.tasks().iter().map(|&own| {
            first += own as u32;
            first - own as u32
        }));
        Tasks { next, node_of }
    }

    fn put(&mut self, job: usize, node: u32, count: u32) {
        let next = &mut self.next[job];
        let end = *next + count;
        self.node_of[*next as usize..end as usize].fill(node);
        *next = end;
    }
}
