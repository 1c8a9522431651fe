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
//!     size: None,
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
//! need to know of jobs: sizes at a yield, pinned tasks, and which task belongs to which job. Where nodes differ ([`Mcb::on`]), the
//! same rules hold in more dimensions: see [`Packing`].

mod alike;
mod demand;
mod layout;
mod options;
mod pinned_nodes;
mod placements;
mod search;
mod vectors;

pub use options::{Balanced, DropRule, McbOptions, Packing, Probes, Ties};

use crate::yield_search::SearchRange;
use crate::{Capacities, TaskSize};
use alike::{Alike, Classes};
use demand::KeptJobs;
use dfrsim_model::{NodeTasks, Share, Yield};
use layout::Layout;
use placements::Placements;
use search::search;
use std::sync::Arc;
use vectors::Vectors;

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
    /// The size of a task where nodes differ; it counts instead of the memory.
    pub size: Option<&'a TaskSize>,
}

/// Maps jobs to the nodes of one cluster. Holds the memory that this takes, so that calls do not allocate once
/// the largest set of jobs has been seen.
#[derive(Debug, Default)]
pub struct Mcb {
    options: McbOptions,
    nodes: u32,
    /// `None` if nodes are alike.
    capacities: Option<Arc<Capacities>>,
    classes: Classes,
    kept: KeptJobs,
    layout: Layout,
    placements: Placements,
}

/// The result of [`Mcb::map`]: jobs are counted as they were given.
#[derive(Clone, Copy, Debug)]
pub struct Mapping<'a> {
    value: Yield,
    jobs: &'a [PackJob<'a>],
    kept: &'a [bool],
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
        self.kept[job]
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
        Mcb { options, nodes, layout: Layout::new(nodes), ..Mcb::default() }
    }

    /// For a cluster of nodes that differ.
    #[must_use]
    pub fn on(capacities: Arc<Capacities>, options: McbOptions) -> Mcb {
        Mcb { capacities: Some(capacities), ..Mcb::new(0, options) }
    }

    /// The least value of the search for a yield.
    fn lowest(&self) -> Yield {
        self.options.floor.max(Yield::try_from_units(1).expect("one unit is a yield"))
    }

    /// Maps jobs, given by decreasing priority, at the largest yield that the search finds.
    ///
    /// The yields in [floor, min(1, nodes / sum of needs)] are searched, as [`Probes`] says; the result is the last that
    /// succeeded (success is not monotone in the yield). If none does, or the range is empty, the last job is left out.
    ///
    /// # Panics
    /// If a pinned task is on a node that the cluster does not have.
    pub fn map<'a>(&'a mut self, jobs: &'a [PackJob<'a>]) -> Mapping<'a> {
        self.map_to(jobs, &[], self.options.precision, self.lowest(), None, |_, value, _| Some(value))
    }

    /// The same for jobs that have yields in proportion to weights, up to 1: at a level, a job of the least weight of those that are kept
    /// has the level as its yield, and any other min(1, level * weight / least weight), rounded down. There is a weight for each job, at
    /// least 1.
    ///
    /// Levels are searched as the yields of [`Mcb::map`] are, up to the largest one for which the nodes together have enough CPU. With
    /// equal weights the mapping is that of [`Mcb::map`].
    ///
    /// # Panics
    /// As [`Mcb::map`], or if a weight is missing.
    pub fn map_weighted<'a>(&'a mut self, jobs: &'a [PackJob<'a>], weights: &[u32]) -> Mapping<'a> {
        let yield_at = |job: usize, level: Yield, least: u32| {
            let part = u64::from(level.units()) * u64::from(weights[job]);
            Some(Yield::from_ratio(part, u64::from(Yield::ONE.units()) * u64::from(least)))
        };
        self.map_to(jobs, weights, self.options.precision, self.lowest(), None, yield_at)
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
        let precision = self.options.stretch_precision;
        self.map_to(jobs, &[], precision, lowest, Some(highest), |job, target, _| yield_at(job, target))
    }

    /// Maps jobs whose yields are functions of the value that is searched, up to a highest one, or the largest for which the nodes
    /// together have enough, and of the least weight of the jobs that are kept, if they have weights.
    fn map_to<'a>(
        &'a mut self,
        jobs: &'a [PackJob<'a>],
        weights: &[u32],
        precision: Yield,
        lowest: Yield,
        highest: Option<Yield>,
        yield_at: impl Fn(usize, Yield, u32) -> Option<Yield>,
    ) -> Mapping<'a> {
        let values = Values { lowest, highest, yield_at };
        let Mcb { options, nodes, ref capacities, ref mut kept, ref mut layout, ref mut placements, .. } =
            *self;
        kept.reset(jobs.len(), weights);
        let value = if let Some(capacities) = capacities {
            let vectors = Vectors::new(jobs, capacities, options, values, kept);
            search(jobs.len(), options, precision, vectors, placements)
        } else {
            let classes = self.classes.of(jobs, options.ties, highest.is_none() && weights.is_empty());
            let alike = Alike { jobs, nodes, options, values, kept, layout, classes };
            search(jobs.len(), options, precision, alike, placements)
        };
        Mapping { value, jobs, kept: self.kept.flags(), placements: &self.placements }
    }
}

/// The values that are searched, and the yield of each job at a value, given the least weight of the jobs that are kept.
struct Values<F> {
    lowest: Yield,
    /// `None` if it is the largest at which the nodes together have enough.
    highest: Option<Yield>,
    yield_at: F,
}

impl<F: Fn(usize, Yield, u32) -> Option<Yield>> Values<F> {
    /// The values to be searched, given whether the nodes together have enough at one.
    fn range(&self, are_enough: impl Fn(Yield) -> bool) -> SearchRange {
        let largest = || match are_enough(Yield::ONE) {
            true => Yield::ONE,
            false => SearchRange { lowest: Yield::ZERO, highest: Yield::ONE }.bisect(Yield::ZERO, are_enough),
        };
        SearchRange { lowest: self.lowest, highest: self.highest.unwrap_or_else(largest) }
    }
}
