//! Simulations that begin from a state: their starts are those of the uninterrupted simulation, and
//! the audit judges them.

use dfrsim_audit::fractional::FractionalPolicy;
use dfrsim_audit::{Auditor, CheckedPolicy, Faults};
use dfrsim_cluster::{
    Conditions, EstimateModel, Followers, InitialStateError, Metrics, Observer, Occurrence, Options, Overrun,
    SimulationError, SummaryOptions, records,
};
use dfrsim_forecast::forecast::Prepared;
use dfrsim_forecast::schedule::Schedule;
use dfrsim_forecast::snapshot::Snapshot;
use dfrsim_model::platform::{NodeSpan, Outage, Outages};
use dfrsim_model::site::SiteSettings;
use dfrsim_model::{Dependencies, Job, JobId, Seed, Share, SimSpan, SimTime, UserId};
use dfrsim_policies::{Policy, PolicyOptions, Setup};
use rand::RngExt as _;
use std::sync::Arc;

const NODES: u32 = 16;

/// Returns jobs of some hours, which wait now and then. Each requests more time than it needs, or is
/// killed.
fn jobs() -> Vec<Job> {
    let mut rng = Seed::new(7).fork("beginning").rng();
    let mut submit = 0;
    let job = |id| {
        submit += rng.random_range(0..600);
        let run = rng.random_range(60..7_200);
        Job {
            id: JobId(id),
            submit: SimTime::from_secs(submit),
            tasks: rng.random_range(1..=NODES / 2),
            cpu_need: Share::from_ratio(rng.random_range(1..=4), 4),
            memory: Share::from_ratio(rng.random_range(1..=10), 10),
            run_time: SimSpan::from_secs(run),
            requested_time: Some(SimSpan::from_secs(run * rng.random_range(9..40) / 10)),
            user: UserId::new(rng.random_range(1..6)),
            ..Job::default()
        }
    };
    (1..=160).map(job).collect()
}

fn setup(policy: &str, site: Option<SiteSettings>) -> Setup {
    let options =
        Options { estimates: EstimateModel::Requested, overrun: Overrun::Kill, ..Options::default() };
    let conditions = Conditions { site: site.map(Arc::new), ..Conditions::default() };
    let policy: Policy = policy.parse().unwrap();
    Setup::new((policy, PolicyOptions::default()), NODES, conditions, options, SummaryOptions::new(NODES))
}

/// Observer that passes all records to the auditor.
struct Audited(Auditor, Metrics);

impl Observer for Audited {
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) {
        self.0.record(&occurrence.record(now, job));
        self.1.observe(now, job, occurrence);
    }
}

/// Simulates all jobs from a snapshot on with true run times, and audits the records.
fn audit(setup: &Setup, snapshot: &Snapshot, jobs: &[Job]) {
    let found = audit_as(setup.policy, setup, snapshot, jobs);
    assert!(found.is_ok(), "{} at {}: {}", setup.policy, snapshot.at, found.unwrap_err());
}

/// Audits the records of a simulation as if they were of another policy.
fn audit_as(claimed: Policy, setup: &Setup, snapshot: &Snapshot, jobs: &[Job]) -> Result<(), Faults> {
    let beginning = snapshot.beginning().unwrap();
    let parameters = &setup.parameters;
    let checked = match claimed {
        Policy::Batch(batch) => CheckedPolicy::Batch(batch),
        Policy::Fractional(parts) => {
            CheckedPolicy::Fractional(FractionalPolicy::new(parts, parameters.period))
        }
        _ => CheckedPolicy::Fractional(FractionalPolicy::equipartition(parameters.period)),
    };
    let rules = (SimSpan::ZERO, Overrun::Kill);
    let name = claimed.to_string();
    let run = records::run(&name, NODES, rules, SimSpan::from_secs(10), (None, None));
    let mut auditor = Auditor::begin(&run).unwrap().with_policy(checked);
    records::conditions(None, None, setup.site.as_deref()).iter().for_each(|it| auditor.record(it));
    auditor.record(&beginning.record());
    let setup = Setup {
        options: Options { beginning: Some(Arc::new(beginning)), ..setup.options.clone() },
        ..setup.clone()
    };
    let present: Vec<JobId> = snapshot.jobs().map(|(job, _)| job.id).collect();
    let is_there = |job: &&Job| job.submit > snapshot.at || present.contains(&job.id);
    let jobs = jobs.iter().filter(is_there).cloned();
    let mut audited = Audited(auditor, Metrics::new(setup.figures.clone()));
    setup.simulate(jobs, Followers::default(), &mut audited).unwrap();
    let Audited(mut auditor, metrics) = audited;
    auditor.record(&metrics.summary().unwrap().record());
    auditor.finish().map(drop)
}

