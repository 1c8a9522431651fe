//! Every policy of the catalogue passes the independent audit.

use dfrsim_audit::batch::BatchPolicy;
use dfrsim_audit::{AuditError, CheckedPolicy, audit, audit_policy};
use dfrsim_cluster::{
    EstimateModel, EventLog, Metrics, NeedModel, Options, Overrun, SummaryOptions, simulate,
};
use dfrsim_model::{Job, Seed, SimSpan};
use dfrsim_policies::{Policy, PolicyOptions, catalogue};
use dfrsim_workload::load;
use dfrsim_workload::lublin::{LublinParameters, generate};
use proptest::prelude::*;
use rayon::prelude::*;
use std::num::NonZeroU32;

/// Policies that are given wrong needs and discover the right ones: the audit checks what jobs really get.
#[test]
fn wrong_needs_pass_the_audit() {
    const NODES: u32 = 32;
    let nodes = NonZeroU32::new(NODES).unwrap();
    let parameters = LublinParameters { nodes, jobs: 150, ..LublinParameters::default() };
    let penalty = SimSpan::from_secs(300);
    let tau = SimSpan::from_secs(10);
    for policy in ["EASY", "EQUIPARTITION", "GreedyPM*/per/OPT=MIN/MVT=600", "MCB*/per/OPT=AVG"] {
        for needs in [NeedModel::Whole, NeedModel::Factor(0.5), NeedModel::Factor(2.0)] {
            for discovery in [None, Some(SimSpan::from_secs(60))] {
                let mut jobs = generate(&parameters, Seed::new(1));
                load::scale_to_load(&mut jobs, NODES, 0.9).unwrap();
                let options = Options { penalty, needs, discovery, ..Options::default() };
                let policy: Policy = policy.parse().unwrap();
                let mut scheduler = policy.scheduler(NODES, &PolicyOptions::default());
                let log = EventLog::new(Vec::new(), &policy.to_string(), NODES, penalty, tau);
                let mut watchers = (Metrics::new(SummaryOptions::new(NODES)), log);
                simulate(NODES, &options, jobs, &mut *scheduler, &mut watchers)
                    .unwrap_or_else(|error| panic!("{policy}, {needs}: {error}"));
                let summary = watchers.0.summary().unwrap();
                let events = watchers.1.finish(&summary).unwrap();
                let report =
                    audit(events.as_slice()).unwrap_or_else(|error| panic!("{policy}, {needs}: {error}"));
                assert_eq!(report.completed + report.rejected, 150);
            }
        }
    }
}

