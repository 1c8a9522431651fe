//! Reference implementation of MCB, task by task as it is defined: no counts, classes, memos or
//! lookahead.

use dfrsim_model::{CpuUse, NodeId, NodeTasks, Share, Yield};
use dfrsim_packing::mcb::{Balanced, DropRule, McbOptions, PackJob, Packing, Probes, Ties};
use std::cmp::Reverse;

const CAPACITY: u64 = (Share::ONE.units() as u64) << 20;

/// Result of the reference implementation, comparable with a
/// [`Mapping`](dfrsim_packing::mcb::Mapping).
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TwinMapping {
    pub(crate) value: Yield,
    pub(crate) kept: Vec<bool>,
    pub(crate) placements: Vec<Vec<NodeTasks>>,
}

#[derive(Clone, Copy)]
struct Task {
    job: usize,
    cpu: u64,
    memory: u64,
}

struct Node {
    cpu: u64,
    memory: u64,
    jobs: Vec<usize>,
}

impl Node {
    fn fits(&self, task: &Task) -> bool {
        self.cpu + task.cpu <= CAPACITY && self.memory + task.memory <= CAPACITY
    }
    fn put(&mut self, task: Task) {
        self.cpu += task.cpu;
        self.memory += task.memory;
        self.jobs.push(task.job);
    }
}

/// Packs jobs, given by index with their yields; returns the nodes, or `None` if they do not fit.
fn pack(nodes: u32, jobs: &[PackJob], yields: &[(usize, Yield)], options: McbOptions) -> Option<Vec<Node>> {
    let mut cluster: Vec<Node> = (0..nodes).map(|_| Node { cpu: 0, memory: 0, jobs: Vec::new() }).collect();
    let mut tasks = Vec::new();
    for &(job, at) in yields {
        let exact = u64::from(jobs[job].need.units()) * u64::from(at.units());
        let step = options.cpu_step.map_or(1, |step| u64::from(step.units()) << 20);
        let least =
            if options.cpu_step.is_none() { 0 } else { step.min(u64::from(jobs[job].need.units()) << 20) };
        let cpu = (exact / step * step).max(least);
        let task = Task { job, cpu, memory: u64::from(jobs[job].memory.units()) << 20 };
        if let Some(pinned) = jobs[job].pinned {
            for part in pinned {
                (0..part.tasks).for_each(|_| cluster[part.node.index()].put(task));
            }
        } else {
            tasks.extend((0..jobs[job].tasks).map(|_| task));
        }
    }
    if cluster.iter().any(|node| node.cpu > CAPACITY || node.memory > CAPACITY) {
        return None;
    }
    tasks.sort_by_key(|task| {
        let (large, small) = (task.cpu.max(task.memory), task.cpu.min(task.memory));
        let sequence = i64::try_from(jobs[task.job].sequence).unwrap();
        let later = options.ties == Ties::LaterFirst;
        let place = if later { (-sequence, -(task.job as i64)) } else { (sequence, task.job as i64) };
        (Reverse(large), Reverse(small), place)
    });
    match options.packing {
        Packing::ChoosePack => {
            for node in &mut cluster {
                while let Some(position) = tasks.iter().position(|task| node.fits(task)) {
                    node.put(tasks.remove(position));
                }
            }
            tasks.is_empty().then_some(cluster)
        }
        Packing::TwoLists => {
            let (mut by_cpu, mut by_memory): (Vec<Task>, Vec<Task>) =
                tasks.iter().partition(|task| task.cpu > task.memory);
            for node in &mut cluster {
                loop {
                    let memory_first = match options.balanced {
                        Balanced::Memory => node.cpu >= node.memory,
                        Balanced::Cpu => node.cpu > node.memory,
                    };
                    let (first, second) = if memory_first {
                        (&mut by_memory, &mut by_cpu)
                    } else {
                        (&mut by_cpu, &mut by_memory)
                    };
                    if let Some(position) = first.iter().position(|task| node.fits(task)) {
                        node.put(first.remove(position));
                    } else if let Some(position) = second.iter().position(|task| node.fits(task)) {
                        node.put(second.remove(position));
                    } else {
                        break;
                    }
                }
            }
            (by_cpu.is_empty() && by_memory.is_empty()).then_some(cluster)
        }
    }
}

/// Returns the yield of one of the kept jobs at a value.
type YieldAt<'a> = dyn Fn(&[usize], usize, Yield) -> Option<Yield> + 'a;

/// Search problem: its bounds for a set of jobs, and the yield of each job at a value.
struct Problem<'a> {
    nodes: u32,
    jobs: &'a [PackJob<'a>],
    options: McbOptions,
    precision: Yield,
    range: &'a dyn Fn(&[usize]) -> (Yield, Yield),
    yield_at: &'a YieldAt<'a>,
}

