//! VP_EJECT: vector packing repaired by chains of ejections; an algorithm of our own.
//!
//! What Permutation Pack cannot place at a yield is placed afterwards, by [`Placement::repair`]: a task without a node
//! takes the place of another, which then looks for one itself, and so on. A task becomes the dearer to eject the more
//! often it was, which keeps chains from going in circles (the ejection pool of Nagata and Bräysy 2009, from vehicle
//! routing). Sizes count by how scarce they are: what all tasks ask for by what all nodes have.
//!
//! The search begins with VP_CPSUM, whose packing is the first one. Yields above it are tried in rounds: a quarter of the way to the
//! bound with the nodes filled again (not at first where nodes differ), then a quarter of what lies between the last success and the
//! last failure, then small steps up, because packing is not monotone in the yield and a repair the likelier the less it changes.
//! Within a round nodes are not filled again: the placement whose repair failed last, from where a lower yield is near, or the best
//! one found is carried to the next yield, where tasks that are too much lose their nodes, and the rest is repair. Each success
//! counts with the exact minimum yield of its mapping, so that the search continues from there. Every round is twice as patient with
//! a repair as the one before and fills nodes in another way. All of them together take a number of steps, in proportion to what
//! VP_CPSUM did, that only decides where the sequence ends: *more steps never give a lower yield*.

mod placement;

use super::engine::{Engine, Solve};
use super::yields::{minimum_yield_of, yield_bound};
use super::{Algorithm, Options};
use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, Solved, mapping_of};
use dfrsim_packing::filling::{ItemLists, ListOrder, ListTable, OneList, Packer, Plan, RankedLists, fits};
use placement::{NOWHERE, Patience, Placement, Weights};

/// The algorithm for vectors of width D, with memory that is used again from instance to instance.
#[derive(Debug, Default)]
pub(super) struct Eject<const D: usize> {
    /// VP_CPSUM, with the jobs and nodes of the instance.
    floor: Engine<D>,
    /// The capacity of each node.
    capacities: Vec<[u64; D]>,
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
    /// The node of each task, as a packing to be repaired and in the best one found.
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

/// A placement that is carried from an earlier yield to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Earlier {
    Found,
    /// The one whose repair failed last.
    Failed,
}

