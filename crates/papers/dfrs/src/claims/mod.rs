//! Claims of the dissertation about its results and choices (sections 5.3, 5.4 and 6.1;
//! `claims.toml`), checked on our results and on its own tables; and claims about tau, which it does
//! not name.

mod devices;
mod periods;
mod vcsim;

use crate::groups::{Group, Load, Matrix};
use crate::published::{CostUnit, Published};
use crate::setting::Setting;
use crate::tables::{CountingRule, costs, gb_per_s};
use dfrsim_cluster::{EstimateModel, NeedModel};
use dfrsim_lab::query::{Cells, ClaimChecker, Entries, LabelledValues, NamedCheck, QueryResult, fill};
use dfrsim_lab::{Claim, Statistics, rank_correlation};
use dfrsim_model::SimSpan;
use dfrsim_policies::fractional::{Extensions, Periodic, RemapLimit};
use dfrsim_policies::{Policy, PolicySetting};
use std::collections::BTreeMap;
use std::sync::LazyLock;

const SOURCE: &str = "dissertation, sections 5.4 and 6.1";
const CHOICES: &str = "dissertation, sections 5.3 and 5.4";
/// The policy that combines all techniques.
const BEST: &str = "GreedyPM*/per/OPT=MIN/MVT=600";

static CLAIMS: LazyLock<Entries> =
    LazyLock::new(|| Entries::new("online/claims.toml", include_str!("../../claims.toml")));

/// Metrics of a policy: mean, sample standard deviation and minimum of the degradation; GB/s of
/// preemptions and migrations together, as the mean of their sum, and as the sums of their means and
/// of their maxima.
const METRICS: [&str; 6] = ["degradation", "deviation", "least", "gb_per_s", "mean_gb_per_s", "max_gb_per_s"];
/// Label columns: the parts of policy names.
const PARTS: [&str; 9] =
    ["policy", "kind", "submission", "star", "periodic", "phase", "limit", "limit_s", "rest"];
/// Further label columns of our results: the instances, and the load if there is only one; the
/// penalty, and if it is the last one; the tau, and if it is that of the published tables; if all
/// conditions are those of the published tables, or at least the scenario's first ones; and if a
/// workload has other MVT limits, and other estimates, than the published ones.
const CONDITIONS: [&str; 10] = [
    "instances",
    "load",
    "penalty",
    "last_penalty",
    "tau",
    "usual_tau",
    "default",
    "plain",
    "limits",
    "estimates",
];

/// Metrics of a policy under [`CONDITIONS`].
#[derive(Clone)]
struct Line {
    policy: Policy,
    conditions: Vec<String>,
    numbers: [Option<f64>; METRICS.len()],
}

