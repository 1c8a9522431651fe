//! What both texts say of their results (`claims.toml`), checked on ours, and on their published tables where these decide it.

mod asked;
mod checks;
mod part;

use crate::results::Results;
use asked::{Asked, published};
use checks::CHECKS;
use dfrsim_lab::query::{Entries, Entry, Finding, Judge, sources};
use dfrsim_lab::{Bootstrap, Claim, in_parallel};
use dfrsim_vector_packing::instances::InstanceSet;
use std::sync::LazyLock;

static CLAIMS: LazyLock<Entries> =
    LazyLock::new(|| Entries::new("offline/claims.toml", include_str!("../../claims.toml")));

/// How many resamples of the instances intervals and verdicts are from.
const RESAMPLES: usize = 100;

/// All statements of which something can be said. Instances are taken as independent.
pub(crate) fn all(results: &Results<'_>) -> Vec<Claim> {
    let tables = published();
    let asked = Asked { results: Some(results), checks: &CHECKS };
    let judge = Judge { published: sources(&tables), ..Judge::by(&asked) };
    let is_large = results.of_set(InstanceSet::Dissertation).is_some_and(|part| part::is_enough(&part));
    let bootstrap = Bootstrap { resamples: RESAMPLES, ..Bootstrap::for_tables(1) };
    let find = |number: usize| {
        let resampled = results.resampled(bootstrap.seed.numbered(number as u64));
        let asked = Asked { results: Some(&resampled), checks: &CHECKS };
        CLAIMS.iter().map(|entry| entry.find(&asked)).collect::<Vec<_>>()
    };
    let resamples: Vec<Vec<Option<Finding>>> = in_parallel(RESAMPLES, find);
    let claim = |(at, entry): (usize, &Entry)| {
        let claim = judge.claim(entry)?;
        let found: Vec<Finding> = resamples.iter().filter_map(|resample| resample[at].clone()).collect();
        let claim = bootstrap.judged(entry, claim, &found);
        let is_of_programs = matches!(entry.filter.label("table"), Some("4.1" | "4.3"));
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
        assert_eq!(CLAIMS.faults(&Asked { results: None, checks: &CHECKS }), [""; 0]);
    }
}