/// A fractional policy with any of the parts that the paper does not have.
fn extended() -> impl Strategy<Value = String> {
    let base = prop::sample::select(vec!["GreedyP", "GreedyPM", "GreedyP*", "GreedyPM*"]);
    let part = |parts: &[&'static str]| prop::sample::select([&[""], parts].concat());
    let periodic = part(&["/per"]);
    let ticks = (part(&["/PERIOD=900", "/PERIOD=2700"]), part(&["/BELOW=30", "/BELOW=90"]));
    let arrivals =
        (part(&["/SAFE=10", "/SAFE=300", "/PAY=2", "/PAY=10", "/SAFE=10/PAY=3"]), part(&["/SPREAD"]));
    let retries = part(&["/RETRY=60", "/RETRY=30/SWAP=1", "/RETRY=60/SWAP=3"]);
    let ranks = (part(&["/LAS=0.5", "/LAS=300"]), part(&["/AHEAD=0", "/AHEAD=2700"]), part(&["/ESTIMATES"]));
    (base, periodic, ticks, arrivals, retries, ranks).prop_map(
        |(base, periodic, (period, below), (safe, spread), retries, (las, ahead, estimates))| {
            let periodic = if base.ends_with('*') { periodic } else { "/per" };
            let ticks = if periodic.is_empty() { String::new() } else { format!("{period}{below}") };
            format!("{base}{periodic}/OPT=MIN{ticks}{safe}{spread}{retries}{las}{ahead}{estimates}")
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// For all combinations of parts the schedule is legal, obeys the rules of the parts, and completes all jobs.
    #[test]
    fn all_combinations_of_extensions_pass_the_audit(name in extended(), trace in 0_u64..1_000) {
        const NODES: u32 = 16;
        let nodes = NonZeroU32::new(NODES).unwrap();
        let parameters = LublinParameters { nodes, jobs: 100, ..LublinParameters::default() };
        let mut jobs = generate(&parameters, Seed::new(2).numbered(trace));
        load::scale_to_load(&mut jobs, NODES, 0.9).unwrap();
        let policy: Policy = name.parse().unwrap();
        let penalty = SimSpan::from_secs(300);
        let options = Options { penalty, ..Options::default() };
        let mut scheduler = policy.scheduler(NODES, &PolicyOptions::default());
        let log = EventLog::new(Vec::new(), &name, NODES, penalty, SimSpan::from_secs(10));
        let mut watchers = (Metrics::new(SummaryOptions::new(NODES)), log);
        simulate(NODES, &options, jobs, &mut *scheduler, &mut watchers).unwrap();
        let summary = watchers.0.summary().unwrap();
        let events = watchers.1.finish(&summary).unwrap();
        let rules = CheckedPolicy::parse(&name, SimSpan::from_secs(600)).unwrap();
        let report = audit_policy(events.as_slice(), rules).unwrap_or_else(|error| panic!("{name}: {error}"));
        prop_assert_eq!(report.completed, 100);
    }
}

#[test]
fn every_policy_passes_the_audit() {
    const NODES: u32 = 32;
    let nodes = NonZeroU32::new(NODES).unwrap();
    let parameters = LublinParameters { nodes, jobs: 150, ..LublinParameters::default() };
    let penalty = SimSpan::from_secs(300);
    let options = Options { penalty, ..Options::default() };
    let mut preemptions = 0;
    for (info, trace) in catalogue().into_iter().zip(0..) {
        let mut jobs = generate(&parameters, Seed::new(1).numbered(trace));
        load::scale_to_load(&mut jobs, NODES, 0.9).unwrap();
        let mut scheduler = info.policy.scheduler(NODES, &PolicyOptions::default());
        let log = EventLog::new(Vec::new(), &info.name, NODES, penalty, SimSpan::from_secs(10));
        let mut watchers = (Metrics::new(SummaryOptions::new(NODES)), log);
        simulate(NODES, &options, jobs, &mut *scheduler, &mut watchers)
            .unwrap_or_else(|error| panic!("{}: {error}", info.name));
        let (metrics, log) = watchers;
        let summary = metrics.summary().unwrap();
        let events = log.finish(&summary).unwrap();
        let report = audit(events.as_slice()).unwrap_or_else(|error| panic!("{}: {error}", info.name));
        assert_eq!(report.completed + report.rejected, 150, "{}", info.name);
        preemptions += report.preemptions;
    }
    assert!(preemptions > 1000, "the traces are crowded enough to try the policies: {preemptions}");
}

/// The events of a batch policy on a crowded cluster.
fn batch_events(policy: &str, mut jobs: Vec<Job>, nodes: u32, options: &Options) -> String {
    load::scale_to_load(&mut jobs, nodes, 1.1).unwrap();
    let policy: Policy = policy.parse().unwrap();
    let mut scheduler = policy.scheduler(nodes, &PolicyOptions::default());
    let log =
        EventLog::new(Vec::new(), &policy.to_string(), nodes, SimSpan::default(), SimSpan::from_secs(10));
    let mut watchers = (Metrics::new(SummaryOptions::new(nodes)), log);
    simulate(nodes, options, jobs, &mut *scheduler, &mut watchers).unwrap();
    let summary = watchers.0.summary().unwrap();
    String::from_utf8(watchers.1.finish(&summary).unwrap()).unwrap()
}

/// Jobs whose users requested between a quarter and five times of what they take; some requested no time.
fn requesting_jobs(nodes: u32, seed: u64) -> Vec<Job> {
    let nodes = NonZeroU32::new(nodes).unwrap();
    let parameters = LublinParameters { nodes, jobs: 400, ..LublinParameters::default() };
    let mut jobs = generate(&parameters, Seed::new(seed));
    for (job, place) in jobs.iter_mut().zip(0_u64..) {
        let factor = [0.25, 5.0, 1.0, 0.9, 1.5, 2.0][(place % 6) as usize];
        // Whole minutes, so that many jobs are expected to end in the same moment.
        let minutes = (job.run_time.as_secs_f64() * factor / 60.0).ceil() as u64;
        job.requested_time = (place % 7 > 0).then(|| SimSpan::from_secs(60 * minutes));
    }
    jobs
}

/// Those of the catalogue.
fn batch_policies() -> Vec<BatchPolicy> {
    catalogue().iter().filter_map(|info| BatchPolicy::parse(&info.name)).collect()
}

/// With any estimates, each batch policy starts its jobs when the audit expects it.
#[test]
fn batch_policies_keep_to_their_rules() {
    const NODES: u32 = 32;
    let models = [
        EstimateModel::Exact,
        EstimateModel::Requested,
        EstimateModel::Factor(3.0),
        EstimateModel::Random(5.0),
        EstimateModel::None,
    ];
    for policy in batch_policies() {
        for (estimates, overrun) in models
            .map(|model| (model, Overrun::Extend))
            .into_iter()
            .chain([(EstimateModel::Requested, Overrun::Kill)])
        {
            for seed in 0..2 {
                let options = Options { estimates, overrun, ..Options::default() };
                let jobs = requesting_jobs(NODES, seed);
                let events = batch_events(&policy.to_string(), jobs, NODES, &options);
                let report = audit_policy(events.as_bytes(), CheckedPolicy::Batch(policy))
                    .unwrap_or_else(|error| panic!("{policy}, {estimates}, {overrun:?}: {error}"));
                assert_eq!(report.completed, 400);
            }
        }
    }
}

/// A schedule of one batch policy under the name of another one has faults, whichever two they are.
#[test]
fn batch_policies_are_distinguished() {
    const NODES: u32 = 32;
    let options = Options { estimates: EstimateModel::Requested, ..Options::default() };
    batch_policies().par_iter().for_each(|&policy| {
        // Few jobs distinguish most of them.
        let events = [50, 100, 200, 400].map(|jobs| {
            let first = requesting_jobs(NODES, 0).into_iter().take(jobs).collect();
            batch_events(&policy.to_string(), first, NODES, &options)
        });
        events.iter().for_each(|events| _ = audit(events.as_bytes()).unwrap());
        for other in batch_policies().into_iter().filter(|&other| other != policy) {
            let has_faults = |events: &String| {
                let renamed = events.replacen(&format!("\"{policy}\""), &format!("\"{other}\""), 1);
                let found = audit_policy(renamed.as_bytes(), CheckedPolicy::Batch(other));
                assert!(
                    matches!(found, Ok(_) | Err(AuditError::Faults(_))),
                    "{policy} as {other}: {found:?}"
                );
                found.is_err()
            };
            assert!(events.iter().any(has_faults), "{policy} as {other}");
        }
    });
}
