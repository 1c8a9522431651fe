//! What the text says (`claims.toml`), each checked on our values and on the published tables.
//!
//! The number that decides is computed for each replication; the verdict follows from its mean with the 95 % interval (Student's
//! t) where there are several.

use crate::metrics::{Group, Metric, Metrics, estimate};
use crate::published::Published;
use crate::rows::Simulation;
use dfrsim_lab::query::{Cells, Entries, Entry, Finding, Judge, Limit, Series, sources};
use dfrsim_lab::{Claim, Estimate, Long};
use std::collections::BTreeSet;
use std::sync::LazyLock;

static CLAIMS: LazyLock<Entries> =
    LazyLock::new(|| Entries::new("grid/claims.toml", include_str!("../claims.toml")));

/// The most hours that a job may be late without having starved. The text gives no figure: this one is ours.
const STARVED_H: f64 = 168.0;

const COLUMNS: [&str; 6] = ["algorithm", "platform", "local", "heuristic", "workload", "replication"];
const METRICS: [&str; 6] = [
    Metric::Changed.name(),
    Metric::Moves.name(),
    Metric::Earlier.name(),
    Metric::Turnaround.name(),
    // Of all jobs.
    "earlier_of_all_percent",
    // Reallocations for each job of a simulation.
    "moves_percent",
];

/// What statements ask.
fn asked(metrics: &Metrics) -> Cells<'_> {
    let mut cells = Cells::new(&COLUMNS, &METRICS, &["replication"]);
    let mut push = |group: &Group, workload: &str, numbers: [Option<f64>; 6]| {
        let Group { algorithm, platform, local, heuristic } = group;
        let local = metrics.in_the_text(local);
        cells.push([algorithm.as_str(), platform, local, heuristic, workload, ""], numbers);
    };
    for group in &metrics.groups {
        for workload in &metrics.workloads {
            let [changed, moves, earlier, turnaround] =
                Metric::ALL.map(|metric| metrics.value(metric, group, workload));
            // Where no job changed, none is earlier.
            let of_all = changed.map(|changed| changed * earlier.unwrap_or(0.0) / 100.0);
            push(group, workload, [changed, moves, earlier, turnaround, of_all, None]);
        }
    }
    for effects in &metrics.effects {
        let moves = Some(effects.moves_percent);
        push(&effects.group, &effects.workload, [None, None, None, None, None, moves]);
    }
    cells
        .with("starvation", |_, _| starvation(metrics))
        .with("minmin beaten", |cells, entry| {
            let workloads = entry.series(cells)?.split("workload");
            let least = |all: &Series| all.only(&[("heuristic", "minmin")]).points.first().map(|it| it.1);
            let own: Vec<(Series, f64)> =
                workloads.into_iter().filter_map(|(_, all)| least(&all).map(|own| (all, own))).collect();
            let is_beaten = |(all, own): &&(Series, f64)| all.values().iter().any(|value| value < own);
            cases(entry, own.iter().filter(is_beaten).count(), own.len())
        })
        // All heuristics have more late jobs with FCFS, and more early ones with CONS.
        .with("opposite workload", |cells, entry| {
            let workloads = entry.series(cells)?.split("workload");
            let sides =
                workloads.iter().map(|(_, all)| ["FCFS", "CONS"].map(|local| all.only(&[("local", local)])));
            let sides: Vec<[Series; 2]> =
                sides.filter(|sides| sides.iter().all(|side| !side.points.is_empty())).collect();
            let is_opposite = |[fcfs, cons]: &&[Series; 2]| {
                fcfs.values().iter().all(|early| *early < 50.0)
                    && cons.values().iter().all(|early| *early > 50.0)
            };
            cases(entry, sides.iter().filter(is_opposite).count(), sides.len())
        })
}

/// How many of all cases are so; `None` if there are none.
fn cases(entry: &Entry, so: usize, all: usize) -> Option<Finding> {
    (all > 0).then(|| Finding::new(so as f64, entry.is, format!("{so} of {all} cases")))
}

