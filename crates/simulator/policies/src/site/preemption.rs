//! Which running jobs make room for a waiting one.
//!
//! A waiting job whose class (its quality of service, or its partition) has a list of others can take the nodes of their running jobs, if
//! they have run for their exempt time and it starts on these nodes at once, without delaying what is planned for the jobs before it.
//! They are taken in the order of the list, of each class the one first that started last (then the one that was submitted last),
//! until it can start; then each of them, in the opposite order, is spared if it can start without it.

use super::limits::Membership;
use dfrsim_cluster::JobHandle;
use dfrsim_model::priority::{JobClass, PreemptMode, Priorities};
use dfrsim_model::{SimSpan, SimTime};
use std::cmp::Reverse;

/// What the settings say of it.
#[derive(Debug)]
pub(super) struct Preemption {
    is_by_qos: bool,
    /// By class; empty if none preempts another one.
    rules: Vec<ClassRule>,
}

#[derive(Debug)]
struct ClassRule {
    /// The classes that its jobs preempt, the first ones first.
    preempts: Vec<usize>,
    mode: PreemptMode,
    exempt: SimSpan,
    grace: SimSpan,
    /// 0 if they preempt none; otherwise one more than the highest of those that they preempt.
    level: u16,
}

/// A running job, and since when it runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Preemptable<'a> {
    pub(super) job: JobHandle,
    pub(super) since: SimTime,
    pub(super) sequence: u64,
    pub(super) membership: &'a Membership,
}

impl Preemption {
    pub(super) fn new(settings: &Priorities) -> Preemption {
        let classes = settings.preempting().unwrap_or_default();
        let place = |name: &String| classes.iter().position(|class| class.name == *name);
        let rule = |class: &JobClass| ClassRule {
            preempts: class.preempt.iter().filter_map(place).collect(),
            mode: class.preempt_mode.unwrap_or(settings.preempt_mode),
            exempt: SimSpan::from_secs(class.preempt_exempt_time_s.unwrap_or(settings.preempt_exempt_time_s)),
            grace: SimSpan::from_secs(class.grace_s.unwrap_or(0)),
            level: 0,
        };
        let is_by_qos = settings.qos.iter().any(|class| !class.preempt.is_empty());
        let mut rules: Vec<ClassRule> = classes.iter().map(rule).collect();
        // No class preempts itself, not even by way of others, so this ends.
        while let Some((class, level)) = (0..rules.len()).find_map(|class| {
            let below = rules[class].preempts.iter().map(|&other| rules[other].level + 1).max()?;
            (below > rules[class].level).then_some((class, below))
        }) {
            rules[class].level = level;
        }
        Preemption { is_by_qos, rules }
    }

    /// Whether any class preempts another one.
    pub(super) fn is_any(&self) -> bool {
        !self.rules.is_empty()
    }

    /// How far the class of a job is above others.
    pub(super) fn level(&self, job: &Membership) -> u16 {
        self.class(job).map_or(0, |class| self.rules[class].level)
    }

    /// Whether the class of a job preempts others.
    pub(super) fn may_preempt(&self, job: &Membership) -> bool {
        !self.preempts(job).is_empty()
    }

    fn class(&self, job: &Membership) -> Option<usize> {
        if self.is_by_qos { job.qos } else { job.partition.filter(|_| self.is_any()) }
    }

    /// Of a waiting job: the classes that it preempts.
    fn preempts(&self, job: &Membership) -> &[usize] {
        self.class(job).map_or(&[], |class| &self.rules[class].preempts)
    }

    /// What happens to a job that makes room.
    pub(super) fn mode(&self, job: &Membership) -> PreemptMode {
        self.class(job).map_or(PreemptMode::Off, |class| self.rules[class].mode)
    }

    /// How long a job that makes room keeps its nodes. One that keeps its work goes at once.
    pub(super) fn grace(&self, job: &Membership) -> SimSpan {
        let class = self.class(job).map(|class| &self.rules[class]);
        class.filter(|class| class.mode != PreemptMode::Suspend).map_or(SimSpan::ZERO, |class| class.grace)
    }

