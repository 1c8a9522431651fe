//! The mapping of tasks to nodes while a decision is being made.

use super::available::Available;
use super::nodes::{self, Nodes, Task, Wanted};
use super::pay::Penalties;
use super::priority::{Priority, Ranker};
use crate::site::Site;
use dfrsim_cluster::{Decision, JobHandle, JobState, NodeRange, Situation, View};
use dfrsim_model::priority::Priorities;
use dfrsim_model::{NodeTasks, Share, Yield};
use dfrsim_packing::shares::SharedJob;
use std::sync::Arc;

/// A job and where its tasks are, by the numbers of [`Available`].
pub(super) type Placed = (JobHandle, Vec<NodeRange>);

/// What a change of the platform does to jobs.
#[derive(Debug, Default)]
pub(super) struct Displaced {
    /// Whether the nodes are others than before.
    pub(super) are_other_nodes: bool,
    /// Whether jobs left their nodes.
    pub(super) is_interruption: bool,
    /// The jobs that wait, since they lost their nodes.
    pub(super) interrupted: Vec<JobHandle>,
    /// The jobs that have to leave theirs.
    pub(super) cut_off: Vec<JobHandle>,
}

/// Which tasks shall be where. Between decisions it is what the cluster has; parts of a policy change it in turn, and
/// only the net change becomes the decision.
#[derive(Debug)]
pub(super) struct Mapper {
    /// The nodes that jobs may be on; all others know these only, by their own numbers.
    pub(super) available: Available,
    pub(super) nodes: Box<dyn Nodes>,
    /// Its limits count the jobs that are on nodes here, its accounts those that the cluster has on nodes.
    pub(super) site: Option<Site>,
    priority: Priority,
    /// The state of the platform that the nodes follow; `None` before the first decision.
    platform_changes: Option<u64>,
    /// By handle; empty for jobs on no node.
    placements: Vec<Vec<NodeRange>>,
    /// By handle.
    pub(super) penalties: Vec<Penalties>,
    /// The jobs that run in the cluster or are on nodes here, by their place in the order of submission. There may be thousands
    /// of others in the system.
    involved: Vec<(u64, JobHandle)>,
    involvements: u64,
    /// How often a job came to nodes or left them, or asked them for something else.
    changes: u64,
}

impl Mapper {
    /// For a cluster of this many nodes, which are unknown until [`Mapper::follow`] is called.
    pub(super) fn new(nodes: u32, site: Option<&Arc<Priorities>>, priority: Priority) -> Mapper {
        Mapper {
            available: Available::all(nodes),
            nodes: nodes::equal(nodes),
            site: site.map(|settings| Site::new(Arc::clone(settings))),
            priority,
            platform_changes: None,
            placements: Vec::new(),
            penalties: Vec::new(),
            involved: Vec::new(),
            involvements: 0,
            changes: 0,
        }
    }

    /// Brings the mapping up to date with what has happened: jobs have left, nodes are not available any more, and `drains` says whether
    /// jobs leave the nodes of a window before it begins.
    pub(super) fn follow(&mut self, situation: &Situation<'_>, drains: bool) -> Displaced {
        let view = situation.view;
        if let Some(site) = &mut self.site {
            site.advance(view.now());
        }
        self.placements.resize_with(view.handles().max(self.placements.len()), Vec::new);
        self.penalties.resize(self.placements.len(), Penalties::default());
        for &(job, before) in situation.discovered {
            self.change_need(view, job, before);
        }
        for &job in situation.completed {
            self.forget(view, job);
        }
        let before = self.platform_changes.replace(view.platform_changes());
        let mut displaced = Displaced::default();
        if before == Some(view.platform_changes()) && !Available::drains(view) {
            return displaced;
        }
        for interrupted in situation.interrupted {
            self.forget(view, interrupted.job);
            displaced.is_interruption = true;
            if view.job(interrupted.job).state() == JobState::Waiting {
                displaced.interrupted.push(interrupted.job);
            }
        }
        let available = Available::of(view, drains);
        // What nodes have is known from the first decision on.
        displaced.are_other_nodes = before.is_none() || !available.are(&self.available);
        if displaced.are_other_nodes {
            displaced.cut_off = self.change_nodes(view, available);
        }
        displaced
    }

