//! Tests each rule of batch policies, satisfied and violated, in schedules that are small enough to
//! follow by hand.

use crate::planted::records;
use crate::written::{self, Written, faults as batch_faults};
use dfrsim_model::batch::{BatchPolicy, NodeUse};
use dfrsim_simulator_tests::planted::text_of;

/// A job of a schedule, in seconds: submit time, nodes, run time, estimate, start. A job without a
/// start is rejected.
#[derive(Clone, Copy)]
struct Scheduled(u64, usize, u64, u64, Option<u64>);

/// Creates a job with an exact estimate.
const fn job(submit: u64, width: usize, run: u64, start: u64) -> Scheduled {
    Scheduled(submit, width, run, run, Some(start))
}

/// Writes the events of a schedule, without the summary; each job gets the lowest free nodes.
fn events(policy: &str, nodes: usize, jobs: &[Scheduled]) -> String {
    let mut busy = vec![Vec::new(); nodes];
    let mut written: Vec<Written> = jobs
        .iter()
        .map(|&Scheduled(submit, tasks, run, estimate, start)| Written {
            submit,
            tasks,
            need: 1_000,
            run,
            estimate,
            start,
            on: Vec::new(),
        })
        .collect();
    let mut by_start: Vec<(Option<u64>, usize)> = jobs.iter().zip(0..).map(|(job, n)| (job.4, n)).collect();
    by_start.sort_unstable();
    for (start, number) in by_start.into_iter().filter_map(|(start, number)| Some((start?, number))) {
        let (end, job) = (start + jobs[number].2, &mut written[number]);
        let is_free = |spans: &[(u64, u64)]| spans.iter().all(|&(from, to)| end <= from || to <= start);
        let free: Vec<usize> = (0..nodes).filter(|&node| is_free(&busy[node])).take(job.tasks).collect();
        free.iter().for_each(|&node| busy[node].push((start, end)));
        job.on = free.into_iter().map(|node| (node as u32, 1)).collect();
    }
    written::events(policy, nodes, None, &written)
}

#[track_caller]
fn faults(policy: &str, nodes: usize, jobs: &[Scheduled], expected: &[&str]) {
    assert_eq!(batch_faults(&events(policy, nodes, jobs), policy), expected, "{policy}");
}

/// First job of the schedules on two nodes: it uses one node until 100 s. The second job, [`HEAD`],
/// needs both nodes.
const FIRST: Scheduled = job(0, 1, 100, 0);
const HEAD: Scheduled = job(10, 2, 50, 100);

#[test]
fn fcfs_starts_in_the_order_of_the_queue() {
    let fcfs = "FCFS";
    faults(fcfs, 2, &[FIRST, HEAD, job(20, 1, 40, 150)], &[]);
    faults(
        fcfs,
        2,
        &[FIRST, HEAD, job(20, 1, 40, 20)],
        &["20 s, job 2: it starts before job 1, which is ahead of it in the queue"],
    );
    faults(
        fcfs,
        2,
        &[FIRST, job(10, 2, 50, 120), job(20, 1, 40, 170), job(120, 1, 1, 170)],
        &["100 s, job 1: it is the queue head and does not start, although 2 tasks fit and it has 2"],
    );
}

#[test]
fn easy_backfills_what_does_not_delay_the_head() {
    let easy = "EASY";
    faults(easy, 2, &[FIRST, HEAD, job(20, 1, 40, 20)], &[]);
    // A backfilled job may end exactly at the reservation.
    faults(easy, 2, &[FIRST, HEAD, job(20, 1, 80, 20)], &[]);
    faults(
        easy,
        2,
        &[FIRST, job(10, 2, 50, 101), job(20, 1, 81, 20)],
        &[
            "20 s, job 2: it starts and delays job 1, the queue head, which can start at 100 s: it is expected to end \
             at 101 s, and leaves capacity for 1 of 2 tasks",
        ],
    );
    faults(
        easy,
        2,
        &[FIRST, HEAD, job(20, 1, 40, 150)],
        &["20 s, job 2: it does not start, although 1 tasks fit, it has 1, and it would not delay job 1"],
    );
    // The second job leaves one extra node of the three. One job may run there past its start, but
    // not a second one.
    let wide = [job(0, 2, 100, 0), job(10, 2, 50, 100), job(20, 1, 500, 20)];
    faults(easy, 3, &wide, &[]);
}

