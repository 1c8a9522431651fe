//! The parts that the paper does not have, on schedules that were derived by hand.

use crate::fractional::{jobs, penalty};
use crate::support::{schedule, starts_and_ends};
use dfrsim_model::Job;

/// Start and end of each job, with a penalty of 5 s.
fn lives(policy: &str, nodes: u32, jobs: Vec<Job>) -> Vec<(f64, f64)> {
    starts_and_ends(&schedule(policy, nodes, &penalty(5), jobs))
}

/// Ticks are at 100, 200 after the first submission, regardless of the period of the options.
#[test]
fn the_period_is_that_of_the_name() {
    let table = [(50, 100, 1), (160, 10, 1)];
    assert_eq!(lives("/per/OPT=MIN/PERIOD=100", 1, jobs(&table)), [(150.0, 250.0), (250.0, 260.0)]);
}

/// Two nodes. Job 2 is on node 1 until 100; jobs 1 and 3 share node 0, and have half of it for ever if neither moves.
/// Each has 300 s done at the tick of 600: half is not below 50 %, but below 51 %. Then one moves, without penalty: 600
/// + 1,700.
#[test]
fn ticks_map_again_only_if_a_yield_is_below() {
    let table = [(0, 2000, 3), (0, 100, 3), (0, 2000, 3)];
    for (percent, end) in [(50, 4000.0), (51, 2300.0)] {
        let policy = format!("Greedy/per/OPT=MIN/BELOW={percent}");
        let records = schedule(&policy, 2, &penalty(0), jobs(&table));
        assert_eq!(starts_and_ends(&records), [(0.0, end), (0.0, 100.0), (0.0, end)]);
    }
}

/// Two nodes, memory 0.3 and 0.6. Both run at full speed, so that the tick of 600 leaves them; but it maps all jobs when job 3
/// (0.8) waits for it, and that fits only if the others move together.
#[test]
fn ticks_map_again_if_a_job_waits() {
    let policy = "Greedy/per/OPT=MIN/BELOW=1";
    let records = schedule(policy, 2, &penalty(0), jobs(&[(0, 900, 3), (0, 900, 6)]));
    assert_eq!([records[0].migrations, records[1].migrations], [0, 0]);
    let records = schedule(policy, 2, &penalty(0), jobs(&[(0, 900, 3), (0, 900, 6), (10, 50, 8)]));
    assert_eq!(starts_and_ends(&records)[2], (600.0, 650.0));
}

/// One node, memory 0.6 each. At 5 job 1 has 5 s of virtual time: too few for SAFE=6, so job 2 waits for its end; enough for
/// SAFE=5, so job 1 is paused until 25, and has 95 s to go after the penalty: 25 + 5 + 95.
#[test]
fn young_jobs_do_not_give_way() {
    let table = [(0, 100, 6), (5, 20, 6)];
    assert_eq!(lives("GreedyP*/OPT=MIN/SAFE=6", 1, jobs(&table)), [(0.0, 100.0), (100.0, 120.0)]);
    assert_eq!(lives("GreedyP*/OPT=MIN/SAFE=5", 1, jobs(&table)), [(0.0, 125.0), (5.0, 25.0)]);
}

/// The same with SAFE=10: job 2 is tried again at 8, when job 1 has 8 s of virtual time, and at 11; then job 1 is paused until
/// 31, with 89 s to go.
#[test]
fn waiting_jobs_are_tried_again() {
    let table = [(0, 100, 6), (5, 20, 6)];
    let policy = "GreedyP*/OPT=MIN/SAFE=10/RETRY=3";
    assert_eq!(lives(policy, 1, jobs(&table)), [(0.0, 125.0), (11.0, 31.0)]);
}

/// One node, memory 0.6 each. Under PAY=2 job 1 may give way for the first time when two penalties are at most twice its work, so at 5,
/// when job 2 is tried again. It resumes at 25 and makes progress from 30 on. Three penalties are twice its work at 7.5 s: it does not
/// give way at 31 and 32, but at 33, with 8 s done. Job 3 ends at 43, and job 1 has 92 s to go after the penalty. Job 2 had 20 s of
/// work, so that waiting was never cheaper.
#[test]
fn penalties_are_a_bounded_multiple_of_the_work() {
    let table = [(0, 100, 6), (4, 20, 6), (31, 10, 6)];
    let policy = "GreedyP*/OPT=MIN/PAY=2/RETRY=1";
    assert_eq!(lives(policy, 1, jobs(&table)), [(0.0, 140.0), (5.0, 25.0), (33.0, 43.0)]);
}

