//! Schedules small enough to derive by hand. In the drawings a column is a second, a row a node, and a letter the
//! job that is there: A is the first of the table.

use crate::support::{jobs, schedule, starts_and_ends};
use dfrsim_cluster::{EstimateModel, Options, Overrun};
use dfrsim_model::{Job, Share, SimSpan, SimTime};

fn requested(overrun: Overrun) -> Options {
    Options { estimates: EstimateModel::Requested, overrun, ..Options::default() }
}

fn starts_of(policy: &str, nodes: u32, options: &Options, jobs: Vec<Job>) -> Vec<f64> {
    starts_and_ends(&schedule(policy, nodes, options, jobs)).into_iter().map(|(start, _)| start).collect()
}

/// The starts of jobs given as (submit, width, run time, requested time) in seconds.
fn starts(policy: &str, nodes: u32, options: &Options, table: &[(u64, u32, u64, u64)]) -> Vec<f64> {
    starts_of(policy, nodes, options, jobs(table))
}

/// ```text
/// 01234567
/// AAAABBBC     C would fit the third node from 2 on, but no job overtakes B.
/// AAAABBB
///     BBB
/// ```
#[test]
fn fcfs_lets_no_job_overtake() {
    let table = [(0, 2, 4, 0), (1, 3, 3, 0), (2, 1, 1, 0)];
    assert_eq!(starts("FCFS", 3, &Options::default(), &table), [0.0, 4.0, 7.0]);
}

/// ```text
/// 0123456789           0123456789
/// AAAABBB              AAAABBBCCC     B's reservation is at 4, and leaves no node spare. C arrives at 2: with
/// AAAABBB              AAAABBB        2 s it ends just then and starts; with 3 s it would be in B's way.
///   CCBBB                  BBB
/// ```
#[test]
fn easy_backfills_what_ends_by_the_reservation() {
    let table = [(0, 2, 4, 0), (1, 3, 3, 0), (2, 1, 2, 0)];
    assert_eq!(starts("EASY", 3, &Options::default(), &table), [0.0, 4.0, 2.0]);
    let table = [(0, 2, 4, 0), (1, 3, 3, 0), (2, 1, 3, 0)];
    assert_eq!(starts("EASY", 3, &Options::default(), &table), [0.0, 4.0, 7.0]);
}

/// ```text
/// 0123456789012
/// AAAABBB           At 4 there will be 5 nodes: one more than B needs. C, too long to end by then, takes it.
/// AAAABBB           D is just like C, and a node is idle, but none is spare any more.
/// AAAABBB
///     BBBDDDDDD
///   CCCCCC
/// ```
#[test]
fn easy_gives_a_spare_node_away_once() {
    let table = [(0, 3, 4, 0), (1, 4, 3, 0), (2, 1, 6, 0), (2, 1, 6, 0)];
    assert_eq!(starts("EASY", 5, &Options::default(), &table), [0.0, 4.0, 2.0, 7.0]);
}

/// ```text
/// 0123456789
/// AAAACC         A and B both end at 4. With A's nodes alone, 3 would be free then, all of them for C; with B's
/// AAAACC         two are spare, and D starts at 1.
/// BBBBCC
/// BBBB
///  DDDDDDDDD
/// ```
#[test]
fn easy_counts_every_job_that_ends_at_the_moment_of_the_reservation() {
    let table = [(0, 2, 4, 0), (0, 2, 4, 0), (1, 3, 2, 0), (1, 1, 9, 0)];
    assert_eq!(starts("EASY", 5, &Options::default(), &table), [0.0, 0.0, 4.0, 1.0]);
}

/// ```text
/// 012345
/// AAABCC     At 3 A ends and B and C arrive: B gets A's nodes at that very moment.
/// AAABCC
/// ```
#[test]
fn ends_come_before_arrivals_of_the_same_moment() {
    let table = [(0, 2, 3, 0), (3, 2, 1, 0), (3, 2, 2, 0)];
    for policy in ["FCFS", "EASY", "CONS", "CONS/REPLAN"] {
        assert_eq!(starts(policy, 2, &Options::default(), &table), [0.0, 3.0, 4.0], "{policy}");
    }
}

