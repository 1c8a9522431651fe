//! Tests nodes that fail or are in maintenance: schedules derived by hand, and properties.

use crate::support::{jobs, lublin, schedule, starts_and_ends};
use dfrsim_audit::audit;
use dfrsim_cluster::{
    EventLog, Followers, Metrics, NeedModel, Observer, Occurrence, Options, PlatformChange, SimulationError,
    SummaryOptions, simulate, simulate_with,
};
use dfrsim_model::platform::{FailureModel, Maintenance, NodeSet, NodeSpan, Outage, Outages, Window};
use dfrsim_model::{Dependencies, Job, JobId, NodeId, Seed, SimSpan, SimTime};
use dfrsim_policies::fractional::Fractional;
use dfrsim_policies::ranked::{Rank, RankedScheduler};
use dfrsim_policies::{Policy, PolicyOptions, catalogue};
use proptest::prelude::*;
use std::sync::Arc;

/// First node, number of nodes, start and end in seconds.
type Row = (u32, u32, u64, u64);

fn outage(&(first, nodes, from, until): &Row) -> Outage {
    let nodes = NodeSpan { first, nodes };
    Outage { from: SimTime::from_secs(from), until: SimTime::from_secs(until), nodes }
}

/// Creates failures, and maintenance windows that are announced at time zero.
fn options(rule: &str, failures: &[Row], windows: &[Row]) -> Options {
    let outages = Outages {
        interruption: rule.parse().unwrap(),
        failures: failures.iter().map(outage).collect(),
        windows: windows.iter().map(|row| Window { announced: SimTime::ZERO, outage: outage(row) }).collect(),
        ..Outages::default()
    };
    Options {
        outages: Some(Arc::new(outages)),
        estimates: "requested".parse().unwrap(),
        ..Options::default()
    }
}

fn times(policy: &str, nodes: u32, options: &Options, table: &[(u64, u32, u64, u64)]) -> Vec<(f64, f64)> {
    starts_and_ends(&schedule(policy, nodes, options, jobs(table)))
}

/// Two jobs of 10 s, each on a node; node 1 is down from 5 s to 7 s.
const PAIR: [(u64, u32, u64, u64); 2] = [(0, 1, 10, 0), (0, 1, 10, 0)];

