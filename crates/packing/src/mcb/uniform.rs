//! One yield for all jobs.

use super::demand::{CPU, Demand, Kept, Layout, MEMORY, size};
use super::pinned_nodes::Pinned;
use super::yield_search::SearchRange;
use super::{PackJob, Packing};
use dfrsim_model::{Share, Yield};
use std::cmp::Reverse;

/// The jobs that can be placed freely, by what their tasks ask for; used again from call to call.
///
/// Tasks with the same need and the same memory are one class, whichever jobs they are of. As the yield is the
/// same for all, it decides only whether a class counts by its CPU or by its memory; among those that count by
/// the same, the order never changes. So the classes are sorted twice a call and merged anew for each yield.
#[derive(Debug, Default)]
pub(super) struct Classes {
    /// By decreasing need, then decreasing memory.
    classes: Vec<Class>,
    /// The same by decreasing memory, then decreasing need.
    by_memory: Vec<u32>,
    /// The jobs of the classes, class after class, each in order of submission.
    jobs: Vec<u32>,
    /// The class of each job; any number where a job is pinned.
    class_of: Vec<u32>,
    /// The jobs behind each item that was laid out last, as a part of `jobs`.
    items: Vec<(u32, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct Class {
    need: Share,
    memory: Share,
    /// The tasks of the jobs that are kept.
    tasks: u64,
    /// Where its jobs stand in `jobs`.
    jobs: (u32, u32),
}

impl Class {
    fn size(&self, at: Yield) -> [u64; 2] {
        size(self.memory, u64::from(self.need.units()) * u64::from(at.units()))
    }
}

impl Classes {
    fn sort(&mut self, jobs: &[PackJob]) {
        let free = |&index: &u32| jobs[index as usize].pinned.is_none();
        self.jobs.clear();
        self.jobs.extend((0..jobs.len() as u32).filter(free));
        self.jobs.sort_unstable_by_key(|&index| {
            let job = &jobs[index as usize];
            (Reverse((job.need, job.memory)), job.sequence, index)
        });
        self.class_of.clear();
        self.class_of.resize(jobs.len(), 0);
        self.classes.clear();
        let mut start = 0;
        let asks = |index: u32| (jobs[index as usize].need, jobs[index as usize].memory);
        for alike in self.jobs.chunk_by(|&a, &b| asks(a) == asks(b)) {
            for &index in alike {
                self.class_of[index as usize] = self.classes.len() as u32;
            }
            let (need, memory) = asks(alike[0]);
            let end = start + alike.len() as u32;
            self.classes.push(Class { need, memory, tasks: 0, jobs: (start, end) });
            start = end;
        }
        self.by_memory.clear();
        self.by_memory.extend(0..self.classes.len() as u32);
        // Classes of equal memory keep the order of their needs.
        self.by_memory.sort_unstable_by_key(|&class| (Reverse(self.classes[class as usize].memory), class));
    }
}

/// The demand of jobs that all have the same yield.
pub(super) struct Uniform<'a> {
    jobs: &'a [PackJob<'a>],
    packing: Packing,
    floor: Yield,
    classes: &'a mut Classes,
    pinned_changed: bool,
}

impl<'a> Uniform<'a> {
    pub(super) fn new(
        jobs: &'a [PackJob<'a>],
        packing: Packing,
        floor: Yield,
        classes: &'a mut Classes,
    ) -> Uniform<'a> {
        classes.sort(jobs);
        Uniform { jobs, packing, floor, classes, pinned_changed: true }
    }

    /// Appends a class to the list that is written.
    fn push(&mut self, class: u32, size: [u64; 2], layout: &mut Layout) {
        let class = self.classes.classes[class as usize];
        layout.items.push(size, class.tasks);
        self.classes.items.push(class.jobs);
    }

    /// Appends two classes that the order cannot tell apart (each has as much memory as the other has CPU):
    /// their jobs stand in order of submission.
    fn push_interleaved(&mut self, pair: [(u32, [u64; 2]); 2], kept: &Kept, layout: &mut Layout) {
        let mut rest = pair.map(|(class, _)| self.classes.classes[class as usize].jobs);
        let job = |position: u32| self.classes.jobs[position as usize];
        loop {
            let first = |(start, end): (u32, u32)| {
                (start < end).then(|| (self.jobs[job(start) as usize].sequence, job(start)))
            };
            let turn = match (first(rest[0]), first(rest[1])) {
                (None, None) => return,
                (Some(_), None) => 0,
                (None, Some(_)) => 1,
                (Some(a), Some(b)) => usize::from(b < a),
            };
            let position = rest[turn].0;
            rest[turn].0 += 1;
            let index = job(position) as usize;
            if kept.flags()[index] {
                layout.items.push(pair[turn].1, u64::from(self.jobs[index].tasks));
                self.classes.items.push((position, position + 1));
            }
        }
    }
}

