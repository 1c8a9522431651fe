//! What the dissertation says of its results (sections 5.4 and 6.1), checked on ours and on its own tables.
//!
//! Words such as "about equal" are given a number here, which is part of the statement.

mod choices;
mod costs;
mod periods;
mod vcsim;

use crate::groups::{Group, Matrix};
use crate::published::Published;
use costs::Totals;
use dfrsim_lab::query::{Cells, Entries, Entry, Finding, Judge};
use dfrsim_lab::{Claim, Statistics, Verdict, rank_correlation};
use dfrsim_model::SimSpan;
use dfrsim_policies::Policy;
use dfrsim_policies::batch::Discipline;
use dfrsim_policies::fractional::{Extensions, Fractional, OnSubmission, Periodic, RemapLimit, SecondPhase};
use std::sync::LazyLock;

const SOURCE: &str = "dissertation, sections 5.4 and 6.1";

const LIMIT: RemapLimit = RemapLimit::VirtualTime(SimSpan::from_secs(600));
/// `/per/OPT=MIN/MVT=600`.
const PERIODIC: Fractional = Fractional {
    on_submission: OnSubmission::Nothing,
    opportunistic: false,
    periodic: Periodic::Mcb,
    budget_gb: None,
    relabel: false,
    second_phase: SecondPhase::Min,
    remap_limit: LIMIT,
    extensions: Extensions::NONE,
};
/// `GreedyPM*/per/OPT=MIN/MVT=600`.
const BEST: Fractional =
    Fractional { on_submission: OnSubmission::GreedyPM, opportunistic: true, ..PERIODIC };

/// The degradation of each policy on one workload, by name: its mean, and its sample standard deviation.
struct Means(Vec<(Policy, f64, Option<f64>)>);

static CLAIMS: LazyLock<Entries> =
    LazyLock::new(|| Entries::new("online/claims.toml", include_str!("../../claims.toml")));

fn is_min(policy: Fractional) -> bool {
    policy.second_phase == SecondPhase::Min
}

