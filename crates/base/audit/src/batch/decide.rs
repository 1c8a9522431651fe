//! Recomputation of a policy's decision, job by job in queue order, and comparison with the record.

use super::nodes::total;
use super::plan::{Slot, Timeline};
use super::queue::{Parts, Running, Waiting, end_of, sort};
use super::slurm::{CycleKind, Trials};
use super::state::{BatchCheck, Preempted, Reservation, Started};
use super::timers::micros;
use super::will_run::{Reservations, WillRun, round};
use crate::check::ReportViolation;
use crate::priority::PrioritySystem;
use dfrsim_model::batch::{Backfilling, Compression, NodeUse};
use dfrsim_model::site::VictimOrder;
use dfrsim_model::{SimTime, Yield};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Time for which a job that exceeded its estimate is expected to continue: one second, in
/// microseconds.
const OVERRUN: u64 = 1_000_000;
/// Longest estimate of a job of the short queue under two-queue backfilling: an hour, in
/// microseconds.
const SHORT: u64 = 3_600_000_000;

/// Makes the message for a job that can never run and is not rejected.
fn not_rejected(Waiting { tasks, most, .. }: &Waiting) -> String {
    format!("it is not rejected, although it has {tasks} tasks and may have {most} nodes")
}

/// Reservation of the queue head under EASY: its slot at the shadow time.
#[derive(Clone, Debug)]
struct HeadReservation {
    job: Waiting,
    shadow_time: u64,
    end: u64,
    /// Least speed of its nodes.
    speed: u32,
}

/// State of a decision in progress.
#[derive(Clone, Debug)]
struct Cycle {
    now: u64,
    plan: Timeline,
    /// First job that waits.
    head: Option<u64>,
    head_reservation: Option<HeadReservation>,
    /// First short and first long job that wait, under two-queue backfilling.
    heads: BTreeMap<bool, u64>,
    /// True if jobs may be backfilled.
    backfills: bool,
    /// Maximum number of jobs tried from the head on, and the number of remaining ones.
    most: u32,
    left: u32,
    look: CycleKind,
    trials: Trials,
    /// Reservations of SLURM in this cycle.
    reserved: Reservations,
    /// Memo for identical nodes under EASY, by number of tasks: the least planned time of a job with
    /// at most so many tasks that did not fit behind the head. Jobs with at least as many tasks and
    /// at least that planned time do not fit either.
    rejected_times: Vec<u64>,
}

impl Cycle {
    /// Returns the reason if further jobs are not tried.
    fn is_over(&self) -> Option<String> {
        if self.look != CycleKind::Every {
            return None;
        }
        let (head, most) = (self.head?, self.most);
        if !self.backfills {
            return Some(format!("it starts before job {head}, which is ahead of it in the queue"));
        }
        let deep =
            || format!("it is backfilled, although it is not among the {most} jobs that backfilling tries");
        (self.left == 0).then(deep)
    }

    /// Returns whether the job cannot fit because a job that requests no more did not fit.
    fn is_infeasible(&self, job: &Waiting) -> bool {
        let least = self.rejected_times.get(job.tasks as usize);
        !self.rejected_times.is_empty() && least.is_none_or(|&planned| job.planned >= planned)
    }
    /// Finds pools on which the job starts now without delaying any reservation.
    fn start(&self, job: &Waiting) -> Option<Parts> {
        let pools = &self.plan.pools;
        if job.need[0].saturating_mul(job.tasks as i64) > self.plan.free_now() {
            return None;
        }
        pools.speeds(job.level).iter().find_map(|&speed| {
            let mut room = self.plan.slot_at(self.now, job, speed)?;
            let Some(promise) =
                self.head_reservation.as_ref().filter(|promise| promise.shadow_time < room.end)
            else {
                return Some(self.plan.choose(job, self.now, &room.tasks, job.tasks));
            };
            // Prefers nodes on which the head loses no capacity.
            let harmless = |pool| promise.extra_tasks(&self.plan, pool, job).min(room.tasks[pool]);
            let harmless: Vec<u64> = (0..pools.all.len()).map(harmless).collect();
            let mut parts = self.plan.choose(job, self.now, &harmless, job.tasks);
            parts.iter().for_each(|(&pool, &tasks)| room.tasks[pool] -= tasks);
            let missing = job.tasks - total(parts.values().iter().copied());
            for (pool, tasks) in self.plan.choose(job, self.now, &room.tasks, missing) {
                *parts.or_default(pool) += tasks;
            }
            let both = (promise.shadow_time, promise.end.min(room.end));
            let has_common = pools.policy.reserves_nodes_only
                || self.plan.missing_common(&promise.job, both, Some(job)).is_none();
            let has_nodes = promise.head_tasks_after(&self.plan, job, &parts) >= promise.job.tasks;
            (has_common && has_nodes).then_some(parts)
        })
    }
}

/// Start of a job that a decision should have: its speed level, its pools, and the jobs that are preempted
/// for it.
type ExpectedStart = (u32, Parts, Vec<u64>);

impl Cycle {
    /// Finds the speed level and the pools with which the job starts now without delaying any reservation:
    /// full speed, or the first level at which it starts if it lacks only power.
    fn start_at_a_level(&self, job: &Waiting) -> Option<(u32, Parts)> {
        if let Some(parts) = self.start(job) {
            return Some((0, parts));
        }
        let levels = 1..=self.plan.pools.last_level();
        if levels.is_empty() || self.start(&self.plan.pools.without_power(job)).is_none() {
            return None;
        }
        { levels }.find_map(|level| Some((level, self.start(&job.at_level(level))?)))
    }
    /// Finds the speed level and the pools with which a job starts before its reservation, which is not in
    /// the plan.
    fn start_before_reservation(&self, job: &Waiting) -> Option<(u32, Parts)> {
        let now = self.now;
        self.plan.earliest(&self.plan.pools.without_power(job), now)?;
        (1..=self.plan.pools.last_level()).find_map(|level| {
            let job = job.at_level(level);
            let (_, room) = self.plan.earliest(&job, now)?;
            Some((level, self.plan.choose(&job, now, &room.tasks, job.tasks)))
        })
    }
}

