//! What the dissertation says of its results (sections 5.4 and 6.1), checked on ours and on its own tables.
//!
//! Words such as "about equal" are given a number here, which is part of the statement.

mod choices;
mod costs;
mod periods;
mod vcsim;

use crate::groups::{Group, Matrix};
use crate::published::Published;
use dfrsim_lab::{Claim, Statistics, Verdict, rank_correlation};
use dfrsim_model::SimSpan;
use dfrsim_policies::Policy;
use dfrsim_policies::batch::Discipline;
use dfrsim_policies::fractional::{Extensions, Fractional, OnSubmission, Periodic, RemapLimit, SecondPhase};
use std::fmt::Write as _;

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
/// `/stretch-per/OPT=MAX/MVT=600`.
const STRETCH_PERIODIC: Fractional =
    Fractional { periodic: Periodic::McbStretch, second_phase: SecondPhase::Max, ..PERIODIC };
/// `GreedyPM*/per/OPT=MIN/MVT=600`.
const BEST: Fractional =
    Fractional { on_submission: OnSubmission::GreedyPM, opportunistic: true, ..PERIODIC };

/// The degradation of each policy on one workload, by name: its mean, and its sample standard deviation.
struct Means {
    means: Vec<(Policy, f64)>,
    deviations: Vec<(Policy, f64)>,
}

/// Whether a statement holds, its value if it is about one, and the numbers that say so.
struct Check {
    holds: bool,
    value: Option<f64>,
    detail: String,
}

