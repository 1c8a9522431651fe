//! Statements about the results of a scenario, judged on its rows and confirmed by resampling.

use super::sample::Sample;
use dfrsim_lab::query::{Cells, QueryResult};
use dfrsim_lab::{Bootstrap, Claim, Verdict, in_parallel};

/// Number of weeks or traces below which the intervals of resampling can be far too narrow.
const FEWEST_BLOCKS: usize = 6;

/// A statement about one workload or several, with its verdict on all rows.
pub(super) struct Statement<'a> {
    pub(super) claim: Claim,
    /// Verdict that a single result can prove.
    pub(super) proven: Option<Verdict>,
    /// Indices of the workloads that the statement is about.
    pub(super) workloads: Vec<usize>,
    /// Function that evaluates the statement on the cells of all workloads.
    pub(super) find: Box<Evaluate<'a>>,
}

/// Function that evaluates a statement on the cells of all workloads.
pub(super) type Evaluate<'a> = dyn Fn(&[Cells<'static>]) -> Option<QueryResult> + Send + Sync + 'a;

/// Checks the verdicts of statements by resampling the rows of all workloads, and returns their
/// claims with intervals.
///
/// Where a statement is about a workload of too few weeks or traces, it has no interval and is open.
pub(super) fn confirm(
    statements: &[Statement<'_>],
    samples: &[Sample<'_, '_>],
    cells: &[Cells<'static>],
    bootstrap: &Bootstrap,
) -> Vec<Claim> {
    let find = |number: usize| {
        let seed = bootstrap.seed.numbered(number as u64);
        let resampled = samples.iter().zip(cells).map(|(sample, cells)| sample.resampled(cells, seed));
        let resampled: Vec<Cells<'static>> = resampled.collect();
        statements.iter().map(|statement| (statement.find)(&resampled)).collect::<Vec<_>>()
    };
    let has_enough = |statement: &Statement<'_>| {
        statement.workloads.iter().all(|&at| samples[at].blocks() >= FEWEST_BLOCKS)
    };
    let resamples = if statements.iter().any(has_enough) { bootstrap.resamples } else { 0 };
    let found: Vec<Vec<Option<QueryResult>>> = in_parallel(resamples, find);
    let confirmed = statements.iter().enumerate().map(|(at, statement)| {
        let claim = statement.claim.clone();
        if has_enough(statement) {
            let own: Vec<QueryResult> = found.iter().filter_map(|resample| resample[at].clone()).collect();
            return bootstrap.confirm(statement.proven, claim, &own);
        }
        if statement.proven == Some(claim.verdict) {
            return claim;
        }
        let detail = format!(
            "{}; {} so, but of fewer than {FEWEST_BLOCKS} weeks or traces, which give no interval",
            claim.detail,
            if claim.verdict == Verdict::Holds { "it is" } else { "it is not" },
        );
        Claim { verdict: Verdict::Open, detail, ..claim }
    });
    confirmed.collect()
}