impl HeadReservation {
    /// Counts the tasks of the head that fit on a pool together with tasks of another job.
    fn head_tasks_with(&self, plan: &Timeline, pool: usize, other: &Waiting, tasks: u64) -> u64 {
        let parts = [(pool, tasks)].into_iter().collect();
        let devices = plan.devices(other, &parts, (plan.now(), plan.now().saturating_add(1)));
        if !plan.is_usable(pool, &self.job, self.speed, (self.shadow_time, self.end)) {
            return 0;
        }
        let least = plan.least(pool, self.shadow_time, self.end).enumerate();
        self.job.tasks_in(
            least
                .map(|(at, free)| free.saturating_sub(plan.pools.amount(other, pool, (tasks, &devices), at))),
        )
    }
    /// Counts the tasks of the head that fit on all pools together with another job.
    fn head_tasks_after(&self, plan: &Timeline, other: &Waiting, parts: &Parts) -> u64 {
        let tasks = |pool: usize| parts.get(&pool).copied().unwrap_or(0);
        total((0..plan.pools.all.len()).map(|pool| self.head_tasks_with(plan, pool, other, tasks(pool))))
    }
    /// Counts the tasks of another job that fit on a pool without reducing the number of the head's
    /// tasks there.
    fn extra_tasks(&self, plan: &Timeline, pool: usize, other: &Waiting) -> u64 {
        match (self.head_tasks_with(plan, pool, other, 0), plan.pools.policy.nodes) {
            (0, _) => u64::MAX,
            (_, NodeUse::Exclusive) => 0,
            (own, _) => {
                let (parts, span) = ([(pool, own)].into_iter().collect(), (self.shadow_time, self.end));
                let devices = plan.devices(&self.job, &parts, span);
                let least = plan.least(pool, self.shadow_time, self.end).enumerate();
                let amount = |at: usize| plan.pools.amount(&self.job, pool, (own, &devices), at);
                other.tasks_in(least.map(|(at, free)| free - amount(at)))
            }
        }
    }
}

impl BatchCheck {
    /// Returns whether the reservations of CONS are kept from one decision to the next.
    fn keeps_reservations(&self) -> bool {
        self.site.is_none() && matches!(self.policy.backfilling, Backfilling::Conservative(_))
    }
    pub(super) fn is_blocked(&self, now: u64, job: &Waiting) -> bool {
        self.site
            .as_ref()
            .is_some_and(|site| site.is_ineligible(job.number) || site.exceeds_limit(job.number))
            || (0..=self.nodes.pools.last_level())
                .all(|level| self.lacks_licences(now, &[&job.at_level(level)]))
    }
    /// Returns whether SLURM skips jobs, of which one lacks what the running jobs and those before it leave
    /// of a resource of the whole cluster.
    fn lacks_licences(&self, now: u64, jobs: &[&Waiting]) -> bool {
        if !self.skips_unlicensed() {
            return false;
        }
        let mut plan = Timeline::new(&self.nodes.pools, &self.mix, now, self.nodes.bounds());
        for it in self.running.values() {
            plan.hold_common(&it.job.common, (now, self.leaves(now, it)));
        }
        jobs.iter().any(|job| {
            let slowest = plan.pools.speeds(job.level).last().copied().unwrap_or(Yield::ONE.units());
            let lacks = plan.lacks_common(job, slowest);
            plan.hold_common(&job.common, (now, end_of(now, job.planned, slowest)));
            lacks
        })
    }
    fn skips_unlicensed(&self) -> bool {
        let site = self.site.as_ref().filter(|_| self.policy.backfilling == Backfilling::Slurm);
        site.is_some_and(|site| site.settings.backfill.skips_unlicensed)
    }
    /// Makes an empty timeline for a cycle.
    fn empty_timeline(&self, now: u64) -> Timeline {
        let plan = Timeline::new(&self.nodes.pools, &self.mix, now, self.nodes.bounds());
        if self.skips_unlicensed() { plan.without_common() } else { plan }
    }

    /// Returns the running jobs by their expected end.
    fn ends(&self, now: u64) -> Vec<(u64, &Running)> {
        let mut ends: Vec<_> = self.running.values().iter().map(|job| (self.leaves(now, job), job)).collect();
        ends.sort_unstable_by_key(|(end, job)| (*end, job.job.number));
        ends
    }
    fn leaves(&self, now: u64, job: &Running) -> u64 {
        if job.since == now {
            return end_of(now, job.job.planned, self.nodes.pools.slowest(&job.parts, job.job.level));
        }
        let end = if job.end <= now { now.saturating_add(OVERRUN) } else { job.end };
        let windows = job.parts.keys().iter().flat_map(|&pool| &self.nodes.pools.all[pool].windows);
        windows.map(|&(from, _)| from).filter(|&from| from > now).fold(self.rounded(end), u64::min)
    }
    /// Rounds a time up to the backfill resolution. SLURM rounds reservations instead.
    fn rounded(&self, moment: u64) -> u64 {
        let step = self.resolution();
        let is_exact = step == 0 || self.policy.backfilling == Backfilling::Slurm;
        if is_exact { moment } else { moment.div_ceil(step).saturating_mul(step) }
    }
    fn resolution(&self) -> u64 {
        self.site.as_ref().map_or(0, |site| micros(site.settings.backfill.resolution_s))
    }

