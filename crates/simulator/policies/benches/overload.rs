//! Benchmarks of complete simulations under fractional policies on an overloaded cluster, where
//! thousands of jobs wait: `cargo bench -p dfrsim-policies --bench overload`.
//!
//! The log is LANL-CM5 (1,024 nodes of 32 MB), and the penalty is 300 s. If the log is missing, the
//! benchmark reports this and is skipped. Throughput is given in jobs.

use dfrsim_cluster::{Options, simulate};
use dfrsim_model::SimSpan;
use dfrsim_policies::{Policy, PolicyOptions};
use dfrsim_workload::cut::Selection;
use dfrsim_workload::prepare::{self, Annotation, ClusterAssumptions};
use dfrsim_workload::traces;
use divan::Bencher;
use divan::counter::ItemsCount;
use std::path::Path;

const NODES: u32 = 1_024;

fn main() {
    divan::main();
}

fn run(bencher: Bencher<'_, '_>, policy: &str, first: Option<u64>) {
    let base = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.."));
    let Ok(path) = traces::locate_from(base, "LANL-CM5-1994-4.1-cln.swf.gz") else {
        println!("skipped: no log");
        return;
    };
    let nodes = ClusterAssumptions { cores: 1, memory_kb: 32_768, ..ClusterAssumptions::default() };
    let reading = prepare::Options {
        select: Selection { first, ..Selection::default() },
        units: Some(NODES),
        annotation: Annotation::Hpc2n(nodes),
        ..prepare::Options::default()
    };
    let (jobs, _) = prepare::read_jobs(&path, &reading).unwrap();
    let policy: Policy = policy.parse().unwrap();
    let options = Options { penalty: SimSpan::from_secs(300), ..Options::default() };
    bencher.counter(ItemsCount::new(jobs.len())).bench(|| {
        let mut scheduler = policy.scheduler(NODES, &PolicyOptions::default());
        simulate(NODES, &options, jobs.iter().cloned(), scheduler.as_mut(), &mut ()).unwrap();
    });
}

const POLICIES: [&str; 2] = ["GreedyPM*/per/OPT=MIN/MVT=600", "/per/OPT=MIN"];

/// Simulates the first 10,000 jobs of the log; the queue has at most 1,300 jobs.
#[divan::bench(args = POLICIES, sample_count = 5, sample_size = 1)]
fn ten_thousand_lines(bencher: Bencher<'_, '_>, policy: &str) {
    run(bencher, policy, Some(10_000));
}

/// Simulates all 122,060 jobs of the log; the queue has up to 18,000 jobs.
#[divan::bench(args = POLICIES, sample_count = 1, sample_size = 1)]
fn whole_log(bencher: Bencher<'_, '_>, policy: &str) {
    run(bencher, policy, None);
}
