//! Tests nodes that sleep: schedules derived by hand, and properties.

use crate::classes::events;
use crate::devices::{outages, workload};
use crate::preemption;
use crate::support::{assert_judged, jobs, recorded};
use dfrsim_audit::{CheckedPolicy, audit, audit_policy};
use dfrsim_cluster::{EnergyMetrics, Observer, Occurrence, Options, PlatformChange, SleepFigures};
use dfrsim_model::batch::BatchPolicy;
use dfrsim_model::event::Record;
use dfrsim_model::platform::classes::{Demands, PlatformFields, UnequalNodes};
use dfrsim_model::site::PreemptMode;
use dfrsim_model::{Job, Origin, Seed, Share, SimSpan, SimTime};
use dfrsim_policies::{Policy, PolicyOptions};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Nodes that fall asleep after 600 s, need 30 s for it, and wake up in 90 s.
const SLEEPS: &str =
    "power = { idle_w = 100, busy_w = 200, asleep_w = 12, sleep_after = 600, falls = 30, wakes = 90 }";
/// The same rule without a power.
const SLEEPS_UNPOWERED: &str = "sleep = { after = 600, falls = 30, wakes = 90 }";
/// Classes of nodes that sleep soon, later and never.
const CLASSES: &str = "classes = [
    { name = 'a', nodes = 2, cores = 8, memory_gb = 8, resources = { gpu = 4 },
      power = { idle_w = 100, busy_w = 200, asleep_w = 7.5, sleep_after = 3, falls = 1, wakes = 2, resources = { gpu = { idle_w = 10, busy_w = 45.5 } } } },
    { name = 'b', nodes = 2, cores = 4, memory_gb = 8, speed = 0.5, resources = { gpu = 2 },
      power = { idle_w = 50, busy_w = 97, asleep_w = 50, sleep_after = 6, wakes = 5, resources = { gpu = { idle_w = 10, busy_w = 33 } } } },
    { name = 'c', nodes = 1, cores = 8, memory_gb = 8, power = { idle_w = 100, busy_w = 300 } }]";
const EQUAL: &str = "classes = [{ name = 'a', nodes = 5, cores = 8, memory_gb = 8,
    power = { idle_w = 104, busy_w = 199.999, asleep_w = 3.001, sleep_after = 2, falls = 1, wakes = 3 } }]";
/// Nodes of unknown power, of which some sleep.
const UNPOWERED: &str = "classes = [
    { name = 'a', nodes = 3, cores = 8, memory_gb = 8, sleep = { after = 2, falls = 1, wakes = 3 } },
    { name = 'b', nodes = 1, cores = 8, memory_gb = 8, sleep = { after = 5, wakes = 2 } },
    { name = 'c', nodes = 1, cores = 8, memory_gb = 8 }]";

/// Policies that divide CPU, preempt at full speed, or take turns.
const OTHERS: [&str; 9] = [
    "EQUIPARTITION",
    "Greedy*/OPT=MIN",
    "GreedyP*/OPT=MIN",
    "GreedyPM*/per/OPT=MIN/MVT=600",
    "MCB*/OPT=MIN",
    "/per/OPT=AVG",
    "/stretch-per/OPT=MAX",
    "MCB*/per/OPT=AVG/MFT=300",
    "GreedyPM*/per/BUDGET=5/RELABEL/OPT=MIN",
];

fn options(platform: &str) -> Options {
    let requests = platform.contains("gpu").then(|| "gpu:0.3:1+2:max2".parse().unwrap());
    let demands =
        Demands { requests: requests.into_iter().collect(), seed: Seed::new(3), ..Demands::default() };
    let classes = PlatformFields::parse("platform.toml", platform).unwrap().classes().unwrap();
    Options {
        unequal: Some(Arc::new(UnequalNodes { classes, demands })),
        estimates: "requested".parse().unwrap(),
        ..Options::default()
    }
}