    /// Checks a decision against the record, and applies the changes of the record.
    pub(super) fn decide(&mut self, now: u64, report: ReportViolation<'_>) {
        let is_first = self.nodes.is_new();
        let is_changed = self.nodes.update_pools(now);
        if self.policy.backfilling == Backfilling::Slurm {
            self.reject_arriving(now, report);
        }
        if is_changed && !is_first {
            self.apply_events(now);
        }
        let is_soon = std::mem::take(&mut self.is_soon);
        self.judge(now, is_changed, report);
        if self.policy.backfilling == Backfilling::Slurm {
            self.apply_events(now);
            let is_bound = self.nodes.rises_at(now) || self.nodes.bounds().any(|bound| bound == now);
            self.note_change(now, is_changed || is_soon || is_bound);
        }
    }
    /// Checks that jobs that can never run are rejected on arrival, even outside of scheduling
    /// cycles.
    fn reject_arriving(&mut self, now: u64, report: ReportViolation<'_>) {
        for job in self.arriving.extract_if(.., |job| job.tasks > job.most) {
            report(job.number, now, None, not_rejected(&job));
            self.site.iter_mut().for_each(|site| site.leave(job.number, now));
        }
    }
    fn judge(&mut self, now: u64, is_changed: bool, report: ReportViolation<'_>) {
        let (mut started, mut preempted) =
            (std::mem::take(&mut self.started), std::mem::take(&mut self.preempted));
        self.site.iter_mut().for_each(|site| site.advance(now));
        let is_slurm = self.policy.backfilling == Backfilling::Slurm;
        let looks = if is_slurm { self.main_cycles(now) } else { vec![CycleKind::Every] };
        if is_changed {
            for job in self.running.values_mut() {
                job.parts = self.nodes.pools.parts(&job.on);
                job.devices = self.nodes.pools.devices(&job.triples);
            }
        }
        let over = self.expired(now);
        if is_changed {
            self.preempt_expired(now, &over, &mut preempted, report);
        }
        let is_idle = self.queue.is_empty() && started.is_empty() && preempted.is_empty() && over.is_empty();
        if is_idle || !self.nodes.is_capacity_known() {
            self.is_freed = false;
            if is_slurm {
                self.is_backfill_due(now, false);
            }
            return;
        }
        let mut queue = std::mem::take(&mut self.queue);
        for job in &mut queue {
            job.planned = self.rounded(now.saturating_add(job.estimate)) - now;
            job.priority = self.site.as_mut().map_or(0, |site| site.priority(job.number));
        }
        sort(self.policy.order, &mut queue, now);
        self.queue = queue;
        let mut waiting = self.queue.len();
        let mut pass = None;
        for look in looks {
            pass = Some(self.run_cycle(now, (look, is_changed), &mut started, &mut preempted, report));
        }
        if is_slurm {
            let has_started = self.queue.len() < std::mem::take(&mut waiting);
            let look =
                if self.is_backfill_due(now, has_started) { CycleKind::Backfill } else { CycleKind::Neither };
            pass = Some(self.run_cycle(now, (look, is_changed), &mut started, &mut preempted, report));
        }
        if !is_changed {
            self.preempt_expired(now, &over, &mut preempted, report);
        }
        self.timers.is_changed |= !over.is_empty();
        for other in preempted {
            let rule = "it is preempted, but no job that starts needs its resources".to_owned();
            report(other.job, now, Some(other.line), rule);
            pass.iter_mut().for_each(|pass| self.apply_preemption(pass, &other));
        }
        for found in started {
            self.start_unexpectedly(now, found, report);
        }
        // Requeued jobs wait from the next decision on.
        let mut again = std::mem::take(&mut self.requeued);
        self.is_soon = !again.is_empty();
        self.queue.append(&mut again);
        self.is_freed = std::mem::take(&mut self.leaves_plan);
    }

    /// Returns the jobs whose grace period has expired.
    fn expired(&self, now: u64) -> Vec<u64> {
        let warned = self.site.iter().flat_map(|site| &site.grace_ends).filter(|(_, until)| **until <= now);
        warned.map(|(job, _)| *job).filter(|job| !self.completing.contains(job)).collect()
    }
    /// Checks that they are preempted, and applies it.
    fn preempt_expired(
        &mut self,
        now: u64,
        over: &[u64],
        preempted: &mut Vec<Preempted>,
        report: ReportViolation<'_>,
    ) {
        for &job in over {
            if !self.running.contains_key(&job) {
                continue;
            }
            match preempted.extract_if(.., |it| it.job == job).next() {
                Some(it) => self.leave(job, now, it.waits),
                None => report(job, now, None, "it keeps its nodes beyond its grace period".to_owned()),
            }
        }
    }
    /// Starts the grace periods of jobs that are preempted for `job`; jobs without a grace period
    /// leave at once. Returns whether any job is in its grace period; such a job is expected to end
    /// with it.
    fn start_grace_periods(
        &mut self,
        pass: &mut Cycle,
        job: u64,
        leaving: &[u64],
        preempted: &mut Vec<Preempted>,
        report: ReportViolation<'_>,
    ) -> bool {
        let now = pass.now;
        let (mut stay, mut go) = (Vec::new(), Vec::new());
        for &other in leaving {
            match self.site.as_mut().and_then(|site| site.start_grace_period(now, other, job)) {
                Some(until) => stay.push((other, until)),
                None => go.push(other),
            }
        }
        if stay.is_empty() {
            return false;
        }
        for (other, until) in &stay {
            let Some(mut running) = self.running.remove(other) else { continue };
            let before = self.leaves(now, &running);
            running.end = running.end.min(*until);
            let after = self.leaves(now, &running);
            pass.plan.release(&running.job, running.held(), after, before);
            self.running.insert(*other, running);
        }
        for other in go {
            match preempted.extract_if(.., |it| it.job == other).next() {
                Some(it) => self.apply_preemption(pass, &it),
                None => report(other, now, None, format!("it is not preempted for job {job}")),
            }
        }
        true
    }

