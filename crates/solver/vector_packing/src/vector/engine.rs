//! Application of one algorithm to one instance: lists at a yield, packing, search.

use super::Options;
use super::algorithm::{Algorithm, Rule};
use super::best_fit::{BestFit, Placed};
use super::demands::{Demands, read_node_runs};
use super::order::{Order, sum};
use super::scored::Scored;
use super::yields::search;
use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, Solved, collect_mapping};
use dfrsim_packing::filling::{
    ItemLists, ListOrder, ListTable, NodeRuns, OneList, Packer, PackingPlan, RankedLists,
};
use std::cmp::Reverse;
use std::fmt;

/// Weights of the resources with which a packing that failed is tried once more. They are computed
/// from the items in their order, each with the size and the number of its tasks, and from the
/// capacities of the nodes.
pub type Reweighting = fn(items: &[(&[u64], u64)], nodes: &[&[u64]]) -> Vec<u64>;

/// Solver of instances with up to a fixed number of resources.
pub(super) trait Solve: fmt::Debug {
    /// Solves an instance. Packings of a single list that fail are tried again in the order of
    /// decreasing weighted sums of sizes, if there is a reweighting.
    fn solve(
        &mut self,
        algorithm: Algorithm,
        instance: &Instance,
        options: Options,
        second_try: Option<Reweighting>,
    ) -> Option<Solved>;
}

/// Solver for vectors of width D, with memory that is reused from instance to instance.
#[derive(Debug, Default)]
pub(super) struct Engine<const D: usize> {
    pub(super) demands: Demands<D>,
    pub(super) nodes: NodeRuns<D>,
    items: ItemLists<D>,
    packer: Packer<D>,
    best_fit: BestFit<D>,
    tried: PackedItems,
    found: PackedItems,
    /// Jobs with their sort keys: the number of the list and a prefix of the position in it.
    keys: Vec<(u64, u32)>,
    /// Work of the last search: number of items sorted and taken.
    work: usize,
}

/// Packing: its items and their nodes.
#[derive(Debug, Default)]
struct PackedItems {
    /// Job of each item.
    jobs: Vec<u32>,
    /// Placements by a rule that fills node by node.
    plan: PackingPlan,
    /// Placements by Best Fit.
    placed: Vec<Placed>,
}

impl PackedItems {
    /// Returns each job, node and number of tasks there.
    fn parts(&self) -> impl Iterator<Item = (usize, u32, u32)> {
        let placed = self.placed.iter().map(|placed| (placed.item, placed.node, placed.count));
        self.plan.parts().chain(placed).map(|(item, node, count)| {
            let tasks = u32::try_from(count).expect("no more than its job has");
            (self.jobs[item as usize] as usize, node, tasks)
        })
    }
}

/// Lists of an algorithm, and the rule by which a packing uses them.
#[derive(Debug)]
enum PackingLists<const D: usize> {
    /// One list, from which each item goes to the fullest node that fits.
    BestFit,
    /// One list, from which nodes are filled.
    One,
    /// One list, from which a node takes the item with the best score.
    Scored(Rule),
    /// One list for each pair of dimensions.
    Ranked(RankedLists<D>),
}

impl<const D: usize> PackingLists<D> {
    fn of(rule: Rule, dimensions: usize, order: ListOrder) -> PackingLists<D> {
        let table = |ordered| ListTable::new(dimensions, ordered);
        let order = if rule == Rule::Mcb { ListOrder::ByRank } else { order };
        match (rule, dimensions) {
            (Rule::BestFit, _) => PackingLists::BestFit,
            (rule @ (Rule::DotProduct | Rule::Norm), _) => PackingLists::Scored(rule),
            (Rule::FirstFit, _) | (_, 1) | (Rule::ChoosePack, 2) => PackingLists::One,
            _ => PackingLists::Ranked(RankedLists::new(table(rule != Rule::ChoosePack), order)),
        }
    }
    fn table(&self) -> Option<&ListTable<D>> {
        match self {
            PackingLists::BestFit | PackingLists::One | PackingLists::Scored(_) => None,
            PackingLists::Ranked(RankedLists { table, .. }) => Some(table),
        }
    }
}

impl<const D: usize> Engine<D> {
    /// Searches the largest yield; returns the last one that succeeded.
    pub(super) fn search(
        &mut self,
        algorithm: Algorithm,
        instance: &Instance,
        options: Options,
        second_try: Option<Reweighting>,
    ) -> Option<Yield> {
        self.demands.read(instance);
        read_node_runs(instance, &mut self.nodes);
        self.work = 0;
        let mut lists = PackingLists::of(algorithm.rule, instance.dimensions(), options.lists);
        search(instance, options.precision, options.probes, |at| {
            self.packs_at(algorithm, at, &mut lists, second_try)
        })
    }

