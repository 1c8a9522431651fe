//! Tests that each change of a decision in a real record is found.
//!
//! A record is changed at one time and ends there, so that later records cannot reveal the change.
//! Changes that give an equally correct record are not made: a yield that changes by no more than
//! rounding may be omitted, and policies that are checked only for the properties of their result
//! (`/RELABEL`, `/BUDGET`) are not used here. All others have one correct decision.

use crate::conditions::{ALONE, Condition, judge};
use dfrsim_model::event::Record;
use dfrsim_model::{Rng, Seed};
use rand::RngExt;

const POLICIES: [&str; 11] = [
    "FCFS",
    "EASY",
    "CONS",
    "EQUIPARTITION",
    "Greedy*/OPT=MIN",
    "GreedyP*/OPT=AVG",
    "GreedyPM*/per/OPT=MIN/MVT=600",
    "GreedyPM*/OPT=MIN/PAY=10/SPREAD/RETRY=60/SWAP=2/AHEAD=600",
    "MCB*/per/OPT=MIN",
    "/stretch-per/OPT=MAX",
    "/per/OPT=MIN/LAS=300",
];

/// Kinds of changes.
pub(crate) const KINDS: [&str; 10] = [
    "another node",
    "less",
    "more",
    "left out",
    "later",
    "another job",
    "a pause",
    "a later hold",
    "a later start",
    "not together",
];

pub(crate) fn moment(record: &Record<'_>) -> u64 {
    match record {
        Record::Start { at_us, .. }
        | Record::Resume { at_us, .. }
        | Record::Migrate { at_us, .. }
        | Record::Yield { at_us, .. }
        | Record::Pause { at_us, .. }
        | Record::Submit { at_us, .. }
        | Record::Complete { at_us, .. }
        | Record::Reject { at_us, .. }
        | Record::Ask { at_us, .. }
        | Record::Link { at_us, .. }
        | Record::Interrupt { at_us, .. }
        | Record::Lose { at_us, .. }
        | Record::Window { at_us, .. }
        | Record::Down { at_us, .. }
        | Record::Up { at_us, .. }
        | Record::Drain { at_us, .. }
        | Record::Undrain { at_us, .. } => *at_us,
        _ => 0,
    }
}

