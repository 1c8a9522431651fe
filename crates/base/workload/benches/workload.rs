//! Benchmarks of reading, preparing and generating workloads.

use dfrsim_model::Seed;
use dfrsim_workload::formats::swf;
use dfrsim_workload::log::{Source as _, Strictness};
use dfrsim_workload::lublin::{LublinParameters, generate, to_log};
use dfrsim_workload::prepare::{Annotation, ClusterAssumptions, JobStream, Options};
use dfrsim_workload::traces;
use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box, black_box_drop};
use std::path::{Path, PathBuf};

fn main() {
    divan::main();
}

const HPC2N: &str = "HPC2N-2002-2.1-cln.swf.gz";

/// Returns the path of the HPC2N log; prints a note and returns `None` if the log is not available.
fn hpc2n() -> Option<PathBuf> {
    let base = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.."));
    let found = traces::locate_from(base, HPC2N).ok();
    if found.is_none() {
        println!("skipped: no trace {HPC2N}");
    }
    found
}

/// Reads, decompresses and parses the HPC2N log.
#[divan::bench]
fn read_hpc2n(bencher: Bencher) {
    let Some(path) = hpc2n() else { return };
    bencher.counter(ItemsCount::new(202_876_u32)).bench(|| {
        let mut reader = swf::open(&path, Strictness::Strict).unwrap();
        reader.by_ref().for_each(black_box_drop);
        reader.finish().unwrap()
    });
}

/// Reads the HPC2N log and prepares its jobs as the study does.
#[divan::bench]
fn prepare_hpc2n(bencher: Bencher) {
    let Some(path) = hpc2n() else { return };
    let annotation = Annotation::Hpc2n(ClusterAssumptions::default());
    let options = Options { annotation, units: Some(120), ..Options::default() };
    bencher.counter(ItemsCount::new(202_876_u32)).bench(|| {
        let mut jobs = JobStream::new(swf::open(&path, Strictness::Strict).unwrap(), &options);
        jobs.by_ref().for_each(black_box_drop);
        jobs.finish().unwrap()
    });
}

/// Parses 100,000 lines of plain text.
#[divan::bench]
fn read_plain_text(bencher: Bencher) {
    let (header, records) = to_log(&LublinParameters { jobs: 100_000, ..Default::default() }, Seed::new(1));
    let mut text = Vec::new();
    swf::write(&mut text, &header, records).unwrap();
    bencher.counter(BytesCount::new(text.len())).bench(|| {
        let mut reader = swf::read(&text[..], "text", Strictness::Strict).unwrap();
        reader.by_ref().for_each(black_box_drop);
        reader.finish().unwrap()
    });
}

/// Generates one workload of the study.
#[divan::bench]
fn generate_thousand_jobs(bencher: Bencher) {
    let parameters = LublinParameters::default();
    bencher
        .counter(ItemsCount::new(parameters.jobs))
        .bench(|| generate(black_box(&parameters), Seed::new(1)));
}
