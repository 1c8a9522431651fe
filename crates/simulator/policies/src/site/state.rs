//! Jobs of a site and their state under its settings.

use super::accounts::{AccountIndex, Accounts};
use super::allocated_tres::{AllocatedTres, amount_of_nodes, tres_names};
use super::factor::{ONE, ratio};
use super::limits::{CurrentUsage, LimitUsage, Membership};
use super::memory::SiteMemory;
use super::multiples::{last_multiple, next_multiple};
use super::partition_nodes::classes_of_partition;
use super::preemption::{Preemptible, PreemptionRules};
use super::priority_factors::PriorityFactors;
use dfrsim_cluster::{JobHandle, View};
use dfrsim_model::platform::classes::NodeClass;
use dfrsim_model::site::{BackfillSettings, PreemptMode, SiteSettings, SizeFactor};
use dfrsim_model::{SimSpan, SimTime, SortedMap};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::sync::Arc;

/// A job in the system, with its state at the site.
#[derive(Clone, Debug)]
pub(super) struct TrackedJob {
    pub(super) sequence: u64,
    account: AccountIndex,
    /// Amount billed to the account while the job runs.
    billing: u64,
    pub(super) membership: Membership,
    usage: LimitUsage,
    is_admitted: bool,
    factors: PriorityFactors,
    /// Time since which the job has been waiting.
    pub(super) waiting_since: SimTime,
    /// Earliest time at which a batch policy may start the job.
    pub(super) eligible_at: SimTime,
    /// End of the last grace period of its victims. Until then the job preempts no others.
    pub(super) waits_for_victims_until: Option<SimTime>,
}

/// Hot per-job flags, kept apart so that scanning a long queue stays in cache.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct JobFlags {
    /// Index of the job's partition plus 1, if it has one.
    partition: Option<NonZeroU32>,
    /// True if a limit, a hold-off or a preemptor may ever block the job.
    pub(super) can_be_blocked: bool,
    /// True if the job is a component of a heterogeneous job.
    is_component: bool,
}

/// Settings of a site and the state that they depend on: waiting jobs, running jobs, and past usage.
#[derive(Debug)]
pub(crate) struct PrioritySystem {
    settings: Arc<SiteSettings>,
    /// Names of the resources that the settings refer to.
    names: Vec<String>,
    /// Account tree; `None` if fair share has no weight.
    pub(super) accounts: Option<Accounts>,
    in_use: CurrentUsage,
    /// Partitions of the jobs submitted so far.
    partitions: BTreeSet<Option<usize>>,
    preemption: PreemptionRules,
    /// Jobs by handle.
    pub(super) jobs: Vec<Option<TrackedJob>>,
    /// Flags by handle. Scans of a long queue read only these few bytes.
    pub(super) flags: Vec<JobFlags>,
    /// Components of heterogeneous jobs: by job number, the index of the heterogeneous job.
    heterogeneous_jobs: BTreeMap<u64, u32>,
    /// Start of each running job, and the start from which limits count it.
    running: SortedMap<JobHandle, SimTime>,
    counted: SortedMap<JobHandle, SimTime>,
    /// Ends of the grace periods of running jobs that are being preempted.
    pub(super) grace_ends: SortedMap<JobHandle, SimTime>,
    /// Last preemptor of each victim, by the victim's submission index, as long as the preemptor has
    /// not started.
    pub(super) preempted_for: BTreeMap<u64, JobHandle>,
    pub(super) now: SimTime,
    /// Last boundary of the calculation period.
    period_boundary: SimTime,
    /// Memory from which the state continues.
    pub(super) recalled: Option<Arc<SiteMemory>>,
    /// Step to whose multiples planned ends are rounded up; zero if they are exact.
    rounding: SimSpan,
}