    /// Simulates one scheduling cycle over the queue, and compares the jobs that start and those
    /// that are preempted with the record.
    fn run_cycle(
        &mut self,
        now: u64,
        (look, is_changed): (CycleKind, bool),
        started: &mut Vec<Started>,
        preempted: &mut Vec<Preempted>,
        report: ReportViolation<'_>,
    ) -> Cycle {
        let mut plan = self.empty_timeline(now);
        plan.awake = self.nodes.awake.clone();
        self.ends(now).into_iter().for_each(|(end, it)| plan.allocate(&it.job, it.held(), now, end));
        let backfill = self.site.as_ref().map(|site| &site.settings.backfill);
        let most = backfill.and_then(|it| it.max_job_test).unwrap_or(u32::MAX);
        let is_time = |interval: u64| interval == 0 || now.is_multiple_of(interval);
        let backfills = self.policy.backfilling != Backfilling::Fcfs
            && backfill.is_none_or(|it| is_time(micros(it.interval_s)));
        let trials =
            self.site.as_ref().map_or_else(Trials::default, |site| Trials::new(&site.settings, look));
        let (head, promise, left, refused) = (None, None, most, Vec::new());
        let mut pass = Cycle {
            now,
            plan,
            head,
            head_reservation: promise,
            heads: BTreeMap::new(),
            backfills,
            most,
            left,
            look,
            trials,
            reserved: Reservations::new(self.nodes.pools.all.len()),
            rejected_times: refused,
        };
        if let Backfilling::Conservative(Compression::Plan(power)) = self.policy.backfilling
            && backfills
        {
            self.order_by_search(&pass.plan, power);
        }
        if self.keeps_reservations() {
            self.reserve(&mut pass, is_changed);
        }
        let mut queue = std::mem::take(&mut self.queue);
        let mut at = 0;
        while at < queue.len() {
            let job = &queue[at];
            if pass.is_infeasible(job)
                && started.iter().all(|it| it.job != job.number)
                && job.tasks <= job.most
            {
                at += 1;
                continue;
            }
            let found = started.iter().position(|it| it.job == job.number).map(|at| started.remove(at));
            let line = found.as_ref().map(|found| found.line);
            let never = job.tasks > job.most;
            let is_held = self.is_blocked(now, job);
            let is_main = matches!(look, CycleKind::Main { .. });
            let group = self.site.as_ref().and_then(|site| site.group(job.number));
            if let Some(group) =
                group.filter(|_| is_main || look == CycleKind::Backfill && !is_held && !never)
            {
                // The backfill cycle may start it.
                let number = job.number;
                started.extend(found);
                let is_first = !is_main && pass.trials.groups.insert(group);
                let is_tried = !is_main && self.refusal(&mut pass, number).is_none();
                if !(is_first && is_tried && self.start_group(&mut pass, group, &mut queue, started, report))
                {
                    at += 1;
                }
                continue;
            }
            if is_held && group.is_some() && look == CycleKind::Backfill && found.is_some() {
                // The group is tried at the position of its first job that is not held.
                started.extend(found);
                at += 1;
                continue;
            }
            let is_over =
                if never || is_held && !is_main { None } else { self.refusal(&mut pass, job.number) };
            let is_tried = !never && !is_held;
            let tried = (is_tried && is_over.is_none()).then(|| pass.trials.narrowed(job));
            let is_late = self.late.contains(&job.number);
            let mut expected = tried.as_ref().filter(|_| !is_late).and_then(|job| self.expected(&pass, job));
            if expected.as_ref().is_some_and(|it| it.0 > 0) {
                self.give_up_reservation(&mut pass, job);
            }
            if let Some((_, _, leaving)) = expected.as_ref().filter(|_| look != CycleKind::Every)
                && self.start_grace_periods(&mut pass, job.number, leaving, preempted, report)
            {
                // Preempted jobs that keep their nodes for a grace period may suffice for the
                // reservations before it.
                expected = tried
                    .and_then(|job| pass.start_at_a_level(&job))
                    .map(|(level, parts)| (level, parts, Vec::new()));
            }
            let mut fault = |rule| report(job.number, now, line, rule);
            if never && (job.is_admitted || found.is_none()) {
                fault(not_rejected(job));
            } else if is_tried {
                if let (CycleKind::Main { .. }, None, Some(_)) = (look, &expected, &found) {
                    // The backfill cycle may start it.
                    started.extend(found);
                    if is_over.is_none() {
                        self.wait(&mut pass, &queue[at].clone());
                    }
                    at += 1;
                    continue;
                }
                self.is_stale |= expected.is_some() != found.is_some();
                match (expected, &found) {
                    (None, _) if is_late => {}
                    (None, None) => {
                        let more = pass.rejected_times.iter_mut().skip(job.tasks as usize);
                        more.for_each(|planned| *planned = job.planned.min(*planned));
                    }
                    (None, Some(found)) => {
                        fault(is_over.clone().unwrap_or_else(|| self.too_early(&pass, job, found)));
                    }
                    (Some((_, _, leaving)), None) => {
                        fault(self.too_late(&pass, job, &leaving));
                        self.late.insert(job.number);
                        self.reserved.remove(&job.number);
                    }
                    (Some((level, parts, leaving)), Some(found)) => {
                        for other in leaving {
                            let Some(it) = preempted.extract_if(.., |it| it.job == other).next() else {
                                let number = job.number;
                                let rule = format!(
                                    "it should be preempted for job {number}, which starts, and is not"
                                );
                                report(other, now, None, rule);
                                continue;
                            };
                            self.apply_preemption(&mut pass, &it);
                        }
                        if found.level != level {
                            let rule =
                                format!("it starts at the speed level {}, expected {level}", found.level);
                            report(job.number, now, line, rule);
                            self.is_stale = true;
                        }
                        let place = self.nodes.place(&parts);
                        let is_other = |(found, expected): &(&(u32, u32), &(u32, u32))| found != expected;
                        if let Some(((node, tasks), (other, expected))) =
                            found.on.iter().zip(&place).find(is_other)
                        {
                            let placing = self.policy.place;
                            report(
                                job.number,
                                now,
                                line,
                                format!(
                                    "it has {tasks} tasks on node {node}, expected {expected} on node {other}: the node selection is {placing}"
                                ),
                            );
                            self.is_stale = true;
                        } else if let Some(rule) =
                            self.wrong_devices(&pass, &job.at_level(level), &parts, found)
                        {
                            report(job.number, now, line, rule);
                            self.is_stale = true;
                        }
                    }
                }
                if found.is_none() && is_over.is_none() {
                    let is_head = pass.head.is_none();
                    self.wait(&mut pass, job);
                    if let Some(fill) = self.policy.fill.filter(|_| is_head) {
                        sort(fill, &mut queue[at + 1..], now);
                    }
                }
                pass.left = pass.left.saturating_sub(u32::from(pass.head.is_some()));
            } else if found.is_some() && is_main {
                // The backfill cycle may start it.
                started.extend(found);
                at += 1;
                continue;
            } else if found.is_some()
                && let Some(rule) = self.site.as_ref().and_then(|site| site.hold(job.number)).or_else(|| {
                    let lacks = self.lacks_licences(now, &[job]);
                    lacks.then(|| "it starts, although its licences are not free until its end".to_owned())
                })
            {
                fault(rule);
            }
            match found {
                Some(found) => self.apply_start(&mut pass, &queue.remove(at), found),
                None if never => {
                    let number = queue.remove(at).number;
                    self.site.iter_mut().for_each(|site| site.leave(number, now));
                }
                None => at += 1,
            }
            let is_done = look == CycleKind::Every && pass.is_over().is_some()
                || pass.plan.free_now() == 0 && !self.site.as_ref().is_some_and(PrioritySystem::preempts_any);
            let none_is_rejected = || queue[at..].iter().all(|job| job.tasks <= job.most);
            if started.is_empty()
                && pass.head.is_some()
                && is_done
                && !self.keeps_reservations()
                && none_is_rejected()
            {
                break;
            }
        }
        self.queue = queue;
        pass
    }
    /// Reports the start of a job that is not in the queue, and applies it.
    fn start_unexpectedly(&mut self, now: u64, found: Started, report: ReportViolation<'_>) {
        let take = |jobs: &mut Vec<Waiting>| jobs.extract_if(.., |job| job.number == found.job).next();
        if let Some(job) = take(&mut self.queue) {
            let hold = self.site.as_ref().and_then(|site| site.hold(job.number));
            let rule =
                hold.unwrap_or_else(|| "it starts without the rest of its heterogeneous job".to_owned());
            report(found.job, now, Some(found.line), rule);
            return self.put_on_nodes(now, &job, found);
        }
        let (rule, job) = match (take(&mut self.arriving), take(&mut self.requeued)) {
            (Some(job), _) => ("it starts at its submission, which the cycles see later", Some(job)),
            (_, Some(job)) => ("it starts in the decision in which it is preempted", Some(job)),
            _ => ("it starts, although it is not in the queue", None),
        };
        report(found.job, now, Some(found.line), rule.to_owned());
        if let Some(job) = job {
            self.put_on_nodes(now, &job, found);
        }
    }
    /// Starts all waiting components of a heterogeneous job, each without delaying those before it,
    /// or gives each a reservation. Returns whether they start in the record.
    fn start_group(
        &mut self,
        pass: &mut Cycle,
        group: usize,
        queue: &mut Vec<Waiting>,
        started: &mut Vec<Started>,
        report: ReportViolation<'_>,
    ) -> bool {
        let now = pass.now;
        let is_one =
            |job: &&Waiting| self.site.as_ref().and_then(|site| site.group(job.number)) == Some(group);
        let jobs: Vec<Waiting> = queue.iter().filter(is_one).cloned().collect();
        let levels = 0..=self.nodes.pools.last_level();
        let lacks_at = |job: &Waiting, level: u32| self.lacks_licences(now, &[&job.at_level(level)]);
        let lacks = jobs.iter().any(|job| levels.clone().all(|level| lacks_at(job, level)));
        let mut trial = pass.clone();
        let mut rooms: Vec<(Waiting, Parts)> = Vec::new();
        for job in &jobs {
            let found = levels.clone().find_map(|level| {
                let job = job.at_level(level);
                let together: Vec<&Waiting> = rooms.iter().map(|it| &it.0).chain([&job]).collect();
                let lacks = self.lacks_licences(now, &together);
                let parts = trial.start(&job).filter(|_| !lacks)?;
                Some((job, parts))
            });
            let Some((job, parts)) = found else { break };
            let end = end_of(now, job.planned, trial.plan.pools.slowest(&parts, job.level));
            let devices = trial.plan.devices(&job, &parts, (now, end));
            trial.plan.allocate(&job, (&parts, &devices), now, end);
            rooms.push((job, parts));
        }
        let Some(site) = &mut self.site else { return false };
        let numbers: Vec<u64> = jobs.iter().map(|job| job.number).collect();
        let is_held =
            lacks || jobs.iter().any(|job| site.is_ineligible(job.number) || site.exceeds_limit(job.number));
        let has_all = rooms.len() == jobs.len() && !is_held && !site.exceeds_limit_together(&numbers);
        let rooms = Some(rooms).filter(|_| has_all);
        if rooms.is_none() && !is_held && self.running.is_empty() && self.nodes.is_fully_available(now) {
            site.dissolve_group(group);
            self.timers.is_changed = true;
            return false;
        }
        let mut found: Vec<Started> = started.extract_if(.., |it| numbers.contains(&it.job)).collect();
        if let Some(rooms) = rooms {
            for (job, parts) in rooms {
                let place = self.nodes.place(&parts);
                let Some(at) = found.iter().position(|it| it.job == job.number) else {
                    let rule = "it does not start, although all components of its heterogeneous job fit";
                    report(job.number, now, None, rule.to_owned());
                    continue;
                };
                let found = found.remove(at);
                let (on, line, of_record) = (found.on.clone(), found.line, found.level);
                queue.retain(|other| other.number != job.number);
                self.apply_start(pass, &job, found);
                if of_record != job.level {
                    let rule = format!("it starts at the speed level {of_record}, expected {}", job.level);
                    report(job.number, now, Some(line), rule);
                }
                if on != place {
                    let rule = format!("it is on {on:?}, as pairs of node and tasks, expected {place:?}");
                    report(job.number, now, Some(line), rule);
                }
            }
            return true;
        }
        for found in found {
            let rule = "it starts, although not all components of its heterogeneous job fit".to_owned();
            report(found.job, now, Some(found.line), rule);
        }
        if !is_held {
            self.reserve_group(pass, &jobs);
        }
        false
    }
    /// Reserves slots for the components of a heterogeneous job, from the earliest time on at which
    /// each of them could start.
    fn reserve_group(&self, pass: &mut Cycle, jobs: &[Waiting]) {
        let mut from = pass.now.saturating_add(1);
        loop {
            let starts = jobs.iter().map(|job| Some(self.earliest_from(pass, from, job)?.0));
            let Some(starts) = starts.collect::<Option<Vec<u64>>>() else { return };
            match starts.into_iter().max() {
                Some(latest) if latest > from => from = latest,
                _ => break,
            }
        }
        for job in jobs {
            if let Some((start, room)) = self.earliest_from(pass, from, job) {
                self.reserve_slot(pass, job, start, &room);
            }
        }
    }
    /// Returns the end of the backfill window: reservations do not start later.
    fn horizon(&self, now: u64) -> u64 {
        let window = self.site.as_ref().map(|site| micros(site.settings.backfill.window_s));
        let window = window.filter(|&window| window > 0);
        window.map_or(u64::MAX, |window| now.saturating_add(window)).min(u64::MAX - 1)
    }
    /// Makes a reservation for a job.
    fn reserve_slot(&self, pass: &mut Cycle, job: &Waiting, start: u64, room: &Slot) {
        if !self.binds_nodes() {
            let parts = pass.plan.choose(job, start, &room.tasks, job.tasks);
            let devices = pass.plan.devices(job, &parts, (start, room.end));
            return pass.plan.allocate(job, (&parts, &devices), start, room.end);
        }
        let parts = self.will_run(pass).plan.choose(job, start, &room.tasks, job.tasks);
        pass.plan.hold_common(&job.common, (start, room.end));
        pass.reserved.hold_common(&job.common, (start, room.end));
        let (start, end) = round((start, room.end), self.resolution());
        if start < end {
            // A reservation that begins when a job would end keeps this job off, too.
            pass.plan.block(&parts, start.saturating_sub(1), end);
            pass.reserved.add(&parts, (start, end));
        }
    }
    /// Returns whether reservations are those of SLURM for particular nodes.
    fn binds_nodes(&self) -> bool {
        self.policy.backfilling == Backfilling::Slurm && self.policy.nodes != NodeUse::Whole
    }
    /// Makes the state in which SLURM tests waiting jobs: the running jobs, and the reservations of
    /// the cycle.
    fn will_run<'a>(&'a self, pass: &'a Cycle) -> WillRun<'a> {
        let now = pass.now;
        let mut plan = self.empty_timeline(now);
        plan.awake = self.nodes.awake.clone();
        self.running
            .values()
            .iter()
            .for_each(|it| plan.allocate(&it.job, it.held(), now, self.leaves(now, it)));
        pass.reserved.common.iter().for_each(|(amounts, span)| plan.hold_common(amounts, *span));
        let mut ends: Vec<(u64, &Parts)> =
            self.running.values().iter().map(|it| (self.leaves(now, it), &it.parts)).collect();
        ends.sort_by_key(|it| it.0);
        let growth = self.site.as_ref().map_or(0, |site| micros(site.settings.backfill.window_linear_s));
        WillRun { plan, ends, reserved: &pass.reserved, growth, resolution: self.resolution() }
    }
    /// Finds the earliest start of a waiting job from `from` on in a cycle, and its slot.
    fn earliest_from(&self, pass: &Cycle, from: u64, job: &Waiting) -> Option<(u64, Slot)> {
        let horizon = self.horizon(pass.now);
        if self.binds_nodes() {
            return self.will_run(pass).earliest(from, job, horizon);
        }
        pass.plan.earliest_from(from, job, horizon)
    }

