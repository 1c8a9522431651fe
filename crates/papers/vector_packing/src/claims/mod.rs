//! Claims of both texts about their results (`claims.toml`), checked on our results, and on the
//! published tables where these suffice.

mod asked;
mod checks;
mod part;

use crate::results::Results;
use asked::{ResultSource, published};
use checks::CHECKS;
use dfrsim_lab::query::{ClaimChecker, ClaimEntry, Entries, QueryResult, sources};
use dfrsim_lab::{Bootstrap, Claim, in_parallel};
use dfrsim_vector_packing::instances::InstanceSet;
use std::sync::LazyLock;

static CLAIMS: LazyLock<Entries> =
    LazyLock::new(|| Entries::new("offline/claims.toml", include_str!("../../claims.toml")));

/// Number of resamples of the instances for intervals and verdicts.
const RESAMPLES: usize = 100;

/// Returns the claims that the results can decide. Instances are treated as independent.
pub(crate) fn all(results: &Results<'_>) -> Vec<Claim> {
    let tables = published();
    let asked = ResultSource { results: Some(results), checks: &CHECKS };
    let judge = ClaimChecker { published: sources(&tables), ..ClaimChecker::without_replications(&asked) };
    let is_large =
        results.of_set(InstanceSet::Dissertation).is_some_and(|part| part::has_enough_instances(&part));
    let bootstrap = Bootstrap { resamples: RESAMPLES, ..Bootstrap::for_tables(1) };
    let find = |number: usize| {
        let resampled = results.resampled(bootstrap.seed.numbered(number as u64));
        let asked = ResultSource { results: Some(&resampled), checks: &CHECKS };
        CLAIMS.iter().map(|entry| entry.evaluate(&asked)).collect::<Vec<_>>()
    };
    let resamples: Vec<Vec<Option<QueryResult>>> = in_parallel(RESAMPLES, find);
    let claim = |(at, entry): (usize, &ClaimEntry)| {
        let claim = judge.claim(entry)?;
        let found: Vec<QueryResult> = resamples.iter().filter_map(|resample| resample[at].clone()).collect();
        let claim = bootstrap.confirm(entry.proven, claim, &found);
        let is_of_programs = entry
            .query
            .lines()
            .is_some_and(|lines| matches!(lines.filter.label("table"), Some("4.1" | "4.3")));
        let detail =
            if is_of_programs && !is_large { format!("on 4 nodes: {}", claim.detail) } else { claim.detail };
        Some(Claim { detail, ..claim })
    };
    CLAIMS.iter().enumerate().filter_map(claim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_name_what_there_is() {
        assert_eq!(CLAIMS.undefined_names(&ResultSource { results: None, checks: &CHECKS }), [""; 0]);
    }
}
