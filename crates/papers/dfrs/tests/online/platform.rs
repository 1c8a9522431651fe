//! Tests scenarios with unequal nodes.

use crate::{frame, numbers, read, registry, run_with};
use dfrsim_lab::RunOptions;
use std::fs;

/// Log of two jobs at second 0: one node for 20 s, and one node for 10 s.
const LOG: &str =
    "1 0 -1 20 1 -1 -1 1 20 -1 1 1 -1 -1 -1 -1 -1 -1\n2 0 -1 10 1 -1 -1 1 10 -1 1 1 -1 -1 -1 -1 -1 -1\n";

const PLATFORM: &str = "classes = [{ name = 'fast', nodes = 1, cores = 4, memory_gb = 8 },
    { name = 'slow', nodes = 1, cores = 4, memory_gb = 8, speed = 0.5, resources = { gpu = 2 } }]";

const SCENARIO: &str = "study = 'online'\npolicies = ['FCFS', 'EASY']\n\
    [[workloads]]\nname = 'log'\nnodes = 2\nswf = { file = 'log.swf' }\nplatform = 'nodes.toml'\n";

/// The second job runs on the slow node, for 20 s: 30 node-seconds of work in 20 s on nodes of speed
/// 1 and 1/2. On two full nodes no job needs longer than its run time.
#[test]
fn rows_are_of_unequal_nodes() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("log.swf"), LOG).unwrap();
    fs::write(folder.path().join("nodes.toml"), PLATFORM).unwrap();
    let inline = SCENARIO.replace("'nodes.toml'", &format!("{{ {} }}", PLATFORM.replace('\n', " ")));
    for (text, name) in [(SCENARIO, "file"), (&inline, "inline")] {
        let options = RunOptions { audit: true, ..RunOptions::new(folder.path().join(name)) };
        run_with(&registry(), text, &[], Some(folder.path()), &options);
        let rows = frame(&folder.path().join(name));
        let of = |column: &str| numbers(&rows, "EASY", column)[0];
        assert_eq!(
            (of("makespan_s"), of("utilisation"), of("max_stretch"), of("bound")),
            (20.0, 1.0, 2.0, 1.0)
        );
    }
}

/// The series of 40 s covers the estimate of the second job, 10 s, and not that of the first one, 60 s, which
/// takes 20 s. The second one is held for 10 s, until the low intensity.
#[test]
fn jobs_that_cannot_be_held_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("log.swf"), LOG.replace("1 20 -1 1 1", "1 60 -1 1 1")).unwrap();
    let platform = "classes = [{ name = 'a', nodes = 2, cores = 4, memory_gb = 8, power = { idle_w = 100, busy_w = 200 } }]";
    fs::write(folder.path().join("nodes.toml"), platform).unwrap();
    fs::write(folder.path().join("ci.csv"), "from_s,g_per_kwh\n0,300\n10,100\n20,300\n30,300\n").unwrap();
    let text =
        format!("{SCENARIO}intensity = 'ci.csv'\ndefer = '20'\n[simulation]\nestimates = 'requested'\n");
    let options = RunOptions { audit: true, ..RunOptions::new(folder.path().join("out")) };
    run_with(&registry(), &text, &[], Some(folder.path()), &options);
    let rows = frame(&folder.path().join("out"));
    let of = |column: &str| numbers(&rows, "EASY", column)[0];
    assert_eq!((of("not_held"), of("held_s"), of("makespan_s")), (1.0, 5.0, 20.0));
}

/// Jobs with GPUs run on the nodes that have them; the GPU jobs are equal for each policy and load.
#[test]
fn traces_are_audited_on_nodes_with_gpus() {
    let folder = tempfile::tempdir().unwrap();
    let text = include_str!("gpus.toml");
    let options = RunOptions { audit: true, ..RunOptions::new(folder.path()) };
    run_with(&registry(), text, &[], None, &options);
    let rows = frame(folder.path());
    assert_eq!(rows.len(), 2 * 2 * 7);
    assert!(numbers(&rows, "EASY", "rejected").iter().all(|count| *count == 0.0));
}

#[test]
fn faults_of_platforms_have_their_place() {
    let table = format!("{{ {} }}", PLATFORM.replace('\n', " "));
    let lublin = SCENARIO
        .replace("swf = { file = 'log.swf' }", "lublin = { replications = 1 }")
        .replace("'nodes.toml'", &table);
    for (field, message) in [
        ("workloads.0.nodes=3", "node classes have 2 nodes in total, expected 3"),
        (
            "workloads.0.platform.classes.1.speed=2",
            "override `workloads.0.platform.classes.1.speed=2`: expected a number above 0 and at most 1",
        ),
        ("workloads.0.platform.shared=['fpga']", "no class has the resource `fpga`"),
        ("workloads.0.requests=['gpu:0.3']", "invalid request `gpu:0.3`"),
        ("simulation.cpu_needs='whole'", "a workload with a platform requires exact CPU needs"),
    ] {
        let errors = read(&lublin, None, &[field]).unwrap_err().to_string();
        assert!(errors.contains(message), "{field}: {errors}");
    }
}