/// A statement about the means on one workload; `None` where these do not have its policies.
type Statement = (&'static str, fn(&Means) -> Option<Check>);

const STATEMENTS: [Statement; 17] = [
    (
        "EASY is better than FCFS, and the best fractional policy at least 100 times better than EASY",
        |means| {
            let fcfs = means.of(Discipline::Fcfs.into())?;
            let easy = means.of(Discipline::Easy.into())?;
            let (policy, best) = means.best(|_| true)?;
            Some(Check {
                holds: easy < fcfs && easy / best >= 100.0,
                value: Some(easy / best),
                detail: format!("FCFS {fcfs:.1}, EASY {easy:.1}, {policy} {best:.2}"),
            })
        },
    ),
    ("OPT=MIN is never worse than OPT=AVG", |means| {
        let average =
            |it: Fractional| is_min(it).then_some(Fractional { second_phase: SecondPhase::Average, ..it });
        means.ratios(average, |ratio| ratio <= 1.0)
    }),
    ("MVT is better than MFT of the same limit", |means| {
        let by_flow_time = |it: Fractional| match it.remap_limit {
            RemapLimit::VirtualTime(limit) if is_min(it) => {
                Some(Fractional { remap_limit: RemapLimit::FlowTime(limit), ..it })
            }
            _ => None,
        };
        means.ratios(by_flow_time, |ratio| ratio <= 1.0)
    }),
    ("MVT=600 is at most as bad as MVT=300", |means| {
        let shorter = RemapLimit::VirtualTime(SimSpan::from_secs(300));
        let half = |it: Fractional| {
            (is_min(it) && it.remap_limit == LIMIT).then_some(Fractional { remap_limit: shorter, ..it })
        };
        means.ratios(half, |ratio| ratio <= 1.0)
    }),
    ("MCB on submission without MVT is at least 10 times worse than with MVT=600", |means| {
        let with = |it: Fractional| {
            let is_without = it.remap_limit == RemapLimit::Unlimited && is_min(it);
            (it.on_submission == OnSubmission::Mcb && is_without)
                .then_some(Fractional { remap_limit: LIMIT, ..it })
        };
        means.ratios(with, |ratio| ratio >= 10.0)
    }),
    ("GreedyPM is within 10 % of GreedyP", |means| {
        let pausing = |it: Fractional| {
            (it.on_submission == OnSubmission::GreedyPM && is_min(it))
                .then_some(Fractional { on_submission: OnSubmission::GreedyP, ..it })
        };
        means.ratios(pausing, |ratio| (0.9..=1.1).contains(&ratio))
    }),
    ("Without MVT or MFT, `*` changes GreedyP/per and GreedyPM/per by less than 10 %", |means| {
        means.ratios(|it| without_star(it, RemapLimit::Unlimited), |ratio| (0.9..=1.1).contains(&ratio))
    }),
    ("With MVT=600, `*` makes GreedyP/per and GreedyPM/per better", |means| {
        means.ratios(|it| without_star(it, LIMIT), |ratio| ratio < 1.0)
    }),
    ("Greedy policies with /per and MVT=600 are better than those without /per", |means| {
        let periodic = |it: Fractional| {
            let is_plain = it.periodic == Periodic::Nothing && it.opportunistic && is_min(it);
            (moves_or_pauses(it) && is_plain).then_some(Fractional {
                periodic: Periodic::Mcb,
                remap_limit: LIMIT,
                ..it
            })
        };
        means.ratios(periodic, |ratio| ratio > 1.0)
    }),
    ("The best greedy policies are better than the best with MCB on submission", |means| {
        let is_greedy =
            |it: Fractional| !matches!(it.on_submission, OnSubmission::Nothing | OnSubmission::Mcb);
        let greedy = means.best(is_greedy)?;
        let mcb = means.best(|it| it.on_submission == OnSubmission::Mcb)?;
        Some(Check {
            holds: greedy.1 < mcb.1,
            value: Some(greedy.1 / mcb.1),
            detail: format!("{} {:.2}, {} {:.2}", greedy.0, greedy.1, mcb.0, mcb.1),
        })
    }),
    ("/per with MVT=600 is more than 5 times worse than the best policy", |means| {
        means.times_the_best(PERIODIC, 5.0)
    }),
    ("/stretch-per with MVT=600 is more than 10 times worse than the best policy", |means| {
        means.times_the_best(STRETCH_PERIODIC, 10.0)
    }),
    ("MCB*/per without MVT is still half an order of magnitude better than EASY", |means| {
        let easy = means.of(Discipline::Easy.into())?;
        let policy = Fractional {
            on_submission: OnSubmission::Mcb,
            opportunistic: true,
            remap_limit: RemapLimit::Unlimited,
            ..PERIODIC
        };
        let own = means.of(Policy::Fractional(policy))?;
        Some(Check {
            holds: easy / own >= 10_f64.sqrt(),
            value: Some(easy / own),
            detail: format!("EASY {easy:.1}, {policy} {own:.1}"),
        })
    }),
    ("MVT=600 changes /per and /stretch-per by less than 5 %", |means| {
        let without = |it: Fractional| {
            let is_limited = it == PERIODIC || it == STRETCH_PERIODIC;
            is_limited.then_some(Fractional { remap_limit: RemapLimit::Unlimited, ..it })
        };
        means.ratios(without, |ratio| (0.95..=1.05).contains(&ratio))
    }),
    ("GreedyP is better than Greedy", |means| {
        let plain = |it: Fractional| {
            (it.on_submission == OnSubmission::GreedyP && is_min(it))
                .then_some(Fractional { on_submission: OnSubmission::Greedy, ..it })
        };
        means.ratios(plain, |ratio| ratio < 1.0)
    }),
    (
        "The least standard deviation is that of a greedy policy with `/per` that pauses or moves jobs",
        |means| {
            let fractional =
                means.deviations.iter().filter_map(|(it, deviation)| Some((it.fractional()?, *deviation)));
            let (policy, deviation) = fractional.min_by(|a, b| a.1.total_cmp(&b.1))?;
            Some(Check {
                holds: moves_or_pauses(policy) && policy.periodic == Periodic::Mcb,
                value: Some(deviation),
                detail: format!("{policy} {deviation:.2}"),
            })
        },
    ),
    ("GreedyP* and GreedyPM* vary at least twice as much as with `/per` and MVT=600", |means| {
        let deviation = |policy: Fractional| {
            let policy = Policy::Fractional(policy);
            means.deviations.iter().find(|(known, _)| *known == policy).map(|(_, deviation)| *deviation)
        };
        let ratio = |on_submission| {
            let with = Fractional { on_submission, ..BEST };
            let plain =
                Fractional { periodic: Periodic::Nothing, remap_limit: RemapLimit::Unlimited, ..with };
            Some(deviation(plain)? / deviation(with)?)
        };
        let (pausing, moving) = (ratio(OnSubmission::GreedyP)?, ratio(OnSubmission::GreedyPM)?);
        Some(Check {
            holds: pausing.min(moving) >= 2.0,
            value: Some(pausing.min(moving)),
            detail: format!("ratios of standard deviations: GreedyP* {pausing:.1}, GreedyPM* {moving:.1}"),
        })
    }),
];

fn is_min(policy: Fractional) -> bool {
    policy.second_phase == SecondPhase::Min
}

fn moves_or_pauses(policy: Fractional) -> bool {
    matches!(policy.on_submission, OnSubmission::GreedyP | OnSubmission::GreedyPM)
}

/// `GreedyP*/per/OPT=MIN` or `GreedyPM*/per/OPT=MIN` with this limit has the same name without `*` as its partner.
fn without_star(policy: Fractional, limit: RemapLimit) -> Option<Fractional> {
    let wanted = Fractional {
        on_submission: policy.on_submission,
        opportunistic: true,
        remap_limit: limit,
        ..PERIODIC
    };
    (moves_or_pauses(policy) && policy == wanted).then_some(Fractional { opportunistic: false, ..policy })
}

impl Means {
    fn new(mut values: Vec<(Policy, f64, Option<f64>)>) -> Means {
        values.sort_by_cached_key(|(policy, ..)| policy.to_string());
        let deviation = |&(policy, _, deviation): &(Policy, f64, Option<f64>)| Some((policy, deviation?));
        Means {
            deviations: values.iter().filter_map(deviation).collect(),
            means: values.into_iter().map(|(policy, mean, _)| (policy, mean)).collect(),
        }
    }
    fn published(table: Published) -> Means {
        let parsed = |(name, mean): (&str, f64)| {
            let [_, deviation, _] = table.degradation(name)?;
            Some((name.parse().ok()?, mean, Some(deviation)))
        };
        Means::new(table.means().filter_map(parsed).collect())
    }
    /// Over those groups that have the default setting.
    fn of_groups(matrix: &Matrix<'_>, groups: &[Group<'_>], is_meant: impl Fn(&Group<'_>) -> bool) -> Means {
        let meant = groups.iter().filter(|group| is_meant(group) && matrix.is_default(group));
        let mean = |group: &Group<'_>| {
            let statistics = Statistics::from_values(&group.values(|row| row.degradation))?;
            Some((group.setting.policy, statistics.mean, statistics.deviation))
        };
        Means::new(meant.filter_map(mean).collect())
    }
    fn of(&self, policy: Policy) -> Option<f64> {
        self.means.iter().find(|(known, _)| *known == policy).map(|(_, mean)| *mean)
    }
    fn fractional(&self) -> impl Iterator<Item = (Fractional, f64)> {
        self.means.iter().filter_map(|(policy, mean)| Some((policy.fractional()?, *mean)))
    }
    fn best(&self, is_meant: impl Fn(Fractional) -> bool) -> Option<(Fractional, f64)> {
        self.fractional().filter(|(policy, _)| is_meant(*policy)).min_by(|a, b| a.1.total_cmp(&b.1))
    }
    /// The ratio of each policy's mean to that of its partner, all of which must be as expected.
    fn ratios(
        &self,
        partner: impl Fn(Fractional) -> Option<Fractional>,
        is_expected: fn(f64) -> bool,
    ) -> Option<Check> {
        let ratio = |(policy, mean): (Fractional, f64)| {
            Some((mean / self.of(Policy::Fractional(partner(policy)?))?, policy))
        };
        let mut ratios: Vec<(f64, Fractional)> = self.fractional().filter_map(ratio).collect();
        ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
        let ((least, lowest), (most, highest)) = (ratios.first()?, ratios.last()?);
        let (met, all) = (ratios.iter().filter(|(ratio, _)| is_expected(*ratio)).count(), ratios.len());
        Some(Check {
            holds: met == all,
            value: None,
            detail: format!("{met} of {all}; ratios from {least:.3} ({lowest}) to {most:.3} ({highest})"),
        })
    }
    fn times_the_best(&self, policy: Fractional, times: f64) -> Option<Check> {
        let mean = self.of(Policy::Fractional(policy))?;
        let (name, best) = self.best(|_| true)?;
        Some(Check {
            holds: mean / best > times,
            value: Some(mean / best),
            detail: format!("{mean:.1}, {name} {best:.2}: {:.1} times", mean / best),
        })
    }
}

