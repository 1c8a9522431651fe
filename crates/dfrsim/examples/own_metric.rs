//! Runs a sweep with a custom job source and a custom metric: bursts of jobs, and the mean number of
//! waiting jobs.
//!
//! `cargo run --release --example own_metric`

use dfrsim::cluster::JobRecord;
use dfrsim::online_study::Own;
use dfrsim::prelude::*;
use std::error::Error;
use std::sync::atomic::AtomicBool;

/// Generates 200 jobs in bursts of eight per hour, each on half of the nodes.
fn bursts(nodes: u32, seed: Seed) -> Result<Vec<Job>, String> {
    let job = |id: u64| Job {
        id: JobId(id),
        submit: SimTime::from_secs(id / 8 * 3600),
        tasks: (nodes / 2).max(1),
        run_time: SimSpan::from_secs(60 + seed.numbered(id).value() % 1800),
        ..Job::default()
    };
    Ok((0..200).map(job).collect())
}

/// Computes the mean number of waiting jobs between the first submission and the last end.
fn waiting(jobs: &[JobRecord]) -> Result<f64, String> {
    let begin = jobs.iter().map(|job| job.submit).min().ok_or("no job has left")?;
    let end = jobs.iter().map(|job| job.end).max().unwrap_or(begin);
    Ok(jobs.iter().map(|job| job.wait().as_secs_f64()).sum::<f64>() / end.since(begin).as_secs_f64())
}

fn main() -> Result<(), Box<dyn Error>> {
    let own = Own::default().source("BURSTS", bursts).metric("waiting", "1", waiting);
    let scenario = r#"
        study = "online"
        policies = ["FCFS", "EASY", "GreedyPM*/per/OPT=MIN/MVT=600"]
        metrics = ["waiting"]
        [[workloads]]
        name = "bursts"
        nodes = 128
        own = { source = "BURSTS", replications = 3, loads = [0.5, 0.9] }
    "#;
    let folder = std::env::temp_dir().join("dfrsim_own_metric");
    let scenario = dfrsim::registry().with(own).parse(scenario, "bursts", None, &[])?;
    scenario.run(&RunOptions::new(&folder), &AtomicBool::new(false), &())?;
    print!("{}", std::fs::read_to_string(folder.join("tables/metrics.csv"))?);
    Ok(())
}