impl Problem<'_> {
    fn pack_at(&self, kept: &[usize], value: Yield) -> Option<Vec<Node>> {
        let yields: Option<Vec<(usize, Yield)>> =
            kept.iter().map(|&job| Some((job, (self.yield_at)(kept, job, value)?))).collect();
        pack(self.nodes, self.jobs, &yields?, self.options)
    }

    /// Bisects [0, 1], probing midpoints only.
    fn search_middles(&self, kept: &[usize]) -> Option<(Yield, Vec<Node>)> {
        let (mut success, mut failure, mut best) = (0, Yield::ONE.units(), None);
        while failure - success > self.precision.units() {
            let middle = Yield::try_from_units((success + failure) / 2).unwrap();
            match self.pack_at(kept, middle) {
                Some(cluster) => (success, best) = (middle.units(), Some((middle, cluster))),
                None => failure = middle.units(),
            }
        }
        best
    }

    fn search(&self, kept: &[usize]) -> Option<(Yield, Vec<Node>)> {
        if self.options.probes == Probes::Bisection {
            return self.search_middles(kept);
        }
        let (lowest, highest) = (self.range)(kept);
        if highest < lowest {
            return None;
        }
        if let Some(cluster) = self.pack_at(kept, highest) {
            return Some((highest, cluster));
        }
        let mut best = (lowest, self.pack_at(kept, lowest)?);
        let mut failure = highest.units();
        while failure - best.0.units() > self.precision.units() {
            let middle = Yield::try_from_units((best.0.units() + failure) / 2).unwrap();
            match self.pack_at(kept, middle) {
                Some(cluster) => best = (middle, cluster),
                None => failure = middle.units(),
            }
        }
        Some(best)
    }

    fn solve(&self) -> TwinMapping {
        let mut kept: Vec<usize> = (0..self.jobs.len()).collect();
        let mut result = self.search(&kept);
        while result.is_none() {
            kept.pop().expect("no jobs can always be packed");
            result = self.search(&kept);
        }
        if self.options.drop == DropRule::Skip {
            for job in kept.len()..self.jobs.len() {
                kept.push(job);
                let can_be_packed = match self.options.probes {
                    Probes::EndsFirst => {
                        let (lowest, highest) = (self.range)(&kept);
                        lowest <= highest && self.pack_at(&kept, lowest).is_some()
                    }
                    Probes::Bisection => self.search_middles(&kept).is_some(),
                };
                if !can_be_packed {
                    kept.pop();
                }
            }
            result = self.search(&kept);
        }
        let (value, cluster) = result.expect("the lowest value succeeded");
        let mut mapping = TwinMapping {
            value,
            kept: vec![false; self.jobs.len()],
            placements: vec![Vec::new(); self.jobs.len()],
        };
        for &job in &kept {
            mapping.kept[job] = true;
            for (node, content) in cluster.iter().enumerate() {
                let tasks = content.jobs.iter().filter(|&&other| other == job).count() as u32;
                if tasks > 0 {
                    mapping.placements[job].push(NodeTasks { node: NodeId(node as u32), tasks });
                }
            }
        }
        mapping
    }
}

pub(crate) fn map(nodes: u32, options: McbOptions, jobs: &[PackJob]) -> TwinMapping {
    let range = |kept: &[usize]| {
        let need: u64 =
            kept.iter().map(|&j| u64::from(jobs[j].need.units()) * u64::from(jobs[j].tasks)).sum();
        let capacity = u64::from(nodes) * u64::from(Share::ONE.units());
        (options.floor, if need == 0 { Yield::ONE } else { Yield::from_ratio(capacity, need) })
    };
    let precision = options.precision;
    Problem { nodes, jobs, options, precision, range: &range, yield_at: &|_, _, value| Some(value) }.solve()
}

/// Gives each job the yield level * weight / smallest kept weight, at most 1. The highest level is
/// found bit by bit.
pub(crate) fn map_weighted(
    nodes: u32,
    options: McbOptions,
    jobs: &[PackJob],
    weights: &[u32],
) -> TwinMapping {
    let yield_at = |kept: &[usize], job: usize, level: Yield| {
        let least = u64::from(kept.iter().map(|&job| weights[job]).min().unwrap());
        let units = u64::from(level.units()) * u64::from(weights[job]) / least;
        Yield::try_from_units(units.min(1 << 20) as u32)
    };
    let capacity = u128::from(nodes) * u128::from(CpuUse::ONE.units());
    let used = |kept: &[usize], job: usize, level: Yield| {
        let full = u128::from(jobs[job].need.units()) * u128::from(jobs[job].tasks);
        full * u128::from(yield_at(kept, job, level).unwrap().units())
    };
    let range = |kept: &[usize]| {
        let mut highest = Yield::ZERO;
        for digit in (0..=20).rev() {
            let level = Yield::try_from_units(highest.units() + (1 << digit));
            let fits =
                |level: &Yield| kept.iter().map(|&job| used(kept, job, *level)).sum::<u128>() <= capacity;
            highest = level.filter(fits).unwrap_or(highest);
        }
        (options.floor, highest)
    };
    let precision = options.precision;
    Problem { nodes, jobs, options, precision, range: &range, yield_at: &yield_at }.solve()
}

pub(crate) fn map_by(
    nodes: u32,
    options: McbOptions,
    jobs: &[PackJob],
    (lowest, highest): (Yield, Yield),
    yield_at: &dyn Fn(usize, Yield) -> Option<Yield>,
) -> TwinMapping {
    let precision = options.stretch_precision;
    let yield_at = |_: &[usize], job: usize, target: Yield| yield_at(job, target);
    Problem { nodes, jobs, options, precision, range: &|_| (lowest, highest), yield_at: &yield_at }.solve()
}