/// The interruption loses one second of work. Nodes are up for 34 of 36 node-seconds, in which 20 s
/// of work are done.
#[test]
fn figures_of_a_checkpoint() {
    let options = options("checkpoint:3:1:2", &[(1, 1, 5, 7)], &[]);
    let mut metrics = Metrics::new(SummaryOptions { outages: true, ..SummaryOptions::new(2) });
    let policy: Policy = "EASY".parse().unwrap();
    let mut scheduler = policy.scheduler(2, &PolicyOptions::default());
    simulate(2, &options, jobs(&PAIR), &mut *scheduler, &mut metrics).unwrap();
    let figures = metrics.summary().unwrap().platform.unwrap();
    assert_eq!((figures.interruptions, figures.lost), (1, 0));
    let found = [figures.lost_work, figures.availability, figures.goodput];
    for (found, expected) in found.into_iter().zip([1.0, 34.0 / 36.0, 20.0 / 34.0]) {
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
}

/// The window is announced at 4 s, after the job of 10 s has started.
#[test]
fn a_window_is_unknown_before_its_announcement() {
    let mut options = options("requeue", &[], &[(0, 1, 8, 9)]);
    let mut outages = Outages::clone(options.outages.as_ref().unwrap());
    outages.windows[0].announced = SimTime::from_secs(4);
    options.outages = Some(Arc::new(outages));
    assert_eq!(times("EASY", 1, &options, &[(0, 1, 10, 0)]), [(0.0, 19.0)]);
}

/// Checks at each placement that its nodes are up, from the observed events.
#[derive(Default)]
struct Up {
    down: Vec<NodeSpan>,
    interruptions: usize,
    completed: usize,
}

impl Observer for Up {
    fn observe(&mut self, now: SimTime, _: u64, occurrence: Occurrence<'_>) {
        match occurrence {
            Occurrence::Started(on, _) | Occurrence::Resumed(on, _) | Occurrence::Migrated(on, ..) => {
                for NodeId(node) in on.iter().map(|part| part.node) {
                    assert!(
                        !self.down.iter().any(|span| span.contains(node)),
                        "node {node} is down at {now}"
                    );
                }
            }
            Occurrence::Interrupted(..) => self.interruptions += 1,
            Occurrence::Completed(_) | Occurrence::Rejected => self.completed += 1,
            _ => {}
        }
    }
    fn observe_platform(&mut self, _: SimTime, change: PlatformChange<'_>) {
        match change {
            PlatformChange::Down(spans) => self.down.extend(spans),
            PlatformChange::Up(spans) => {
                let up = |node: u32| spans.iter().any(|span| span.contains(node));
                let left = self.down.iter().flat_map(|span| span.iter()).filter(|&node| !up(node));
                self.down = left.map(|first| NodeSpan { first, nodes: 1 }).collect();
            }
            PlatformChange::Announced(_) | PlatformChange::Drained(_) | PlatformChange::Undrained(_) => {}
        }
    }
}

const NODES: u32 = 16;

fn workload(jobs: usize, seed: u64) -> Vec<Job> {
    lublin(NODES, jobs, Seed::new(seed), 0.9)
}

/// Creates failures of nodes and racks, and maintenance windows on all nodes and on some, until the
/// last submission.
pub(crate) fn outages(jobs: &[Job], rule: &str, seed: u64) -> Outages {
    let until = jobs.last().map_or(SimTime::ZERO, |job| job.submit);
    let failures = FailureModel {
        between: "weibull:20000:0.7".parse().unwrap(),
        repair: "lognormal:2000:1".parse().unwrap(),
        rack: Some("4:0.2".parse().unwrap()),
    };
    let hours = |hours: u64| SimSpan::from_secs(3_600 * hours);
    let all = Maintenance {
        first: SimTime::ZERO + hours(20),
        every: hours(70),
        length: hours(3),
        notice: hours(30),
    };
    let some = Maintenance { first: SimTime::ZERO + hours(9), every: hours(31), ..all };
    let nodes: NodeSet = "2-4 9".parse().unwrap();
    let mut windows = all.windows(&NodeSet::ALL.spans(NODES), until);
    windows.extend(some.windows(&nodes.spans(NODES), until));
    Outages {
        interruption: rule.parse().unwrap(),
        failures: failures.draw(NODES, until, Seed::new(seed)),
        windows,
        ..Outages::default()
    }
}

/// Returns the catalogue, the policy of this project, and others with the parts that no published
/// policy has.
fn all_policies() -> Vec<Policy> {
    let others = [
        "FCFS/PLACE=CONTIGUOUS",
        "EASY/PLACE=BEST",
        "EASY/PLACE=CONTIGUOUS",
        "CONS/PLACE=BEST",
        "GreedyPM*/per/BUDGET=20/RELABEL/OPT=MIN",
        "MCB*/per/BUDGET=5/OPT=MIN/MVT=600",
        "/stretch-per/RELABEL/OPT=AVG",
        "GreedyP*/per/OPT=MIN/PAY=15/SPREAD/RETRY=60/SWAP=2",
        "GreedyPM*/OPT=MIN/PAY=5/RETRY=60",
        "GreedyPM*/per/OPT=MIN/MVT=600/BELOW=30/LAS=300/AHEAD=600",
    ];
    let mut all: Vec<Policy> = catalogue().into_iter().map(|info| info.policy).collect();
    // Ranked preemption needs exact CPU needs and, for SRPT, estimates; gangs need nodes that are up.
    all.retain(|policy| !matches!(policy, Policy::Ranked(_) | Policy::EarliestDue(_) | Policy::Gang));
    all.push(Policy::Fractional(Fractional::recommended()));
    all.extend(others.map(|name| name.parse::<Policy>().unwrap_or_else(|error| panic!("{error}"))));
    all
}

/// All policies complete all jobs, and none of them runs on a node that is down.
#[test]
fn every_policy_survives_outages() {
    let mut interruptions = 0;
    for (place, policy) in all_policies().into_iter().enumerate() {
        // Half of the policies start with wrong needs, and discover the correct ones.
        let needs = if place % 2 == 0 { NeedModel::Exact } else { NeedModel::Factor(2.0) };
        let discovery = Some(SimSpan::from_secs(60));
        let jobs = workload(120, 1);
        let outages = outages(&jobs, "checkpoint:1800:30:60", 5);
        let penalty = SimSpan::from_secs(300);
        let outages = Some(Arc::new(outages));
        let options = Options { penalty, outages, needs, discovery, ..Options::default() };
        let mut up = Up::default();
        let mut scheduler = policy.scheduler(NODES, &PolicyOptions::default());
        simulate(NODES, &options, jobs, &mut *scheduler, &mut up)
            .unwrap_or_else(|error| panic!("{policy}: {error}"));
        assert_eq!(up.completed, 120, "{policy}");
        interruptions += up.interruptions;
    }
    assert!(interruptions > 500, "{interruptions}");
}

/// Ranked preemption completes all jobs, and knows what they have paid after an interruption.
#[test]
fn ranked_preemption_survives_outages() {
    for &rank in Rank::ALL {
        let jobs = workload(120, 1);
        let outages = Some(Arc::new(outages(&jobs, "checkpoint:1800:30:60", 5)));
        let options = Options { penalty: SimSpan::from_secs(300), outages, ..Options::default() };
        let mut up = Up::default();
        simulate(NODES, &options, jobs, &mut RankedScheduler::new(rank), &mut up)
            .unwrap_or_else(|error| panic!("{rank}: {error}"));
        assert_eq!(up.completed, 120, "{rank}");
        assert!(up.interruptions > 0, "{rank}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// If no node fails, policies decide on clusters with outages as on clusters without them.
    #[test]
    fn without_outages_policies_decide_as_ever(
        seed in 0_u64..10_000, estimates in 0_usize..3, fractional in any::<prop::sample::Index>(),
    ) {
        let estimates = ["exact", "random:5", "none"][estimates].parse().unwrap();
        let plain = Options { estimates, ..Options::default() };
        let aware = Options { outages: Some(Arc::default()), ..plain.clone() };
        let (others, mut batch): (Vec<Policy>, _) =
            all_policies().into_iter().partition(|policy| policy.fractional().is_some());
        batch.push(*fractional.get(&others));
        for policy in batch.iter().map(Policy::to_string) {
            let with = schedule(&policy, NODES, &aware, workload(150, seed));
            let without = schedule(&policy, NODES, &plain, workload(150, seed));
            prop_assert!(with == without, "{}", policy);
        }
    }
}

/// Returns the events of a simulation.
fn events(
    name: &str,
    nodes: u32,
    options: &Options,
    jobs: Vec<Job>,
    followers: Followers,
) -> Result<Vec<u8>, SimulationError> {
    let policy: Policy = name.parse().unwrap();
    let (penalty, tau) = (options.penalty, SimSpan::from_secs(10));
    let log = EventLog::new(Vec::new(), name, nodes, penalty, tau).of_cluster(options, None);
    let figures = SummaryOptions { outages: true, ..SummaryOptions::new(nodes) };
    let mut watchers = (Metrics::new(figures), log);
    let mut scheduler = policy.scheduler(nodes, &PolicyOptions::default());
    simulate_with(nodes, options, jobs, followers, &mut *scheduler, &mut watchers)?;
    let summary = watchers.0.summary().unwrap();
    Ok(watchers.1.finish(&summary).unwrap())
}

/// Job 2 follows job 1, which would run from 0 s to 10 s, after 3 s; job 3 follows job 2
/// immediately. The node is down from 4 s to 6 s. If job 1 is lost, its user continues at 4 s: job 2
/// runs from 7 s to 12 s, job 3 until 14 s. If it is requeued, it ends at 16 s, and they follow that
/// end.
#[test]
fn jobs_that_follow_a_lost_one_come() {
    let job = |run| jobs(&[(0, 1, run, 0)]).remove(0);
    let first = Job { id: JobId(1), ..job(10) };
    let mut followers = Followers::default();
    followers.add(&Dependencies::after(JobId(1), SimSpan::from_secs(3)), Job { id: JobId(2), ..job(5) });
    followers.add(&Dependencies::after(JobId(2), SimSpan::ZERO), Job { id: JobId(3), ..job(2) });
    let ends_at = |policy, rule, last: u64| {
        let options = options(rule, &[(0, 1, 4, 6), (0, 1, 90, 95)], &[]);
        let events = events(policy, 1, &options, vec![first.clone()], followers.clone()).unwrap();
        audit(events.as_slice()).unwrap_or_else(|error| panic!("{policy}: {error}"));
        let text = String::from_utf8(events).unwrap();
        assert!(
            text.contains(&format!(r#"{{"event":"complete","at_us":{},"job":2}}"#, last * 1_000_000)),
            "{text}"
        );
        text
    };
    for policy in ["FCFS", "EASY", "CONS", "EQUIPARTITION", "Greedy*/OPT=MIN", "MCB*/OPT=MIN"] {
        let lost = ends_at(policy, "lose", 14);
        assert!(lost.contains(
            r#"{"event":"link","at_us":7000000,"job":1,"after":0,"think_us":3000000,"followers":1}"#
        ));
        // The audit detects missing followers.
        let links = lost.replace(r#""job":0,"followers":1"#, r#""job":0,"followers":2"#);
        let faults = audit(links.as_bytes()).unwrap_err().to_string();
        assert!(faults.contains("announced followers were never submitted"), "{faults}");
        ends_at(policy, "requeue", 26);
    }
}

/// Returns an error if a job follows one that never arrives, even if nodes fail later.
#[test]
fn a_job_that_follows_none_that_comes_is_an_error_with_outages() {
    let mut followers = Followers::default();
    let job = jobs(&[(0, 1, 10, 0)]).remove(0);
    followers.add(&Dependencies::after(JobId(7), SimSpan::ZERO), Job { id: JobId(8), ..job.clone() });
    let options = options("lose", &[(0, 1, 90, 95)], &[]);
    let error = events("FCFS", 1, &options, vec![job], followers).unwrap_err();
    assert_eq!(error, SimulationError::NeverFollows { job: JobId(8), after: JobId(7) });
}
