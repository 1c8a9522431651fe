//! The jobs of a site, and what its settings say of them now.

use super::accounts::{AccountIndex, Accounts};
use super::factor::{ONE, ratio};
use super::held::{Held, names};
use super::limits::{Claim, InUse, Membership};
use super::multiples::{last_multiple, next_multiple};
use super::preemption::{Preemptable, Preemption};
use super::rank::Rank;
use dfrsim_cluster::{JobHandle, View};
use dfrsim_model::platform::classes::NodeClass;
use dfrsim_model::priority::{BackfillSettings, PreemptMode, Priorities, SizeFactor};
use dfrsim_model::{SimSpan, SimTime, SortedMap};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::sync::Arc;

/// A job in the system.
#[derive(Clone, Debug)]
struct Member {
    sequence: u64,
    account: AccountIndex,
    /// What it uses of that.
    billing: u64,
    membership: Membership,
    claim: Claim,
    is_admitted: bool,
    rank: Rank,
    /// Since when it waits.
    joined: SimTime,
    /// From when on a batch policy may start it.
    not_before: SimTime,
    /// Up to when jobs that it warned to make room have nodes: it warns no others until then.
    awaits: Option<SimTime>,
}

/// What a pass over the queue asks first about a job.
#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    /// The place of its partition, from 1, if it has one.
    partition: Option<NonZeroU32>,
    /// Whether anything may ever hold it back.
    may_be_held: bool,
    /// Whether it starts together with others.
    is_component: bool,
}

/// The settings of a site with what they depend on: who waits, who runs, and what was used.
#[derive(Debug)]
pub(crate) struct Site {
    settings: Arc<Priorities>,
    /// What the settings name of what jobs hold.
    names: Vec<String>,
    /// If usage counts.
    accounts: Option<Accounts>,
    in_use: InUse,
    /// Of which partitions jobs have come.
    partitions: BTreeSet<Option<usize>>,
    preemption: Preemption,
    /// By handle.
    members: Vec<Option<Member>>,
    /// By handle. Passes over a long queue look at these few bytes.
    lanes: Vec<Lane>,
    /// The jobs that start together, by their numbers: which of these groups it is.
    together: BTreeMap<u64, u32>,
    /// Since when each job runs, and since when limits count it.
    running: SortedMap<JobHandle, SimTime>,
    taken: SortedMap<JobHandle, SimTime>,
    /// When running jobs leave their nodes that were warned to make room.
    warned: SortedMap<JobHandle, SimTime>,
    /// For which job, which has not started since, each was warned last, by its place in the order of submission.
    makes_room_for: BTreeMap<u64, JobHandle>,
    now: SimTime,
    /// The last multiple of the period.
    multiple: SimTime,
}

impl Site {
    /// Makes the state before the first job, for settings that were [checked](Priorities::check).
    pub(crate) fn new(settings: Arc<Priorities>) -> Site {
        let names = names(&settings);
        Site {
            accounts: (settings.weights.fair_share > 0).then(|| Accounts::new(Arc::clone(&settings))),
            in_use: InUse::new(&settings, &names),
            names,
            partitions: BTreeSet::new(),
            preemption: Preemption::new(&settings),
            members: Vec::new(),
            lanes: Vec::new(),
            together: (0..)
                .zip(&settings.together)
                .flat_map(|(at, jobs)| jobs.iter().map(move |&job| (job, at)))
                .collect(),
            running: SortedMap::default(),
            taken: SortedMap::default(),
            warned: SortedMap::default(),
            makes_room_for: BTreeMap::new(),
            now: SimTime::ZERO,
            multiple: SimTime::ZERO,
            settings,
        }
    }

    pub(crate) fn settings(&self) -> &Priorities {
        &self.settings
    }

    /// Goes on to a moment, up to which the same jobs run.
    pub(crate) fn advance(&mut self, now: SimTime) {
        self.now = now;
        if let Some(accounts) = &mut self.accounts {
            accounts.advance(now);
        }
        self.multiple = last_multiple(now, SimSpan::from_secs(self.settings.calc_period_s));
    }

