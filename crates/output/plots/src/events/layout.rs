//! Which part of which node's CPU each job has, and when: the rectangles of a Gantt chart.

use super::fault::EventsFault;
use super::replay::{Change, Job, Watch};
use dfrsim_model::{CpuUse, Yield};
use std::collections::{BTreeMap, BTreeSet};

/// The largest number of rectangles that is kept.
pub(super) const MOST_RECTANGLES: usize = 100_000;

/// A job on a node for a time in which its part of the CPU is the same. Times are in microseconds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rectangle {
    pub(super) node: u32,
    pub(super) part: Part,
    /// What the jobs below it have.
    pub(super) below: CpuUse,
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) begin: Edge,
    pub(super) end: Edge,
}

/// What a job has of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The job's place in the order of submission.
    pub(super) sequence: u64,
    /// The job's number in its log.
    pub(super) id: u64,
    pub(super) tasks: u32,
    pub(super) job_yield: Yield,
    pub(super) cpu: CpuUse,
}

/// Nodes that are down for a time, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Downtime {
    pub(super) node: u32,
    pub(super) from: u64,
    pub(super) to: u64,
}

/// Why a rectangle begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    /// Something happens to the job.
    Own(Change),
    /// The job stays as it is, but what is below it changes.
    Shift,
}

/// The nodes over time. On each, jobs are stacked in the order in which they came.
#[derive(Default)]
pub(super) struct Layout {
    /// Only rectangles of this time are kept, to its end and from its begin.
    from: u64,
    to: u64,
    now: Option<u64>,
    nodes: BTreeMap<u32, Node>,
    /// Those that change at this moment.
    touched: BTreeSet<u32>,
    rectangles: Vec<Rectangle>,
    /// Nodes that are down, since when.
    down: BTreeMap<u32, u64>,
    downtimes: Vec<Downtime>,
    first: Option<u64>,
}

#[derive(Default)]
struct Node {
    /// As it was before this moment.
    shown: Vec<Shown>,
    /// As it will be.
    parts: Vec<Part>,
    /// What happens to its jobs at this moment.
    changes: Vec<(u64, Change)>,
}

struct Shown {
    part: Part,
    below: CpuUse,
    since: u64,
    begin: Edge,
}

impl Layout {
    /// Of the time from one moment to another.
    pub(super) fn new(from: u64, to: u64) -> Layout {
        Layout { from, to, ..Layout::default() }
    }
    /// The times at which nodes were down, by node; what is down at the end is so until the last event.
    pub(super) fn take_downtimes(&mut self) -> Vec<Downtime> {
        for (node, from) in std::mem::take(&mut self.down) {
            self.keep_downtime(node, from, self.now.unwrap_or(from));
        }
        self.downtimes.sort_by_key(|downtime| (downtime.node, downtime.from));
        std::mem::take(&mut self.downtimes)
    }
    fn keep_downtime(&mut self, node: u32, from: u64, to: u64) {
        if from < self.to && to > self.from {
            self.downtimes.push(Downtime { node, from, to });
        }
    }
    /// All rectangles by their begin, then node by node from below; the moments of the first and the last event.
    pub(super) fn finish(mut self) -> (Vec<Rectangle>, Option<(u64, u64)>) {
        self.rectangles.sort_by_key(|rectangle| (rectangle.from, rectangle.node, rectangle.below));
        (self.rectangles, self.first.zip(self.now))
    }

    fn advance(&mut self, at: u64) -> Result<(), EventsFault> {
        if self.now != Some(at) {
            self.settle()?;
            self.now = Some(at);
            self.first.get_or_insert(at);
        }
        Ok(())
    }

    fn touch(&mut self, node: u32, sequence: u64, change: Change) -> &mut Node {
        self.touched.insert(node);
        let node = self.nodes.entry(node).or_default();
        node.changes.push((sequence, change));
        node
    }

    /// Ends a moment: rectangles end where something is different now, and others begin.
    fn settle(&mut self) -> Result<(), EventsFault> {
        let Some(now) = self.now else { return Ok(()) };
        for number in std::mem::take(&mut self.touched) {
            let Some(node) = self.nodes.get_mut(&number) else { continue };
            let changes = std::mem::take(&mut node.changes);
            let edge = |sequence: u64| {
                let own = changes.iter().rev().find(|(job, _)| *job == sequence);
                own.map_or(Edge::Shift, |&(_, change)| Edge::Own(change))
            };
            let mut before = std::mem::take(&mut node.shown);
            let mut below = CpuUse::ZERO;
            for &part in &node.parts {
                let same = before.iter().position(|shown| shown.part == part && shown.below == below);
                node.shown.push(match same {
                    Some(index) => before.remove(index),
                    None => Shown { part, below, since: now, begin: edge(part.sequence) },
                });
                below += part.cpu;
            }
            if below > CpuUse::ONE {
                return Err(EventsFault::Overcommitted(number));
            }
            for Shown { part, below, since, begin } in before {
                if since < self.to && now > self.from {
                    let end = edge(part.sequence);
                    self.rectangles.push(Rectangle {
                        node: number,
                        part,
                        below,
                        from: since,
                        to: now,
                        begin,
                        end,
                    });
                }
            }
        }
        if self.rectangles.len() > MOST_RECTANGLES {
            return Err(EventsFault::TooMany { most: MOST_RECTANGLES });
        }
        Ok(())
    }
}

impl Watch for Layout {
    fn leave(&mut self, at: u64, job: &Job, change: Change) -> Result<(), EventsFault> {
        self.advance(at)?;
        for &(node, _) in &job.on {
            let node = self.touch(node, job.sequence, change);
            // A job whose yield changes stays in its place.
            if change != Change::Yield {
                node.parts.retain(|part| part.sequence != job.sequence);
            }
        }
        Ok(())
    }

    fn enter(&mut self, at: u64, job: &Job, change: Change) -> Result<(), EventsFault> {
        self.advance(at)?;
        for &(node, tasks) in &job.on {
            let part = Part {
                sequence: job.sequence,
                id: job.id,
                tasks,
                job_yield: job.job_yield,
                cpu: job.cpu_need.used_by(tasks, job.job_yield),
            };
            let node = self.touch(node, job.sequence, change);
            match node.parts.iter_mut().find(|known| known.sequence == job.sequence) {
                Some(known) => *known = part,
                None => node.parts.push(part),
            }
        }
        Ok(())
    }

    fn nodes(&mut self, at: u64, first: u32, nodes: u32, goes_down: bool) -> Result<(), EventsFault> {
        self.advance(at)?;
        for node in first..first + nodes {
            if goes_down {
                self.down.insert(node, at);
            } else if let Some(from) = self.down.remove(&node) {
                self.keep_downtime(node, from, at);
            }
        }
        if self.downtimes.len() > MOST_RECTANGLES {
            return Err(EventsFault::TooMany { most: MOST_RECTANGLES });
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), EventsFault> {
        self.settle()
    }
}
