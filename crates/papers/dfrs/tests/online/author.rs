//! Tests the interpretations of the author's own simulator.

use crate::{frame, numbers, read, registry, run_with};
use dfrsim_lab::RunOptions;

const SCENARIO: &str = include_str!("../../../../../scenarios/appendix_b_author.toml");

/// Compares simulations of a trace with the original program: degradation, resumes and migrations.
/// The independent checker uses that program's clock too.
#[test]
fn simulations_are_those_of_the_authors_program() {
    let (head, _) = SCENARIO.split_once("[[workloads]]").unwrap();
    let workload = "[[workloads]]\nname = 'unscaled'\nnodes = 128\npublished = 'vcsim-unscaled'\nlublin = { replications = 1 }\n";
    let policies = "policies=['EASY/SPARE', 'GreedyP*/OPT=MIN', 'GreedyPM*/per/OPT=MIN/MVT=600', 'MCB*/per/OPT=MIN/MFT=300', '/per/OPT=MIN']";
    let folder = tempfile::tempdir().unwrap();
    let options = RunOptions { audit: true, ..RunOptions::new(folder.path()) };
    let report = run_with(&registry(), &format!("{head}{workload}"), &[policies], None, &options);
    assert_eq!((report.counts.total, report.counts.failures()), (5, 0));
    let vcsim = crate::table(&report, "vcsim").csv();
    let mut lines = vcsim.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let place = |name: &str| header.iter().position(|column| *column == name).unwrap();
    let (equal, traces) = (place("equal_traces"), place("traces"));
    let lines: Vec<Vec<&str>> = lines.collect();
    assert_eq!(lines.len(), 12, "five degradations, four numbers of resumes and three of migrations");
    for line in lines {
        assert_eq!((line[equal], line[traces]), ("1", "1"), "{line:?}");
    }
}

/// Memory and arrivals that are multiples of the step do not change; larger steps change the
/// instance.
#[test]
fn memory_and_arrivals_are_rounded() {
    let rows = |set: &[&str]| {
        let text = "study = 'online'\npolicies = 'Greedy*/OPT=MIN'\n[[workloads]]\nname = 'w'\nnodes = 8\n\
                    lublin = { replications = 1, jobs = 400 }\n";
        let folder = tempfile::tempdir().unwrap();
        run_with(&registry(), text, set, None, &RunOptions::new(folder.path()));
        numbers(&frame(folder.path()), "Greedy*/OPT=MIN", "mean_turnaround_s")
    };
    let exact = rows(&[]);
    assert_eq!(rows(&["workloads.w.memory_step=0.01", "workloads.w.submit_step_s=1"]), exact);
    assert_ne!(rows(&["workloads.w.memory_step=0.5"]), exact);
    assert_ne!(rows(&["workloads.w.submit_step_s=3600"]), exact);
}

#[test]
fn a_clock_needs_steps_of_cpu() {
    let text = "study = 'online'\npolicies = 'EASY'\n[simulation.readings]\nclock_s = 1\n\
                [[workloads]]\nname = 'w'\nnodes = 8\nlublin = { replications = 1 }\n";
    let errors = read(text, None, &[]).unwrap_err().to_string();
    assert!(errors.contains("clock_s requires cpu_step"), "{errors}");
    assert!(read(text, None, &["simulation.readings.cpu_step=0.01"]).is_ok());
}
