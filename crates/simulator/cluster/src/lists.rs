//! Free nodes, waiting jobs and running jobs as lists, for policies that want them precomputed.

use crate::{Decision, JobHandle, JobState, NodeRange, Situation, View};
use dfrsim_model::{NodeId, SimSpan, SimTime};
use std::sync::Arc;

/// Lists of free nodes, waiting jobs and running jobs, kept up to date by their owner.
///
/// ```
/// use dfrsim_cluster::{Decision, Lists, Scheduler, Situation};
///
/// /// Starts jobs by arrival on the first free nodes, until one does not fit.
/// #[derive(Default)]
/// struct InOrder(Lists);
///
/// impl Scheduler for InOrder {
///     fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
///         self.0.update(situation);
///         while let Some(&job) = self.0.waiting().first() && self.0.start(situation.view, job, decision) {}
///         self.0.decided(decision);
///     }
/// }
/// ```
#[derive(Debug, Default)]
pub struct Lists {
    /// Number of placement ranges of jobs on each node.
    ranges_on_node: Vec<u32>,
    /// Nodes without jobs that no start of the current decision takes, one bit each.
    free: Vec<u64>,
    /// Nodes of jobs that start at the current time.
    starting: Vec<u32>,
    waiting: Vec<JobHandle>,
    running: Vec<ExpectedEnd>,
    /// List entry of each job, by handle.
    entries: Vec<Entry>,
    /// Jobs named by the last decision.
    named: Vec<JobHandle>,
}

/// Running job, ordered by its expected end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExpectedEnd {
    /// Expected end if the estimate is right and the yield stays. In the past if the job has
    /// exceeded its estimate; [`SimTime::MAX`] without an estimate or at yield 0.
    pub end: SimTime,
    /// Sequence number in the order of submission.
    pub sequence: u64,
    /// Handle of the job.
    pub job: JobHandle,
}

/// Entry of a job in the lists; `state` is `None` if the job is in none of them.
#[derive(Debug, Default)]
struct Entry {
    sequence: u64,
    state: Option<ListState>,
}

#[derive(Debug)]
enum ListState {
    Waits,
    Runs { end: SimTime, nodes: Arc<[NodeRange]> },
}

impl Lists {
    /// Builds the lists from the view, which includes the effect of a decision already made at this
    /// time.
    pub fn of(view: View<'_>) -> Lists {
        let mut lists = Lists::default();
        lists.grow(view);
        view.jobs().iter().for_each(|&job| lists.insert(view, job));
        lists
    }

    /// Updates the lists with the events up to the current time. Must be called before each
    /// decision.
    pub fn update(&mut self, situation: &Situation<'_>) {
        let view = situation.view;
        self.grow(view);
        for node in std::mem::take(&mut self.starting) {
            self.set_free(node as usize);
        }
        situation.completed.iter().for_each(|&job| self.remove(job));
        let named = std::mem::take(&mut self.named);
        let interrupted = situation.interrupted.iter().map(|interrupted| interrupted.job);
        let discovered = situation.discovered.iter().map(|(job, _)| *job);
        for job in named.iter().copied().chain(interrupted).chain(discovered) {
            // The handle of a job that has left may already belong to a job that has just arrived.
            if self.entries[job.index()].state.is_some() {
                self.remove(job);
                self.insert(view, job);
            }
        }
        let arrived = situation.running.iter().chain(situation.submitted);
        arrived.for_each(|&job| self.insert(view, job));
        self.named = named;
        self.named.clear();
    }

    /// Updates the lists with the decision. Must be called after each decision.
    pub fn decided(&mut self, decision: &Decision) {
        for change in &decision.changes {
            match change.action.final_state() {
                Some(_) => self.remove(change.job),
                None => self.named.push(change.job),
            }
        }
    }

    /// Starts or resumes a job at full speed, one task per node, on the first free nodes that fit a
    /// task and have no outage before its expected end. Returns false if there are too few such
    /// nodes.
    pub fn start(&mut self, view: View<'_>, job: JobHandle, decision: &mut Decision) -> bool {
        let seen = view.job(job);
        let until = view.now().saturating_add(seen.remaining_estimate().unwrap_or(SimSpan::MAX));
        let is_open = |node: u32| {
            let closes = |window: &dfrsim_model::platform::Window| {
                let outage = &window.outage;
                outage.nodes.iter().any(|other| other == node) && outage.from < until
            };
            view.fits(job, view.class_of(node)) && !view.windows().iter().any(closes)
        };
        let nodes: Vec<u32> =
            self.free(view).filter(|&node| is_open(node)).take(seen.tasks() as usize).collect();
        if nodes.len() < seen.tasks() as usize {
            return false;
        }
        let placement = nodes.iter().map(|&node| NodeRange { first: NodeId(node), nodes: 1, tasks: 1 });
        match seen.state() {
            JobState::Paused => decision.resume(job, placement, dfrsim_model::Yield::ONE),
            _ => decision.start(job, placement, dfrsim_model::Yield::ONE),
        }
        for &node in &nodes {
            self.free[node as usize / 64] &= !(1 << (node % 64));
        }
        self.starting.extend(nodes);
        self.remove(job);
        // The job is inserted into the lists again when it runs.
        self.entries[job.index()].state = Some(ListState::Waits);
        true
    }

