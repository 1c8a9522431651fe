//! MCB: vector packing inside a search for the largest yield (dissertation, sections 4.2.5 and 5.2.2).
//!
//! A job is a number of identical tasks; a task occupies its memory on a node and, at a yield, that part of its
//! CPU need. [`Mcb::map`] finds a yield, as large as the search can make it, at which all tasks of all jobs can
//! be packed onto identical nodes, and the packing. If there is none, the jobs of lowest priority are left out.
//!
//! ```
//! use dfrsim_model::{Share, Yield};
//! use dfrsim_packing::mcb::{Mcb, McbOptions, PackJob};
//!
//! let job = |sequence, tasks, memory_tenths| PackJob {
//!     tasks,
//!     need: Share::ONE,
//!     memory: Share::from_ratio(memory_tenths, 10),
//!     sequence,
//!     pinned: None,
//! };
//! let mut mcb = Mcb::new(2, McbOptions::default());
//!
//! // Four tasks on two nodes: two on each, at half their speed.
//! let jobs = [job(0, 2, 6), job(1, 2, 4)];
//! let mapping = mcb.map(&jobs);
//! assert_eq!(mapping.value(), Yield::from_ratio(1, 2));
//! assert_eq!(mapping.placement(0), mapping.placement(1));
//!
//! // Three tasks of six tenths do not fit: the job of lower priority, which is last, is left out.
//! let jobs = [job(1, 2, 6), job(0, 1, 6)];
//! let mapping = mcb.map(&jobs);
//! assert!(mapping.is_kept(0) && !mapping.is_kept(1));
//! ```
//!
//! The packing itself is that of [`vector`](crate::vector) and is independent of jobs: items of a size with counts
//! ([`Packing`]'s rules fill nodes with them). The search around it is independent of packing. The two share what they
//! need to know of jobs: sizes at a yield, pinned tasks, and which task belongs to which job.

mod by_target;
mod demand;
mod options;
mod pinned_nodes;
mod placements;
mod uniform;
mod weighted;

pub use options::{Balanced, DropRule, McbOptions, Packing, Probes, Ties};

use crate::filling::{ItemLists, OneList, Packer, Plan, TwoLists};
use crate::yield_search::{Ends, SearchRange};
use by_target::{ByTarget, TargetScratch};
use demand::{CPU, Demand, KeptJobs, Layout, MEMORY};
use dfrsim_model::{NodeTasks, Share, Yield};
use pinned_nodes::PinnedNodes;
use placements::Placements;
use uniform::{Classes, Uniform};
use weighted::Levels;

/// A job to be mapped.
#[derive(Clone, Copy, Debug)]
pub struct PackJob<'a> {
    /// How many tasks it has; at least one.
    pub tasks: u32,
    /// The CPU that a task could use.
    pub need: Share,
    /// The memory that a task occupies.
    pub memory: Share,
    /// Its place in the order of submission, which breaks ties between equal tasks ([`Ties`]).
    pub sequence: u64,
    /// The nodes of its tasks if they may not move: all of them, in ascending order. Such a job stays there or is left
    /// out.
    pub pinned: Option<&'a [NodeTasks]>,
}

/// Maps jobs to the nodes of one cluster. Holds the memory that this takes, so that calls do not allocate once
/// the largest set of jobs has been seen.
#[derive(Debug)]
pub struct Mcb {
    options: McbOptions,
    nodes: u32,
    classes: Classes,
    target_scratch: TargetScratch,
    search: Search,
    placements: Placements,
}

/// The result of [`Mcb::map`]: jobs are counted as they were given.
#[derive(Clone, Copy, Debug)]
pub struct Mapping<'a> {
    value: Yield,
    jobs: &'a [PackJob<'a>],
    kept: &'a KeptJobs,
    placements: &'a Placements,
}

impl<'a> Mapping<'a> {
    /// The yield at which the packing was found, or the target of [`Mcb::map_by`]; the highest that was searched
    /// if no job is kept.
    #[must_use]
    pub fn value(&self) -> Yield {
        self.value
    }
    /// Whether a job has a place.
    #[must_use]
    pub fn is_kept(&self, job: usize) -> bool {
        self.kept.flags()[job]
    }
    /// The nodes of a job's tasks in ascending order; empty if it is not kept.
    #[must_use]
    pub fn placement(&self, job: usize) -> &'a [NodeTasks] {
        match self.jobs[job].pinned {
            Some(pinned) if self.is_kept(job) => pinned,
            Some(_) => &[],
            None => self.placements.of(job),
        }
    }
}

