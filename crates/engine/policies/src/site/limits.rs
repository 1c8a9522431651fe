//! The limits of partitions, qualities of service and users.

use dfrsim_model::priority::{JobClass, Priorities};
use dfrsim_model::{Origin, SimSpan, UserId};
use std::collections::BTreeMap;

/// The classes of a job, by their places in the settings, and whose it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Membership {
    pub(super) qos: Option<usize>,
    pub(super) partition: Option<usize>,
    pub(super) user: Option<u32>,
}

impl Membership {
    pub(super) fn new(settings: &Priorities, user: Option<UserId>, origin: Origin) -> Membership {
        let user = user.map(UserId::number);
        let place = |classes: &[JobClass]| classes.iter().position(|class| class.has(user, origin));
        Membership { qos: place(&settings.qos), partition: place(&settings.partitions), user }
    }

    /// The classes, each with a number of its own.
    fn classes<'a>(&self, settings: &'a Priorities) -> impl Iterator<Item = (usize, &'a JobClass)> {
        let qos = self.qos.map(|at| (at, &settings.qos[at]));
        let partition = self.partition.map(|at| (settings.qos.len() + at, &settings.partitions[at]));
        qos.into_iter().chain(partition)
    }

    /// Whether a job could ever run.
    pub(super) fn admits(&self, settings: &Priorities, width: u32, estimate: SimSpan) -> bool {
        self.classes(settings).all(|(_, class)| {
            let most = class.max_nodes.into_iter().chain(class.total_nodes).min();
            let longest = class.max_time_s.map(SimSpan::from_secs);
            most.is_none_or(|most| width <= most) && longest.is_none_or(|longest| estimate <= longest)
        })
    }
}

/// What limits depend on: who runs what. Where there are none, jobs are not counted.
#[derive(Debug)]
pub(super) struct InUse {
    has_limits: bool,
    /// By class: nodes.
    nodes: Vec<u32>,
    /// By class, or one more than the last class for all of them, and user: running jobs.
    jobs: BTreeMap<(usize, u32), u32>,
}

impl InUse {
    pub(super) fn new(settings: &Priorities) -> InUse {
        let classes = settings.qos.len() + settings.partitions.len();
        InUse { has_limits: settings.have_limits(), nodes: vec![0; classes], jobs: BTreeMap::new() }
    }

    /// Whether a limit holds the job back for now. Jobs of no known user have no limit by user.
    pub(super) fn holds(&self, settings: &Priorities, job: &Membership, width: u32) -> bool {
        if !self.has_limits {
            return false;
        }
        let all = (self.nodes.len(), settings.max_running_per_user);
        let of_classes = job.classes(settings).map(|(class, it)| (class, it.max_running_per_user));
        let user_has_most = job.user.is_some_and(|user| {
            of_classes.chain([all]).any(|(class, most)| {
                most.is_some_and(|most| self.jobs.get(&(class, user)).is_some_and(|&jobs| jobs >= most))
            })
        });
        user_has_most
            || job.classes(settings).any(|(class, it)| {
                it.total_nodes.is_some_and(|total| self.nodes[class].saturating_add(width) > total)
            })
    }

    pub(super) fn start(&mut self, settings: &Priorities, job: &Membership, width: u32) {
        self.each(settings, job, |nodes| *nodes += width, |jobs| *jobs += 1);
    }

    pub(super) fn end(&mut self, settings: &Priorities, job: &Membership, width: u32) {
        self.each(settings, job, |nodes| *nodes -= width, |jobs| *jobs -= 1);
    }

    fn each(
        &mut self,
        settings: &Priorities,
        job: &Membership,
        nodes: impl Fn(&mut u32),
        jobs: impl Fn(&mut u32),
    ) {
        if !self.has_limits {
            return;
        }
        let all = self.nodes.len();
        job.classes(settings).for_each(|(class, _)| nodes(&mut self.nodes[class]));
        if let Some(user) = job.user {
            let classes = job.classes(settings).map(|(class, _)| class).chain([all]);
            classes.for_each(|class| jobs(self.jobs.entry((class, user)).or_default()));
        }
    }
}
