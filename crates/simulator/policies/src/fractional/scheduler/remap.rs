//! Ticks, and the other moments at which MCB maps all jobs again.

use super::{FractionalScheduler, relative, weights_of};
use crate::fractional::budget::{self, Budget, Pins, ranges};
use crate::fractional::mapper::Placed;
use crate::fractional::{Periodic, RemapLimit};
use dfrsim_cluster::{JobHandle, JobView, Placement, View};
use dfrsim_model::{NodeTasks, Share, SimSpan, VirtualTime, Yield};
use dfrsim_packing::mcb::DropRule;
use dfrsim_packing::shares::packed_in_steps;

/// What a mapping of all jobs by MCB depended on that left no job out. The order of priority decides only which jobs it leaves out, so
/// with the same of this it would be the same.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Settled {
    /// [How often](crate::fractional::mapper::Mapper::changes) jobs came to nodes or left them, so which jobs and nodes there are.
    changes: u64,
    /// The jobs that could not move, by handle.
    pinned: Vec<JobHandle>,
}

impl FractionalScheduler {
    /// What a tick may move, in units of memory.
    pub(super) fn budget(&self) -> Option<u64> {
        let nodes = f64::from(self.policy.budget_gb?) / self.options.node_memory_gb;
        Some((nodes * f64::from(Share::ONE.units())) as u64)
    }

    /// Whether a tick maps all jobs again: always, or under `/BELOW` only if that may help a job.
    pub(super) fn is_remap_due(&mut self, view: View<'_>) -> bool {
        let Some(percent) = self.policy.extensions.below_percent else { return true };
        if self.jobs(view).any(|job| !self.mapper.runs(job)) {
            return true;
        }
        self.share(view, false);
        let enough = Yield::from_ratio(percent.into(), 100);
        self.mapper.placed().any(|job| self.yields[job.index()] < enough)
    }

    /// Maps all jobs again and, if there is a budget, moves no more than that. Keeps the mapping where it would be the last one again.
    pub(super) fn remap(&mut self, view: View<'_>, budget: Option<u64>) {
        if self.mapper.available.count() == 0 {
            return;
        }
        let limit = self.policy.remap_limit;
        let mut pinned: Vec<JobHandle> =
            self.mapper.placed().filter(|&job| pins(limit, view.job(job))).collect();
        pinned.sort_unstable();
        if self.settled.is_some() && self.settled == self.settled(view, &pinned) {
            return;
        }
        let drops_lowest = self.options.mcb.drop == DropRule::Prefix;
        let is_plain = self.mapper.nodes.are_alike() && self.mapper.site.is_none();
        if drops_lowest && budget.is_none() && !self.policy.relabel && is_plain {
            self.rank_fitting(view);
        } else {
            self.rank_all(view);
        }
        // One that cannot run on the nodes that are up would keep all others of lower priority from running.
        let ranked: Vec<JobHandle> = {
            let fits = self.mapper.fits(view);
            let fitting = self.ranking.highest_first().filter(|&job| fits(job));
            match &self.mapper.site {
                Some(site) => site.admitted(fitting).collect(),
                None => fitting.collect(),
            }
        };
        let mapper = &self.mapper;
        let is_pinned = |job: &JobHandle| pinned.binary_search(job).is_ok();
        let pins = Pins::at(ranked.iter().map(|job| is_pinned(job).then(|| mapper.placement(*job))));
        let jobs = pins.jobs(view, mapper, &ranked);
        let by_stretch = self.policy.periodic == Periodic::McbStretch;
        let (period, floor) = (self.period(), self.options.mcb.floor);
        let weights = weights_of(view, &ranked);
        let relative = relative(weights.as_deref());
        let yield_at =
            |job: usize, target| stretch_yield(view, ranked[job], relative(job), period, floor, target);
        if let Some(probe) = &mut self.probe {
            probe.begins(view.jobs().len());
        }
        let packed = if by_stretch {
            self.mcb.map_by(&jobs, lowest_target(), Yield::ONE, yield_at)
        } else if let Some(weights) = &weights {
            self.mcb.map_weighted(&jobs, weights)
        } else {
            self.mcb.map(&jobs)
        };
        if let Some(probe) = &mut self.probe {
            probe.ends();
        }
        if by_stretch {
            // What others get beyond these is left to the second phase.
            let step = self.options.mcb.cpu_step;
            for (place, &handle) in ranked.iter().enumerate().filter(|(place, _)| packed.is_kept(*place)) {
                let exact = yield_at(place, packed.value()).expect("the packing used these yields");
                let need = view.job(handle).cpu_need();
                self.floors[handle.index()] = step.map_or(exact, |step| packed_in_steps(exact, need, step));
            }
        }
        let placements = (0..ranked.len()).map(|place| packed.placement(place));
        let change = |(&job, placement): (&JobHandle, &[NodeTasks])| {
            (Placement::new(mapper.placement(job)) != placement).then(|| (job, ranges(placement)))
        };
        let mut changes: Vec<Placed> = if self.policy.relabel || budget.is_some() {
            let mut placements = placements.map(<[NodeTasks]>::to_vec).collect();
            if self.policy.relabel {
                placements = budget::relabel(view, mapper, &ranked, &pins, &placements);
            }
            if let Some(budget) = budget {
                let budget = Budget { view, mapper, ranked: &ranked, pins: &pins, units: budget };
                placements = budget.keep(&mut self.mcb, &self.yields, placements);
            }
            ranked.iter().zip(placements.iter().map(Vec::as_slice)).filter_map(change).collect()
        } else {
            ranked.iter().zip(placements).filter_map(change).collect()
        };
        let mut known = ranked;
        known.sort_unstable();
        // Jobs that were not even ranked are in no packing.
        let unranked = mapper.placed().filter(|job| known.binary_search(job).is_err());
        changes.extend(unranked.map(|job| (job, Vec::new())));
        self.mapper.set_all(view, changes);
        self.settled = self.settled(view, &pinned);
    }