/// ```text
/// 012345678
/// AAAAAAABB     A is expected at 3 and ends at 7. When B and C arrive at 4, B's reservation is at 5, one second
///     CDEBB     from then: C, of 1 s, starts. So do D and E, which arrive at 5 and 6.
///
/// 01234567890
/// AAAAAAABBCC   With 2 s, C would end after B's reservation, which leaves no node spare.
///        BB
/// ```
#[test]
fn easy_expects_an_overdue_job_to_end_a_second_from_now() {
    let options = requested(Overrun::Extend);
    let table = [(0, 1, 7, 3), (4, 2, 2, 2), (4, 1, 1, 1), (5, 1, 1, 1), (6, 1, 1, 1)];
    assert_eq!(starts("EASY", 2, &options, &table), [0.0, 7.0, 4.0, 5.0, 6.0]);
    let table = [(0, 1, 7, 3), (4, 2, 2, 2), (4, 1, 2, 2)];
    assert_eq!(starts("EASY", 2, &options, &table), [0.0, 7.0, 9.0]);
}

/// ```text
/// 0123456789
/// AAAAAAACC     At 5, A is overdue since 3 and counts as ending at 6, after B, which is expected at 5.5: then
/// BBBBBBBBBD    C's two nodes are free and none is spare, so D, of 1 s, must wait: until 9, since A's node and
///        CC     the idle one go to C.
/// ```
#[test]
fn easy_puts_overdue_jobs_behind_those_expected_within_the_second() {
    let mut list = jobs(&[(0, 1, 7, 3), (0, 1, 9, 0), (5, 2, 9, 9), (5, 1, 1, 1)]);
    list[1].requested_time = Some(SimSpan::from_micros(5_500_000));
    assert_eq!(starts_of("EASY", 3, &requested(Overrun::Extend), list), [0.0, 0.0, 7.0, 9.0]);
}

/// Killed at its 3 s, A leaves its nodes to B.
#[test]
fn a_killed_job_ends_at_its_estimate() {
    for policy in ["FCFS", "EASY", "CONS", "CONS/REPLAN"] {
        let records = schedule(policy, 2, &requested(Overrun::Kill), jobs(&[(0, 2, 7, 3), (1, 2, 2, 5)]));
        assert_eq!(starts_and_ends(&records), [(0.0, 3.0), (3.0, 5.0)], "{policy}");
        assert_eq!([records[0].killed, records[1].killed], [true, false]);
    }
}

/// A holds one of two nodes until 1.5; B, which needs both, and C arrive at 0.25. C of 1.25 s ends just at B's
/// reservation; a microsecond longer, it waits until B ends at 2.5.
#[test]
fn microseconds_count() {
    let mut list = jobs(&[(0, 1, 1, 0), (0, 2, 1, 0), (0, 1, 1, 0)]);
    list[0].run_time = SimSpan::from_micros(1_500_000);
    list[1].submit = SimTime::from_micros(250_000);
    list[2].submit = SimTime::from_micros(250_000);
    for (run, start) in [(1_250_000, 0.25), (1_250_001, 2.5)] {
        list[2].run_time = SimSpan::from_micros(run);
        for policy in ["EASY", "CONS"] {
            assert_eq!(
                starts_of(policy, 2, &Options::default(), list.clone()),
                [0.0, 1.5, start],
                "{policy}"
            );
        }
    }
}

/// ```text
/// CONS                    EASY
/// 012345678901234567      01234567890
/// AAAABBBBCDDDDDDDDD      AAAABBBB  C     D fits beside A and B, and EASY has no promise for C, which is
/// AAAABBBBC               AAAABBBB  C     second in the queue; CONS has.
///         C                DDDDDDDDDC
/// ```
#[test]
fn cons_delays_no_reservation_and_easy_only_spares_the_first() {
    let table = [(0, 2, 4, 0), (1, 2, 4, 0), (1, 3, 1, 0), (1, 1, 9, 0)];
    assert_eq!(starts("CONS", 3, &Options::default(), &table), [0.0, 4.0, 8.0, 9.0]);
    assert_eq!(starts("EASY", 3, &Options::default(), &table), [0.0, 4.0, 10.0, 1.0]);
}

/// ```text
/// 01234567890
/// AAAABBCCCCC     All arrive at 1. C (5 s) is too long for the hole before B and goes behind it, D (3 s) fits
/// AAAABBEEEFF     it. E goes beside C, F into the hole that C and E leave.
///  DDDBBEEEFF
/// ```
#[test]
fn cons_fills_the_earliest_hole() {
    let table = [(0, 2, 4, 0), (1, 3, 2, 0), (1, 1, 5, 0), (1, 1, 3, 0), (1, 2, 3, 0), (1, 2, 2, 0)];
    let expected = [0.0, 4.0, 6.0, 1.0, 6.0, 9.0];
    assert_eq!(starts("CONS", 3, &Options::default(), &table), expected);
    assert_eq!(starts("CONS/REPLAN", 3, &Options::default(), &table), expected);
}

