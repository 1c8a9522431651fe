//! What partitions, qualities of service and users may.

use super::{PriorityRule, has};
use crate::job::Job;
use dfrsim_model::priority::{JobClass, Priorities};
use std::collections::BTreeMap;

/// The places of the classes of a job: first those of qualities of service, then those of partitions.
type Classes = Vec<usize>;

/// Follows who runs what.
#[derive(Debug)]
pub(crate) struct Limits {
    qos: usize,
    classes: Vec<JobClass>,
    per_user: Option<u32>,
    /// By running job: its classes, its user, its nodes.
    running: BTreeMap<u64, (Classes, Option<u32>, u32)>,
    nodes: Vec<u32>,
    /// By class, or none for all of them, and user.
    jobs: BTreeMap<(Option<usize>, u32), u32>,
}

impl Limits {
    pub(crate) fn new(settings: &Priorities) -> Limits {
        let classes: Vec<JobClass> = settings.qos.iter().chain(&settings.partitions).cloned().collect();
        Limits {
            qos: settings.qos.len(),
            per_user: settings.max_running_per_user,
            running: BTreeMap::new(),
            nodes: vec![0; classes.len()],
            jobs: BTreeMap::new(),
            classes,
        }
    }

    /// The first quality of service and the first partition that have the job.
    pub(crate) fn classes_of(&self, job: &Job) -> Classes {
        let first = |from: usize, to: usize| (from..to).find(|&at| has(&self.classes[at], job));
        first(0, self.qos).into_iter().chain(first(self.qos, self.classes.len())).collect()
    }

    /// The class by which a job can never run.
    pub(crate) fn never(&self, classes: &[usize], job: &Job) -> Option<&JobClass> {
        classes.iter().map(|&at| &self.classes[at]).find(|class| {
            let is_wide = [class.max_nodes, class.total_nodes].into_iter().flatten().any(|it| job.tasks > it);
            let is_long = class.max_time_s.is_some_and(|it| job.estimate > it.saturating_mul(1_000_000));
            is_wide || is_long
        })
    }

    /// The limit that a start breaks.
    pub(crate) fn broken(&self, classes: &[usize], user: Option<u32>, width: u32) -> Option<PriorityRule> {
        for &at in classes {
            let JobClass { name, total_nodes, .. } = &self.classes[at];
            let used = self.nodes[at];
            if let Some(total) =
                total_nodes.filter(|&total| u64::from(used) + u64::from(width) > total.into())
            {
                return Some(PriorityRule::NodesOfClass { width, used, class: name.clone(), total });
            }
        }
        let all = (None, self.per_user, String::new());
        let of = |&at: &usize| {
            let class = &self.classes[at];
            (Some(at), class.max_running_per_user, format!(" of `{}`", class.name))
        };
        classes.iter().map(of).chain([all]).find_map(|(at, most, of)| {
            let running = self.jobs.get(&(at, user?)).copied().unwrap_or(0);
            let most = most.filter(|&most| running >= most)?;
            Some(PriorityRule::JobsOfUser { running, of, most })
        })
    }

    /// A job starts; the limit that it breaks.
    pub(crate) fn start(&mut self, number: u64, job: &Job) -> Option<PriorityRule> {
        let classes = self.classes_of(job);
        let never = self.never(&classes, job).map(|it| PriorityRule::NotForClass { class: it.name.clone() });
        let rule = never.or_else(|| self.broken(&classes, job.user, job.tasks));
        self.take(number, classes, job.user, job.tasks);
        rule
    }

    /// Counts a job that starts.
    pub(crate) fn take(&mut self, number: u64, classes: Classes, user: Option<u32>, width: u32) {
        classes.iter().for_each(|&at| self.nodes[at] = self.nodes[at].saturating_add(width));
        for at in classes.iter().copied().map(Some).chain([None]) {
            if let Some(user) = user {
                *self.jobs.entry((at, user)).or_default() += 1;
            }
        }
        self.running.insert(number, (classes, user, width));
    }

    /// A job that may run ends.
    pub(crate) fn end(&mut self, number: u64) {
        let Some((classes, user, width)) = self.running.remove(&number) else { return };
        classes.iter().for_each(|&at| self.nodes[at] = self.nodes[at].saturating_sub(width));
        for at in classes.into_iter().map(Some).chain([None]) {
            if let Some(jobs) = user.and_then(|user| self.jobs.get_mut(&(at, user))) {
                *jobs -= 1;
            }
        }
    }
}