    /// Returns the reason if a job is not tried in this cycle.
    fn refusal(&self, pass: &mut Cycle, job: u64) -> Option<String> {
        match (pass.look, &self.site) {
            (CycleKind::Every, _) | (_, None) => pass.is_over(),
            (CycleKind::Neither, _) => {
                Some("it starts outside of SLURM's main and backfill cycles".to_owned())
            }
            (look, Some(site)) => pass.trials.refuses(&site.settings, look, site.partition_and_user(job)),
        }
    }

    /// Determines whether the job starts now: its speed level, its pools, and the jobs that are preempted
    /// for it.
    fn expected(&self, pass: &Cycle, job: &Waiting) -> Option<ExpectedStart> {
        let found = if self.keeps_reservations() {
            match self.reserved.get(&job.number) {
                Some(it) if it.start == pass.now => Some((0, it.parts.clone())),
                _ if pass.plan.pools.last_level() == 0 => None,
                _ => {
                    let mut without = pass.clone();
                    self.release_reservation(&mut without, job);
                    without.start_before_reservation(job)
                }
            }
        } else if self.skips_unlicensed() {
            // The plan has no resources of the whole cluster.
            let is_licensed = |level: &u32| !self.lacks_licences(pass.now, &[&job.at_level(*level)]);
            let levels = if is_licensed(&0) { 0..=0 } else { 1..=pass.plan.pools.last_level() };
            let mut licensed = levels.filter(is_licensed);
            licensed.find_map(|level| Some((level, pass.start(&job.at_level(level))?)))
        } else {
            pass.start_at_a_level(job)
        };
        if let Some((level, parts)) = found {
            return Some((level, parts, Vec::new()));
        }
        // One that has its resources of the whole cluster at a lower speed level only preempts no other.
        let is_licensed = pass.plan.pools.last_level() == 0 || !self.lacks_licences(pass.now, &[job]);
        let preempts = is_licensed.then(|| self.find_preemption(pass, job)).flatten();
        preempts.map(|(parts, leaving)| (0, parts, leaving))
    }
    /// Releases the reservation of a job in a plan, if it has one.
    fn release_reservation(&self, pass: &mut Cycle, job: &Waiting) {
        if let Some(Reservation { start, end, parts, devices }) = self.reserved.get(&job.number) {
            pass.plan.release(job, (parts, devices), *start, *end);
        }
    }
    /// Removes the reservation of a job that starts before it.
    fn give_up_reservation(&mut self, pass: &mut Cycle, job: &Waiting) {
        if self.keeps_reservations() {
            self.release_reservation(pass, job);
            let before = self.reserved.remove(&job.number);
            self.leaves_plan |= before.is_some_and(|it| it.start > pass.now);
        }
    }
    /// Determines the jobs to preempt for a job: the shortest sufficient prefix of the candidates,
    /// without those that are not needed.
    fn find_preemption(&self, pass: &Cycle, job: &Waiting) -> Option<(Parts, Vec<u64>)> {
        let site = self.site.as_ref().filter(|site| !site.waits_for_preemption(pass.now, job.number))?;
        let over = self.expired(pass.now);
        let mut others = self.running.keys().to_vec();
        others.retain(|it| !self.completing.contains(it) && !over.contains(it));
        let candidates = site.candidates(pass.now, job.number, &others);
        let start = |leaving: &[u64]| {
            let mut without = pass.clone();
            leaving.iter().for_each(|other| self.release(&mut without, &self.running[other]));
            without.start(job)
        };
        if candidates.is_empty() {
            return None;
        }
        start(&candidates)?;
        let settings = &site.settings;
        if settings.victims != VictimOrder::Youngest && self.policy.nodes != NodeUse::Whole {
            return self.preempt_in_passes(candidates, start);
        }
        let least = (1..=candidates.len()).find(|&count| start(&candidates[..count]).is_some())?;
        let mut leaving = candidates[..least].to_vec();
        for at in (0..least - 1).rev() {
            let spared = leaving.remove(at);
            if start(&leaving).is_none() {
                leaving.insert(at, spared);
            }
        }
        Some((start(&leaving)?, leaving))
    }
    /// Determines the jobs to preempt in Slurm's passes, each of which puts the job that it needed last
    /// first. Those that leave are the ones of the last pass with nodes of the slot.
    fn preempt_in_passes(
        &self,
        mut jobs: Vec<u64>,
        start: impl Fn(&[u64]) -> Option<Parts>,
    ) -> Option<(Parts, Vec<u64>)> {
        let settings = &self.site.as_ref()?.settings;
        let shared = |job: &u64, parts: &Parts| {
            let own = &self.running[job].parts;
            own.keys().iter().filter(|pool| parts.contains_key(pool)).count()
        };
        for pass in 1.. {
            let least = (1..=jobs.len()).find(|&count| start(&jobs[..count]).is_some())?;
            let parts = start(&jobs[..least])?;
            if pass > usize::try_from(settings.preempt_reorders).unwrap_or(usize::MAX) + 1
                || pass >= jobs.len()
            {
                let leaving: Vec<u64> =
                    jobs[..least].iter().copied().filter(|job| shared(job, &parts) > 0).collect();
                return Some((start(&leaving)?, leaving));
            }
            let needed = jobs.remove(least - 1);
            let mut others: Vec<u64> = jobs.drain(..least - 1).collect();
            if !settings.preempt_strict_order {
                others.sort_by_key(|job| Reverse(shared(job, &parts)));
            }
            jobs = [needed].into_iter().chain(others).chain(jobs).collect();
        }
        None
    }
    /// Removes a running job from the timeline.
    fn release(&self, pass: &mut Cycle, other: &Running) {
        pass.plan.release(&other.job, other.held(), pass.now, self.leaves(pass.now, other));
    }