impl Means {
    fn new(mut values: Vec<(Policy, f64, Option<f64>)>) -> Means {
        values.sort_by_cached_key(|(policy, ..)| policy.to_string());
        Means(values)
    }
    fn published(table: Published) -> Means {
        let parsed = |(name, mean): (&str, f64)| {
            let [_, deviation, _] = table.degradation(name)?;
            Some((name.parse().ok()?, mean, Some(deviation)))
        };
        Means::new(table.means().filter_map(parsed).collect())
    }
    /// Those of groups, each of another policy.
    fn of_groups<'a>(groups: impl Iterator<Item = &'a Group<'a>>) -> Means {
        let mean = |group: &Group<'_>| {
            let statistics = Statistics::from_values(&group.values(|row| row.degradation))?;
            Some((group.setting.policy, statistics.mean, statistics.deviation))
        };
        Means::new(groups.filter_map(mean).collect())
    }
    fn of(&self, policy: Policy) -> Option<f64> {
        self.0.iter().find(|(known, ..)| *known == policy).map(|(_, mean, _)| *mean)
    }
    fn fractional(&self) -> impl Iterator<Item = (Fractional, f64)> {
        self.0.iter().filter_map(|(policy, mean, _)| Some((policy.fractional()?, *mean)))
    }
    fn best(&self, is_meant: impl Fn(Fractional) -> bool) -> Option<(Fractional, f64)> {
        self.fractional().filter(|(policy, _)| is_meant(*policy)).min_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// The metrics of statements.
const METRICS: [&str; 3] = ["degradation", "deviation", "gb_per_s"];
/// The parts of policies.
const COLUMNS: [&str; 8] = ["policy", "submission", "star", "periodic", "phase", "limit", "limit_s", "rest"];

/// What statements ask of one workload, or of a published table; beside the means, what is found in other groups.
fn asked<'a>(
    means: &'a Means,
    totals: &'a Totals,
    others: impl IntoIterator<Item = (&'static str, Option<Finding>)>,
) -> Cells<'a> {
    let mut cells = Cells::new(&COLUMNS, &METRICS, &[]).named_by("policy");
    for (policy, mean, deviation) in &means.0 {
        cells.push(labels(*policy).iter().map(String::as_str), [Some(*mean), *deviation, None]);
    }
    for (policy, total) in totals {
        let labels = labels(Policy::Fractional(*policy));
        cells.push(labels.iter().map(String::as_str), [None, None, Some(*total)]);
    }
    let policy = |entry: &Entry| means.of(entry.filter.label("policy")?.parse().ok()?);
    let checked = cells
        .with("batch and best", move |_, _| {
            let fcfs = means.of(Discipline::Fcfs.into())?;
            let easy = means.of(Discipline::Easy.into())?;
            let (policy, best) = means.best(|_| true)?;
            let detail = format!("FCFS {fcfs:.1}, EASY {easy:.1}, {policy} {best:.2}");
            let holds = easy < fcfs && easy / best >= 100.0;
            Some(Finding::fact(holds, detail).showing(Some(easy / best)))
        })
        .with("greedy and MCB", move |_, _| {
            let is_greedy =
                |it: Fractional| !matches!(it.on_submission, OnSubmission::Nothing | OnSubmission::Mcb);
            let (greedy, mcb) =
                (means.best(is_greedy)?, means.best(|it| it.on_submission == OnSubmission::Mcb)?);
            let detail = format!("{} {:.2}, {} {:.2}", greedy.0, greedy.1, mcb.0, mcb.1);
            Some(Finding::fact(greedy.1 < mcb.1, detail).showing(Some(greedy.1 / mcb.1)))
        })
        .with("times the best", move |_, entry| {
            let (mean, (name, best)) = (policy(entry)?, means.best(|_| true)?);
            let times = mean / best;
            Some(Finding::new(times, entry.is, format!("{mean:.1}, {name} {best:.2}: {times:.1} times")))
        })
        .with("better than EASY", move |_, entry| {
            let (own, easy) = (policy(entry)?, means.of(Discipline::Easy.into())?);
            let detail = format!("EASY {easy:.1}, {} {own:.1}", entry.filter.label("policy")?);
            Some(Finding::new(easy / own, entry.is, detail))
        })
        .with("least deviation", move |_, _| {
            let all = means.0.iter().filter_map(|(it, _, deviation)| Some((it.fractional()?, (*deviation)?)));
            let (policy, deviation) = all.min_by(|a, b| a.1.total_cmp(&b.1))?;
            let holds = policy.periodic == Periodic::Mcb
                && matches!(policy.on_submission, OnSubmission::GreedyP | OnSubmission::GreedyPM);
            Some(Finding::fact(holds, format!("{policy} {deviation:.2}")).showing(Some(deviation)))
        })
        .with("deviations", move |cells, entry| {
            let all = entry.series(cells)?;
            let of = |submission: &str, [periodic, limit, length]: [&str; 3]| {
                let labels = [("submission", submission), ("periodic", periodic), ("limit", limit)];
                let points = all.only(&labels).only(&[("limit_s", length)]);
                points.points.first().map(|point| point.1)
            };
            let ratio = |submission| {
                let (plain, with) = (["none", "none", ""], ["Mcb", "MVT", "600"]);
                Some(of(submission, plain)? / of(submission, with)?)
            };
            let (pausing, moving) = (ratio("GreedyP")?, ratio("GreedyPM")?);
            let detail =
                format!("ratios of standard deviations: GreedyP* {pausing:.1}, GreedyPM* {moving:.1}");
            Some(Finding::new(pausing.min(moving), entry.is, detail))
        })
        .with("bandwidth with MCB", move |_, _| costs::mcb_needs_more(totals));
    others.into_iter().fold(checked, |checked, (name, found)| checked.with(name, move |_, _| found.clone()))
}