impl PrioritySystem {
    /// Creates the state before the first job. The settings must have been
    /// [checked](SiteSettings::check).
    pub(crate) fn new(settings: Arc<SiteSettings>) -> PrioritySystem {
        let names = tres_names(&settings);
        PrioritySystem {
            accounts: (settings.weights.fair_share > 0).then(|| Accounts::new(Arc::clone(&settings))),
            in_use: CurrentUsage::new(&settings, &names),
            names,
            partitions: BTreeSet::new(),
            preemption: PreemptionRules::new(&settings),
            jobs: Vec::new(),
            flags: Vec::new(),
            heterogeneous_jobs: (0..)
                .zip(&settings.together)
                .flat_map(|(at, jobs)| jobs.iter().map(move |&job| (job, at)))
                .collect(),
            running: SortedMap::default(),
            counted: SortedMap::default(),
            grace_ends: SortedMap::default(),
            preempted_for: BTreeMap::new(),
            now: SimTime::ZERO,
            period_boundary: SimTime::ZERO,
            recalled: None,
            rounding: SimSpan::from_secs(settings.backfill.resolution_s),
            settings,
        }
    }

    /// Makes the site plan with the exact ends of jobs from now on.
    pub(crate) fn plan_exact_ends(&mut self) {
        self.rounding = SimSpan::ZERO;
    }

    pub(crate) fn settings(&self) -> &SiteSettings {
        &self.settings
    }

    /// Advances to `now`; the set of running jobs must not have changed until then.
    pub(crate) fn advance(&mut self, now: SimTime) {
        self.now = now;
        if let Some(accounts) = &mut self.accounts {
            accounts.advance(now);
        }
        self.period_boundary = last_multiple(now, SimSpan::from_secs(self.settings.calc_period_s));
    }

    /// Builds the state of a job, except for its account.
    fn tracked_job(&self, view: View<'_>, handle: JobHandle, submit: SimTime) -> TrackedJob {
        let job = view.job(handle);
        let membership = Membership::new(&self.settings, job);
        let held = AllocatedTres::of(view, handle, &self.names);
        let billing = held.billing(&self.settings, membership.partition, &self.names);
        let estimate = job.estimate().unwrap_or(SimSpan::MAX);
        let rank = PriorityFactors::new(&self.settings, self.size(view, handle, &held), submit, &membership);
        let rank = rank.with_tres(self.weighted_tres(view, handle, &held, membership.partition));
        let claim = self.in_use.usage_of(&self.settings, &membership, job.origin(), held, estimate);
        let (account, is_admitted, awaits) = (0, true, None);
        TrackedJob {
            sequence: job.sequence(),
            account,
            billing,
            membership,
            usage: claim,
            is_admitted,
            factors: rank,
            waiting_since: submit,
            eligible_at: view.now(),
            waits_for_victims_until: awaits,
        }
    }

    /// Computes the size of a job as a fraction of the cluster.
    fn size(&self, view: View<'_>, handle: JobHandle, held: &AllocatedTres) -> u64 {
        let part_of_nodes = |nodes: u64| ratio(nodes.into(), view.nodes().into()).min(ONE);
        match self.settings.size {
            SizeFactor::Tasks => part_of_nodes(held.get(0)),
            SizeFactor::NodesAndCpus => {
                let cores = view.classes().map_or(view.nodes().into(), |classes| {
                    let of = |(at, class): (usize, &NodeClass)| {
                        u64::from(class.nodes) * u64::from(classes.cores_of(at))
                    };
                    classes.classes().iter().enumerate().map(of).sum::<u64>()
                });
                let [nodes, cpus] = [0, 1].map(|place| self.requested(view, handle, held, place));
                (part_of_nodes(nodes) + ratio(cpus.into(), cores.into()).min(ONE)) / 2
            }
        }
    }

    /// Returns the amount of a resource that a job requested, by its index in [`tres_names`]. Slurm
    /// ranks jobs by the nodes and CPUs that they requested, not by those that they are allocated.
    fn requested(&self, view: View<'_>, handle: JobHandle, held: &AllocatedTres, place: usize) -> u64 {
        let demand = view.demand(handle);
        let requested = match place {
            0 => demand.and_then(|demand| demand.requested_nodes),
            1 => demand.and_then(|demand| demand.requested_cores),
            _ => None,
        };
        requested.map_or(held.get(place), u64::from)
    }

    /// Computes the sum of the weighted fractions of the resources of its partition that a job
    /// requests.
    fn weighted_tres(
        &self,
        view: View<'_>,
        handle: JobHandle,
        held: &AllocatedTres,
        partition: Option<usize>,
    ) -> u128 {
        if self.settings.tres_weights.is_empty() {
            return 0;
        }
        let partition = partition.map(|at| self.settings.partitions[at].name.as_str());
        let nodes = classes_of_partition(view.classes(), partition);
        let of_resource = |(name, &weight): (&String, &u64)| {
            let place = self.names.iter().position(|it| it == name);
            let own = place.map_or(0, |place| self.requested(view, handle, held, place));
            let fraction = ratio(own.into(), amount_of_nodes(view, &nodes, name)).min(ONE);
            u128::from(weight) * u128::from(fraction)
        };
        self.settings.tres_weights.iter().map(of_resource).sum()
    }

