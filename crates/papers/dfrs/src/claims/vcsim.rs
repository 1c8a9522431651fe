//! Claims about agreement with the author's own simulator.

use crate::groups::{Group, Matrix};
use crate::tables::{VcsimPairs, vcsim_pairs};
use crate::vcsim::Measure;
use dfrsim_lab::{Claim, Verdict};

/// Returns claims that our values agree with those of the author's own simulator, under the
/// scenario's interpretations.
pub(super) fn all(matrix: &Matrix<'_>, groups: &[Group<'_>]) -> Vec<Claim> {
    const SIMULATOR: &str = "vcsim (M. Stillwell, 2010)";
    let own = groups.iter().filter(|group| matrix.is_default(group));
    let all: Vec<_> =
        own.flat_map(|group| vcsim_pairs(matrix, group).into_iter().map(move |it| (group, it))).collect();
    let statement = |text: &str, of: fn(Measure) -> bool, holds: fn(&VcsimPairs) -> bool| {
        let meant: Vec<_> =
            all.iter().filter(|(_, pairs)| of(pairs.measure) && pairs.ratio.is_some()).collect();
        let (group, _) = meant.first()?;
        let met = meant.iter().filter(|(_, pairs)| holds(pairs)).count();
        let ratio = |pairs: &VcsimPairs| pairs.ratio.map_or(1.0, |(ratio, _)| ratio);
        let least = meant.iter().min_by(|a, b| ratio(&a.1).total_cmp(&ratio(&b.1)))?;
        let most = meant.iter().max_by(|a, b| ratio(&a.1).total_cmp(&ratio(&b.1)))?;
        let named =
            |(group, pairs): &(&Group<'_>, _)| format!("{:.3} ({})", ratio(pairs), group.setting.policy);
        let detail = format!("{met} of {}; ratios from {} to {}", meant.len(), named(least), named(most));
        let verdict = Verdict::from_bool(met == meant.len());
        Some(Claim::new(SIMULATOR, text, verdict, detail).within(&group.scope.workload.name))
    };
    let is_degradation = |measure| measure == Measure::Degradation;
    [
        statement("Mean degradations are within 3 % of the author's program", is_degradation, |it| it.is_within(0.03)),
        statement(
            "Mean degradations are within 3 % of the author's program, or 1 is in the 95 % interval of their ratio",
            is_degradation,
            |it| it.is_within(0.03) || it.may_be_equal(),
        ),
        statement(
            "Resumes and migrations are within 5 % of the author's program",
            |measure| measure != Measure::Degradation,
            |it| it.is_within(0.05),
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}
