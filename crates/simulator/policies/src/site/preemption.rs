//! Selection of running jobs to preempt for a waiting one.
//!
//! A waiting job whose class (its QOS or its partition) may preempt others can take the nodes of
//! their running jobs, if these have run for their exempt time and the job then starts at once,
//! without delaying the reservations of the jobs before it. Victims are selected in the order of the
//! list of classes, and within a class by latest start (then latest submission), until the job can
//! start. Then each victim, in reverse order, is spared if the job can start without its preemption.
//!
//! In Slurm's orders, victims are selected by the tier of their partition or the priority of their
//! QOS, then by the number of their nodes, then by submission; or the latest start comes first
//! (`preempt_youngest_first` in <https://slurm.schedmd.com/slurm.conf.html>). Batch policies then
//! [reorder](select_in_passes) them, where tasks share nodes.

use super::limits::Membership;
use dfrsim_cluster::JobHandle;
use dfrsim_model::site::{JobClass, PreemptMode, SiteSettings, VictimOrder};
use dfrsim_model::{SimSpan, SimTime};
use std::cmp::Reverse;

/// Preemption rules in the settings.
#[derive(Debug)]
pub(super) struct PreemptionRules {
    is_by_qos: bool,
    order: VictimOrder,
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
    /// Tier of the partition or priority of the QOS, by which Slurm orders victims.
    rank: u32,
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
    /// Number of its tasks, each of which counts as a node.
    pub(super) nodes: u64,
    pub(super) membership: &'a Membership,
}

impl PreemptionRules {
    pub(super) fn new(settings: &SiteSettings) -> PreemptionRules {
        let classes = settings.preempting_classes().unwrap_or_default();
        let place = |name: &String| classes.iter().position(|class| class.name == *name);
        let is_by_qos = settings.qos.iter().any(|class| !class.preempt.is_empty());
        let rule = |class: &JobClass| ClassRule {
            rank: if is_by_qos { class.priority.min(LARGEST_RANK) } else { class.tier() },
            preempts: class.preempt.iter().filter_map(place).collect(),
            mode: class.preempt_mode.unwrap_or(settings.preempt_mode),
            exempt_time: SimSpan::from_secs(
                class.preempt_exempt_time_s.unwrap_or(settings.preempt_exempt_time_s),
            ),
            grace_period: SimSpan::from_secs(class.grace_s.unwrap_or(0)),
            level: 0,
        };
        let mut rules: Vec<ClassRule> = classes.iter().map(rule).collect();
        // Terminates because no class preempts itself, even indirectly.
        while let Some((class, level)) = (0..rules.len()).find_map(|class| {
            let below = rules[class].preempts.iter().map(|&other| rules[other].level + 1).max()?;
            (below > rules[class].level).then_some((class, below))
        }) {
            rules[class].level = level;
        }
        PreemptionRules { is_by_qos, order: settings.victims, rules }
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
        match self.order {
            VictimOrder::Youngest => {
                found.sort_by_key(|(place, it)| (*place, Reverse(it.start), Reverse(it.sequence)));
            }
            VictimOrder::Smallest => found.sort_by_key(|(_, it)| {
                let rank = self.class(it.membership).map_or(0, |class| self.rules[class].rank);
                (rank, it.nodes.min(LARGEST_RANK.into()), it.sequence)
            }),
            VictimOrder::SlurmYoungest => found.sort_by_key(|(_, it)| (Reverse(it.start), it.sequence)),
        }
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

/// Largest priority of a QOS, and largest number of nodes, by which Slurm orders victims.
const LARGEST_RANK: u32 = 0xffff;

/// Selects jobs to preempt in Slurm's passes, provided that preempting all of them suffices. Each pass
/// finds the shortest sufficient prefix of the list. Its last job then comes first, and is followed by
/// the others of the prefix that have nodes of the slot which was found, those with most of them
/// first (`preempt_reorder_count`), or by all others in their order (`preempt_strict_order`). The
/// prefix of the last pass is selected, without jobs that have no such node.
///
/// `find` returns a slot if preempting some jobs suffices, and `overlap` the number of nodes of a job
/// in a slot.
pub(crate) fn select_in_passes<T: Copy, S>(
    jobs: &[T],
    (reorders, is_strict): (u32, bool),
    mut find: impl FnMut(&[T]) -> Option<S>,
    overlap: impl Fn(T, &S) -> usize,
) -> Option<Vec<T>> {
    let mut jobs = jobs.to_vec();
    let mut passes = 0_usize;
    loop {
        let (count, slot) = (1..=jobs.len()).find_map(|count| Some((count, find(&jobs[..count])?)))?;
        passes += 1;
        if passes > reorders as usize + 1 || jobs.len() <= passes {
            jobs.truncate(count);
            jobs.retain(|&job| overlap(job, &slot) > 0);
            return Some(jobs);
        }
        jobs[..count].rotate_right(1);
        if !is_strict {
            let overlaps = |&job: &T| Reverse(overlap(job, &slot));
            jobs[1..count].sort_by_cached_key(overlaps);
        }
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
    use super::{select_in_passes, select_victims};
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

    /// For 8 nodes all jobs are needed in the first pass, and the one with 8 alone in the others. For
    /// 9 nodes the job with 2 follows it, but it has no node of the slot and is spared.
    #[test]
    fn passes_find_fewer_jobs() {
        let enough = |least: u32| move |some: &[u32]| (some.iter().sum::<u32>() >= least).then_some(());
        let passes =
            |reorders, least| select_in_passes(&[2, 4, 8], (reorders, false), enough(least), |_, ()| 1);
        assert_eq!([passes(0, 8), passes(1, 8), passes(1, 15)], [Some(vec![8]), Some(vec![8]), None]);
        let spared = select_in_passes(&[2, 4, 8], (0, true), enough(9), |job, ()| usize::from(job != 2));
        assert_eq!(spared, Some(vec![8]));
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
