//! What the priorities of a site say: the order of the queue, who is held back, how far backfilling goes and when, and who makes room.

use super::BatchRule;
use super::queue::{Running, Waiting};
use crate::job::Job;
use crate::priority::{Account, Limits, Ranks, Usage};
use dfrsim_model::SimTime;
use dfrsim_model::priority::{JobClass, PreemptMode, Priorities};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What the priority and the limits of a job depend on.
#[derive(Clone, Debug, Default)]
pub(super) struct Rank {
    pub(super) priority: u128,
    /// Whether its classes never admit it.
    pub(super) never: bool,
    account: Option<Account>,
    classes: Vec<usize>,
    user: Option<u32>,
    submit: u64,
    /// When its priority was computed.
    at: u64,
    /// The weighted factors that do not change.
    fixed: u128,
}

/// Follows usage and limits.
#[derive(Debug)]
pub(super) struct Site {
    ranks: Ranks,
    usage: Usage,
    limits: Limits,
}

impl Site {
    pub(super) fn new(settings: &Priorities, nodes: usize) -> Site {
        let ranks = Ranks::new(settings, nodes as u32);
        Site { ranks, usage: Usage::new(settings), limits: Limits::new(settings) }
    }

    /// Goes on to a moment; ranks the waiting jobs at the last multiple of the period on the way.
    pub(super) fn count(&mut self, now: u64, queue: &mut [Waiting]) {
        if let Some(multiple) = self.usage.count(now) {
            queue.iter_mut().for_each(|job| self.rank(&mut job.rank, multiple));
        }
    }
    /// A job arrives. If its account is a new one, that counts from now on for the jobs in the queue too.
    pub(super) fn admit(&mut self, job: &Job, queue: &mut [Waiting]) -> Rank {
        let classes = self.limits.classes_of(job);
        let fixed = self.ranks.fixed(&classes, job.tasks);
        let never = self.limits.never(&classes, job).is_some();
        let accounts = self.usage.accounts();
        let account = Some(self.usage.account(job));
        if self.usage.accounts() > accounts {
            for other in queue {
                let at = other.rank.at;
                self.rank(&mut other.rank, at);
            }
        }
        let (user, submit) = (job.user, job.submit);
        let mut rank = Rank { priority: 0, never, account, classes, user, submit, at: submit, fixed };
        self.rank(&mut rank, submit);
        rank
    }
    /// Computes the priority of a job at a moment.
    pub(super) fn rank(&mut self, rank: &mut Rank, at: u64) {
        let fair_share = rank.account.as_ref().map_or(0, |account| self.usage.fair_share(account));
        rank.priority = self.ranks.priority(rank.fixed, at.saturating_sub(rank.submit), fair_share);
        rank.at = at;
    }

    /// Whether a limit holds a job back now.
    pub(super) fn holds(&self, job: &Waiting) -> bool {
        self.limits.broken(&job.rank.classes, job.rank.user, job.tasks as u32).is_some()
    }
    pub(super) fn start(&mut self, job: &Waiting, now: u64) {
        let (rank, width) = (&job.rank, job.tasks as u32);
        self.limits.take(job.number, rank.classes.clone(), rank.user, width);
        rank.account.clone().into_iter().for_each(|it| self.usage.start(job.number, it, width, now));
    }
    pub(super) fn end(&mut self, number: u64, now: u64) {
        self.usage.end(number, now);
        self.limits.end(number);
    }

    /// What backfilling takes a moment for.
    pub(super) fn rounded(&self, moment: u64) -> u64 {
        match self.ranks.settings.backfill.resolution_s.saturating_mul(1_000_000) {
            0 => moment,
            step => moment.div_ceil(step).saturating_mul(step),
        }
    }
    fn interval(&self) -> u64 {
        self.ranks.settings.backfill.interval_s.saturating_mul(1_000_000)
    }
    /// Whether jobs are backfilled at a moment.
    pub(super) fn backfills(&self, now: u64) -> bool {
        self.interval() == 0 || now.is_multiple_of(self.interval())
    }
    /// How many jobs are tried.
    pub(super) fn depth(&self) -> u32 {
        self.ranks.settings.backfill.max_job_test.unwrap_or(u32::MAX)
    }
    /// The last moment for which jobs have reservations.
    pub(super) fn horizon(&self, now: u64) -> u64 {
        match self.ranks.settings.backfill.window_s.saturating_mul(1_000_000) {
            0 => u64::MAX,
            window => now.saturating_add(window),
        }
    }
    /// When a decision is due if no event comes before, and jobs wait.
    pub(super) fn next_decision(
        &self,
        now: u64,
        backfills: bool,
        queue: &[Waiting],
        running: &BTreeMap<u64, Running>,
    ) -> Option<u64> {
        let weights = self.ranks.settings.weights;
        let ranks = weights.age > 0 || weights.fair_share > 0;
        let ranked = ranks.then(|| self.usage.multiple_after(now));
        let interval = Some(self.interval()).filter(|&interval| backfills && interval > 0);
        let backfilled = interval.map(|interval| (now / interval + 1).saturating_mul(interval));
        let is_exempt = |other: &&Running| self.exempt_until(other) > now;
        let is_wanted = |other: &&Running| queue.iter().any(|job| self.place(job, other).is_some());
        let exempt = running.values().filter(is_exempt).filter(is_wanted).map(|it| self.exempt_until(it));
        let times = exempt.chain(ranked).chain(backfilled);
        times.min().filter(|_| !queue.is_empty())
    }

    /// Whether jobs may have to make room for others.
    pub(super) fn preempts(&self) -> bool {
        self.ranks.preempts()
    }
    fn exempt_until(&self, other: &Running) -> u64 {
        let class = self.ranks.class(&other.job.rank.classes);
        other.since.saturating_add(class.map_or(0, |class| self.ranks.exempt(class)))
    }
    /// The place of a running job's class in the list of those that make room for a job.
    fn place(&self, job: &Waiting, other: &Running) -> Option<usize> {
        self.ranks.place(&job.rank.classes, &other.job.rank.classes)
    }
    /// The running jobs that may have to make room for one, in the order in which they do.
    pub(super) fn candidates(&self, now: u64, job: &Waiting, running: &BTreeMap<u64, Running>) -> Vec<u64> {
        let may = |other: &&Running| other.since < now && self.exempt_until(other) <= now;
        let found = running.values().filter(may).filter_map(|it| Some((self.place(job, it)?, it)));
        let mut found: Vec<(usize, &Running)> = found.collect();
        found.sort_by_key(|(place, other)| (*place, Reverse(other.since), Reverse(other.job.number)));
        found.into_iter().map(|(_, other)| other.job.number).collect()
    }
    /// What is wrong with a job that makes room, apart from the job for which it does.
    pub(super) fn fault(&self, now: u64, other: &Running, mode: PreemptMode) -> Option<BatchRule> {
        let is_named = |class: &&JobClass| {
            let all = &self.ranks.classes[self.ranks.preempting.clone()];
            all.iter().any(|it| it.preempt.contains(&class.name))
        };
        let Some(class) = self.ranks.class(&other.job.rank.classes).filter(is_named) else {
            return Some(BatchRule::NotPreemptable);
        };
        if self.ranks.mode(class) != mode {
            return Some(BatchRule::OtherPreemption { found: mode, expected: self.ranks.mode(class) });
        }
        let [ran, exempt] = [now - other.since, self.ranks.exempt(class)].map(SimTime::from_micros);
        (ran < exempt).then_some(BatchRule::Exempt { ran, exempt })
    }
}
