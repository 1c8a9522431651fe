//! Benchmarks of MCB: mean time of a mapping over 256 random states of a cluster of 128 nodes.

use dfrsim_model::{NodeTasks, Rng, Seed, Share, Yield};
use dfrsim_packing::mcb::{DropRule, Mcb, McbOptions, PackJob, Packing};
use rand::RngExt as _;
use std::fmt;

const NODES: u32 = 128;
const STATES: usize = 256;

fn main() {
    divan::main();
}

/// Kind of workload that the jobs resemble.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// Quad-core nodes and memory in tenths, as in the synthetic workloads; there are few classes of
    /// tasks.
    Tenths,
    /// Dual-core nodes of 2 GiB and memory in kilobytes, as in the logs; nearly every job is a class
    /// of its own.
    Kilobytes,
}

/// Parameters of a set of states.
#[derive(Clone, Copy, Debug)]
struct Case {
    source: Source,
    jobs: usize,
    /// Approximate memory demand of all tasks, as a fraction of the memory of all nodes.
    memory_load: f64,
    /// Fraction of the jobs that are pinned to the nodes of an earlier mapping.
    pinned: f64,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, {} jobs, memory load {}", self.source, self.jobs, self.memory_load)?;
        if self.pinned > 0.0 { write!(f, ", {} pinned", self.pinned) } else { Ok(()) }
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for source in [Source::Tenths, Source::Kilobytes] {
        for jobs in [10, 30, 100] {
            for memory_load in [0.6, 2.0] {
                cases.push(Case { source, jobs, memory_load, pinned: 0.0 });
            }
            cases.push(Case { source, jobs, memory_load: 1.0, pinned: 0.3 });
        }
    }
    cases
}

/// Job, and its nodes if it is pinned.
type OwnedJob = (PackJob<'static>, Option<Vec<NodeTasks>>);

fn job(source: Source, sequence: u64, largest: f64, rng: &mut Rng) -> PackJob<'static> {
    // Sizes are uniform on a logarithmic scale, and more than half of them are powers of two.
    let log = rng.random_range(0.0..=largest.log2());
    let tasks = if rng.random_bool(0.6) { log.round().exp2() } else { log.exp2() } as u32;
    let (need, memory) = match source {
        Source::Tenths => {
            let tenths = if rng.random_bool(0.55) { 1 } else { rng.random_range(2..=10) };
            (if tasks == 1 { Share::from_ratio(1, 4) } else { Share::ONE }, Share::from_ratio(tenths, 10))
        }
        Source::Kilobytes => {
            let kilobytes = rng.random_range(0.0..0.7f64).powi(2) * 2_097_152.0;
            let memory = Share::from_ratio((kilobytes as u64).max(209_715), 2_097_152);
            if rng.random_bool(0.5) {
                (Share::ONE, Share::try_from_units(2 * memory.units()).unwrap_or(Share::ONE))
            } else {
                (Share::from_ratio(1, 2), memory)
            }
        }
    };
    PackJob { tasks: tasks.clamp(1, NODES), need, memory, sequence, pinned: None, size: None }
}

fn states(case: Case) -> Vec<Vec<OwnedJob>> {
    let mut rng = Seed::new(1).fork("bench").rng();
    (0..STATES)
        .map(|_| {
            // Sizes are drawn again from a larger or smaller range until the memory load is close to
            // the target.
            let mut largest = 16.0;
            let jobs: Vec<PackJob> = loop {
                let jobs: Vec<PackJob> =
                    (0..case.jobs).map(|i| job(case.source, i as u64, largest, &mut rng)).collect();
                let memory: f64 = jobs.iter().map(|job| f64::from(job.tasks) * job.memory.as_f64()).sum();
                let load = memory / f64::from(NODES);
                if (load / case.memory_load - 1.0).abs() < 0.1 || largest >= 128.0 && load < case.memory_load
                {
                    break jobs;
                }
                largest = (largest * if load < case.memory_load { 1.1 } else { 0.9 }).clamp(1.5, 128.0);
            };
            let mut order: Vec<usize> = (0..case.jobs).collect();
            for i in (1..order.len()).rev() {
                order.swap(i, rng.random_range(0..=i));
            }
            let jobs: Vec<PackJob> = order.iter().map(|&i| jobs[i]).collect();
            let mut mcb = Mcb::new(NODES, McbOptions::default());
            let before = mcb.map(&jobs);
            let placements: Vec<Option<Vec<NodeTasks>>> = (0..case.jobs)
                .map(|i| {
                    (before.is_kept(i) && rng.random_bool(case.pinned)).then(|| before.placement(i).to_vec())
                })
                .collect();
            jobs.into_iter().zip(placements).collect()
        })
        .collect()
}

fn borrowed(state: &[OwnedJob]) -> Vec<PackJob<'_>> {
    state.iter().map(|(job, pinned)| PackJob { pinned: pinned.as_deref(), ..*job }).collect()
}

/// Measures `map` over all states of the case.
fn bench(
    bencher: divan::Bencher,
    case: Case,
    options: McbOptions,
    map: impl Fn(&mut Mcb, &[PackJob]) -> Yield,
) {
    let states = states(case);
    let states: Vec<Vec<PackJob>> = states.iter().map(|state| borrowed(state)).collect();
    let mut mcb = Mcb::new(NODES, options);
    bencher
        .counter(STATES)
        .bench_local(|| states.iter().fold(0, |sum, jobs| sum + u64::from(map(&mut mcb, jobs).units())));
}

#[divan::bench(args = cases())]
fn choose_pack(bencher: divan::Bencher, case: Case) {
    bench(bencher, case, McbOptions::default(), |mcb, jobs| mcb.map(jobs).value());
}

#[divan::bench(args = cases())]
fn two_lists(bencher: divan::Bencher, case: Case) {
    let options = McbOptions { packing: Packing::TwoLists, ..McbOptions::default() };
    bench(bencher, case, options, |mcb, jobs| mcb.map(jobs).value());
}

#[divan::bench(args = cases())]
fn choose_pack_and_skip(bencher: divan::Bencher, case: Case) {
    let options = McbOptions { drop: DropRule::Skip, ..McbOptions::default() };
    bench(bencher, case, options, |mcb, jobs| mcb.map(jobs).value());
}

/// Measures mapping by stretch: jobs with different histories need different yields for the same
/// target stretch.
#[divan::bench(args = cases())]
fn by_target(bencher: divan::Bencher, case: Case) {
    let floor = Yield::from_ratio(1, 100);
    bench(bencher, case, McbOptions::default(), |mcb, jobs| {
        let yield_at = |job: usize, target: Yield| {
            let units = u64::from(target.units()) * (20 + job as u64 % 37) / 40;
            Yield::try_from_units(u32::try_from(units).ok()?).map(|at| at.max(floor))
        };
        mcb.map_by(jobs, floor, Yield::ONE, yield_at).value()
    });
}