    /// Applies a preemption of the record; a requeued job waits from the next decision on.
    fn apply_preemption(&mut self, pass: &mut Cycle, other: &Preempted) {
        let Some(running) = self.running.get(&other.job) else { return };
        self.release(pass, running);
        self.leave(other.job, pass.now, other.waits);
    }
    /// Makes the message for a job whose devices are not those that the rule of the platform chooses.
    fn wrong_devices(&self, pass: &Cycle, job: &Waiting, parts: &Parts, found: &Started) -> Option<String> {
        let pools = &pass.plan.pools;
        job.devices?;
        let end = end_of(pass.now, job.planned, pools.slowest(parts, job.level));
        let reserved = self.reserved.get(&job.number).filter(|_| self.keeps_reservations());
        let devices = match reserved {
            Some(reserved) => reserved.devices.clone(),
            None => pass.plan.devices(job, parts, (pass.now, end)),
        };
        let expected = pools.triples(&devices);
        (found.devices != expected).then(|| {
            format!("it has {:?}, as triples of node, device and tasks, expected {expected:?}", found.devices)
        })
    }
    /// Applies a start of the record.
    fn apply_start(&mut self, pass: &mut Cycle, job: &Waiting, found: Started) {
        let (now, parts) = (pass.now, pass.plan.pools.parts(&found.on));
        self.give_up_reservation(pass, job);
        let job = job.at_level(found.level);
        let speed = pass.plan.pools.slowest(&parts, job.level);
        let devices = pass.plan.pools.devices(&found.devices);
        let end = end_of(now, job.planned, speed);
        pass.plan.allocate(&job, (&parts, &devices), now, end);
        pass.plan.hold_beside_running(&job, (&parts, &devices));
        let has_whole_nodes = self
            .site
            .as_ref()
            .is_some_and(|site| site.has_whole_nodes(job.number) && site.group(job.number).is_none());
        let (begin, until) = round((now, end), self.resolution());
        if has_whole_nodes && self.binds_nodes() && begin < until {
            // Jobs that are tested later in the cycle keep off its nodes, even if it is preempted.
            pass.plan.block(&parts, begin, until);
            pass.reserved.add(&parts, (begin, until));
        }
        self.put_on_nodes(now, &job, found);
    }
    /// Puts a job on the nodes of the record, at the speed level of the record.
    pub(super) fn put_on_nodes(&mut self, now: u64, job: &Waiting, found: Started) {
        let Started { on, devices: triples, level, .. } = found;
        let job = job.at_level(level);
        let parts = self.nodes.pools.parts(&on);
        let devices = self.nodes.pools.devices(&triples);
        let speed = self.nodes.pools.slowest(&parts, level);
        self.reserved.remove(&job.number);
        self.late.remove(&job.number);
        on.iter().for_each(|&(node, _)| self.nodes.jobs[node as usize] += 1);
        self.site.iter_mut().for_each(|site| site.start(job.number, now));
        let end = end_of(now, job.estimate, speed);
        self.running.insert(job.number, Running { job, on, parts, triples, devices, since: now, end });
    }

