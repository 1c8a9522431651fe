//! What sections 4.1 to 4.3 and 6 of the text say, each checked on our values and on the published tables.
//!
//! "On average" is the mean over the workloads, "usually" and "most" more than half of the cases. A case is a workload with a
//! platform, a local policy and a heuristic. The number that decides is computed for each replication; the verdict follows from
//! its mean with the 95 % interval (Student's t) where there are several.

mod check;
mod said;
mod statements;

use crate::metrics::{Metrics, estimate};
use crate::published::Published;
use crate::rows::Simulation;
use check::Check;
use dfrsim_lab::{Claim, Long, Verdict};
use statements::STATEMENTS;
use std::collections::BTreeSet;

/// All statements of a report for which the scenario has what they are about.
pub(crate) fn claims(rows: &Long<Simulation>, report: Published) -> Vec<Claim> {
    let replications: BTreeSet<u32> = rows.ok().map(|row| row.replication).collect();
    let of_one = |replication: &u32| {
        Metrics::from_rows(rows.ok().filter(|row| row.replication == *replication), Some(report.tables()))
    };
    let each: Vec<Metrics> = replications.iter().map(of_one).collect();
    judged(&Metrics::from_rows(rows.ok(), Some(report.tables())), &each)
}

/// Statements on the means over all replications, with the intervals over each of them.
fn judged(all: &Metrics, each: &[Metrics]) -> Vec<Claim> {
    STATEMENTS.iter().filter_map(|(section, text, check)| claim(section, text, check, all, each)).collect()
}

fn claim(section: &str, text: &str, check: &Check, all: &Metrics, each: &[Metrics]) -> Option<Claim> {
    let found = check.find(all)?;
    let values: Vec<f64> = each.iter().filter_map(|one| Some(check.find(one)?.value)).collect();
    let (mean, half_width) = estimate(&values)?;
    let interval = half_width.map(|half_width| (mean - half_width, mean + half_width));
    let verdict = found.said.verdict(interval.unwrap_or((mean, mean)));
    let published = check.find(Published::Rr7226.tables());
    let on_published =
        published.as_ref().map(|published| Verdict::from_bool(published.said.holds(published.value)));
    Some(
        Claim::new(format!("RR-7226, {section}"), text, verdict, found.detail)
            .with_values(Some(mean), published.map(|published| published.value))
            .with_interval(interval)
            .with_published_verdict(on_published),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the text says holds on its own tables, except for values that these lack: delays of single jobs.
    #[test]
    fn statements_hold_on_the_published_tables() {
        let tables = || Published::Rr7226.tables().beside_themselves();
        let claims = judged(&tables(), &[tables()]);
        let failing: Vec<(&str, Option<f64>)> = (claims.iter())
            .filter(|claim| claim.verdict_published != Some(Verdict::Holds))
            .map(|claim| (claim.claim.as_str(), claim.ours))
            .collect();
        assert_eq!(failing, []);
        assert_eq!(claims.len() + 1, STATEMENTS.len());
    }

    /// One replication has no interval; with two of the same values it has no width.
    #[test]
    fn intervals_are_over_the_replications() {
        let tables = || Published::Rr7226.tables().beside_themselves();
        let one = judged(&tables(), &[tables()]);
        assert!(one.iter().all(|claim| (claim.low, claim.high) == (None, None)));
        let two = judged(&tables(), &[tables(), tables()]);
        assert!(two.iter().all(|claim| claim.low == claim.ours && claim.high == claim.ours));
        let verdicts = |claims: &[Claim]| claims.iter().map(|claim| claim.verdict).collect::<Vec<_>>();
        assert_eq!(verdicts(&one), verdicts(&two));
    }
}
