//! The decision that a policy takes at a moment, job by job in the order of the queue, and the record's beside it.

use super::nodes::total;
use super::plan::{Plan, Room};
use super::queue::{Parts, Running, Waiting, end_of, sort};
use super::slurm::{Look, Trials};
use super::state::{BatchCheck, Bound, Preempted, Reservation, Started};
use super::timers::micros;
use crate::check::Report;
use crate::priority::Site;
use dfrsim_model::SimTime;
use dfrsim_model::batch::{Compression, Discipline, NodeUse};

/// How long a job past its estimate is expected to go on: a second, in microseconds.
const OVERRUN: u64 = 1_000_000;

/// Why a job that can never run has to leave.
fn not_rejected(Waiting { tasks, most, .. }: &Waiting) -> String {
    format!("it is not rejected, although its {tasks} tasks are more than the {most} nodes that it may have")
}

/// What the head of the queue must not lose under EASY: its room at the earliest moment.
#[derive(Clone, Debug)]
struct Promise {
    job: Waiting,
    time: u64,
    end: u64,
    /// The least of its nodes.
    speed: u32,
}

/// A decision as far as it is taken.
#[derive(Clone, Debug)]
struct Pass {
    now: u64,
    plan: Plan,
    /// The first job that waits, or that has the reservation of EASY/SPARE.
    head: Option<u64>,
    promise: Option<Promise>,
    /// Whether jobs may go before the head.
    backfills: bool,
    /// How many jobs are tried from the head on, and how many of them are left.
    most: u32,
    left: u32,
    look: Look,
    trials: Trials,
    /// Of equal nodes under EASY: for each number of tasks that is free, the least planned time of jobs of no more tasks that had no room
    /// behind the head. None of those with more of both has any.
    refused: Vec<u64>,
}

impl Pass {
    /// Why jobs from here on are not tried.
    fn is_over(&self) -> Option<String> {
        if self.look != Look::Every {
            return None;
        }
        let (head, most) = (self.head?, self.most);
        if !self.backfills {
            return Some(format!("it starts before job {head}, which is ahead of it in the queue"));
        }
        let deep = || format!("it is backfilled, though it is behind the {most} jobs that backfilling tries");
        (self.left == 0).then(deep)
    }

    /// Whether a job has no room since one that asks for no more had none.
    fn is_hopeless(&self, job: &Waiting) -> bool {
        let least = self.refused.get(job.tasks as usize);
        !self.refused.is_empty() && least.is_none_or(|&planned| job.planned >= planned)
    }
    /// The pools on which a job starts now beside all that is planned.
    fn start(&self, job: &Waiting) -> Option<Parts> {
        let pools = &self.plan.pools;
        if job.need[0].saturating_mul(job.tasks as i64) > self.plan.free_now() {
            return None;
        }
        pools.speeds.iter().find_map(|&speed| {
            let mut room = self.plan.room_at(self.now, job, speed)?;
            let Some(promise) = self.promise.as_ref().filter(|promise| promise.time < room.end) else {
                return Some(pools.choose(self.now, &room.tasks, job.tasks));
            };
            // First where the head loses no room.
            let harmless = |pool| promise.harmless(&self.plan, pool, job).min(room.tasks[pool]);
            let harmless: Vec<u64> = (0..pools.all.len()).map(harmless).collect();
            let mut parts = pools.choose(self.now, &harmless, job.tasks);
            parts.iter().for_each(|(&pool, &tasks)| room.tasks[pool] -= tasks);
            let missing = job.tasks - total(parts.values().iter().copied());
            for (pool, tasks) in pools.choose(self.now, &room.tasks, missing) {
                *parts.or_default(pool) += tasks;
            }
            (promise.left(&self.plan, job, &parts) >= promise.job.tasks).then_some(parts)
        })
    }
}