/// ```text
/// planned at 1       CONS               CONS/REPLAN
/// 01234567890        01234567890        0123456789
/// AAAAEECCDDD        AAEE  CCDDD        AADDD CCEE
/// BBBBBBCC           BBBBBBCC           BBBBBBCC
/// ```
/// A ends at 2 instead of 4. One by one: C still needs B's node; D (3 s) does not fit before E's reservation;
/// E moves up. Planned again, D comes before E, which fits nowhere before C any more: it was promised 4 and
/// starts at 8.
#[test]
fn cons_moves_up_one_by_one_or_plans_again() {
    let table = [(0, 1, 2, 4), (0, 1, 6, 6), (1, 2, 2, 2), (1, 1, 3, 3), (1, 1, 2, 2)];
    let options = requested(Overrun::Kill);
    assert_eq!(starts("CONS", 2, &options, &table), [0.0, 0.0, 6.0, 8.0, 2.0]);
    assert_eq!(starts("CONS/REPLAN", 2, &options, &table), [0.0, 0.0, 6.0, 2.0, 8.0]);
}

/// ```text
/// 01234567890
/// AAAAAAABBDD     A is expected at 3, where B is planned, and ends at 7. C and D arrive at 5: A counts as ending
///      C BB       at 6, so B is planned there; C (1 s) fits before it, D (2 s) does not.
/// ```
#[test]
fn cons_expects_an_overdue_job_to_end_a_second_from_now() {
    let table = [(0, 1, 7, 3), (1, 2, 2, 2), (5, 1, 1, 1), (5, 1, 2, 2)];
    for policy in ["CONS", "CONS/REPLAN"] {
        assert_eq!(starts(policy, 2, &requested(Overrun::Extend), &table), [0.0, 7.0, 5.0, 9.0], "{policy}");
    }
}

/// Three nodes; A is overdue as above. When C (1 s) arrives at 5, A counts as ending at 6; when D (1 s) arrives at
/// 5.5, at 6.5: so B, which needs all nodes, is planned there, and D starts at once.
#[test]
fn cons_examines_overdue_jobs_again_within_their_second() {
    let mut list = jobs(&[(0, 1, 7, 3), (1, 3, 2, 2), (5, 1, 1, 1), (5, 1, 1, 1)]);
    list[3].submit = SimTime::from_micros(5_500_000);
    assert_eq!(starts_of("CONS", 3, &requested(Overrun::Extend), list), [0.0, 7.0, 5.0, 5.5]);
}

/// Two nodes, A holds both until 10. Then, in their orders, with the areas 6, 5, 8, 8, 5 of B to F:
/// ```text
/// by arrival: BCDEF         SJF: BDCFE, WFP3: the same    LJF: ECFDB           SAF: CFBDE
/// 0123456789012345678       01234567890123456789          01234567890123456    0123456789012345678
/// BBBCCCCCDDDDEEEEEEEE      BBBDDDDCCCCCEEEEEEEE          EEEEEEEE  DDDDBBB    CCCCCBBBDDDDEEEEEEEE
/// BBB     DDDDFFFFF         BBBDDDDFFFFF                  CCCCCFFFFFDDDDBBB    FFFFFBBBDDDD
/// ```
/// (column 0 is second 10). WFP3: at 10, (9/3)^3 * 2 = 54 for B, (8/5)^3 = 4.1, (7/4)^3 * 2 = 10.7,
/// (6/8)^3 = 0.4, (5/5)^3 = 1; at 13, 10.6 for C, 31.3 for D, 1.4 for E, 4.1 for F; at 17, 27, 4.3 and 13.8 for C, E, F.
#[test]
fn fcfs_in_other_orders() {
    let table = [(0, 2, 10, 0), (1, 2, 3, 0), (2, 1, 5, 0), (3, 2, 4, 0), (4, 1, 8, 0), (5, 1, 5, 0)];
    for (policy, expected) in [
        ("FCFS", [0.0, 10.0, 13.0, 18.0, 22.0, 22.0]),
        ("FCFS/ORDER=SJF", [0.0, 10.0, 17.0, 13.0, 22.0, 17.0]),
        ("FCFS/ORDER=LJF", [0.0, 24.0, 10.0, 20.0, 10.0, 15.0]),
        ("FCFS/ORDER=SAF", [0.0, 15.0, 10.0, 18.0, 22.0, 10.0]),
        ("FCFS/ORDER=WFP3", [0.0, 10.0, 17.0, 13.0, 22.0, 17.0]),
    ] {
        assert_eq!(starts(policy, 2, &Options::default(), &table), expected, "{policy}");
    }
}