/// The labels of a policy, in the order of [`COLUMNS`]; those of a batch policy are its name alone.
fn labels(policy: Policy) -> [String; 8] {
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
        format!("{:?}", parts.on_submission),
        if parts.opportunistic { "yes" } else { "no" }.to_owned(),
        if parts.periodic == Periodic::Nothing { "none".to_owned() } else { format!("{:?}", parts.periodic) },
        format!("{:?}", parts.second_phase),
        limit.to_owned(),
        length.map(|length| length.to_string()).unwrap_or_default(),
        if rest == (None, false, Extensions::NONE) { String::new() } else { format!("{rest:?}") },
    ]
}

/// All statements on each workload that is compared with a published table of degradations.
pub(crate) fn all(matrix: &Matrix<'_>) -> Vec<Claim> {
    let groups = matrix.groups();
    let mut claims = Vec::new();
    let published_totals = costs::published_totals();
    for workload in &matrix.scenario.workloads {
        let Some(table) = workload.degradations() else { continue };
        let own: Vec<Group<'_>> =
            groups.iter().filter(|group| group.scope.workload.name == workload.name).cloned().collect();
        let default = own.iter().filter(|group| matrix.is_default(group));
        let ours = Means::of_groups(default.filter(|group| group.scope.is_whole()));
        let (published, totals) = (Means::published(table), costs::totals(matrix, &own));
        let (loads, best) = (within_seven(matrix, &own), costs::of_the_best(matrix, &own));
        let bound = above_the_bound(&own);
        let others = [("loads", loads), ("theorem 1", bound), ("bandwidth of the best", best)];
        let ours = asked(&ours, &totals, others);
        let best = [("bandwidth of the best", costs::published_of_the_best())];
        let published = asked(&published, &published_totals, best);
        let judge = Judge { published: vec![&published], details_published: true, ..Judge::by(&ours) };
        let own = judge.claims(CLAIMS.of(SOURCE));
        claims.extend(own.into_iter().map(|claim| claim.within(&workload.name)));
    }
    claims.extend(vcsim::all(matrix, &groups));
    claims.extend(periods::all(matrix, &groups));
    claims.extend(choices::all(matrix, &groups));
    claims.extend(consistent(matrix, &groups));
    claims
}

/// Whether the policies are in nearly the same order on each pair of workloads.
fn consistent(matrix: &Matrix<'_>, groups: &[Group<'_>]) -> Vec<Claim> {
    let workloads = matrix.scenario.workloads.iter();
    let compared = workloads.filter_map(|workload| {
        let table = workload.degradations()?;
        let own = groups.iter().filter(|group| group.scope.workload.name == workload.name);
        let own = own.filter(|group| group.scope.is_whole() && matrix.is_default(group));
        Some((&workload.name, [Means::of_groups(own), Means::published(table)]))
    });
    let compared: Vec<_> = compared.collect();
    let mut claims = Vec::new();
    for (place, (one, first)) in compared.iter().enumerate() {
        for (other, second) in &compared[place + 1..] {
            let correlation = |at: usize| {
                let pair = |(policy, mean)| Some((mean, second[at].of(Policy::Fractional(policy))?));
                rank_correlation(&first[at].fractional().filter_map(pair).collect::<Vec<_>>())
            };
            let check = |at: usize| {
                let value = correlation(at)?;
                let detail = format!("rank correlation {value:.3}");
                Some(Finding::fact(value >= 0.9, detail).showing(Some(value)))
            };
            let text = "Policies are in the same order on both sets, by a rank correlation of 0.9 or more";
            let scope = format!("{one}, {other}");
            claims.extend(check(0).map(|ours| claim(SOURCE, text, &scope, &ours, check(1).as_ref())));
        }
    }
    claims
}