impl Mcb {
    /// For a cluster of this many nodes.
    #[must_use]
    pub fn new(nodes: u32, options: McbOptions) -> Mcb {
        Mcb {
            options,
            nodes,
            classes: Classes::default(),
            target_scratch: TargetScratch::default(),
            search: Search::new(nodes, options),
            placements: Placements::default(),
        }
    }

    /// Maps jobs, given by decreasing priority, at the largest yield that the search finds.
    ///
    /// The yields in [floor, min(1, nodes / sum of needs)] are searched, as [`Probes`] says; the result is the last that
    /// succeeded (success is not monotone in the yield). If none does, or the range is empty, the last job is left out.
    ///
    /// # Panics
    /// If a pinned task is on a node that the cluster does not have.
    pub fn map<'a>(&'a mut self, jobs: &'a [PackJob<'a>]) -> Mapping<'a> {
        let McbOptions { floor, precision, cpu_step, .. } = self.options;
        let floor = floor.max(Yield::try_from_units(1).expect("one unit is a yield"));
        let value = if cpu_step.is_none() {
            let demand = Uniform::new(jobs, self.options, floor, &mut self.classes);
            self.search.run(jobs, self.nodes, demand, precision, &mut self.placements)
        } else {
            // In whole steps tasks of different needs can ask for the same, so classes by need are of no use.
            let range =
                |kept: &KeptJobs, nodes| SearchRange { lowest: floor, highest: kept.yield_bound(nodes) };
            let same = |_, value| Some(value);
            let demand = ByTarget::new(jobs, self.options, range, same, &mut self.target_scratch);
            self.search.run(jobs, self.nodes, demand, precision, &mut self.placements)
        };
        Mapping { value, jobs, kept: &self.search.kept, placements: &self.placements }
    }

    /// The same for jobs that have yields in proportion to weights, up to 1: at a level, a job of the least weight has the level as its
    /// yield, and any other min(1, level * weight / least weight), rounded down. There is a weight for each job, at least 1.
    ///
    /// Levels are searched as the yields of [`Mcb::map`] are, up to the largest one for which the nodes together have enough CPU. With
    /// equal weights the mapping is that of [`Mcb::map`].
    ///
    /// # Panics
    /// As [`Mcb::map`], or if a weight is missing.
    pub fn map_weighted<'a>(&'a mut self, jobs: &'a [PackJob<'a>], weights: &[u32]) -> Mapping<'a> {
        let McbOptions { floor, precision, .. } = self.options;
        let lowest = floor.max(Yield::try_from_units(1).expect("one unit is a yield"));
        let levels = Levels::new(weights);
        let range = |kept: &KeptJobs, nodes| SearchRange { lowest, highest: levels.bound(jobs, kept, nodes) };
        let yield_at = |job, level| Some(levels.yield_of(job, level));
        let demand = ByTarget::new(jobs, self.options, range, yield_at, &mut self.target_scratch);
        let value = self.search.run(jobs, self.nodes, demand, precision, &mut self.placements);
        Mapping { value, jobs, kept: &self.search.kept, placements: &self.placements }
    }

    /// Maps jobs, given by decreasing priority, at the largest target in [`lowest`, `highest`] that the search
    /// finds, where `yield_at` says which yield a job (counted as given) has at a target; a target at which a
    /// kept job has none fails. The search is that of [`Mcb::map`], between other ends and with the precision of stretches.
    ///
    /// This is the form that optimises the stretch (dissertation, section 5.2.6): the target is the inverse of
    /// the largest estimated stretch.
    ///
    /// # Panics
    /// As [`Mcb::map`].
    pub fn map_by<'a>(
        &'a mut self,
        jobs: &'a [PackJob<'a>],
        lowest: Yield,
        highest: Yield,
        yield_at: impl Fn(usize, Yield) -> Option<Yield>,
    ) -> Mapping<'a> {
        let range = |_: &KeptJobs, _| SearchRange { lowest, highest };
        let precision = self.options.stretch_precision;
        let demand = ByTarget::new(jobs, self.options, range, yield_at, &mut self.target_scratch);
        let value = self.search.run(jobs, self.nodes, demand, precision, &mut self.placements);
        Mapping { value, jobs, kept: &self.search.kept, placements: &self.placements }
    }
}

/// The search for a set of jobs and a value, with the packing that was found last.
#[derive(Debug)]
struct Search {
    options: McbOptions,
    kept: KeptJobs,
    layout: Layout,
    packer: Packer<2>,
    tried: Plan,
    found: Plan,
}

impl Search {
    fn new(nodes: u32, options: McbOptions) -> Search {
        Search {
            options,
            kept: KeptJobs::default(),
            layout: Layout { items: ItemLists::new(), nodes: PinnedNodes::new(nodes) },
            packer: Packer::new(),
            tried: Plan::default(),
            found: Plan::default(),
        }
    }

