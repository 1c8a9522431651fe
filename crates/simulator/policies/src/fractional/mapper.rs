//! Mapping of tasks to nodes while a decision is being made.

use super::available::AvailableNodes;
use super::common::HeldUnits;
use super::devices::{DevicesOnNodes, MappedJob};
use super::nodes::{self, Nodes, PlacementRequest, Task};
use super::pay::Penalties;
use super::priority::{Priority, Ranker};
use crate::site::PrioritySystem;
use dfrsim_cluster::{Decision, JobHandle, JobState, NodeRange, Situation, View};
use dfrsim_model::site::SiteSettings;
use dfrsim_model::{NodeTasks, Share, Yield};
use dfrsim_packing::shares::SharedJob;
use std::borrow::Cow;
use std::sync::Arc;

/// A job and its placement, by the node numbers of [`AvailableNodes`].
pub(super) type Placed = (JobHandle, Vec<NodeRange>);

/// Jobs affected by a change of the platform.
#[derive(Debug, Default)]
pub(super) struct Displaced {
    /// True if the set of available nodes has changed.
    pub(super) has_new_nodes: bool,
    /// True if jobs were interrupted.
    pub(super) has_interruptions: bool,
    /// Interrupted jobs that wait to be restarted.
    pub(super) interrupted: Vec<JobHandle>,
    /// True if the cluster has more units of a resource as a whole.
    pub(super) has_new_units: bool,
    /// Jobs removed from their nodes because one of these is no longer available.
    pub(super) cut_off: Vec<JobHandle>,
}

/// Desired placement of all tasks. Between decisions it equals the state of the cluster. The parts
/// of a policy change it in turn, and only the net change becomes the decision.
#[derive(Debug)]
pub(super) struct Mapper {
    /// Nodes that jobs may use. All other components know these only, by their available-node
    /// numbers.
    pub(super) available: AvailableNodes,
    pub(super) nodes: Box<dyn Nodes>,
    /// Site policy. Its limits count the jobs of this mapping; its accounts, the jobs that run in
    /// the cluster.
    pub(super) site: Option<PrioritySystem>,
    /// Licences and other units that jobs of this mapping hold at any yield; `None` if the cluster has
    /// none.
    pub(super) held: Option<Box<HeldUnits>>,
    /// Speed level of all jobs of this mapping.
    pub(super) level: u8,
    priority: Priority,
    /// Version of the platform that `nodes` reflects; `None` before the first decision.
    platform_changes: Option<u64>,
    /// Placements by handle; empty for jobs that are not placed.
    placements: Vec<Vec<NodeRange>>,
    /// Rescheduling penalties by handle.
    pub(super) penalties: Vec<Penalties>,
    /// Jobs that run in the cluster or are placed in this mapping, by their index in the order of
    /// submission. The system may contain thousands of others.
    involved: Vec<(u64, JobHandle)>,
    involved_version: u64,
    /// Version of the mapping: counts the jobs that were placed or removed or whose need changed.
    version: u64,
}

impl Mapper {
    /// Creates the mapping for a cluster of `nodes` nodes. Their properties are unknown until
    /// [`Mapper::update`] is called.
    pub(super) fn new(nodes: u32, site: Option<&Arc<SiteSettings>>, priority: Priority) -> Mapper {
        Mapper {
            available: AvailableNodes::all(nodes),
            nodes: nodes::equal(nodes),
            site: site.map(|settings| PrioritySystem::new(Arc::clone(settings))),
            held: None,
            level: 0,
            priority,
            platform_changes: None,
            placements: Vec::new(),
            penalties: Vec::new(),
            involved: Vec::new(),
            involved_version: 0,
            version: 0,
        }
    }

    /// Updates the mapping after events: removes ended jobs and nodes that are no longer available.
    /// If `drains` is true, jobs leave the nodes of a maintenance window before it begins.
    pub(super) fn update(&mut self, situation: &Situation<'_>, drains: bool) -> Displaced {
        let view = situation.view;
        if let Some(site) = &mut self.site {
            site.advance(view.now());
        }
        self.placements.resize_with(view.handles().max(self.placements.len()), Vec::new);
        self.penalties.resize(self.placements.len(), Penalties::default());
        for &(job, before) in situation.discovered {
            self.update_need(view, job, before);
        }
        for &job in situation.completed {
            self.forget(view, job);
        }
        let before = self.platform_changes.replace(view.platform_changes());
        if before.is_none() {
            self.held = HeldUnits::new(view);
        }
        let mut displaced = self.change_platform(situation, before, drains);
        if let Some(held) = &mut self.held {
            displaced.has_new_units = held.advance(view);
            situation.submitted.iter().chain(situation.running).for_each(|&job| held.learn(view, job));
        }
        for &job in situation.running {
            if !self.adopt(view, job) {
                displaced.cut_off.push(job);
            }
        }
        displaced
    }

