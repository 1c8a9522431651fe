//! Tests interpretations of what the dissertation leaves open, on schedules that were derived by
//! hand.

use crate::support::{schedule_with, starts_and_ends};
use dfrsim_cluster::{JobRecord, Options};
use dfrsim_model::{Job, JobId, Share, SimSpan, SimTime};
use dfrsim_policies::PolicyOptions;
use dfrsim_policies::fractional::{
    ArrivalsAtTicks, McbOptions, Opportunism, Readings, StretchYields, TickOrigin, Unmarking,
};

/// (Submit time, tasks, run time, CPU need in quarters of a node, memory in tenths of a node.)
type Row = (u64, u32, u64, u64, u64);

fn run(parameters: &PolicyOptions, policy: &str, nodes: u32, table: &[Row]) -> Vec<JobRecord> {
    let job = |(&(submit, tasks, run, quarters, tenths), id): (&Row, u64)| Job {
        id: JobId(id),
        submit: SimTime::from_secs(submit),
        tasks,
        cpu_need: Share::from_ratio(quarters, 4),
        memory: Share::from_ratio(tenths, 10),
        run_time: SimSpan::from_secs(run),
        ..Job::default()
    };
    let jobs = table.iter().zip(1..).map(job).collect();
    schedule_with(parameters, policy, nodes, &Options::default(), jobs)
}

fn reading(readings: Readings) -> PolicyOptions {
    PolicyOptions { readings, ..PolicyOptions::default() }
}

/// One node; job 2 waits for job 1, and job 3 arrives when job 1 ends. The waiting job is first if
/// `*` reacts to the completion, the new one if `*` runs after all events.
#[test]
fn waiting_jobs_are_tried_before_or_after_new_ones() {
    let table = [(0, 1, 100, 4, 6), (10, 1, 20, 4, 6), (100, 1, 30, 4, 6)];
    let by_completion = run(&PolicyOptions::default(), "Greedy*/OPT=MIN", 1, &table);
    assert_eq!(starts_and_ends(&by_completion), [(0.0, 100.0), (100.0, 120.0), (120.0, 150.0)]);
    let every = reading(Readings { opportunism: Opportunism::EveryEvent, ..Readings::default() });
    let by_event = run(&every, "Greedy*/OPT=MIN", 1, &table);
    assert_eq!(starts_and_ends(&by_event), [(0.0, 100.0), (130.0, 150.0), (100.0, 130.0)]);
}

/// Two nodes. Jobs 1 (memory 0.5) and 3 (0.1) share node 0, job 2 (1.0) has node 1. All have equal
/// priority at 10 s, when job 4 arrives with two tasks of memory 0.5, so jobs 3 and 2 are marked.
///
/// If jobs are unmarked before job 4 is placed, job 3 is unmarked, as job 4 fits on node 1: two
/// whole needs there and a yield of 1/2, so it ends at 30 s. If jobs are unmarked afterwards, both
/// are marked during placement. The tasks then go to node 1 and, as that is the less loaded one
/// next, to node 0, where job 3 does not fit any more. Job 1 uses a quarter of node 0, so the yield
/// is 1 / 1.25 and job 4 ends at 10 + 12.5.
#[test]
fn jobs_are_unmarked_before_or_after_the_new_job_is_placed() {
    let table = [(0, 1, 1000, 1, 5), (0, 1, 1000, 4, 10), (0, 1, 1000, 1, 1), (10, 2, 10, 4, 5)];
    let before = run(&PolicyOptions::default(), "GreedyP*/OPT=MIN", 2, &table);
    let preemptions = |records: &[JobRecord]| records.iter().map(|it| it.preemptions).collect::<Vec<_>>();
    assert_eq!((preemptions(&before), before[3].end), (vec![0, 1, 0, 0], SimTime::from_secs(30)));
    let after = reading(Readings { unmarking: Unmarking::AfterPlacing, ..Readings::default() });
    let after = run(&after, "GreedyP*/OPT=MIN", 2, &table);
    assert_eq!((preemptions(&after), after[3].end.as_secs_f64().round()), (vec![0, 1, 1, 0], 23.0));
}

/// Ticks occur at 600 s and 1,200 s, although the first submission is at 50 s.
#[test]
fn ticks_begin_at_zero() {
    let zero = reading(Readings { tick_origin: TickOrigin::Zero, ..Readings::default() });
    let records = run(&zero, "/per/OPT=MIN", 1, &[(50, 1, 100, 4, 1), (760, 1, 10, 4, 1)]);
    assert_eq!(starts_and_ends(&records), [(600.0, 700.0), (1200.0, 1210.0)]);
}

