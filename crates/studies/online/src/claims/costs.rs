//! What the text says of bandwidth (section 6.1).

use super::BEST;
use crate::groups::{Group, Matrix};
use crate::published::{CostUnit, Costs, Published};
use crate::tables::{Counting, costs, gb_per_s};
use dfrsim_lab::query::Finding;
use dfrsim_policies::Policy;
use dfrsim_policies::fractional::{Fractional, OnSubmission, Periodic, RemapLimit};

pub(super) fn of_the_best(matrix: &Matrix<'_>, groups: &[Group<'_>]) -> Option<Finding> {
    let min_load = Published::DissertationB4ToB6.min_load()?;
    let group = groups.iter().find(|group| {
        let is_best = group.setting.policy == Policy::Fractional(BEST);
        is_best && group.scope.is_from(min_load) && matrix.is_default(group)
    })?;
    Some(limited(costs(group, CostUnit::GigabytesPerSecond, Counting::PAUSES_AND_RESUMES)?))
}

pub(super) fn published_of_the_best() -> Option<Finding> {
    let best = BEST.to_string();
    let mut costs = Published::DissertationB4ToB6.costs(CostUnit::GigabytesPerSecond);
    costs.find(|(policy, _)| *policy == best).map(|(_, costs)| limited(costs))
}

/// The published tables have no maximum of preemptions and migrations together, so both maxima are added up.
fn limited(costs: Costs) -> Finding {
    let (mean, max) = (costs.preemption.0 + costs.migration.0, costs.preemption.1 + costs.migration.1);
    let detail = format!("mean {mean:.2}, maxima of preemption and migration added up {max:.2} GB/s");
    Finding::fact(mean < 1.0 && max < 2.0, detail).showing(Some(mean))
}

/// The mean GB/s of each fractional policy, preemptions and migrations together.
pub(super) type Totals = Vec<(Fractional, f64)>;

/// Ours, at the loads that table B.4 is about.
pub(super) fn totals(matrix: &Matrix<'_>, groups: &[Group<'_>]) -> Totals {
    let Some(min_load) = Published::DissertationB4ToB6.min_load() else { return Vec::new() };
    let is_meant = |group: &&Group<'_>| group.scope.is_from(min_load) && matrix.is_default(group);
    let total = |group: &Group<'_>| Some((group.setting.policy.fractional()?, group.mean_of(gb_per_s)?));
    groups.iter().filter(is_meant).filter_map(total).collect()
}

/// Those of table B.4.
pub(super) fn published_totals() -> Totals {
    let costs = Published::DissertationB4ToB6.costs(CostUnit::GigabytesPerSecond);
    let total = |(name, costs): (&str, Costs)| {
        Some((Fractional::parse(name)?, costs.preemption.0 + costs.migration.0))
    };
    costs.filter_map(total).collect()
}

/// Each policy with MCB on submission and MVT=600 needs more than those with Greedy that react to the same otherwise.
pub(super) fn mcb_needs_more(totals: &Totals) -> Option<Finding> {
    let is_greedy = |it: &Fractional| !matches!(it.on_submission, OnSubmission::Mcb | OnSubmission::Nothing);
    let mut pairs = Vec::new();
    for &(policy, total) in totals {
        if policy.on_submission != OnSubmission::Mcb
            || policy.remap_limit != super::LIMIT
            || !super::is_min(policy)
        {
            continue;
        }
        // Without ticks, Greedy never calls MCB, and there is no limit to choose.
        let limit = if policy.periodic == Periodic::Nothing { RemapLimit::Unlimited } else { super::LIMIT };
        let counterparts = totals.iter().filter(|(it, _)| {
            is_greedy(it)
                && Fractional { on_submission: it.on_submission, remap_limit: limit, ..policy } == *it
        });
        pairs.extend(
            counterparts.map(|(other, least)| (total / least.max(f64::MIN_POSITIVE), policy, *other)),
        );
    }
    let &(ratio, policy, other) = pairs.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let met = pairs.iter().filter(|(ratio, ..)| *ratio > 1.0).count();
    let detail = format!("{met} of {}; least {ratio:.2} times ({policy}, {other})", pairs.len());
    Some(Finding::fact(met == pairs.len(), detail).showing(Some(ratio)))
}