    /// From now on jobs may be on these nodes. Those that lose one leave all of theirs; they, by order of submission.
    fn change_nodes(&mut self, view: View<'_>, available: Available) -> Vec<JobHandle> {
        self.changes += 1;
        let before = std::mem::replace(&mut self.available, available);
        self.nodes = nodes::nodes(view, &self.available);
        let mut cut_off = Vec::new();
        for &(_, job) in &self.involved {
            let placement = &mut self.placements[job.index()];
            if placement.is_empty() {
                continue;
            }
            *placement = match self.available.to_own(&before.to_nodes(placement)) {
                Some(own) => own.into_owned(),
                None => Vec::new(),
            };
            if placement.is_empty() {
                cut_off.push(job);
                if let Some(site) = &mut self.site {
                    site.give_back(job);
                }
            }
            self.nodes.add(placement, Task::of(view, job));
        }
        cut_off
    }

    pub(super) fn placement(&self, job: JobHandle) -> &[NodeRange] {
        &self.placements[job.index()]
    }

    pub(super) fn runs(&self, job: JobHandle) -> bool {
        !self.placements[job.index()].is_empty()
    }

    /// The jobs that run in the cluster or are on nodes here, by order of submission.
    pub(super) fn involved(&self) -> impl Iterator<Item = JobHandle> + Clone + '_ {
        self.involved.iter().map(|&(_, job)| job)
    }

    /// How often others came to be among them or left.
    pub(super) fn involvements(&self) -> u64 {
        self.involvements
    }

    /// How often a job came to nodes or left them, or asked them for something else.
    pub(super) fn changes(&self) -> u64 {
        self.changes
    }

    /// Those on nodes here, by order of submission.
    pub(super) fn placed(&self) -> impl Iterator<Item = JobHandle> + Clone + '_ {
        self.involved().filter(|&job| self.runs(job))
    }

    fn involve(&mut self, view: View<'_>, job: JobHandle) {
        let sequence = view.job(job).sequence();
        if let Err(place) = self.involved.binary_search_by_key(&sequence, |&(other, _)| other) {
            self.involved.insert(place, (sequence, job));
            self.involvements += 1;
        }
    }

    /// A job has left the cluster, or lost its nodes: they are free, its handle may be given to another.
    fn forget(&mut self, view: View<'_>, job: JobHandle) {
        self.take_off(job, Task::of(view, job));
        self.penalties[job.index()].end(view.now());
        if let Some(site) = &mut self.site {
            site.end(view.now(), job);
        }
        self.involved.retain(|&(_, other)| other != job);
        self.involvements += 1;
    }

    /// The job leaves its nodes; returns them.
    pub(super) fn take_off(&mut self, job: JobHandle, task: Task) -> Vec<NodeRange> {
        self.changes += 1;
        let placement = std::mem::take(&mut self.placements[job.index()]);
        self.nodes.remove(&placement, task);
        if let Some(site) = self.site.as_mut().filter(|_| !placement.is_empty()) {
            site.give_back(job);
        }
        placement
    }

    /// The job, which left its nodes at this moment, goes to these.
    pub(super) fn put_back(&mut self, job: JobHandle, task: Task, placement: Vec<NodeRange>) {
        self.changes += 1;
        self.nodes.add(&placement, task);
        if let Some(site) = self.site.as_mut().filter(|_| !placement.is_empty()) {
            site.take(job);
        }
        self.placements[job.index()] = placement;
    }

    /// What the ranks of jobs come from.
    pub(super) fn ranker<'a>(&'a self, view: View<'a>) -> Ranker<'a> {
        Ranker::new(self.priority, self.site.as_ref(), view)
    }

    /// Whether a limit holds a job back that is on no node here.
    pub(super) fn holds(&self, job: JobHandle) -> bool {
        self.site.as_ref().is_some_and(|site| site.holds(job))
    }

    /// Each of these jobs goes to the nodes given, or off its nodes where none are. All leave before any comes, since
    /// jobs may change places.
    pub(super) fn set_all(&mut self, view: View<'_>, changes: Vec<Placed>) {
        for (job, _) in &changes {
            self.take_off(*job, Task::of(view, *job));
        }
        for (job, placement) in changes {
            self.involve(view, job);
            self.put_back(job, Task::of(view, job), placement);
        }
    }

    /// Another need of a job is believed now than before.
    fn change_need(&mut self, view: View<'_>, job: JobHandle, before: Share) {
        self.changes += 1;
        let task = Task::of(view, job);
        let placement = &self.placements[job.index()];
        self.nodes.remove(placement, Task { load: Task::load_of(view.job(job), before), ..task });
        self.nodes.add(placement, task);
    }

    /// Whether a job may be mapped: not while too few nodes are up for its tasks, however few other jobs there are.
    pub(super) fn fits<'a>(&'a self, view: View<'a>) -> impl Fn(JobHandle) -> bool + 'a {
        let are_all = self.available.are_all();
        move |job| are_all || self.nodes.fit(view, job, false)
    }

    /// Places all tasks of a job that is on no node by Greedy; whether they fit and no limit holds it back.
    pub(super) fn place_greedily(&mut self, view: View<'_>, job: JobHandle) -> bool {
        self.place(view, Wanted::of(view, job))
    }

    /// The same as it is wanted.
    pub(super) fn place(&mut self, view: View<'_>, wanted: Wanted) -> bool {
        let job = wanted.task.job;
        let is_placed =
            !self.holds(job) && self.nodes.place_greedily(wanted, &mut self.placements[job.index()]);
        if is_placed {
            self.changes += 1;
            self.involve(view, job);
            if let Some(site) = &mut self.site {
                site.take(job);
            }
        }
        is_placed
    }

    /// Decides what makes the cluster's mapping this one, with these yields by handle.
    pub(super) fn decide(&mut self, view: View<'_>, yields: &[Yield], decision: &mut Decision) {
        self.note_uses(view);
        let (now, penalty) = (view.now(), view.penalty());
        for &(_, handle) in &self.involved {
            let penalties = &mut self.penalties[handle.index()];
            let job = view.job(handle);
            let placement = self.available.to_nodes(&self.placements[handle.index()]);
            let job_yield = yields[handle.index()];
            let tasks = placement.iter().copied();
            match (job.state(), placement.is_empty()) {
                (JobState::Waiting, false) => decision.start(handle, tasks, job_yield),
                (JobState::Paused, false) => {
                    penalties.begin(now, penalty);
                    decision.resume(handle, tasks, job_yield);
                }
                (JobState::Running, true) => {
                    penalties.end(now);
                    decision.pause(handle);
                }
                (JobState::Running, false) if job.placement().ranges() != &*placement => {
                    penalties.begin(now, penalty);
                    decision.migrate(handle, tasks, job_yield);
                }
                (JobState::Running, false) if job.current_yield() != job_yield => {
                    decision.set_yield(handle, job_yield);
                }
                _ => {}
            }
        }
        let placements = &self.placements;
        self.involved.retain(|(_, job)| !placements[job.index()].is_empty());
    }

    /// Jobs that come to nodes or leave them begin or end to use their accounts.
    fn note_uses(&mut self, view: View<'_>) {
        let Some(site) = &mut self.site else { return };
        for &(_, job) in &self.involved {
            match (view.job(job).state() == JobState::Running, self.placements[job.index()].is_empty()) {
                (false, false) => site.begin(view.now(), job),
                (true, true) => _ = site.end(view.now(), job),
                _ => {}
            }
        }
    }
}