/// Builds the cells that claims query.
fn query_cells(conditions: &[&'static str], mut lines: Vec<Line>) -> Cells<'static> {
    lines.sort_by_cached_key(|line| line.policy.to_string());
    let mut cells = Cells::new(&[&PARTS, conditions].concat(), &METRICS, &[]).named_by("policy");
    for Line { policy, conditions, numbers } in &lines {
        cells.push(labels(*policy).iter().chain(conditions).map(String::as_str), *numbers);
    }
    cells.with("bandwidth with MCB", mcb_needs_more).with("longer limits", longer_limits)
}

/// Returns the labels of a policy, in the order of [`PARTS`]. A batch policy has only a name.
fn labels(policy: Policy) -> [String; PARTS.len()] {
    let name = policy.to_string();
    let Some(parts) = policy.fractional() else {
        return std::array::from_fn(|at| if at == 0 { name.clone() } else { String::new() });
    };
    let (limit, length) = match parts.remap_limit {
        RemapLimit::Unlimited => ("none", None),
        RemapLimit::VirtualTime(length) => ("MVT", Some(length)),
        RemapLimit::FlowTime(length) => ("MFT", Some(length)),
    };
    let rest = (parts.budget_gb, parts.relabel, parts.extensions);
    [
        name,
        "fractional".to_owned(),
        format!("{:?}", parts.on_submission),
        yes_or_no(parts.opportunistic),
        if parts.periodic == Periodic::Nothing { "none".to_owned() } else { format!("{:?}", parts.periodic) },
        format!("{:?}", parts.second_phase),
        limit.to_owned(),
        length.map(|length| length.to_string()).unwrap_or_default(),
        if rest == (None, false, Extensions::NONE) { String::new() } else { format!("{rest:?}") },
    ]
}

fn yes_or_no(is_so: bool) -> String {
    if is_so { "yes" } else { "no" }.to_owned()
}

/// Checks that a policy is [`BEST`] with a limit that the published tables do not have.
fn is_other_limit(policy: Policy) -> bool {
    let (name, best) = (policy.to_string(), BEST.trim_end_matches("600"));
    name.strip_prefix(best).is_some_and(|limit| !["300", "600"].contains(&limit))
}

/// Builds the cells of our results on a workload from its groups.
fn ours(matrix: &Matrix<'_>, groups: &[&Group<'_>]) -> Cells<'static> {
    const USUAL_TAU: SimSpan = SimSpan::from_secs(10);
    let simulation = &matrix.scenario.simulation;
    let usual_tau = if simulation.taus.contains(&USUAL_TAU) { USUAL_TAU } else { simulation.taus[0] };
    let is_plain = |group: &Group<'_>| {
        let Setting { policy, parameters, options, alternative, .. } = group.setting;
        alternative.is_none()
            && options.needs == NeedModel::Exact
            && (!policy.reads(PolicySetting::Period) || parameters.period == simulation.periods[0])
            && group.has_rules(simulation.packings[0], simulation.drops[0])
    };
    let has_other_limit = |group: &&Group<'_>| {
        is_other_limit(group.setting.policy)
            && is_plain(group)
            && group.scope.is_whole()
            && (group.setting.options.penalty, group.tau) == (SimSpan::from_secs(300), usual_tau)
            && group.rows().next().is_some()
    };
    let limits = if groups.iter().any(has_other_limit) { "others" } else { "usual" };
    let estimates = if simulation.estimates == EstimateModel::Exact { "exact" } else { "others" };
    let line = |group: &&Group<'_>| {
        let (instances, load) = match group.scope.load {
            Load::Unscaled | Load::All => ("whole", String::new()),
            Load::Of(load) => ("a load", load.to_string()),
            Load::AtLeast(_) => ("heavy", String::new()),
        };
        let penalty = group.setting.options.penalty;
        let conditions = [
            instances.to_owned(),
            load,
            format!("{penalty} s"),
            yes_or_no(simulation.penalties.last() == Some(&penalty)),
            format!("tau {} s", group.tau),
            yes_or_no(group.tau == usual_tau),
            yes_or_no(matrix.is_default(group)),
            yes_or_no(is_plain(group)),
            limits.to_owned(),
            estimates.to_owned(),
        ];
        let degradations = group.values(|row| row.degradation);
        let statistics = Statistics::from_values(&degradations);
        let costs =
            costs(group, CostUnit::GigabytesPerSecond, CountingRule::PAUSES_AND_RESUMES).map(combined_costs);
        let numbers = [
            statistics.map(|it| it.mean),
            statistics.and_then(|it| it.deviation),
            degradations.into_iter().reduce(f64::min),
            group.mean_of(gb_per_s),
            costs.map(|it| it.0),
            costs.map(|it| it.1),
        ];
        Line { policy: group.setting.policy, conditions: conditions.into(), numbers }
    };
    query_cells(&CONDITIONS, groups.iter().map(line).collect())
}

/// Builds the cells of a published table of degradations, and of the published costs.
fn published(table: Published) -> Cells<'static> {
    let line =
        |policy: &str, numbers| Some(Line { policy: policy.parse().ok()?, conditions: Vec::new(), numbers });
    let degradation = |(policy, mean): (&str, f64)| {
        let [_, deviation, _] = table.degradation(policy)?;
        line(policy, [Some(mean), Some(deviation), None, None, None, None])
    };
    let cost = |(policy, costs): (&str, [f64; 4])| {
        let (mean, max) = combined_costs(costs);
        line(policy, [None, None, None, Some(mean), Some(mean), Some(max)])
    };
    let costs = Published::DissertationB4ToB6.costs(CostUnit::GigabytesPerSecond);
    query_cells(&[], table.means().filter_map(degradation).chain(costs.filter_map(cost)).collect())
}

/// Returns the mean and maximum of preemptions and migrations together. The published tables lack
/// such a maximum, so both are sums.
fn combined_costs([preemption, max_preemption, migration, max_migration]: [f64; 4]) -> (f64, f64) {
    (preemption + migration, max_preemption + max_migration)
}