    /// Updates the available nodes if the platform has changed since version `before`.
    fn change_platform(&mut self, situation: &Situation<'_>, before: Option<u64>, drains: bool) -> Displaced {
        let view = situation.view;
        let mut displaced = Displaced::default();
        if before == Some(view.platform_changes()) && !AvailableNodes::is_draining(view) {
            return displaced;
        }
        for interrupted in situation.interrupted {
            self.forget(view, interrupted.job);
            displaced.has_interruptions = true;
            if view.job(interrupted.job).state() == JobState::Waiting {
                displaced.interrupted.push(interrupted.job);
            }
        }
        let available = AvailableNodes::of(view, drains);
        // The capacities of nodes are unknown before the first decision.
        displaced.has_new_nodes = before.is_none() || !available.has_same_nodes(&self.available);
        if displaced.has_new_nodes {
            displaced.cut_off = self.change_nodes(view, available);
        }
        displaced
    }

    /// Takes over a job that already runs when the simulation begins; returns whether its nodes are
    /// available.
    fn adopt(&mut self, view: View<'_>, job: JobHandle) -> bool {
        let seen = view.job(job);
        self.nodes.learn(view, job);
        self.remember_devices(view, job);
        if let Some(site) = &mut self.site {
            site.submit(view, job);
            site.start_charging(seen.first_start().unwrap_or_default(), job);
        }
        self.involve(view, job);
        let placement = self.available.to_numbers(seen.placement().ranges()).map(Cow::into_owned);
        let is_available = placement.is_some();
        self.place_on(job, Task::of(view, job), placement.unwrap_or_default());
        is_available
    }

    /// Tells the nodes which devices a job has in the cluster.
    fn remember_devices(&mut self, view: View<'_>, job: JobHandle) {
        if self.nodes.has_devices() {
            let devices = self.available.devices_to_numbers(view.devices(job));
            self.nodes.remember_devices(job, devices);
        }
    }

    /// Replaces the set of available nodes. Jobs that lose a node are removed from all of theirs and
    /// returned, by order of submission.
    fn change_nodes(&mut self, view: View<'_>, available: AvailableNodes) -> Vec<JobHandle> {
        self.version += 1;
        let before = std::mem::replace(&mut self.available, available);
        self.nodes = nodes::nodes(view, &self.available);
        let mut cut_off = Vec::new();
        let has_devices = self.nodes.has_devices();
        for &(_, job) in &self.involved {
            if has_devices {
                let devices = self.available.devices_to_numbers(view.devices(job));
                self.nodes.remember_devices(job, devices);
            }
            let placement = &mut self.placements[job.index()];
            if placement.is_empty() {
                continue;
            }
            *placement = match self.available.to_numbers(&before.to_nodes(placement)) {
                Some(own) => own.into_owned(),
                None => Vec::new(),
            };
            if placement.is_empty() {
                cut_off.push(job);
                if let Some(site) = &mut self.site {
                    site.uncount_for_limits(job);
                }
                if let Some(held) = &mut self.held {
                    held.give_back(job);
                }
            }
            self.nodes.add(placement, Task::of(view, job));
        }
        cut_off
    }

    pub(super) fn placement(&self, job: JobHandle) -> &[NodeRange] {
        &self.placements[job.index()]
    }