impl Promise {
    /// For how many tasks of the head a pool has room beside tasks of another job.
    fn beside(&self, plan: &Plan, pool: usize, other: &Waiting, tasks: u64) -> u64 {
        if !plan.is_open(pool, &self.job, self.speed, (self.time, self.end)) {
            return 0;
        }
        let least = plan.least(pool, self.time, self.end).enumerate();
        self.job
            .times_in(least.map(|(at, free)| free.saturating_sub(plan.pools.amount(other, pool, tasks, at))))
    }
    /// The same of all pools.
    fn left(&self, plan: &Plan, other: &Waiting, parts: &Parts) -> u64 {
        let tasks = |pool: usize| parts.get(&pool).copied().unwrap_or(0);
        total((0..plan.pools.all.len()).map(|pool| self.beside(plan, pool, other, tasks(pool))))
    }
    /// How many tasks another job can have on a pool and cost the head none there.
    fn harmless(&self, plan: &Plan, pool: usize, other: &Waiting) -> u64 {
        match (self.beside(plan, pool, other, 0), plan.pools.policy.nodes) {
            (0, _) => u64::MAX,
            (_, NodeUse::Exclusive) => 0,
            (own, _) => {
                let least = plan.least(pool, self.time, self.end).zip(&self.job.need);
                other.times_in(least.map(|(free, need)| free - need * own as i64))
            }
        }
    }
}

impl Bound {
    /// What is free of it.
    fn held(&self) -> Parts {
        let mut held = self.parts.clone();
        for (pool, tasks) in self.awaited.iter().flat_map(|(_, parts)| parts) {
            *held.or_default(*pool) -= tasks;
        }
        held
    }
    /// Whether no other job has it.
    fn is_free(&self, pass: &Pass, job: &Waiting) -> bool {
        let free = |pool: usize| job.times_in(pass.plan.least(pool, pass.now, pass.now + 1));
        self.awaited.is_empty() && self.parts.iter().all(|(&pool, &tasks)| free(pool) >= tasks)
    }
    /// Whether its job could stay to its end if it started now.
    fn is_lasting(&self, pass: &Pass, job: &Waiting) -> bool {
        let speed = pass.plan.pools.slowest(&self.parts);
        let until = (pass.now, end_of(pass.now, job.planned, speed));
        let room: Vec<u64> = pass.plan.room(job, speed, until).collect();
        self.parts.iter().all(|(&pool, &tasks)| room[pool] >= tasks)
    }
}

impl BatchCheck {
    /// Whether the reservations of CONS stay from one decision to the next.
    fn keeps_plan(&self) -> bool {
        self.site.is_none() && matches!(self.policy.discipline, Discipline::Conservative(_))
    }
    fn is_held_back(&self, job: &Waiting) -> bool {
        self.site.as_ref().is_some_and(|site| site.is_delayed(job.number) || site.holds(job.number))
    }

    /// The running jobs, by when they are expected to leave their nodes.
    fn ends(&self, now: u64) -> Vec<(u64, &Running)> {
        let mut ends: Vec<_> = self.running.values().iter().map(|job| (self.leaves(now, job), job)).collect();
        ends.sort_unstable_by_key(|(end, job)| (*end, job.job.number));
        ends
    }
    fn leaves(&self, now: u64, job: &Running) -> u64 {
        if job.since == now {
            return end_of(now, job.job.planned, self.nodes.pools.slowest(&job.parts));
        }
        let end = if job.end <= now { now.saturating_add(OVERRUN) } else { job.end };
        let windows = job.parts.keys().iter().flat_map(|&pool| &self.nodes.pools.all[pool].windows);
        windows.map(|&(from, _)| from).filter(|&from| from > now).fold(self.rounded(end), u64::min)
    }
    /// What backfilling takes a moment for.
    fn rounded(&self, moment: u64) -> u64 {
        match self.site.as_ref().map_or(0, |site| micros(site.settings.backfill.resolution_s)) {
            0 => moment,
            step => moment.div_ceil(step).saturating_mul(step),
        }
    }