/// Checks that each policy with MCB on submission and MVT=600 needs more bandwidth than its
/// counterparts with Greedy, which are otherwise alike. Pairs of labels do not express it, as the
/// limit of the counterparts depends on their ticks.
fn mcb_needs_more(cells: &Cells<'_>, check: &NamedCheck) -> Option<QueryResult> {
    let all = check.lines.series(cells)?;
    let has = |at: usize, column: &str, labels: &[&str]| labels.contains(&all.label(at, column));
    let is_same = |one: usize, other: usize| {
        ["star", "periodic", "rest"].iter().all(|column| all.label(one, column) == all.label(other, column))
    };
    let counterparts = |one: usize| {
        // Without ticks, Greedy never calls MCB, so there is no limit to choose.
        let limit = if has(one, "periodic", &["none"]) { ["none", ""] } else { ["MVT", "600"] };
        let greedy = ["Greedy", "GreedyP", "GreedyPM"];
        let others =
            (0..all.points.len()).filter(move |&at| is_same(one, at) && has(at, "submission", &greedy));
        let others =
            others.filter(move |&at| has(at, "limit", &limit[..1]) && has(at, "limit_s", &limit[1..]));
        others.map(move |other| (one, other)).collect::<Vec<_>>()
    };
    let mcb = (0..all.points.len()).filter(|&at| {
        has(at, "submission", &["Mcb"]) && has(at, "limit", &["MVT"]) && has(at, "limit_s", &["600"])
    });
    let ratio = |(one, other): (usize, usize)| {
        (all.points[one].1 / all.points[other].1.max(f64::MIN_POSITIVE), all.name(one), all.name(other))
    };
    let pairs: Vec<_> = mcb.flat_map(counterparts).map(ratio).collect();
    let (ratio, policy, other) = pairs.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let met = pairs.iter().filter(|(ratio, ..)| *ratio > 1.0).count();
    let detail = format!("{met} of {}; least {ratio:.2} times ({policy}, {other})", pairs.len());
    Some(QueryResult::fact(met == pairs.len(), detail).with_shown(Some(*ratio)))
}

/// Checks that, by increasing limits, each mean is at most 5 % above the previous one: the only claim
/// about the factor from one value to the next.
fn longer_limits(cells: &Cells<'_>, check: &NamedCheck) -> Option<QueryResult> {
    let all: LabelledValues = check.lines.series(cells)?;
    let limit = |at: usize| Some((all.label(at, "limit_s").parse().ok()?, all.points[at].1));
    let mut limits: Vec<(f64, f64)> = (0..all.points.len()).filter_map(limit).collect();
    limits.sort_by(|a, b| a.0.total_cmp(&b.0));
    let met = limits.windows(2).filter(|pair| pair[1].1 <= 1.05 * pair[0].1).count();
    let texts: Vec<String> = limits.iter().map(|(limit, mean)| format!("{limit} s: {mean:.2}")).collect();
    (limits.len() > 1).then(|| QueryResult::fact(met == limits.len() - 1, texts.join(", ")))
}

/// Computes the rank correlation of the policies' means on two workloads, which are two sources.
fn rank_agreement<'a>(one: &'a Cells<'_>, other: &'a Cells<'_>) -> Cells<'a> {
    Cells::default().with("order", |_, check| {
        let (one, other) = (check.lines.series(one)?, check.lines.series(other)?);
        let places: BTreeMap<&str, f64> = other
            .points
            .iter()
            .enumerate()
            .map(|(at, (_, mean))| (other.label(at, "policy"), *mean))
            .collect();
        let pair = |(at, (_, mean)): (usize, &(_, f64))| Some((*mean, *places.get(one.label(at, "policy"))?));
        let value = rank_correlation(&one.points.iter().enumerate().filter_map(pair).collect::<Vec<_>>())?;
        Some(QueryResult::new(value, check.is, format!("rank correlation {value:.3}")))
    })
}