fn claim(source: &str, text: &str, workload: &str, ours: &Finding, published: Option<&Finding>) -> Claim {
    let verdict = |found: &Finding| Verdict::from_bool(found.holds());
    let detail = match published {
        Some(published) => format!("{}; published: {}", ours.detail, published.detail),
        None => ours.detail.clone(),
    };
    Claim::new(source, text, verdict(ours), detail)
        .within(workload)
        .with_values(ours.shown, published.and_then(|published| published.shown))
        .with_published_verdict(published.map(verdict))
}

/// Whether each simulation is above the bound, as exactly as that is computed.
fn above_the_bound(groups: &[Group<'_>]) -> Option<Finding> {
    let all = groups.iter().flat_map(|group| group.values(|row| row.degradation));
    let least = all.reduce(f64::min)?;
    let detail = format!("at least {least:.4} times the bound");
    Some(Finding::fact(least >= 0.9999, detail).showing(Some(least)))
}

fn within_seven(matrix: &Matrix<'_>, groups: &[Group<'_>]) -> Option<Finding> {
    let mut loads: Vec<f64> = Vec::new();
    for group in groups {
        loads.extend(group.scope.single_load().filter(|load| !loads.contains(load)));
    }
    let found = |load: f64| {
        let own = groups.iter().filter(|group| group.scope.single_load() == Some(load));
        let means = Means::of_groups(own.filter(|group| matrix.is_default(group)));
        Some((load.to_string(), choices::within_seven(&means)?))
    };
    let found = loads.into_iter().map(found).collect::<Option<Vec<_>>>()?;
    let worst = found.iter().filter_map(|(_, found)| found.shown).reduce(f64::max);
    Some(choices::everywhere(&found)?.showing(worst))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, means: &Means) -> Finding {
        let entry = CLAIMS.iter().find(|entry| entry.text.starts_with(text)).unwrap();
        entry.find(&asked(means, &Vec::new(), [])).unwrap()
    }

    #[test]
    fn statements_name_what_there_is() {
        let means = Means::published(Published::DissertationB1);
        let others = ["loads", "theorem 1", "bandwidth of the best"].map(|name| (name, None));
        assert_eq!(CLAIMS.faults(&asked(&means, &Vec::new(), others)), [""; 0]);
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
        let means = |values: &[(&str, f64)]| {
            Means::new(values.iter().map(|(name, mean)| (name.parse().unwrap(), *mean, None)).collect())
        };
        let met = check("OPT=MIN", &means(&values));
        assert!(met.holds());
        assert_eq!(
            met.detail,
            "2 of 2; ratios from 0.800 (Greedy/per/OPT=MIN) to 1.000 (/per/OPT=MIN/MVT=600)"
        );
        values.push(("MCB*/OPT=AVG", 6.0));
        assert!(!check("OPT=MIN", &means(&values)).holds());
    }

    /// All statements on all published tables. The text says "never" and "always" of differences that it finds in nearly all
    /// pairs, and its factor of 10 is that of the HPC2N set.
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
            let means = Means::published(table);
            let (totals, best) = (costs::published_totals(), costs::published_of_the_best());
            let asked = asked(&means, &totals, [("bandwidth of the best", best)]);
            let checked = CLAIMS.of(SOURCE).filter_map(|it| Some((it.text.as_str(), it.find(&asked)?)));
            let checked: Vec<(&str, Finding)> = checked.collect();
            // All but those on each simulation and on the best policy at every load, of which there is no table.
            assert_eq!(checked.len() + 2, CLAIMS.of(SOURCE).count());
            let failing: Vec<_> = checked.into_iter().filter(|(_, found)| !found.holds()).collect();
            assert_eq!(failing.len(), expected.len(), "{table}");
            for ((text, check), (expected, begin)) in failing.iter().zip(expected) {
                assert_eq!(text, expected, "{table}");
                assert!(check.detail.starts_with(begin), "{table}: {text}: {}", check.detail);
            }
        }
    }
}
