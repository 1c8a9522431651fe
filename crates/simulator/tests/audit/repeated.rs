//! Tests that a violation is told once for each job and kind.

use dfrsim_audit::{Fault, Faults, Rule};

fn fault(line: u64, job: u64, text: &str) -> Fault {
    Fault { line, at: None, job: Some(job), rule: Rule::Decision(text.to_owned()) }
}

#[test]
fn a_repetition_is_counted() {
    let mut faults = Faults::default();
    faults.push(fault(1, 7, "it starts with 3 tasks, but 2 fit"));
    faults.push(fault(2, 7, "it starts with 30 tasks, but 0 fit"));
    faults.push(fault(3, 8, "it starts with 3 tasks, but 2 fit"));
    faults.push(fault(4, 7, "it does not start"));
    faults.push(fault(5, 7, "it starts with 4 tasks, but 2 fit"));
    assert_eq!((faults.count(), faults.repetitions()), (3, 2));
    let lines: Vec<u64> = faults.shown().iter().map(|fault| fault.line).collect();
    assert_eq!(lines, [1, 3, 4]);
    let text = faults.to_string();
    assert!(
        text.starts_with("line 1, job 7: it starts with 3 tasks, but 2 fit (and 2 times more)\n"),
        "{text}"
    );
}

#[test]
fn violations_without_a_job_are_not_repetitions() {
    let mut faults = Faults::default();
    let of_line = |line| Fault { job: None, ..fault(line, 0, "not a record: column 3") };
    faults.push(of_line(1));
    faults.push(of_line(2));
    assert_eq!((faults.count(), faults.repetitions()), (2, 0));
}