/// Checks conservative backfilling on three nodes. EASY lets the last job run without delaying the
/// second one, which delays the third one; CONS does not.
#[test]
fn cons_keeps_every_reservation() {
    let easy = [job(0, 2, 100, 0), job(10, 2, 50, 100), job(20, 3, 50, 230), job(30, 1, 200, 30)];
    let cons = [job(0, 2, 100, 0), job(10, 2, 50, 100), job(20, 3, 50, 150), job(30, 1, 200, 200)];
    faults("EASY", 3, &easy, &[]);
    for policy in ["CONS", "CONS/REPLAN"] {
        faults(policy, 3, &cons, &[]);
        faults(policy, 3, &easy, &["30 s, job 3: it starts before its reservation at 200 s"]);
        let mut late = cons;
        late[3].4 = Some(201);
        // A submission, so that a decision is made at 201 s.
        let late = [&late[..], &[Scheduled(201, 4, 1, 1, None)]].concat();
        faults(policy, 3, &late, &["200 s, job 3: it does not start at its reservation"]);
    }
}

#[test]
fn only_what_is_too_wide_is_rejected() {
    let wide = Scheduled(0, 3, 10, 10, None);
    let narrow = Scheduled(0, 2, 10, 10, None);
    for policy in BatchPolicy::all().filter(|policy| policy.nodes == NodeUse::Whole) {
        let policy = &policy.to_string();
        faults(policy, 2, &[wide], &[]);
        faults(policy, 2, &[narrow], &["0 s, job 0: it is rejected, although its 2 tasks fit on 2 nodes"]);
        let text = events(policy, 2, &[wide]);
        let kept: Vec<&str> = text.lines().filter(|line| !line.contains("reject")).collect();
        let found = batch_faults(&kept.join("\n"), policy);
        assert_eq!(found, ["0 s, job 0: it is not rejected, although it has 3 tasks and may have 2 nodes"]);
    }
}

#[test]
fn nodes_and_speed_are_kept() {
    let text = events("EASY", 2, &[job(0, 2, 10, 0)]);
    let found = |from: &str, to: &str| batch_faults(&text.replacen(from, to, 1), "EASY");
    let slow = found("1048576", "524288");
    assert_eq!(slow, ["0 s, job 0: a yield of 524288 units, expected a yield of 1 under a batch policy"]);
    let shared = found("[[0,1],[1,1]]", "[[1,2]]");
    assert_eq!(
        shared,
        ["0 s, job 0: it has 2 tasks on node 1, expected 1 on node 0: the node selection is FIRST"]
    );
    // Two jobs on one node, each of which requests a millionth of it.
    let text = events("EASY", 2, &[job(0, 1, 10, 0), job(1, 1, 10, 1)]);
    let found = batch_faults(&text.replacen("[[1,1]]", "[[0,1]]", 1), "EASY");
    assert_eq!(
        found,
        ["1 s, job 1: it has 1 tasks on node 0, expected 1 on node 1: the node selection is FIRST"]
    );
    // A fractional schedule.
    let found = batch_faults(&text_of(&records("by-hand")), "EASY");
    assert_eq!(found[0], "the file is of policy `by hand`, not `EASY`");
    for record in ["yield", "migrate", "pause", "resume"] {
        assert!(
            found.iter().any(|fault| fault.contains(&format!(": `{record}` under a batch policy"))),
            "{record}: {found:?}"
        );
    }
}
