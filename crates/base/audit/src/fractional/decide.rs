//! Recomputation of a policy's decision, part by part, on plain lists.

use super::FractionalPolicy;
use super::cap::PowerOfYields;
use super::mapping::{JobView, Mapping};
use super::moves::Moves;
use super::pack::{FLOOR, Item, Search, map};
use super::shares::{Contested, Sharer, common, contested, fill, largest_sum};
use crate::Phase as State;
use crate::devices::DeviceList;
use crate::levels::slowdowns;
use crate::nodes::Kind;
use crate::priority::PrioritySystem;
use dfrsim_model::fractional::{OnSubmission, Periodic, RemapLimit, SecondPhase};
use dfrsim_model::{Share, SimSpan, SortedMap, VirtualTime, Yield};

/// Events of the current time, and the state that the policy remembers.
#[derive(Debug)]
pub(super) struct Events<'a> {
    pub(super) now: u64,
    /// Jobs that arrive and are not rejected.
    pub(super) submitted: Vec<u64>,
    /// Jobs that lost their nodes and wait.
    pub(super) interrupted: Vec<u64>,
    /// True if jobs completed, or left nodes because the platform changed.
    pub(super) is_room: bool,
    pub(super) is_tick: bool,
    /// Time until the next tick.
    pub(super) to_tick: SimSpan,
    /// Yields of the last tick of `/stretch-per`, by job.
    pub(super) floors: &'a SortedMap<u64, u32>,
    /// Amount of the power cap now.
    pub(super) cap: Option<u64>,
    pub(super) kinds: &'a [Kind],
    /// Indices of the resources of the cluster that jobs hold at any yield, with their amounts now; true
    /// for the power, of which they hold a part.
    pub(super) held: Vec<(usize, bool, u64)>,
}

/// Expected yields.
#[derive(Debug)]
pub(super) enum Yields {
    /// Unchanged yields; a job without one is reported as a wrong placement.
    Held,
    /// Exact yields in units, which are rounded down, and the tolerance for rounding in units.
    Exact(SortedMap<u64, f64>, f64),
    /// Any yields with this weighted sum that are not below their floors.
    Sum(Sum),
}

/// Largest weighted sum of yields, and its terms.
#[derive(Debug)]
pub(super) struct Sum {
    pub(super) weights: SortedMap<u64, f64>,
    pub(super) floors: SortedMap<u64, f64>,
    /// Yields that reach the sum, in units.
    yields: SortedMap<u64, f64>,
    pub(super) best: f64,
    /// Contested resources, with the jobs by their place among the terms.
    pub(super) contested: Vec<Contested>,
}

pub(super) struct Decider<'a> {
    pub(super) policy: &'a FractionalPolicy,
    pub(super) events: Events<'a>,
    pub(super) jobs: &'a SortedMap<u64, JobView>,
    pub(super) site: Option<&'a PrioritySystem>,
    pub(super) mapping: Mapping<'a>,
    /// Placement of each job after the decision in the record.
    pub(super) recorded: &'a SortedMap<u64, &'a [(u32, u32)]>,
    /// Devices of each job after the decision in the record.
    pub(super) recorded_devices: &'a SortedMap<u64, DeviceList>,
    /// Yields of this tick of `/stretch-per`, if it is one.
    pub(super) floors: Option<SortedMap<u64, u32>>,
    /// Violation in the record if the policy permits several results.
    pub(super) fault: Option<(u64, String)>,
    /// True if jobs of preempting classes came to nodes that the last tick of `/stretch-per` did not
    /// give them.
    pub(super) is_shared_again: bool,
    /// True if the mapping after MCB cannot be determined.
    pub(super) is_undetermined: bool,
}

