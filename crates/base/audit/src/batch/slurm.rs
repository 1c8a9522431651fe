//! Scheduling cycles of SLURM, and the jobs that they try.

use super::queue::Waiting;
use super::state::BatchCheck;
use super::timers::{Timers, micros};
use crate::priority::PrioritySystem;
use dfrsim_model::site::SiteSettings;
use std::collections::{BTreeMap, BTreeSet};

/// Kind of scheduling cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CycleKind {
    /// Cycle of a policy that runs at every event.
    Every,
    /// Cycle of the main scheduler, over the whole queue or limited in depth.
    Main {
        whole: bool,
    },
    Backfill,
    /// SLURM outside of both cycles.
    Neither,
}

impl BatchCheck {
    /// Notes an event at this time, which SLURM sees from the next second on.
    pub(super) fn note_change(&mut self, now: u64, has_other: bool) {
        let Some(site) = &self.site else { return };
        let SiteSettings { main: of_main, backfill: of_backfill, .. } = &site.settings;
        let Timers { main, backfill, is_changed, awaits_whole, .. } = &mut self.timers;
        if std::mem::take(is_changed) || has_other {
            *awaits_whole = true;
            main.change(now, micros(of_main.delay_s));
            if !of_backfill.off {
                backfill.change(now, micros(of_backfill.interval_s));
            }
        }
    }
    /// Determines the cycles of the main scheduler that are due at this time.
    pub(super) fn main_cycles(&mut self, now: u64) -> Vec<CycleKind> {
        let Some(site) = &self.site else { return Vec::new() };
        let SiteSettings { main, backfill, weights, calc_period_s, .. } = &site.settings;
        let [delay, whole, interval, period] =
            [main.delay_s, main.interval_s, backfill.interval_s, *calc_period_s].map(micros);
        let is_backfilled = !backfill.off;
        let Timers { main, backfill, ranked, awaits_whole, .. } = &mut self.timers;
        let ranks = now - now % period;
        if ranks > *ranked && (weights.age > 0 || weights.fair_share > 0) {
            *ranked = ranks;
            if is_backfilled {
                backfill.change(now, interval);
            }
        }
        if main.last < now - now % whole {
            main.record_cycle(now - now % whole);
        }
        let mut looks = Vec::new();
        let is_whole = now.is_multiple_of(whole);
        if main.is_due(now, delay) || is_whole {
            main.record_cycle(now);
            *awaits_whole &= !is_whole;
            looks.push(CycleKind::Main { whole: is_whole });
        }
        looks
    }
    /// Returns whether a backfill cycle is due after the main cycle.
    pub(super) fn is_backfill_due(&mut self, now: u64, has_started: bool) -> bool {
        let Some(site) = &self.site else { return false };
        let interval = micros(site.settings.backfill.interval_s);
        let backfill = &mut self.timers.backfill;
        if has_started && !site.settings.backfill.off {
            backfill.change(now, interval);
        }
        let is_due = backfill.is_due(now, interval);
        if is_due {
            backfill.record_cycle(now);
        }
        is_due
    }
    /// Returns the time of the next cycle, or of the next change of priorities before the next
    /// backfill cycle.
    pub(super) fn next_cycle(&self, now: u64, site: &PrioritySystem) -> Option<u64> {
        let SiteSettings { main, backfill, weights, calc_period_s, .. } = &site.settings;
        let [delay, whole, interval, period] =
            [main.delay_s, main.interval_s, backfill.interval_s, *calc_period_s].map(micros);
        let behind = |moment: u64, step: u64| (moment / step + 1).saturating_mul(step);
        let planned = self.timers.backfill.last.saturating_add(interval);
        let ranked = behind(now.max(planned.saturating_sub(1)), period);
        let ranked = (weights.age > 0 || weights.fair_share > 0).then_some(ranked);
        let due = [self.timers.main.due(delay), self.timers.backfill.due(interval)];
        // A second cycle over the whole queue can start no job unless something has changed.
        let is_of_use = self.timers.awaits_whole
            || ranked.is_some()
            || self.policy.order.depends_on_time()
            || site.hold_off_ends(now).next().is_some()
            || site.settings.has_limits();
        let whole = is_of_use.then(|| behind(now, whole));
        let all = due.into_iter().chain([ranked, whole]).flatten();
        all.map(|due| due.max(now.saturating_add(1))).min()
    }
}

/// Jobs tried so far in a cycle.
#[derive(Clone, Debug, Default)]
pub(super) struct Trials {
    /// Partitions of jobs that did not fit.
    stopped: BTreeSet<Option<usize>>,
    /// Kinds of nodes on which no further job starts.
    closed: BTreeSet<usize>,
    partitions: BTreeMap<Option<usize>, u32>,
    users: BTreeMap<u32, u32>,
    /// Heterogeneous jobs of which a component was tried.
    pub(super) groups: BTreeSet<usize>,
    /// Number of further jobs to try.
    left: u32,
    is_over: bool,
}

impl Trials {
    pub(super) fn new(settings: &SiteSettings, look: CycleKind) -> Trials {
        let left = match look {
            CycleKind::Main { whole: false } => settings.main.depth,
            CycleKind::Backfill => settings.backfill.max_job_test.unwrap_or(u32::MAX),
            _ => u32::MAX,
        };
        Trials { left, ..Trials::default() }
    }
    /// Returns the reason if a job is not tried; otherwise counts it as tried.
    pub(super) fn refuses(
        &mut self,
        settings: &SiteSettings,
        look: CycleKind,
        of: (Option<usize>, Option<u32>),
    ) -> Option<String> {
        if self.left == 0 || self.is_over {
            return Some("it starts, although it is after the last job that is tried".to_owned());
        }
        let (of_partition, of_user) = match look {
            CycleKind::Main { .. } => (settings.main.depth_per_partition, None),
            CycleKind::Backfill => (settings.backfill.max_job_part, settings.backfill.max_job_user),
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
                "it starts, although the limit on tried jobs of its partition or its user is reached"
                    .to_owned(),
            );
        }
        self.left -= 1;
        let is_stopped = self.stopped.contains(&of.0);
        is_stopped.then(|| "it starts after a job of its partition that does not fit".to_owned())
    }
    /// Returns the job restricted to the kinds of nodes on which jobs may still start.
    pub(super) fn narrowed(&self, job: &Waiting) -> Waiting {
        let fits = job.fits.iter().enumerate().map(|(kind, fits)| *fits && !self.closed.contains(&kind));
        Waiting { fits: fits.collect(), ..job.clone() }
    }
    /// Ends the cycle.
    pub(super) fn end(&mut self) {
        self.is_over = true;
    }
    /// Handles a job that does not fit: no other job of its partition starts in this cycle, nor any
    /// job on nodes of this partition, which has these kinds.
    pub(super) fn stop(&mut self, kinds: &[bool], partition: Option<usize>) {
        self.stopped.insert(partition);
        self.closed.extend((0..kinds.len()).filter(|&kind| kinds[kind]));
        self.is_over = self.closed.len() == kinds.len();
    }
}
