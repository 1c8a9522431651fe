//! The mapping of tasks to nodes while a decision is being made.

use super::available::Available;
use super::node_table::{NodeTable, TaskSize};
use dfrsim_cluster::{Decision, JobHandle, JobState, NodeRange, View};
use dfrsim_model::{Share, Yield};

/// A job and where its tasks are, by the numbers of [`Available`].
pub(super) type Placed = (JobHandle, Vec<NodeRange>);

/// Which tasks shall be where. Between decisions it is what the cluster has; parts of a policy change it in turn, and
/// only the net change becomes the decision.
#[derive(Debug)]
pub(super) struct Mapping {
    /// The nodes that jobs may be on; all others know these only, by their own numbers.
    pub(super) available: Available,
    pub(super) nodes: NodeTable,
    /// By handle; empty for jobs on no node.
    placements: Vec<Vec<NodeRange>>,
    /// The jobs that run in the cluster or are on nodes here, by their place in the order of submission. There may be thousands
    /// of others in the system.
    involved: Vec<(u64, JobHandle)>,
}

impl Mapping {
    pub(super) fn new(nodes: u32) -> Mapping {
        Mapping {
            available: Available::all(nodes),
            nodes: NodeTable::new(nodes),
            placements: Vec::new(),
            involved: Vec::new(),
        }
    }

    /// From now on jobs may be on these nodes. Those that lose one leave all of theirs; they, by order of submission.
    pub(super) fn change_nodes(&mut self, view: View<'_>, available: Available) -> Vec<JobHandle> {
        let before = std::mem::replace(&mut self.available, available);
        self.nodes = NodeTable::new(self.available.count());
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
            }
            self.nodes.add(placement, TaskSize::of(view.job(job)));
        }
        cut_off
    }

    pub(super) fn grow(&mut self, handles: usize) {
        if self.placements.len() < handles {
            self.placements.resize_with(handles, Vec::new);
        }
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

    /// Those on nodes here, by order of submission.
    pub(super) fn placed(&self) -> impl Iterator<Item = JobHandle> + Clone + '_ {
        self.involved().filter(|&job| self.runs(job))
    }

    fn involve(&mut self, view: View<'_>, job: JobHandle) {
        let sequence = view.job(job).sequence();
        if let Err(place) = self.involved.binary_search_by_key(&sequence, |&(other, _)| other) {
            self.involved.insert(place, (sequence, job));
        }
    }

    /// A job has completed: its nodes are free, its handle may be given to another.
    pub(super) fn forget(&mut self, view: View<'_>, job: JobHandle) {
        self.take_off(job, TaskSize::of(view.job(job)));
        self.involved.retain(|&(_, other)| other != job);
    }

    /// The job leaves its nodes; returns them.
    pub(super) fn take_off(&mut self, job: JobHandle, task: TaskSize) -> Vec<NodeRange> {
        let placement = std::mem::take(&mut self.placements[job.index()]);
        self.nodes.remove(&placement, task);
        placement
    }

    /// The job, which left its nodes at this moment, goes to these.
    pub(super) fn put_back(&mut self, job: JobHandle, task: TaskSize, placement: Vec<NodeRange>) {
        self.nodes.add(&placement, task);
        self.placements[job.index()] = placement;
    }

    /// Each of these jobs goes to the nodes given, or off its nodes where none are. All leave before any comes, since
    /// jobs may change places.
    pub(super) fn set_all(&mut self, view: View<'_>, changes: Vec<Placed>) {
        for (job, _) in &changes {
            self.take_off(*job, TaskSize::of(view.job(*job)));
        }
        for (job, placement) in changes {
            self.involve(view, job);
            self.put_back(job, TaskSize::of(view.job(job)), placement);
        }
    }

    /// Another need of a job is believed now than before.
    pub(super) fn change_need(&mut self, view: View<'_>, job: JobHandle, before: Share) {
        let task = TaskSize::of(view.job(job));
        let placement = &self.placements[job.index()];
        self.nodes.remove(placement, TaskSize { load: TaskSize::load_of(view.job(job), before), ..task });
        self.nodes.add(placement, task);
    }

    /// Places all tasks of a job that is on no node by Greedy; whether they fit.
    pub(super) fn place_greedily(&mut self, view: View<'_>, job: JobHandle) -> bool {
        self.place_spread(view, job, view.job(job).tasks())
    }

    /// The same with at most `most` tasks on a node.
    pub(super) fn place_spread(&mut self, view: View<'_>, job: JobHandle, most: u32) -> bool {
        let (task, tasks) = (TaskSize::of(view.job(job)), view.job(job).tasks());
        let is_placed = self.nodes.place_greedily(task, tasks, most, &mut self.placements[job.index()]);
        if is_placed {
            self.involve(view, job);
        }
        is_placed
    }

    /// Decides what makes the cluster's mapping this one, with these yields by handle.
    pub(super) fn decide(&mut self, view: View<'_>, yields: &[Yield], decision: &mut Decision) {
        for handle in self.involved() {
            let job = view.job(handle);
            let placement = self.available.to_nodes(self.placement(handle));
            let job_yield = yields[handle.index()];
            let tasks = placement.iter().copied();
            match (job.state(), placement.is_empty()) {
                (JobState::Waiting, false) => decision.start(handle, tasks, job_yield),
                (JobState::Paused, false) => decision.resume(handle, tasks, job_yield),
                (JobState::Running, true) => decision.pause(handle),
                (JobState::Running, false) if job.placement().ranges() != &*placement => {
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
}
