//! Claims about agreement with the author's own simulator (`claims_vcsim.toml`).

use crate::groups::{Group, Matrix};
use crate::tables::vcsim_pairs;
use dfrsim_lab::Claim;
use dfrsim_lab::query::{Cells, ClaimChecker, Entries};
use std::sync::LazyLock;

static CLAIMS: LazyLock<Entries> =
    LazyLock::new(|| Entries::new("online/claims_vcsim.toml", include_str!("../../claims_vcsim.toml")));

/// Builds cells without lines. The second metric is 1 where the interval of the ratio includes 1.
fn no_cells() -> Cells<'static> {
    Cells::new(&["policy", "measure"], &["ratio", "ratio_unless_equal"], &[]).named_by("policy")
}

/// Returns claims that our values agree with those of the author's own simulator, under the
/// scenario's interpretations.
pub(super) fn all(matrix: &Matrix<'_>, groups: &[Group<'_>]) -> Vec<Claim> {
    let (mut cells, mut workload) = (no_cells(), None);
    for group in groups.iter().filter(|group| matrix.is_default(group)) {
        for pairs in vcsim_pairs(matrix, group) {
            let Some((ratio, _)) = pairs.ratio else { continue };
            let unless_equal = if pairs.may_be_equal() { 1.0 } else { ratio };
            let policy = group.setting.policy.to_string();
            cells.push([policy.as_str(), pairs.measure.name()], [Some(ratio), Some(unless_equal)]);
            workload.get_or_insert(&group.scope.workload.name);
        }
    }
    let claims = ClaimChecker::without_replications(&cells).claims(CLAIMS.iter());
    claims.into_iter().map(|claim| claim.within(workload.map_or("", String::as_str))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_lab::Verdict;

    #[test]
    fn statements_name_what_there_is() {
        assert_eq!(CLAIMS.undefined_names(&no_cells()), [""; 0]);
    }

    /// The ratio of the second policy is 4 % above 1, which may be chance.
    #[test]
    fn ratios_are_near_one_or_may_be_one() {
        let mut cells = no_cells();
        cells.push(["EASY", "degradation"], [Some(0.98), Some(0.98)]);
        cells.push(["FCFS", "degradation"], [Some(1.04), Some(1.0)]);
        let claims = ClaimChecker::without_replications(&cells).claims(CLAIMS.iter());
        let found: Vec<_> = claims.iter().map(|claim| (claim.verdict, claim.ours, &*claim.detail)).collect();
        let ratios = "ratios from 0.980 (EASY) to 1.040 (FCFS)";
        assert_eq!(
            found,
            [
                (Verdict::Fails, None, &*format!("1 of 2; {ratios}")),
                (Verdict::Holds, None, &*format!("2 of 2; {ratios}")),
            ]
        );
    }
}
