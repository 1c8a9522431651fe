//! Compares a custom policy with Greedy* of the catalogue.
//!
//! `cargo run --release --example own_policy`

use dfrsim::prelude::*;
use std::num::NonZeroU32;

/// Policy that serves the jobs with the least attained service first.
///
/// New jobs come first, then running jobs by the work done, then waiting and paused jobs in the same
/// order. Running jobs keep their nodes if the memory is still free. All running jobs get the same
/// yield.
struct LeastServedFirst;

/// State of a node while tasks are placed on it.
#[derive(Clone, Copy)]
struct Node {
    free_memory: u32,
    load: u64,
}

impl Node {
    fn add(&mut self, job: JobView<'_>, tasks: u32) {
        self.free_memory -= job.memory().units() * tasks;
        self.load += u64::from(job.cpu_need().units()) * u64::from(tasks);
    }
}

/// Places a job on its current nodes if they have enough free memory, and otherwise each task on the
/// least loaded node with enough free memory. Returns `None` if the job does not fit.
fn place(job: JobView<'_>, nodes: &mut [Node]) -> Option<Vec<NodeTasks>> {
    let memory = job.memory().units();
    let own = job.placement();
    let mut after = nodes.to_vec();
    if !own.is_empty() && own.iter().all(|part| after[part.node.index()].free_memory >= memory * part.tasks) {
        own.iter().for_each(|part| nodes[part.node.index()].add(job, part.tasks));
        return Some(own.to_vec());
    }
    let mut tasks = vec![0; after.len()];
    for _ in 0..job.tasks() {
        let fitting = (0..after.len()).filter(|&node| after[node].free_memory >= memory);
        let node = fitting.min_by_key(|&node| after[node].load)?;
        after[node].add(job, 1);
        tasks[node] += 1;
    }
    nodes.copy_from_slice(&after);
    let parts = tasks.iter().zip(0..).filter(|(tasks, _)| **tasks > 0);
    Some(parts.map(|(&tasks, node)| NodeTasks { node: NodeId(node), tasks }).collect())
}

impl Scheduler for LeastServedFirst {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        let view = situation.view;
        let mut order: Vec<JobHandle> = view.jobs().to_vec();
        order.sort_by_key(|&handle| {
            let job = view.job(handle);
            let old = !situation.submitted.contains(&handle);
            (old, job.state() != JobState::Running, job.virtual_time(), job.sequence())
        });
        let empty = Node { free_memory: Share::ONE.units(), load: 0 };
        let mut nodes = vec![empty; view.nodes() as usize];
        let placements: Vec<_> =
            order.iter().map(|&handle| (handle, place(view.job(handle), &mut nodes))).collect();
        let whole = u64::from(Share::ONE.units());
        let fullest = nodes.iter().map(|node| node.load).max().unwrap_or(0);
        let share = Yield::from_ratio(whole, fullest.max(whole));
        for (handle, placement) in placements {
            match (view.job(handle).state(), placement) {
                (JobState::Waiting, Some(on)) => decision.start(handle, on, share),
                (JobState::Paused, Some(on)) => decision.resume(handle, on, share),
                (JobState::Running, Some(on)) => decision.migrate(handle, on, share),
                (JobState::Running, None) => decision.pause(handle),
                _ => {}
            }
        }
    }
}

fn degradation(scheduler: &mut dyn Scheduler, jobs: &[Job], nodes: u32) -> f64 {
    let options = Options { penalty: SimSpan::from_secs(300), ..Options::default() };
    let mut metrics = Metrics::new(SummaryOptions::new(nodes));
    simulate(nodes, &options, jobs.to_vec(), scheduler, &mut metrics).expect("the policy keeps the rules");
    let summary = metrics.summary().expect("there are jobs");
    let bounded = summary.bounded_stretch[0];
    bounded.distribution.max / max_stretch_bound(jobs, nodes, bounded.tau).value
}

fn main() {
    let nodes = NonZeroU32::new(128).expect("128 is not zero");
    let parameters = LublinParameters { nodes, jobs: 1000, ..LublinParameters::default() };
    let greedy = Policies::standard().parse("Greedy*/OPT=MIN").expect("the policy is known");
    let (mut own, mut known) = (0.0, 0.0);
    const TRACES: u64 = 20;
    for trace in 0..TRACES {
        let jobs = generate(&parameters, Seed::new(1).fork("example").numbered(trace));
        own += degradation(&mut LeastServedFirst, &jobs, nodes.get());
        let mut scheduler = greedy.scheduler(nodes.get(), &PolicyOptions::default());
        known += degradation(&mut *scheduler, &jobs, nodes.get());
    }
    println!("mean degradation from the bound over {TRACES} traces, penalty 300 s:");
    println!("LeastServedFirst  {:8.1}", own / TRACES as f64);
    println!("{greedy}   {:8.1}", known / TRACES as f64);
}