/// One node, A holds it until 10. B has waited 9 s for 3 s: 27. C 2 for 4: 0.125. D 1 for 1: 1. At 13, C has 5 for 4:
/// 1.95, and D 4 for 1: 64. So B, D, C; by arrival B, C, D; the shortest first D, B, C.
#[test]
fn wfp3_weighs_again_in_each_pass() {
    let table = [(0, 1, 10, 0), (1, 1, 3, 0), (8, 1, 4, 0), (9, 1, 1, 0)];
    for (order, expected) in [
        ("", [0.0, 10.0, 13.0, 17.0]),
        ("/ORDER=SJF", [0.0, 11.0, 14.0, 10.0]),
        ("/ORDER=WFP3", [0.0, 10.0, 14.0, 13.0]),
    ] {
        for base in ["FCFS", "EASY"] {
            assert_eq!(starts(&format!("{base}{order}"), 1, &Options::default(), &table), expected, "{base}");
        }
    }
}

/// Two nodes, A holds one until 10. B (2 nodes, 5 s), C (4 s) and D (6 s) arrive at 1.
/// ```text
/// BCD, SJF: CBD, WFP3: BCD     LJF: DBC               SAF: CDB (areas 10, 4, 6)
/// 012345678901234567890        0123456789012345678    0123456789012345
/// AAAAAAAAAABBBBBDDDDDD        AAAAAAAAAABBBBBCCCC    AAAAAAAAAA BBBBB
///  CCCC     BBBBB               DDDDDD   BBBBB         CCCCDDDDDDBBBBB
/// ```
/// With B as the head, what is left by 5 (left) or 7 (middle) would end at 11, after B's reservation at 10. In the
/// WFP3 order no job has waited at 1; at 5 it is (4/5)^3 * 2 = 1.02 for B and (4/6)^3 = 0.3 for D.
#[test]
fn easy_in_other_orders() {
    let table = [(0, 1, 10, 0), (1, 2, 5, 0), (1, 1, 4, 0), (1, 1, 6, 0)];
    for (policy, expected) in [
        ("EASY", [0.0, 10.0, 1.0, 15.0]),
        ("EASY/ORDER=SJF", [0.0, 10.0, 1.0, 15.0]),
        ("EASY/ORDER=LJF", [0.0, 10.0, 15.0, 1.0]),
        ("EASY/ORDER=SAF", [0.0, 11.0, 1.0, 5.0]),
        ("EASY/ORDER=WFP3", [0.0, 10.0, 1.0, 15.0]),
    ] {
        assert_eq!(starts(policy, 2, &Options::default(), &table), expected, "{policy}");
    }
}

/// Jobs of one task, with a CPU need of 1, that all arrive at 0: (memory in tenths, run time in seconds).
fn with_memory(table: &[(u64, u64)]) -> Vec<Job> {
    let rows: Vec<_> = table.iter().map(|&(_, run)| (0, 1, run, 0)).collect();
    let mut list = jobs(&rows);
    for (job, &(tenths, _)) in list.iter_mut().zip(table) {
        job.memory = Share::from_ratio(tenths, 10);
    }
    list
}

/// Two nodes. A (0.6 of the memory) goes to the first, B (0.6) to the second, C (0.6) fits neither and waits; D (0.3)
/// goes to the first, where the needs add up to 2: everybody has the yield 1/2. D's 2 s take until 4; then A and B
/// have 8 of their 10 s left, at full speed: until 12. Only then is there memory for C.
#[test]
fn equipartition_waits_for_memory() {
    let list = with_memory(&[(6, 10), (6, 10), (6, 10), (3, 2)]);
    let records = schedule("EQUIPARTITION", 2, &Options::default(), list);
    assert_eq!(starts_and_ends(&records), [(0.0, 12.0), (0.0, 12.0), (12.0, 22.0), (0.0, 4.0)]);
}

/// On two nodes there is memory for two tasks of 0.6, even on an empty cluster: three are rejected.
#[test]
fn equipartition_turns_away_what_never_fits() {
    let mut list = with_memory(&[(6, 10), (6, 10)]);
    list[0].tasks = 3;
    let records = schedule("EQUIPARTITION", 2, &Options::default(), list);
    assert_eq!(starts_and_ends(&records), [(0.0, 10.0)]);
}
