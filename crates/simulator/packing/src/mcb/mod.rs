//! MCB: vector packing inside a search for the largest yield (dissertation, sections 4.2.5 and
//! 5.2.2).
//!
//! A job is a number of identical tasks; a task occupies its memory on a node and, at a yield, that
//! fraction of its CPU need. [`Mcb::map`] finds a yield, as large as the search can make it, at
//! which all tasks of all jobs can be packed onto identical nodes, and the packing. If there is
//! none, the jobs of lowest priority are left out.
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
//! The packing itself is that of `dfrsim_vector_packing::vector` and is independent of jobs: items of a
//! size with counts ([`Packing`]'s rules fill nodes with them). The search around it is independent
//! of packing. The two share only the information about jobs that both need: sizes at a yield,
//! pinned tasks, and the job of each task. On heterogeneous nodes ([`Mcb::on`]) the same rules apply
//! in more dimensions: see [`Packing`].

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
use alike::{IdenticalNodes, TaskClasses};
use demand::KeptJobs;
use dfrsim_model::platform::devices::OnDevices;
use dfrsim_model::{NodeTasks, Share, Yield};
use layout::PackingState;
use placements::Placements;
use search::search;
use std::sync::Arc;
use vectors::HeterogeneousNodes;

/// Devices of a pinned job: for each of its nodes, the number of tasks on each device.
pub type PinnedDevices = Vec<(u32, OnDevices)>;

/// Job to be mapped.
#[derive(Clone, Copy, Debug)]
pub struct PackJob<'a> {
    /// Number of tasks; at least one.
    pub tasks: u32,
    /// CPU that a task could use.
    pub need: Share,
    /// Memory that a task occupies.
    pub memory: Share,
    /// Sequence number in the order of submission; breaks ties between equal tasks ([`Ties`]).
    pub sequence: u64,
    /// Nodes of all its tasks, in ascending order, if they may not move. Such a job stays there or
    /// is left out.
    pub pinned: Option<&'a [NodeTasks]>,
    /// Size of a task on heterogeneous nodes; used instead of the memory.
    pub size: Option<&'a TaskSize>,
}

/// Mapper of jobs to the nodes of one cluster. Its memory is reused, so calls do not allocate once
/// the largest set of jobs has been seen.
#[derive(Debug, Default)]
pub struct Mcb {
    options: McbOptions,
    nodes: u32,
    /// Capacities of heterogeneous nodes; `None` if nodes are identical.
    capacities: Option<Arc<Capacities>>,
    /// Devices of the pinned jobs, by job; empty if nodes have none.
    pinned_devices: Vec<PinnedDevices>,
    classes: TaskClasses,
    kept: KeptJobs,
    layout: PackingState,
    placements: Placements,
}

/// Result of [`Mcb::map`]; jobs are numbered as they were given.
#[derive(Clone, Copy, Debug)]
pub struct Mapping<'a> {
    value: Yield,
    jobs: &'a [PackJob<'a>],
    kept: &'a [bool],
    placements: &'a Placements,
}

impl<'a> Mapping<'a> {
    /// Returns the yield at which the packing was found, or the target of [`Mcb::map_by`]; the
    /// highest value of the search if no job is kept.
    #[must_use]
    pub fn value(&self) -> Yield {
        self.value
    }
    /// Returns whether a job was placed.
    #[must_use]
    pub fn is_kept(&self, job: usize) -> bool {
        self.kept[job]
    }
    /// Returns the yield at which a job was packed, where parts of devices follow yields; otherwise, and
    /// for a job that is not kept, 1.
    #[must_use]
    pub fn packed_yield(&self, job: usize) -> Yield {
        let packed = self.placements.packed_yields.get(job).copied().unwrap_or(Yield::ONE);
        if self.is_kept(job) { packed } else { Yield::ONE }
    }
    /// Returns the nodes of a job's tasks in ascending order; empty if the job is not kept.
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
    /// Creates a mapper for a cluster of this many identical nodes.
    #[must_use]
    pub fn new(nodes: u32, options: McbOptions) -> Mcb {
        Mcb { options, nodes, layout: PackingState::new(nodes), ..Mcb::default() }
    }

    /// Creates a mapper for a cluster of heterogeneous nodes.
    #[must_use]
    pub fn on(capacities: Arc<Capacities>, options: McbOptions) -> Mcb {
        Mcb { capacities: Some(capacities), ..Mcb::new(0, options) }
    }