    /// Handles a job that was tried and waits; it may get a reservation.
    fn wait(&mut self, pass: &mut Cycle, job: &Waiting) {
        let (now, is_first) = (pass.now, pass.head.is_none());
        pass.head.get_or_insert(job.number);
        if let (CycleKind::Main { .. }, Some(site)) = (pass.look, &self.site) {
            // Backfill cycles reserve the missing part of a resource of the whole cluster.
            let fastest = pass.plan.pools.speeds(job.level).first().copied().unwrap_or(Yield::ONE.units());
            if pass.plan.lacks_common(job, fastest) {
                return pass.trials.end();
            }
            let partition = site.partition_and_user(job.number).0;
            let kinds = self.nodes.kinds_of_partition(site.partition_name(job.number));
            return pass.trials.stop(&kinds, partition);
        }
        match self.policy.backfilling {
            Backfilling::Easy if is_first && pass.backfills => {
                let are_equal = self.policy.nodes == NodeUse::Whole && pass.plan.pools.all.len() == 1;
                if are_equal && self.site.is_none() && pass.plan.pools.common.is_empty() {
                    pass.rejected_times = vec![u64::MAX; pass.plan.free_now() as usize + 1];
                }
                let earliest = match self.policy.reserves_nodes_only {
                    true => pass.plan.clone().without_common().earliest(job, u64::MAX),
                    false => pass.plan.earliest(job, u64::MAX),
                };
                pass.head_reservation = earliest.map(|(time, room)| HeadReservation {
                    job: job.clone(),
                    shadow_time: time,
                    end: room.end,
                    speed: room.speed,
                });
            }
            Backfilling::TwoQueues if pass.backfills => {
                let head = *pass.heads.entry(job.estimate > SHORT).or_insert(job.number);
                if let Some((start, room)) = self.earliest_from(pass, now, job).filter(|_| head == job.number)
                {
                    self.reserve_slot(pass, job, start, &room);
                }
            }
            Backfilling::Conservative(_) | Backfilling::Slurm
                if !self.keeps_reservations()
                    && (pass.backfills || pass.look == CycleKind::Backfill)
                    && !self.lacks_licences(now, &[job]) =>
            {
                if let Some((start, room)) = self.earliest_from(pass, now, job) {
                    self.reserve_slot(pass, job, start, &room);
                }
            }
            _ => {}
        }
    }