/// Reads the lines of an events file.
fn records(events: &str) -> Vec<Record<'static>> {
    events.lines().map(|line| Record::from_json(line.as_bytes()).unwrap()).collect()
}

/// Returns the start, first node, end, and time until the nodes are awake of each job, in seconds. They
/// are the same if the power of the nodes is unknown.
fn schedule(policy: &str, nodes: u32, table: &[(u64, u32, u64, u64)]) -> Vec<(f64, u32, f64, f64)> {
    let [found, unpowered] = [SLEEPS, SLEEPS_UNPOWERED].map(|rule| schedule_of(policy, nodes, table, rule));
    assert_eq!(found, unpowered, "{policy}");
    found
}

/// Returns the schedule of nodes with a rule of sleep.
fn schedule_of(
    policy: &str,
    nodes: u32,
    table: &[(u64, u32, u64, u64)],
    rule: &str,
) -> Vec<(f64, u32, f64, f64)> {
    let text = format!("classes = [{{ name = 'a', nodes = {nodes}, cores = 4, memory_gb = 8, {rule} }}]");
    let jobs = jobs(table);
    let events = events(policy.parse().unwrap(), nodes, &options(&text), &jobs);
    assert_judged(&events, policy);
    let mut found = vec![(0.0, 0, 0.0, 0.0); jobs.len()];
    let seconds = |micros: u64| micros as f64 / 1e6;
    for record in records(&events) {
        match record {
            Record::Start { at_us, job, on, .. } => {
                (found[job as usize].0, found[job as usize].1) = (seconds(at_us), on[0].0);
            }
            Record::Complete { at_us, job } => found[job as usize].2 = seconds(at_us),
            Record::Wake { job, woken_us, .. } => found[job as usize].3 = seconds(woken_us),
            Record::Energy { .. } => assert_eq!(rule, SLEEPS, "energy of unknown power"),
            _ => {}
        }
    }
    found
}

/// One node, without tasks since time zero.
///
/// | job | submission | state of the node | awake | end |
/// |---|---|---|---|---|
/// | 1 | 1000 | asleep since 630 | 1090 | 1100 |
/// | 2 | 1699 | awake until 1700 | 1699 | 1709 |
/// | 3 | 2320 | falls asleep from 2309 to 2339 | 2429 | 2439 |
/// | 4 | 2430 | waits for job 3 | 2439 | 2449 |
#[test]
fn a_job_makes_no_progress_until_its_node_is_awake() {
    let table = [(1000, 1, 10, 10), (1699, 1, 10, 10), (2320, 1, 10, 10), (2430, 1, 10, 10)];
    let expected = [
        (1000.0, 0, 1100.0, 90.0),
        (1699.0, 0, 1709.0, 0.0),
        (2320.0, 0, 2439.0, 109.0),
        (2439.0, 0, 2449.0, 0.0),
    ];
    for policy in [
        "FCFS",
        "FIRSTFIT",
        "EASY",
        "CONS",
        "EASY/NODES=SHARED",
        "EASY/PLACE=BEST",
        "CONS/PLACE=FIT/NODES=SHARED",
    ] {
        assert_eq!(schedule(policy, 1, &table), expected, "{policy}");
    }
}

/// Job 1 wakes up node 0, and job 2 node 1. When job 3 arrives at 4100 s, node 0 is asleep, and node 1,
/// which job 2 left at 4090 s, is awake. Job 4 needs both: it waits for node 0 to wake up.
#[test]
fn nodes_that_are_awake_come_first() {
    let table = [(1000, 1, 10, 10), (1000, 1, 3000, 3000), (4100, 1, 10, 10), (4200, 2, 10, 10)];
    let expected = [
        (1000.0, 0, 1100.0, 90.0),
        (1000.0, 1, 4090.0, 90.0),
        (4100.0, 1, 4110.0, 0.0),
        (4200.0, 0, 4300.0, 90.0),
    ];
    for policy in [
        "FCFS",
        "FIRSTFIT",
        "EASY",
        "CONS",
        "EASY/PLACE=CONTIGUOUS",
        "CONS/NODES=SHARED",
        "EASY/PLACE=SPREAD/NODES=SHARED",
    ] {
        assert_eq!(schedule(policy, 2, &table), expected, "{policy}");
    }
}

