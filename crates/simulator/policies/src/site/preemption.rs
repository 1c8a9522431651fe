//! Selection of running jobs to preempt for a waiting one.
//!
//! A waiting job whose class (its QOS or its partition) may preempt others can take the nodes of
//! their running jobs, if these have run for their exempt time and the job then starts at once,
//! without delaying the reservations of the jobs before it. Victims are selected in the order of the
//! list of classes, and within a class by latest start (then latest submission), until the job can
//! start. Then each victim, in reverse order, is spared if the job can start without its preemption.

use super::limits::Membership;
use dfrsim_cluster::JobHandle;
use dfrsim_model::site::{JobClass, PreemptMode, SiteSettings};
use dfrsim_model::{SimSpan, SimTime};
use std::cmp::Reverse;

/// Preemption rules in the settings.
#[derive(Debug)]
pub(super) struct PreemptionRules {
    is_by_qos: bool,
    /// Rules by class; empty if no class preempts another.
    rules: Vec<ClassRule>,
}

#[derive(Debug)]
struct ClassRule {
    /// Classes that its jobs may preempt, in order of selection.
    preempts: Vec<usize>,
    mode: PreemptMode,
    exempt_time: SimSpan,
    grace_period: SimSpan,
    /// Preemption level: 0 if the class preempts no other; otherwise one more than the highest level
    /// of those that it preempts.
    level: u16,
}

/// A running job and its start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Preemptible<'a> {
    pub(super) job: JobHandle,
    pub(super) start: SimTime,
    pub(super) sequence: u64,
    pub(super) membership: &'a Membership,
}

impl PreemptionRules {
    pub(super) fn new(settings: &SiteSettings) -> PreemptionRules {
        let classes = settings.preempting_classes().unwrap_or_default();
        let place = |name: &String| classes.iter().position(|class| class.name == *name);
        let rule = |class: &JobClass| ClassRule {
            preempts: class.preempt.iter().filter_map(place).collect(),
            mode: class.preempt_mode.unwrap_or(settings.preempt_mode),
            exempt_time: SimSpan::from_secs(
                class.preempt_exempt_time_s.unwrap_or(settings.preempt_exempt_time_s),
            ),
            grace_period: SimSpan::from_secs(class.grace_s.unwrap_or(0)),
            level: 0,
        };
        let is_by_qos = settings.qos.iter().any(|class| !class.preempt.is_empty());
        let mut rules: Vec<ClassRule> = classes.iter().map(rule).collect();
        // Terminates because no class preempts itself, even indirectly.
        while let Some((class, level)) = (0..rules.len()).find_map(|class| {
            let below = rules[class].preempts.iter().map(|&other| rules[other].level + 1).max()?;
            (below > rules[class].level).then_some((class, below))
        }) {
            rules[class].level = level;
        }
        PreemptionRules { is_by_qos, rules }
    }

    /// Returns whether any class preempts another.
    pub(super) fn is_enabled(&self) -> bool {
        !self.rules.is_empty()
    }

    /// Returns the preemption level of the job's class.
    pub(super) fn level(&self, job: &Membership) -> u16 {
        self.class(job).map_or(0, |class| self.rules[class].level)
    }

    /// Returns whether the job's class preempts any other.
    pub(super) fn may_preempt(&self, job: &Membership) -> bool {
        !self.preemptible_classes(job).is_empty()
    }

    fn class(&self, job: &Membership) -> Option<usize> {
        if self.is_by_qos { job.qos } else { job.partition.filter(|_| self.is_enabled()) }
    }

    /// Returns the classes that a job may preempt.
    fn preemptible_classes(&self, job: &Membership) -> &[usize] {
        self.class(job).map_or(&[], |class| &self.rules[class].preempts)
    }

    /// Returns the preemption mode of the job, as a victim.
    pub(super) fn mode(&self, job: &Membership) -> PreemptMode {
        self.class(job).map_or(PreemptMode::Off, |class| self.rules[class].mode)
    }

    /// Returns the grace period of the job, as a victim; zero for a suspended job, which keeps its
    /// work.
    pub(super) fn grace_period(&self, job: &Membership) -> SimSpan {
        let class = self.class(job).map(|class| &self.rules[class]);
        class
            .filter(|class| class.mode != PreemptMode::Suspend)
            .map_or(SimSpan::ZERO, |class| class.grace_period)
    }

    /// Returns the time from which a running job may be preempted.
    fn exempt_until(&self, job: &Preemptible<'_>) -> SimTime {
        let exempt = self.class(job.membership).map_or(SimSpan::ZERO, |class| self.rules[class].exempt_time);
        job.start.saturating_add(exempt)
    }

