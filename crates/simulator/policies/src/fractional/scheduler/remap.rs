//! Remapping of all jobs by MCB, at ticks and at other events.

use super::FractionalScheduler;
use crate::fractional::budget::{self, Budget, Pins, ranges};
use crate::fractional::mapper::Placed;
use crate::fractional::weights::{relative_weights, weights_of};
use crate::fractional::{Periodic, RemapLimit};
use dfrsim_cluster::{JobHandle, JobView, Placement, View};
use dfrsim_model::{NodeTasks, Share, SimSpan, VirtualTime, Yield};
use dfrsim_packing::mcb::DropRule;
use dfrsim_packing::shares::packed_in_steps;

/// Input of a remapping that left no job out. Priorities decide only which jobs are left out, so a
/// remapping with the same input would give the same result.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RemapInput {
    /// [Version](crate::fractional::mapper::Mapper::version) of the mapping, which identifies the
    /// jobs and nodes.
    mapping_version: u64,
    /// Jobs that could not move, sorted by handle.
    pinned: Vec<JobHandle>,
}

impl FractionalScheduler {
    /// Returns the budget of memory that a tick may move, in share units.
    pub(super) fn budget(&self) -> Option<u64> {
        let nodes = f64::from(self.policy.budget_gb?) / self.options.node_memory_gb;
        Some((nodes * f64::from(Share::ONE.units())) as u64)
    }

    /// Returns whether a tick remaps all jobs: always, or under `/BELOW` only if that may help a
    /// job.
    pub(super) fn is_remap_due(&mut self, view: View<'_>) -> bool {
        let Some(percent) = self.policy.extensions.below_percent else { return true };
        if self.jobs(view).any(|job| !self.mapper.is_placed(job)) {
            return true;
        }
        self.divide_cpu(view, false);
        let enough = Yield::from_ratio(percent.into(), 100);
        self.mapper.placed().any(|job| self.yields[job.index()] < enough)
    }