    /// Sets the devices of the pinned jobs of the next mappings, by job.
    pub fn pin_devices(&mut self, by_job: Vec<PinnedDevices>) {
        self.pinned_devices = by_job;
    }

    /// Returns the lowest yield of the search.
    fn lowest(&self) -> Yield {
        self.options.floor.max(Yield::try_from_units(1).expect("one unit is a yield"))
    }

    /// Maps jobs, given by decreasing priority, at the largest yield that the search finds.
    ///
    /// The yields in [floor, min(1, nodes / sum of needs)] are searched as [`Probes`] specifies; the
    /// result is the last one that succeeded (success is not monotone in the yield). If none does,
    /// or the range is empty, the last job is left out.
    ///
    /// # Panics
    /// If a pinned task is on a node that the cluster does not have.
    pub fn map<'a>(&'a mut self, jobs: &'a [PackJob<'a>]) -> Mapping<'a> {
        self.map_to(jobs, &[], self.options.precision, self.lowest(), None, |_, value, _| Some(value))
    }

    /// Maps jobs as [`Mcb::map`] does, with yields in proportion to weights, up to 1. At a level, a
    /// kept job of the smallest weight has the level as its yield, and any other min(1, level *
    /// weight / smallest weight), rounded down. There must be a weight of at least 1 for each job.
    ///
    /// Levels are searched as the yields of [`Mcb::map`] are, up to the largest one for which the
    /// nodes together have enough CPU. With equal weights the mapping is that of [`Mcb::map`].
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

    /// Maps jobs, given by decreasing priority, at the largest target in [`lowest`, `highest`] that
    /// the search finds. `yield_at` returns the yield of a job (numbered as given) at a target; a
    /// target at which a kept job has none fails. The search is that of [`Mcb::map`], with other
    /// ends and the precision for stretches.
    ///
    /// This form optimises the stretch (dissertation, section 5.2.6): the target is the inverse of
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

    /// Maps jobs whose yields are functions of the searched value and, if there are weights, of the
    /// smallest weight of the kept jobs. The highest value is `highest`, or the largest one for
    /// which the nodes together have enough capacity.
    fn map_to<'a>(
        &'a mut self,
        jobs: &'a [PackJob<'a>],
        weights: &[u32],
        precision: Yield,
        lowest: Yield,
        highest: Option<Yield>,
        yield_at: impl Fn(usize, Yield, u32) -> Option<Yield>,
    ) -> Mapping<'a> {
        let values = SearchValues { lowest, highest, yield_at };
        let Mcb {
            options,
            nodes,
            ref capacities,
            ref pinned_devices,
            ref mut kept,
            ref mut layout,
            ref mut placements,
            ..
        } = *self;
        kept.reset(jobs.len(), weights);
        let value = if let Some(capacities) = capacities {
            let vectors = HeterogeneousNodes::new((jobs, pinned_devices), capacities, options, values, kept);
            search(jobs.len(), options, precision, vectors, placements)
        } else {
            let classes = self.classes.of(jobs, options.ties, highest.is_none() && weights.is_empty());
            let alike = IdenticalNodes { jobs, nodes, options, values, kept, layout, classes };
            search(jobs.len(), options, precision, alike, placements)
        };
        Mapping { value, jobs, kept: self.kept.flags(), placements: &self.placements }
    }
}

/// Values to search, and the yield of each job at a value, given the smallest weight of the kept
/// jobs.
struct SearchValues<F> {
    lowest: Yield,
    /// Highest value; `None` for the largest one at which the nodes together have enough capacity.
    highest: Option<Yield>,
    yield_at: F,
}

impl<F: Fn(usize, Yield, u32) -> Option<Yield>> SearchValues<F> {
    /// Computes the range to search; `is_enough` checks that the nodes together have enough capacity
    /// at a value.
    fn range(&self, is_enough: impl Fn(Yield) -> bool) -> SearchRange {
        let largest = || match is_enough(Yield::ONE) {
            true => Yield::ONE,
            false => SearchRange { lowest: Yield::ZERO, highest: Yield::ONE }.bisect(Yield::ZERO, is_enough),
        };
        SearchRange { lowest: self.lowest, highest: self.highest.unwrap_or_else(largest) }
    }
}