    /// From when on a running job may have to make room.
    fn exempt_until(&self, job: &Preemptable<'_>) -> SimTime {
        let exempt = self.class(job.membership).map_or(SimSpan::ZERO, |class| self.rules[class].exempt);
        job.since.saturating_add(exempt)
    }

    /// The running jobs that may have to make room for one, in the order in which they do.
    pub(super) fn candidates<'a>(
        &self,
        now: SimTime,
        job: &Membership,
        running: impl Iterator<Item = Preemptable<'a>>,
    ) -> Vec<JobHandle> {
        let preempts = self.preempts(job);
        if preempts.is_empty() {
            return Vec::new();
        }
        let place = |other: &Preemptable<'_>| {
            let class = self.class(other.membership)?;
            preempts.iter().position(|&preempted| preempted == class)
        };
        // One that starts at this very moment stays.
        let may = |other: &Preemptable<'_>| {
            let is_exempt = other.since >= now || self.exempt_until(other) > now;
            !is_exempt && self.mode(other.membership) != PreemptMode::Off
        };
        let mut found: Vec<_> =
            running.filter(may).filter_map(|other| Some((place(&other)?, other))).collect();
        found.sort_unstable_by_key(|(place, other)| (*place, Reverse(other.since), Reverse(other.sequence)));
        found.into_iter().map(|(_, other)| other.job).collect()
    }

    /// The next moment at which a running job may have to make room for one of those that wait.
    pub(super) fn next_candidate<'a>(
        &self,
        now: SimTime,
        waiting: impl Iterator<Item = &'a Membership>,
        running: impl Iterator<Item = Preemptable<'a>>,
    ) -> Option<SimTime> {
        if self.rules.iter().all(|rule| rule.exempt.is_zero()) {
            return None;
        }
        let mut is_wanted = vec![false; self.rules.len()];
        waiting.for_each(|job| self.preempts(job).iter().for_each(|&class| is_wanted[class] = true));
        let of_wanted = running.filter(|job| {
            self.class(job.membership).is_some_and(|class| is_wanted[class])
                && self.mode(job.membership) != PreemptMode::Off
        });
        of_wanted.map(|job| self.exempt_until(&job)).filter(|&moment| moment > now).min()
    }
}

/// Returns the jobs of a list that have to leave, if it is enough that all do: as few from its beginning as suffice, of these without those
/// that need not.
pub(crate) fn needed<T: Copy>(jobs: &[T], mut suffices: impl FnMut(&[T]) -> bool) -> Option<Vec<T>> {
    if jobs.is_empty() || !suffices(jobs) {
        return None;
    }
    let enough = (1..jobs.len()).find(|&enough| suffices(&jobs[..enough])).unwrap_or(jobs.len());
    let mut chosen = jobs[..enough].to_vec();
    // The last one is needed.
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
    use super::needed;
    use proptest::prelude::*;

    /// To have 8 nodes, the jobs of 2 and 4 are spared if one of 8 has to go anyway.
    #[test]
    fn no_more_leave_than_needed() {
        let of = |widths: &[u32], least| needed(widths, |some| some.iter().sum::<u32>() >= least);
        assert_eq!(of(&[2, 4, 8], 8), Some(vec![8]));
        assert_eq!(of(&[2, 4, 8], 9), Some(vec![2, 8]));
        assert_eq!(of(&[2, 4, 8], 6), Some(vec![2, 4]));
        assert_eq!(of(&[2, 4, 8], 15), None);
        assert_eq!(of(&[], 1), None);
    }

    proptest! {
        /// The slow way: one more until it is enough, then all others that can be spared.
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
            prop_assert_eq!(needed(&widths, suffices), expected.clone());
            for at in 0..expected.as_ref().map_or(0, Vec::len) {
                let mut without = expected.clone().unwrap();
                without.remove(at);
                prop_assert!(!suffices(&without));
            }
        }
    }
}
