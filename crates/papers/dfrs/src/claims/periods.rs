//! Claims of the text about the period (section 6.3 and figure 6.1).
//!
//! They are no entries: the periods are those that were simulated next to those of the text, and the
//! largest growth depends on the workload and is no value of a published table.

use super::{BEST, SOURCE};
use crate::groups::{Group, Matrix};
use crate::tables::gb_per_s;
use dfrsim_lab::{Claim, Verdict};
use dfrsim_model::SimSpan;

const SHORTEST: SimSpan = SimSpan::from_secs(600);
const MIDDLE: SimSpan = SimSpan::from_secs(2_000);
const LATER: SimSpan = SimSpan::from_secs(4_000);
const LONGEST: SimSpan = SimSpan::from_secs(12_000);

/// Returns the factor by which the text allows the degradation to grow from the shortest to the
/// longest period. It depends on the published table that a workload is compared with: 2 on HPC2N,
/// 1.5 on the unscaled and 3 on the scaled set.
fn factor(group: &Group<'_>) -> Option<f64> {
    use crate::published::Published::{DissertationB1, DissertationB2, DissertationB3};
    let published = &group.scope.workload.published;
    let factors = [(DissertationB1, 2.0), (DissertationB2, 1.5), (DissertationB3, 3.0)];
    factors.into_iter().find(|(table, _)| published.contains(table)).map(|(_, factor)| factor)
}

/// Returns the claims for each workload on which the best policy is simulated with these periods.
pub(super) fn all(matrix: &Matrix<'_>, groups: &[Group<'_>]) -> Vec<Claim> {
    let mut claims = Vec::new();
    for workload in &matrix.scenario.workloads {
        let is_meant = |group: &&Group<'_>| {
            group.scope.workload.name == workload.name
                && group.scope.is_whole()
                && group.setting.policy.to_string() == BEST
                && group.setting.alternative.is_none()
                && group.tau == matrix.scenario.simulation.taus[0]
        };
        let mut own: Vec<&Group<'_>> = groups.iter().filter(is_meant).collect();
        own.sort_by_key(|group| group.setting.parameters.period);
        let degradation = |group: &Group<'_>| group.mean_of(|row, _| row.degradation);
        let bandwidth = |group: &Group<'_>| group.mean_of(gb_per_s);
        let at = |period: SimSpan| own.iter().find(|group| group.setting.parameters.period == period);
        let ends = at(SHORTEST).zip(at(LONGEST));
        let grows = ends.and_then(|(short, long)| {
            let (short, long, factor) = (degradation(short)?, degradation(long)?, factor(long)?);
            let text = format!(
                "From a period of 600 to one of 12,000 s the degradation grows by less than {factor}"
            );
            let detail = format!("from {short:.2} to {long:.2}");
            let claim = Claim::new(SOURCE, text, Verdict::from_bool(long / short < factor), detail);
            Some(claim.with_values(Some(long / short), Some(factor)))
        });
        // The simulated periods are only close to those that the text names.
        let near = |wanted: SimSpan| {
            own.iter().min_by_key(|group| group.setting.parameters.period.micros().abs_diff(wanted.micros()))
        };
        let falls = at(SHORTEST).zip(near(MIDDLE)).zip(near(LATER)).and_then(|((first, middle), later)| {
            let [_, second, third] = [first, middle, later].map(|group| group.setting.parameters.period);
            let [first, middle, later] = [bandwidth(first)?, bandwidth(middle)?, bandwidth(later)?];
            let text =
                "Bandwidth falls more from a period of 600 to one of 2,000 s than from there to 4,000 s";
            let detail =
                format!("{first:.3}, {middle:.3} (at {second} s) and {later:.3} GB/s (at {third} s)");
            let is_rising = SHORTEST < second && second < third;
            is_rising.then(|| {
                Claim::new(SOURCE, text, Verdict::from_bool(first - middle > middle - later), detail)
            })
        });
        claims.extend([grows, falls].into_iter().flatten().map(|claim| claim.within(&workload.name)));
    }
    claims
}
