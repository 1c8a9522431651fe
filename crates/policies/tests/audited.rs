//! Every policy of the catalogue passes the independent audit.

use dfrsim_audit::audit;
use dfrsim_cluster::{EventLog, Metrics, Options, SummaryOptions, simulate};
use dfrsim_model::{Seed, SimSpan};
use dfrsim_policies::{PolicyOptions, catalogue};
use dfrsim_workload::load;
use dfrsim_workload::lublin::{LublinParameters, generate};
use std::num::NonZeroU32;

#[test]
fn every_policy_passes_the_audit() {
    const NODES: u32 = 32;
    let nodes = NonZeroU32::new(NODES).unwrap();
    let parameters = LublinParameters { nodes, jobs: 150, ..LublinParameters::default() };
    let penalty = SimSpan::from_secs(300);
    let options = Options { penalty, ..Options::default() };
    let mut pauses = 0;
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
        pauses += report.pauses;
    }
    assert!(pauses > 1000, "the traces are crowded enough to try the policies: {pauses}");
}