/// Returns the yield that a job has after these records.
fn yield_before(records: &[Record<'_>], job: u64) -> Option<u32> {
    records.iter().rev().find_map(|record| match record {
        Record::Start { job: it, job_yield, .. }
        | Record::Resume { job: it, job_yield, .. }
        | Record::Migrate { job: it, job_yield, .. }
        | Record::Yield { job: it, job_yield, .. } => (*it == job).then_some(*job_yield),
        Record::Pause { job: it, .. }
        | Record::Complete { job: it, .. }
        | Record::Interrupt { job: it, .. } => (*it == job).then_some(0),
        _ => None,
    })
}

/// Returns the record up to the time of an index, with a change there; `None` if there is no
/// decision of this kind.
pub(crate) fn planted(
    records: &[Record<'static>],
    place: usize,
    kind: &str,
    rng: &mut Rng,
) -> Option<Vec<Record<'static>>> {
    let now = moment(&records[place]);
    let end = records.iter().rposition(|record| moment(record) == now)? + 1;
    let mut changed = records[..end].to_vec();
    let before = &records[..place];
    match (kind, &mut changed[place]) {
        (
            "another node",
            Record::Start { on, .. } | Record::Resume { on, .. } | Record::Migrate { on, .. },
        ) => {
            let free: Vec<u32> = (0..16).filter(|node| on.iter().all(|it| it.0 != *node)).collect();
            let other = *free.get(rng.random_range(0..free.len().max(1)))?;
            let on = on.to_mut();
            on[0].0 = other;
            on.sort_unstable();
        }
        (
            "less" | "more",
            Record::Start { job_yield, .. }
            | Record::Resume { job_yield, .. }
            | Record::Migrate { job_yield, .. }
            | Record::Yield { job_yield, .. },
        ) => {
            let other = if kind == "less" { job_yield.checked_sub(1_000)? } else { *job_yield + 1_000 };
            *job_yield = Some(other).filter(|&other| other <= 1 << 20)?;
        }
        ("left out", Record::Yield { job, job_yield, .. }) => {
            let was = yield_before(before, *job)?;
            (was.abs_diff(*job_yield) > 2).then(|| changed.remove(place))?;
        }
        (
            "left out",
            Record::Start { .. }
            | Record::Resume { .. }
            | Record::Migrate { .. }
            | Record::Pause { .. }
            | Record::Reject { .. },
        ) => _ = changed.remove(place),
        (
            "later",
            Record::Start { at_us, .. } | Record::Resume { at_us, .. } | Record::Pause { at_us, .. },
        ) => {
            *at_us += 1;
            let late = changed.remove(place);
            changed.push(late);
        }
        ("another job", Record::Start { job, .. }) => {
            let (own, left) = (*job, |it: u64| yield_before(before, it).is_none());
            let tasks = |wanted: u64| {
                before.iter().find_map(|record| match record {
                    Record::Submit { job, tasks, .. } if *job == wanted => Some(*tasks),
                    _ => None,
                })
            };
            let other = (0..own + 8).find(|&it| it != own && left(it) && tasks(it) == tasks(own))?;
            let is_free = |record: &Record<'_>| !matches!(record, Record::Start { job, .. } | Record::Reject { job, .. } if *job == other);
            records[..end].iter().all(is_free).then(|| *job = other)?;
        }
        ("a later hold", Record::Link { at_us, not_before_us: Some(before), .. }) => *before = *at_us + 1,
        ("a later start", Record::Link { at_us, starts, .. }) => starts.first_mut()?.1 = *at_us + 1,
        ("not together", Record::Start { job, .. }) => {
            // Omits one of the components that start here.
            let id = |wanted: u64| {
                before.iter().find_map(|record| match record {
                    Record::Submit { job, id, .. } if *job == wanted => Some(*id),
                    _ => None,
                })
            };
            let groups = records.iter().find_map(|record| match record {
                Record::Priority { settings } => Some(&settings.together),
                _ => None,
            });
            let (own, starting) = (id(*job)?, &records[place + 1..end]);
            let group = groups?.iter().find(|group| group.contains(&own))?;
            let is_other = |record: &Record<'_>| matches!(record, Record::Start { job, .. } if id(*job).is_some_and(|id| group.contains(&id)));
            starting.iter().any(is_other).then(|| changed.remove(place))?;
        }
        ("a pause", Record::Start { .. } | Record::Yield { .. } | Record::Resume { .. }) => {
            let running = |it: &u64| yield_before(&records[..end], *it).is_some_and(|at| at > 0);
            let jobs: Vec<u64> = (0..80).filter(running).collect();
            let job = *jobs.get(rng.random_range(0..jobs.len().max(1)))?;
            let changes = |record: &Record<'_>| {
                moment(record) == now && yield_before(std::slice::from_ref(record), job).is_some()
            };
            (!records[..end].iter().any(changes)).then(|| changed.push(Record::Pause { at_us: now, job }))?;
        }
        _ => return None,
    }
    // A record that ends before this time is correct.
    changed.iter().any(|record| moment(record) >= now).then_some(changed)
}

/// Counts the violations that are injected under a condition, and collects those that are not found.
fn plant(condition: Condition, seed: u64) -> (usize, Vec<String>) {
    let (mut count, mut misses) = (0, Vec::new());
    for name in POLICIES {
        let records = condition.case(seed, 60).records(name).expect("some job completes");
        let rng = &mut Seed::new(seed).fork(name).rng();
        for kind in KINDS {
            let mut made = Vec::new();
            for _ in 0..300 {
                let place = rng.random_range(1..records.len() - 1);
                let Some(changed) = planted(&records, place, kind, rng) else { continue };
                if made.contains(&changed) {
                    continue;
                }
                count += 1;
                let faults = judge(&changed, name).expect_err("the summary is missing");
                if faults
                    .shown()
                    .iter()
                    .all(|fault| fault.rule.to_string().contains("without a `summary` record"))
                {
                    misses.push(format!("{name}, {kind}: {:?}", records[place]));
                }
                made.push(changed);
                if made.len() == 3 {
                    break;
                }
            }
        }
    }
    (count, misses)
}

#[test]
fn planted_faults_are_found() {
    for condition in ALONE {
        let (count, misses) = plant(condition, 1);
        eprintln!("{}: {count} planted, {} missed", condition.name, misses.len());
        assert!(count >= 30, "{}: {count}", condition.name);
        assert!(misses.is_empty(), "{}: {} of {count} missed: {misses:#?}", condition.name, misses.len());
    }
}