    /// Returns the running jobs that may be preempted for a job, in order of selection.
    pub(super) fn candidates<'a>(
        &self,
        now: SimTime,
        job: &Membership,
        running: impl Iterator<Item = Preemptible<'a>>,
    ) -> Vec<JobHandle> {
        let preempts = self.preemptible_classes(job);
        if preempts.is_empty() {
            return Vec::new();
        }
        let place = |other: &Preemptible<'_>| {
            let class = self.class(other.membership)?;
            preempts.iter().position(|&preempted| preempted == class)
        };
        // A job that starts now is not preempted.
        let may = |other: &Preemptible<'_>| {
            let is_exempt = other.start >= now || self.exempt_until(other) > now;
            !is_exempt && self.mode(other.membership) != PreemptMode::Off
        };
        let mut found: Vec<_> =
            running.filter(may).filter_map(|other| Some((place(&other)?, other))).collect();
        found.sort_unstable_by_key(|(place, other)| (*place, Reverse(other.start), Reverse(other.sequence)));
        found.into_iter().map(|(_, other)| other.job).collect()
    }

    /// Returns the next time at which a running job becomes preemptible for one of the waiting jobs.
    pub(super) fn next_candidate<'a>(
        &self,
        now: SimTime,
        waiting: impl Iterator<Item = &'a Membership>,
        running: impl Iterator<Item = Preemptible<'a>>,
    ) -> Option<SimTime> {
        if self.rules.iter().all(|rule| rule.exempt_time.is_zero()) {
            return None;
        }
        let mut is_wanted = vec![false; self.rules.len()];
        waiting
            .for_each(|job| self.preemptible_classes(job).iter().for_each(|&class| is_wanted[class] = true));
        let of_wanted = running.filter(|job| {
            self.class(job.membership).is_some_and(|class| is_wanted[class])
                && self.mode(job.membership) != PreemptMode::Off
        });
        of_wanted.map(|job| self.exempt_until(&job)).filter(|&moment| moment > now).min()
    }
}

/// Selects jobs to preempt, provided that preempting all of them suffices: the shortest sufficient
/// prefix of the list, without the jobs that turn out to be unnecessary.
pub(crate) fn select_victims<T: Copy>(jobs: &[T], mut suffices: impl FnMut(&[T]) -> bool) -> Option<Vec<T>> {
    if jobs.is_empty() || !suffices(jobs) {
        return None;
    }
    let enough = (1..jobs.len()).find(|&enough| suffices(&jobs[..enough])).unwrap_or(jobs.len());
    let mut chosen = jobs[..enough].to_vec();
    // The last one is always needed.
    for at in (0..enough - 1).rev() {
        let spared = chosen.remove(at);
        if !suffices(&chosen) {
            chosen.insert(at, spared);
        }
    }
    Some(chosen)
}

#[cfg(test)]
mod tests {
    use super::select_victims;
    use proptest::prelude::*;

    /// For 8 nodes, the jobs with 2 and 4 nodes are spared if one with 8 must be preempted anyway.
    #[test]
    fn no_more_leave_than_needed() {
        let of = |widths: &[u32], least| select_victims(widths, |some| some.iter().sum::<u32>() >= least);
        assert_eq!(of(&[2, 4, 8], 8), Some(vec![8]));
        assert_eq!(of(&[2, 4, 8], 9), Some(vec![2, 8]));
        assert_eq!(of(&[2, 4, 8], 6), Some(vec![2, 4]));
        assert_eq!(of(&[2, 4, 8], 15), None);
        assert_eq!(of(&[], 1), None);
    }

    proptest! {
        /// Reference implementation: adds one job at a time until they suffice, then removes all
        /// others that can be spared.
        #[test]
        fn those_that_leave_agree_with_the_slow_way(widths in prop::collection::vec(1_u32..9, 0..9), least in 1_u32..40) {
            let suffices = |some: &[u32]| some.iter().sum::<u32>() >= least;
            let mut slow = Vec::new();
            for &width in &widths {
                if !suffices(&slow) {
                    slow.push(width);
                }
            }
            let mut at = slow.len();
            while at > 0 {
                at -= 1;
                let without: Vec<u32> = (0..slow.len()).filter(|&it| it != at).map(|it| slow[it]).collect();
                if suffices(&without) {
                    slow = without;
                }
            }
            let expected = suffices(&widths).then_some(slow);
            prop_assert_eq!(select_victims(&widths, suffices), expected.clone());
            for at in 0..expected.as_ref().map_or(0, Vec::len) {
                let mut without = expected.clone().unwrap();
                without.remove(at);
                prop_assert!(!suffices(&without));
            }
        }
    }
}