/// Two nodes; a job of memory 0.6 is on node 0. At the tick at 600 s another one arrives, and node 1
/// is less loaded. If it is admitted first, it has node 1 before the tick, which may not move it and
/// packs the first job on node 0. If it is left to the tick, the two are packed in the order of
/// their memory: the larger one takes node 0.
#[test]
fn arrivals_at_ticks_are_left_to_them() {
    let table = [(0, 1, 1000, 4, 6), (600, 1, 1000, 4, 7)];
    let policy = "Greedy/per/OPT=MIN/MFT=300";
    let admitted = run(&PolicyOptions::default(), policy, 2, &table);
    assert_eq!((admitted[0].migrations, admitted[1].start), (0, SimTime::from_secs(600)));
    let left = Readings { arrivals_at_ticks: ArrivalsAtTicks::LeftToTick, ..Readings::default() };
    let left = run(&reading(left), policy, 2, &table);
    assert_eq!((left[0].migrations, left[1].start), (1, SimTime::from_secs(600)));
}

/// One node, and two jobs from 0 s, both of which the tick at 600 s starts with a yield of 1/2. The
/// first one's 100 s are done at 800 s; by then the other has done 100 of its 900 s. If yields hold
/// until 1,200 s, it has done 300 s then and ends at 1,800 s; if not, at 1,600 s.
#[test]
fn stretch_yields_hold_or_are_recomputed() {
    let table = [(0, 1, 100, 4, 1), (0, 1, 900, 4, 1)];
    let end = |options: &PolicyOptions| {
        let records = run(options, "/stretch-per/OPT=MAX", 1, &table);
        records[1].end.as_secs_f64().round()
    };
    assert_eq!(end(&PolicyOptions::default()), 1800.0);
    let recomputed = Readings { stretch_yields: StretchYields::Recomputed, ..Readings::default() };
    assert_eq!(end(&reading(recomputed)), 1600.0);
}

/// Gives three jobs that need a whole node a third of it each, rounded down to 33 hundredths: 150 s
/// of work take 150 / 0.33 s.
#[test]
fn cpu_is_given_in_steps() {
    let mcb = McbOptions { cpu_step: Some(Share::from_ratio(1, 100)), ..McbOptions::default() };
    let stepped = PolicyOptions { mcb, ..PolicyOptions::default() };
    let table = [(0, 1, 150, 4, 1); 3];
    let ends = |options: &PolicyOptions| {
        run(options, "Greedy*/OPT=MIN", 1, &table).iter().map(|it| it.end.as_secs_f64()).collect::<Vec<_>>()
    };
    assert!(ends(&PolicyOptions::default()).iter().all(|end| (end - 450.0).abs() < 0.01));
    assert!(ends(&stepped).iter().all(|end| (end - 150.0 / 0.33).abs() < 0.01), "{:?}", ends(&stepped));
}

/// Yields that MCB packs in steps fit on the nodes: `/stretch-per` never requests more than a node
/// on a busy cluster.
#[test]
fn yields_packed_in_steps_fit() {
    let mcb = McbOptions { cpu_step: Some(Share::from_ratio(1, 100)), ..McbOptions::default() };
    let mut submit = 0;
    let mut row = |i: u64| {
        submit += i * 37 % 190;
        (submit, 1 + (i % 3) as u32, 30 + i * 7919 % 3000, 1 + i * 5 % 4, 1 + i % 4)
    };
    let table: Vec<Row> = (0..400).map(&mut row).collect();
    for policy in ["/stretch-per/OPT=MAX", "/stretch-per/OPT=AVG", "/stretch-per/OPT=AVG/MVT=600"] {
        for stretch_yields in [StretchYields::Held, StretchYields::Recomputed] {
            let readings = Readings { stretch_yields, ..Readings::default() };
            let options = PolicyOptions { mcb, readings, ..PolicyOptions::default() };
            assert_eq!(run(&options, policy, 6, &table).len(), table.len());
        }
    }
}

/// Three long jobs, two of which fit at a time. The last one ends earlier if the search for the
/// stretch has the default precision than if it has the precision of the search for the yield.
#[test]
fn a_fine_search_for_the_stretch_is_better() {
    let end = |precision| {
        let mcb = McbOptions { stretch_precision: precision, ..McbOptions::default() };
        let options = PolicyOptions { mcb, ..PolicyOptions::default() };
        let table = [(0, 1, 60_000, 4, 5), (0, 1, 60_000, 4, 5), (0, 1, 60_000, 4, 5)];
        let records = run(&options, "/stretch-per/OPT=AVG", 1, &table);
        records.iter().map(|it| it.end.as_secs_f64()).fold(0.0, f64::max)
    };
    let fine = end(McbOptions::default().stretch_precision);
    let coarse = end(McbOptions::default().precision);
    assert!(fine < coarse, "{fine} {coarse}");
}