/// One node, memory 0.6 each, jobs of 20 s. No job has completed at 1, so job 1 gives way with 1 s done, and makes progress from 26 on. With 15 s
/// done, at 40, it gives way again: job 2 had as much work and took 5 s more, a penalty. With 16 s done it does not, as job
/// 2 was over sooner.
#[test]
fn jobs_do_not_give_way_if_waiting_is_cheaper() {
    let lives =
        |submit| lives("GreedyP*/OPT=MIN/PAY=100", 1, jobs(&[(0, 20, 6), (1, 20, 6), (submit, 20, 6)]));
    assert_eq!(lives(40), [(0.0, 70.0), (1.0, 21.0), (40.0, 60.0)]);
    assert_eq!(lives(41), [(0.0, 45.0), (1.0, 21.0), (45.0, 65.0)]);
}

/// One node, memory 0.6 each, no penalty. Job 2 displaces job 1 at 100. From then on the priorities are t / 100^2 for job 1 and
/// 1 / (t - 100) for job 2; the first is more than four times the second from 256.2 on, so at 300. Then they are t / (t - 200)^2
/// and (t - 100) / 200^2: job 2 comes back at 650 (at 600: 500 * 400^2 < 4 * 200^2 * 600), and ends at 850. Job 1 has 450 s done.
#[test]
fn paused_jobs_displace_those_of_much_lower_priority() {
    let table = [(0, 1000, 6), (100, 400, 6)];
    let run = |policy: &str| schedule(policy, 1, &penalty(0), jobs(&table));
    let records = run("GreedyP*/OPT=MIN/RETRY=50/SWAP=4");
    assert_eq!(starts_and_ends(&records), [(0.0, 1400.0), (100.0, 850.0)]);
    assert_eq!((records[0].preemptions, records[1].preemptions), (2, 1));
    assert_eq!(starts_and_ends(&run("GreedyP*/OPT=MIN/RETRY=50")), [(0.0, 1400.0), (100.0, 500.0)]);
}

/// Two nodes. Job 1 has 0.6 of the memory of node 0. Job 2, of two tasks with 0.5, fits on node 1, at half speed: 40 s. Spread it
/// has both nodes and 20 s, and job 1 is paused from 10 to 30: no progress until 35, 90 s to go.
#[test]
fn tasks_spread_to_full_speed() {
    let mut list = jobs(&[(0, 100, 6), (10, 20, 5)]);
    list[1].tasks = 2;
    assert_eq!(lives("GreedyP*/OPT=MIN", 2, list.clone()), [(0.0, 100.0), (10.0, 50.0)]);
    assert_eq!(lives("GreedyP*/OPT=MIN/SPREAD", 2, list.clone()), [(0.0, 125.0), (10.0, 30.0)]);
    // Three tasks cannot spread over two nodes: memory decides, and both nodes have room.
    list[1].tasks = 3;
    list[0].memory = list[1].memory;
    assert_eq!(lives("GreedyP*/OPT=MIN/SPREAD", 2, list)[1], (10.0, 50.0));
}

/// One node. Jobs 1 and 2 have half of it each, so 100 s of virtual time at 200, when job 3 comes. With LAS=100 their weights are
/// 1/2 and that of job 3 is 1: it has half of the node for 40 s, and the others 10 s more each, 90 s to go at half speed.
#[test]
fn the_least_attained_service_has_the_largest_share() {
    let table = [(0, 200, 1), (0, 200, 1), (200, 20, 1)];
    let expected = [(0.0, 420.0), (0.0, 420.0), (200.0, 240.0)];
    assert_eq!(lives("Greedy*/OPT=MIN/LAS=100", 1, jobs(&table)), expected);
}

/// One node, and exact estimates. At 5 job 1 may give way if it runs for 60 s or more, regardless of the work it has
/// done.
#[test]
fn short_jobs_do_not_give_way_if_estimates_are_known() {
    let policy = "GreedyP*/OPT=MIN/SAFE=60/ESTIMATES";
    assert_eq!(lives(policy, 1, jobs(&[(0, 100, 6), (5, 20, 6)])), [(0.0, 125.0), (5.0, 25.0)]);
    assert_eq!(lives(policy, 1, jobs(&[(0, 50, 6), (5, 20, 6)])), [(0.0, 50.0), (50.0, 70.0)]);
}

