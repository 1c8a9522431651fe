//! Reference implementations of the algorithms, task by task as they are defined: no counts, blocks,
//! memos or lookahead.

use dfrsim_model::offline::{Instance, Mapping, Solved};
use dfrsim_model::{NodeId, NodeTasks, Yield};
use dfrsim_vector_packing::vector::{Claimed, ListOrder, Options, Probes};
use std::cmp::Ordering;
use std::collections::BTreeMap;

const ONE: u64 = 1 << 20;

#[derive(Clone, Debug)]
struct Task {
    job: usize,
    size: Vec<u64>,
}

struct Node {
    free: Vec<u64>,
    jobs: Vec<usize>,
}

impl Node {
    fn fits(&self, task: &Task) -> bool {
        task.size.iter().zip(&self.free).all(|(size, free)| size <= free)
    }
    fn put(&mut self, task: &Task) {
        self.free.iter_mut().zip(&task.size).for_each(|(free, size)| *free -= size);
        self.jobs.push(task.job);
    }
    fn free_sum(&self) -> u64 {
        self.free.iter().sum()
    }
}

/// Compares two tasks by a criterion, given as the suffix of its name.
fn compare(criterion: &str, a: &Task, b: &Task) -> Ordering {
    let max = |task: &Task| *task.size.iter().max().unwrap();
    let min = |task: &Task| *task.size.iter().min().unwrap();
    let sum = |task: &Task| task.size.iter().sum::<u64>();
    let by_criterion = match criterion {
        "SUM" => Ordering::Equal,
        "MAX" => max(a).cmp(&max(b)),
        "LEX" => a.size.cmp(&b.size),
        "DIFF" => (max(a) - min(a)).cmp(&(max(b) - min(b))),
        "RATIO" => {
            // A task without demand has a ratio of 1; with a smallest demand of 0 the ratio is
            // infinite.
            let parts =
                |task| if max(task) == 0 { (1, 1) } else { (u128::from(max(task)), u128::from(min(task))) };
            let ((max_a, min_a), (max_b, min_b)) = (parts(a), parts(b));
            match (min_a, min_b) {
                (0, 0) => Ordering::Equal,
                (0, _) => Ordering::Greater,
                (_, 0) => Ordering::Less,
                _ => (max_a * min_b).cmp(&(max_b * min_a)),
            }
        }
        _ => panic!("no criterion {criterion}"),
    };
    by_criterion.then(sum(a).cmp(&sum(b)))
}

/// Places task after task.
fn one_by_one(best: bool, tasks: &[Task], mut nodes: Vec<Node>) -> (bool, Vec<Node>) {
    let mut all = true;
    for task in tasks {
        let mut chosen = None;
        for number in 0..nodes.len() {
            if nodes[number].fits(task) {
                if chosen.is_none_or(|chosen: usize| nodes[number].free_sum() < nodes[chosen].free_sum()) {
                    chosen = Some(number);
                }
                if !best {
                    break;
                }
            }
        }
        match chosen {
            Some(number) => nodes[number].put(task),
            None => all = false,
        }
    }
    (all, nodes)
}

/// Returns this many dimensions in the order of decreasing amounts, the lower of equal ones first.
fn largest(amounts: &[u64], count: usize) -> Vec<usize> {
    let mut ranked: Vec<usize> = (0..amounts.len()).collect();
    ranked.sort_by_key(|&d| std::cmp::Reverse(amounts[d]));
    ranked.truncate(count);
    ranked
}

