//! How long yields take: `cargo bench -p dfrsim-packing --bench shares`.

use dfrsim_model::{NodeId, NodeTasks, Rng, Seed, Share, Yield};
use dfrsim_packing::shares::{SharedJob, Shares};
use divan::Bencher;
use rand::RngExt;

const NODES: u32 = 128;
const JOBS: [usize; 3] = [10, 30, 100];

fn main() {
    divan::main();
}

struct Mapped {
    need: Share,
    placement: Vec<NodeTasks>,
}

/// Jobs of 1 to 128 tasks, most of them a power of two, each task on one of the least loaded nodes that have
/// memory for it: nearly what Greedy makes of the unscaled synthetic workloads.
fn mapping(rng: &mut Rng, jobs: usize) -> Vec<Mapped> {
    let mut load = vec![0_u32; NODES as usize];
    let mut memory = vec![10_u32; NODES as usize];
    let mut mapped = Vec::new();
    for _ in 0..jobs {
        let tasks = 1_u32 << rng.random_range(0..=7);
        let tasks = if rng.random_bool(0.25) { rng.random_range(1..=tasks) } else { tasks };
        let quarters = if tasks == 1 { 1 } else { [1, 2, 4, 4][rng.random_range(0..4)] };
        let tenths = if rng.random_bool(0.55) { 1 } else { rng.random_range(1..=4) };
        let mut placed = vec![0; NODES as usize];
        for _ in 0..tasks {
            let fitting = (0..NODES as usize).filter(|&node| memory[node] >= tenths);
            let Some(node) = fitting.min_by_key(|&node| (load[node], node)) else { break };
            load[node] += quarters;
            memory[node] -= tenths;
            placed[node] += 1;
        }
        let placement: Vec<NodeTasks> = (0..NODES)
            .filter(|&node| placed[node as usize] > 0)
            .map(|node| NodeTasks { node: NodeId(node), tasks: placed[node as usize] })
            .collect();
        mapped.push(Mapped { need: Share::from_ratio(u64::from(quarters), 4), placement });
    }
    mapped
}

fn mappings(jobs: usize) -> Vec<Vec<Mapped>> {
    let seed = Seed::new(1).fork("shares");
    (0..32).map(|number| mapping(&mut seed.numbered(number).rng(), jobs)).collect()
}

fn shared(mapped: &[Mapped]) -> Vec<SharedJob<'_>> {
    mapped.iter().map(|job| SharedJob { need: job.need, placement: &job.placement }).collect()
}

/// One call a mapping, over all mappings in turn.
fn each_mapping(
    bencher: Bencher<'_, '_>,
    jobs: usize,
    call: fn(&mut Shares, &[SharedJob<'_>], &mut Vec<Yield>),
) {
    let mappings = mappings(jobs);
    let mappings: Vec<Vec<SharedJob<'_>>> = mappings.iter().map(|mapped| shared(mapped)).collect();
    let mut shares = Shares::new(NODES);
    let mut yields = Vec::new();
    let mut turn = mappings.iter().cycle();
    bencher.bench_local(|| {
        let jobs = turn.next().expect("it goes round for ever");
        call(&mut shares, jobs, &mut yields);
        yields.last().copied()
    });
}

#[divan::bench(args = JOBS)]
fn common(bencher: Bencher<'_, '_>, jobs: usize) {
    each_mapping(bencher, jobs, |shares, jobs, yields| {
        yields.clear();
        yields.push(shares.common(jobs));
    });
}

#[divan::bench(args = JOBS)]
fn max_min(bencher: Bencher<'_, '_>, jobs: usize) {
    each_mapping(bencher, jobs, Shares::max_min);
}

#[divan::bench(args = JOBS)]
fn max_average(bencher: Bencher<'_, '_>, jobs: usize) {
    each_mapping(bencher, jobs, Shares::max_average);
}
