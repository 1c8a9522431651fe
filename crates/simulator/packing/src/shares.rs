//! The yields of a given mapping.
//!
//! A job loads a node by (its tasks there) * need * yield, and no node may have a load above 1. This
//! holds exactly for the yields as they are returned, in units of 2^-20. For each objective, a yield
//! is the optimum for that objective rounded down, and never below the floor of its job. On
//! heterogeneous nodes the same holds in each shared dimension.
//!
//! ```
//! use dfrsim_model::{NodeId, NodeTasks, Share, Yield};
//! use dfrsim_packing::shares::{SharedJob, Shares};
//!
//! // Two jobs of one task share node 0; one of them has its second task on node 1, with a third job.
//! let on = |node| NodeTasks { node: NodeId(node), tasks: 1 };
//! let jobs = [
//!     SharedJob { need: Share::ONE, placement: &[on(0)], size: None },
//!     SharedJob { need: Share::ONE, placement: &[on(0), on(1)], size: None },
//!     SharedJob { need: Share::from_ratio(1, 4), placement: &[on(1)], size: None },
//! ];
//! let mut yields = Vec::new();
//! Shares::new(2).max_min(&jobs, &mut yields);
//! assert_eq!(yields, [Yield::from_ratio(1, 2), Yield::from_ratio(1, 2), Yield::ONE]);
//! ```
//!
//! Sources: the dissertation that introduced DFRS (Stillwell, 2010), sections 5.2.5 and 5.2.6.
//! Progressive filling is in Bertsekas and Gallager, "Data Networks" (1992), chapter 6; the dual
//! simplex method with bounds in Maros, "A generalized dual phase-2 simplex algorithm" (2003).

mod average;
mod contested;
mod dual_simplex;
mod filling;
mod steps;
mod stretch;
mod weighted;

pub use steps::{packed_in_steps, round_to_steps};

use crate::{Capacities, TaskSize};
use average::AverageProgram;
use contested::Contested;
use dfrsim_model::{NodeTasks, Share, SimSpan, TotalF64, VirtualTime, Yield};
use filling::{Fineness, Queue, Rise, YieldRise};
use std::sync::Arc;
use steps::StepFilling;
use stretch::{Estimate, StretchRise};
use weighted::WeightedRise;

/// Mapped job: the requirements of its tasks, and their nodes.
#[derive(Clone, Copy, Debug)]
pub struct SharedJob<'a> {
    /// CPU need of a task.
    pub need: Share,
    /// Nodes of its tasks, with the number of tasks on each.
    pub placement: &'a [NodeTasks],
    /// Size of a task on heterogeneous nodes; used instead of the need.
    pub size: Option<&'a TaskSize>,
}

impl SharedJob<'_> {
    /// Returns the need of a task in a dimension, in share units.
    fn need(&self, dimension: usize) -> u64 {
        self.size.map_or(self.need.units().into(), |size| size.used[dimension])
    }
}

/// Mapped job with the data that its stretch at the next tick is estimated from: (flow time +
/// period) / (virtual time + yield * period).
#[derive(Clone, Copy, Debug)]
pub struct StretchJob<'a> {
    /// Need and placement of its tasks.
    pub job: SharedJob<'a>,
    /// Time since its submission.
    pub flow_time: SimSpan,
    /// Work that it has done.
    pub virtual_time: VirtualTime,
    /// Smallest yield that it may get, such as the yield that the packing assumed. All jobs together
    /// must fit at their floors.
    pub floor: Yield,
    /// Factor by which its stretch is multiplied; 1 for jobs of the smallest weight.
    pub weight: f64,
}

/// Calculator of the yields of mapped jobs, which are always listed in the order of submission.
///
/// Its memory is reused between calls. Node numbers must be below the number given to
/// [`Shares::new`]; all functions panic otherwise.
#[derive(Clone, Debug, Default)]
pub struct Shares {
    contested: Contested,
    yield_rise: YieldRise,
    yield_queue: Queue<u64>,
    weighted_rise: WeightedRise,
    weighted_queue: Queue<u128>,
    stretch_rise: StretchRise,
    stretch_queue: Queue<TotalF64>,
    average: AverageProgram,
    step_filling: StepFilling,
}

