//! What both texts say of their results (`claims.toml`), checked on ours, and on their published tables where these decide it.

mod asked;
mod checks;
mod part;

use crate::results::Results;
use asked::{Asked, Table};
use dfrsim_lab::Claim;
use dfrsim_lab::query::{Entries, Judge, sources};
use dfrsim_offline::instances::InstanceSet;
use std::sync::LazyLock;

static CLAIMS: LazyLock<Entries> =
    LazyLock::new(|| Entries::new("offline/claims.toml", include_str!("../../claims.toml")));

/// All statements of which something can be said.
pub(crate) fn all(results: &Results<'_>) -> Vec<Claim> {
    let tables = Table::all();
    let asked = Asked(Some(results));
    let judge = Judge { published: sources(&tables), ..Judge::by(&asked) };
    let is_large = results.of_set(InstanceSet::Dissertation).is_some_and(|part| part::is_enough(&part));
    let claim = |entry| {
        let claim = judge.claim(entry)?;
        let is_of_programs = matches!(entry.filter.label("table"), Some("4.1" | "4.3"));
        let detail =
            if is_of_programs && !is_large { format!("on 4 nodes: {}", claim.detail) } else { claim.detail };
        Some(Claim { detail, ..claim })
    };
    CLAIMS.iter().filter_map(claim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_name_what_there_is() {
        assert_eq!(CLAIMS.faults(&Asked(None)), [""; 0]);
    }
}
