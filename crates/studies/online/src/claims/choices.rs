//! What the text says of its choices (section 5.3): the rescheduling penalty, the estimates of EASY, the limits of MVT and MFT;
//! and of tau, which it does not name.

use super::{BEST, CLAIMS, Means, asked, claim};
use crate::groups::{Group, Matrix};
use dfrsim_cluster::{EstimateModel, NeedModel};
use dfrsim_lab::Claim;
use dfrsim_lab::query::Finding;
use dfrsim_model::SimSpan;
use dfrsim_policies::batch::Discipline;
use dfrsim_policies::fractional::{Fractional, OnSubmission, RemapLimit};
use dfrsim_policies::{Policy, PolicySetting};

const SOURCE: &str = "dissertation, sections 5.3 and 5.4";

/// The tau of the published tables, as far as they state it.
const USUAL_TAU: SimSpan = SimSpan::from_secs(10);
const LIVE_MIGRATION: SimSpan = SimSpan::from_secs(20);
const PUBLISHED_PENALTY: SimSpan = SimSpan::from_secs(300);

/// `MCB*/per/OPT=MIN`.
const REACTING: Fractional =
    Fractional { on_submission: OnSubmission::Mcb, remap_limit: RemapLimit::Unlimited, ..BEST };

/// The means of one workload under one penalty, measured with one tau.
struct Condition {
    penalty: SimSpan,
    tau: SimSpan,
    means: Means,
}

fn conditions(matrix: &Matrix<'_>, groups: &[Group<'_>], workload: &str) -> Vec<Condition> {
    let simulation = &matrix.scenario.simulation;
    let mut conditions = Vec::new();
    for &penalty in &simulation.penalties {
        for &tau in &simulation.taus {
            let is_meant = |group: &&Group<'_>| {
                let (policy, parameters) = (group.setting.policy, &group.setting.parameters);
                group.scope.workload.name == workload
                    && group.scope.is_whole()
                    && group.setting.alternative.is_none()
                    && group.setting.options.needs == NeedModel::Exact
                    && (group.setting.options.penalty, group.tau) == (penalty, tau)
                    && (!policy.reads(PolicySetting::Period) || parameters.period == simulation.periods[0])
                    && group.has_rules(simulation.packings[0], simulation.drops[0])
            };
            let means = Means::of_groups(groups.iter().filter(is_meant));
            conditions.push(Condition { penalty, tau, means });
        }
    }
    conditions
}

/// The statements that a scenario can decide with its penalties, taus, limits and estimates.
pub(super) fn all(matrix: &Matrix<'_>, groups: &[Group<'_>]) -> Vec<Claim> {
    let simulation = &matrix.scenario.simulation;
    let mut claims = Vec::new();
    for workload in &matrix.scenario.workloads {
        let all = conditions(matrix, groups, &workload.name);
        let usual = if simulation.taus.contains(&USUAL_TAU) { USUAL_TAU } else { simulation.taus[0] };
        let mut add = |text: &str, found: Option<Finding>| {
            claims.extend(found.map(|found| claim(SOURCE, text, &workload.name, &found, None)));
        };
        if simulation.penalties.len() > 1 {
            let by_penalty: Vec<&Condition> = all.iter().filter(|it| it.tau == usual).collect();
            let name = |it: &Condition| format!("{} s", it.penalty);
            add(
                "At every penalty the best policy is within a factor of 7 of the bound",
                under_all(&by_penalty, name, within_seven),
            );
            add(
                "At every penalty the best policy is at least 100 times better than EASY",
                under_all(&by_penalty, name, beats_easy),
            );
            add(
                "The penalty of 300 s makes MCB*/per more than ten times worse than none",
                grows(&by_penalty, PUBLISHED_PENALTY, |ratio| ratio > 10.0),
            );
            add(
                "The 20 s of live migration make MCB*/per less than three times worse than no penalty",
                grows(&by_penalty, LIVE_MIGRATION, |ratio| ratio < 3.0),
            );
        }
        if simulation.taus.len() > 1 {
            let by_tau: Vec<&Condition> = all
                .iter()
                .filter(|it| it.penalty == simulation.penalties[simulation.penalties.len() - 1])
                .collect();
            add(
                "For every tau, the best policy is at least 100 times better than EASY",
                under_all(&by_tau, |it| format!("tau {} s", it.tau), beats_easy),
            );
        }
        let published = all.iter().find(|it| (it.penalty, it.tau) == (PUBLISHED_PENALTY, usual));
        if let Some(Condition { means, .. }) = published.filter(|it| has_other_limits(&it.means)) {
            add("For every limit, MVT is better than MFT, with GreedyPM*/per", limits(means));
            add("The longer the limit of MVT, the better GreedyPM*/per is, within 5 %", longer(means));
        }
        if let (Some(condition), true) = (published, simulation.estimates != EstimateModel::Exact) {
            let text = format!(
                "With estimates `{}` the best policy is still at least 100 times better than EASY",
                simulation.estimates
            );
            add(&text, beats_easy(&condition.means));
        }
    }
    claims
}

/// Whether something holds under all conditions; `None` if one of them does not decide it.
fn under_all(
    conditions: &[&Condition],
    name: impl Fn(&Condition) -> String,
    check: fn(&Means) -> Option<Finding>,
) -> Option<Finding> {
    let found = conditions.iter().map(|it| Some((name(it), check(&it.means)?)));
    everywhere(&found.collect::<Option<Vec<_>>>()?)
}

/// Whether all of what is found under named conditions holds.
pub(super) fn everywhere(found: &[(String, Finding)]) -> Option<Finding> {
    let details: Vec<String> =
        found.iter().map(|(name, found)| format!("{name}: {}", found.detail)).collect();
    let holds = found.iter().all(|(_, found)| found.holds());
    (!found.is_empty()).then(|| Finding::fact(holds, details.join("; ")))
}