    /// Judges a decision, and takes in what the record says.
    pub(super) fn decide(&mut self, now: u64, report: Report<'_>) {
        let is_first = self.nodes.are_new();
        let is_changed = self.nodes.follow(now);
        if self.policy.discipline == Discipline::Slurm {
            self.reject_arriving(now, report);
        }
        if is_changed && !is_first {
            self.see_events(now);
        }
        let is_soon = std::mem::take(&mut self.is_soon);
        self.judge(now, is_changed, report);
        if self.policy.discipline == Discipline::Slurm {
            self.see_events(now);
            let is_bound = self.nodes.bounds().any(|bound| bound == now);
            self.note_change(now, is_changed || is_soon || is_bound);
        }
    }
    /// Jobs that can never run are rejected when they arrive, even if neither scheduler looks.
    fn reject_arriving(&mut self, now: u64, report: Report<'_>) {
        for job in self.arriving.extract_if(.., |job| job.tasks > job.most) {
            report(job.number, now, None, not_rejected(&job));
            self.site.iter_mut().for_each(|site| site.leave(job.number, now));
        }
    }
    fn judge(&mut self, now: u64, is_changed: bool, report: Report<'_>) {
        let (mut started, mut preempted) =
            (std::mem::take(&mut self.started), std::mem::take(&mut self.preempted));
        self.site.iter_mut().for_each(|site| site.count(now));
        let is_slurm = self.policy.discipline == Discipline::Slurm;
        let looks = if is_slurm { self.looks(now) } else { vec![Look::Every] };
        if is_changed {
            self.running.values_mut().for_each(|job| job.parts = self.nodes.pools.parts(&job.on));
            self.bound = None;
        }
        let over = self.over(now);
        if is_changed {
            self.let_go(now, &over, &mut preempted, report);
        }
        if self.queue.is_empty() && preempted.is_empty() && over.is_empty() || !self.nodes.are_known() {
            self.is_freed = false;
            if is_slurm {
                self.backfills(now, false);
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
            pass = Some(self.look(now, (look, is_changed), &mut started, &mut preempted, report));
        }
        if is_slurm {
            let has_started = self.queue.len() < std::mem::take(&mut waiting);
            let look = if self.backfills(now, has_started) { Look::Backfill } else { Look::Neither };
            pass = Some(self.look(now, (look, is_changed), &mut started, &mut preempted, report));
        }
        if !is_changed {
            self.let_go(now, &over, &mut preempted, report);
        }
        self.timers.is_changed |= !over.is_empty();
        for other in preempted {
            let rule = "it makes room, but no job starts for which it has to".to_owned();
            report(other.job, now, Some(other.line), rule);
            pass.iter_mut().for_each(|pass| self.make_way(pass, &other));
        }
        // Those that made room wait from the next decision on.
        let mut again = std::mem::take(&mut self.again);
        self.is_soon = !again.is_empty();
        self.queue.append(&mut again);
        self.is_freed = false;
    }

    /// The jobs that leave now, as they were warned.
    fn over(&self, now: u64) -> Vec<u64> {
        let warned = self.site.iter().flat_map(|site| &site.warned).filter(|(_, until)| **until <= now);
        warned.map(|(job, _)| *job).filter(|job| !self.completing.contains(job)).collect()
    }
    /// They leave by the record.
    fn let_go(&mut self, now: u64, over: &[u64], preempted: &mut Vec<Preempted>, report: Report<'_>) {
        for &job in over {
            if !self.running.contains_key(&job) {
                continue;
            }
            match preempted.extract_if(.., |it| it.job == job).next() {
                Some(it) => self.leave(job, now, it.waits),
                None => report(job, now, None, "it keeps its nodes beyond its grace time".to_owned()),
            }
        }
    }
    /// Those that have time to make room for a job stay, and are expected to leave then; the others leave. Whether some stay.
    fn warn(
        &mut self,
        pass: &mut Pass,
        job: u64,
        leaving: &[u64],
        preempted: &mut Vec<Preempted>,
        report: Report<'_>,
    ) -> bool {
        let now = pass.now;
        let (mut stay, mut go) = (Vec::new(), Vec::new());
        for &other in leaving {
            match self.site.as_mut().and_then(|site| site.warn(now, other, job)) {
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
            pass.plan.give_back(&running.job, &running.parts, after, before);
            self.running.insert(*other, running);
        }
        for other in go {
            match preempted.extract_if(.., |it| it.job == other).next() {
                Some(it) => self.make_way(pass, &it),
                None => report(other, now, None, format!("it does not make room for job {job}")),
            }
        }
        true
    }

    /// One look at the queue, for which jobs start and others make room by the record.
    fn look(
        &mut self,
        now: u64,
        (look, is_changed): (Look, bool),
        started: &mut Vec<Started>,
        preempted: &mut Vec<Preempted>,
        report: Report<'_>,
    ) -> Pass {
        let mut plan = Plan::new(&self.nodes.pools, now, self.nodes.bounds());
        self.ends(now).into_iter().for_each(|(end, it)| plan.take(&it.job, &it.parts, now, end));
        let backfill = self.site.as_ref().map(|site| &site.settings.backfill);
        let most = backfill.and_then(|it| it.max_job_test).unwrap_or(u32::MAX);
        let is_time = |interval: u64| interval == 0 || now.is_multiple_of(interval);
        let backfills = self.policy.discipline != Discipline::Fcfs
            && backfill.is_none_or(|it| is_time(micros(it.interval_s)));
        let trials =
            self.site.as_ref().map_or_else(Trials::default, |site| Trials::new(&site.settings, look));
        let (head, promise, left, refused) = (None, None, most, Vec::new());
        let mut pass = Pass { now, plan, head, promise, backfills, most, left, look, trials, refused };
        if self.keeps_plan() {
            self.reserve(&mut pass, is_changed);
        }
        self.bound = self.bound.take().filter(|bound| self.stays(bound, &pass));
        let mut queue = std::mem::take(&mut self.queue);
        if let Some(bound) = &self.bound
            && let Some(at) = queue.iter().position(|job| job.number == bound.job)
        {
            queue[..=at].rotate_right(1);
        }
        let mut at = 0;
        while at < queue.len() {
            let job = &queue[at];
            if pass.is_hopeless(job) && started.iter().all(|it| it.job != job.number) && job.tasks <= job.most
            {
                at += 1;
                continue;
            }
            let found = started.iter().position(|it| it.job == job.number).map(|at| started.remove(at));
            let line = found.as_ref().map(|found| found.line);
            let never = job.tasks > job.most;
            let is_held = self.is_held_back(job);
            let is_main = matches!(look, Look::Main { .. });
            let group = self.site.as_ref().and_then(|site| site.group(job.number));
            if let Some(group) = group.filter(|_| is_main || look == Look::Backfill && !is_held && !never) {
                // Backfilling may start it.
                let number = job.number;
                started.extend(found);
                let is_first = !is_main && pass.trials.groups.insert(group);
                let is_tried = !is_main && self.refusal(&mut pass, number).is_none();
                if !(is_first
                    && is_tried
                    && self.start_together(&mut pass, group, &mut queue, started, report))
                {
                    at += 1;
                }
                continue;
            }
            let is_over =
                if never || is_held && !is_main { None } else { self.refusal(&mut pass, job.number) };
            let is_tried = !never && !is_held;
            let tried = (is_tried && is_over.is_none()).then(|| pass.trials.narrowed(job));
            let mut expected = tried.as_ref().and_then(|job| self.expected(&pass, job));
            if let Some((_, leaving)) = expected.as_ref().filter(|_| look != Look::Every)
                && self.warn(&mut pass, job.number, leaving, preempted, report)
            {
                // Room that others leave later may be enough for the reservations before it.
                expected = tried.and_then(|job| pass.start(&job)).map(|parts| (parts, Vec::new()));
            }
            let mut fault = |rule| report(job.number, now, line, rule);
            if never && (job.is_admitted || found.is_none()) {
                fault(not_rejected(job));
            } else if is_tried {
                if let (Look::Main { .. }, None, Some(_)) = (look, &expected, &found) {
                    // Backfilling may start it.
                    started.extend(found);
                    if is_over.is_none() {
                        self.wait(&mut pass, &queue[at].clone());
                    }
                    at += 1;
                    continue;
                }
                self.is_stale |= expected.is_some() != found.is_some();
                match (expected, &found) {
                    (None, None) => {
                        let more = pass.refused.iter_mut().skip(job.tasks as usize);
                        more.for_each(|planned| *planned = job.planned.min(*planned));
                    }
                    (None, Some(found)) => {
                        fault(is_over.clone().unwrap_or_else(|| self.too_early(&pass, job, found)));
                    }
                    (Some((_, leaving)), None) => fault(self.too_late(&pass, job, &leaving)),
                    (Some((parts, leaving)), Some(found)) => {
                        for other in leaving {
                            let Some(it) = preempted.extract_if(.., |it| it.job == other).next() else {
                                let number = job.number;
                                let rule = format!(
                                    "it is its turn to make room for job {number}, which starts, and it does not"
                                );
                                report(other, now, None, rule);
                                continue;
                            };
                            self.make_way(&mut pass, &it);
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
                                    "it has {tasks} tasks on node {node}, where it should have {expected} on node {other}: the rule for nodes is {placing}"
                                ),
                            );
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
            }
            match found {
                Some(found) => self.take_in(&mut pass, queue.remove(at), found),
                None if never => {
                    let number = queue.remove(at).number;
                    self.site.iter_mut().for_each(|site| site.leave(number, now));
                }
                None => at += 1,
            }
            let is_done = look == Look::Every && pass.is_over().is_some()
                || pass.plan.free_now() == 0 && !self.site.as_ref().is_some_and(Site::preempts_any);
            let none_is_rejected = || queue[at..].iter().all(|job| job.tasks <= job.most);
            if started.is_empty()
                && pass.head.is_some()
                && is_done
                && !self.keeps_plan()
                && none_is_rejected()
            {
                break;
            }
        }
        self.queue = queue;
        pass
    }
    /// All jobs of a group that wait start, each beside those before it, or each has a reservation; returns whether they start by the record.
    fn start_together(
        &mut self,
        pass: &mut Pass,
        group: usize,
        queue: &mut Vec<Waiting>,
        started: &mut Vec<Started>,
        report: Report<'_>,
    ) -> bool {
        let now = pass.now;
        let Some(site) = &mut self.site else { return false };
        let is_one = |job: &&Waiting| site.group(job.number) == Some(group);
        let jobs: Vec<Waiting> = queue.iter().filter(is_one).cloned().collect();
        let numbers: Vec<u64> = jobs.iter().map(|job| job.number).collect();
        let is_held = jobs.iter().any(|job| site.is_delayed(job.number) || site.holds(job.number));
        let mut trial = pass.clone();
        let rooms = jobs.iter().map(|job| {
            let parts = trial.start(job)?;
            let end = end_of(now, job.planned, trial.plan.pools.slowest(&parts));
            trial.plan.take(job, &parts, now, end);
            Some(parts)
        });
        let rooms: Option<Vec<Parts>> =
            rooms.collect::<Option<_>>().filter(|_| !is_held && !site.holds_some(&numbers));
        if rooms.is_none() && !is_held && self.running.is_empty() && self.nodes.are_up(now) {
            site.part(group);
            self.timers.is_changed = true;
            return false;
        }
        let mut found: Vec<Started> = started.extract_if(.., |it| numbers.contains(&it.job)).collect();
        if let Some(rooms) = rooms {
            for (job, parts) in jobs.iter().zip(rooms) {
                let place = self.nodes.place(&parts);
                let Some(at) = found.iter().position(|it| it.job == job.number) else {
                    let rule = "it does not start, though all that start together with it have room";
                    report(job.number, now, None, rule.to_owned());
                    continue;
                };
                let found = found.remove(at);
                let (on, line) = (found.on.clone(), found.line);
                queue.retain(|other| other.number != job.number);
                self.take_in(pass, job.clone(), found);
                if on != place {
                    let rule = format!(
                        "it is on {on:?}, as pairs of node and tasks, where it should be on {place:?}"
                    );
                    report(job.number, now, Some(line), rule);
                }
            }
            return true;
        }
        for found in found {
            let rule = "it starts, though not all that start together with it have room".to_owned();
            report(found.job, now, Some(found.line), rule);
        }
        if !is_held {
            self.reserve_together(pass, &jobs);
        }
        false
    }
    /// Reservations of jobs that start together: from the first moment on at which each alone could begin.
    fn reserve_together(&self, pass: &mut Pass, jobs: &[Waiting]) {
        let horizon = self.horizon(pass.now);
        let mut from = pass.now.saturating_add(1);
        loop {
            let starts = jobs.iter().map(|job| Some(pass.plan.earliest_from(from, job, horizon)?.0));
            let Some(starts) = starts.collect::<Option<Vec<u64>>>() else { return };
            match starts.into_iter().max() {
                Some(latest) if latest > from => from = latest,
                _ => break,
            }
        }
        for job in jobs {
            if let Some((start, room)) = pass.plan.earliest_from(from, job, horizon) {
                self.promise(pass, job, start, &room);
            }
        }
    }
    /// The last moment at which backfilling plans jobs to begin.
    fn horizon(&self, now: u64) -> u64 {
        let window = self.site.as_ref().map(|site| micros(site.settings.backfill.window_s));
        let window = window.filter(|&window| window > 0);
        window.map_or(u64::MAX, |window| now.saturating_add(window)).min(u64::MAX - 1)
    }
    /// A job has a reservation.
    fn promise(&self, pass: &mut Pass, job: &Waiting, start: u64, room: &Room) {
        let parts = pass.plan.pools.choose(start, &room.tasks, job.tasks);
        match (self.policy.discipline, self.policy.nodes) {
            (Discipline::Slurm, NodeUse::Shared) => pass.plan.close(&parts, start, room.end),
            _ => pass.plan.take(job, &parts, start, room.end),
        }
    }

    /// Why a job is not tried from here on, or in this pass.
    fn refusal(&self, pass: &mut Pass, job: u64) -> Option<String> {
        match (pass.look, &self.site) {
            (Look::Every, _) | (_, None) => pass.is_over(),
            (Look::Neither, _) => Some("it starts, and neither scheduler of SLURM looks now".to_owned()),
            (look, Some(site)) => pass.trials.refuses(&site.settings, look, site.partition_and_user(job)),
        }
    }

    /// Whether the reservation of EASY/SPARE stays: no limit holds its job back, and it lasts if it begins now.
    fn stays(&self, bound: &Bound, pass: &Pass) -> bool {
        let lasts = |job: &&Waiting| {
            !self.is_held_back(job) && (!bound.is_free(pass, job) || bound.is_lasting(pass, job))
        };
        self.queue.iter().find(|job| job.number == bound.job).is_some_and(|job| lasts(&job))
    }

    /// How a job starts now, if it does: on these pools, and which jobs make room for it.
    fn expected(&self, pass: &Pass, job: &Waiting) -> Option<(Parts, Vec<u64>)> {
        let bound = self.bound.as_ref().filter(|bound| bound.job == job.number);
        let parts = match bound {
            _ if self.keeps_plan() => {
                let it = self.reserved.get(&job.number).filter(|it| it.start == pass.now)?;
                Some(it.parts.clone())
            }
            None => pass.start(job),
            Some(bound) => bound.is_free(pass, job).then(|| bound.parts.clone()),
        };
        parts.map(|parts| (parts, Vec::new())).or_else(|| self.make_room(pass, job, bound.is_some()))
    }
    /// How a job starts for which others make room: as few from the beginning of the list as suffice, without those that need not.
    fn make_room(&self, pass: &Pass, job: &Waiting, has_reservation: bool) -> Option<(Parts, Vec<u64>)> {
        let site = self.site.as_ref().filter(|site| !site.awaits(pass.now, job.number))?;
        let over = self.over(pass.now);
        let mut others = self.running.keys().to_vec();
        others.retain(|it| !self.completing.contains(it) && !over.contains(it));
        let candidates = site.candidates(pass.now, job.number, &others);
        let start = |leaving: &[u64]| {
            let mut without = pass.clone();
            leaving.iter().for_each(|other| self.release(&mut without, &self.running[other]));
            without.start(job)
        };
        if candidates.is_empty() || has_reservation && start(&[]).is_some() {
            return None;
        }
        start(&candidates)?;
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
    /// A running job is not planned with any more.
    fn release(&self, pass: &mut Pass, other: &Running) {
        pass.plan.give_back(&other.job, &other.parts, pass.now, self.leaves(pass.now, other));
        // The job of the reservation itself is not tried beside what it awaits.
        let bound = self.bound.iter().filter(|_| pass.head.is_some());
        for (_, parts) in bound.flat_map(|it| &it.awaited).filter(|(job, _)| *job == other.job.number) {
            pass.plan.take(&other.job, parts, pass.now, u64::MAX);
        }
    }

    /// A job leaves by the record, and waits again from the next decision on.
    fn make_way(&mut self, pass: &mut Pass, other: &Preempted) {
        let Some(running) = self.running.get(&other.job) else { return };
        self.release(pass, running);
        self.leave(other.job, pass.now, other.waits);
    }
    /// A job starts by the record.
    fn take_in(&mut self, pass: &mut Pass, job: Waiting, Started { on, .. }: Started) {
        let (now, parts) = (pass.now, pass.plan.pools.parts(&on));
        let speed = pass.plan.pools.slowest(&parts);
        pass.plan.take(&job, &parts, now, end_of(now, job.planned, speed));
        self.bound = self.bound.take().filter(|bound| bound.job != job.number);
        self.reserved.remove(&job.number);
        on.iter().for_each(|&(node, _)| self.nodes.jobs[node as usize] += 1);
        self.site.iter_mut().for_each(|site| site.start(job.number, now));
        let end = end_of(now, job.estimate, speed);
        self.running.insert(job.number, Running { job, on, parts, since: now, end });
    }

    /// A job that was tried waits: it may have a reservation.
    fn wait(&mut self, pass: &mut Pass, job: &Waiting) {
        let (now, is_first) = (pass.now, pass.head.is_none());
        pass.head.get_or_insert(job.number);
        if let (Look::Main { .. }, Some(site)) = (pass.look, &self.site) {
            let partition = site.partition_and_user(job.number).0;
            return pass.trials.stop(&pass.trials.narrowed(job), partition);
        }
        match self.policy.discipline {
            Discipline::Easy if is_first && pass.backfills => {
                let are_equal = self.policy.nodes == NodeUse::Whole && pass.plan.pools.all.len() == 1;
                if are_equal && self.site.is_none() {
                    pass.refused = vec![u64::MAX; pass.plan.free_now() as usize + 1];
                }
                pass.promise = pass.plan.earliest(job, u64::MAX).map(|(time, room)| Promise {
                    job: job.clone(),
                    time,
                    end: room.end,
                    speed: room.speed,
                });
            }
            Discipline::Conservative(_) | Discipline::Slurm
                if !self.keeps_plan() && (pass.backfills || pass.look == Look::Backfill) =>
            {
                if let Some((start, room)) = pass.plan.earliest(job, self.horizon(now)) {
                    self.promise(pass, job, start, &room);
                }
            }
            Discipline::Spare => {
                if self.bound.is_none() && is_first && pass.backfills {
                    self.bound = self.bind(pass, job);
                }
                if let Some(bound) = self.bound.as_ref().filter(|bound| bound.job == job.number) {
                    pass.plan.take(job, &bound.held(), now, u64::MAX);
                }
            }
            _ => {}
        }
    }
    /// The nodes for which a job waits under EASY/SPARE: of those that it could have at the earliest, the ones that are free latest.
    fn bind(&self, pass: &Pass, job: &Waiting) -> Option<Bound> {
        let (time, mut room) = pass.plan.earliest(job, u64::MAX)?;
        let counts = self.policy.nodes == NodeUse::Whole;
        let (mut parts, mut awaited) = (Parts::default(), Vec::new());
        let mut missing = job.tasks;
        for (_, other) in self.ends(pass.now).into_iter().rev().filter(|(end, _)| *end <= time) {
            let mut given = Parts::default();
            for (&pool, &tasks) in &other.parts {
                let most = if counts { tasks } else { u64::MAX };
                let tasks = most.min(room.tasks[pool]).min(missing);
                room.tasks[pool] -= tasks;
                missing -= tasks;
                given.extend((tasks > 0).then_some((pool, tasks)));
            }
            given.iter().for_each(|(&pool, &tasks)| *parts.or_default(pool) += tasks);
            awaited.extend((counts && !given.is_empty()).then_some((other.job.number, given)));
        }
        for (pool, tasks) in pass.plan.pools.choose(time, &room.tasks, missing) {
            *parts.or_default(pool) += tasks;
        }
        Some(Bound { job: job.number, parts, awaited })
    }

    /// Makes the reservations of CONS.
    fn reserve(&mut self, pass: &mut Pass, is_changed: bool) {
        let (now, plan) = (pass.now, &mut pass.plan);
        let is_overdue = self.running.values().iter().any(|job| job.end <= now);
        // No decision is due in the second in which jobs past their estimates are expected to end.
        self.decided = if is_overdue { now.saturating_add(OVERRUN) } else { now };
        let was_stale = std::mem::replace(&mut self.is_stale, is_overdue);
        if is_changed
            || is_overdue
            || was_stale
            || self.is_freed && self.policy.discipline == Discipline::Conservative(Compression::Replan)
        {
            self.reserved.clear();
        }
        let (held, others): (Vec<&Waiting>, Vec<&Waiting>) =
            self.queue.iter().partition(|job| self.reserved.contains_key(&job.number));
        for job in &held {
            let Reservation { start, end, parts } = &self.reserved[&job.number];
            plan.take(job, parts, *start, *end);
        }
        for job in held.into_iter().filter(|_| self.is_freed).chain(others) {
            let before = self.reserved.remove(&job.number);
            if let Some(Reservation { start, end, parts }) = &before {
                plan.give_back(job, parts, *start, *end);
            }
            let latest = before.as_ref().map_or(u64::MAX, |it| it.start) - 1;
            let earlier = plan.earliest(job, latest).map(|(start, room)| {
                let parts = plan.pools.choose(start, &room.tasks, job.tasks);
                Reservation { start, end: room.end, parts }
            });
            if let Some(it) = earlier.or(before) {
                plan.take(job, &it.parts, it.start, it.end);
                self.reserved.insert(job.number, it);
            }
        }
    }

    /// For how many tasks of a job there is room now, on whichever nodes.
    fn room(pass: &Pass, job: &Waiting) -> u64 {
        let of = |&speed: &u32| {
            total(pass.plan.room(job, speed, (pass.now, end_of(pass.now, job.planned, speed))))
        };
        pass.plan.pools.speeds.iter().map(of).max().unwrap_or(0)
    }
    /// Why a job may not start that does.
    fn too_early(&self, pass: &Pass, job: &Waiting, found: &Started) -> String {
        let (tasks, room) = (job.tasks, BatchCheck::room(pass, job));
        if let Some(Reservation { start, .. }) = self.reserved.get(&job.number) {
            return format!("it starts before its reservation at {} s", SimTime::from_micros(*start));
        }
        let Some(promise) = pass.promise.as_ref().filter(|_| room >= tasks) else {
            return format!("it starts with {tasks} tasks, but there is room for {room}");
        };
        let parts = pass.plan.pools.parts(&found.on);
        let end = end_of(pass.now, job.planned, pass.plan.pools.slowest(&parts));
        let [shadow, end] = [promise.time, end].map(SimTime::from_micros);
        let (head, left) = (promise.job.number, promise.left(&pass.plan, job, &parts));
        let of_head = promise.job.tasks;
        format!(
            "it starts and delays job {head}, the first in the queue, which can start at {shadow} s: it is expected to end at \
             {end} s, and leaves room for {left} of {of_head} tasks"
        )
    }
    /// Why a job has to start that does not.
    fn too_late(&self, pass: &Pass, job: &Waiting, leaving: &[u64]) -> String {
        let (tasks, room) = (job.tasks, BatchCheck::room(pass, job));
        match (leaving, pass.head) {
            ([first, others @ ..], _) => {
                let others = others.len();
                format!("it does not start, though job {first} and {others} others could make room for it")
            }
            _ if self.reserved.contains_key(&job.number) => "it does not start at its reservation".to_owned(),
            (_, None) => format!(
                "it is the first in the queue and does not start, though there is room for {room} tasks, and it has {tasks}"
            ),
            (_, Some(head)) => format!(
                "it does not start, though there is room for {room} tasks, it has {tasks}, and it would not delay job {head}"
            ),
        }
    }
}