    /// Remaps all jobs, moving at most the budget, if there is one. Does nothing if the result would
    /// be that of the last remapping.
    pub(super) fn remap(&mut self, view: View<'_>, budget: Option<u64>) {
        if self.mapper.available.count() == 0 {
            return;
        }
        let limit = self.policy.remap_limit;
        let mut pinned: Vec<JobHandle> =
            self.mapper.placed().filter(|&job| is_pinned(limit, view.job(job))).collect();
        pinned.sort_unstable();
        if self.last_remap.is_some() && self.last_remap == self.remap_input(view, &pinned) {
            return;
        }
        let drops_lowest = self.options.mcb.drop == DropRule::Prefix;
        let has_no_limits = self.mapper.site.is_none() && self.mapper.held.is_none();
        let is_plain = self.mapper.nodes.is_homogeneous() && has_no_limits;
        if drops_lowest && budget.is_none() && !self.policy.relabel && is_plain {
            self.rank_fitting(view);
        } else {
            self.rank_all(view);
        }
        // A job that cannot run on the nodes that are up would keep all jobs of lower priority from
        // running.
        let ranked: Vec<JobHandle> = {
            let fits = self.mapper.fits(view);
            let fitting = self.ranking.highest_first().filter(|&job| fits(job));
            let mut ranked = match &self.mapper.site {
                Some(site) => site.admitted(fitting).collect(),
                None => fitting.collect(),
            };
            if let Some(held) = &self.mapper.held {
                held.keep_sufficient(&mut ranked);
            }
            ranked
        };
        let mapper = &self.mapper;
        let is_pinned = |job: &JobHandle| pinned.binary_search(job).is_ok();
        let pins =
            Pins::from_placements(ranked.iter().map(|job| is_pinned(job).then(|| mapper.placement(*job))));
        let jobs = pins.jobs(view, mapper, &ranked);
        let by_stretch = self.policy.periodic == Periodic::McbStretch;
        let (period, floor) = (self.period(), self.options.mcb.floor);
        let weights = weights_of(view, &ranked);
        let relative = relative_weights(weights.as_deref());
        let yield_at =
            |job: usize, target| stretch_yield(view, ranked[job], relative(job), period, floor, target);
        let has_devices = mapper.nodes.has_devices();
        let mut pinned_devices = Vec::new();
        if has_devices {
            let of = |job: &JobHandle| match is_pinned(job) {
                true => mapper.nodes.devices(*job).to_vec(),
                false => Vec::new(),
            };
            pinned_devices.extend(ranked.iter().map(of));
            self.mcb.pin_devices(pinned_devices.clone());
        }
        if let Some(probe) = &mut self.probe {
            probe.begin(view.jobs().len());
        }
        let packed = if by_stretch {
            self.mcb.map_by(&jobs, lowest_target(), Yield::ONE, yield_at)
        } else if let Some(weights) = &weights {
            self.mcb.map_weighted(&jobs, weights)
        } else {
            self.mcb.map(&jobs)
        };
        if let Some(probe) = &mut self.probe {
            probe.end();
        }
        if by_stretch {
            // CPU beyond these yields is divided in the second phase.
            let step = self.options.mcb.cpu_step;
            for (place, &handle) in ranked.iter().enumerate().filter(|(place, _)| packed.is_kept(*place)) {
                let exact = yield_at(place, packed.value())
                    .expect("each kept job must have a yield at the target of the packing");
                let need = view.job(handle).cpu_need();
                self.packed_yields[handle.index()] =
                    step.map_or(exact, |step| packed_in_steps(exact, need, step));
            }
        }
        let placements = (0..ranked.len()).map(|place| packed.placement(place));
        let change = |(&job, placement): (&JobHandle, &[NodeTasks])| {
            (Placement::new(mapper.placement(job)) != placement).then(|| (job, ranges(placement)))
        };
        let mut devices = Vec::new();
        let mut changes: Vec<Placed> = if self.policy.relabel || budget.is_some() || has_devices {
            let mut placements = placements.map(<[NodeTasks]>::to_vec).collect();
            let mut bound = None;
            let all = (0..ranked.len()).filter(|_| has_devices);
            let yields: Vec<Yield> = all.map(|place| packed.packed_yield(place)).collect();
            if self.policy.relabel {
                placements = budget::relabel(view, mapper, &ranked, &pins, &placements);
            }
            if let Some(budget) = budget {
                let budget = Budget { view, mapper, ranked: &ranked, pins: &pins, units: budget };
                (placements, bound) = budget.enforce(&mut self.mcb, &self.yields, placements);
            }
            if has_devices {
                devices = bound.unwrap_or_else(|| {
                    mapper.bind_mapping(view, &ranked, &placements, &pinned_devices, &yields)
                });
                let all = ranked.iter().zip(&placements).zip(&devices);
                let moves = all.filter(|((job, placement), devices)| {
                    let differs = **devices != mapper.nodes.devices(**job) && !placement.is_empty();
                    differs || change((*job, placement)).is_some()
                });
                let moves =
                    moves.map(|((&job, placement), devices)| ((job, ranges(placement)), devices.clone()));
                let (changes, of_changes) = moves.unzip();
                devices = of_changes;
                changes
            } else {
                ranked.iter().zip(placements.iter().map(Vec::as_slice)).filter_map(change).collect()
            }
        } else {
            ranked.iter().zip(placements).filter_map(change).collect()
        };
        let mut known = ranked;
        known.sort_unstable();
        // Unranked jobs are in no packing.
        let unranked = mapper.placed().filter(|job| known.binary_search(job).is_err());
        changes.extend(unranked.map(|job| (job, Vec::new())));
        self.mapper.set_all(view, changes, devices);
        self.last_remap = self.remap_input(view, &pinned);
    }

    /// Returns the input of a remapping now; `None` if the result also depends on the time or on
    /// current placements, if a job is not placed, or if a probe counts the calls.
    fn remap_input(&self, view: View<'_>, pinned: &[JobHandle]) -> Option<RemapInput> {
        let depends_on_more = self.mapper.site.is_some()
            || self.mapper.held.is_some()
            || self.policy.periodic == Periodic::McbStretch
            || self.policy.budget_gb.is_some()
            || self.policy.relabel;
        if depends_on_more || self.probe.is_some() || self.mapper.placed().count() < view.jobs().len() {
            return None;
        }
        Some(RemapInput { mapping_version: self.mapper.version(), pinned: pinned.to_vec() })
    }
}

/// Returns whether MCB may drop this running job but not move it.
fn is_pinned(limit: RemapLimit, job: JobView<'_>) -> bool {
    match limit {
        RemapLimit::Unlimited => false,
        RemapLimit::FlowTime(limit) => job.flow_time() < limit,
        RemapLimit::VirtualTime(limit) => job.virtual_time() < VirtualTime::of(limit),
    }
}

/// Returns the lowest inverse stretch in the search: the smallest positive value, so that a job that
/// has waited long is still placed.
fn lowest_target() -> Yield {
    Yield::try_from_units(1).expect("one unit must be a valid yield")
}

/// Computes the yield with which a job's inverse estimated stretch at the next tick, (virtual time +
/// yield * period) / (flow time + period), divided by its weight, reaches the target; at least the
/// floor. Returns `None` if that requires more than full speed (section 5.2.6), except at the lowest
/// target, which a job may miss.
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
