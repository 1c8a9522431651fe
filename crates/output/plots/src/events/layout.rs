//! Rectangles of a Gantt chart: jobs on nodes with their fractions of the CPU over time.

use super::life::Stay;
use super::lives::{JobHistories, Window};
use super::replay::Change;
use dfrsim_model::{CpuUse, Yield};
use std::collections::BTreeMap;

/// Largest number of rectangles in a figure.
pub(super) const MAX_RECTANGLES: usize = 100_000;

/// A job on a node, for an interval in which its fraction of the CPU is constant. Times are in
/// microseconds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rectangle {
    pub(super) node: u32,
    /// CPU of the node.
    pub(super) all: CpuUse,
    pub(super) part: NodeShare,
    /// CPU of the jobs below in the stack.
    pub(super) below: CpuUse,
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) begin: Edge,
    pub(super) end: Edge,
}

/// Allocation of a job on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeShare {
    /// Index of the job's history.
    pub(super) job: usize,
    pub(super) tasks: u32,
    pub(super) job_yield: Yield,
    pub(super) cpu: CpuUse,
}

/// Reason for the start or end of a rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    /// An event of the job.
    Own(Change),
    /// A change in the jobs below it in the stack.
    Shift,
}

impl Rectangle {
    /// Returns the lower and the upper end as fractions of the node's CPU.
    pub(super) fn ends(&self) -> [f64; 2] {
        [self.below, self.below + self.part.cpu].map(|cpu| cpu.as_f64() / self.all.as_f64())
    }
    /// Returns whether the job has all of the node's CPU.
    pub(super) fn fills(&self) -> bool {
        self.part.cpu == self.all
    }
}

/// Computes the rectangles that overlap a window, ordered by start, node and offset in the stack;
/// `None` if there are too many. Jobs that share a node are stacked in the order of their rows.
pub(super) fn rectangles(lives: &JobHistories, window: Window) -> Option<Vec<Rectangle>> {
    let mut nodes: BTreeMap<u32, Vec<NodeStay<'_>>> = BTreeMap::new();
    for stay in &lives.stays {
        for run in &stay.runs {
            for node in run.first..run.first + run.nodes {
                nodes.entry(node).or_default().push(NodeStay { stay, tasks: run.tasks, row: run.row });
            }
        }
    }
    let mut rectangles = Vec::new();
    for (&node, entries) in &nodes {
        stack(lives, node, entries, &mut |rectangle| {
            if window.overlaps(rectangle.from, rectangle.to) {
                rectangles.push(rectangle);
            }
        });
        if rectangles.len() > MAX_RECTANGLES {
            return None;
        }
    }
    rectangles.sort_by_key(|rectangle| (rectangle.from, rectangle.node, rectangle.below));
    Some(rectangles)
}

/// A stay of a job on one node.
#[derive(Clone, Copy)]
struct NodeStay<'a> {
    stay: &'a Stay,
    tasks: u32,
    row: u32,
}

/// Emits the rectangles of a node, whose entries are in the order of their begins.
fn stack(lives: &JobHistories, node: u32, entries: &[NodeStay<'_>], show: &mut dyn FnMut(Rectangle)) {
    let all = lives.cpus.of(node);
    let mut moments: Vec<u64> = Vec::new();
    for NodeStay { stay, .. } in entries {
        moments.extend(stay.pieces.iter().map(|piece| piece.0).chain([stay.to]));
    }
    moments.sort_unstable();
    moments.dedup();
    let mut coming = entries.iter().peekable();
    let (mut present, mut shown): (Vec<NodeStay<'_>>, Vec<(&Stay, Rectangle)>) = (Vec::new(), Vec::new());
    for now in moments {
        present.retain(|one| one.stay.to > now);
        while let Some(&one) = coming.next_if(|one| one.stay.from == now) {
            present.insert(present.partition_point(|other| other.row < one.row), one);
        }
        let mut before = std::mem::take(&mut shown);
        let mut below = CpuUse::ZERO;
        for &NodeStay { stay, tasks, .. } in &present {
            let part = part(lives, stay, tasks, now);
            let same = before.iter().position(|(_, one)| one.part == part && one.below == below);
            let new = || {
                let begin = edge(stay, now);
                Rectangle { node, all, part, below, from: now, to: now, begin, end: begin }
            };
            shown.push((stay, same.map_or_else(new, |place| before.remove(place).1)));
            below += part.cpu;
        }
        for (stay, rectangle) in before {
            // The job may have returned immediately.
            let back = present.iter().find(|other| other.stay.job == stay.job);
            let end = edge(back.map_or(stay, |other| other.stay), now);
            show(Rectangle { to: now, end, ..rectangle });
        }
    }
}

fn part(lives: &JobHistories, stay: &Stay, tasks: u32, now: u64) -> NodeShare {
    let (_, job_yield) = stay.pieces[stay.pieces.partition_point(|piece| piece.0 <= now) - 1];
    NodeShare {
        job: stay.job,
        tasks,
        job_yield,
        cpu: lives.jobs[stay.job].cpu_need.used_by(tasks, job_yield),
    }
}

/// Determines the event of a job at a time during its stay.
fn edge(stay: &Stay, now: u64) -> Edge {
    if now == stay.from {
        Edge::Own(stay.begin)
    } else if now == stay.to {
        stay.end.map_or(Edge::Shift, Edge::Own)
    } else if stay.pieces.binary_search_by_key(&now, |piece| piece.0).is_ok() {
        Edge::Own(Change::Yield)
    } else {
        Edge::Shift
    }
}
