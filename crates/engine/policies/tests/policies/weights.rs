//! Shares and priorities by weights of jobs: schedules derived by hand, and properties.

use crate::fractional::{jobs, penalty};
use crate::support::{Records, starts_and_ends};
use dfrsim_audit::{CheckedPolicy, audit_policy};
use dfrsim_cluster::{EventLog, JobRecord, Metrics, Options, ShareWeights, SummaryOptions, simulate};
use dfrsim_model::priority::{JobClass, Priorities};
use dfrsim_model::{Job, Origin, Share, SimSpan, SimTime};
use dfrsim_policies::{Policy, PolicyOptions};
use proptest::prelude::*;
use std::sync::Arc;

/// Qualities of service with these weights; the class of a queue's jobs is the one of its number, the last class has all others.
fn settings(weights: &[u32]) -> Priorities {
    let class = |(queue, &weight): (u32, &u32)| JobClass {
        name: format!("class {queue}"),
        weight: Some(weight),
        queues: if queue as usize + 1 == weights.len() { Vec::new() } else { vec![queue] },
        ..JobClass::default()
    };
    Priorities { qos: (0..).zip(weights).map(class).collect(), ..Priorities::default() }
}

/// The jobs from the queue of their place.
fn queued(jobs: Vec<Job>) -> Vec<Job> {
    let queued = |(job, queue)| Job { origin: Origin::new(None, Some(queue), None), ..job };
    jobs.into_iter().zip(0..).map(queued).collect()
}

