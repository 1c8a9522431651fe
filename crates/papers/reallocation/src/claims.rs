//! Claims of the text (`claims.toml`), each checked on our values and on the published tables.
//!
//! The deciding number is computed for each replication. With several replications, the verdict
//! follows from the mean and its 95 % interval (Student's t).

use crate::metrics::{Group, Metric, Metrics, estimate};
use crate::published::Published;
use crate::rows::Simulation;
use dfrsim_lab::query::{
    Cells, ClaimChecker, ClaimEntry, Entries, LabelledValues, Limit, NamedCheck, QueryResult, sources,
};
use dfrsim_lab::{Claim, Estimate, Long};
use dfrsim_model::Seed;
use rand::RngExt as _;
use std::collections::BTreeSet;
use std::sync::LazyLock;

static CLAIMS: LazyLock<Entries> =
    LazyLock::new(|| Entries::new("grid/claims.toml", include_str!("../claims.toml")));

/// Longest delay in hours without starvation. The text gives no limit; this one is ours.
const STARVED_H: f64 = 168.0;

/// Number of resamples of the published workloads.
const RESAMPLES: u32 = 1_000;

const COLUMNS: [&str; 6] = ["algorithm", "platform", "local", "heuristic", "workload", "replication"];
const METRICS: [&str; 6] = [
    Metric::Changed.name(),
    Metric::Moves.name(),
    Metric::Earlier.name(),
    Metric::Turnaround.name(),
    // Percentage of all jobs that completed earlier.
    "earlier_of_all_percent",
    // Reallocations per job of a simulation, in percent.
    "moves_percent",
];