/// The jobs on nodes, as the CPU that they share is given out.
#[derive(Debug, Default)]
pub(super) struct Sharing {
    /// By order of submission.
    pub(super) jobs: Vec<JobHandle>,
    /// Their placements by [the numbers of nodes](Nodes::number), one after the other, and where each ends.
    parts: Vec<NodeTasks>,
    ends: Vec<usize>,
}

impl Sharing {
    /// Takes the jobs as they are mapped now, with the nodes that may be contested or all.
    pub(super) fn gather(&mut self, mapper: &mut Mapper, only_contested: bool) {
        mapper.nodes.number(only_contested);
        self.jobs.clear();
        self.jobs.extend(mapper.placed());
        self.parts.clear();
        self.ends.clear();
        for &job in &self.jobs {
            mapper.nodes.parts(mapper.placement(job), &mut self.parts);
            self.ends.push(self.parts.len());
        }
    }

    /// The jobs with what they share.
    pub(super) fn shared<'a>(&'a self, view: View<'_>, mapper: &'a Mapper) -> Vec<SharedJob<'a>> {
        let (mut begin, sizes) = (0, mapper.nodes.sizes());
        let jobs = self.jobs.iter().zip(&self.ends).map(|(&job, &end)| SharedJob {
            need: view.job(job).cpu_need(),
            placement: &self.parts[std::mem::replace(&mut begin, end)..end],
            size: sizes.map(|sizes| &sizes[job.index()]),
        });
        jobs.collect()
    }
}