impl Demand for Uniform<'_> {
    fn set_kept(&mut self, index: usize, kept: bool) {
        let job = &self.jobs[index];
        if job.pinned.is_some() {
            self.pinned_changed = true;
            return;
        }
        let class = self.classes.class_of[index] as usize;
        let tasks = &mut self.classes.classes[class].tasks;
        *tasks = if kept { *tasks + u64::from(job.tasks) } else { *tasks - u64::from(job.tasks) };
    }

    fn range(&self, kept: &Kept, nodes: u32) -> SearchRange {
        SearchRange { lowest: self.floor, highest: kept.yield_bound(nodes) }
    }

    fn arrange(&mut self, at: Yield, kept: &Kept, layout: &mut Layout) -> bool {
        if std::mem::take(&mut self.pinned_changed) {
            layout.nodes.rebuild(self.jobs.iter().zip(kept.flags()).filter(|&(_, &kept)| kept).filter_map(
                |(job, _)| {
                    let cpu = u64::from(job.need.units());
                    Some(Pinned { placement: job.pinned?, memory: job.memory, cpu })
                },
            ));
        }
        if !layout.nodes.scale(u64::from(at.units())) {
            return false;
        }

        layout.items.clear();
        self.classes.items.clear();
        let count = self.classes.classes.len();
        // The next class that counts by CPU, and the next that counts by memory, with what they ask for now.
        let by_cpu = |classes: &Classes, from: usize| {
            (from..count).map(|i| (i, &classes.classes[i])).find_map(|(i, class)| {
                let size = class.size(at);
                (class.tasks > 0 && size[CPU] > size[MEMORY]).then_some((i, i as u32, size))
            })
        };
        let by_memory = |classes: &Classes, from: usize| {
            (from..count).map(|i| (i, classes.by_memory[i])).find_map(|(i, id)| {
                let class = &classes.classes[id as usize];
                let size = class.size(at);
                (class.tasks > 0 && size[CPU] <= size[MEMORY]).then_some((i, id, size))
            })
        };
        match self.packing {
            Packing::TwoLists => {
                let mut next = by_memory(self.classes, 0);
                while let Some((i, class, size)) = next {
                    self.push(class, size, layout);
                    next = by_memory(self.classes, i + 1);
                }
                layout.items.close_list();
                let mut next = by_cpu(self.classes, 0);
                while let Some((i, class, size)) = next {
                    self.push(class, size, layout);
                    next = by_cpu(self.classes, i + 1);
                }
            }
            Packing::ChoosePack => {
                let mut a = by_memory(self.classes, 0);
                let mut b = by_cpu(self.classes, 0);
                loop {
                    let (memory_next, cpu_next) = match (a, b) {
                        (None, None) => break,
                        (Some(_), None) => (true, false),
                        (None, Some(_)) => (false, true),
                        (Some((_, _, a)), Some((_, _, b))) => {
                            let (a, b) = ((a[MEMORY], a[CPU]), (b[CPU], b[MEMORY]));
                            (a >= b, b >= a)
                        }
                    };
                    match (a, b) {
                        (Some(left), Some(right)) if memory_next && cpu_next => {
                            self.push_interleaved([(left.1, left.2), (right.1, right.2)], kept, layout);
                        }
                        (Some((_, class, size)), _) if memory_next => self.push(class, size, layout),
                        (_, Some((_, class, size))) => self.push(class, size, layout),
                        (_, None) => break,
                    }
                    if let (true, Some((i, _, _))) = (memory_next, a) {
                        a = by_memory(self.classes, i + 1);
                    }
                    if let (true, Some((i, _, _))) = (cpu_next, b) {
                        b = by_cpu(self.classes, i + 1);
                    }
                }
            }
        }
        layout.items.close_list();
        true
    }

    fn jobs_of(&self, item: usize) -> &[u32] {
        let (start, end) = self.classes.items[item];
        &self.classes.jobs[start as usize..end as usize]
    }
}