impl Shares {
    /// Creates a calculator for mappings to this many nodes of CPU 1.
    #[must_use]
    pub fn new(nodes: u32) -> Shares {
        Shares { contested: Contested::new(nodes as usize, None), ..Shares::default() }
    }

    /// Creates a calculator for mappings to heterogeneous nodes.
    #[must_use]
    pub fn on(capacities: Arc<Capacities>) -> Shares {
        let nodes = capacities.class_of.len();
        Shares { contested: Contested::new(nodes, Some(capacities)), ..Shares::default() }
    }

    /// Returns the largest yield that all jobs can have at once: 1 / max(1, largest CPU load of a
    /// node), rounded down (dissertation, section 5.2.5).
    #[must_use]
    pub fn common(&mut self, jobs: &[SharedJob<'_>]) -> Yield {
        self.contested.compute_loads(jobs.iter().copied()).rounded_down()
    }

    /// Computes the largest yields in proportion to weights that all jobs can have at once: each is
    /// the weight of its job times one common level, at most 1.
    pub fn weighted_common(&mut self, jobs: &[SharedJob<'_>], weights: &[u64], yields: &mut Vec<Yield>) {
        self.rise_by_weights(jobs, weights, yields, |contested, rise, _| {
            let level = contested.iter().filter_map(|(parts, capacity)| rise.full_at(parts, capacity)).min();
            level.into_iter().for_each(|level| (0..jobs.len()).for_each(|job| rise.stop(job, level)));
        });
    }

    /// Computes the max-min fair yields (OPT=MIN): the smallest yield is as large as possible, then
    /// the second smallest, and so on (dissertation, section 5.2.5). The smallest is
    /// [`Shares::common`].
    pub fn max_min(&mut self, jobs: &[SharedJob<'_>], yields: &mut Vec<Yield>) {
        if !self.contested.is_homogeneous() {
            return self.weighted_max_min(jobs, &[], yields);
        }
        let common = self.contested.list_parts(jobs.iter().copied());
        self.yield_rise.start(jobs.len(), Fineness::new(common, self.contested.fine_bits(common)));
        filling::fill(&self.contested, &mut self.yield_queue, &mut self.yield_rise);
        yields.clear();
        yields.extend(self.yield_rise.yields());
    }

    /// Computes the weighted max-min fair yields: yields rise together, each in proportion to the
    /// weight of its job, until a node is full or the yield is 1, and so on. A weight that is
    /// missing or 0 counts as 1. With equal weights the result is that of [`Shares::max_min`], up to
    /// one unit.
    pub fn weighted_max_min(&mut self, jobs: &[SharedJob<'_>], weights: &[u64], yields: &mut Vec<Yield>) {
        self.rise_by_weights(jobs, weights, yields, |contested, rise, queue| {
            filling::fill(contested, queue, rise);
        });
    }

    /// Computes yields that rise in proportion to weights; `fill` decides when they stop.
    fn rise_by_weights(
        &mut self,
        jobs: &[SharedJob<'_>],
        weights: &[u64],
        yields: &mut Vec<Yield>,
        fill: impl FnOnce(&Contested, &mut WeightedRise, &mut Queue<u128>),
    ) {
        let common = self.contested.list_parts(jobs.iter().copied());
        let weights = (0..jobs.len()).map(|job| weights.get(job).copied().unwrap_or(1));
        self.weighted_rise.start(weights, Fineness::new(common, self.contested.fine_bits(common)));
        fill(&self.contested, &mut self.weighted_rise, &mut self.weighted_queue);
        yields.clear();
        yields.extend(self.weighted_rise.yields());
    }

    /// Computes the largest average yield (OPT=AVG) with no yield below [`Shares::common`]
    /// (dissertation, section 5.2.5). Ties between optima are broken in favour of earlier jobs.
    pub fn max_average(&mut self, jobs: &[SharedJob<'_>], yields: &mut Vec<Yield>) {
        self.max_weighted_average(jobs, &[], yields);
    }

    /// Computes the yields with the largest weighted sum, and no yield below [`Shares::common`]. A
    /// weight that is missing counts as 1.
    pub fn max_weighted_average(&mut self, jobs: &[SharedJob<'_>], weights: &[u64], yields: &mut Vec<Yield>) {
        let common = self.contested.list_parts(jobs.iter().copied());
        let weight = |job: usize| weights.get(job).map_or(1.0, |&weight| weight as f64);
        let of = |job| (common.as_f64(), weight(job));
        self.average.set((0..jobs.len()).map(of));
        let solution = self.average.solve(&self.contested).iter().copied();
        round_down(&self.contested, solution, |_| common.rounded_down(), yields);
    }

    /// Computes the yields of OPT=MAX for /stretch-per: the largest estimated stretch at the next
    /// tick, after `period`, is as small as possible, then the second largest, and so on, with no
    /// yield below its floor (dissertation, section 5.2.6). A period of zero counts as a
    /// microsecond.
    pub fn min_max_stretch(&mut self, jobs: &[StretchJob<'_>], period: SimSpan, yields: &mut Vec<Yield>) {
        self.contested.list_parts(jobs.iter().map(|job| job.job));
        self.stretch_rise.start(jobs, period);
        filling::fill(&self.contested, &mut self.stretch_queue, &mut self.stretch_rise);
        round_down(&self.contested, self.stretch_rise.yields(), |job| jobs[job].floor, yields);
    }

    /// Computes the yields of OPT=AVG for /stretch-per: the largest weighted average of the inverse
    /// of the estimated stretch at the next tick, after `period`, with no yield below its floor
    /// (dissertation, section 5.2.6; the average of the stretch itself is not linear). A period of
    /// zero counts as a microsecond.
    pub fn max_average_inverse_stretch(
        &mut self,
        jobs: &[StretchJob<'_>],
        period: SimSpan,
        yields: &mut Vec<Yield>,
    ) {
        self.contested.list_parts(jobs.iter().map(|job| job.job));
        let of = |job: &StretchJob<'_>| (job.floor.as_f64(), job.weight / Estimate::new(job, period).slope);
        self.average.set(jobs.iter().map(of));
        let solution = self.average.solve(&self.contested).iter().copied();
        round_down(&self.contested, solution, |job| jobs[job].floor, yields);
    }
}

/// Rounds floating-point yields down. A value less than 2^-10 units below a unit is taken for that
/// unit. If a node is then overloaded, the last jobs on it give up some of their yield above the
/// floor.
fn round_down(
    contested: &Contested,
    solution: impl Iterator<Item = f64>,
    floor: impl Fn(usize) -> Yield,
    yields: &mut Vec<Yield>,
) {
    const TOLERANCE: f64 = 1.0 / (1 << 30) as f64;
    yields.clear();
    yields
        .extend(solution.enumerate().map(|(job, value)| Yield::from_f64(value + TOLERANCE).max(floor(job))));
    for (parts, capacity) in contested.iter() {
        let used =
            parts.iter().map(|part| u128::from(part.load) * u128::from(yields[part.job as usize].units()));
        let mut excess = used.sum::<u128>().saturating_sub(u128::from(capacity) << Yield::BITS);
        for part in parts.iter().rev() {
            if excess == 0 {
                break;
            }
            let job = part.job as usize;
            let above = yields[job].units() - floor(job).units();
            let less = excess.div_ceil(u128::from(part.load)).min(u128::from(above)) as u32;
            yields[job] = Yield::try_from_units(yields[job].units() - less).expect("less than it was");
            excess = excess.saturating_sub(u128::from(part.load) * u128::from(less));
        }
    }
}