    /// Returns the free nodes in ascending order: up, without jobs, and not taken by a start of the
    /// current decision.
    pub fn free(&self, view: View<'_>) -> impl Iterator<Item = u32> {
        let words = self.free.iter().zip((0..).step_by(64));
        let nodes = words.flat_map(|(&word, first)| Bits(word).map(move |bit| first + bit));
        nodes.filter(move |&node| !view.has_outages() || view.is_up(NodeId(node)))
    }

    /// Returns the waiting and paused jobs in order of submission, without those that the current
    /// decision starts.
    pub fn waiting(&self) -> &[JobHandle] {
        &self.waiting
    }

    /// Returns the running jobs by expected end, then by order of submission.
    pub fn running(&self) -> &[ExpectedEnd] {
        &self.running
    }

    /// Returns the nodes of a running job. The same `Arc` is returned as long as the job's nodes and
    /// yield do not change.
    pub fn nodes_of(&self, job: JobHandle) -> Option<&Arc<[NodeRange]>> {
        match &self.entries.get(job.index())?.state {
            Some(ListState::Runs { nodes, .. }) => Some(nodes),
            _ => None,
        }
    }

    fn grow(&mut self, view: View<'_>) {
        let nodes = view.nodes() as usize;
        if self.ranges_on_node.len() < nodes {
            self.ranges_on_node.resize(nodes, 0);
            self.free.resize(nodes.div_ceil(64), 0);
            (0..nodes).for_each(|node| self.set_free(node));
        }
        if self.entries.len() < view.handles() {
            self.entries.resize_with(view.handles(), Entry::default);
        }
    }

    fn set_free(&mut self, node: usize) {
        if self.ranges_on_node[node] == 0 {
            self.free[node / 64] |= 1 << (node % 64);
        }
    }

    fn waiting_index(&self, sequence: u64) -> usize {
        self.waiting.partition_point(|job| self.entries[job.index()].sequence < sequence)
    }

    /// Inserts a job into the list for its state.
    fn insert(&mut self, view: View<'_>, job: JobHandle) {
        let seen = view.job(job);
        let sequence = seen.sequence();
        let state = match seen.state() {
            JobState::Waiting | JobState::Paused => {
                let place = self.waiting_index(sequence);
                self.waiting.insert(place, job);
                ListState::Waits
            }
            JobState::Running => {
                let end = seen.expected_end().unwrap_or(SimTime::MAX);
                let run = ExpectedEnd { end, sequence, job };
                let place = self.running.partition_point(|other| *other < run);
                self.running.insert(place, run);
                let nodes: Arc<[NodeRange]> = seen.placement().ranges().into();
                for node in nodes.iter().flat_map(|range| range.indices()) {
                    self.ranges_on_node[node] += 1;
                    self.free[node / 64] &= !(1 << (node % 64));
                }
                ListState::Runs { end, nodes }
            }
            _ => return,
        };
        self.entries[job.index()] = Entry { sequence, state: Some(state) };
    }

    /// Removes a job from the lists, if it is in one.
    fn remove(&mut self, job: JobHandle) {
        let Some(filed) = self.entries.get_mut(job.index()) else { return };
        let sequence = filed.sequence;
        match filed.state.take() {
            Some(ListState::Waits) => {
                let place = self.waiting_index(sequence);
                if self.waiting.get(place) == Some(&job) {
                    self.waiting.remove(place);
                }
            }
            Some(ListState::Runs { end, nodes }) => {
                let run = ExpectedEnd { end, sequence, job };
                self.running.remove(self.running.partition_point(|other| *other < run));
                for node in nodes.iter().flat_map(|range| range.indices()) {
                    self.ranges_on_node[node] -= 1;
                    self.set_free(node);
                }
            }
            None => {}
        }
    }
}

/// Iterator over the indices of the set bits of a word, in ascending order.
struct Bits(u64);

impl Iterator for Bits {
    type Item = u32;
    fn next(&mut self) -> Option<u32> {
        let bit = self.0.trailing_zeros();
        self.0 &= self.0.wrapping_sub(1);
        (bit < 64).then_some(bit)
    }
}