    /// What a mapping of all jobs depends on now; `None` if on the time or on where jobs are, if a job has no place, or if calls are counted.
    fn settled(&self, view: View<'_>, pinned: &[JobHandle]) -> Option<Settled> {
        let depends_on_more = self.mapper.site.is_some()
            || self.policy.periodic == Periodic::McbStretch
            || self.policy.budget_gb.is_some()
            || self.policy.relabel;
        if depends_on_more || self.probe.is_some() || self.mapper.placed().count() < view.jobs().len() {
            return None;
        }
        Some(Settled { changes: self.mapper.changes(), pinned: pinned.to_vec() })
    }
}

/// Whether MCB may drop this running job but not move it.
fn pins(limit: RemapLimit, job: JobView<'_>) -> bool {
    match limit {
        RemapLimit::Unlimited => false,
        RemapLimit::FlowTime(limit) => job.flow_time() < limit,
        RemapLimit::VirtualTime(limit) => job.virtual_time() < VirtualTime::of(limit),
    }
}

/// The lowest inverse stretch that is searched: the smallest above zero, so that no job has waited too long to have a place.
fn lowest_target() -> Yield {
    Yield::try_from_units(1).expect("a unit is a yield")
}

/// The yield that brings a job's inverse estimated stretch at the next tick, (virtual time + yield * period) / (flow time +
/// period), which its weight divides, to the target, but at least the floor; `None` if it needs more than its full speed (section 5.2.6), but for
/// the lowest target, which a job may miss.
fn stretch_yield(
    view: View<'_>,
    job: JobHandle,
    weight: f64,
    period: SimSpan,
    floor: Yield,
    target: Yield,
) -> Option<Yield> {
    let job = view.job(job);
    let goal = weight * ((job.flow_time() + period).as_secs_f64() * target.as_f64());
    let wanted = (goal - job.virtual_time().as_secs_f64()) / period.as_secs_f64();
    (wanted <= 1.0 || target == lowest_target()).then(|| Yield::from_f64(wanted).max(floor))
}