/// Job 1 runs on node 0 until 1190 s; with the longest wake-up of 120 s it may end at 1220 s, when job 2
/// of two nodes can start. Job 3 of 90 s would end at 1220 s with a wake-up of 120 s, and starts at once on
/// the other node. Job 4 of 91 s waits.
#[test]
fn reservations_include_the_time_to_wake_up() {
    let table = [(1000, 1, 100, 100), (1005, 2, 10, 10), (1010, 1, 90, 90), (1010, 1, 91, 91)];
    let found = schedule("EASY", 2, &table);
    assert_eq!((found[0].2, found[2].0, found[2].2), (1190.0, 1010.0, 1190.0));
    assert_eq!((found[1].0, found[1].3), (1190.0, 0.0));
    assert_eq!(found[3].0, found[1].2);
    let later = [(1000, 1, 100, 100), (1005, 2, 10, 10), (1010, 1, 91, 91)];
    let found = schedule("EASY", 2, &later);
    assert_eq!((found[1].0, found[2].0), (1190.0, found[1].2));
}

/// Observer of the energy alone.
#[derive(Default)]
struct Energy(Option<EnergyMetrics>);

impl Observer for Energy {
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) {
        self.0.observe(now, job, occurrence);
    }
    fn observe_platform(&mut self, now: SimTime, change: PlatformChange<'_>) {
        self.0.observe_platform(now, change);
    }
}

/// Returns the figures of one node under EASY.
fn figures(options: &Options, jobs: Vec<Job>) -> SleepFigures {
    let mut scheduler = "EASY".parse::<Policy>().unwrap().scheduler(1, &PolicyOptions::default());
    let mut watcher = Energy(EnergyMetrics::new(&options.unequal.as_ref().unwrap().classes));
    dfrsim_cluster::simulate(1, options, jobs, &mut *scheduler, &mut watcher).unwrap();
    watcher.0.unwrap().figures().unwrap().sleep.unwrap()
}

/// Job 1 of the first test wakes up the node from its sleep, and job 3 while it falls asleep. Jobs 2 and
/// 4 find it awake.
#[test]
fn a_node_that_falls_asleep_is_woken_up_too() {
    let text = format!("classes = [{{ name = 'a', nodes = 1, cores = 4, memory_gb = 8, {SLEEPS} }}]");
    let table = jobs(&[(1000, 1, 10, 10), (1699, 1, 10, 10), (2320, 1, 10, 10), (2430, 1, 10, 10)]);
    let sleep = figures(&options(&text), table);
    assert_eq!((sleep.wakes, sleep.woken_s), (2, 199.0));
}

/// The node of the first test draws 100 W from the first submission at 1000 s to 1730 s, 12 W until
/// 2000 s, and 100 W until 2100 s; each job adds 100 W for the 100 s on its node.
#[test]
fn energy_is_that_computed_by_hand() {
    let text = format!("classes = [{{ name = 'a', nodes = 1, cores = 4, memory_gb = 8, {SLEEPS} }}]");
    let options = options(&text);
    let mut table = jobs(&[(1000, 1, 10, 10), (2000, 1, 10, 10)]);
    table.iter_mut().for_each(|job| job.cpu_need = Share::ONE);
    let events = events("EASY".parse().unwrap(), 1, &options, &table);
    assert_judged(&events, "EASY");
    let energy = records(&events).into_iter().find_map(|record| match record {
        Record::Energy { nodes_mj, jobs_mj, peak_mw } => Some((nodes_mj, jobs_mj, peak_mw)),
        _ => None,
    });
    assert_eq!(energy, Some((106_240_000, 20_000_000, 200_000)));
    let sleep = figures(&options, table);
    assert_eq!((sleep.asleep, sleep.wakes, sleep.woken_s), (270.0 / 1100.0, 2, 180.0));
}

