//! Every policy of the catalogue passes the independent audit.

use dfrsim_audit::audit;
use dfrsim_cluster::{EventLog, Metrics, NeedModel, Options, SummaryOptions, simulate};
use dfrsim_model::{Seed, SimSpan};
use dfrsim_policies::{Policy, PolicyOptions, catalogue};
use dfrsim_workload::load;
use dfrsim_workload::lublin::{LublinParameters, generate};
use std::num::NonZeroU32;

/// Policies that are told wrong needs, and find them: the audit sees what jobs really get.
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
