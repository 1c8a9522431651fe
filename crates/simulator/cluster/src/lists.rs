//! Free nodes, waiting jobs and running jobs as lists, for policies that want them ready-made.

use crate::{Decision, JobHandle, JobState, NodeRange, Situation, View};
use dfrsim_model::{NodeId, SimSpan, SimTime};
use std::sync::Arc;

/// The lists of a policy, which follow the simulation from moment to moment.
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
    /// How many parts of jobs there are on each node.
    on_node: Vec<u32>,
    /// The nodes on which there are none, of which none is promised, one bit each.
    free: Vec<u64>,
    /// Nodes of jobs that start at this moment.
    promised: Vec<u32>,
    waiting: Vec<JobHandle>,
    running: Vec<ExpectedEnd>,
    /// By handle.
    filed: Vec<Filed>,
    /// Jobs that the last decision named.
    named: Vec<JobHandle>,
}

/// A running job, by when it is expected to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExpectedEnd {
    /// When it ends if its estimate is right and its yield stays; in the past if it is past its estimate, [`SimTime::MAX`] if it has no
    /// estimate or its yield is 0.
    pub end: SimTime,
    /// Its place in the order of submission.
    pub sequence: u64,
    /// The job.
    pub job: JobHandle,
}

/// Where a job is in the lists.
#[derive(Debug, Default)]
struct Filed {
    sequence: u64,
    state: Option<State>,
}

#[derive(Debug)]
enum State {
    Waits,
    Runs { end: SimTime, nodes: Arc<[NodeRange]> },
}

impl Lists {
    /// The lists of this moment, with the effect of the decision on it if there was one.
    pub fn of(view: View<'_>) -> Lists {
        let mut lists = Lists::default();
        lists.grow(view);
        view.jobs().iter().for_each(|&job| lists.file(view, job));
        lists
    }

    /// Takes what has happened until this moment; to be called before each decision.
    pub fn update(&mut self, situation: &Situation<'_>) {
        let view = situation.view;
        self.grow(view);
        for node in std::mem::take(&mut self.promised) {
            self.set_free(node as usize);
        }
        situation.completed.iter().for_each(|&job| self.leave(job));
        let named = std::mem::take(&mut self.named);
        let interrupted = situation.interrupted.iter().map(|interrupted| interrupted.job);
        let discovered = situation.discovered.iter().map(|(job, _)| *job);
        for job in named.iter().copied().chain(interrupted).chain(discovered) {
            // The handle of one that has left may be that of another job, which has just arrived.
            if self.filed[job.index()].state.is_some() {
                self.leave(job);
                self.file(view, job);
            }
        }
        situation.submitted.iter().for_each(|&job| self.file(view, job));
        self.named = named;
        self.named.clear();
    }

    /// Takes what was decided; to be called after each decision.
    pub fn decided(&mut self, decision: &Decision) {
        for change in &decision.changes {
            match change.verb.leaves_in() {
                Some(_) => self.leave(change.job),
                None => self.named.push(change.job),
            }
        }
    }

    /// Starts a waiting or paused job at full speed, its tasks on the first free nodes with room for one that will be up until it is expected
    /// to end; says whether there are as many.
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
        self.promised.extend(nodes);
        self.leave(job);
        // It is filed again when it runs.
        self.filed[job.index()].state = Some(State::Waits);
        true
    }

    /// The nodes, rising, that are up and on which there is no job, without those of jobs that have just been started.
    pub fn free(&self, view: View<'_>) -> impl Iterator<Item = u32> {
        let words = self.free.iter().zip((0..).step_by(64));
        let nodes = words.flat_map(|(&word, first)| Bits(word).map(move |bit| first + bit));
        nodes.filter(move |&node| !view.has_outages() || view.is_up(NodeId(node)))
    }

    /// The jobs that wait for their first start or are paused, by order of submission, without those that have just been started.
    pub fn waiting(&self) -> &[JobHandle] {
        &self.waiting
    }

    /// The running jobs by their expected ends, then by order of submission.
    pub fn running(&self) -> &[ExpectedEnd] {
        &self.running
    }

    /// The nodes of a running job, which are the same value as long as it stays there at its speed.
    pub fn nodes_of(&self, job: JobHandle) -> Option<&Arc<[NodeRange]>> {
        match &self.filed.get(job.index())?.state {
            Some(State::Runs { nodes, .. }) => Some(nodes),
            _ => None,
        }
    }

    fn grow(&mut self, view: View<'_>) {
        let nodes = view.nodes() as usize;
        if self.on_node.len() < nodes {
            self.on_node.resize(nodes, 0);
            self.free.resize(nodes.div_ceil(64), 0);
            (0..nodes).for_each(|node| self.set_free(node));
        }
        if self.filed.len() < view.handles() {
            self.filed.resize_with(view.handles(), Filed::default);
        }
    }

    fn set_free(&mut self, node: usize) {
        if self.on_node[node] == 0 {
            self.free[node / 64] |= 1 << (node % 64);
        }
    }

    fn place(&self, sequence: u64) -> usize {
        self.waiting.partition_point(|job| self.filed[job.index()].sequence < sequence)
    }

    /// Puts a job where its state says.
    fn file(&mut self, view: View<'_>, job: JobHandle) {
        let seen = view.job(job);
        let sequence = seen.sequence();
        let state = match seen.state() {
            JobState::Waiting | JobState::Paused => {
                let place = self.place(sequence);
                self.waiting.insert(place, job);
                State::Waits
            }
            JobState::Running => {
                let end = seen.expected_end().unwrap_or(SimTime::MAX);
                let run = ExpectedEnd { end, sequence, job };
                let place = self.running.partition_point(|other| *other < run);
                self.running.insert(place, run);
                let nodes: Arc<[NodeRange]> = seen.placement().ranges().into();
                for node in nodes.iter().flat_map(|range| range.indices()) {
                    self.on_node[node] += 1;
                    self.free[node / 64] &= !(1 << (node % 64));
                }
                State::Runs { end, nodes }
            }
            _ => return,
        };
        self.filed[job.index()] = Filed { sequence, state: Some(state) };
    }

    /// Takes a job out of the lists, if it is there.
    fn leave(&mut self, job: JobHandle) {
        let Some(filed) = self.filed.get_mut(job.index()) else { return };
        let sequence = filed.sequence;
        match filed.state.take() {
            Some(State::Waits) => {
                let place = self.place(sequence);
                if self.waiting.get(place) == Some(&job) {
                    self.waiting.remove(place);
                }
            }
            Some(State::Runs { end, nodes }) => {
                let run = ExpectedEnd { end, sequence, job };
                self.running.remove(self.running.partition_point(|other| *other < run));
                for node in nodes.iter().flat_map(|range| range.indices()) {
                    self.on_node[node] -= 1;
                    self.set_free(node);
                }
            }
            None => {}
        }
    }
}

/// The places of the bits of a word that are set, rising.
struct Bits(u64);

impl Iterator for Bits {
    type Item = u32;
    fn next(&mut self) -> Option<u32> {
        let bit = self.0.trailing_zeros();
        self.0 &= self.0.wrapping_sub(1);
        (bit < 64).then_some(bit)
    }
}
