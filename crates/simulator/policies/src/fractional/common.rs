//! Resources of the whole cluster (licences, power) under a fractional policy.
//!
//! Licences are held at any yield. They limit the mapping as the limits of a site do: a job is placed only
//! if its units are left, and preempts no other for them. A remapping of all jobs leaves out those, by
//! rank, whose units are not left. The power that follows yields is limited by `cap.rs`.
//!
//! The power of devices and sockets that draw all of theirs once they are used follows neither yields nor
//! levels. Jobs hold it as they hold licences, with a hundredth of their other power, so that no job stops for
//! ever; the rest of the cap is what yields are multiplied for. As jobs keep it, the smallest cap from now on
//! counts.

use dfrsim_cluster::{JobHandle, View};
use dfrsim_model::platform::common::CommonDemand;

/// Inverse of the part of the power that follows its yield which a job must be able to draw.
const LEAST_PART: u64 = 100;

/// Units of the resources of the whole cluster that placed jobs hold at any yield.
#[derive(Debug)]
pub(super) struct HeldUnits {
    /// Indices of these resources among those of the cluster.
    places: Vec<usize>,
    /// Units that there are now, and that there will be after the last step.
    now: Vec<u64>,
    lasting: Vec<u64>,
    in_use: Vec<u64>,
    /// Units of each job, by handle.
    by_job: Vec<Vec<u64>>,
}

impl HeldUnits {
    /// Creates the units of an idle cluster; `None` if it has no such resources.
    pub(super) fn new(view: View<'_>) -> Option<Box<HeldUnits>> {
        let classes = view.classes()?;
        let (common, holds_power) = (classes.common(), classes.has_used_power());
        let is_held = |place: &usize| holds_power || common[*place].demand != CommonDemand::Draw;
        let places: Vec<usize> = (0..common.len()).filter(is_held).collect();
        (!places.is_empty()).then(|| {
            let lasting = places.iter().map(|&place| classes.lasting_amount(&common[place])).collect();
            let none = vec![0; places.len()];
            Box::new(HeldUnits { places, now: none.clone(), lasting, in_use: none, by_job: Vec::new() })
        })
    }

    /// Advances to the current time; returns whether there are more units of a resource from now on.
    pub(super) fn advance(&mut self, view: View<'_>) -> bool {
        let Some(classes) = view.classes() else { return false };
        let own = |place: &usize| &classes.common()[*place];
        let now = self.places.iter().map(|place| classes.amount_to_hold(own(place), view.now()));
        self.now = now.collect();
        self.places.iter().any(|place| own(place).rises_at(view.now()))
    }

    /// Learns the units of a job that arrives.
    pub(super) fn learn(&mut self, view: View<'_>, job: JobHandle) {
        if self.by_job.len() <= job.index() {
            self.by_job.resize(view.handles().max(job.index() + 1), Vec::new());
        }
        let common = view.classes().map_or(&[][..], |classes| classes.common());
        let units = |&place: &usize| {
            let amount =
                view.demand(job).and_then(|demand| Some((*demand.common.get(place)?, demand.fixed_power)));
            let (amount, fixed) = amount.unwrap_or((0, 0));
            match common[place].demand {
                CommonDemand::Draw => fixed + (amount - fixed).div_ceil(LEAST_PART),
                CommonDemand::Held { .. } => amount,
            }
        };
        self.by_job[job.index()] = self.places.iter().map(units).collect();
    }

    fn of(&self, job: JobHandle) -> &[u64] {
        self.by_job.get(job.index()).map_or(&[], Vec::as_slice)
    }

    /// Returns whether a job never gets all of its units.
    pub(super) fn never_suffice(&self, job: JobHandle) -> bool {
        self.of(job).iter().zip(&self.lasting).any(|(units, lasting)| units > lasting)
    }

    /// Returns whether too few units are left for a job that is not placed.
    pub(super) fn exceeds(&self, job: JobHandle) -> bool {
        exceeds(self.of(job), &self.in_use, &self.now)
    }

    /// Takes the units of a job that is placed.
    pub(super) fn take(&mut self, job: JobHandle) {
        let units = self.by_job.get(job.index()).into_iter().flatten();
        self.in_use.iter_mut().zip(units).for_each(|(in_use, units)| *in_use += units);
    }

    /// Returns the units of a job that is removed from its nodes.
    pub(super) fn give_back(&mut self, job: JobHandle) {
        let units = self.by_job.get(job.index()).into_iter().flatten();
        self.in_use.iter_mut().zip(units).for_each(|(in_use, units)| *in_use -= units);
    }

    /// Keeps the jobs of a list, none of which counts as placed, for which enough units are left after
    /// those before them.
    pub(super) fn keep_sufficient(&self, jobs: &mut Vec<JobHandle>) {
        let mut in_use = vec![0; self.now.len()];
        jobs.retain(|&job| {
            let units = self.of(job);
            let is_kept = !exceeds(units, &in_use, &self.now);
            if is_kept {
                in_use.iter_mut().zip(units).for_each(|(in_use, units)| *in_use += units);
            }
            is_kept
        });
    }
}

/// Returns whether units exceed those that are left.
fn exceeds(units: &[u64], in_use: &[u64], now: &[u64]) -> bool {
    let mut all = units.iter().zip(in_use).zip(now);
    all.any(|((units, in_use), now)| *units > 0 && in_use + units > *now)
}

/// Returns whether the cluster has resources as a whole.
pub(super) fn has_common(view: View<'_>) -> bool {
    view.classes().is_some_and(|classes| !classes.common().is_empty())
}