/// All statements of a report for which the scenario has what they are about.
pub(crate) fn claims(rows: &Long<Simulation>, report: Published) -> Vec<Claim> {
    let replications: BTreeSet<u32> = rows.ok().map(|row| row.replication).collect();
    let of_one =
        |replication: &u32| Metrics::from_rows(rows.ok().filter(|row| row.replication == *replication), None);
    let each: Vec<Metrics> = replications.iter().map(of_one).collect();
    judged(&Metrics::from_rows(rows.ok(), None), &each, report)
}

/// Statements on the means over all replications, with the intervals over each of them.
fn judged(all: &Metrics, each: &[Metrics], report: Published) -> Vec<Claim> {
    let estimate = |values: &[f64]| {
        let (value, half_width) = estimate(values)?;
        Some(Estimate { value, interval: half_width.map(|half| (value - half, value + half)) })
    };
    let each: Vec<Cells<'_>> = each.iter().map(asked).collect();
    let (all, published) = (asked(all), asked(report.tables()));
    let judge =
        Judge { each: sources(&each), published: vec![&published], estimate: &estimate, ..Judge::by(&all) };
    judge.claims(CLAIMS.iter())
}

/// How late a job is at most with cancellation, and where.
fn starvation(metrics: &Metrics) -> Option<Finding> {
    let with = || metrics.effects.iter().filter(|effects| effects.group.algorithm == "with");
    let cases = with().filter_map(|effects| Some((effects.worst?, effects))).collect::<Vec<_>>();
    let ((hours, _), latest) = cases.iter().max_by(|a, b| a.0.0.total_cmp(&b.0.0))?;
    let starved = cases.iter().filter(|((hours, _), _)| *hours > STARVED_H).count();
    let cancellations = cases.iter().map(|((_, cancellations), _)| *cancellations).max().unwrap_or(0);
    let Group { platform, local, heuristic, .. } = &latest.group;
    let detail = format!(
        "{starved} of {} simulations; at most {hours:.0} h ({}, {platform}, {local}, {heuristic}); a job is cancelled up to \
         {cancellations} times",
        cases.len(),
        latest.workload
    );
    Some(Finding::new(*hours, Limit::at_most(STARVED_H), detail))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_lab::Verdict;

    #[test]
    fn statements_name_what_there_is() {
        assert_eq!(CLAIMS.faults(&asked(Published::Rr7226.tables())), [""; 0]);
    }

    /// What the text says holds on its own tables, except for values that these lack: delays of single jobs.
    #[test]
    fn statements_hold_on_the_published_tables() {
        let tables = Published::Rr7226.tables();
        let claims = judged(tables, std::slice::from_ref(tables), Published::Rr7226);
        let failing: Vec<(&str, Option<f64>)> = (claims.iter())
            .filter(|claim| claim.verdict_published != Some(Verdict::Holds))
            .map(|claim| (claim.claim.as_str(), claim.ours))
            .collect();
        assert_eq!(failing, []);
        assert_eq!(claims.len() + 1, CLAIMS.iter().count());
    }

    /// One replication has no interval; with two of the same values it has no width.
    #[test]
    fn intervals_are_over_the_replications() {
        let tables = || Published::Rr7226.tables().beside_themselves();
        let judged = |each: &[Metrics]| judged(&tables(), each, Published::Rr7226);
        let one = judged(&[tables()]);
        assert!(one.iter().all(|claim| (claim.low, claim.high) == (None, None)));
        let two = judged(&[tables(), tables()]);
        assert!(two.iter().all(|claim| claim.low == claim.ours && claim.high == claim.ours));
        let verdicts = |claims: &[Claim]| claims.iter().map(|claim| claim.verdict).collect::<Vec<_>>();
        assert_eq!(verdicts(&one), verdicts(&two));
    }
}
