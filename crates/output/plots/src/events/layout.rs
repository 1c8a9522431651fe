//! Which part of which node's CPU each job has, and when: the rectangles of a Gantt chart.

use super::life::Stay;
use super::lives::{Lives, Window};
use super::replay::Change;
use dfrsim_model::{CpuUse, Yield};
use std::collections::BTreeMap;

/// The largest number of rectangles that is drawn.
pub(super) const MOST_RECTANGLES: usize = 100_000;

/// A job on a node for a time in which its part of the CPU is the same. Times are in microseconds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rectangle {
    pub(super) node: u32,
    /// All that the node has.
    pub(super) all: CpuUse,
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
    /// The place of its life.
    pub(super) job: usize,
    pub(super) tasks: u32,
    pub(super) job_yield: Yield,
    pub(super) cpu: CpuUse,
}

/// Why a rectangle begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    /// Something happens to the job.
    Own(Change),
    /// The job stays as it is, but what is below it changes.
    Shift,
}

impl Rectangle {
    /// Its lower and its upper end, as parts of the node.
    pub(super) fn ends(&self) -> [f64; 2] {
        [self.below, self.below + self.part.cpu].map(|cpu| cpu.as_f64() / self.all.as_f64())
    }
    /// Whether it has all of the node.
    pub(super) fn fills(&self) -> bool {
        self.part.cpu == self.all
    }
}

/// The rectangles that are at least partly in a window, by their begin, then node by node from below; `None` if there are too
/// many. Jobs that share a node are stacked in the order of their rows.
pub(super) fn rectangles(lives: &Lives, window: Window) -> Option<Vec<Rectangle>> {
    let mut nodes: BTreeMap<u32, Vec<Entry<'_>>> = BTreeMap::new();
    for stay in &lives.stays {
        for run in &stay.runs {
            for node in run.first..run.first + run.nodes {
                nodes.entry(node).or_default().push(Entry { stay, tasks: run.tasks, row: run.row });
            }
        }
    }
    let mut rectangles = Vec::new();
    for (&node, entries) in &nodes {
        stack(lives, node, entries, &mut |rectangle| {
            if window.sees(rectangle.from, rectangle.to) {
                rectangles.push(rectangle);
            }
        });
        if rectangles.len() > MOST_RECTANGLES {
            return None;
        }
    }
    rectangles.sort_by_key(|rectangle| (rectangle.from, rectangle.node, rectangle.below));
    Some(rectangles)
}

/// A stay on a node.
#[derive(Clone, Copy)]
struct Entry<'a> {
    stay: &'a Stay,
    tasks: u32,
    row: u32,
}

/// Shows the rectangles of a node, given its entries in the order of their begins.
fn stack(lives: &Lives, node: u32, entries: &[Entry<'_>], show: &mut dyn FnMut(Rectangle)) {
    let all = lives.cpus.of(node);
    let mut moments: Vec<u64> = Vec::new();
    for Entry { stay, .. } in entries {
        moments.extend(stay.pieces.iter().map(|piece| piece.0).chain([stay.to]));
    }
    moments.sort_unstable();
    moments.dedup();
    let mut coming = entries.iter().peekable();
    let (mut present, mut shown): (Vec<Entry<'_>>, Vec<(&Stay, Rectangle)>) = (Vec::new(), Vec::new());
    for now in moments {
        present.retain(|one| one.stay.to > now);
        while let Some(&one) = coming.next_if(|one| one.stay.from == now) {
            present.insert(present.partition_point(|other| other.row < one.row), one);
        }
        let mut before = std::mem::take(&mut shown);
        let mut below = CpuUse::ZERO;
        for &Entry { stay, tasks, .. } in &present {
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
            // The job may have come back at once.
            let back = present.iter().find(|other| other.stay.job == stay.job);
            let end = edge(back.map_or(stay, |other| other.stay), now);
            show(Rectangle { to: now, end, ..rectangle });
        }
    }
}

fn part(lives: &Lives, stay: &Stay, tasks: u32, now: u64) -> Part {
    let (_, job_yield) = stay.pieces[stay.pieces.partition_point(|piece| piece.0 <= now) - 1];
    Part { job: stay.job, tasks, job_yield, cpu: lives.jobs[stay.job].cpu_need.used_by(tasks, job_yield) }
}

/// What happens to a job at a moment of its stay.
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