/// All statements on each workload that is compared with a published table of degradations.
pub(crate) fn all(matrix: &Matrix<'_>) -> Vec<Claim> {
    let groups = matrix.groups();
    let mut claims = Vec::new();
    for workload in &matrix.scenario.workloads {
        let Some(table) = workload.published.iter().find(|table| table.means().next().is_some()) else {
            continue;
        };
        let own: Vec<Group<'_>> =
            groups.iter().filter(|group| group.scope.workload.name == workload.name).cloned().collect();
        let ours = Means::of_groups(matrix, &own, |group| group.scope.is_whole());
        let published = Means::published(*table);
        let mut add = |text: &str, ours: Option<Check>, published: Option<Check>| {
            claims.extend(ours.map(|ours| claim(text, &workload.name, &ours, published.as_ref())));
        };
        for (text, check) in STATEMENTS {
            add(text, check(&ours), check(&published));
        }
        add(
            "At every load the best policy is within a factor of 7 of the bound",
            within_seven(matrix, &own),
            None,
        );
        add(
            "GreedyPM*/per/OPT=MIN/MVT=600 needs less than 1 GB/s on average and 2 GB/s at most, at loads of 0.7 and more",
            costs::of_the_best(matrix, &own),
            costs::published_of_the_best(),
        );
        let totals = [costs::totals(matrix, &own), costs::published_totals()];
        let [ours, theirs] = totals.each_ref().map(costs::mcb_needs_more);
        add(
            "Policies with MCB on submission and MVT=600 need more bandwidth than their counterparts with Greedy",
            ours,
            theirs,
        );
        let [ours, theirs] = totals.each_ref().map(costs::greedy_needs_little);
        add("Greedy policies without ticks need less than 0.1 GB/s", ours, theirs);
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
        let table = workload.published.iter().find(|table| table.means().next().is_some())?;
        let is_own = |group: &Group<'_>| group.scope.workload.name == workload.name && group.scope.is_whole();
        Some((&workload.name, [Means::of_groups(matrix, groups, is_own), Means::published(*table)]))
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
                Some(Check { holds: value >= 0.9, value: Some(value), detail })
            };
            let text = "Policies are in the same order on both sets, by a rank correlation of 0.9 or more";
            claims.extend(
                check(0).map(|ours| claim(text, &format!("{one}, {other}"), &ours, check(1).as_ref())),
            );
        }
    }
    claims
}