/// Returns all claims that a scenario can decide: those on each workload that is compared with a
/// published table of degradations, and those on its penalties, taus, limits and estimates.
pub(crate) fn all(matrix: &Matrix<'_>) -> Vec<Claim> {
    let groups = matrix.groups();
    let (mut claims, mut choices, mut compared) = (Vec::new(), Vec::new(), Vec::new());
    for workload in &matrix.scenario.workloads {
        let own = groups.iter().filter(|group| group.scope.workload.name == workload.name);
        let ours = ours(matrix, &own.collect::<Vec<_>>());
        for mut claim in ClaimChecker::without_replications(&ours).claims(CLAIMS.of(CHOICES)) {
            let estimates = matrix.scenario.simulation.estimates.to_string();
            claim.claim = fill(&claim.claim, &[("estimates", (&estimates).into())]);
            choices.push(claim.within(&workload.name));
        }
        if let Some(table) = workload.degradations() {
            compared.push((&workload.name, ours, published(table)));
        }
    }
    let beside = |scope: &str, ours: &Cells<'_>, published: &Cells<'_>| {
        let judge = ClaimChecker {
            published: vec![published],
            shows_published_details: true,
            ..ClaimChecker::without_replications(ours)
        };
        judge.claims(CLAIMS.of(SOURCE)).into_iter().map(|claim| claim.within(scope)).collect::<Vec<_>>()
    };
    claims.extend(compared.iter().flat_map(|(name, ours, published)| beside(name, ours, published)));
    claims.extend(vcsim::all(matrix, &groups));
    claims.extend(periods::all(matrix, &groups));
    claims.extend(devices::all(matrix, &groups));
    claims.extend(choices);
    for (place, (one, first, published)) in compared.iter().enumerate() {
        for (other, second, theirs) in &compared[place + 1..] {
            let (ours, published) = (rank_agreement(first, second), rank_agreement(published, theirs));
            claims.extend(beside(&format!("{one}, {other}"), &ours, &published));
        }
    }
    claims
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(text: &str, cells: &Cells<'_>) -> Option<QueryResult> {
        CLAIMS.iter().find(|entry| entry.text.starts_with(text)).unwrap().evaluate(cells)
    }

    /// Mean degradations under some conditions.
    fn means(under: &[(&'static str, &str)], values: &[(&str, f64)]) -> Vec<Line> {
        let conditions: Vec<String> = under.iter().map(|(_, label)| (*label).to_owned()).collect();
        let line = |(name, mean): &(&str, f64)| Line {
            policy: name.parse().unwrap(),
            conditions: conditions.clone(),
            numbers: [Some(*mean), None, None, None, None, None],
        };
        values.iter().map(line).collect()
    }

    #[test]
    fn statements_name_what_there_is() {
        let cells = query_cells(&CONDITIONS, Vec::new()).with("order", |_, _| None);
        assert_eq!(CLAIMS.undefined_names(&cells), [""; 0]);
    }

    #[test]
    fn partners_are_found_and_all_must_agree() {
        let mut values = vec![
            ("Greedy/per/OPT=MIN", 2.0),
            ("Greedy/per/OPT=AVG", 2.5),
            ("/per/OPT=MIN/MVT=600", 3.0),
            ("/per/OPT=AVG/MVT=600", 3.0),
            ("MCB*/OPT=MIN", 9.0),
        ];
        let check = |values: &[(&str, f64)]| find("OPT=MIN", &query_cells(&[], means(&[], values))).unwrap();
        let met = check(&values);
        assert!(met.holds());
        assert_eq!(
            met.detail,
            "2 of 2; ratios from 0.800 (Greedy/per/OPT=MIN) to 1.000 (/per/OPT=MIN/MVT=600)"
        );
        values.push(("MCB*/OPT=AVG", 6.0));
        assert!(!check(&values).holds());
    }

    /// Checks all claims on all published tables. The text says "never" and "always" of differences
    /// that it finds in nearly all pairs, and its factor of 10 is that of the HPC2N set.
    #[test]
    fn the_published_tables_agree_with_the_text_but_for_single_pairs() {
        let average = "OPT=MIN is never worse than OPT=AVG";
        let flow_time = "MVT is better than MFT of the same limit";
        let longer = "MVT=600 is at most as bad as MVT=300";
        let tickless =
            "Greedy policies without ticks are better than with /per and no limit (said of real traces)";
        let stretch = "/stretch-per with MVT=600 is more than 10 times worse than the best policy";
        for (table, expected) in [
            (
                Published::DissertationB1,
                &[(average, "42 of 53"), (flow_time, "19 of 20"), (longer, "9 of 10"), (tickless, "2 of 3")]
                    [..],
            ),
            (Published::DissertationB2, &[(average, "43 of 53"), (tickless, "0 of 3"), (stretch, "43.0")]),
            (
                Published::DissertationB3,
                &[(average, "45 of 53"), (flow_time, "19 of 20"), (tickless, "0 of 3"), (stretch, "40.2")],
            ),
        ] {
            let cells = published(table);
            let checked = CLAIMS.of(SOURCE).filter_map(|it| Some((it.text.as_str(), it.evaluate(&cells)?)));
            let checked: Vec<(&str, QueryResult)> = checked.collect();
            // All claims except those on each simulation, on the best policy at every load, for
            // which there is no table, and on two tables.
            assert_eq!(checked.len() + 3, CLAIMS.of(SOURCE).count());
            let failing: Vec<_> = checked.into_iter().filter(|(_, found)| !found.holds()).collect();
            assert_eq!(failing.len(), expected.len(), "{table}");
            for ((text, check), (expected, begin)) in failing.iter().zip(expected) {
                assert_eq!(text, expected, "{table}");
                assert!(check.detail.starts_with(begin), "{table}: {text}: {}", check.detail);
            }
        }
    }

    const WITHIN_SEVEN: &str = "At every penalty the best policy is within";
    const BEATS_EASY: &str = "At every penalty the best policy is at least";
    const LIMITS: &str = "For every limit";
    const LONGER: &str = "The longer the limit";

    /// Uses the published limits, and the one penalty as if there were two.
    #[test]
    fn the_published_tables_agree_with_choices() {
        for table in [Published::DissertationB1, Published::DissertationB2, Published::DissertationB3] {
            let values: Vec<(&str, f64)> = table.means().collect();
            let lines = ["300 s", "again"].map(|penalty| means(&[("penalty", penalty)], &values));
            let cells = query_cells(&["penalty"], lines.concat());
            for text in [WITHIN_SEVEN, BEATS_EASY, LIMITS, LONGER] {
                let found = find(text, &cells).unwrap();
                assert!(found.holds(), "{table}: {text}: {}", found.detail);
            }
            assert_eq!(find(LONGER, &cells).unwrap().detail.matches(" s: ").count(), 2);
            assert!(values.iter().all(|(name, _)| !is_other_limit(name.parse().unwrap())));
        }
    }

    #[test]
    fn penalties_are_compared() {
        let none = means(&[("penalty", "0 s")], &[("EASY", 1_000.0), (BEST, 3.0), ("MCB*/per/OPT=MIN", 4.0)]);
        let both = |values: &[(&str, f64)]| {
            query_cells(&["penalty"], [none.clone(), means(&[("penalty", "300 s")], values)].concat())
        };
        let cells = both(&[("EASY", 1_000.0), (BEST, 6.0), ("MCB*/per/OPT=MIN", 44.0)]);
        let near = find(WITHIN_SEVEN, &cells).unwrap();
        assert!(near.holds());
        assert_eq!(near.detail, format!("0 s: 3.00 ({BEST}); 300 s: 6.00 ({BEST})"));
        assert!(find(BEATS_EASY, &cells).unwrap().holds());
        let growth = find("The penalty of 300 s", &cells).unwrap();
        assert_eq!((growth.holds(), growth.shown), (true, Some(11.0)));
        assert!(find("The 20 s of live migration", &cells).is_none(), "it was not simulated");

        let far = both(&[("EASY", 500.0), (BEST, 8.0)]);
        assert!(!find(WITHIN_SEVEN, &far).unwrap().holds());
        assert!(!find(BEATS_EASY, &far).unwrap().holds());
    }

    #[test]
    fn limits_are_compared_by_their_lengths() {
        let name = |limit: &str| format!("GreedyPM*/per/OPT=MIN/{limit}");
        let (half, whole, long, flow) =
            (name("MVT=300"), name("MVT=600"), name("MVT=3600"), name("MFT=3600"));
        let holds = |longest: f64| {
            let values = [(half.as_str(), 6.0), (&whole, 5.0), (&long, longest), (&flow, 5.3)];
            let cells = query_cells(&[], means(&[], &values));
            [LONGER, LIMITS].map(|text| find(text, &cells).unwrap().holds())
        };
        assert!(is_other_limit(long.parse().unwrap()) && !is_other_limit(flow.parse().unwrap()));
        assert_eq!(holds(5.2), [true; 2]);
        assert_eq!(holds(5.4), [false; 2]);
    }
}