    /// What limits and factors depend on of a job in the system, but for its account.
    fn member_of(&self, view: View<'_>, handle: JobHandle, submit: SimTime) -> Member {
        let job = view.job(handle);
        let membership = Membership::new(&self.settings, job);
        let held = Held::of(view, handle, &self.names);
        let billing = held.billing(&self.settings, membership.partition, &self.names);
        let estimate = job.estimate().unwrap_or(SimSpan::MAX);
        let rank = Rank::new(&self.settings, self.size(view, &held), submit, &membership);
        let claim = self.in_use.claim(&self.settings, &membership, job.origin(), held, estimate);
        let (sequence, joined) = (job.sequence(), view.now());
        let (account, is_admitted, not_before, awaits) = (0, true, joined, None);
        Member {
            sequence,
            account,
            billing,
            membership,
            claim,
            is_admitted,
            rank,
            joined,
            not_before,
            awaits,
        }
    }

    /// The size of a job as a part of that of the cluster.
    fn size(&self, view: View<'_>, held: &Held) -> u64 {
        let tasks = ratio(held.get(0).into(), view.nodes().into()).min(ONE);
        match self.settings.size {
            SizeFactor::Tasks => tasks,
            SizeFactor::NodesAndCpus => {
                let cores = view.classes().map_or(view.nodes().into(), |classes| {
                    let of = |(at, class): (usize, &NodeClass)| {
                        u64::from(class.nodes) * u64::from(classes.cores_of(at))
                    };
                    classes.classes().iter().enumerate().map(of).sum::<u64>()
                });
                let cpus = ratio(held.get(1).into(), cores.into()).min(ONE);
                (tasks + cpus) / 2
            }
        }
    }

    /// Whether the classes and accounts of a job admit it beside those that were submitted before it.
    fn admits(&self, view: View<'_>, job: &Member) -> bool {
        // Of jobs that are submitted in the same moment the later ones are in the system already, but not here.
        let before = |other: &&JobHandle| view.job(**other).sequence() < job.sequence;
        let before = view.jobs().iter().filter(before);
        let others = before.filter_map(|other| self.members.get(other.index())?.as_ref());
        let others = others.filter(|other| other.is_admitted).map(|other| &other.claim);
        self.in_use.admits(&job.claim, &others)
    }

    /// A job arrives; returns whether its classes ever admit it.
    pub(crate) fn submit(&mut self, view: View<'_>, handle: JobHandle) -> bool {
        let mut member = self.member_of(view, handle, view.job(handle).submit());
        if let Some(accounts) = &mut self.accounts {
            member.account = accounts.of_job(member.membership.user, member.claim.payer);
        }
        member.is_admitted = self.admits(view, &member);
        self.partitions.insert(member.membership.partition);
        if self.members.len() <= handle.index() {
            self.members.resize(handle.index() + 1, None);
            self.lanes.resize(handle.index() + 1, Lane::default());
        }
        self.lanes[handle.index()] = Lane {
            partition: member.membership.partition.and_then(|at| NonZeroU32::new(at as u32 + 1)),
            may_be_held: self.in_use.may_hold(&member.claim),
            is_component: self.together.contains_key(&member.membership.id.0),
        };
        let is_admitted = member.is_admitted;
        self.members[handle.index()] = Some(member);
        is_admitted
    }

    /// The priority of a job if it arrived now, and whether its classes ever admit it.
    pub(crate) fn of_arrival(&self, view: View<'_>, handle: JobHandle) -> (u64, bool) {
        let (now, member) = (view.now(), self.member_of(view, handle, view.now()));
        let Member { membership, claim, .. } = &member;
        let fair_share = |accounts: &Accounts| accounts.fair_share_of(membership.user, claim.payer);
        let fair_share = self.accounts.as_ref().map_or(0, fair_share);
        (member.rank.at(now, fair_share, &self.settings), self.admits(view, &member))
    }

    fn member(&self, job: JobHandle) -> &Member {
        self.members[job.index()].as_ref().expect("the job was submitted")
    }

