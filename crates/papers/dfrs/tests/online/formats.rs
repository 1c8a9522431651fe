//! Tests logs in other formats than SWF, as `dfrsim simulate` reads them.

use crate::{frame, numbers, read, registry, run_with};
use dfrsim_lab::RunOptions;
use std::fs;
use std::sync::atomic::AtomicBool;

/// Two nodes, one with GPUs: job 2 requests a GPU and waits for the end of job 1 at 100 s, although
/// the other node is free.
#[test]
fn a_listing_of_slurm_is_a_workload_with_the_resources_of_its_jobs() {
    let line = |id: u32, submit: &str, tres: &str| {
        format!(
            "{id}|anna|COMPLETED|2026-03-01T09:{submit}|2026-03-01T09:{submit}|2026-03-01T09:10:00|1|{tres}\n"
        )
    };
    let log = "JobID|User|State|Submit|Start|End|AllocCPUS|ReqTRES\n".to_owned()
        + &line(1, "08:20", "cpu=1,gres/gpu=2")
        + &line(2, "08:50", "cpu=1,gres/gpu=1")
        + &line(3, "09:00", "cpu=1");
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("march.sacct"), log).unwrap();
    let scenario = "study = 'online'\npolicies = ['EASY']\n[[workloads]]\nname = 'march'\nnodes = 2\n\
        platform = { classes = [{ name = 'cpu', nodes = 1, cores = 1, memory_gb = 1 }, \
        { name = 'gpu', nodes = 1, cores = 1, memory_gb = 1, resources = { gpu = 2 } }] }\n\
        swf = { file = 'march.sacct' }\n";
    let options = RunOptions { audit: true, ..RunOptions::new(folder.path().join("out")) };
    run_with(&registry(), scenario, &[], Some(folder.path()), &options);
    let rows = frame(&folder.path().join("out"));
    let wait = numbers(&rows, "EASY", "mean_wait_s")[0];
    assert!((wait - 70.0 / 3.0).abs() < 1e-9, "{wait}");
}

#[test]
fn accounting_of_pbs_is_a_workload() {
    let source =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../base/workload/tests/workload/reference/documented.pbs");
    let folder = tempfile::tempdir().unwrap();
    fs::copy(source, folder.path().join("days.pbs")).unwrap();
    let scenario = "study = 'online'\npolicies = ['FCFS']\n[[workloads]]\nname = 'days'\nnodes = 64\nswf = { file = 'days.pbs' }\n";
    let report = run_with(
        &registry(),
        scenario,
        &[],
        Some(folder.path()),
        &RunOptions::new(folder.path().join("out")),
    );
    assert_eq!(report.counts.computed, 1);
}

#[test]
fn a_table_is_a_workload_with_a_map_of_its_columns() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("jobs.csv", "id,queued,seconds,cpus\n1,2026-03-01 09:00:00,60,2\n2,2026-03-01 09:00:30,60,2\n");
    let map = "source = 'ours'\n[job]\nnumber = 'id'\nsubmit = 'queued'\nrun_time = 'seconds'\nprocessors = 'cpus'\n";
    write("jobs.toml", map);
    let scenario = |columns: &str| {
        format!(
            "study = 'online'\npolicies = ['FCFS']\n[[workloads]]\nname = 'days'\nnodes = 2\nswf = {{ file = 'jobs.csv', columns = '{columns}' }}\n"
        )
    };
    let out = folder.path().join("out");
    run_with(&registry(), &scenario("jobs.toml"), &[], Some(folder.path()), &RunOptions::new(out.clone()));
    assert!((numbers(&frame(&out), "FCFS", "mean_wait_s")[0] - 15.0).abs() < 1e-9);
    let manifest = fs::read_to_string(out.join("manifest.toml")).unwrap();
    assert!(manifest.contains("jobs.toml"), "{manifest}");
    let faults = |columns: &str| read(&scenario(columns), Some(folder.path()), &[]).unwrap_err().to_string();
    assert!(faults("heliso").contains("unknown map `heliso`; did you mean `helios`?"));
    assert!(faults("none.toml").contains("file not found"));
    write("jobs.toml", &map.replace("run_time", "run_tim"));
    let broken = registry().parse(&scenario("jobs.toml"), "test.toml", Some(folder.path()), &[]).unwrap();
    let message = broken.run(&RunOptions::new(folder.path().join("other")), &AtomicBool::new(false), &());
    let message = message.unwrap_err().to_string();
    assert!(message.contains("unknown field `run_tim`; did you mean `run_time`?"), "{message}");
}
