//! Tests that violations are found in real records which no decision of a policy can excuse, and
//! records of a site whose settings differ from the stated ones.
//!
//! Each change is a violation by itself: a job that completes too early, runs on a node that is down
//! or without its GPU, or more jobs of a user than the settings allow. These records are checked
//! without a policy. Settings are checked with the policy if they change its decisions.

use crate::conditions::{ALONE, Case, Condition};
use crate::planted::moment;
use dfrsim_audit::Auditor;
use dfrsim_model::event::{InterruptionRule, Record};
use dfrsim_model::site::{PreemptMode, SiteSettings};
use dfrsim_model::{Rng, Seed, Share};
use rand::RngExt;
use std::collections::{BTreeMap, BTreeSet};

const POLICIES: [&str; 5] =
    ["FCFS", "EASY/NODES=SHARED", "EQUIPARTITION", "GreedyPM*/per/OPT=MIN/MVT=600", "MCB*/per/OPT=MIN"];

/// Kinds of injected violations, each with the condition that it belongs to, or an empty name if it
/// belongs to all.
const KINDS: [(&str, &str); 24] = [
    ("done early", ""),
    ("done late", ""),
    ("more work", ""),
    ("a task less", ""),
    ("too much memory", ""),
    ("another yield", ""),
    ("another figure", ""),
    ("another think time", "sessions"),
    ("a later hold", "sessions"),
    ("a job less to wait for", "sessions"),
    ("a start less to wait for", "sessions"),
    ("without its GPU", "classes with GPUs"),
    ("without its feature", "classes with GPUs"),
    ("no GPUs", "classes with GPUs"),
    ("a slower class", "classes with GPUs"),
    ("more work kept", "failures"),
    ("on a node that is down", "failures"),
    ("not down", "failures"),
    ("another interruption", "failures"),
    ("no interruption", "failures"),
    ("a window that begins earlier", "maintenance"),
    ("a window that ends later", "maintenance"),
    ("fewer jobs of a user", "limits"),
    ("fewer nodes of a class", "limits"),
];

fn job_of(record: &Record<'_>) -> Option<u64> {
    match record {
        Record::Start { job, .. }
        | Record::Resume { job, .. }
        | Record::Migrate { job, .. }
        | Record::Yield { job, .. }
        | Record::Pause { job, .. }
        | Record::Interrupt { job, .. }
        | Record::Lose { job, .. }
        | Record::Complete { job, .. } => Some(*job),
        _ => None,
    }
}

/// Returns the next record of a job after an index.
fn next<'a>(records: &'a [Record<'static>], place: usize, job: u64) -> Option<&'a Record<'static>> {
    records[place + 1..].iter().find(|record| job_of(record) == Some(job))
}