    /// Makes or updates the reservations of CONS.
    fn reserve(&mut self, pass: &mut Cycle, is_changed: bool) {
        let (now, plan) = (pass.now, &mut pass.plan);
        plan.beside_running = Some(plan.free_of_pools());
        let is_overdue = self.running.values().iter().any(|job| job.end <= now);
        // No decision is due before the assumed end of jobs that exceeded their estimates.
        self.decided = if is_overdue { now.saturating_add(OVERRUN) } else { now };
        let was_stale = std::mem::replace(&mut self.is_stale, is_overdue);
        if is_changed
            || is_overdue
            || was_stale
            || self.is_freed && self.policy.backfilling == Backfilling::Conservative(Compression::Replan)
            || matches!(self.policy.backfilling, Backfilling::Conservative(Compression::Plan(_)))
        {
            self.reserved.clear();
        }
        let planned = self.queue.iter().filter(|job| !self.late.contains(&job.number));
        let (held, others): (Vec<&Waiting>, Vec<&Waiting>) =
            planned.partition(|job| self.reserved.contains_key(&job.number));
        for job in &held {
            let Reservation { start, end, parts, devices } = &self.reserved[&job.number];
            plan.allocate(job, (parts, devices), *start, *end);
        }
        for job in held.into_iter().filter(|_| self.is_freed).chain(others) {
            let before = self.reserved.remove(&job.number);
            if let Some(Reservation { start, end, parts, devices }) = &before {
                plan.release(job, (parts, devices), *start, *end);
            }
            let latest = before.as_ref().map_or(u64::MAX, |it| it.start) - 1;
            let earlier = plan.earliest(job, latest).map(|(start, room)| {
                let parts = plan.choose(job, start, &room.tasks, job.tasks);
                let devices = plan.devices(job, &parts, (start, room.end));
                Reservation { start, end: room.end, parts, devices }
            });
            if let Some(it) = earlier.or(before) {
                plan.allocate(job, (&it.parts, &it.devices), it.start, it.end);
                self.reserved.insert(job.number, it);
            }
        }
    }

    /// Counts the tasks of the job that fit now, for the most favourable minimum speed of nodes.
    fn fitting_tasks(pass: &Cycle, job: &Waiting) -> u64 {
        let of = |&speed: &u32| {
            total(pass.plan.fitting_tasks(job, speed, (pass.now, end_of(pass.now, job.planned, speed))))
        };
        pass.plan.pools.speeds(job.level).iter().map(of).max().unwrap_or(0)
    }
    /// Makes the message for a job that may not start and does.
    fn too_early(&self, pass: &Cycle, job: &Waiting, found: &Started) -> String {
        let (tasks, room) = (job.tasks, BatchCheck::fitting_tasks(pass, job));
        if let Some(Reservation { start, .. }) = self.reserved.get(&job.number) {
            return format!("it starts before its reservation at {} s", SimTime::from_micros(*start));
        }
        let parts = pass.plan.pools.parts(&found.on);
        let job = &job.at_level(found.level);
        let end = end_of(pass.now, job.planned, pass.plan.pools.slowest(&parts, job.level));
        if let Some((name, free)) = pass.plan.missing_common(job, (pass.now, end), None) {
            return format!(
                "it starts, although only {free} of {name} of the cluster are free until its end"
            );
        }
        let Some(promise) = pass.head_reservation.as_ref().filter(|_| room >= tasks) else {
            return format!("it starts with {tasks} tasks, but {room} fit");
        };
        let both = (promise.shadow_time, promise.end.min(end));
        if let Some((name, _)) = pass
            .plan
            .missing_common(&promise.job, both, Some(job))
            .filter(|_| both.0 < both.1 && !self.policy.reserves_nodes_only)
        {
            let head = promise.job.number;
            return format!(
                "it starts and delays job {head}, the queue head, which needs its part of {name}"
            );
        }
        let [shadow, end] = [promise.shadow_time, end].map(SimTime::from_micros);
        let (head, left) = (promise.job.number, promise.head_tasks_after(&pass.plan, job, &parts));
        let of_head = promise.job.tasks;
        format!(
            "it starts and delays job {head}, the queue head, which can start at {shadow} s: it is expected to end at \
             {end} s, and leaves capacity for {left} of {of_head} tasks"
        )
    }
    /// Makes the message for a job that has to start and does not.
    fn too_late(&self, pass: &Cycle, job: &Waiting, leaving: &[u64]) -> String {
        let (tasks, room) = (job.tasks, BatchCheck::fitting_tasks(pass, job));
        match (leaving, pass.head) {
            ([first, others @ ..], _) => {
                let others = others.len();
                format!(
                    "it does not start, although preempting job {first} and {others} others would suffice"
                )
            }
            _ if self.reserved.contains_key(&job.number) => "it does not start at its reservation".to_owned(),
            (_, None) => format!(
                "it is the queue head and does not start, although {room} tasks fit and it has {tasks}"
            ),
            (_, Some(head)) => format!(
                "it does not start, although {room} tasks fit, it has {tasks}, and it would not delay job {head}"
            ),
        }
    }
}