/// Without the power of the nodes of the test above there is no energy, and they sleep as long.
#[test]
fn nodes_of_unknown_power_have_figures_of_sleep_alone() {
    let text =
        format!("classes = [{{ name = 'a', nodes = 1, cores = 4, memory_gb = 8, {SLEEPS_UNPOWERED} }}]");
    let options = options(&text);
    let table = jobs(&[(1000, 1, 10, 10), (2000, 1, 10, 10)]);
    let mut scheduler = "EASY".parse::<Policy>().unwrap().scheduler(1, &PolicyOptions::default());
    let mut watcher = Energy(EnergyMetrics::new(&options.unequal.as_ref().unwrap().classes));
    dfrsim_cluster::simulate(1, &options, table, &mut *scheduler, &mut watcher).unwrap();
    let metrics = watcher.0.unwrap();
    let sleep = metrics.sleep_figures().unwrap();
    assert_eq!((sleep.asleep, sleep.wakes, sleep.woken_s), (270.0 / 1100.0, 2, 180.0));
    assert!(metrics.figures().is_none() && metrics.record().is_none());
}

/// Changes wake-ups, rules of sleep and energy in the records of a schedule. The audit finds each fault.
#[test]
fn planted_faults_are_found() {
    let table: Vec<(u64, u32, u64, u64)> =
        (0..14).map(|at| (7 * at, 1 + at as u32 % 3, 2 + at % 4, 2 + at % 4)).collect();
    let jobs = jobs(&table);
    let (mut planted, mut kinds) = (0, BTreeSet::new());
    let policies = ["EASY", "CONS/NODES=SHARED", "FIRSTFIT", "GreedyP*/OPT=MIN"].map(|name| (name, EQUAL));
    for (name, platform) in policies.into_iter().chain([("EASY", UNPOWERED), ("CONS", UNPOWERED)]) {
        let policy = CheckedPolicy::parse(name, PolicyOptions::default().period).unwrap();
        let lines = records(&events(name.parse().unwrap(), 5, &options(platform), &jobs));
        let is_faulty = |lines: &[Record<'_>]| {
            let text: String = lines.iter().map(|line| serde_json::to_string(line).unwrap() + "\n").collect();
            audit_policy(text.as_bytes(), policy.clone()).is_err()
        };
        assert!(!is_faulty(&lines), "{name}");
        let mut plant = |what: &'static str, wrong: &[Record<'_>]| {
            assert!(is_faulty(wrong), "{name}: {what}");
            planted += 1;
            kinds.insert(what);
        };
        for at in 0..lines.len() {
            let mut wrong = lines.clone();
            match &lines[at] {
                &Record::Wake { at_us, job, woken_us } => {
                    for (what, woken_us) in
                        [("a longer wake-up", woken_us + 1), ("a shorter wake-up", woken_us - 1)]
                    {
                        wrong[at] = Record::Wake { at_us, job, woken_us };
                        plant(what, &wrong);
                    }
                    wrong[at] = Record::Wake { at_us, job: job + 1, woken_us };
                    plant("the wake-up of another job", &wrong);
                    wrong.remove(at);
                    plant("no wake-up", &wrong);
                }
                &Record::Start { at_us, job, .. } if !matches!(lines[at + 1], Record::Wake { .. }) => {
                    wrong.insert(at + 1, Record::Wake { at_us, job, woken_us: 3_000_000 });
                    plant("a wake-up of nodes that are awake", &wrong);
                }
                Record::Energy { nodes_mj, jobs_mj, peak_mw } => {
                    for more in [1, 96_000_000] {
                        wrong[at] = Record::Energy {
                            nodes_mj: nodes_mj + more,
                            jobs_mj: *jobs_mj,
                            peak_mw: *peak_mw,
                        };
                        plant("energy", &wrong);
                    }
                }
                Record::Classes { .. } => {
                    for what in [
                        "the power asleep",
                        "the time to sleep",
                        "the time to fall asleep",
                        "the time to wake up",
                        "no sleep",
                    ] {
                        let mut wrong = lines.clone();
                        let Record::Classes { classes, .. } = &mut wrong[at] else { unreachable!() };
                        let class = &mut classes[0];
                        let sleep = match &mut class.power {
                            Some(power) => &mut power.sleep,
                            None => &mut class.sleep,
                        };
                        let rule = sleep.as_mut().unwrap();
                        match what {
                            "the power asleep" => rule.asleep_mw += 1000,
                            "the time to sleep" => rule.after_us += 1,
                            "the time to fall asleep" => rule.falls_us += 1_000_000,
                            "the time to wake up" => rule.wakes_us -= 1,
                            _ => *sleep = None,
                        }
                        plant(what, &wrong);
                    }
                }
                _ => {}
            }
        }
    }
    assert!(planted >= 60 && kinds.len() == 11, "{planted} faults of {} kinds", kinds.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(2_000)))]

    /// Compares batch policies under failures, maintenance, priorities and preemption with the reference
    /// implementation.
    #[test]
    fn batch_policies_agree_with_the_reference(
        jobs in workload(1), rule in prop::sample::select(vec!["lose", "requeue", "checkpoint:2:0:1"]),
        mode in prop::sample::select(vec![PreemptMode::Off, PreemptMode::Requeue, PreemptMode::Suspend, PreemptMode::Cancel]),
        (fails, has_site, is_capped) in (any::<bool>(), any::<bool>(), any::<bool>()),
        platform in prop::sample::select(vec![CLASSES, EQUAL, UNPOWERED]),
        policy in prop::sample::select(BatchPolicy::all().collect::<Vec<_>>()),
    ) {
        let cap = if is_capped && platform != UNPOWERED { "power = { cap_w = 780 }\n" } else { "" };
        let outages = fails.then(|| Arc::new(outages(rule)));
        let options = Options { outages, ..options(&format!("{cap}{platform}")) };
        let settings = has_site.then(|| preemption::settings(mode));
        let queued = |job: Job| Job { origin: Origin::new(None, Some(job.id.0 as u32 % 4), None), ..job };
        let jobs: Vec<Job> = jobs.into_iter().map(queued).collect();
        let is_refused = is_capped && policy.backfilling == dfrsim_model::batch::Backfilling::Slurm;
        prop_assume!(!is_refused);
        let name = policy.to_string();
        let events = recorded::<()>(&PolicyOptions::default(), &name, 5, &options, settings.as_ref(), &jobs).events;
        let report = audit_policy(events.as_bytes(), CheckedPolicy::Batch(policy));
        prop_assert!(report.is_ok(), "{}: {}", policy, report.unwrap_err());
    }

    /// Compares the other policies with the reference implementation, under failures and maintenance.
    #[test]
    fn other_policies_agree_with_the_reference(
        jobs in workload(1), fails in any::<bool>(),
        platform in prop::sample::select(vec![CLASSES, EQUAL, UNPOWERED]),
        name in prop::sample::select(OTHERS.to_vec()),
    ) {
        let outages = fails.then(|| Arc::new(outages("requeue")));
        let options = Options { outages, penalty: SimSpan::from_secs(2), ..options(platform) };
        let events = events(name.parse().unwrap(), 5, &options, &jobs);
        prop_assert!(audit(events.as_bytes()).is_ok(), "{name}: {:?}", audit(events.as_bytes()));
        assert_judged(&events, name);
    }
}