/// One node. Jobs 1 and 2 have done as much when job 3 comes. By virtual times the one that was submitted later gives way, by
/// estimates the longer one does.
#[test]
fn the_longest_job_gives_way_if_estimates_are_known() {
    let table = [(0, 1000, 4), (0, 200, 4), (100, 10, 4)];
    for (policy, expected) in [("GreedyP*/OPT=MIN", [0, 1, 0]), ("GreedyP*/OPT=MIN/ESTIMATES", [1, 0, 0])] {
        let records = schedule(policy, 1, &penalty(0), jobs(&table));
        let preemptions: Vec<u32> = records.iter().map(|record| record.preemptions).collect();
        assert_eq!(preemptions, expected, "{policy}");
    }
}

/// One node. The weights are 100 / (100 + 100), 100 / (300 + 100) and the same: job 1 has half of the node until 200. The others
/// have 50 s done by then, and 250 s to go at half speed.
#[test]
fn short_jobs_have_the_largest_share_if_estimates_are_known() {
    let table = [(0, 100, 1), (0, 300, 1), (0, 300, 1)];
    let expected = [(0.0, 200.0), (0.0, 700.0), (0.0, 700.0)];
    assert_eq!(lives("Greedy*/OPT=MIN/LAS=100/ESTIMATES", 1, jobs(&table)), expected);
}

/// As in `ticks_map_again_only_if_a_yield_is_below`, but no job moves that has run for less than the limit.
#[test]
fn short_jobs_do_not_move_if_estimates_are_known() {
    let table = [(0, 2000, 3), (0, 100, 3), (0, 2000, 3)];
    for (limit, end) in [(2001, 4000.0), (2000, 2300.0)] {
        let policy = format!("Greedy/per/OPT=MIN/MVT={limit}/ESTIMATES");
        let records = schedule(&policy, 2, &penalty(0), jobs(&table));
        assert_eq!(starts_and_ends(&records), [(0.0, end), (0.0, 100.0), (0.0, end)], "{policy}");
    }
}

/// Two nodes. Jobs 2 and 3 share node 1 from 0 on, job 4 is alone on node 0 from 1,600 on. At 2,000 their flow times are 2,000,
/// 2,000 and 400, their virtual times 1,000, 1,000 and 400. By flow time / (virtual time)^2 job 3 is the lowest (0.002 against
/// 0.0025), by (flow time + 100 s) / virtual time job 4 is (1.25 against 2.1).
#[test]
fn priority_looks_ahead() {
    let table = [(0, 100, 10), (0, 5000, 4), (0, 5000, 4), (1600, 5000, 6), (2000, 50, 6)];
    for (policy, expected) in
        [("GreedyP*/OPT=MIN", [0, 0, 1, 0, 0]), ("GreedyP*/OPT=MIN/AHEAD=100", [0, 0, 0, 1, 0])]
    {
        let records = schedule(policy, 2, &penalty(0), jobs(&table));
        let preemptions: Vec<u32> = records.iter().map(|record| record.preemptions).collect();
        assert_eq!(preemptions, expected, "{policy}");
    }
}

/// One node, memory 0.3, 0.8 and 0.4, half of the CPU each. Job 2 displaces job 1 at 1000 and is old enough at 1060 to be paused for job 3. Beside that is room
/// for job 1 then, which displaces no other itself and had none before: it resumes at the same moment, with 100 s to go.
#[test]
fn paused_jobs_are_tried_in_the_room_that_those_before_them_make() {
    let mut list = jobs(&[(0, 1100, 3), (1000, 5000, 8), (1030, 50, 4)]);
    list.iter_mut().for_each(|job| job.cpu_need = dfrsim_model::Share::from_ratio(1, 2));
    let policy = "GreedyP*/OPT=MIN/SAFE=60/RETRY=10/SWAP=1000";
    let records = schedule(policy, 1, &penalty(0), list);
    assert_eq!(starts_and_ends(&records), [(0.0, 1160.0), (1000.0, 6100.0), (1060.0, 1110.0)]);
}
