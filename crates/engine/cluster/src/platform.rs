//! Nodes that go down and come back.

use crate::job_table::ActiveJob;
use crate::simulation::{FIRST_JOB, PLATFORM, Simulation};
use crate::{
    JobHandle, JobState, NodeRange, Observer, Occurrence, Placement, PlatformChange, SimulationError, View,
};
use dfrsim_des::{EventKey, EventQueue, Rank, Slot};
use dfrsim_model::{Job, NodeId, SimTime};
use dfrsim_platform::{Interruption, NodeSpan, Outage, OutageError, Outages, Window};
use std::sync::Arc;

/// Which nodes are up, and what is known of the future. What a cluster without outages does not have.
#[derive(Debug)]
pub(crate) struct Platform {
    outages: Arc<Outages>,
    /// What is left to happen, the next thing last.
    steps: Vec<Step>,
    /// How many outages each node is in.
    outages_of: Vec<u32>,
    /// Windows that are announced and not over, by announcement.
    windows: Vec<Window>,
    /// How many moments there were at which policies can see that something changed.
    version: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    at: SimTime,
    what: What,
}

/// Within a moment nodes go down before others come up: one that an outage leaves in the moment in which another begins stays down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Announce(Window),
    Down(NodeSpan),
    Up(NodeSpan),
}

/// A job that lost its nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interrupted {
    /// The job: [`JobState::Waiting`] if it is to be started again, [`JobState::Lost`] if it has left.
    pub job: JobHandle,
    /// Its former nodes; some of these may be up.
    pub on: Vec<NodeRange>,
}

impl Platform {
    pub(crate) fn new(outages: Arc<Outages>, nodes: u32) -> Result<Platform, OutageError> {
        outages.check(nodes)?;
        let mut steps = Vec::new();
        for &Outage { from, until, nodes } in outages.all() {
            steps.push(Step { at: from, what: What::Down(nodes) });
            steps.push(Step { at: until, what: What::Up(nodes) });
        }
        let announce = |&window: &Window| Step { at: window.announced, what: What::Announce(window) };
        steps.extend(outages.windows.iter().map(announce));
        steps.sort_unstable_by(|a, b| b.cmp(a));
        let outages_of = vec![0; nodes as usize];
        Ok(Platform { outages, steps, outages_of, windows: Vec::new(), version: 0 })
    }

    pub(crate) fn interruption(&self) -> Interruption {
        self.outages.interruption
    }
    fn is_up(&self, node: u32) -> bool {
        self.outages_of[node as usize] == 0
    }
    /// The first node of a range that is down.
    pub(crate) fn down_in(&self, range: NodeRange) -> Option<NodeId> {
        let node = range.indices().find(|&node| self.outages_of[node] > 0)?;
        Some(NodeId(node as u32))
    }
    fn has_down(&self, placement: Placement<'_>) -> bool {
        placement.ranges().iter().any(|&range| self.down_in(range).is_some())
    }
    /// Schedules the next step.
    pub(crate) fn schedule(&self, events: &mut EventQueue) {
        if let Some(step) = self.steps.last() {
            events.schedule(PLATFORM, EventKey::new(step.at, Rank::PlatformChange, 0));
        }
    }
}

/// The spans of nodes that come by rising number.
fn spans(nodes: impl Iterator<Item = u32>) -> Vec<NodeSpan> {
    let mut spans: Vec<NodeSpan> = Vec::new();
    for node in nodes {
        match spans.last_mut().filter(|last| last.end() == u64::from(node)) {
            Some(last) => last.nodes += 1,
            None => spans.push(NodeSpan { first: node, nodes: 1 }),
        }
    }
    spans
}