impl<const D: usize> Eject<D> {
    /// Reads what the floor read.
    fn read(&mut self) {
        let Eject { floor: Engine { nodes, demands, .. }, capacities, job_of, .. } = self;
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

    /// Whether each task alone has a node that is large enough, at the lowest yield.
    fn each_has_room(&mut self) -> bool {
        self.floor.demands.size_at(Yield::ZERO);
        let Engine { nodes, demands, .. } = &self.floor;
        let has_room = |size: &[u64; D]| nodes.kinds().iter().any(|capacity| fits(size, capacity));
        demands.sizes().iter().zip(demands.tasks()).all(|(size, &tasks)| tasks == 0 || has_room(size))
    }

    /// Whether tasks can be packed at a yield by filling the nodes again.
    fn packs_from_scratch(&mut self, scaled: Yield, filling: Filling, patience: &mut Patience) -> bool {
        self.floor.demands.size_at(scaled);
        let weights = self.weights();
        self.fill(&weights, filling);
        patience.spend(2 * self.job_of.len());
        self.repairs(&weights, patience)
    }

    /// Whether an earlier placement can be repaired to be a packing at a yield.
    fn packs_from(&mut self, earlier: Earlier, scaled: Yield, patience: &mut Patience) -> bool {
        self.floor.demands.size_at(scaled);
        let weights = self.weights();
        self.tried.clone_from(if earlier == Earlier::Failed { &self.failed } else { &self.found });
        self.repairs(&weights, patience)
    }

    fn repairs(&mut self, weights: &Weights<D>, patience: &mut Patience) -> bool {
        let sizes = self.job_of.iter().map(|&job| self.floor.demands.sizes()[job as usize]);
        self.placement.start(sizes, &self.capacities, weights, &self.tried);
        let repaired = self.placement.repair(patience);
        let kept = if repaired { &mut self.found } else { &mut self.failed };
        kept.clear();
        kept.extend_from_slice(self.placement.node_of());
        repaired
    }

    fn weights(&self) -> Weights<D> {
        let mut demand = [0u128; D];
        for (size, &tasks) in self.floor.demands.sizes().iter().zip(self.floor.demands.tasks()) {
            for (demand, &size) in demand.iter_mut().zip(size) {
                *demand += u128::from(size) * u128::from(tasks);
            }
        }
        let capacity = |d: usize| self.capacities.iter().map(|own| u128::from(own[d])).sum();
        Weights::new(&demand, &std::array::from_fn(capacity))
    }

    /// Fills the nodes; `tried` is where the tasks went.
    fn fill(&mut self, weights: &Weights<D>, filling: Filling) {
        let Eject { floor: Engine { demands, .. }, keys, items, .. } = self;
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
                    &self.floor.nodes,
                    &mut self.plan,
                );
            }
            Filling::FirstFit => self.packer.fill_all(&mut OneList, items, &self.floor.nodes, &mut self.plan),
        }

        self.tried.clear();
        self.tried.resize(self.job_of.len(), NOWHERE);
        let mut tasks = Tasks::of(&mut self.next_task, &self.floor, &mut self.tried);
        let job = |item: u32| self.keys[item as usize].1 as usize;
        self.plan.parts().for_each(|(item, node, count)| tasks.put(job(item), node, count as u32));
    }

    /// Takes the packing of the floor as the best one found.
    fn take_floor(&mut self) {
        self.found.clear();
        self.found.resize(self.job_of.len(), NOWHERE);
        let mut tasks = Tasks::of(&mut self.next_task, &self.floor, &mut self.found);
        self.floor.found().for_each(|(job, node, count)| tasks.put(job, node, count));
    }

    /// The exact minimum yield of the mapping that was found last.
    fn found_yield(&self, instance: &Instance) -> Yield {
        let tasks = self.job_of.iter().zip(&self.found);
        let parts = tasks.map(|(&job, &node)| (job as usize, node as usize, 1));
        minimum_yield_of(instance, parts).expect("each node was found to have room")
    }

    /// Finds a packing at the lowest yield, if there is none yet. Without any all is lost, so that the whole effort goes into it.
    fn rescues(&mut self, patience: &mut Patience) -> bool {
        if !self.each_has_room() {
            return false;
        }
        patience.rescue();
        let mut fillings = [Filling::PermutationPack, Filling::FirstFit].into_iter().cycle();
        while !patience.is_exhausted() {
            let filling = fillings.next().expect("they come again");
            if self.packs_from_scratch(Yield::ZERO, filling, patience) {
                return true;
            }
            patience.double();
        }
        false
    }

    /// Raises the yield of the best mapping in rounds, as far as the steps go.
    fn raise(&mut self, instance: &Instance, precision: u32, highest: Yield, patience: &mut Patience) {
        let mut success = self.found_yield(instance);
        // Where nodes differ, repairs of VP_CPSUM's packing reach more than those of nodes that are filled again (example `eject`).
        let mut from_floor = self.floor.nodes.kinds().len() > 1;
        let mut fillings = [Filling::PermutationPack, Filling::FirstFit].into_iter().cycle();
        while success < highest && !patience.is_exhausted() {
            let filling = fillings.next().expect("they come again");
            self.failed.clear();
            let target = above(success, highest);
            let packs = if std::mem::take(&mut from_floor) {
                self.packs_from(Earlier::Found, target, patience)
            } else {
                self.packs_from_scratch(target, filling, patience)
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
            if self.packs_from(earlier, middle, patience) {
                // Rounding may have it that the mapping's is a unit less.
                success = self.found_yield(instance).max(middle);
                earlier = Earlier::Found;
            } else {
                failure = middle;
                earlier = Earlier::Failed;
            }
        }
        success
    }

    /// Raises the yield of the best mapping by small steps, which a repair follows more often than large ones.
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
            if self.packs_from(Earlier::Found, at, patience) {
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
    fn solve(&mut self, _: Algorithm, instance: &Instance, options: Options) -> Option<Solved> {
        let highest = yield_bound(instance)?;
        let has_floor = self.floor.search(Algorithm::FLOOR, instance, options).is_some();
        self.read();
        let mut patience = Patience::new(self.job_of.len(), D, self.floor.work(), options.effort);
        if has_floor {
            self.take_floor();
        } else if !self.rescues(&mut patience) {
            return None;
        }
        self.raise(instance, options.precision.units().max(1), highest, &mut patience);
        let parts = self.job_of.iter().zip(&self.found).map(|(&job, &node)| (job as usize, node, 1));
        Some(Solved {
            mapping: mapping_of(instance.jobs.len(), parts),
            minimum_yield: self.found_yield(instance),
        })
    }
}

/// What is tried between a yield with a packing and one that has none yet: a quarter of the way, because a failure costs more than a
/// success and says less.
fn above(success: Yield, failure: Yield) -> Yield {
    let step = (failure.units() - success.units()).div_ceil(4);
    Yield::try_from_units(success.units() + step).expect("it lies between two yields")
}

/// The tasks of jobs that get their nodes one after the other.
struct Tasks<'a> {
    /// The first task of each job that has no node yet.
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