    /// Returns the nodes of the cluster on which a job of this mapping is.
    pub(super) fn cluster_nodes(&self, job: JobHandle) -> Cow<'_, [NodeRange]> {
        self.available.to_nodes(self.placement(job))
    }

    pub(super) fn is_placed(&self, job: JobHandle) -> bool {
        !self.placements[job.index()].is_empty()
    }

    /// Iterates over the jobs that run in the cluster or are placed in this mapping, by order of
    /// submission.
    pub(super) fn involved(&self) -> impl Iterator<Item = JobHandle> + Clone + '_ {
        self.involved.iter().map(|&(_, job)| job)
    }

    /// Returns the version of the set of involved jobs, which increases with each change.
    pub(super) fn involved_version(&self) -> u64 {
        self.involved_version
    }

    /// Returns the version of the mapping, which increases when a job is placed or removed or its
    /// need changes.
    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// Iterates over the placed jobs, by order of submission.
    pub(super) fn placed(&self) -> impl Iterator<Item = JobHandle> + Clone + '_ {
        self.involved().filter(|&job| self.is_placed(job))
    }

    fn involve(&mut self, view: View<'_>, job: JobHandle) {
        let sequence = view.job(job).sequence();
        if let Err(place) = self.involved.binary_search_by_key(&sequence, |&(other, _)| other) {
            self.involved.insert(place, (sequence, job));
            self.involved_version += 1;
        }
    }

    /// Removes a job that has left the cluster or lost its nodes. Its handle may be reused.
    fn forget(&mut self, view: View<'_>, job: JobHandle) {
        self.remove(job, Task::of(view, job));
        self.penalties[job.index()].end(view.now());
        if let Some(site) = &mut self.site {
            site.stop_charging(view.now(), job);
        }
        self.involved.retain(|&(_, other)| other != job);
        self.involved_version += 1;
    }

    /// Removes a job from its nodes; returns its former placement.
    pub(super) fn remove(&mut self, job: JobHandle, task: Task) -> Vec<NodeRange> {
        self.version += 1;
        let placement = std::mem::take(&mut self.placements[job.index()]);
        self.nodes.remove(&placement, task);
        if let Some(site) = self.site.as_mut().filter(|_| !placement.is_empty()) {
            site.uncount_for_limits(job);
        }
        if let Some(held) = self.held.as_mut().filter(|_| !placement.is_empty()) {
            held.give_back(job);
        }
        placement
    }

    /// Places a job, which has just been removed from its nodes, on these nodes.
    pub(super) fn place_on(&mut self, job: JobHandle, task: Task, placement: Vec<NodeRange>) {
        self.version += 1;
        self.nodes.add(&placement, task);
        if let Some(site) = self.site.as_mut().filter(|_| !placement.is_empty()) {
            site.count_for_limits(job);
        }
        if let Some(held) = self.held.as_mut().filter(|_| !placement.is_empty()) {
            held.take(job);
        }
        self.placements[job.index()] = placement;
    }

    /// Returns the ranking of jobs under the policy and the site.
    pub(super) fn ranker<'a>(&'a self, view: View<'a>) -> Ranker<'a> {
        Ranker::new(self.priority, self.site.as_ref(), view)
    }

    /// Returns whether a limit, or a lack of licences, blocks a job that is not placed.
    pub(super) fn is_blocked(&self, job: JobHandle) -> bool {
        self.site.as_ref().is_some_and(|site| site.exceeds_limit(job))
            || self.held.as_ref().is_some_and(|held| held.exceeds(job))
    }

    /// Returns whether the cluster never has all licences of a job.
    pub(super) fn is_never_licensed(&self, job: JobHandle) -> bool {
        self.held.as_ref().is_some_and(|held| held.never_suffice(job))
    }

    /// Changes the placements of some jobs; an empty one removes the job. All jobs are removed
    /// before any is placed, since jobs may swap nodes.
    ///
    /// `devices` are the devices of the first of these jobs; it is empty if nodes have none.
    pub(super) fn set_all(&mut self, view: View<'_>, changes: Vec<Placed>, devices: Vec<DevicesOnNodes>) {
        for (job, _) in &changes {
            self.remove(*job, Task::of(view, *job));
        }
        for ((job, _), devices) in changes.iter().zip(devices) {
            self.nodes.remember_devices(*job, devices);
        }
        for (job, placement) in changes {
            self.involve(view, job);
            self.place_on(job, Task::of(view, job), placement);
        }
    }

    /// Determines the devices of jobs under a new mapping, of which `pinned` ones keep theirs, and which
    /// were packed at these yields.
    pub(super) fn bind_mapping(
        &self,
        view: View<'_>,
        jobs: &[JobHandle],
        mapping: &[Vec<NodeTasks>],
        pinned: &[DevicesOnNodes],
        packed: &[Yield],
    ) -> Vec<DevicesOnNodes> {
        let jobs = jobs.iter().zip(mapping).enumerate().map(|(at, (&job, placement))| MappedJob {
            job,
            sequence: view.job(job).sequence(),
            placement,
            pinned: pinned.get(at).filter(|devices| !devices.is_empty()).cloned(),
            home: self.home_devices(view, job),
            packed: packed.get(at).copied().unwrap_or(Yield::ONE),
        });
        self.nodes.bind_mapping(&jobs.collect::<Vec<_>>())
    }

    /// Returns the devices of a job in the cluster, by available-node numbers.
    pub(super) fn home_devices(&self, view: View<'_>, job: JobHandle) -> DevicesOnNodes {
        self.available.devices_to_numbers(view.devices(job))
    }

    /// Updates the load of a job whose assumed need has changed.
    fn update_need(&mut self, view: View<'_>, job: JobHandle, before: Share) {
        self.version += 1;
        let task = Task::of(view, job);
        let placement = &self.placements[job.index()];
        self.nodes.remove(placement, Task { load: Task::load_of(view.job(job), before), ..task });
        self.nodes.add(placement, task);
    }

    /// Returns a filter for the jobs that may be mapped: those that fit if no other job runs on the
    /// nodes that are up.
    pub(super) fn fits<'a>(&'a self, view: View<'a>) -> impl Fn(JobHandle) -> bool + 'a {
        let are_all = self.available.is_whole_cluster();
        move |job| are_all || self.nodes.can_fit(view, job, false)
    }

    /// Places all tasks of an unplaced job by Greedy; returns whether they fit and no limit blocks
    /// the job.
    pub(super) fn place_greedily(&mut self, view: View<'_>, job: JobHandle) -> bool {
        self.place(view, PlacementRequest::of(view, job))
    }

    /// Places all tasks of an unplaced job by Greedy, as requested; returns whether they fit and no
    /// limit blocks the job.
    pub(super) fn place(&mut self, view: View<'_>, wanted: PlacementRequest) -> bool {
        let job = wanted.task.job;
        let is_placed =
            !self.is_blocked(job) && self.nodes.place_greedily(wanted, &mut self.placements[job.index()]);
        if is_placed {
            self.version += 1;
            self.involve(view, job);
            if let Some(site) = &mut self.site {
                site.count_for_limits(job);
            }
            if let Some(held) = &mut self.held {
                held.take(job);
            }
        }
        is_placed
    }

    /// Decides the changes that bring the cluster to this mapping, with these yields by handle.
    pub(super) fn decide(&mut self, view: View<'_>, yields: &[Yield], decision: &mut Decision) {
        self.update_usage(view);
        let (now, penalty, has_devices) = (view.now(), view.penalty(), self.nodes.has_devices());
        for &(_, handle) in &self.involved {
            let penalties = &mut self.penalties[handle.index()];
            let job = view.job(handle);
            let placement = self.available.to_nodes(&self.placements[handle.index()]);
            let devices = match has_devices && !placement.is_empty() {
                true => self.available.devices_to_nodes(self.nodes.devices(handle)),
                false => DevicesOnNodes::new(),
            };
            let moves =
                || job.placement().ranges() != &*placement || has_devices && devices != view.devices(handle);
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
                (JobState::Running, false) if moves() => {
                    penalties.begin(now, penalty);
                    decision.migrate(handle, tasks, job_yield);
                }
                (JobState::Running, false)
                    if (job.current_yield(), job.level()) != (job_yield, self.level) =>
                {
                    decision.set_yield(handle, job_yield);
                    decision.at_level(self.level);
                    continue;
                }
                _ => continue,
            }
            if !placement.is_empty() {
                decision.at_level(self.level);
            }
            if !devices.is_empty() {
                decision.on_devices(devices);
            }
        }
        let placements = &self.placements;
        self.involved.retain(|(_, job)| !placements[job.index()].is_empty());
    }

    /// Starts or ends the accounting of jobs that are newly placed or removed.
    fn update_usage(&mut self, view: View<'_>) {
        let Some(site) = &mut self.site else { return };
        for &(_, job) in &self.involved {
            match (view.job(job).state() == JobState::Running, self.placements[job.index()].is_empty()) {
                (false, false) => site.start_charging(view.now(), job),
                (true, true) => _ = site.stop_charging(view.now(), job),
                _ => {}
            }
        }
    }
}