/// The audit tells the records of FIRSTFIT from those of EASY, also from a state on.
#[test]
fn decisions_of_another_policy_are_violations() {
    let (jobs, setup) = (jobs(), setup("FIRSTFIT", None));
    let schedule = Schedule::simulate(&setup, jobs.clone(), Followers::default()).unwrap();
    let easy = "EASY".parse().unwrap();
    let found =
        snapshots(&schedule).filter(|snapshot| audit_as(easy, &setup, snapshot, &jobs).is_err()).count();
    assert!(found > 5, "{found} of ten");
}

/// Returns the times of ten snapshots.
fn snapshots(schedule: &Schedule) -> impl Iterator<Item = Snapshot> + '_ {
    let last = schedule.entries().last().unwrap().job.submit;
    (1..=10).map(move |part| schedule.at(SimTime::from_micros(last.micros() / 11 * part)))
}

#[test]
fn batch_schedules_continue_as_if_they_had_not_been_cut() {
    let jobs = jobs();
    let policies =
        ["FCFS", "EASY", "FIRSTFIT", "EASY/ORDER=SJF", "EASY/NODES=SHARED", "FCFS/NODES=EXCLUSIVE"];
    for policy in policies {
        let setup = setup(policy, None);
        let schedule = Schedule::simulate(&setup, jobs.clone(), Followers::default()).unwrap();
        let mut waiting = 0;
        for snapshot in snapshots(&schedule) {
            // The audit needs the number of cores where jobs share nodes.
            if !policy.contains("NODES=") {
                audit(&setup, &snapshot, &jobs);
            }
            waiting += snapshot.waiting.len();
            let prepared = Prepared::new(&setup, &snapshot, SimSpan::from_secs(10_000_000)).unwrap();
            let run_times: Vec<SimSpan> = snapshot.jobs().map(|(job, _)| job.run_time).collect();
            let later = jobs.iter().filter(|job| job.submit > snapshot.at).cloned();
            let starts = prepared.starts(&run_times, later).unwrap();
            for (job, start) in snapshot.waiting.iter().zip(starts) {
                let entry = schedule.entries().iter().find(|entry| entry.job.id == job.id).unwrap();
                assert_eq!(start, entry.start(), "{policy} at {}: job {}", snapshot.at, job.id);
            }
        }
        assert!(waiting > 10, "{policy}: {waiting}");
    }
}

/// Returns a site with fair share, ages, limits and preemption, whose cycles have intervals of their
/// own.
fn site() -> SiteSettings {
    let settings = serde_json::json!({
        "weights": {"age": 1000, "fair_share": 4000, "size": 500},
        "calc_period_s": 60,
        "half_life_s": 3600,
        "fair_share": "fair_tree",
        "unlisted": "user",
        "max_running_per_user": 5,
        "backfill": {"interval_s": 45, "resolution_s": 60},
        "main": {"interval_s": 90, "delay_s": 7},
    });
    serde_json::from_value(settings).unwrap()
}

/// The timers of Slurm's cycles, usage and ages are part of a snapshot.
#[test]
fn schedules_of_a_site_continue_as_if_they_had_not_been_cut() {
    // Several jobs are submitted at once, and their numbers do not tell their order, as in arrays.
    let numbered = jobs().into_iter().map(|job| Job {
        id: JobId(job.id.0 ^ 1),
        submit: SimTime::from_secs(job.submit.micros() / 1_000_000 / 1_200 * 1_200),
        ..job
    });
    let numbered: Vec<Job> = numbered.collect();
    let other = |place: usize| Dependencies::hold(vec![numbered[place - 3].id], Vec::new());
    let linked = numbered.iter().enumerate();
    let jobs: Vec<(Job, Option<Dependencies>)> =
        linked.map(|(place, job)| (job.clone(), (place % 10 == 9).then(|| other(place)))).collect();
    for policy in ["SLURM", "SLURM/NODES=WHOLE", "EASY", "FCFS", "CONS"] {
        let setup = setup(policy, Some(site()));
        let (first, followers) = Followers::split(jobs.clone());
        let schedule = Schedule::simulate(&setup, first.clone(), followers.clone()).unwrap();
        let mut snapshots: Vec<Snapshot> = snapshots(&schedule).collect();
        schedule.remember(&setup, (first, followers), &mut snapshots).unwrap();
        let mut waiting = 0;
        for snapshot in &snapshots {
            waiting += snapshot.waiting.len();
            let prepared = Prepared::new(&setup, snapshot, SimSpan::from_secs(10_000_000)).unwrap();
            let run_times: Vec<SimSpan> = snapshot.jobs().map(|(job, _)| job.run_time).collect();
            let later = schedule.entries().iter().map(|entry| entry.job.clone());
            let later = later.filter(|job| job.submit > snapshot.at);
            let starts = prepared.starts(&run_times, later).unwrap();
            for (job, start) in snapshot.waiting.iter().zip(starts) {
                let entry = schedule.entries().iter().find(|entry| entry.job.id == job.id).unwrap();
                assert_eq!(start, entry.start(), "{policy} at {}: job {}", snapshot.at, job.id);
            }
        }
        assert!(waiting > 10, "{policy}: {waiting}");
    }
}