/// Packs with Permutation Pack if `ordered`, otherwise with Choose Pack.
fn by_lists(ordered: bool, order: ListOrder, tasks: Vec<Task>, mut nodes: Vec<Node>) -> (bool, Vec<Node>) {
    let dimensions = nodes[0].free.len();
    let window = dimensions.min(2);
    let name = |mut list: Vec<usize>| {
        if !ordered {
            list.sort_unstable();
        }
        list
    };
    let mut lists: BTreeMap<Vec<usize>, Vec<Task>> = BTreeMap::new();
    for task in tasks {
        lists.entry(name(largest(&task.size, window))).or_default().push(task);
    }
    for node in &mut nodes {
        'next: loop {
            let ranked = largest(&node.free, dimensions);
            let orders: Vec<Vec<usize>> = if window == 1 {
                vec![vec![0]]
            } else {
                let ranks = (0..dimensions).flat_map(|a| (0..dimensions).map(move |b| [a, b]));
                let mut ranks: Vec<[usize; 2]> = ranks.filter(|pair| pair[0] != pair[1]).collect();
                if order == ListOrder::ByPair {
                    ranks.sort_by_key(|&[a, b]| (a.max(b), a.min(b), ranked[a]));
                }
                ranks.into_iter().map(|pair| pair.map(|rank| ranked[rank]).to_vec()).collect()
            };
            for list in orders {
                let Some(list) = lists.get_mut(&name(list)) else { continue };
                if let Some(position) = list.iter().position(|task| node.fits(task)) {
                    node.put(&list.remove(position));
                    continue 'next;
                }
            }
            break;
        }
    }
    (lists.values().all(Vec::is_empty), nodes)
}

/// Fills node by node with the task of the best score; ties go to the first job.
fn by_score(dot_product: bool, mut tasks: Vec<Task>, mut nodes: Vec<Node>) -> (bool, Vec<Node>) {
    let dimensions = nodes[0].free.len();
    let rough = |amount: u64| u128::from(amount / ONE);
    let weight =
        |d: usize| tasks.iter().map(|task| rough(task.size[d])).sum::<u128>() / tasks.len().max(1) as u128;
    let weights: Vec<u128> = (0..dimensions).map(weight).collect();
    for node in &mut nodes {
        while let Some(best) = (0..tasks.len()).filter(|&at| node.fits(&tasks[at])).reduce(|best, at| {
            let score = |task: &Task| -> u128 {
                (0..dimensions)
                    .map(|d| {
                        let (free, size) = (node.free[d], task.size[d]);
                        let suits =
                            if dot_product { rough(free) * rough(size) } else { rough(free - size).pow(2) };
                        weights[d] * suits
                    })
                    .sum()
            };
            let (one, other) = (score(&tasks[best]), score(&tasks[at]));
            let better = if dot_product { other > one } else { other < one };
            if better { at } else { best }
        }) {
            node.put(&tasks.remove(best));
        }
    }
    (tasks.is_empty(), nodes)
}

fn pack(instance: &Instance, name: &str, options: Options, scaled: u64) -> Option<Vec<Node>> {
    let mut tasks = Vec::new();
    for (number, job) in instance.jobs.iter().enumerate() {
        let least = u64::from(job.least_yield.units());
        let unscaled = least + (ONE - least) * scaled / ONE;
        let factor = |d| if d < instance.fixed { ONE } else { unscaled };
        let size: Vec<u64> =
            job.demand.iter().enumerate().map(|(d, &amount)| u64::from(amount) * factor(d)).collect();
        (0..job.tasks).for_each(|_| tasks.push(Task { job: number, size: size.clone() }));
    }
    let nodes = || -> Vec<Node> {
        let free = |node: &[u32]| node.iter().map(|&amount| u64::from(amount) * ONE).collect();
        instance.nodes.iter().map(|node| Node { free: free(node), jobs: Vec::new() }).collect()
    };
    if let "VP_DOTPRODUCT" | "VP_NORM" = name {
        let (all, nodes) = by_score(name == "VP_DOTPRODUCT", tasks, nodes());
        return all.then_some(nodes);
    }
    let (rule, criterion, increasing) = match name {
        "MCB1" => ("PP", "SUM", true),
        "MCB2" => ("PP", "DIFF", true),
        "MCB3" => ("PP", "RATIO", true),
        "MCB4" => ("PP", "MAX", true),
        "MCB5" => ("PP", "SUM", false),
        "MCB6" => ("PP", "DIFF", false),
        "MCB7" => ("PP", "RATIO", false),
        "MCB8" => ("PP", "MAX", false),
        _ => (&name[3..5], &name[5..], false),
    };
    tasks.sort_by(|a, b| {
        let order = compare(criterion, a, b);
        if increasing { order } else { order.reverse() }
    });
    if rule == "PP" || rule == "CP" {
        let lists = if name.starts_with("MCB") { ListOrder::ByRank } else { options.lists };
        let (all, nodes) = by_lists(rule == "PP", lists, tasks, nodes());
        return all.then_some(nodes);
    }
    let (all, packed) = one_by_one(rule == "BF", &tasks, nodes());
    all.then_some(packed)
}

