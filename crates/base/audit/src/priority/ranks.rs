//! What the classes of a job say of its rank, and of who gives way to whom.

use super::{ONE, fraction};
use dfrsim_model::priority::{JobClass, PreemptMode, Priorities};
use std::ops::Range;

/// The settings of a site that do not change.
#[derive(Debug)]
pub(crate) struct Ranks {
    pub(crate) settings: Priorities,
    /// Qualities of service, then partitions.
    pub(crate) classes: Vec<JobClass>,
    /// Those of the kind of which some preempt others.
    pub(crate) preempting: Range<usize>,
    nodes: u32,
}

impl Ranks {
    pub(crate) fn new(settings: &Priorities, nodes: u32) -> Ranks {
        let qos = settings.qos.len();
        let classes: Vec<JobClass> = settings.qos.iter().chain(&settings.partitions).cloned().collect();
        let preempts = |range: &Range<usize>| classes[range.clone()].iter().any(|it| !it.preempt.is_empty());
        let preempting = [0..qos, qos..classes.len()].into_iter().find(preempts).unwrap_or(0..0);
        Ranks { settings: settings.clone(), classes, preempting, nodes }
    }

    /// The weighted factors of a job that do not change.
    pub(crate) fn fixed(&self, classes: &[usize], tasks: u32) -> u128 {
        let (weights, qos) = (self.settings.weights, self.settings.qos.len());
        let width = fraction(tasks.into(), self.nodes.into()).min(ONE);
        let size = if self.settings.favor_small { ONE - width } else { width };
        let factor = |of: Range<usize>| {
            let priority = |at: usize| u128::from(self.classes[at].priority);
            let own = classes.iter().find(|at| of.contains(at)).map_or(0, |&at| priority(at));
            fraction(own, of.map(priority).max().unwrap_or(0))
        };
        // The tier of its partition is before all of it: a priority has fewer than 40 bits.
        let tier = classes.iter().find(|&&at| at >= qos).map_or(1, |&at| self.classes[at].tier());
        (u128::from(tier) << 40) * ONE
            + u128::from(weights.size) * size
            + u128::from(weights.qos) * factor(0..qos)
            + u128::from(weights.partition) * factor(qos..self.classes.len())
    }
    /// The priority of a job that has waited so long, in microseconds.
    pub(crate) fn priority(&self, fixed: u128, waited: u64, fair_share: u128) -> u128 {
        let most = u128::from(self.settings.max_age_s) * 1_000_000;
        let age = fraction(u128::from(waited).min(most), most);
        let weights = self.settings.weights;
        (fixed + u128::from(weights.age) * age + u128::from(weights.fair_share) * fair_share) / ONE
    }

    /// Whether jobs of some classes make others leave their nodes.
    pub(crate) fn preempts(&self) -> bool {
        !self.preempting.is_empty()
    }
    /// The class of a job that counts for that.
    pub(crate) fn class(&self, classes: &[usize]) -> Option<&JobClass> {
        classes.iter().find(|at| self.preempting.contains(at)).map(|&at| &self.classes[at])
    }
    pub(crate) fn mode(&self, class: &JobClass) -> PreemptMode {
        class.preempt_mode.unwrap_or(self.settings.preempt_mode)
    }
    /// How long jobs of a class need not leave, in microseconds.
    pub(crate) fn exempt(&self, class: &JobClass) -> u64 {
        let seconds = class.preempt_exempt_time_s.unwrap_or(self.settings.preempt_exempt_time_s);
        seconds.saturating_mul(1_000_000)
    }
    /// The place of a running job's class in the list of those that make room for a job.
    pub(crate) fn place(&self, job: &[usize], other: &[usize]) -> Option<usize> {
        let class = self.class(other).filter(|class| self.mode(class) != PreemptMode::Off)?;
        self.class(job)?.preempt.iter().position(|name| *name == class.name)
    }
}