/// Policies whose later decisions depend on more than jobs and nodes: timers, reservations, yields.
#[test]
fn all_policies_take_over_a_running_system() {
    let jobs = jobs();
    let policies = ["CONS", "SLURM", "EQUIPARTITION", "GreedyPM*/per/OPT=MIN", "/per/OPT=MIN"];
    let schedule = Schedule::simulate(&setup("EASY", None), jobs.clone(), Followers::default()).unwrap();
    for policy in policies {
        for snapshot in snapshots(&schedule) {
            audit(&setup(policy, None), &snapshot, &jobs);
        }
    }
}

/// Failures and drains of the future are not known at a snapshot.
#[test]
fn later_outages_are_not_known() {
    let (jobs, mut setup) = (jobs(), setup("EASY", None));
    let schedule = Schedule::simulate(&setup, jobs, Followers::default()).unwrap();
    let snapshot = snapshots(&schedule).find(|snapshot| snapshot.waiting.len() > 1).unwrap();
    let run_times: Vec<SimSpan> = snapshot.jobs().map(|(job, _)| job.run_time).collect();
    let starts = |setup: &Setup| {
        let prepared = Prepared::new(setup, &snapshot, SimSpan::from_secs(1_000_000)).unwrap();
        prepared.starts(&run_times, std::iter::empty()).unwrap()
    };
    let without = starts(&setup);
    let of_all = |seconds: u64| Outage {
        from: snapshot.at.saturating_add(SimSpan::from_secs(seconds)),
        until: SimTime::from_secs(100_000_000),
        nodes: NodeSpan { first: 0, nodes: NODES },
    };
    let outages = Outages { failures: vec![of_all(2)], drains: vec![of_all(1)], ..Outages::default() };
    setup.options.outages = Some(Arc::new(outages));
    assert_eq!(starts(&setup), without);
    // Drains that are in force are known.
    setup.options.outages = Some(Arc::new(Outages { drains: vec![of_all(0)], ..Outages::default() }));
    assert!(starts(&setup).iter().all(Option::is_none));
}

#[test]
fn an_impossible_state_is_an_error() {
    let setup = setup("EASY", None);
    let schedule = Schedule::simulate(&setup, jobs(), Followers::default()).unwrap();
    let snapshot = snapshots(&schedule).find(|snapshot| snapshot.running.len() > 1).unwrap();
    let error = |snapshot: &Snapshot, run_times: &[SimSpan]| {
        let prepared = Prepared::new(&setup, snapshot, SimSpan::MAX)?;
        prepared.starts(run_times, std::iter::empty()).map(drop)
    };
    let run_times: Vec<SimSpan> = snapshot.jobs().map(|(job, _)| job.run_time).collect();
    let first = snapshot.running[0].job.id;
    let short = vec![SimSpan::from_secs(1); run_times.len()];
    let ended = error(&snapshot, &short).unwrap_err();
    assert!(
        matches!(ended, SimulationError::Beginning(InitialStateError::EndsBefore(_, at)) if at == snapshot.at)
    );
    let mut twice = snapshot.clone();
    twice.running[1].on = twice.running[0].on.clone();
    assert!(matches!(error(&twice, &run_times).unwrap_err(), SimulationError::Violation(_)));
    let mut late = snapshot.clone();
    late.running[0].start = late.at.saturating_add(SimSpan::from_secs(1));
    let expected = SimulationError::Beginning(InitialStateError::StartsLater(first));
    assert_eq!(error(&late, &run_times).unwrap_err(), expected);
    let mut early = snapshot;
    early.running[0].job.submit = early.at;
    let expected = SimulationError::Beginning(InitialStateError::NotSubmitted(first));
    assert_eq!(error(&early, &run_times).unwrap_err(), expected);
}