    /// Returns whether the limits of a job's classes and accounts admit it, given the jobs submitted
    /// before it.
    fn admits(&self, view: View<'_>, job: &TrackedJob) -> bool {
        // The view already contains all jobs submitted at this time, including later ones.
        let before = |other: &&JobHandle| view.job(**other).sequence() < job.sequence;
        let before = view.jobs().iter().filter(before);
        let others = before.filter_map(|other| self.jobs.get(other.index())?.as_ref());
        let others = others.filter(|other| other.is_admitted).map(|other| &other.usage);
        self.in_use.admits(&job.usage, &others)
    }

    /// Adds an arriving job; returns whether its classes ever admit it.
    pub(crate) fn submit(&mut self, view: View<'_>, handle: JobHandle) -> bool {
        let mut member = self.tracked_job(view, handle, view.job(handle).submit());
        if let Some(accounts) = &mut self.accounts {
            member.account = accounts.account_of(member.membership.user, member.usage.account);
        }
        member.is_admitted = self.admits(view, &member);
        self.partitions.insert(member.membership.partition);
        if self.jobs.len() <= handle.index() {
            self.jobs.resize(handle.index() + 1, None);
            self.flags.resize(handle.index() + 1, JobFlags::default());
        }
        self.flags[handle.index()] = JobFlags {
            partition: member.membership.partition.and_then(|at| NonZeroU32::new(at as u32 + 1)),
            can_be_blocked: self.in_use.can_block(&member.usage),
            is_component: self.heterogeneous_jobs.contains_key(&member.membership.id.0),
        };
        let is_admitted = member.is_admitted;
        self.jobs[handle.index()] = Some(member);
        if self.recalled.is_some() {
            self.recall_job(handle);
        }
        is_admitted
    }

    /// Adds a job that runs since `start` already.
    #[cold]
    pub(crate) fn adopt(&mut self, view: View<'_>, handle: JobHandle, start: SimTime) {
        self.submit(view, handle);
        self.start_charging(start, handle);
        self.count_for_limits(handle);
        self.recall_run(handle);
    }

    /// Returns the priority of a job if it arrived now, and whether its classes ever admit it.
    pub(crate) fn priority_on_arrival(&self, view: View<'_>, handle: JobHandle) -> (u64, bool) {
        let (now, member) = (view.now(), self.tracked_job(view, handle, view.now()));
        let TrackedJob { membership, usage: claim, .. } = &member;
        let fair_share = |accounts: &Accounts| accounts.fair_share_of(membership.user, claim.account);
        let fair_share = self.accounts.as_ref().map_or(0, fair_share);
        (member.factors.priority_at(now, fair_share, &self.settings), self.admits(view, &member))
    }

    fn tracked(&self, job: JobHandle) -> &TrackedJob {
        self.jobs[job.index()].as_ref().expect("the job must have been submitted")
    }

    /// Returns the tier and the priority of a job, as last computed, combined into one number.
    pub(crate) fn priority(&self, job: JobHandle) -> u64 {
        let TrackedJob { account, factors: rank, waiting_since: joined, .. } = self.tracked(job);
        let fair_share = self.accounts.as_ref().map_or(0, |accounts| accounts.fair_share(*account));
        rank.priority_at(self.period_boundary.max(*joined), fair_share, &self.settings)
    }

    /// Returns the time at which the priorities of all waiting jobs were last computed.
    pub(crate) fn last_priority_update(&self) -> SimTime {
        self.period_boundary
    }

    /// Returns the version of the priorities. Priorities of waiting jobs only change when it does.
    pub(crate) fn priority_version(&self) -> (SimTime, u64) {
        (self.period_boundary, self.accounts.as_ref().map_or(0, |accounts| accounts.version))
    }

    /// Returns the index of a job's partition in the settings.
    pub(crate) fn partition(&self, job: JobHandle) -> Option<usize> {
        self.flags[job.index()].partition.map(|at| at.get() as usize - 1)
    }

