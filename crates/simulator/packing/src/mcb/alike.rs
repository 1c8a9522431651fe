//! Packing jobs onto identical nodes.

use super::demand::{KeptJobs, list_count, size, sort_key};
use super::layout::PackingState;
use super::pinned_nodes::Pinned;
use super::placements::Placements;
use super::search::PackingProblem;
use super::{McbOptions, PackJob, SearchValues, Ties};
use crate::yield_search::SearchRange;
use dfrsim_model::{CpuUse, Share, Yield};
use std::cmp::Reverse;

/// Classes of the jobs that can be placed freely, by the requirements of their tasks; reused from
/// call to call.
///
/// If all jobs have the same yield, tasks with the same need and the same memory form one class,
/// regardless of the job; otherwise each job is a class of its own. The order of the classes at one
/// value is much like that at the next, so sorting again is cheap.
#[derive(Debug, Default)]
pub(super) struct TaskClasses {
    classes: Vec<TaskClass>,
    /// Jobs of the classes, class after class, each in the order of [`Ties`]; then those of items
    /// that combine several classes.
    jobs: Vec<u32>,
    /// Jobs that cannot be placed freely.
    pinned: Vec<u32>,
    /// Class of each job; arbitrary for pinned jobs.
    class_of: Vec<u32>,
    /// Classes in list order at the value tried last, each with its sort key.
    ranked: Vec<(u128, u32)>,
    /// Jobs of each item, as a range of `jobs`.
    items: Vec<(u32, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct TaskClass {
    /// Size of a task at the value tried last.
    size: [u64; 2],
    /// Number of tasks of the kept jobs.
    tasks: u64,
    /// Range of its jobs in `jobs`.
    jobs: (u32, u32),
}

impl TaskClasses {
    /// Builds the classes: of equal jobs if `together`, otherwise of one job each.
    pub(super) fn of(&mut self, jobs: &[PackJob], ties: Ties, together: bool) -> &mut TaskClasses {
        let asks = |index: u32| (jobs[index as usize].need, jobs[index as usize].memory);
        self.jobs.clear();
        self.pinned.clear();
        for (index, job) in (0..).zip(jobs) {
            if job.pinned.is_none() { &mut self.jobs } else { &mut self.pinned }.push(index);
        }
        if together {
            let order = |index: u32| ties.order(jobs[index as usize].sequence, index);
            self.jobs.sort_unstable_by_key(|&index| (Reverse(asks(index)), order(index)));
        }
        self.class_of.clear();
        self.class_of.resize(jobs.len(), 0);
        self.classes.clear();
        let mut start = 0;
        for alike in self.jobs.chunk_by(|&a, &b| together && asks(a) == asks(b)) {
            for &index in alike {
                self.class_of[index as usize] = self.classes.len() as u32;
            }
            let end = start + alike.len() as u32;
            self.classes.push(TaskClass { size: [0; 2], tasks: 0, jobs: (start, end) });
            start = end;
        }
        self.ranked.clear();
        self.ranked.extend((0..self.classes.len() as u32).map(|class| (0, class)));
        self
    }
}

/// Packing problem on identical nodes, for jobs whose yields are functions of the searched value.
pub(super) struct IdenticalNodes<'a, F> {
    pub(super) jobs: &'a [PackJob<'a>],
    pub(super) nodes: u32,
    pub(super) options: McbOptions,
    pub(super) values: SearchValues<F>,
    /// Empty at first.
    pub(super) kept: &'a mut KeptJobs,
    pub(super) layout: &'a mut PackingState,
    pub(super) classes: &'a mut TaskClasses,
}

/// Rounds the CPU of a task down to whole steps, but not below one step (or the need, if that is
/// less).
fn rounded_to_steps(cpu: u64, need: Share, step: Share) -> u64 {
    let [step, need] = [step, need].map(|share| u64::from(share.units()) << Yield::BITS);
    (cpu - cpu % step.max(1)).max(step.min(need))
}