    /// Finds the jobs that are kept, the value and the placements.
    fn run(
        &mut self,
        jobs: &[PackJob],
        nodes: u32,
        mut demand: impl Demand,
        precision: Yield,
        placements: &mut Placements,
    ) -> Yield {
        let mut value = self.keep_prefix(jobs, nodes, precision, &mut demand);
        if self.options.drop == DropRule::Skip && self.try_dropped_again(jobs, nodes, precision, &mut demand)
        {
            value = self.largest(nodes, precision, &mut demand);
        }
        placements.reset(jobs, nodes);
        let Some(value) = value else { return demand.range(&self.kept, nodes).highest };
        // Laid out once more as it was when the packing was found: the items map tasks to jobs.
        demand.arrange(value, &self.kept, &mut self.layout);
        let items = self.layout.items.items().len();
        placements.hand_out(&self.found, jobs, &self.kept, &demand, items);
        value
    }

    /// The largest value at which the search finds a packing of the kept jobs, which then is remembered.
    fn largest(&mut self, nodes: u32, precision: Yield, demand: &mut impl Demand) -> Option<Yield> {
        if self.options.probes == Probes::Bisection {
            let whole = SearchRange { lowest: Yield::ZERO, highest: Yield::ONE };
            return whole.bisect_open(precision, |value| self.packs_at(value, demand));
        }
        let range = demand.range(&self.kept, nodes);
        match range.try_ends(|value| self.packs_at(value, demand)) {
            Ends::Highest => Some(range.highest),
            Ends::Lowest => Some(range.bisect(precision, |value| self.packs_at(value, demand))),
            Ends::Neither => None,
        }
    }

    /// Keeps the most jobs of highest priority of which the search finds a packing; its value.
    fn keep_prefix(
        &mut self,
        jobs: &[PackJob],
        nodes: u32,
        precision: Yield,
        demand: &mut impl Demand,
    ) -> Option<Yield> {
        self.kept.reset(jobs.len());
        let mut count = 0;
        // With more jobs than these no packing can succeed, so none is tried.
        for (index, job) in jobs.iter().enumerate() {
            self.kept.insert(index, job);
            if !self.kept.may_fit(nodes) {
                self.kept.remove(index, job);
                break;
            }
            demand.set_kept(index, true);
            count += 1;
        }
        loop {
            let value = self.largest(nodes, precision, demand);
            if value.is_some() || count == 0 {
                return value;
            }
            count -= 1;
            self.kept.remove(count, &jobs[count]);
            demand.set_kept(count, false);
        }
    }

    /// Keeps each job that was left out, by decreasing priority, with which a packing is found at the lowest value, or at
    /// any that is tried where that is no end of the search; whether there is one.
    fn try_dropped_again(
        &mut self,
        jobs: &[PackJob],
        nodes: u32,
        precision: Yield,
        demand: &mut impl Demand,
    ) -> bool {
        let mut any = false;
        for (index, job) in jobs.iter().enumerate() {
            if self.kept.flags()[index] {
                continue;
            }
            self.kept.insert(index, job);
            if self.kept.may_fit(nodes) {
                demand.set_kept(index, true);
                let can_be_packed = match self.options.probes {
                    Probes::EndsFirst => {
                        let range = demand.range(&self.kept, nodes);
                        range.lowest <= range.highest && self.packs_at(range.lowest, demand)
                    }
                    Probes::Bisection => self.largest(nodes, precision, demand).is_some(),
                };
                if can_be_packed {
                    any = true;
                    continue;
                }
                demand.set_kept(index, false);
            }
            self.kept.remove(index, job);
        }
        any
    }

    /// Whether the kept jobs can be packed at a value; remembers the packing.
    fn packs_at(&mut self, value: Yield, demand: &mut impl Demand) -> bool {
        if !demand.arrange(value, &self.kept, &mut self.layout) {
            return false;
        }
        let Layout { items, nodes } = &mut self.layout;
        let (packer, nodes, tried) = (&mut self.packer, nodes.runs(), &mut self.tried);
        let packed = match self.options.packing {
            Packing::ChoosePack => packer.pack(&mut OneList, items, nodes, tried),
            Packing::TwoLists => {
                let balanced = match self.options.balanced {
                    Balanced::Memory => MEMORY,
                    Balanced::Cpu => CPU,
                };
                packer.pack(&mut TwoLists { balanced }, items, nodes, tried)
            }
        };
        if packed {
            std::mem::swap(&mut self.tried, &mut self.found);
        }
        packed
    }
}