/// Running jobs as input for the division of CPU.
#[derive(Debug, Default)]
pub(super) struct Sharing {
    /// Jobs by order of submission.
    pub(super) jobs: Vec<JobHandle>,
    /// Concatenated placements by [node numbers](Nodes::number_nodes), and the end of each.
    parts: Vec<NodeTasks>,
    ends: Vec<usize>,
}

impl Sharing {
    /// Gathers the jobs of the current mapping, with all nodes or only those that may be contested.
    pub(super) fn gather(&mut self, mapper: &mut Mapper, only_contested: bool) {
        mapper.nodes.number_nodes(only_contested);
        self.jobs.clear();
        self.jobs.extend(mapper.placed());
        self.parts.clear();
        self.ends.clear();
        for &job in &self.jobs {
            mapper.nodes.parts(job, mapper.placement(job), &mut self.parts);
            self.ends.push(self.parts.len());
        }
    }

    /// Converts the jobs to the input of the division of CPU.
    pub(super) fn shared<'a>(&'a self, view: View<'_>, mapper: &'a Mapper) -> Vec<SharedJob<'a>> {
        let (mut begin, sizes) = (0, mapper.nodes.share_sizes());
        let jobs = self.jobs.iter().zip(&self.ends).map(|(&job, &end)| SharedJob {
            need: view.job(job).cpu_need(),
            placement: &self.parts[std::mem::replace(&mut begin, end)..end],
            size: sizes.map(|sizes| &sizes[job.index()]),
        });
        jobs.collect()
    }
}