    /// The tier and the priority of a job, as they were computed last: a number to compare.
    pub(crate) fn priority(&self, job: JobHandle) -> u64 {
        let Member { account, rank, joined, .. } = self.member(job);
        let fair_share = self.accounts.as_ref().map_or(0, |accounts| accounts.fair_share(*account));
        rank.at(self.multiple.max(*joined), fair_share, &self.settings)
    }

    /// The last moment at which the priorities of all waiting jobs were computed.
    pub(crate) fn ranked_at(&self) -> SimTime {
        self.multiple
    }

    /// Which computation of priorities is the last one; until the next one those of waiting jobs stay as they are.
    pub(crate) fn ranking(&self) -> (SimTime, u64) {
        (self.multiple, self.accounts.as_ref().map_or(0, |accounts| accounts.computed))
    }

    /// The place of a job's partition in the settings.
    pub(crate) fn partition(&self, job: JobHandle) -> Option<usize> {
        self.lanes[job.index()].partition.map(|at| at.get() as usize - 1)
    }

    /// Which of the groups that start together a job is of, if it is of one.
    pub(crate) fn group(&self, job: JobHandle) -> Option<u32> {
        let is_component = !self.together.is_empty() && self.lanes[job.index()].is_component;
        is_component.then(|| self.together.get(&self.member(job).membership.id.0).copied())?
    }

    /// The jobs of a group start one by one from here on.
    pub(crate) fn part(&mut self, group: u32) {
        self.together.retain(|_, other| *other != group);
    }

    pub(crate) fn user(&self, job: JobHandle) -> Option<u32> {
        self.member(job).membership.user
    }

    /// Whether a job is passed over for now: a limit holds it back, it lost its nodes shortly before, or the job has not started for which
    /// it made room.
    pub(crate) fn passes_over(&self, job: JobHandle) -> bool {
        self.lanes[job.index()].may_be_held
            && (self.delayed(job).is_some() || self.holds(job) || self.gives_precedence(job))
    }

    /// Whether a job made room for one that waits, and that no limit holds back. Otherwise it could take its nodes back, and two jobs that make
    /// room in turn could keep the other one from starting for good.
    fn gives_precedence(&self, job: JobHandle) -> bool {
        let other = self.makes_room_for.get(&self.member(job).sequence);
        other.is_some_and(|&other| !self.holds(other))
    }

    /// Of how many partitions jobs have come; those of none are one.
    pub(crate) fn partitions(&self) -> usize {
        self.partitions.len()
    }

    /// Whether a limit holds a job back for now.
    pub(crate) fn holds(&self, job: JobHandle) -> bool {
        self.in_use.holds(self.now, &self.member(job).claim)
    }

    /// A job lost its nodes and waits again: for a while it is passed over.
    pub(crate) fn delay(&mut self, now: SimTime, job: JobHandle) {
        let until = now.saturating_add(SimSpan::from_secs(self.settings.requeue_delay_s));
        self.members[job.index()].iter_mut().for_each(|member| member.not_before = until);
        self.lanes[job.index()].may_be_held = true;
    }

    /// Until when a job is passed over, if it is.
    pub(crate) fn delayed(&self, job: JobHandle) -> Option<SimTime> {
        Some(self.member(job).not_before).filter(|until| *until > self.now)
    }

    /// The next moment at which one of these jobs is passed over no more.
    pub(crate) fn next_undelayed(&self, waiting: impl Iterator<Item = JobHandle>) -> Option<SimTime> {
        // There may be thousands of them at every event.
        (self.settings.requeue_delay_s > 0).then(|| waiting.filter_map(|job| self.delayed(job)).min())?
    }

    /// A job has its nodes from now on.
    pub(crate) fn start(&mut self, now: SimTime, job: JobHandle) {
        self.makes_room_for.retain(|_, other| *other != job);
        self.take(job);
        self.begin(now, job);
    }

    /// A job leaves its nodes, if it has any. If it stays in the system, it waits from now on.
    pub(crate) fn leave(&mut self, now: SimTime, job: JobHandle) {
        if self.end(now, job) {
            self.give_back(job);
        }
    }

