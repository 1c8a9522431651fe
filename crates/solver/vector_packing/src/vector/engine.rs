//! One algorithm on one instance: lists laid out at a yield, packed, searched.

use super::Options;
use super::algorithm::{Algorithm, Rule};
use super::best_fit::{BestFit, Placed};
use super::demands::{Demands, read_nodes};
use super::dominance::failed_tests;
use super::order::{Order, sum};
use super::scored::Scored;
use super::yields::search;
use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, Solved, mapping_of};
use dfrsim_packing::filling::{
    ItemLists, ListOrder, ListTable, NodeRuns, OneList, Packer, Plan, RankedLists,
};
use std::cmp::Reverse;
use std::fmt;

/// Solves instances of up to this many resources as it was made for.
pub(super) trait Solve: fmt::Debug {
    fn solve(&mut self, algorithm: Algorithm, instance: &Instance, options: Options) -> Option<Solved>;
}

/// An algorithm for vectors of width D, with memory that is used again from instance to instance.
#[derive(Debug, Default)]
pub(super) struct Engine<const D: usize> {
    pub(super) demands: Demands<D>,
    pub(super) nodes: NodeRuns<D>,
    items: ItemLists<D>,
    packer: Packer<D>,
    best_fit: BestFit<D>,
    tried: Packed,
    found: Packed,
    /// The jobs with what sorts them: the number of the list and a prefix of their place in it.
    keys: Vec<(u64, u32)>,
    /// How much the last search did: items that were sorted and taken.
    work: usize,
}

/// A packing: which items there were, and where they went.
#[derive(Debug, Default)]
struct Packed {
    /// The job of each item.
    jobs: Vec<u32>,
    /// By a rule that fills node by node.
    plan: Plan,
    /// By Best Fit.
    placed: Vec<Placed>,
}

impl Packed {
    /// Each job, node and number of tasks there.
    fn parts(&self) -> impl Iterator<Item = (usize, u32, u32)> {
        let placed = self.placed.iter().map(|placed| (placed.item, placed.node, placed.count));
        self.plan.parts().chain(placed).map(|(item, node, count)| {
            let tasks = u32::try_from(count).expect("no more than its job has");
            (self.jobs[item as usize] as usize, node, tasks)
        })
    }
}

/// The lists of an algorithm, and how a packing goes through them.
#[derive(Debug)]
enum Lists<const D: usize> {
    /// One list, from which each item goes to the fullest node.
    BestFit,
    /// One list, from which nodes are filled.
    One,
    /// One list, from which a node takes what suits it best.
    Scored(Rule),
    /// A list for each pair of dimensions.
    Ranked(RankedLists<D>),
}

impl<const D: usize> Lists<D> {
    fn of(rule: Rule, dimensions: usize, order: ListOrder) -> Lists<D> {
        let table = |ordered| ListTable::new(dimensions, ordered);
        let order = if rule == Rule::Mcb { ListOrder::ByRank } else { order };
        match (rule, dimensions) {
            (Rule::BestFit, _) => Lists::BestFit,
            (rule @ (Rule::DotProduct | Rule::Norm), _) => Lists::Scored(rule),
            (Rule::FirstFit, _) | (_, 1) | (Rule::ChoosePack, 2) => Lists::One,
            _ => Lists::Ranked(RankedLists::new(table(rule != Rule::ChoosePack), order)),
        }
    }
    fn table(&self) -> Option<&ListTable<D>> {
        match self {
            Lists::BestFit | Lists::One | Lists::Scored(_) => None,
            Lists::Ranked(RankedLists { table, .. }) => Some(table),
        }
    }
}

impl<const D: usize> Engine<D> {
    /// Searches the largest yield; the last one that succeeded.
    pub(super) fn search(
        &mut self,
        algorithm: Algorithm,
        instance: &Instance,
        options: Options,
    ) -> Option<Yield> {
        self.demands.read(instance);
        read_nodes(instance, &mut self.nodes);
        self.work = 0;
        let mut lists = Lists::of(algorithm.rule, instance.dimensions(), options.lists);
        search(instance, options.precision, options.probes, |at| self.packs_at(algorithm, at, &mut lists))
    }

    /// Each job, node and number of tasks there of the packing that was found last.
    pub(super) fn found(&self) -> impl Iterator<Item = (usize, u32, u32)> {
        self.found.parts()
    }

    /// How much the last search did: items that were sorted and taken.
    pub(super) fn work(&self) -> usize {
        self.work
    }

    /// Whether the items can be packed at a yield; remembers the packing.
    fn packs_at(&mut self, algorithm: Algorithm, scaled: Yield, lists: &mut Lists<D>) -> bool {
        self.demands.size_at(scaled);
        self.lay_out_by_order(algorithm.order, lists.table());
        let mut packed = self.pack(lists);
        if !packed && algorithm.dominance {
            self.lay_out_by_order(algorithm.order, lists.table());
            self.lay_out_by_weight(&failed_tests(algorithm.rule, &self.items, &self.nodes));
            packed = self.pack(lists);
        }
        self.work += self.keys.len() + self.tried.plan.takes();
        if packed {
            std::mem::swap(&mut self.tried, &mut self.found);
        }
        packed
    }

    fn pack(&mut self, lists: &mut Lists<D>) -> bool {
        let (packer, items, nodes) = (&mut self.packer, &mut self.items, &self.nodes);
        let plan = &mut self.tried.plan;
        match lists {
            Lists::BestFit => self.best_fit.pack(items, nodes, &mut self.tried.placed),
            Lists::One => packer.pack(&mut OneList, items, nodes, plan),
            Lists::Scored(rule) => packer.pack(&mut Scored::new(*rule, items), items, nodes, plan),
            Lists::Ranked(rule) => packer.pack(rule, items, nodes, plan),
        }
    }

    /// Writes the lists in an order.
    fn lay_out_by_order(&mut self, order: Order, table: Option<&ListTable<D>>) {
        let Engine { demands, keys, .. } = self;
        let (sizes, dimensions) = (demands.sizes(), demands.dimensions());
        keys.clear();
        keys.extend(sizes.iter().zip(0..).map(|(size, job)| {
            let list = table.map_or(0, |table| table.list_of(size)) as u64;
            (list << Order::PREFIX_BITS | order.prefix(&size[..dimensions]), job)
        }));
        // Few are alike in the prefix, so that it is the comparison of two numbers nearly always.
        keys.sort_unstable_by(|a, b| {
            let size = |job: u32| &sizes[job as usize][..dimensions];
            a.0.cmp(&b.0).then_with(|| order.compare(size(a.1), size(b.1))).then(a.1.cmp(&b.1))
        });

        self.tried.jobs.clear();
        self.tried.jobs.extend(keys.iter().map(|&(_, job)| job));
        demands.lay_out(keys, Order::PREFIX_BITS, table.map_or(1, ListTable::count), &mut self.items);
    }

    /// Writes one list by decreasing weighted sum of sizes.
    fn lay_out_by_weight(&mut self, weights: &[u64; D]) {
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
    fn solve(&mut self, algorithm: Algorithm, instance: &Instance, options: Options) -> Option<Solved> {
        let probed = self.search(algorithm, instance, options)?;
        let mapping = mapping_of(instance.jobs.len(), self.found.parts());
        Some(options.claimed.solved(probed, instance, mapping))
    }
}
