//! Tests yields and priorities by job weights: properties.

use crate::support::{assert_judged, recorded};
use dfrsim_cluster::{JobRecord, Options, ShareWeights};
use dfrsim_model::site::{JobClass, SiteSettings};
use dfrsim_model::{Job, Origin, Share, SimSpan, SimTime};
use dfrsim_policies::PolicyOptions;
use proptest::prelude::*;

/// Creates a QOS for each weight. A QOS has the queue with its index, and the last one has all other
/// queues.
fn settings(weights: &[u32]) -> SiteSettings {
    let class = |(queue, &weight): (u32, &u32)| JobClass {
        name: format!("class {queue}"),
        weight: Some(weight),
        queues: if queue as usize + 1 == weights.len() { Vec::new() } else { vec![queue] },
        ..JobClass::default()
    };
    SiteSettings { qos: (0..).zip(weights).map(class).collect(), ..SiteSettings::default() }
}

/// Simulates with weights, and audits the events. Returns the completed jobs in the order of
/// submission, and the events after the records of settings.
fn run(
    policy: &str,
    nodes: u32,
    settings: &SiteSettings,
    options: &Options,
    jobs: &[Job],
) -> (Vec<JobRecord>, String) {
    settings.check().unwrap();
    let site = ShareWeights::new(settings).map(|_| settings);
    let found = recorded::<()>(&PolicyOptions::default(), policy, nodes, options, site, jobs);
    assert_judged(&found.events, policy);
    let is_of_run = |line: &&str| !line.contains(r#""event":"priority""#);
    (found.records, found.events.lines().filter(is_of_run).collect())
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

/// Draws jobs of four queues that compete for the nodes.
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
                origin: Origin::new(None, Some(queue), None),
                ..Job::default()
            }
        });
        all.collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(150)))]

    /// Audits schedules, including each yield. Equal weights and scaled weights change no byte.
    #[test]
    fn weights_are_ratios(
        policy in prop::sample::select(POLICIES.to_vec()),
        jobs in crowd(),
        weights in prop::collection::vec(prop_oneof![1_u32..4, 1_u32..=10], 4),
        factor in 2_u32..=10,
    ) {
        let times = |factor: u32| -> Vec<u32> { weights.iter().map(|weight| weight * factor).collect() };
        let options = Options { penalty: SimSpan::from_secs(300), ..Options::default() };
        let run = |weights: &[u32]| run(policy, 6, &settings(weights), &options, &jobs).1;
        prop_assert_eq!(run(&times(1)), run(&times(factor)));
        prop_assert_eq!(run(&[factor; 4]), run(&[]));
    }
}
