//! Tests priorities, limits and preemption by class under policies that share nodes: properties.

use crate::preemption::settings;
use crate::priorities::{Row, of, requested, run};
use dfrsim_model::site::{PreemptMode, PriorityWeights, SiteSettings};
use dfrsim_model::{Job, Share};
use proptest::prelude::*;

const POLICIES: [&str; 11] = [
    "EQUIPARTITION",
    "Greedy*/OPT=MIN",
    "GreedyP*/per/OPT=AVG",
    "GreedyPM*/per/OPT=MIN/MVT=600",
    "GreedyPM*/per/BUDGET=9/OPT=MIN",
    "Greedy/per/OPT=MIN",
    "MCB*/OPT=MIN",
    "MCB*/per/RELABEL/OPT=MIN",
    "/per/OPT=MIN",
    "/stretch-per/OPT=MAX",
    "GreedyPM*/per/OPT=MIN/PAY=15/SPREAD/RETRY=60/SWAP=2/LAS=300/AHEAD=2700",
];

fn crowd() -> impl Strategy<Value = Vec<Job>> {
    let row = (0_u64..300, 1_u32..5, 1_u64..3_000, 1_u64..4_000, 1_u32..4, 1_u32..4, 1_u64..9);
    prop::collection::vec(row, 1..30).prop_map(|rows| {
        let mut submit = 0;
        // The site never rejects jobs of the first group, so that one job at least leaves a record.
        let rows =
            rows.into_iter().enumerate().map(|(at, (gap, width, run, requested, group, user, memory))| {
                let group = if at == 0 { 1 } else { group };
                submit += gap / 2;
                ((submit, width, run, requested, group, user), Share::from_ratio(memory, 10))
            });
        let (rows, memories): (Vec<Row>, Vec<Share>) = rows.unzip();
        of(&rows).into_iter().zip(memories).map(|(job, memory)| Job { memory, ..job }).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Checks that all jobs that may run do so under all settings of a site, and that the audit
    /// finds no exceeded limit.
    #[test]
    fn all_policies_keep_to_a_site(jobs in crowd(), policy in 0..POLICIES.len(), mode in 0_usize..4, exempt in 0_u64..200) {
        let mode = [PreemptMode::Off, PreemptMode::Requeue, PreemptMode::Suspend, PreemptMode::Cancel][mode];
        let mut site = SiteSettings {
            weights: PriorityWeights { age: 100, fair_share: 500, size: 50, qos: 100, ..PriorityWeights::default() },
            max_running_per_user: Some(3),
            preempt_exempt_time_s: exempt,
            ..settings(mode)
        };
        site.qos[0].total_nodes = Some(5);
        site.qos[1].weight = Some(3);
        site.qos[2].limits.minutes = [("node".to_owned(), 150)].into();
        let count = jobs.len();
        let found = run(POLICIES[policy], 6, &site, &requested(), &jobs);
        prop_assert_eq!(found.records.len() as u64 + found.summary.rejected, count as u64);
    }
}