    /// Returns whether a job's partition allocates whole nodes.
    pub(crate) fn has_whole_nodes(&self, job: JobHandle) -> bool {
        self.partition(job).is_some_and(|at| self.settings.partitions[at].whole_nodes)
    }

    /// Returns the name of a job's partition.
    pub(crate) fn partition_name(&self, job: JobHandle) -> Option<&str> {
        self.partition(job).map(|at| self.settings.partitions[at].name.as_str())
    }

    /// Returns the heterogeneous job of which a job is a component, if any.
    pub(crate) fn heterogeneous_job(&self, job: JobHandle) -> Option<u32> {
        let is_component = !self.heterogeneous_jobs.is_empty() && self.flags[job.index()].is_component;
        is_component.then(|| self.heterogeneous_jobs.get(&self.tracked(job).membership.id.0).copied())?
    }

    /// Dissolves a heterogeneous job: its components start one by one from now on.
    pub(crate) fn dissolve_group(&mut self, group: u32) {
        self.heterogeneous_jobs.retain(|_, other| *other != group);
    }

    pub(crate) fn user(&self, job: JobHandle) -> Option<u32> {
        self.tracked(job).membership.user
    }

    /// Returns whether a job is ineligible for now: a limit blocks it, its requeue hold-off has not
    /// ended, or the job for which it was preempted has not started.
    pub(crate) fn is_ineligible(&self, job: JobHandle) -> bool {
        self.flags[job.index()].can_be_blocked
            && (self.hold_off_end(job).is_some() || self.exceeds_limit(job) || self.waits_for_preemptor(job))
    }

    /// Returns whether the job was preempted for one that is still eligible. Without this check two
    /// jobs could preempt each other forever.
    fn waits_for_preemptor(&self, job: JobHandle) -> bool {
        let other = self.preempted_for.get(&self.tracked(job).sequence);
        other.is_some_and(|&other| !self.exceeds_limit(other))
    }

    /// Returns the number of partitions to which jobs have been submitted; jobs without a partition
    /// count as one.
    pub(crate) fn partition_count(&self) -> usize {
        self.partitions.len()
    }

    /// Returns whether starting a job now would exceed a limit.
    pub(crate) fn exceeds_limit(&self, job: JobHandle) -> bool {
        self.in_use.exceeds_limit(self.now, &self.tracked(job).usage)
    }

    /// Starts the requeue hold-off of a job that has lost its nodes.
    pub(crate) fn start_hold_off(&mut self, now: SimTime, job: JobHandle) {
        let until = now.saturating_add(SimSpan::from_secs(self.settings.requeue_delay_s));
        self.jobs[job.index()].iter_mut().for_each(|member| member.eligible_at = until);
        self.flags[job.index()].can_be_blocked = true;
    }

    /// Returns the end of a job's hold-off, if it has not passed.
    pub(crate) fn hold_off_end(&self, job: JobHandle) -> Option<SimTime> {
        Some(self.tracked(job).eligible_at).filter(|until| *until > self.now)
    }

    /// Returns the next time at which the hold-off of one of these jobs ends.
    pub(crate) fn next_hold_off_end(&self, waiting: impl Iterator<Item = JobHandle>) -> Option<SimTime> {
        // Avoids a scan of possibly thousands of jobs at every event.
        (self.settings.requeue_delay_s > 0).then(|| waiting.filter_map(|job| self.hold_off_end(job)).min())?
    }

    /// Starts a job: limits and accounts count it from now on.
    pub(crate) fn start(&mut self, now: SimTime, job: JobHandle) {
        self.preempted_for.retain(|_, other| *other != job);
        self.count_for_limits(job);
        self.start_charging(now, job);
    }

    /// Removes a job from its nodes, if it has any. If the job stays in the system, it waits from
    /// now on.
    pub(crate) fn release(&mut self, now: SimTime, job: JobHandle) {
        if self.stop_charging(now, job) {
            self.uncount_for_limits(job);
        }
    }

    /// Counts a job towards limits.
    pub(crate) fn count_for_limits(&mut self, job: JobHandle) {
        let since = self.start_of(job);
        let claim = &self.jobs[job.index()].as_ref().expect("the job must have been submitted").usage;
        self.in_use.start(since, claim);
        self.counted.insert(job, since);
    }