/// Returns the largest scaled yield in [0, 2^20] at which no demand exceeds its capacity; demands
/// are exact.
fn largest_yield(demands: &[(u128, Vec<(u128, u64)>)]) -> Option<u64> {
    let holds = |scaled: u64| {
        demands.iter().all(|(capacity, amounts)| {
            let demand: u128 = amounts
                .iter()
                .map(|&(amount, least)| amount * u128::from(least * ONE + (ONE - least) * scaled))
                .sum();
            demand <= capacity * u128::from(ONE * ONE)
        })
    };
    let (mut low, mut high) = (holds(0).then_some(0)?, ONE);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if holds(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    Some(low)
}

/// Returns the capacity and the demands for each resource of several nodes together; `on` returns
/// the number of a job's tasks there.
fn demands(instance: &Instance, nodes: &[usize], on: impl Fn(usize) -> u32) -> Vec<(u128, Vec<(u128, u64)>)> {
    (0..instance.dimensions())
        .map(|d| {
            let capacity = nodes.iter().map(|&node| u128::from(instance.nodes[node][d])).sum();
            let amounts = instance.jobs.iter().enumerate().map(|(number, job)| {
                let least = if d < instance.fixed { ONE } else { u64::from(job.least_yield.units()) };
                (u128::from(job.demand[d]) * u128::from(on(number)), least)
            });
            (capacity, amounts.collect())
        })
        .collect()
}

pub(crate) fn bound(instance: &Instance) -> Option<u64> {
    let all: Vec<usize> = (0..instance.nodes.len()).collect();
    largest_yield(&demands(instance, &all, |job| instance.jobs[job].tasks))
}

pub(crate) fn solve(instance: &Instance, name: &str, options: Options) -> Option<Solved> {
    let highest = bound(instance)?;
    let ends = options.probes != Probes::Halving;
    let mut packed = if ends { pack(instance, name, options, highest) } else { None };
    let mut probed = highest;
    if packed.is_none() {
        let (mut success, mut failure) = (0, highest);
        if ends {
            packed = pack(instance, name, options, 0);
            if packed.is_none() && options.probes == Probes::EndsFirst {
                return None;
            }
        }
        while failure - success > u64::from(options.precision.units().max(1)) {
            let middle = (success + failure) / 2;
            match pack(instance, name, options, middle) {
                Some(nodes) => (success, packed) = (middle, Some(nodes)),
                None => failure = middle,
            }
        }
        probed = success;
    }
    let nodes = packed?;
    let tasks = |job: usize, node: &Node| node.jobs.iter().filter(|&&other| other == job).count() as u32;
    let mapping: Mapping = (0..instance.jobs.len())
        .map(|job| {
            let parts = nodes.iter().zip(0..);
            let parts =
                parts.map(|(node, number)| NodeTasks { node: NodeId(number), tasks: tasks(job, node) });
            parts.filter(|part| part.tasks > 0).collect()
        })
        .collect();
    let exact = minimum_yield(instance, &mapping).expect("no node is over-committed");
    let units = if options.claimed == Claimed::Exact { exact } else { probed };
    let units = u32::try_from(units).unwrap();
    Some(Solved { mapping, minimum_yield: Yield::try_from_units(units).unwrap() })
}

/// Returns the largest minimum yield under a mapping.
pub(crate) fn minimum_yield(instance: &Instance, mapping: &Mapping) -> Option<u64> {
    let yields = (0..instance.nodes.len()).map(|node| {
        let on_node = |job: usize| {
            mapping[job].iter().filter(|part| part.node.index() == node).map(|part| part.tasks).sum()
        };
        largest_yield(&demands(instance, &[node], on_node))
    });
    yields.min().expect("there are nodes")
}