impl<F: Fn(usize, Yield, u32) -> Option<Yield>> IdenticalNodes<'_, F> {
    /// Sets up the items of the kept jobs at a value; returns false if a packing is clearly
    /// impossible.
    fn set_up_items(&mut self, value: Yield) -> bool {
        let IdenticalNodes { jobs, options, ref values, ref kept, ref mut layout, .. } = *self;
        let TaskClasses { classes, jobs: by_class, pinned, class_of, ranked, items } = &mut *self.classes;
        by_class.truncate(classes.last().map_or(0, |class| class.jobs.1 as usize));
        let least = kept.min_weight();
        let cpu_of = |index: usize| {
            let need = jobs[index].need;
            let exact = u64::from(need.units()) * u64::from((values.yield_at)(index, value, least)?.units());
            Some(options.cpu_step.map_or(exact, |step| rounded_to_steps(exact, need, step)))
        };
        for (at, class) in &mut *ranked {
            let class = &mut classes[*class as usize];
            if class.tasks > 0 {
                let first = by_class[class.jobs.0 as usize] as usize;
                let Some(cpu) = cpu_of(first) else { return false };
                class.size = size(jobs[first].memory, cpu);
                *at = sort_key(options.packing, class.size);
            }
        }
        let pinned = || pinned.iter().map(|&index| index as usize).filter(|&index| kept.flags()[index]);
        let in_use = pinned().filter_map(|index| {
            let job = &jobs[index];
            Some(Pinned { placement: job.pinned?, memory: job.memory, cpu: cpu_of(index)? })
        });
        if pinned().any(|index| cpu_of(index).is_none()) || !layout.nodes.rebuild(in_use) {
            return false;
        }

        ranked.sort();
        layout.items.clear();
        items.clear();
        let mut rest = &**ranked;
        for list in 0..list_count(options.packing) {
            let own;
            (own, rest) = rest.split_at(rest.partition_point(|&(rank, _)| rank >> 126 <= list));
            for equal in own.chunk_by(|a, b| a.0 == b.0) {
                if let &[(_, class)] = equal {
                    let TaskClass { size, tasks, jobs } = classes[class as usize];
                    if tasks > 0 {
                        layout.items.push(size, tasks);
                        items.push(jobs);
                    }
                    continue;
                }
                // Different classes may be equal in the order, for example if one has as much memory
                // as the other has CPU.
                let mut start = by_class.len();
                for &(_, class) in equal {
                    let TaskClass { tasks, jobs: (from, until), .. } = classes[class as usize];
                    if tasks > 0 {
                        by_class.extend_from_within(from as usize..until as usize);
                    }
                }
                let order = |&job: &u32| options.ties.order(jobs[job as usize].sequence, job);
                by_class[start..].sort_unstable_by_key(order);
                let size_of = |job: u32| classes[class_of[job as usize] as usize].size;
                for alike in by_class[start..].chunk_by(|&a, &b| size_of(a) == size_of(b)) {
                    let kept = alike.iter().filter(|&&job| kept.flags()[job as usize]);
                    let tasks = kept.map(|&job| u64::from(jobs[job as usize].tasks)).sum();
                    layout.items.push(size_of(alike[0]), tasks);
                    items.push((start as u32, (start + alike.len()) as u32));
                    start += alike.len();
                }
            }
            layout.items.close_list();
        }
        true
    }

    /// Returns the number of tasks in the class of a job; `None` if the job is pinned.
    fn tasks(&mut self, job: usize) -> Option<&mut u64> {
        let class = self.classes.class_of[job] as usize;
        self.jobs[job].pinned.is_none().then(|| &mut self.classes.classes[class].tasks)
    }
}

impl<F: Fn(usize, Yield, u32) -> Option<Yield>> PackingProblem for IdenticalNodes<'_, F> {
    fn try_keep(&mut self, job: usize) -> bool {
        self.kept.insert(job, &self.jobs[job]);
        let may_fit = self.kept.may_fit(self.nodes);
        let added = u64::from(self.jobs[job].tasks);
        self.tasks(job).into_iter().for_each(|tasks| *tasks += added);
        if !may_fit {
            self.drop_job(job);
        }
        may_fit
    }
    fn drop_job(&mut self, job: usize) {
        self.kept.remove(job, &self.jobs[job]);
        let left = u64::from(self.jobs[job].tasks);
        self.tasks(job).into_iter().for_each(|tasks| *tasks -= left);
    }
    fn is_kept(&self, job: usize) -> bool {
        self.kept.flags()[job]
    }
    fn range(&self) -> SearchRange {
        if let (None, Some(highest)) = (self.values.highest, self.kept.yield_bound(self.nodes)) {
            return SearchRange { lowest: self.values.lowest, highest };
        }
        let capacity = u128::from(self.nodes) * u128::from(CpuUse::ONE.units());
        let least = self.kept.min_weight();
        self.values.range(|value| {
            let used = |(index, job): (usize, &PackJob)| {
                let at = (self.values.yield_at)(index, value, least).map_or(0, Yield::units);
                u128::from(job.tasks) * u128::from(job.need.units()) * u128::from(at)
            };
            let kept = self.jobs.iter().enumerate().filter(|(index, _)| self.kept.flags()[*index]);
            kept.map(used).sum::<u128>() <= capacity
        })
    }
    fn packs_at(&mut self, value: Yield) -> bool {
        self.set_up_items(value) && self.layout.pack(self.options)
    }
    fn write_placements(mut self, found: Option<Yield>, placements: &mut Placements) -> Yield {
        placements.reset(self.jobs, self.nodes);
        let Some(value) = found else { return self.range().highest };
        // Set up again as it was when the packing was found, since the items map tasks to jobs.
        self.set_up_items(value);
        let TaskClasses { jobs, items, .. } = &*self.classes;
        let jobs_of = |item: usize| &jobs[items[item].0 as usize..items[item].1 as usize];
        placements.assign_tasks(&self.layout.found, self.jobs, self.kept, jobs_of, items.len());
        value
    }
}