    /// Limits count a job from here on.
    pub(crate) fn take(&mut self, job: JobHandle) {
        let since = self.since(job);
        let claim = &self.members[job.index()].as_ref().expect("the job was submitted").claim;
        self.in_use.start(since, claim);
        self.taken.insert(job, since);
    }

    /// Since when a job has been on nodes, if it comes to others or stays: from now on where it was on none.
    fn since(&self, job: JobHandle) -> SimTime {
        self.running.get(&job).copied().unwrap_or(self.now)
    }

    /// Limits do not count a job any more.
    pub(crate) fn give_back(&mut self, job: JobHandle) {
        let claim = &self.members[job.index()].as_ref().expect("the job was submitted").claim;
        if let Some(since) = self.taken.remove(&job) {
            self.in_use.end(since, claim);
        }
    }

    /// A job uses its account from now on.
    pub(crate) fn begin(&mut self, now: SimTime, job: JobHandle) {
        let &Member { account, billing, .. } = self.member(job);
        if let Some(accounts) = &mut self.accounts {
            accounts.start(job.index(), account, billing);
        }
        self.running.insert(job, now);
    }

    /// A job does not use its account any more, if it did; returns whether it did. If it stays in the system, it waits from now on.
    pub(crate) fn end(&mut self, now: SimTime, job: JobHandle) -> bool {
        if self.running.remove(&job).is_none() {
            return false;
        }
        self.warned.remove(&job);
        let member = self.members[job.index()].as_mut().expect("the job was submitted");
        member.joined = now;
        if let Some(accounts) = &mut self.accounts {
            accounts.end(job.index(), member.account, member.billing);
        }
        true
    }