/// Simulates with weights, has the events audited; the completed jobs by submission, and the events behind the records of settings.
fn run(
    policy: &str,
    nodes: u32,
    settings: &Priorities,
    options: &Options,
    jobs: Vec<Job>,
) -> (Vec<JobRecord>, String) {
    settings.check().unwrap();
    let weights = ShareWeights::new(settings).map(Arc::new);
    let parsed: Policy = policy.parse().unwrap();
    let mut scheduler = parsed.scheduler(nodes, &PolicyOptions::default());
    let mut log = EventLog::new(Vec::new(), policy, nodes, options.penalty, SimSpan::from_secs(10));
    if weights.is_some() {
        log = log.with_priorities(settings);
    }
    let options = Options { weights, ..options.clone() };
    let mut watchers = ((Metrics::new(SummaryOptions::new(nodes)), log), Records::default());
    simulate(nodes, &options, jobs, &mut *scheduler, &mut watchers)
        .unwrap_or_else(|error| panic!("{policy}: {error}"));
    let ((metrics, log), records) = watchers;
    let events = log.finish(&metrics.summary().unwrap()).unwrap();
    let events = String::from_utf8(events).unwrap();
    let checked = CheckedPolicy::parse(policy, PolicyOptions::default().period).unwrap();
    audit_policy(events.as_bytes(), checked).unwrap_or_else(|error| panic!("{policy}: {error}\n{events}"));
    let is_of_run = |line: &&str| !line.contains(r#""event":"priority""#);
    (records.sorted(), events.lines().filter(is_of_run).collect())
}

/// Start and end of the jobs of a table, each with the weight of its place.
fn lives(policy: &str, nodes: u32, weights: &[u32], jobs: Vec<Job>) -> Vec<(f64, f64)> {
    starts_and_ends(&run(policy, nodes, &settings(weights), &penalty(0), queued(jobs)).0)
}

/// One node. Yields are 3/4 and 1/4, so job 1 ends at 75 / (3/4) = 100. Job 2 has 25 s done by then and is alone: 100 + 50.
#[test]
fn yields_are_in_the_ratio_of_weights() {
    let table = [(0, 75, 1), (0, 75, 1)];
    assert_eq!(lives("Greedy*/OPT=MIN", 1, &[3, 1], jobs(&table)), [(0.0, 100.0), (0.0, 150.0)]);
    assert_eq!(lives("Greedy*/OPT=MIN", 1, &[1, 1], jobs(&table)), [(0.0, 150.0), (0.0, 150.0)]);
}

/// One node. Job 1 needs 3/10 of it and has that: it rises at a speed of 18 * 3/10, the others at 2 and 1. Those have 2/3 and 1/3 of the other 7/10: with 70 s of work each, job 2 ends at 150; job 3 has 35 s done, and then 7/10
/// until job 1 ends, at 200, and all of it from then on. 50 * 7/10 = 35: it ends at 200 as well.
#[test]
fn what_a_job_does_not_need_goes_to_the_others_by_weight() {
    let mut list = jobs(&[(0, 200, 1), (0, 70, 1), (0, 70, 1)]);
    list[0].cpu_need = Share::from_ratio(3, 10);
    let ends: Vec<f64> =
        lives("Greedy*/OPT=MIN", 1, &[18, 2, 1], list).into_iter().map(|(_, end)| end).collect();
    // Yields of 7/15 and 7/30 are rounded down to units of 2^-20.
    let expected = [200.0, 150.0, 200.0];
    assert!(ends.iter().zip(expected).all(|(end, expected)| (end - expected).abs() < 1e-3), "{ends:?}");
}

/// Two nodes. Jobs 1 and 2 have one each, and job 3 comes to that with the smaller load: by needs alone to node 0, where job 1 is,
/// with a weight of 3 to node 1. There it has half of the node, and so has job 2: 100 + 100.
#[test]
fn greedy_prefers_the_node_with_the_smaller_weighted_load() {
    let table = [(0, 100, 1), (0, 100, 1), (0, 100, 1)];
    let lives = |weights: &[u32]| lives("Greedy*/OPT=MIN", 2, weights, jobs(&table));
    assert_eq!(lives(&[1, 1, 1]), [(0.0, 200.0), (0.0, 100.0), (0.0, 200.0)]);
    assert_eq!(lives(&[3, 1, 1]), [(0.0, 100.0), (0.0, 200.0), (0.0, 200.0)]);
}

/// One node; jobs 1 and 2 need half of it each and have memory 0.5 and 0.4. At 30 job 3 (0.5) comes, and either would make room. They have
/// done 30 and 20 s: priorities are w^2 30 / 30^2 = w^2 / 30 and w^2 20 / 20^2 = w^2 / 20. With equal weights job 1 is paused; with a
/// weight of 2 it has 4 / 30, and job 2 is.
#[test]
fn low_weighted_priorities_are_paused_first() {
    let mut list = jobs(&[(0, 1000, 5), (10, 1000, 4), (30, 10, 5)]);
    list[..2].iter_mut().for_each(|job| job.cpu_need = Share::from_ratio(1, 2));
    let paused = |weights: &[u32]| {
        let (records, _) = run("GreedyP*/OPT=MIN", 1, &settings(weights), &penalty(0), queued(list.clone()));
        [records[0].preemptions, records[1].preemptions]
    };
    assert_eq!((paused(&[1, 1, 1]), paused(&[2, 1, 1])), ([1, 0], [0, 1]));
    // 5^2 / 30 is less than 6^2 / 20.
    assert_eq!(paused(&[5, 6, 1]), [1, 0]);
}

/// Two nodes, memory 0.6 each. At the tick of 600 jobs 1 and 2 have done 600 s, job 3 has not run: one of the two leaves, of equal priorities
/// the later one, otherwise the one of the smaller weight.
#[test]
fn mcb_leaves_out_the_lowest_weighted_priority() {
    let table = [(0, 2000, 6), (0, 2000, 6), (10, 100, 6)];
    for (weights, expected) in [([1, 1, 1], [0, 1, 0]), ([1, 2, 1], [1, 0, 0])] {
        let (records, _) =
            run("Greedy/per/OPT=MIN", 2, &settings(&weights), &penalty(0), queued(jobs(&table)));
        let preemptions: Vec<u32> = records.iter().map(|record| record.preemptions).collect();
        assert_eq!(preemptions, expected, "{weights:?}");
    }
}

/// Two nodes, weights 1, 1, 3 and 1, memory 0.6, 0.6, 0.4 and 0.4: `yields_are_packed_in_proportion_to_weights` of the packing has jobs 1 and
/// 3 on node 0, 2 and 4 on node 1. Max-min yields are then 1/4, 1/2, 3/4 and 1/2. Job 2 ends at 600 + 100 / (1/2).
#[test]
fn ticks_map_by_weight() {
    let table = [(0, 100_000, 6), (0, 100, 6), (0, 100_000, 4), (0, 100_000, 4)];
    let lives = lives("/per/OPT=MIN", 2, &[1, 1, 3, 1], jobs(&table));
    assert_eq!(lives[1], (600.0, 800.0));
}

const POLICIES: [&str; 7] = [
    "Greedy*/OPT=MIN",
    "GreedyP*/OPT=MIN",
    "GreedyPM*/per/OPT=MIN/MVT=600",
    "Greedy*/per/OPT=MIN",
    "MCB*/OPT=MIN",
    "MCB*/per/OPT=MIN/MFT=300",
    "/per/OPT=MIN",
];

/// Jobs that have to give way to each other, of four queues.
fn crowd() -> impl Strategy<Value = Vec<Job>> {
    let row = (0_u64..400, 1_u64..3_000, 1_u32..5, 1_u64..=4, 1_u64..=8, 0_u32..4);
    prop::collection::vec(row, 1..40).prop_map(|rows| {
        let mut submit = SimTime::ZERO;
        let all = rows.into_iter().zip(1..).map(|((gap, run, tasks, need, memory, queue), id)| {
            submit = submit + SimSpan::from_secs(gap / 2);
            Job {
                id: dfrsim_model::JobId(id),
                submit,
                tasks,
                cpu_need: Share::from_ratio(need, 4),
                memory: Share::from_ratio(memory, 10),
                run_time: SimSpan::from_secs(run),
                requested_time: None,
                user: None,
                origin: Origin::new(None, Some(queue), None),
            }
        });
        all.collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Schedules pass the audit, which judges each yield; equal weights, and the same ones in other units, change no byte.
    #[test]
    fn weights_are_ratios(
        policy in prop::sample::select(POLICIES.to_vec()),
        jobs in crowd(),
        weights in prop::collection::vec(prop_oneof![1_u32..4, 1_u32..=10], 4),
        factor in 2_u32..=10,
    ) {
        let times = |factor: u32| -> Vec<u32> { weights.iter().map(|weight| weight * factor).collect() };
        let run = |weights: &[u32]| run(policy, 6, &settings(weights), &penalty(300), jobs.clone()).1;
        prop_assert_eq!(run(&times(1)), run(&times(factor)));
        prop_assert_eq!(run(&[factor; 4]), run(&[]));
    }
}
