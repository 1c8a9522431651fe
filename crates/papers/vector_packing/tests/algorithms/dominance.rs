//! First Fit and Best Fit with the degree of dominance, against task by task as they are defined.

use crate::small::larger_instances;
use dfrsim_model::offline::{Instance, Mapping};
use dfrsim_model::{NodeId, NodeTasks, Seed, Yield};
use dfrsim_paper_vector_packing::genetic::GeneticParameters;
use dfrsim_paper_vector_packing::{Algorithm, Dominance, PaperSettings};
use dfrsim_vector_packing::vector::{minimum_yield, search};
use dfrsim_vector_packing::{Outcome, Probes, Settings, Solved, VectorOptions};
use proptest::prelude::*;
use std::cmp::Reverse;

#[derive(Clone)]
struct Task {
    job: usize,
    size: Vec<u64>,
}

impl Task {
    fn sum(&self) -> u64 {
        self.size.iter().sum()
    }
}

/// Nodes with the jobs of their tasks.
struct Packed {
    is_complete: bool,
    jobs: Vec<Vec<usize>>,
    /// Failed fit tests by dimension.
    failed: Vec<u64>,
}

fn one_by_one(is_best_fit: bool, tasks: &[Task], instance: &Instance) -> Packed {
    let free = |node: &[u32]| node.iter().map(|&amount| u64::from(amount) << Yield::BITS).collect();
    let mut frees: Vec<Vec<u64>> = instance.nodes.iter().map(|node| free(node)).collect();
    let mut jobs = vec![Vec::new(); frees.len()];
    let mut failed = vec![0; instance.dimensions()];
    let mut is_complete = true;
    for task in tasks {
        let mut chosen: Option<usize> = None;
        for node in 0..frees.len() {
            if task.size.iter().zip(&frees[node]).all(|(size, free)| size <= free) {
                let sum = |node: usize| frees[node].iter().sum::<u64>();
                if chosen.is_none_or(|chosen| sum(node) < sum(chosen)) {
                    chosen = Some(node);
                }
                if !is_best_fit {
                    break;
                }
            } else {
                for (d, failed) in failed.iter_mut().enumerate() {
                    *failed += u64::from(task.size[d] > frees[node][d]);
                }
            }
        }
        match chosen {
            Some(node) => {
                frees[node].iter_mut().zip(&task.size).for_each(|(free, size)| *free -= size);
                jobs[node].push(task.job);
            }
            None => is_complete = false,
        }
    }
    Packed { is_complete, jobs, failed }
}

fn pack(name: &str, instance: &Instance, scaled: Yield) -> Option<Vec<Vec<usize>>> {
    let mut tasks = Vec::new();
    for (number, job) in instance.jobs.iter().enumerate() {
        let size: Vec<u64> = job.sizes_at(instance.fixed, scaled).collect();
        tasks.extend((0..job.tasks).map(|_| Task { job: number, size: size.clone() }));
    }
    tasks.sort_by_key(|task| {
        let key = match &name[5..8] {
            "SUM" => Vec::new(),
            "MAX" => vec![*task.size.iter().max().unwrap()],
            _ => task.size.clone(),
        };
        Reverse((key, task.sum()))
    });
    let is_best_fit = &name[3..5] == "BF";
    let first = one_by_one(is_best_fit, &tasks, instance);
    if first.is_complete {
        return Some(first.jobs);
    }
    // All degrees of dominance have the same denominator.
    let weighted = |task: &Task| -> u128 {
        let products = task.size.iter().zip(&first.failed);
        products.map(|(&size, &failed)| u128::from(size) * u128::from(failed)).sum()
    };
    tasks.sort_by_key(|task| Reverse((weighted(task), task.sum(), Reverse(task.job))));
    let second = one_by_one(is_best_fit, &tasks, instance);
    second.is_complete.then_some(second.jobs)
}

fn solve(name: &str, instance: &Instance, options: VectorOptions) -> Outcome {
    let mut found = None;
    search(instance, options.precision, options.probes, |at| {
        let packed = pack(name, instance, at);
        let is_packed = packed.is_some();
        found = packed.or(found.take());
        is_packed
    });
    let Some(jobs) = found else { return Outcome::Failed };
    let of_job = |job: usize| {
        let tasks = |jobs: &Vec<usize>| jobs.iter().filter(|&&other| other == job).count() as u32;
        let parts =
            jobs.iter().zip(0..).map(|(jobs, node)| NodeTasks { node: NodeId(node), tasks: tasks(jobs) });
        parts.filter(|part| part.tasks > 0).collect()
    };
    let mapping: Mapping = (0..instance.jobs.len()).map(of_job).collect();
    let minimum_yield = minimum_yield(instance, &mapping).expect("no node is overloaded");
    Outcome::Solved(Solved { mapping, minimum_yield })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn solutions_are_those_of_the_definition(
        instance in larger_instances(),
        probes in prop::sample::select(&[Probes::EndsFirst, Probes::EndsToo, Probes::Halving][..]),
    ) {
        let vector = VectorOptions { probes, ..VectorOptions::default() };
        let shared = Settings { vector, ..Settings::new(Seed::new(1)) };
        let settings = PaperSettings { shared, genetic: GeneticParameters::default() };
        for algorithm in Dominance::ALL.map(Algorithm::Dominance) {
            let expected = solve(&algorithm.to_string(), &instance, vector);
            prop_assert_eq!(algorithm.solve(&instance, &settings), expected, "{}", algorithm);
        }
    }
}
