//! Claims of both texts about their results (`claims.toml`), checked on our results, and on the
//! published tables where these suffice.

mod asked;
mod checks;
mod part;

use crate::results::{PARAMETERS, Results, Subset};
use asked::{ResultSource, published};
use checks::CHECKS;
use dfrsim_lab::query::{ClaimChecker, ClaimEntry, Entries, LabelFilter, Query, QueryResult, sources};
use dfrsim_lab::{Bootstrap, Claim, Verdict, in_parallel};
use dfrsim_vector_packing::instances::InstanceSet;
use std::collections::BTreeSet;
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
        Some(on_all_instances(results, &entry.query, Claim { detail, ..claim }))
    };
    CLAIMS.iter().enumerate().filter_map(claim).collect()
}

/// Leaves a claim open if it is about instances on whose kind an algorithm did not run, such as those
/// with more jobs: a statement about all instances is not judged on some of them.
fn on_all_instances(results: &Results<'_>, query: &Query, claim: Claim) -> Claim {
    match filters(query).into_iter().find_map(|filter| missing_kinds(results, filter)) {
        Some(missing) => Claim {
            verdict: Verdict::Open,
            detail: format!("{}; not judged on all instances: {missing}", claim.detail),
            ..claim
        },
        None => claim,
    }
}

/// Returns the filters of all parts of a query.
fn filters(query: &Query) -> Vec<&LabelFilter> {
    match query {
        Query::All { parts, .. } => parts.iter().flat_map(filters).collect(),
        _ => query.lines().map(|lines| &lines.filter).into_iter().collect(),
    }
}

/// Describes the kinds of instances that a filter allows, and on none of which the algorithm that it
/// names in `ran` ran; `None` if there are none.
fn missing_kinds(results: &Results<'_>, filter: &LabelFilter) -> Option<String> {
    let name = filter.label("ran")?;
    let part = results.of_set(filter.label("set")?.parse().ok()?)?;
    let ran = part.where_ran(results.column(name)?);
    let kinds = |part: &Subset<'_>, parameter: &str| -> BTreeSet<String> {
        part.records.iter().map(|record| record.label(parameter)).collect()
    };
    PARAMETERS.into_iter().find_map(|parameter| {
        let ran = kinds(&ran, parameter);
        let missing: Vec<String> = kinds(&part, parameter)
            .into_iter()
            .filter(|kind| filter.allows(parameter, kind) && !ran.contains(kind))
            .collect();
        (!missing.is_empty()).then(|| format!("{name} did not run with {parameter} {}", missing.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_name_what_there_is() {
        assert_eq!(CLAIMS.undefined_names(&ResultSource { results: None, checks: &CHECKS }), [""; 0]);
    }
}