fn claim(text: &str, workload: &str, ours: &Check, published: Option<&Check>) -> Claim {
    let verdict = |check: &Check| Verdict::from_bool(check.holds);
    let detail = match published {
        Some(published) => format!("{}; published: {}", ours.detail, published.detail),
        None => ours.detail.clone(),
    };
    Claim::new(SOURCE, text, verdict(ours), detail)
        .within(workload)
        .with_values(ours.value, published.and_then(|published| published.value))
        .with_published_verdict(published.map(verdict))
}

fn within_seven(matrix: &Matrix<'_>, groups: &[Group<'_>]) -> Option<Check> {
    let mut loads: Vec<f64> = Vec::new();
    for group in groups {
        loads.extend(group.scope.single_load().filter(|load| !loads.contains(load)));
    }
    let (mut detail, mut worst) = (String::new(), None::<f64>);
    for load in loads {
        let means = Means::of_groups(matrix, groups, |group| group.scope.single_load() == Some(load));
        let (policy, best) = means.best(|_| true)?;
        worst = Some(worst.map_or(best, |worst| worst.max(best)));
        let separator = if detail.is_empty() { "" } else { "; " };
        write!(detail, "{separator}{load}: {best:.2} ({policy})").expect("a string takes any text");
    }
    let worst = worst?;
    Some(Check { holds: worst <= 7.0, value: Some(worst), detail })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, means: &Means) -> Check {
        let (_, check) = STATEMENTS.iter().find(|(known, _)| known.starts_with(text)).unwrap();
        check(means).unwrap()
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
        assert!(met.holds);
        assert_eq!(
            met.detail,
            "2 of 2; ratios from 0.800 (Greedy/per/OPT=MIN) to 1.000 (/per/OPT=MIN/MVT=600)"
        );
        values.push(("MCB*/OPT=AVG", 6.0));
        assert!(!check("OPT=MIN", &means(&values)).holds);
    }

    /// All statements on all published tables. The text says "never" and "always" of differences that it finds in nearly all
    /// pairs, and its factor of 10 is that of the HPC2N set.
    #[test]
    fn the_published_tables_agree_with_the_text_but_for_single_pairs() {
        let average = "OPT=MIN is never worse than OPT=AVG";
        let flow_time = "MVT is better than MFT of the same limit";
        let longer = "MVT=600 is at most as bad as MVT=300";
        let stretch = "/stretch-per with MVT=600 is more than 10 times worse than the best policy";
        for (table, expected) in [
            (
                Published::DissertationB1,
                &[(average, "42 of 53"), (flow_time, "19 of 20"), (longer, "9 of 10")][..],
            ),
            (Published::DissertationB2, &[(average, "43 of 53"), (stretch, "43.0")]),
            (Published::DissertationB3, &[(average, "45 of 53"), (flow_time, "19 of 20"), (stretch, "40.2")]),
        ] {
            let means = Means::published(table);
            let checked = STATEMENTS.iter().map(|(text, check)| (*text, check(&means).unwrap()));
            let failing: Vec<(&str, Check)> = checked.filter(|(_, check)| !check.holds).collect();
            assert_eq!(failing.len(), expected.len(), "{table}");
            for ((text, check), (expected, begin)) in failing.iter().zip(expected) {
                assert_eq!(text, expected, "{table}");
                assert!(check.detail.starts_with(begin), "{table}: {text}: {}", check.detail);
            }
        }
        assert!(costs::published_of_the_best().unwrap().holds);
        let totals = costs::published_totals();
        assert!(costs::mcb_needs_more(&totals).unwrap().holds);
        assert!(costs::greedy_needs_little(&totals).unwrap().holds);
    }
}