/// Builds the cells that claims query.
fn query_cells(metrics: &Metrics) -> Cells<'_> {
    let mut cells = Cells::new(&COLUMNS, &METRICS, &["replication"]);
    let mut push = |group: &Group, workload: &str, numbers: [Option<f64>; 6]| {
        let Group { algorithm, platform, local, heuristic } = group;
        let local = metrics.policy_in_report(local);
        cells.push([algorithm.as_str(), platform, local, heuristic, workload, ""], numbers);
    };
    for group in &metrics.groups {
        for workload in &metrics.workloads {
            let [changed, moves, earlier, turnaround] =
                Metric::ALL.map(|metric| metrics.value(metric, group, workload));
            // If no job changed, none is earlier.
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
        .with("minmin beaten", |cells, check| {
            let workloads = check.lines.series(cells)?.split("workload");
            let least =
                |all: &LabelledValues| all.only(&[("heuristic", "minmin")]).points.first().map(|it| it.1);
            let own: Vec<(LabelledValues, f64)> =
                workloads.into_iter().filter_map(|(_, all)| least(&all).map(|own| (all, own))).collect();
            let is_beaten =
                |(all, own): &&(LabelledValues, f64)| all.values().iter().any(|value| value < own);
            cases(check, own.iter().filter(is_beaten).count(), own.len())
        })
        // Checks for each workload that most changed jobs are later with FCFS, and earlier with
        // CONS, under all heuristics.
        .with("opposite workload", |cells, check| {
            let workloads = check.lines.series(cells)?.split("workload");
            let sides =
                workloads.iter().map(|(_, all)| ["FCFS", "CONS"].map(|local| all.only(&[("local", local)])));
            let sides: Vec<[LabelledValues; 2]> =
                sides.filter(|sides| sides.iter().all(|side| !side.points.is_empty())).collect();
            let is_opposite = |[fcfs, cons]: &&[LabelledValues; 2]| {
                fcfs.values().iter().all(|early| *early < 50.0)
                    && cons.values().iter().all(|early| *early > 50.0)
            };
            cases(check, sides.iter().filter(is_opposite).count(), sides.len())
        })
}

/// Returns a finding of `so` of `all` cases; `None` if there are none.
fn cases(check: &NamedCheck, so: usize, all: usize) -> Option<QueryResult> {
    (all > 0).then(|| QueryResult::new(so as f64, check.is, format!("{so} of {all} cases")))
}

/// Returns the claims of a report that the scenario can decide.
pub(crate) fn claims(rows: &Long<Simulation>, report: Published) -> Vec<Claim> {
    let replications: BTreeSet<u32> = rows.ok().map(|row| row.replication).collect();
    let of_one =
        |replication: &u32| Metrics::from_rows(rows.ok().filter(|row| row.replication == *replication), None);
    let each: Vec<Metrics> = replications.iter().map(of_one).collect();
    let claims = evaluate_claims(&Metrics::from_rows(rows.ok(), None), &each, report);
    claims.into_iter().map(|claim| settled(claim, report)).collect()
}

/// Evaluates claims on the means over all replications, with the intervals over each of them.
fn evaluate_claims(all: &Metrics, each: &[Metrics], report: Published) -> Vec<Claim> {
    let estimate = |values: &[f64]| {
        let (value, half_width) = estimate(values)?;
        Some(Estimate { value, interval: half_width.map(|half| (value - half, value + half)) })
    };
    let each: Vec<Cells<'_>> = each.iter().map(query_cells).collect();
    let (all, published) = (query_cells(all), query_cells(report.tables()));
    let judge = ClaimChecker {
        replications: sources(&each),
        published: vec![&published],
        estimate: &estimate,
        ..ClaimChecker::without_replications(&all)
    };
    judge.claims(CLAIMS.iter())
}

/// Rankings of the heuristics on average over the workloads, by their text, with the fraction of the
/// resamples of the published workloads in which each holds.
static SUPPORT: LazyLock<Vec<(String, f64)>> = LazyLock::new(|| {
    let tables = Published::Rr7226.tables();
    let rankings: Vec<&ClaimEntry> =
        CLAIMS.iter().filter(|entry| entry.is_ranking_over("workload")).collect();
    let mut rng = Seed::new(1).fork("published workloads").rng();
    let mut holding = vec![0_u32; rankings.len()];
    let count = tables.workloads.len();
    for _ in 0..RESAMPLES {
        let drawn: Vec<usize> = (0..count).map(|_| rng.random_range(0..count)).collect();
        let metrics = tables.of_workloads(&drawn);
        let cells = query_cells(&metrics);
        for (entry, holding) in rankings.iter().zip(&mut holding) {
            *holding += u32::from(entry.evaluate(&cells).is_some_and(|found| found.holds()));
        }
    }
    let support = |(entry, &holding): (&&ClaimEntry, &u32)| {
        (entry.text.clone(), f64::from(holding) / f64::from(RESAMPLES))
    };
    rankings.iter().zip(&holding).map(support).collect()
});

/// Marks the rankings that the seven workloads of the report do not decide themselves.
fn settled(claim: Claim, report: Published) -> Claim {
    let Published::Rr7226 = report;
    let support = SUPPORT.iter().find(|(text, _)| *text == claim.claim);
    match support {
        Some((_, support)) => claim.with_published_support(*support),
        None => claim,
    }
}

/// Finds the largest delay of a job with cancellation, and its simulation.
fn starvation(metrics: &Metrics) -> Option<QueryResult> {
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
    Some(QueryResult::new(*hours, Limit::at_most(STARVED_H), detail))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_lab::Verdict;

    #[test]
    fn statements_name_what_there_is() {
        assert_eq!(CLAIMS.undefined_names(&query_cells(Published::Rr7226.tables())), [""; 0]);
    }

    /// Checks that the claims of the text hold on its own tables, except for values that these lack:
    /// delays of single jobs.
    #[test]
    fn statements_hold_on_the_published_tables() {
        let tables = Published::Rr7226.tables();
        let claims = evaluate_claims(tables, std::slice::from_ref(tables), Published::Rr7226);
        let failing: Vec<(&str, Option<f64>)> = (claims.iter())
            .filter(|claim| claim.verdict_published != Some(Verdict::Holds))
            .map(|claim| (claim.claim.as_str(), claim.ours))
            .collect();
        assert_eq!(failing, []);
        assert_eq!(claims.len() + 1, CLAIMS.iter().count());
    }

    /// The seven workloads of the report decide none of its rankings: in at least one of twenty other
    /// choices of them, another heuristic is the best. An own program finds the same fractions.
    #[test]
    fn no_ranking_is_decided_by_the_report() {
        assert_eq!(SUPPORT.len(), 13, "{SUPPORT:?}");
        let most = SUPPORT.iter().map(|(_, support)| *support).fold(0.0, f64::max);
        assert!((0.92..Claim::DECIDED).contains(&most), "{SUPPORT:?}");
        let tables = Published::Rr7226.tables();
        let claims = evaluate_claims(tables, std::slice::from_ref(tables), Published::Rr7226);
        let claims: Vec<Claim> = claims.into_iter().map(|it| settled(it, Published::Rr7226)).collect();
        let is_undecided = |claim: &&Claim| claim.verdict_published == Some(Verdict::Undecided);
        assert_eq!(claims.iter().filter(is_undecided).count(), 13);
        // What our rows confirm is confirmed, whatever the published tables decide.
        assert!(claims.iter().filter(is_undecided).all(|claim| claim.verdict == Verdict::Holds));
        let failing = claims.iter().find(is_undecided).cloned().unwrap();
        let failing = Claim { verdict: Verdict::Fails, ..failing };
        assert_eq!(failing.with_published_support(0.5).verdict, Verdict::Undecided);
    }

    /// Checks that one replication has no interval, and that two with the same values have one of
    /// zero width.
    #[test]
    fn intervals_are_over_the_replications() {
        let tables = || Published::Rr7226.tables().compared_with_themselves();
        let judged = |each: &[Metrics]| evaluate_claims(&tables(), each, Published::Rr7226);
        let one = judged(&[tables()]);
        assert!(one.iter().all(|claim| (claim.low, claim.high) == (None, None)));
        let two = judged(&[tables(), tables()]);
        assert!(two.iter().all(|claim| claim.low == claim.ours && claim.high == claim.ours));
        let verdicts = |claims: &[Claim]| claims.iter().map(|claim| claim.verdict).collect::<Vec<_>>();
        assert_eq!(verdicts(&one), verdicts(&two));
    }
}