    /// The first of these jobs that limits let run together, each beside those before it that they let run.
    pub(crate) fn admitted<'a>(
        &'a self,
        jobs: impl Iterator<Item = JobHandle> + 'a,
    ) -> impl Iterator<Item = JobHandle> + 'a {
        let mut in_use = self.in_use.emptied();
        jobs.filter(move |&job| {
            let claim = &self.member(job).claim;
            let is_admitted = !in_use.holds(self.now, claim);
            if is_admitted {
                in_use.start(self.since(job), claim);
            }
            is_admitted
        })
    }

    /// How far the class of a job is above others: classes that preempt others are above them.
    pub(crate) fn level(&self, job: JobHandle) -> u16 {
        self.preemption.level(&self.member(job).membership)
    }

    /// The level of a job, then its priority: a number to compare.
    pub(crate) fn tier(&self, job: JobHandle) -> u64 {
        // A priority and the tier before it have 56 bits.
        u64::from(self.level(job).min(255)) << 56 | self.priority(job)
    }

    /// Whether the class of a job preempts others.
    pub(crate) fn may_preempt(&self, job: JobHandle) -> bool {
        self.preemption.may_preempt(&self.member(job).membership)
    }

    /// Whether jobs may have to make room for others.
    pub(crate) fn preempts(&self) -> bool {
        self.preemption.is_any()
    }

    /// The running jobs that may have to make room for one, in the order in which they do.
    pub(crate) fn candidates(&self, now: SimTime, job: JobHandle) -> Vec<JobHandle> {
        self.preemption.candidates(now, &self.member(job).membership, self.runs())
    }

    /// Warns a job that has to make room for another one: when it leaves its nodes, if it has time for that.
    pub(crate) fn warn(&mut self, now: SimTime, job: JobHandle, waiting: JobHandle) -> Option<SimTime> {
        self.makes_room_for.insert(self.member(job).sequence, waiting);
        self.lanes[job.index()].may_be_held = true;
        let grace = self.preemption.grace(&self.member(job).membership);
        if grace.is_zero() {
            return None;
        }
        let until = *self.warned.or_insert_with(job, || now.saturating_add(grace));
        let awaits = &mut self.members[waiting.index()].as_mut().expect("the job was submitted").awaits;
        *awaits = (*awaits).max(Some(until));
        Some(until)
    }

    /// Whether jobs that were warned to make room for this one still have their nodes.
    pub(crate) fn awaits(&self, now: SimTime, job: JobHandle) -> bool {
        self.member(job).awaits.is_some_and(|until| until >= now)
    }

    /// The jobs that have to leave their nodes now, as they were warned.
    pub(crate) fn over(&self, now: SimTime) -> Vec<JobHandle> {
        self.warned.iter().filter(|(_, until)| **until <= now).map(|(job, _)| *job).collect()
    }

    /// When the next one has to.
    pub(crate) fn next_over(&self) -> Option<SimTime> {
        self.warned.values().iter().min().copied()
    }

    /// What happens to a job that makes room.
    pub(crate) fn preempt_mode(&self, job: JobHandle) -> PreemptMode {
        self.preemption.mode(&self.member(job).membership)
    }

    fn runs(&self) -> impl Iterator<Item = Preemptable<'_>> {
        self.running.iter().map(|(&job, &since)| {
            let Member { sequence, membership, .. } = self.member(job);
            Preemptable { job, since, sequence: *sequence, membership }
        })
    }

    /// The first moment after now, and not before another one, at which priorities of waiting jobs are computed, if they ever change.
    pub(crate) fn next_ranking(&self, now: SimTime, not_before: SimTime) -> Option<SimTime> {
        let weights = self.settings.weights;
        let just_before = SimTime::from_micros(not_before.micros().saturating_sub(1));
        (weights.age > 0 || weights.fair_share > 0)
            .then(|| next_multiple(now.max(just_before), SimSpan::from_secs(self.settings.calc_period_s)))
    }

    /// The next moment of backfilling, where it has an interval.
    pub(crate) fn next_backfill(&self, now: SimTime) -> Option<SimTime> {
        let interval = SimSpan::from_secs(self.settings.backfill.interval_s);
        (!interval.is_zero()).then(|| next_multiple(now, interval))
    }

    /// The next moment at which a running job may have to make room for one of those that wait.
    pub(crate) fn next_candidate(
        &self,
        now: SimTime,
        waiting: impl Iterator<Item = JobHandle>,
    ) -> Option<SimTime> {
        let waiting = waiting.map(|job| &self.member(job).membership);
        self.preemption.next_candidate(now, waiting, self.runs())
    }

    /// Whether a plan of all waiting jobs stays as it is as long as their order does: no limit, no reservation and no delay holds any back,
    /// none makes room for others, and backfilling has no settings.
    pub(crate) fn keeps_plans(&self) -> bool {
        let is_plain = self.settings.backfill == BackfillSettings::default();
        let is_open = self.settings.reservations.is_empty() && self.settings.requeue_delay_s == 0;
        is_plain && is_open && !self.settings.have_limits() && !self.preempts()
    }

    /// The begins and ends of reservations.
    pub(crate) fn bounds(&self) -> impl Iterator<Item = SimTime> {
        self.settings.reservations.iter().flat_map(|it| [it.from_s, it.until_s]).map(SimTime::from_secs)
    }

    /// The next one.
    pub(crate) fn next_bound(&self, now: SimTime) -> Option<SimTime> {
        self.bounds().filter(|&bound| bound > now).min()
    }

    /// Whether jobs are backfilled at a moment.
    pub(crate) fn backfills(&self, now: SimTime) -> bool {
        let interval = SimSpan::from_secs(self.settings.backfill.interval_s).micros();
        interval == 0 || now.micros().is_multiple_of(interval)
    }

    /// Up to which moment jobs get a reservation.
    pub(crate) fn horizon(&self, now: SimTime) -> SimTime {
        match self.settings.backfill.window_s {
            0 => SimTime::MAX,
            window => now.saturating_add(SimSpan::from_secs(window)),
        }
    }

    /// For how long a job is planned: so that it ends at a multiple of the resolution if it starts now.
    pub(crate) fn rounded(&self, now: SimTime, span: SimSpan) -> SimSpan {
        match SimSpan::from_secs(self.settings.backfill.resolution_s).micros() {
            0 => span,
            step => {
                let end = now.saturating_add(span).micros();
                SimTime::from_micros(end.div_ceil(step).saturating_mul(step)).since(now)
            }
        }
    }
}