impl<I: Iterator<Item = Job>, O: Observer> Simulation<I, O> {
    /// All that happens to the platform at this moment; jobs that lose a node lose all of them.
    pub(crate) fn change_platform(&mut self, now: SimTime) -> Result<(), SimulationError> {
        let platform = self.platform.as_mut().expect("only a platform changes");
        let known = platform.windows.len();
        platform.windows.retain(|window| window.outage.until > now);
        let mut is_seen = platform.windows.len() < known;
        let (mut down, mut up) = (Vec::new(), Vec::new());
        while let Some(step) = platform.steps.pop_if(|step| step.at == now) {
            match step.what {
                What::Announce(window) => {
                    platform.windows.push(window);
                    is_seen = true;
                    self.observer.observe_platform(now, PlatformChange::Announced(&window));
                }
                What::Down(span) => {
                    for node in span.iter() {
                        let count = &mut platform.outages_of[node as usize];
                        *count += 1;
                        down.extend((*count == 1).then_some(node));
                    }
                }
                What::Up(span) => {
                    for node in span.iter() {
                        let count = &mut platform.outages_of[node as usize];
                        *count -= 1;
                        up.extend((*count == 0).then_some(node));
                    }
                }
            }
        }
        platform.schedule(&mut self.events);
        is_seen |= platform.windows.iter().any(|window| window.outage.from == now);
        // A failure of nodes that are down already is not known before they fail to come up.
        platform.version += u64::from(is_seen || !down.is_empty() || !up.is_empty());
        for nodes in [&mut down, &mut up] {
            nodes.sort_unstable();
        }
        if !down.is_empty() {
            let down = spans(down.into_iter());
            self.observer.observe_platform(now, PlatformChange::Down(&down));
            self.interrupt_those_on_down_nodes(now)?;
        }
        if !up.is_empty() {
            let up = spans(up.into_iter());
            self.observer.observe_platform(now, PlatformChange::Up(&up));
        }
        Ok(())
    }

    fn interrupt_those_on_down_nodes(&mut self, now: SimTime) -> Result<(), SimulationError> {
        let platform = self.platform.as_ref().expect("only a platform changes");
        let has_down = |job: &ActiveJob| job.state == JobState::Running && platform.has_down(job.placement());
        let all = self.jobs.in_system().iter().copied();
        let hit: Vec<JobHandle> = all.filter(|&handle| has_down(self.jobs.get(handle))).collect();
        let rule = platform.interruption();
        for handle in hit {
            self.events.cancel(Slot(FIRST_JOB + handle.0));
            let active = self.jobs.get_mut(handle);
            self.nodes.remove(active.placement(), active.believed_need, active.job.memory, active.job_yield);
            if let Some(unequal) = &mut self.unequal {
                unequal.remove(handle, active.placement(), active.job_yield);
            }
            let (on, kept, lost) = active.interrupt(now, rule);
            let sequence = active.sequence;
            if rule == Interruption::Lose {
                let (record, id) = (active.record(now), active.job.id);
                self.observer.observe(now, sequence, Occurrence::Lost(&record, lost));
                self.leave(handle, JobState::Lost);
                // Its user goes on.
                self.release_followers(id, sequence, now)?;
            } else {
                self.observer.observe(
                    now,
                    sequence,
                    Occurrence::Interrupted(&self.jobs.get(handle).job, kept, lost),
                );
            }
            self.interrupted.push(Interrupted { job: handle, on });
        }
        Ok(())
    }

    /// Lets the handles of lost jobs be given to others.
    pub(crate) fn release_lost(&mut self) {
        for Interrupted { job, .. } in self.interrupted.drain(..) {
            if self.jobs.get(job).state == JobState::Lost {
                self.jobs.release(job);
            }
        }
    }
}

/// Whether nodes are up, as schedulers may know it.
impl<'a> View<'a> {
    /// Whether nodes may go down in this simulation.
    #[must_use]
    pub fn has_outages(self) -> bool {
        self.platform.is_some()
    }
    /// Whether a node is up.
    #[must_use]
    pub fn is_up(self, node: NodeId) -> bool {
        self.platform.is_none_or(|platform| platform.is_up(node.0))
    }
    /// The windows that are announced and not over, those in force included, by announcement.
    #[must_use]
    pub fn windows(self) -> &'a [Window] {
        self.platform.map_or(&[], |platform| &platform.windows)
    }
    /// At how many moments the platform has changed: a node went down or came up, or a window was announced, began or ended.
    #[must_use]
    #[inline]
    pub fn platform_changes(self) -> u64 {
        self.platform.map_or(0, |platform| platform.version)
    }
}
