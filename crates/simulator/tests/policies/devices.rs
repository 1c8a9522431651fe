//! Tests batch policies on nodes with devices against the reference implementation in the audit.

use crate::classes::events;
use dfrsim_audit::{CheckedPolicy, audit_policy};
use dfrsim_cluster::Options;
use dfrsim_model::batch::{BatchPolicy, NodeUse};
use dfrsim_model::platform::classes::{Demands, PlatformFields, UnequalNodes};
use dfrsim_model::{Job, JobId, Seed, Share, SimSpan, SimTime};
use proptest::prelude::*;
use std::sync::Arc;

/// Two nodes with four GPUs, two with two of another type, and one without any.
const PLATFORM: &str = "devices = 'gpu'
core_parts = 2
classes = [{ name = 'a', nodes = 2, cores = 8, memory_gb = 8, resources = { gpu = 4 }, features = ['a'] },
    { name = 'b', nodes = 2, cores = 4, memory_gb = 8, speed = 0.5, resources = { gpu = 2 }, features = ['b'] },
    { name = 'c', nodes = 1, cores = 8, memory_gb = 8 }]";

fn options(seed: u64) -> Options {
    let requests = [
        "gpu:0.5:1:0.1-0.9:max4",
        "gpu:0.3:1+2+4:max4",
        "gpu:0.2:2:0.3-0.7:max4",
        "@a|b:0.2:max4",
        "@b:0.1:max4",
    ];
    let requests = requests.map(|text| text.parse().unwrap()).to_vec();
    let classes = PlatformFields::parse("platform.toml", PLATFORM).unwrap().classes().unwrap();
    let demands = Demands { requests, seed: Seed::new(seed), ..Demands::default() };
    Options {
        unequal: Some(Arc::new(UnequalNodes { classes, demands })),
        estimates: "requested".parse().unwrap(),
        ..Options::default()
    }
}

/// Draws up to 40 jobs; the first one has five tasks, and therefore no requests, and always runs.
fn workload() -> impl Strategy<Value = Vec<Job>> {
    let row = (0..4_u64, 1..=4_u32, 1..12_u64, 1..12_u64, 1..=8_u64);
    prop::collection::vec(row, 1..40).prop_map(|rows| {
        let mut submit = SimTime::ZERO;
        let rows = [(0, 5, 3, 3, 1)].into_iter().chain(rows);
        let jobs = rows.into_iter().zip(0..).map(|((gap, tasks, run, requested, eighths), id)| {
            submit = submit + SimSpan::from_secs(gap);
            Job {
                id: JobId(id),
                submit,
                tasks,
                cpu_need: Share::from_ratio(eighths, 16),
                run_time: SimSpan::from_secs(run),
                requested_time: Some(SimSpan::from_secs(requested)),
                ..Job::default()
            }
        });
        jobs.collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(3_000)))]

    /// Compares nodes, devices and times with the reference implementation, for each order, any
    /// reservations, node selection and node use.
    #[test]
    fn batch_policies_agree_with_the_reference(
        jobs in workload(), seed in 0..1000_u64,
        policy in prop::sample::select(BatchPolicy::all().filter(|it| it.nodes != NodeUse::Whole).collect::<Vec<_>>()),
    ) {
        let events = events(policy.to_string().parse().unwrap(), 5, &options(seed), &jobs);
        let report = audit_policy(events.as_bytes(), CheckedPolicy::Batch(policy));
        prop_assert!(report.is_ok(), "{}: {}", policy, report.unwrap_err());
    }

    /// Where each task has a node of its own, the rule of the platform binds it to devices.
    #[test]
    fn tasks_on_nodes_of_their_own_have_devices(jobs in workload(), seed in 0..1000_u64) {
        for policy in ["FCFS", "FIRSTFIT", "EASY", "CONS"] {
            let policy: BatchPolicy = policy.parse().unwrap();
            let events = events(policy.to_string().parse().unwrap(), 5, &options(seed), &jobs);
            let report = audit_policy(events.as_bytes(), CheckedPolicy::Batch(policy));
            prop_assert!(report.is_ok(), "{}: {}", policy, report.unwrap_err());
        }
    }
}