pub(super) fn within_seven(means: &Means) -> Option<Finding> {
    let (policy, best) = means.best(|_| true)?;
    Some(Finding::fact(best <= 7.0, format!("{best:.2} ({policy})")).showing(Some(best)))
}

fn beats_easy(means: &Means) -> Option<Finding> {
    let easy = means.of(Discipline::Easy.into())?;
    let (policy, best) = means.best(|_| true)?;
    let detail = format!("EASY {easy:.1}, {policy} {best:.2}");
    Some(Finding::fact(easy / best >= 100.0, detail).showing(Some(easy / best)))
}

/// By what factor a penalty makes `MCB*/per` worse than none.
fn grows(conditions: &[&Condition], penalty: SimSpan, is_expected: fn(f64) -> bool) -> Option<Finding> {
    let mean = |penalty: SimSpan| {
        let condition = conditions.iter().find(|it| it.penalty == penalty)?;
        condition.means.of(Policy::Fractional(REACTING))
    };
    let (none, with) = (mean(SimSpan::ZERO)?, mean(penalty)?);
    let ratio = with / none;
    Some(Finding::fact(is_expected(ratio), format!("{none:.2} and {with:.2}")).showing(Some(ratio)))
}

/// The limits of MVT with which `GreedyPM*/per` is simulated, rising, and the means.
fn by_virtual_time(means: &Means) -> Vec<(SimSpan, f64)> {
    let limit = |(policy, mean): (Fractional, f64)| match policy.remap_limit {
        RemapLimit::VirtualTime(limit)
            if (Fractional { remap_limit: BEST.remap_limit, ..policy }) == BEST =>
        {
            Some((limit, mean))
        }
        _ => None,
    };
    let mut all: Vec<(SimSpan, f64)> = means.fractional().filter_map(limit).collect();
    all.sort_by_key(|(limit, _)| *limit);
    all
}

fn has_other_limits(means: &Means) -> bool {
    let usual = [300, 600].map(SimSpan::from_secs);
    by_virtual_time(means).iter().any(|(limit, _)| !usual.contains(limit))
}

fn limits(means: &Means) -> Option<Finding> {
    CLAIMS.of(SOURCE).next()?.find(&asked(means, &Vec::new(), []))
}

fn longer(means: &Means) -> Option<Finding> {
    let all = by_virtual_time(means);
    let met = all.windows(2).filter(|pair| pair[1].1 <= 1.05 * pair[0].1).count();
    let texts: Vec<String> = all.iter().map(|(limit, mean)| format!("{limit} s: {mean:.2}")).collect();
    (all.len() > 1).then(|| Finding::fact(met == all.len() - 1, texts.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published::Published;

    /// With the limits and the one penalty that are published.
    #[test]
    fn the_published_tables_agree() {
        for table in [Published::DissertationB1, Published::DissertationB2, Published::DissertationB3] {
            let means = Means::published(table);
            for check in [within_seven, beats_easy, limits, longer] {
                let check = check(&means).unwrap();
                assert!(check.holds(), "{table}: {}", check.detail);
            }
            assert!(!has_other_limits(&means));
            assert_eq!(by_virtual_time(&means).len(), 2);
        }
    }

    fn condition(penalty: u64, values: &[(&str, f64)]) -> Condition {
        let values = values.iter().map(|(name, mean)| (name.parse().unwrap(), *mean, None)).collect();
        Condition { penalty: SimSpan::from_secs(penalty), tau: USUAL_TAU, means: Means::new(values) }
    }

    #[test]
    fn penalties_are_compared() {
        let best = "GreedyPM*/per/OPT=MIN/MVT=600";
        let none = condition(0, &[("EASY", 1_000.0), (best, 3.0), ("MCB*/per/OPT=MIN", 4.0)]);
        let with = condition(300, &[("EASY", 1_000.0), (best, 6.0), ("MCB*/per/OPT=MIN", 44.0)]);
        let both = [&none, &with];
        let name = |it: &Condition| format!("{} s", it.penalty);
        let near = under_all(&both, name, within_seven).unwrap();
        assert!(near.holds());
        assert_eq!(near.detail, format!("0 s: 3.00 ({best}); 300 s: 6.00 ({best})"));
        assert!(under_all(&both, name, beats_easy).unwrap().holds());
        let growth = grows(&both, PUBLISHED_PENALTY, |ratio| ratio > 10.0).unwrap();
        assert_eq!((growth.holds(), growth.shown), (true, Some(11.0)));
        assert!(grows(&both, LIVE_MIGRATION, |_| true).is_none(), "it was not simulated");

        let far = condition(300, &[("EASY", 500.0), (best, 8.0)]);
        assert!(!under_all(&[&none, &far], name, within_seven).unwrap().holds());
        assert!(!under_all(&[&none, &far], name, beats_easy).unwrap().holds());
    }

    #[test]
    fn limits_are_compared_by_their_lengths() {
        let name = |limit: &str| format!("GreedyPM*/per/OPT=MIN/{limit}");
        let (half, whole, long, flow) =
            (name("MVT=300"), name("MVT=600"), name("MVT=3600"), name("MFT=3600"));
        let values = [(half.as_str(), 6.0), (&whole, 5.0), (&long, 5.2), (&flow, 5.3)];
        let means = condition(300, &values).means;
        assert!(has_other_limits(&means));
        assert!(longer(&means).unwrap().holds() && limits(&means).unwrap().holds());
        let values = [(half.as_str(), 6.0), (&whole, 5.0), (&long, 5.4), (&flow, 5.3)];
        let means = condition(300, &values).means;
        assert!(!longer(&means).unwrap().holds() && !limits(&means).unwrap().holds());
    }
}