impl Decider<'_> {
    /// Runs all parts of the policy in their order. The mapping must be that of the cluster, without
    /// the jobs that have to leave their nodes.
    pub(super) fn decide(&mut self) -> Yields {
        let cut_off: Vec<u64> = self.running_off_nodes().collect();
        let mut displaced = [&self.events.interrupted[..], &cut_off].concat();
        displaced.sort_unstable();
        if self.policy.is_equipartition {
            let waiting = self.off_nodes(&|_| true);
            waiting.into_iter().for_each(|job| _ = self.place(job, false));
        } else {
            self.run_parts(&displaced);
        }
        let is_between = self.policy.parts.periodic == Periodic::McbStretch && !self.events.is_tick;
        self.is_shared_again = self.pause_by_class();
        let holds = is_between && !self.is_shared_again;
        if holds { Yields::Held } else { self.share() }
    }

    fn run_parts(&mut self, displaced: &[u64]) {
        let new: Vec<u64> = displaced.iter().chain(&self.events.submitted).copied().collect();
        let by_mcb = self.policy.parts.on_submission == OnSubmission::Mcb;
        let reacts = self.policy.parts.opportunistic && self.events.is_room;
        if reacts && !by_mcb {
            let waiting = self.off_nodes(&|job| !new.contains(&job));
            waiting.into_iter().for_each(|job| _ = self.place(job, false));
        }
        for &job in &new {
            // Jobs that leave their nodes because of a window do not preempt others.
            match self.jobs[&job].phase {
                State::Running
                    if matches!(
                        self.policy.parts.on_submission,
                        OnSubmission::Nothing | OnSubmission::Mcb
                    ) => {}
                State::Running => _ = self.place(job, false),
                _ => self.admit(job),
            }
        }
        if self.policy.extensions().retry.is_some() {
            let may = |job: u64| {
                let is_tried = match self.jobs[&job].phase {
                    State::Waiting => true,
                    State::Paused => self.policy.extensions().swap.is_some(),
                    State::Running => false,
                };
                is_tried && !new.contains(&job)
            };
            self.off_nodes(&may).into_iter().for_each(|job| self.admit(job));
        }
        let is_asked = by_mcb && (!new.is_empty() || reacts);
        if (is_asked || self.events.is_tick && self.is_remap_due()) && !self.jobs.is_empty() {
            self.remap();
        }
    }

    fn running_off_nodes(&self) -> impl Iterator<Item = u64> {
        let is_off =
            |(job, seen): &(&u64, &JobView)| seen.phase == State::Running && !self.mapping.has(**job);
        self.jobs.iter().filter(is_off).map(|(job, _)| *job)
    }
    /// Returns the jobs on no node that satisfy a condition, by rank; under EQUIPARTITION without a
    /// site by submission.
    fn off_nodes(&self, is_meant: &dyn Fn(u64) -> bool) -> Vec<u64> {
        let mut off = self.jobs.keys().to_vec();
        off.retain(|&job| !self.mapping.has(job) && is_meant(job));
        self.mapping.ranked(off)
    }
    fn is_blocked(&self, job: u64) -> bool {
        self.site.is_some_and(|site| site.exceeds_limit_with(job, self.mapping.on.keys()))
            || self.lacks_units(job, self.mapping.on.keys())
    }
    /// Returns whether the cluster has too few units of a resource for a job beside others.
    fn lacks_units(&self, job: u64, others: &[u64]) -> bool {
        self.events.held.iter().any(|&(place, is_power, amount)| {
            let of = |job: &u64| self.jobs[job].size.held_of(place, is_power);
            let others: u64 = others.iter().map(of).sum();
            of(&job) > 0 && others + of(&job) > amount
        })
    }
    /// Places a job by Greedy, unless a limit or a lack of units blocks it.
    fn place(&mut self, job: u64, beside: bool) -> bool {
        !self.is_blocked(job) && self.mapping.place(job, beside)
    }

    /// Handles an arriving or retried job.
    fn admit(&mut self, job: u64) {
        match self.policy.parts.on_submission {
            OnSubmission::Nothing | OnSubmission::Mcb => {}
            OnSubmission::Greedy => _ = self.place(job, false),
            OnSubmission::GreedyP | OnSubmission::GreedyPM if self.is_blocked(job) => {}
            OnSubmission::GreedyP | OnSubmission::GreedyPM => {
                if !(self.policy.extensions().spread && self.place_or_preempt(job, true)) {
                    self.place_or_preempt(job, false);
                }
            }
        }
    }
    /// Returns whether another job may be preempted for this one.
    fn may_preempt(&self, other: u64, job: u64) -> bool {
        let (its, own) = (&self.jobs[&other], &self.jobs[&job]);
        let [its_level, own_level] = [its, own].map(|seen| seen.site_rank.0);
        let is_less = |factor: u32| its_level < own_level || its.priority < own.priority / f64::from(factor);
        let swap = self.policy.extensions().swap.filter(|_| own.phase == State::Paused);
        its.may_be_preempted && its_level <= own_level && swap.is_none_or(is_less)
    }
    /// Places a job with preemption: removes other jobs in this order until it fits, then restores,
    /// last first, those with which it still fits. Returns the jobs that stay preempted; `None` if
    /// the job does not fit even so.
    fn place_with_preemption(
        &mut self,
        job: u64,
        beside: bool,
        others: impl Iterator<Item = u64>,
    ) -> Option<Vec<u64>> {
        let mut marked = Vec::new();
        for other in others {
            if self.mapping.fits(job, beside) {
                break;
            }
            marked.push((other, self.mapping.remove(other)));
        }
        let is_room = self.mapping.fits(job, beside);
        let mut away = Vec::new();
        for (other, on) in marked.into_iter().rev() {
            self.mapping.put(other, on);
            if is_room && !self.mapping.fits(job, beside) {
                self.mapping.remove(other);
                away.push(other);
            }
        }
        self.mapping.place(job, beside).then_some(away)
    }

    /// Places a job, preempting others by ascending rank if necessary.
    fn place_or_preempt(&mut self, job: u64, beside: bool) -> bool {
        if self.mapping.place(job, beside) {
            return true;
        }
        let mut others = self.mapping.ranked(self.mapping.on.keys().to_vec());
        others.retain(|&other| self.may_preempt(other, job));
        let Some(away) = self.place_with_preemption(job, beside, others.into_iter().rev()) else {
            return false;
        };
        if self.policy.parts.on_submission == OnSubmission::GreedyPM {
            away.into_iter().for_each(|other| _ = self.place(other, false));
        }
        true
    }

    /// Places jobs of preempting classes, pausing others if necessary; returns whether any job was
    /// placed.
    fn pause_by_class(&mut self) -> bool {
        let Some(site) = self.site else { return false };
        let before = self.mapping.on.len();
        let mut paused = 0;
        for job in self.off_nodes(&|job| site.preempts(job)) {
            if self.is_blocked(job) || self.mapping.place(job, false) {
                continue;
            }
            let others = site.candidates(self.events.now, job, self.mapping.on.keys());
            let away = self.place_with_preemption(job, false, others.into_iter());
            paused += away.map_or(0, |away| away.len());
        }
        self.mapping.on.len() + paused > before
    }

    /// Returns whether a tick maps all jobs again: under `/BELOW` if a job is on no node or a yield
    /// is below the percentage.
    fn is_remap_due(&mut self) -> bool {
        let Some(percent) = self.policy.extensions().below_percent else { return true };
        let enough = f64::from(Yield::from_ratio(percent.into(), 100).units());
        let is_off = |job: &u64| !self.mapping.has(*job);
        if self.jobs.keys().iter().any(is_off) {
            return true;
        }
        let (Yields::Exact(yields, _) | Yields::Sum(Sum { yields, .. })) = self.share() else { return false };
        let factor = self.events.cap.map_or(1.0, |cap| {
            let slowdowns = slowdowns(self.events.kinds, self.mapping.on.values().iter().map(|on| &on[..]));
            let power = PowerOfYields::new(cap, self.jobs, &yields);
            power.factor(power.best_level(&slowdowns))
        });
        yields.values().iter().any(|at| (at.floor() * factor).floor() < enough)
    }

    /// Returns whether MCB may not move a running job.
    fn is_pinned(&self, seen: &JobView) -> bool {
        match self.policy.parts.remap_limit {
            RemapLimit::Unlimited => false,
            RemapLimit::FlowTime(limit) => seen.flow < limit.micros(),
            RemapLimit::VirtualTime(limit) => seen.done < VirtualTime::of(limit).units(),
        }
    }
    /// Returns the jobs that MCB maps, by rank: those that can run on the nodes and that no limit
    /// blocks.
    fn ranked_for_mcb(&self) -> Vec<u64> {
        let are_all = self.mapping.nodes.all.iter().all(|node| node.is_open);
        let empty = self.mapping.nodes.without_tasks();
        let mut ranked = self.mapping.ranked(self.jobs.keys().to_vec());
        ranked.retain(|job| are_all || empty.fits(self.jobs[job].wanted()));
        if let Some(site) = self.site {
            let mut before: Vec<u64> = Vec::new();
            ranked.retain(|&job| {
                let is_in = !site.exceeds_limit_with(job, &before);
                before.extend(is_in.then_some(job));
                is_in
            });
        }
        let mut before: Vec<u64> = Vec::new();
        ranked.retain(|&job| {
            let is_in = !self.lacks_units(job, &before);
            before.extend(is_in.then_some(job));
            is_in
        });
        ranked
    }
    /// Maps all jobs again.
    fn remap(&mut self) {
        if self.mapping.nodes.all.iter().all(|node| !node.is_open) {
            return;
        }
        let ranked = self.ranked_for_mcb();
        let pinned = |job: &u64| self.mapping.on.get(job).filter(|_| self.is_pinned(&self.jobs[job]));
        let item = |job: &u64| {
            let JobView { tasks, size, .. } = &self.jobs[job];
            let pinned_devices = self.mapping.devices.get(job).map_or(&[][..], Vec::as_slice);
            Item { number: *job, tasks: *tasks, size, pinned: pinned(job), pinned_devices }
        };
        let items: Vec<Item<'_>> = ranked.iter().map(item).collect();
        let seen: Vec<&JobView> = ranked.iter().map(|job| &self.jobs[job]).collect();
        let least = self.least_of_mapped(&seen);
        let least_until = |least: &mut u32, it: &&JobView| {
            *least = (*least).min(it.weight);
            Some(u64::from(*least))
        };
        let least_weights: Vec<u64> = seen.iter().scan(u32::MAX, least_until).collect();
        // The level is the yield of the job of the least weight among the mapped ones.
        let by_weight = |count: usize, job: usize, level: u32| {
            let part = u64::from(level) * u64::from(seen[job].weight);
            Some(Yield::from_ratio(part, u64::from(Yield::ONE.units()) * least_weights[count - 1]).units())
        };
        let by_stretch = |_: usize, job: usize, target: u32| self.stretch_yield(seen[job], least, target);
        let empty = self.mapping.nodes.without_tasks();
        let is_stretch = self.policy.parts.periodic == Periodic::McbStretch;
        let packed = if is_stretch {
            map(&items, &empty, Search::Stretch, &by_stretch)
        } else {
            map(&items, &empty, Search::Yield, &by_weight)
        };
        let floors = is_stretch.then(|| {
            let floor = |place: usize| by_stretch(packed.places.len(), place, packed.value).unwrap_or(0);
            let kept = 0..packed.places.len();
            kept.map(|place| (ranked[place], floor(place))).collect()
        });
        let kept = packed.places.len();
        let at = |place: usize| match is_stretch {
            true => by_stretch(kept, place, packed.value),
            false => by_weight(kept, place, packed.value),
        };
        let yields: SortedMap<u64, u32> =
            (0..kept).filter_map(|place| Some((ranked[place], at(place)?))).collect();
        let pins: Vec<u64> = items.iter().filter(|it| it.pinned.is_some()).map(|it| it.number).collect();
        let target: SortedMap<u64, _> = ranked.iter().copied().zip(packed.places).collect();
        self.floors = floors;
        let is_tick = self.events.is_tick;
        if self.policy.parts.relabel || self.policy.parts.budget_gb.is_some() && is_tick {
            let (mapping, recorded) = (&self.mapping, self.recorded);
            let (of_record, ranked, target) = (self.recorded_devices, &ranked[..], &target);
            let moves = Moves { mapping, ranked, pins: &pins, target, recorded, of_record };
            self.fault = moves.check_mapping(self.policy, is_tick);
            let is_changed_by_budget = moves.exceeds_budget(self.policy, is_tick);
            // Jobs preempted by other classes are not where MCB had them.
            self.is_undetermined =
                self.fault.is_some() && self.site.is_some_and(PrioritySystem::preempts_any);
            let found = ranked.iter().filter_map(|job| Some((*job, self.recorded.get(job)?.to_vec())));
            let found = found.collect();
            let devices = match is_changed_by_budget {
                true => of_record.clone(),
                false => self.mapping.devices_of(&found, &pins, &yields),
            };
            self.mapping.set_all(found, devices);
        } else {
            let devices = self.mapping.devices_of(&target, &pins, &yields);
            self.mapping.set_all(target, devices);
        }
    }
    /// Returns the least weight of the mapped jobs, to which the weights of stretches are relative.
    /// If nodes are identical and jobs are left out by rank only, jobs after the first one with
    /// which the total memory is exceeded do not count.
    fn least_of_mapped(&self, ranked: &[&JobView]) -> u32 {
        let nodes = &self.mapping.nodes;
        let is_budget = self.policy.parts.budget_gb.is_some() && self.events.is_tick;
        let by_rank =
            nodes.is_homogeneous() && self.site.is_none() && !self.policy.parts.relabel && !is_budget;
        let open = nodes.all.iter().filter(|node| node.is_open).count() as u64;
        let whole = open * u64::from(Share::ONE.units());
        let mut before = 0;
        let counts = |it: &&&JobView| {
            let is_in = !by_rank || before <= whole;
            before += it.size.held[0] * u64::from(it.tasks);
            is_in
        };
        ranked.iter().take_while(counts).map(|it| it.weight).min().unwrap_or(1)
    }
    /// Computes the yield that brings a job's inverse estimated stretch at the next tick to a
    /// target, at least the floor of MCB. Returns `None` if it exceeds 1, except for the smallest
    /// target.
    fn stretch_yield(&self, seen: &JobView, least: u32, target: u32) -> Option<u32> {
        let (period, weight) = (self.policy.period, f64::from(seen.weight) / f64::from(least));
        let seconds = |micros: u64| SimSpan::from_micros(micros).as_secs_f64();
        let at = f64::from(target) / f64::from(Yield::ONE.units());
        let goal = weight * (seconds(seen.flow + period.micros()) * at);
        let wanted = (goal - seen.done_s()) / period.as_secs_f64();
        (wanted <= 1.0 || target == 1).then(|| Yield::from_f64(wanted).units().max(FLOOR))
    }

    /// Returns the time for which stretches are estimated, in seconds.
    fn period(&self) -> f64 {
        (if self.is_shared_again { self.events.to_tick } else { self.policy.period }).as_secs_f64()
    }
    /// Returns the jobs on nodes, with their shared resources and the growth of their yields.
    fn sharers(&self) -> (Vec<u64>, Vec<Sharer<'_>>) {
        let floors = self.floors.as_ref().unwrap_or(self.events.floors);
        let (mut numbers, mut sharers) = (Vec::new(), Vec::new());
        for (job, on) in &self.mapping.on {
            let seen = &self.jobs[job];
            let mut sharer = Sharer {
                size: &seen.size,
                on,
                devices: self.mapping.devices.get(job).map_or(&[][..], Vec::as_slice),
                slope: seen.share_weight(self.policy.extensions().least_attained),
                offset: 0.0,
                floor: 0.0,
            };
            if self.policy.parts.periodic == Periodic::McbStretch {
                let weight = f64::from(seen.weight) / f64::from(self.least_weight());
                let floor = floors.get(job).copied().unwrap_or(0);
                sharer.slope = (seen.flow_s() + self.period()) / self.period() * weight;
                sharer.offset = -(seen.done_s() / self.period());
                sharer.floor = f64::from(floor) / f64::from(Yield::ONE.units());
            }
            numbers.push(*job);
            sharers.push(sharer);
        }
        (numbers, sharers)
    }
    /// Computes the yields under the mapping, before a power cap shrinks them.
    fn share(&self) -> Yields {
        let (numbers, mut sharers) = self.sharers();
        let contested = contested(&sharers, &self.mapping.nodes);
        if self.is_shared_again && self.policy.parts.periodic == Periodic::McbStretch {
            // The capacity of the nodes at the tick may have been larger for some jobs.
            let least = super::shares::units(common(&contested)).floor().min(FLOOR.into());
            sharers.iter_mut().for_each(|it| it.floor = least / f64::from(Yield::ONE.units()));
        }
        if self.policy.parts.second_phase == SecondPhase::Average {
            let (floors, weights) = self.average_terms(&sharers, &contested);
            let yields = largest_sum(&floors, &weights, &contested);
            let best = yields.iter().zip(&weights).map(|(at, weight)| at * weight).sum();
            let yields = yields.into_iter().map(super::shares::units).collect();
            let by_job = |all: Vec<f64>| numbers.iter().copied().zip(all).collect();
            let (floors, weights, yields) = (by_job(floors), by_job(weights), by_job(yields));
            return Yields::Sum(Sum { weights, floors, yields, best, contested });
        }
        let all = fill(&sharers, &contested, self.policy.is_equipartition);
        let units = all.into_iter().map(super::shares::units);
        let is_weighted = sharers.iter().any(|it| it.slope != sharers[0].slope);
        let rounding = if is_weighted { 1.0 } else { 0.0 };
        Yields::Exact(numbers.into_iter().zip(units).collect(), rounding)
    }
    /// Computes the floors and the weights for the largest weighted sum.
    fn average_terms(&self, sharers: &[Sharer<'_>], contested: &[Contested]) -> (Vec<f64>, Vec<f64>) {
        let is_stretch = self.policy.parts.periodic == Periodic::McbStretch;
        let common = common(contested);
        let floor = |it: &Sharer<'_>| if is_stretch { it.floor } else { common };
        let (least, period) = (self.least_weight(), self.period());
        let weight = |(job, it): (&JobView, &Sharer<'_>)| {
            let relative = f64::from(job.weight) / f64::from(least);
            if is_stretch { relative / ((job.flow_s() + period) / period) } else { it.slope }
        };
        let seen = self.mapping.on.keys().iter().map(|job| &self.jobs[job]);
        let weights: Vec<f64> = seen.zip(sharers).map(weight).collect();
        let most = weights.iter().copied().fold(0.0, f64::max);
        (sharers.iter().map(floor).collect(), weights.iter().map(|weight| weight / most).collect())
    }
    fn least_weight(&self) -> u32 {
        self.mapping.on.keys().iter().map(|job| self.jobs[job].weight).min().unwrap_or(1)
    }
}
