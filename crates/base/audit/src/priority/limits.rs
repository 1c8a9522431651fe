//! What partitions, qualities of service and users may have at once.

use super::has;
use crate::job::Job;
use dfrsim_model::priority::{JobClass, Priorities};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What limits count of a job.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    /// The places of its classes: first that of its quality of service, then that of its partition.
    pub(crate) classes: Vec<usize>,
    pub(crate) user: Option<u32>,
    pub(crate) tasks: u32,
}

/// The limits, and the jobs that run under them.
#[derive(Debug)]
pub(crate) struct Limits {
    qos: usize,
    /// Qualities of service, then partitions.
    pub(crate) classes: Arc<[JobClass]>,
    per_user: Option<u32>,
    running: BTreeMap<u64, Claim>,
    /// By class.
    nodes: BTreeMap<usize, u64>,
    /// By class, or none for all of them, and user.
    jobs: BTreeMap<(Option<usize>, u32), u32>,
}

impl Limits {
    pub(crate) fn new(settings: &Priorities) -> Limits {
        Limits {
            qos: settings.qos.len(),
            classes: settings.qos.iter().chain(&settings.partitions).cloned().collect(),
            per_user: settings.max_running_per_user,
            running: BTreeMap::new(),
            nodes: BTreeMap::new(),
            jobs: BTreeMap::new(),
        }
    }
    /// The same limits, without a job that runs.
    pub(super) fn emptied(&self) -> Limits {
        let (running, nodes, jobs) = Default::default();
        let classes = Arc::clone(&self.classes);
        Limits { qos: self.qos, classes, per_user: self.per_user, running, nodes, jobs }
    }

    /// What counts of a job: its classes are the first quality of service and the first partition that have it.
    pub(crate) fn claim(&self, job: &Job) -> Claim {
        let first = |from: usize, to: usize| (from..to).find(|&at| has(&self.classes[at], job));
        let classes = first(0, self.qos).into_iter().chain(first(self.qos, self.classes.len())).collect();
        Claim { classes, user: job.user, tasks: job.tasks }
    }
    /// The class by which a job can never run.
    pub(crate) fn never(&self, claim: &Claim, job: &Job) -> Option<&JobClass> {
        claim.classes.iter().map(|&at| &self.classes[at]).find(|class| {
            let is_wide = [class.max_nodes, class.total_nodes].into_iter().flatten().any(|it| job.tasks > it);
            let is_long = class.max_time_s.is_some_and(|it| job.estimate > it.saturating_mul(1_000_000));
            is_wide || is_long
        })
    }
    /// The limit that a start breaks, in words.
    pub(crate) fn broken(&self, claim: &Claim) -> Option<String> {
        let Claim { classes, user, tasks } = claim;
        let by_nodes = classes.iter().find_map(|&at| {
            let JobClass { name, total_nodes, .. } = &self.classes[at];
            let (used, total) = (self.nodes.get(&at).copied().unwrap_or(0), (*total_nodes)?);
            (used + u64::from(*tasks) > total.into()).then(|| {
                format!("it starts on {tasks} nodes beside {used} of `{name}`, which may have {total}")
            })
        });
        let of_class = |&at: &usize| {
            let JobClass { name, max_running_per_user, .. } = &self.classes[at];
            (Some(at), *max_running_per_user, format!(" of `{name}`"))
        };
        let all = (None, self.per_user, String::new());
        by_nodes.or_else(|| {
            classes.iter().map(of_class).chain([all]).find_map(|(at, most, of)| {
                let running = self.jobs.get(&(at, (*user)?)).copied().unwrap_or(0);
                let most = most.filter(|&most| running >= most)?;
                Some(format!(
                    "it starts, though its user runs {running} jobs already{of}, and may run {most}"
                ))
            })
        })
    }

    /// A job starts; the limit that it breaks, in words.
    pub(crate) fn start(&mut self, number: u64, job: &Job) -> Option<String> {
        let claim = self.claim(job);
        let too_large =
            |class: &JobClass| format!("it starts, though it is too wide or too long for `{}`", class.name);
        let broken = self.never(&claim, job).map(too_large).or_else(|| self.broken(&claim));
        self.take(number, claim);
        broken
    }
    /// Counts a job that starts.
    pub(super) fn take(&mut self, number: u64, claim: Claim) {
        for &at in &claim.classes {
            *self.nodes.entry(at).or_default() += u64::from(claim.tasks);
        }
        for (at, user) in places(&claim) {
            *self.jobs.entry((at, user)).or_default() += 1;
        }
        self.running.insert(number, claim);
    }
    /// A job that may run ends.
    pub(crate) fn end(&mut self, number: u64) {
        let Some(claim) = self.running.remove(&number) else { return };
        for at in &claim.classes {
            self.nodes.entry(*at).and_modify(|nodes| *nodes -= u64::from(claim.tasks));
        }
        for (at, user) in places(&claim) {
            self.jobs.entry((at, user)).and_modify(|jobs| *jobs -= 1);
        }
    }
}

/// Where a job is counted: in each of its classes and in all.
fn places(claim: &Claim) -> impl Iterator<Item = (Option<usize>, u32)> {
    let all = claim.classes.iter().copied().map(Some).chain([None]);
    all.filter_map(|at| Some((at, claim.user?)))
}
