//! Benchmarks of the computation of yields: `cargo bench -p dfrsim-packing --bench shares`.

use dfrsim_model::{NodeId, NodeTasks, Rng, Seed, Share, SimSpan, VirtualTime, Yield};
use dfrsim_packing::shares::{SharedJob, Shares, StretchJob};
use divan::Bencher;
use rand::RngExt;

const NODES: u32 = 128;
const PERIOD: SimSpan = SimSpan::from_secs(600);
const JOBS: [usize; 3] = [10, 30, 100];

fn main() {
    divan::main();
}

struct Mapped {
    need: Share,
    placement: Vec<NodeTasks>,
}

/// Placement rules for the tasks of a job, among the nodes with enough free memory.
#[derive(Clone, Copy)]
enum Placing {
    /// The least loaded node for each task, as under Greedy; the loads become nearly equal.
    Balanced,
    /// A random node.
    Scattered,
}

/// Generates a mapping of jobs of 1 to 128 tasks, most of them powers of two. CPU needs and memory
/// are similar to those of the unscaled synthetic workloads of the study.
fn mapping(rng: &mut Rng, jobs: usize, placing: Placing) -> Vec<Mapped> {
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
            let chosen = match placing {
                Placing::Balanced => fitting.min_by_key(|&node| (load[node], node)),
                Placing::Scattered => fitting.min_by_key(|_| rng.random::<u32>()),
            };
            let Some(node) = chosen else { break };
            load[node] += quarters;
            memory[node] -= tenths;
            placed[node] += 1;
        }
        let parts = (0..).map(NodeId).zip(placed).filter(|&(_, tasks)| tasks > 0);
        let placement = parts.map(|(node, tasks)| NodeTasks { node, tasks }).collect();
        mapped.push(Mapped { need: Share::from_ratio(u64::from(quarters), 4), placement });
    }
    mapped
}

/// Measures `call` on 64 mappings in turn; one iteration is one call.
fn each_mapping<F>(bencher: Bencher<'_, '_>, jobs: usize, placing: Placing, call: F)
where
    F: Fn(&mut Shares, &[StretchJob<'_>], &[SharedJob<'_>], &mut Vec<Yield>),
{
    let seed = Seed::new(1).fork("shares");
    let mappings: Vec<Vec<Mapped>> =
        (0..64).map(|number| mapping(&mut seed.numbered(number).rng(), jobs, placing)).collect();
    let mut shares = Shares::new(NODES);
    let jobs: Vec<(Vec<StretchJob<'_>>, Vec<SharedJob<'_>>)> =
        mappings.iter().map(|mapped| (stretched(mapped, &mut shares), shared(mapped))).collect();
    let mut yields = Vec::new();
    let mut turn = jobs.iter().cycle();
    bencher.bench_local(|| {
        let (stretched, shared) = turn.next().expect("it goes round for ever");
        call(&mut shares, stretched, shared, &mut yields);
        yields.last().copied()
    });
}

fn shared(mapped: &[Mapped]) -> Vec<SharedJob<'_>> {
    mapped.iter().map(|job| SharedJob { need: job.need, placement: &job.placement, size: None }).collect()
}

/// Creates jobs submitted at intervals of 100 s that have run at a yield of one half; their minimum
/// yield is half the common yield of the mapping.
fn stretched<'a>(mapped: &'a [Mapped], shares: &mut Shares) -> Vec<StretchJob<'a>> {
    let floor = Yield::from_f64(shares.common(&shared(mapped)).as_f64() / 2.0);
    let ages = (0..mapped.len() as u64).rev().map(|place| SimSpan::from_secs(place * 100));
    let with_age = |(job, flow_time): (_, SimSpan)| {
        let virtual_time = VirtualTime::ZERO.advanced(flow_time, Yield::from_ratio(1, 2));
        StretchJob { job, flow_time, virtual_time, floor, weight: 1.0 }
    };
    shared(mapped).into_iter().zip(ages).map(with_age).collect()
}

#[divan::bench(args = JOBS)]
fn common(bencher: Bencher<'_, '_>, jobs: usize) {
    each_mapping(bencher, jobs, Placing::Balanced, |shares, _, jobs, yields| {
        yields.clear();
        yields.push(shares.common(jobs));
    });
}

#[divan::bench(args = JOBS)]
fn max_min(bencher: Bencher<'_, '_>, jobs: usize) {
    each_mapping(bencher, jobs, Placing::Balanced, |shares, _, jobs, yields| shares.max_min(jobs, yields));
}

#[divan::bench(args = JOBS)]
fn max_min_scattered(bencher: Bencher<'_, '_>, jobs: usize) {
    each_mapping(bencher, jobs, Placing::Scattered, |shares, _, jobs, yields| shares.max_min(jobs, yields));
}

#[divan::bench(args = JOBS)]
fn max_average(bencher: Bencher<'_, '_>, jobs: usize) {
    each_mapping(bencher, jobs, Placing::Balanced, |shares, _, jobs, yields| {
        shares.max_average(jobs, yields);
    });
}

#[divan::bench(args = JOBS)]
fn max_average_scattered(bencher: Bencher<'_, '_>, jobs: usize) {
    each_mapping(bencher, jobs, Placing::Scattered, |shares, _, jobs, yields| {
        shares.max_average(jobs, yields);
    });
}

#[divan::bench(args = JOBS)]
fn min_max_stretch(bencher: Bencher<'_, '_>, jobs: usize) {
    each_mapping(bencher, jobs, Placing::Balanced, |shares, jobs, _, yields| {
        shares.min_max_stretch(jobs, PERIOD, yields);
    });
}

#[divan::bench(args = JOBS)]
fn max_average_inverse_stretch(bencher: Bencher<'_, '_>, jobs: usize) {
    each_mapping(bencher, jobs, Placing::Balanced, |shares, jobs, _, yields| {
        shares.max_average_inverse_stretch(jobs, PERIOD, yields);
    });
}
