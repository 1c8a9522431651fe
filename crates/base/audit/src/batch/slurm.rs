//! SLURM: who looks at a moment, and which jobs they try.

use super::queue::Waiting;
use super::state::BatchCheck;
use super::timers::{Timers, micros};
use crate::priority::Site;
use dfrsim_model::priority::Priorities;
use std::collections::{BTreeMap, BTreeSet};

/// Who looks at the queue in a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// A policy that looks whenever something happens.
    Every,
    /// The main scheduler, at the whole queue or not.
    Main {
        whole: bool,
    },
    Backfill,
    /// Neither of them, though it is SLURM.
    Neither,
}

impl BatchCheck {
    /// Something has happened by this moment, which SLURM sees from the next second on.
    pub(super) fn note_change(&mut self, now: u64, has_other: bool) {
        let Some(site) = &self.site else { return };
        let Priorities { main: of_main, backfill: of_backfill, .. } = &site.settings;
        let Timers { main, backfill, is_changed, awaits_whole, .. } = &mut self.timers;
        if std::mem::take(is_changed) || has_other {
            *awaits_whole = true;
            main.change(now, micros(of_main.delay_s));
            backfill.change(now, micros(of_backfill.interval_s));
        }
    }
    /// Who looks at a moment, one after the other.
    pub(super) fn looks(&mut self, now: u64) -> Vec<Look> {
        let Some(site) = &self.site else { return Vec::new() };
        let Priorities { main, backfill, weights, calc_period_s, .. } = &site.settings;
        let [delay, whole, interval, period] =
            [main.delay_s, main.interval_s, backfill.interval_s, *calc_period_s].map(micros);
        let Timers { main, backfill, ranked, awaits_whole, .. } = &mut self.timers;
        let ranks = now - now % period;
        if ranks > *ranked && (weights.age > 0 || weights.fair_share > 0) {
            *ranked = ranks;
            backfill.change(now, interval);
        }
        if main.last < now - now % whole {
            main.looked(now - now % whole);
        }
        let mut looks = Vec::new();
        let is_whole = now.is_multiple_of(whole);
        if main.looks(now, delay) || is_whole {
            main.looked(now);
            *awaits_whole &= !is_whole;
            looks.push(Look::Main { whole: is_whole });
        }
        looks
    }
    /// Whether backfilling looks as well, once the main scheduler has.
    pub(super) fn backfills(&mut self, now: u64, has_started: bool) -> bool {
        let Some(site) = &self.site else { return false };
        let interval = micros(site.settings.backfill.interval_s);
        let backfill = &mut self.timers.backfill;
        if has_started {
            backfill.change(now, interval);
        }
        let is_due = backfill.looks(now, interval);
        if is_due {
            backfill.looked(now);
        }
        is_due
    }
    /// The next moment at which one of them looks, or at which priorities change before the next pass of backfilling.
    pub(super) fn next_look(&self, now: u64, site: &Site) -> Option<u64> {
        let Priorities { main, backfill, weights, calc_period_s, .. } = &site.settings;
        let [delay, whole, interval, period] =
            [main.delay_s, main.interval_s, backfill.interval_s, *calc_period_s].map(micros);
        let behind = |moment: u64, step: u64| (moment / step + 1).saturating_mul(step);
        let planned = self.timers.backfill.last.saturating_add(interval);
        let ranked = behind(now.max(planned.saturating_sub(1)), period);
        let ranked = (weights.age > 0 || weights.fair_share > 0).then_some(ranked);
        let due = [self.timers.main.due(delay), self.timers.backfill.due(interval)];
        // A second look at the whole queue starts no job unless something has happened.
        let is_of_use = self.timers.awaits_whole
            || ranked.is_some()
            || self.policy.order.depends_on_time()
            || site.delays(now).next().is_some()
            || site.settings.have_limits();
        let whole = is_of_use.then(|| behind(now, whole));
        let all = due.into_iter().chain([ranked, whole]).flatten();
        all.map(|due| due.max(now.saturating_add(1))).min()
    }
}

/// What a pass has tried.
#[derive(Clone, Debug, Default)]
pub(super) struct Trials {
    /// The partitions of jobs that had no room.
    stopped: BTreeSet<Option<usize>>,
    /// The kinds of nodes on which no further job starts.
    closed: BTreeSet<usize>,
    partitions: BTreeMap<Option<usize>, u32>,
    users: BTreeMap<u32, u32>,
    /// The groups that start together of which a job was tried.
    pub(super) groups: BTreeSet<usize>,
    /// How many more are tried.
    left: u32,
    is_over: bool,
}

impl Trials {
    pub(super) fn new(settings: &Priorities, look: Look) -> Trials {
        let left = match look {
            Look::Main { whole: false } => settings.main.depth,
            Look::Backfill => settings.backfill.max_job_test.unwrap_or(u32::MAX),
            _ => u32::MAX,
        };
        Trials { left, ..Trials::default() }
    }
    /// Why the job is not tried, in words; it counts as tried if it is.
    pub(super) fn refuses(
        &mut self,
        settings: &Priorities,
        look: Look,
        of: (Option<usize>, Option<u32>),
    ) -> Option<String> {
        if self.left == 0 || self.is_over {
            return Some("it starts behind the last job that is tried".to_owned());
        }
        let (of_partition, of_user) = match look {
            Look::Main { .. } => (settings.main.depth_per_partition, None),
            Look::Backfill => (settings.backfill.max_job_part, settings.backfill.max_job_user),
            _ => (None, None),
        };
        let partition = self.partitions.entry(of.0).or_default();
        *partition += 1;
        let mut is_deep = of_partition.is_some_and(|most| *partition > most);
        if let Some(user) = of.1 {
            let user = self.users.entry(user).or_default();
            *user += 1;
            is_deep |= of_user.is_some_and(|most| *user > most);
        }
        if is_deep {
            return Some(
                "it starts behind as many jobs of its partition or its user as are tried".to_owned(),
            );
        }
        self.left -= 1;
        let is_stopped = self.stopped.contains(&of.0);
        is_stopped.then(|| "it starts behind a job of its partition that has no room".to_owned())
    }
    /// The job, which no node that is closed fits.
    pub(super) fn narrowed(&self, job: &Waiting) -> Waiting {
        let fits = job.fits.iter().enumerate().map(|(kind, fits)| *fits && !self.closed.contains(&kind));
        Waiting { fits: fits.collect(), ..job.clone() }
    }
    /// A job has no room: no other of its partition starts, nor any on nodes that it could have.
    pub(super) fn stop(&mut self, job: &Waiting, partition: Option<usize>) {
        self.stopped.insert(partition);
        self.closed.extend((0..job.fits.len()).filter(|&kind| job.fits[kind]));
        self.is_over = self.closed.len() == job.fits.len();
    }
}