/// Returns whether a job is neither interrupted nor lost from an index on, and completes.
fn goes_on(records: &[Record<'static>], place: usize, job: u64) -> bool {
    let last = records.iter().rev().find(|record| job_of(record) == Some(job));
    let leaves = |record: &Record<'_>| matches!(record, Record::Interrupt { job: it, .. } | Record::Lose { job: it, .. } if *it == job);
    matches!(last, Some(Record::Complete { .. })) && !records[place..].iter().any(leaves)
}

fn has(spans: &[(u32, u32)], node: u32) -> bool {
    spans.iter().any(|&(first, nodes)| (first..first + nodes).contains(&node))
}

/// Returns the nodes that are down after these records.
fn down(records: &[Record<'static>]) -> BTreeSet<u32> {
    let mut down = BTreeSet::new();
    for record in records {
        match record {
            Record::Down { nodes, .. } => {
                down.extend(nodes.iter().flat_map(|&(first, nodes)| first..first + nodes));
            }
            Record::Up { nodes, .. } => down.retain(|&node| !has(nodes, node)),
            _ => {}
        }
    }
    down
}

/// Returns the request of a job: units of the first resource, and features.
fn asked<'a>(records: &'a [Record<'static>], wanted: u64) -> Option<(u32, &'a [String])> {
    records.iter().find_map(|record| match record {
        Record::Ask { job, resources, features, .. } if *job == wanted => {
            Some((resources[0].0, &features[..]))
        }
        _ => None,
    })
}

/// Moves the first part of a placement to another node, one of `to`.
fn moved(on: &mut [(u32, u32)], to: impl IntoIterator<Item = u32>) -> Option<()> {
    let other = to.into_iter().find(|node| on.iter().all(|it| it.0 != *node))?;
    on[0].0 = other;
    on.sort_unstable();
    Some(())
}

/// Returns the largest number of running jobs of one user, and the size of the largest job of the
/// first class. Jobs are counted after all records of a time.
fn most(records: &[Record<'static>]) -> (u32, u32) {
    let (mut submitted, mut running) = (BTreeMap::new(), BTreeSet::new());
    let (mut of_user, mut widest) = (0, 0);
    for (place, record) in records.iter().enumerate() {
        match record {
            Record::Submit { job, user, queue, tasks, .. } => {
                submitted.insert(*job, (*user, *queue, *tasks));
            }
            Record::Start { job, .. } | Record::Resume { job, .. } => {
                running.insert(*job);
                let (_, queue, tasks) = submitted[job];
                widest = if queue == Some(0) { widest.max(tasks) } else { widest };
            }
            Record::Complete { job, .. }
            | Record::Pause { job, .. }
            | Record::Interrupt { job, .. }
            | Record::Lose { job, .. } => _ = running.remove(job),
            _ => {}
        }
        if records.get(place + 1).is_some_and(|next| moment(next) > moment(record)) {
            let mut counts = BTreeMap::new();
            let users = running.iter().filter_map(|job| submitted[job].0);
            users.for_each(|user| *counts.entry(user).or_insert(0) += 1);
            of_user = of_user.max(counts.into_values().max().unwrap_or(0));
        }
    }
    (of_user, widest)
}

/// Returns the records with a violation of this kind at an index; `None` if that is impossible
/// there.
fn broken(
    records: &[Record<'static>],
    place: usize,
    kind: &str,
    rng: &mut Rng,
) -> Option<Vec<Record<'static>>> {
    let mut changed = records.to_vec();
    let mut settings = |change: &dyn Fn(&mut SiteSettings)| match &mut changed[place] {
        Record::Priority { settings } => {
            change(settings);
            Some(())
        }
        _ => None,
    };
    match kind {
        "fewer jobs of a user" => {
            let fewer = most(records).0.checked_sub(1).filter(|&fewer| fewer > 0)?;
            settings(&|it| it.max_running_per_user = Some(fewer))?;
            return Some(changed);
        }
        "fewer nodes of a class" => {
            let fewer = most(records).1.checked_sub(1).filter(|&fewer| fewer > 0)?;
            settings(&|it| it.qos[0].total_nodes = Some(fewer))?;
            return Some(changed);
        }
        _ => {}
    }
    match (kind, &mut changed[place]) {
        ("done early", Record::Complete { at_us, .. }) => *at_us -= 1,
        ("done late", Record::Complete { at_us, .. }) => {
            *at_us += 1;
            let (now, late) = (*at_us, changed.remove(place));
            let at = changed
                .iter()
                .skip(place)
                .position(|record| moment(record) >= now || matches!(record, Record::Summary { .. }))?;
            changed.insert(place + at, late);
        }
        ("more work", Record::Submit { job, run_us, .. }) => {
            let completes =
                |record: &Record<'_>| matches!(record, Record::Complete { job: it, .. } if it == job);
            *run_us += records.iter().any(completes).then_some(1_000_000)?;
        }
        ("too much memory", Record::Submit { job, memory, .. }) => {
            // No node has this much memory for three tasks.
            let has_many = |record: &Record<'_>| match record {
                Record::Start { job: it, on, .. } | Record::Migrate { job: it, on, .. } => {
                    it == job && on.iter().any(|on| on.1 > 2)
                }
                _ => false,
            };
            *memory = records.iter().any(has_many).then_some(Share::ONE.units())?;
        }
        ("a task less", Record::Start { on, .. }) => on.to_mut()[0].1 -= 1,
        (
            "another yield",
            Record::Start { at_us, job, job_yield, .. } | Record::Yield { at_us, job, job_yield, .. },
        ) => {
            let until = moment(next(records, place, *job)?);
            let is_long = until > *at_us + 100_000_000 && goes_on(records, place, *job);
            *job_yield = job_yield.checked_sub(is_long.then_some(1_000)?)?;
        }
        (
            "another figure",
            Record::Summary {
                completed,
                makespan_us,
                max_stretch,
                max_bounded_stretch,
                mean_bounded_stretch,
                mean_turnaround_s,
                utilisation,
                preemptions,
                migrations,
                migrated_tasks,
                ..
            },
        ) => match rng.random_range(0..10) {
            0 => *completed += 1,
            1 => *makespan_us += 1,
            2 => *max_stretch *= 1.000_1,
            3 => *max_bounded_stretch *= 1.000_1,
            4 => *mean_bounded_stretch *= 1.000_1,
            5 => *mean_turnaround_s *= 1.000_1,
            6 => *utilisation *= 1.000_1,
            7 => *preemptions += 1,
            8 => *migrations += 1,
            _ => *migrated_tasks += 1,
        },
        ("another think time", Record::Link { think_us: Some(think), not_before_us: None, .. }) => {
            *think += 1;
        }
        ("a later hold", Record::Link { at_us, not_before_us: Some(before), .. }) => *before = *at_us + 1,
        ("a job less to wait for", Record::Link { others, .. }) => _ = others.pop()?,
        ("a start less to wait for", Record::Link { starts, .. }) => _ = starts.pop()?,
        (
            "without its GPU",
            Record::Start { job, on, .. } | Record::Resume { job, on, .. } | Record::Migrate { job, on, .. },
        ) => {
            let (pieces, _) = asked(records, *job)?;
            // Units that are not requested are not in use.
            (pieces > 0).then_some(())?;
            moved(on.to_mut(), (0..7).chain(10..16))?;
        }
        (
            "without its feature",
            Record::Start { job, on, .. } | Record::Resume { job, on, .. } | Record::Migrate { job, on, .. },
        ) => {
            (!asked(records, *job)?.1.is_empty()).then_some(())?;
            moved(on.to_mut(), (0..7).chain(10..16))?;
        }
        ("no GPUs", Record::Classes { classes, .. }) => {
            let uses = |record: &Record<'static>| match record {
                Record::Start { job, .. } => asked(records, *job).is_some_and(|it| it.0 > 0),
                _ => false,
            };
            records.iter().any(uses).then(|| classes[1].resources[0] = 0)?;
        }
        ("a slower class", Record::Classes { classes, .. }) => {
            let counts = |(place, record): (usize, &Record<'static>)| match record {
                Record::Start { job, on, .. } => {
                    let is_slow = on.iter().all(|it| it.0 >= 10) && goes_on(records, place, *job);
                    is_slow && matches!(next(records, place, *job), Some(Record::Complete { .. }))
                }
                _ => false,
            };
            let factor = 1 + rng.random_range(1..4);
            records.iter().enumerate().any(counts).then(|| classes[2].speed /= factor)?;
        }
        ("more work kept", Record::Interrupt { kept_us, .. }) => *kept_us += 1,
        ("on a node that is down", Record::Start { on, .. }) => moved(on.to_mut(), down(&records[..place]))?,
        ("not down", Record::Down { nodes, .. }) => {
            let first = nodes[0].0;
            let comes_up = |it: &Record<'_>| matches!(it, Record::Up { nodes, .. } if has(nodes, first));
            records[place..].iter().any(comes_up).then(|| changed.remove(place))?;
        }
        ("another interruption", Record::Platform { interruption, interval_us, .. }) => {
            let happens = |it: &Record<'_>| matches!(it, Record::Interrupt { .. } | Record::Lose { .. });
            records.iter().any(happens).then_some(())?;
            *interval_us = 0;
            *interruption = match interruption {
                InterruptionRule::Lose => InterruptionRule::Requeue,
                _ => InterruptionRule::Lose,
            };
        }
        ("no interruption", Record::Interrupt { .. } | Record::Lose { .. }) => _ = changed.remove(place),
        ("a window that begins earlier", Record::Window { at_us, first, from_us, .. }) => {
            let middle = u64::midpoint(*at_us, *from_us);
            let before = records.iter().take_while(|record| moment(record) <= middle).count();
            let is_up = middle < *from_us && !down(&records[..before]).contains(first);
            *from_us = is_up.then_some(middle)?;
        }
        ("a window that ends later", Record::Window { first, until_us, .. }) => {
            let ends = |it: &Record<'_>| matches!(it, Record::Up { at_us, nodes } if at_us == until_us && has(nodes, *first));
            *until_us += records.iter().any(ends).then_some(1_000_000)?;
        }
        _ => return None,
    }
    Some(changed)
}

/// Returns whether the audit finds no violation in a record without checking the rules of a policy.
fn is_right(records: &[Record<'static>]) -> bool {
    let Ok(mut auditor) = Auditor::begin(&records[0]) else { return false };
    records[1..].iter().for_each(|record| auditor.record(record));
    auditor.finish().is_ok()
}

/// Counts the violations of each kind that are injected under a condition, and collects those that
/// are not found.
fn plant(condition: Condition) -> (BTreeMap<&'static str, usize>, Vec<String>) {
    let (mut counts, mut misses) = (BTreeMap::new(), Vec::new());
    for (name, seed) in POLICIES.into_iter().flat_map(|name| [1, 2, 3].map(|seed| (name, seed))) {
        let records = condition.case(seed, 60).records(name).expect("some job completes");
        assert!(is_right(&records), "{name}, {}", condition.name);
        let rng = &mut Seed::new(seed).fork(name).rng();
        for (kind, _) in KINDS.into_iter().filter(|(_, of)| of.is_empty() || *of == condition.name) {
            let mut made = Vec::new();
            for _ in 0..400 {
                let place = match kind {
                    "another figure" => records.len() - 1,
                    "no GPUs" | "a slower class" | "another interruption" => 1,
                    "fewer jobs of a user" | "fewer nodes of a class" => rng.random_range(1..4),
                    _ => rng.random_range(1..records.len() - 1),
                };
                let Some(changed) = broken(&records, place, kind, rng) else { continue };
                if made.contains(&changed) {
                    continue;
                }
                *counts.entry(kind).or_insert(0) += 1;
                if is_right(&changed) {
                    misses.push(format!("{name}, {seed}, {kind}: {:?}", records[place]));
                }
                made.push(changed);
                if made.len() == 3 {
                    break;
                }
            }
        }
    }
    (counts, misses)
}

#[test]
fn broken_records_are_found() {
    for condition in ALONE {
        let (counts, misses) = plant(condition);
        let sum: usize = counts.values().sum();
        eprintln!("{}: {sum} planted, {} missed: {counts:?}", condition.name, misses.len());
        assert!(misses.is_empty(), "{}: {} of {sum} missed: {misses:#?}", condition.name, misses.len());
        assert!(sum >= 30, "{}: {counts:?}", condition.name);
        let own: Vec<&str> = KINDS.into_iter().filter(|it| it.1 == condition.name).map(|it| it.0).collect();
        let absent = own.iter().find(|kind| !counts.contains_key(*kind));
        assert_eq!(absent, None, "{}: {counts:?}", condition.name);
    }
}

/// A change of the settings, by name.
type Change = (&'static str, fn(&mut SiteSettings));

fn changes(condition: &str) -> Vec<Change> {
    match condition {
        "fair share" => vec![
            ("no fair share", |it| it.weights.fair_share = 0),
            ("no age", |it| it.weights.age = 0),
            ("a longer period", |it| it.calc_period_s *= 3),
            ("a half-life", |it| it.half_life_s = 2_000),
            ("more for wide jobs", |it| it.weights.size += 2_000),
            ("another order of classes", |it| {
                it.qos.iter_mut().rev().zip(1..).for_each(|(it, to)| it.priority = to);
            }),
        ],
        "limits" => vec![
            ("more jobs of a user", |it| it.max_running_per_user = None),
            ("one job of a user", |it| it.max_running_per_user = Some(1)),
            ("more nodes of classes", |it| it.qos.iter_mut().for_each(|it| it.total_nodes = None)),
            ("two nodes of a class", |it| it.qos[1].max_nodes = Some(2)),
        ],
        "preemption" => vec![
            ("none", |it| it.qos.iter_mut().for_each(|it| it.preempt.clear())),
            ("by others", |it| it.qos[0].preempt = vec!["c".to_owned()]),
            ("by suspension", |it| {
                it.qos.iter_mut().for_each(|it| it.preempt_mode = Some(PreemptMode::Suspend));
            }),
            ("by requeue", |it| {
                it.qos.iter_mut().for_each(|it| it.preempt_mode = Some(PreemptMode::Requeue));
            }),
            ("after long", |it| it.preempt_exempt_time_s += 1_000),
            ("again later", |it| it.requeue_delay_s += 1_000),
        ],
        "weights" => vec![
            ("equal", |it| it.qos.iter_mut().for_each(|it| it.weight = Some(1))),
            ("more for the first", |it| it.qos[0].weight = Some(20)),
            ("more for the second", |it| it.qos[1].weight = Some(30)),
        ],
        _ => Vec::new(),
    }
}

/// Finds that the record of a site with other settings violates these settings.
#[test]
fn other_settings_are_found() {
    let policies = ["FCFS", "EASY", "CONS"]
        .into_iter()
        .chain(POLICIES.into_iter().skip(1))
        .chain(["/stretch-per/OPT=MAX"]);
    for condition in ALONE {
        let (mut counts, mut misses) = (BTreeMap::new(), Vec::new());
        for (what, change) in changes(condition.name) {
            for (name, seed) in policies.clone().flat_map(|name| [1, 2, 3, 4].map(|seed| (name, seed))) {
                let case: Case = condition.case(seed, 60);
                let Some(records) = case.under_other_settings(name, change) else { continue };
                *counts.entry(what).or_insert(0) += 1;
                if crate::conditions::judge(&records, name).is_ok() {
                    misses.push(format!("{name}, {what}, {seed}"));
                }
            }
        }
        let sum: usize = counts.values().sum();
        eprintln!("{}: {sum} other settings, {} missed: {counts:?}", condition.name, misses.len());
        assert!(misses.is_empty(), "{}: {} of {sum} missed: {misses:#?}", condition.name, misses.len());
        assert!(sum >= 30 || changes(condition.name).is_empty(), "{}: {counts:?}", condition.name);
    }
}