    /// Returns the start of a running job; the current time if it does not run.
    fn start_of(&self, job: JobHandle) -> SimTime {
        self.running.get(&job).copied().unwrap_or(self.now)
    }

    /// Stops counting a job towards limits.
    pub(crate) fn uncount_for_limits(&mut self, job: JobHandle) {
        let claim = &self.jobs[job.index()].as_ref().expect("the job must have been submitted").usage;
        if let Some(since) = self.counted.remove(&job) {
            self.in_use.end(since, claim);
        }
    }

    /// Starts charging a job to its account.
    pub(crate) fn start_charging(&mut self, now: SimTime, job: JobHandle) {
        let &TrackedJob { account, billing, .. } = self.tracked(job);
        if let Some(accounts) = &mut self.accounts {
            accounts.start(job.index(), account, billing);
        }
        self.running.insert(job, now);
    }

    /// Stops charging a job to its account; returns whether it was charged. If the job stays in the
    /// system, it waits from now on.
    pub(crate) fn stop_charging(&mut self, now: SimTime, job: JobHandle) -> bool {
        if self.running.remove(&job).is_none() {
            return false;
        }
        self.grace_ends.remove(&job);
        let member = self.jobs[job.index()].as_mut().expect("the job must have been submitted");
        member.waiting_since = now;
        if let Some(accounts) = &mut self.accounts {
            accounts.end(job.index(), member.account, member.billing);
        }
        true
    }