    /// Returns each job, node and number of tasks there in the packing that was found last.
    pub(super) fn found(&self) -> impl Iterator<Item = (usize, u32, u32)> {
        self.found.parts()
    }

    /// Returns the work of the last search: number of items sorted and taken.
    pub(super) fn work(&self) -> usize {
        self.work
    }

    /// Tries to pack the items at a yield; returns whether that succeeded, and keeps the packing.
    fn packs_at(
        &mut self,
        algorithm: Algorithm,
        scaled: Yield,
        lists: &mut PackingLists<D>,
        second_try: Option<Reweighting>,
    ) -> bool {
        self.demands.size_at(scaled);
        self.write_lists_by_order(algorithm.order, lists.table());
        let mut packed = self.pack(lists);
        if let (false, Some(reweighting)) = (packed, second_try) {
            self.write_lists_by_order(algorithm.order, lists.table());
            let weights = self.weights(reweighting);
            self.write_list_by_weight(&weights);
            packed = self.pack(lists);
        }
        self.work += self.keys.len() + self.tried.plan.takes();
        if packed {
            std::mem::swap(&mut self.tried, &mut self.found);
        }
        packed
    }

    fn pack(&mut self, lists: &mut PackingLists<D>) -> bool {
        let (packer, items, nodes) = (&mut self.packer, &mut self.items, &self.nodes);
        let plan = &mut self.tried.plan;
        match lists {
            PackingLists::BestFit => self.best_fit.pack(items, nodes, &mut self.tried.placed),
            PackingLists::One => packer.pack(&mut OneList, items, nodes, plan),
            PackingLists::Scored(rule) => packer.pack(&mut Scored::new(*rule, items), items, nodes, plan),
            PackingLists::Ranked(rule) => packer.pack(rule, items, nodes, plan),
        }
    }

    /// Writes the lists in the order of the algorithm.
    fn write_lists_by_order(&mut self, order: Order, table: Option<&ListTable<D>>) {
        let Engine { demands, keys, .. } = self;
        let (sizes, dimensions) = (demands.sizes(), demands.dimensions());
        keys.clear();
        keys.extend(sizes.iter().zip(0..).map(|(size, job)| {
            let list = table.map_or(0, |table| table.list_of(size)) as u64;
            (list << Order::PREFIX_BITS | order.prefix(&size[..dimensions]), job)
        }));
        // Few keys share a prefix, so nearly every comparison is that of two numbers.
        keys.sort_unstable_by(|a, b| {
            let size = |job: u32| &sizes[job as usize][..dimensions];
            a.0.cmp(&b.0).then_with(|| order.compare(size(a.1), size(b.1))).then(a.1.cmp(&b.1))
        });

        self.tried.jobs.clear();
        self.tried.jobs.extend(keys.iter().map(|&(_, job)| job));
        demands.write_lists(keys, Order::PREFIX_BITS, table.map_or(1, ListTable::count), &mut self.items);
    }

    /// Computes the weights of the resources for a second try.
    fn weights(&self, reweighting: Reweighting) -> [u64; D] {
        let dimensions = self.demands.dimensions();
        let items = self.items.items().iter().map(|item| (&item.size[..dimensions], item.left));
        let nodes = self.nodes.runs().iter().flat_map(|run| {
            let free = &self.nodes.kinds()[run.kind as usize][..dimensions];
            std::iter::repeat_n(free, run.nodes as usize)
        });
        let weights = reweighting(&items.collect::<Vec<_>>(), &nodes.collect::<Vec<_>>());
        std::array::from_fn(|d| weights.get(d).copied().unwrap_or(0))
    }

    /// Writes one list by decreasing weighted sum of sizes.
    fn write_list_by_weight(&mut self, weights: &[u64; D]) {
        let sizes = self.demands.sizes();
        let weighted_sum = |job: u32| -> u128 {
            let products = sizes[job as usize].iter().zip(weights);
            products.map(|(&size, &weight)| u128::from(size) * u128::from(weight)).sum()
        };
        let jobs = &mut self.tried.jobs;
        jobs.sort_by_cached_key(|&job| (Reverse(weighted_sum(job)), Reverse(sum(&sizes[job as usize])), job));
        self.items.clear();
        for &job in &*jobs {
            self.items.push(sizes[job as usize], self.demands.tasks()[job as usize]);
        }
        self.items.close_list();
    }
}

impl<const D: usize> Solve for Engine<D> {
    fn solve(
        &mut self,
        algorithm: Algorithm,
        instance: &Instance,
        options: Options,
        second_try: Option<Reweighting>,
    ) -> Option<Solved> {
        let probed = self.search(algorithm, instance, options, second_try)?;
        let mapping = collect_mapping(instance.jobs.len(), self.found.parts());
        Some(options.claimed.solved(probed, instance, mapping))
    }
}
