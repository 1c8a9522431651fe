//! One yield for all jobs.

use super::demand::{Demand, KeptJobs, size};
use super::layout::{CPU, Layout, MEMORY};
use super::pinned_nodes::Pinned;
use super::{McbOptions, PackJob, Packing, Ties};
use crate::filling::ItemLists;
use crate::yield_search::SearchRange;
use dfrsim_model::{Share, Yield};
use std::cmp::{Ordering, Reverse};

/// The jobs that can be placed freely, by what their tasks ask for; used again from call to call.
///
/// Tasks with the same need and the same memory are one class, whichever jobs they are of. As the yield is the
/// same for all, it decides only whether a class counts by its CPU or by its memory; among those that count by
/// the same, the order never changes. So the classes are sorted twice a call and merged again for each yield.
#[derive(Debug, Default)]
pub(super) struct Classes {
    /// By decreasing need, then decreasing memory.
    classes: Vec<Class>,
    /// The same by decreasing memory, then decreasing need.
    by_memory: Vec<u32>,
    /// The jobs of the classes, class after class, each in the order of [`Ties`].
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
    /// Where its jobs are in `jobs`.
    jobs: (u32, u32),
}

impl Class {
    fn size(&self, at: Yield) -> [u64; 2] {
        size(self.memory, u64::from(self.need.units()) * u64::from(at.units()))
    }
}

impl Classes {
    fn sort(&mut self, jobs: &[PackJob], ties: Ties) {
        let free = |&index: &u32| jobs[index as usize].pinned.is_none();
        self.jobs.clear();
        self.jobs.extend((0..jobs.len() as u32).filter(free));
        self.jobs.sort_unstable_by_key(|&index| {
            let job = &jobs[index as usize];
            (Reverse((job.need, job.memory)), ties.order(job.sequence, index))
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
    ties: Ties,
    floor: Yield,
    classes: &'a mut Classes,
    pinned_changed: bool,
}

impl<'a> Uniform<'a> {
    pub(super) fn new(
        jobs: &'a [PackJob<'a>],
        options: McbOptions,
        floor: Yield,
        classes: &'a mut Classes,
    ) -> Uniform<'a> {
        let McbOptions { packing, ties, .. } = options;
        classes.sort(jobs, ties);
        Uniform { jobs, packing, ties, floor, classes, pinned_changed: true }
    }
}

/// A class and the size of its tasks at the yield that is tried.
type SizedClass<'a> = (&'a Class, [u64; 2]);

/// Writes the lists of a layout.
struct Writer<'a> {
    items: &'a mut ItemLists<2>,
    /// The jobs behind each item.
    jobs_of: &'a mut Vec<(u32, u32)>,
}

impl Writer<'_> {
    /// Appends classes to the list that is written.
    fn push<'a>(&mut self, classes: impl IntoIterator<Item = SizedClass<'a>>) {
        for (class, size) in classes {
            self.items.push(size, class.tasks);
            self.jobs_of.push(class.jobs);
        }
    }

    /// Appends two classes that are equal in the order (each has as much memory as the other has CPU): their
    /// jobs in the order of [`Ties`], which `job_at` returns, with the tasks of the job if it is kept.
    fn push_interleaved(&mut self, pair: [SizedClass; 2], job_at: impl Fn(u32) -> ((u64, u32), Option<u32>)) {
        let mut left = pair.map(|(class, _)| class.jobs);
        loop {
            let heads = left.map(|(start, end)| (start < end).then(|| job_at(start)));
            let turn = match heads {
                [None, None] => return,
                [Some((a, _)), Some((b, _))] => usize::from(b < a),
                [a, _] => usize::from(a.is_none()),
            };
            let position = left[turn].0;
            left[turn].0 += 1;
            if let Some((_, Some(tasks))) = heads[turn] {
                self.items.push(pair[turn].1, u64::from(tasks));
                self.jobs_of.push((position, position + 1));
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

    fn range(&self, kept: &KeptJobs, nodes: u32) -> SearchRange {
        SearchRange { lowest: self.floor, highest: kept.yield_bound(nodes) }
    }

    fn arrange(&mut self, at: Yield, kept: &KeptJobs, layout: &mut Layout) -> bool {
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
        let Classes { classes, by_memory, jobs, items, .. } = &mut *self.classes;
        let mut writer = Writer { items: &mut layout.items, jobs_of: items };
        let mut memory_first = by_memory
            .iter()
            .map(|&class| &classes[class as usize])
            .filter(|class| class.tasks > 0)
            .map(|class| (class, class.size(at)))
            .filter(|(_, size)| size[CPU] <= size[MEMORY])
            .peekable();
        let mut cpu_first = classes
            .iter()
            .filter(|class| class.tasks > 0)
            .map(|class| (class, class.size(at)))
            .filter(|(_, size)| size[CPU] > size[MEMORY])
            .peekable();
        match self.packing {
            Packing::TwoLists => {
                writer.push(memory_first);
                writer.items.close_list();
                writer.push(cpu_first);
            }
            Packing::ChoosePack => loop {
                let order = match (memory_first.peek(), cpu_first.peek()) {
                    (None, None) => break,
                    (Some(_), None) => Ordering::Greater,
                    (None, Some(_)) => Ordering::Less,
                    (Some((_, a)), Some((_, b))) => (a[MEMORY], a[CPU]).cmp(&(b[CPU], b[MEMORY])),
                };
                match order {
                    Ordering::Greater => writer.push(memory_first.next()),
                    Ordering::Less => writer.push(cpu_first.next()),
                    Ordering::Equal => {
                        let pair = memory_first.next().zip(cpu_first.next());
                        let (a, b) = pair.expect("both were seen");
                        writer.push_interleaved([a, b], |position| {
                            let index = jobs[position as usize];
                            let job = &self.jobs[index as usize];
                            (
                                self.ties.order(job.sequence, index),
                                kept.flags()[index as usize].then_some(job.tasks),
                            )
                        });
                    }
                }
            },
        }
        layout.items.close_list();
        true
    }

    fn jobs_of(&self, item: usize) -> &[u32] {
        let (start, end) = self.classes.items[item];
        &self.classes.jobs[start as usize..end as usize]
    }
}
