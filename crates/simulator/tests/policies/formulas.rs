//! Tests queue orders by a formula, in schedules small enough to derive by hand.

use crate::support::{jobs, schedule, starts_and_ends};
use dfrsim_cluster::{Options, simulate};
use dfrsim_policies::{Policies, Policy, PolicyOptions};

fn starts(policy: &str, nodes: u32, table: &[(u64, u32, u64, u64)]) -> Vec<f64> {
    let records = schedule(policy, nodes, &Options::default(), jobs(table));
    starts_and_ends(&records).into_iter().map(|(start, _)| start).collect()
}

/// 100 nodes, all of which A uses until 10 s; no two of the other jobs fit together. B to E arrive
/// at 1 s, so that the logarithm of their submit time is 0. F arrives at 2 s, which costs it more
/// than its size saves.
///
/// |   | nodes | seconds | F1: log10(r) n | F2: sqrt(r) n | F3: r n | F4: r sqrt(n) |
/// |---|---|---|---|---|---|---|
/// | B | 90 | 10 | 90.0 | 284.6 | 900 | 94.9 |
/// | C | 60 | 25 | 83.9 | 300.0 | 1500 | 193.6 |
/// | D | 64 | 13 | 71.3 | 230.8 | 832 | 104.0 |
/// | E | 95 | 9 | 90.7 | 285.0 | 855 | 87.7 |
/// | F | 60 | 5 | 41.9 + 261.9 | 134.2 + 7706 | 300 + 2065066 | 38.7 + 159546 |
#[test]
fn f1_to_f4_weigh_run_time_width_and_submission() {
    let table =
        [(0, 100, 10, 0), (1, 90, 10, 0), (1, 60, 25, 0), (1, 64, 13, 0), (1, 95, 9, 0), (2, 60, 5, 0)];
    for (order, expected) in [
        ("F1", [0.0, 48.0, 23.0, 10.0, 58.0, 67.0]),
        ("F2", [0.0, 23.0, 42.0, 10.0, 33.0, 67.0]),
        ("F3", [0.0, 32.0, 42.0, 10.0, 23.0, 67.0]),
        ("F4", [0.0, 19.0, 42.0, 29.0, 10.0, 67.0]),
    ] {
        for base in ["FCFS", "EASY", "CONS"] {
            assert_eq!(starts(&format!("{base}/ORDER={order}"), 100, &table), expected, "{base} {order}");
        }
    }
}

/// Four nodes, all of which A uses until 10 s. The table has the waits at 10 s in seconds, then the
/// keys of two orders:
///
/// |   | nodes | seconds | at 10 | UNICEF: w / (log2(n) r) | SEXP: (w + r) / r |
/// |---|---|---|---|---|---|
/// | B | 4 | 4 | 9 | 1.13 | 3.25 |
/// | C | 3 | 4 | 6 | 0.95 | 2.5 |
/// | D | 3 | 1 | 2 | 1.26 | 3 |
/// | E | 1 | 2 | 1 | infinite | 1.5 |
///
/// UNICEF starts the largest key first: E, and D with it; at 11 s the key is 1.25 for B and 1.10 for
/// C. SEXP starts the smallest key first: E, and C with it; at 14 s the key is 4.25 for B and 7 for
/// D. The formula is -14, -8, -3 and 0 at 10 s: B starts. At 14 s it is -16 for C, -11 for D and -8
/// for E, and only EASY starts E before D.
#[test]
fn what_depends_on_the_wait_is_computed_in_each_pass() {
    let table = [(0, 4, 10, 0), (1, 4, 4, 0), (4, 3, 4, 0), (8, 3, 1, 0), (9, 1, 2, 0)];
    for (policy, expected) in [
        ("FCFS/ORDER=UNICEF", [0.0, 12.0, 16.0, 10.0, 10.0]),
        ("FCFS/ORDER=UNICEP", [0.0, 12.0, 16.0, 10.0, 10.0]),
        ("EASY/ORDER=UNICEF", [0.0, 12.0, 16.0, 10.0, 10.0]),
        ("FCFS/ORDER=SEXP", [0.0, 14.0, 10.0, 18.0, 10.0]),
        ("EASY/ORDER=SEXP", [0.0, 14.0, 10.0, 18.0, 10.0]),
        ("FCFS/ORDER='estimate - 2 * wait'", [0.0, 10.0, 14.0, 18.0, 18.0]),
        ("EASY/ORDER='estimate - 2 * wait'", [0.0, 10.0, 14.0, 18.0, 14.0]),
    ] {
        assert_eq!(starts(policy, 4, &table), expected, "{policy}");
    }
}

#[test]
fn a_value_that_is_not_finite_ends_the_run_with_the_job_and_the_formula() {
    let table = jobs(&[(5, 2, 10, 0), (7, 2, 10, 0), (8, 2, 10, 0)]);
    for (policy, fault) in [
        (
            "CONS/ORDER='width / (submit - 8)'",
            "the policy failed at 8 s: the order 'width / (submit - 8)' is inf for job 3, expected a finite number",
        ),
        (
            "EASY/ORDER='log10(wait)'",
            "the policy failed at 5 s: the order 'log10(wait)' is -inf for job 1, expected a finite number",
        ),
    ] {
        let mut scheduler = policy.parse::<Policy>().unwrap().scheduler(2, &PolicyOptions::default());
        let found = simulate(2, &Options::default(), table.clone(), &mut *scheduler, &mut ()).unwrap_err();
        assert_eq!(found.to_string(), fault);
    }
}

#[test]
fn formulas_are_parts_of_names() {
    let policies = Policies::standard();
    for (name, printed) in [
        ("EASY/ORDER='wait / width'/PLACE=BEST", "EASY/ORDER='wait / width'/PLACE=BEST"),
        ("CONS/REPLAN/PLACE=BEST/ORDER=' estimate/2 '", "CONS/REPLAN/ORDER='estimate/2'/PLACE=BEST"),
        ("CONS/ORDER=UNICEP", "CONS/ORDER=UNICEF"),
        ("SLURM/ORDER='(wait + estimate) / estimate'", "SLURM/ORDER=SEXP"),
    ] {
        assert_eq!(policies.parse(name).unwrap().to_string(), printed);
        assert_eq!(policies.parse(printed), policies.parse(name));
    }
    for (name, fault) in [
        (
            "EASY/ORDER='wait / with'",
            "policy `EASY/ORDER='wait / with'`: invalid formula, character 8: unknown name `with`; did you mean `width`?",
        ),
        (
            "EASY/ORDER=''",
            "policy `EASY/ORDER=''`: invalid formula, character 1: expected a number, a name, a function or `(`",
        ),
        ("EASY/ORDER=F5", "unknown policy `EASY/ORDER=F5`; did you mean `EASY/ORDER=F4`?"),
    ] {
        assert_eq!(policies.parse(name).unwrap_err().to_string(), fault);
    }
    for name in [
        "EASY/ORDER='wait",
        "EASY/ORDER='wait'/ORDER=SJF",
        "EASY/ORDER=SJF/ORDER='wait'",
        "EQUIPARTITION/ORDER='wait'",
    ] {
        assert!(policies.parse(name).is_err(), "{name}");
    }
}