    /// Returns the jobs that can run together under the limits, selected greedily in the given
    /// order.
    pub(crate) fn admitted<'a>(
        &'a self,
        jobs: impl Iterator<Item = JobHandle> + 'a,
    ) -> impl Iterator<Item = JobHandle> + 'a {
        let mut in_use = self.in_use.without_running();
        jobs.filter(move |&job| {
            let claim = &self.tracked(job).usage;
            let is_admitted = !in_use.exceeds_limit(self.now, claim);
            if is_admitted {
                in_use.start(self.start_of(job), claim);
            }
            is_admitted
        })
    }

    /// Returns the preemption level of a job: classes that preempt others have a higher level than
    /// these.
    pub(crate) fn level(&self, job: JobHandle) -> u16 {
        self.preemption.level(&self.tracked(job).membership)
    }

    /// Returns the preemption level and the priority of a job, combined into one number.
    pub(crate) fn tier(&self, job: JobHandle) -> u64 {
        // Tier and priority use 56 bits.
        u64::from(self.level(job).min(255)) << 56 | self.priority(job)
    }

    /// Returns whether the job's class preempts any other.
    pub(crate) fn may_preempt(&self, job: JobHandle) -> bool {
        self.preemption.may_preempt(&self.tracked(job).membership)
    }

    /// Returns whether the site has preemption.
    pub(crate) fn has_preemption(&self) -> bool {
        self.preemption.is_enabled()
    }

    /// Returns the running jobs that may be preempted for a job, in order of selection.
    pub(crate) fn candidates(&self, now: SimTime, job: JobHandle) -> Vec<JobHandle> {
        self.preemption.candidates(now, &self.tracked(job).membership, self.running_jobs())
    }

    /// Starts the grace period of a victim; returns its end, or `None` if the victim has no grace
    /// period.
    pub(crate) fn start_grace_period(
        &mut self,
        now: SimTime,
        job: JobHandle,
        waiting: JobHandle,
    ) -> Option<SimTime> {
        self.preempted_for.insert(self.tracked(job).sequence, waiting);
        self.flags[job.index()].can_be_blocked = true;
        let grace = self.preemption.grace_period(&self.tracked(job).membership);
        if grace.is_zero() {
            return None;
        }
        let until = *self.grace_ends.or_insert_with(job, || now.saturating_add(grace));
        let awaits = &mut self.jobs[waiting.index()]
            .as_mut()
            .expect("the job must have been submitted")
            .waits_for_victims_until;
        *awaits = (*awaits).max(Some(until));
        Some(until)
    }

    /// Returns whether victims of this job are still in their grace periods.
    pub(crate) fn waits_for_preemption(&self, now: SimTime, job: JobHandle) -> bool {
        self.tracked(job).waits_for_victims_until.is_some_and(|until| until >= now)
    }

    /// Returns the jobs whose grace period has expired.
    pub(crate) fn grace_expired(&self, now: SimTime) -> Vec<JobHandle> {
        self.grace_ends.iter().filter(|(_, until)| **until <= now).map(|(job, _)| *job).collect()
    }

    /// Returns the next end of a grace period.
    pub(crate) fn next_grace_end(&self) -> Option<SimTime> {
        self.grace_ends.values().iter().min().copied()
    }

    /// Returns the preemption mode of a victim.
    pub(crate) fn preempt_mode(&self, job: JobHandle) -> PreemptMode {
        self.preemption.mode(&self.tracked(job).membership)
    }

    fn running_jobs(&self) -> impl Iterator<Item = Preemptible<'_>> {
        self.running.iter().map(|(&job, &since)| {
            let TrackedJob { sequence, membership, usage, .. } = self.tracked(job);
            let nodes = usage.allocated.get(0);
            Preemptible { job, start: since, sequence: *sequence, nodes, membership }
        })
    }

    /// Returns the first time after `now`, and not before `not_before`, at which priorities are
    /// recomputed; `None` if they never change.
    pub(crate) fn next_priority_update(&self, now: SimTime, not_before: SimTime) -> Option<SimTime> {
        let weights = self.settings.weights;
        let just_before = SimTime::from_micros(not_before.micros().saturating_sub(1));
        (weights.age > 0 || weights.fair_share > 0)
            .then(|| next_multiple(now.max(just_before), SimSpan::from_secs(self.settings.calc_period_s)))
    }

    /// Returns the next backfill cycle, if backfilling has an interval.
    pub(crate) fn next_backfill(&self, now: SimTime) -> Option<SimTime> {
        let interval = SimSpan::from_secs(self.settings.backfill.interval_s);
        (!interval.is_zero()).then(|| next_multiple(now, interval))
    }

    /// Returns the next time at which a running job becomes preemptible for one of the waiting jobs.
    pub(crate) fn next_candidate(
        &self,
        now: SimTime,
        waiting: impl Iterator<Item = JobHandle>,
    ) -> Option<SimTime> {
        let waiting = waiting.map(|job| &self.tracked(job).membership);
        self.preemption.next_candidate(now, waiting, self.running_jobs())
    }

    /// Returns whether a plan of all waiting jobs stays valid while their order does: there are no
    /// limits, reservations, hold-offs or preemption, and backfilling has its default settings.
    pub(crate) fn has_stable_plans(&self) -> bool {
        let is_plain = self.settings.backfill == BackfillSettings::default();
        let is_open = self.settings.reservations.is_empty() && self.settings.requeue_delay_s == 0;
        is_plain && is_open && !self.settings.has_limits() && !self.has_preemption()
    }

    /// Iterates over the starts and ends of reservations.
    pub(crate) fn reservation_bounds(&self) -> impl Iterator<Item = SimTime> {
        self.settings.reservations.iter().flat_map(|it| [it.from_s, it.until_s]).map(SimTime::from_secs)
    }

    /// Returns the next start or end of a reservation.
    pub(crate) fn next_reservation_bound(&self, now: SimTime) -> Option<SimTime> {
        self.reservation_bounds().filter(|&bound| bound > now).min()
    }

    /// Returns whether a backfill cycle is due.
    pub(crate) fn is_backfill_due(&self, now: SimTime) -> bool {
        let interval = SimSpan::from_secs(self.settings.backfill.interval_s).micros();
        interval == 0 || now.micros().is_multiple_of(interval)
    }

    /// Returns the end of the backfill window; jobs that would start later get no reservation.
    pub(crate) fn horizon(&self, now: SimTime) -> SimTime {
        match self.settings.backfill.window_s {
            0 => SimTime::MAX,
            window => now.saturating_add(SimSpan::from_secs(window)),
        }
    }

    /// Rounds the planned duration of a job up, so that it ends at a multiple of the backfill
    /// resolution if it starts now.
    pub(crate) fn round_to_resolution(&self, now: SimTime, span: SimSpan) -> SimSpan {
        match self.rounding.micros() {
            0 => span,
            step => {
                let end = now.saturating_add(span).micros();
                SimTime::from_micros(end.div_ceil(step).saturating_mul(step)).since(now)
            }
        }
    }
}
