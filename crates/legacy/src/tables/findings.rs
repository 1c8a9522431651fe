//! What the dissertation says of its results (sections 5.4 and 6.1), checked on ours and on its own tables.
//!
//! Words such as "about equal" are given a number here, which stands in the statement.

use super::groups::Group;
use super::statistics::Statistics;
use super::table::{Cell, Table};
use crate::published::Published;
use crate::scenario::Scenario;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The mean degradation of each policy on one workload.
type Means = BTreeMap<String, f64>;

/// A statement about the means on one workload.
struct Statement {
    text: &'static str,
    check: fn(&Means) -> Option<Check>,
}

/// Whether a statement holds, and the figures that say so.
struct Check {
    holds: bool,
    figures: String,
}

const BEST: &str = "GreedyPM*/per/OPT=MIN/MVT=600";

const STATEMENTS: [Statement; 12] = [
    Statement {
        text: "EASY is better than FCFS, and the best fractional policy at least 100 times better than EASY",
        check: |means| {
            let (fcfs, easy) = (means.get("FCFS")?, means.get("EASY")?);
            let (policy, best) = best(means)?;
            Some(Check {
                holds: easy < fcfs && easy / best >= 100.0,
                figures: format!("FCFS {fcfs:.1}, EASY {easy:.1}, {policy} {best:.2}"),
            })
        },
    },
    Statement {
        text: "OPT=MIN is never worse than OPT=AVG",
        check: |means| {
            ratios(
                means,
                |name| name.contains("/OPT=MIN").then(|| name.replace("=MIN", "=AVG")),
                |r| r <= 1.0,
            )
        },
    },
    Statement {
        text: "MVT is better than MFT of the same limit",
        check: |means| {
            ratios(
                means,
                |name| min_only(name, "/MVT=").then(|| name.replace("/MVT=", "/MFT=")),
                |r| r <= 1.0,
            )
        },
    },
    Statement {
        text: "MVT=600 is at most as bad as MVT=300",
        check: |means| {
            ratios(
                means,
                |name| min_only(name, "/MVT=600").then(|| name.replace("=600", "=300")),
                |r| r <= 1.0,
            )
        },
    },
    Statement {
        text: "MCB on submission without MVT is at least 10 times worse than with MVT=600",
        check: |means| {
            let without = |name: &str| {
                let policy = name.starts_with("MCB") && name.ends_with("/OPT=MIN");
                policy.then(|| format!("{name}/MVT=600"))
            };
            ratios(means, without, |ratio| ratio >= 10.0)
        },
    },
    Statement {
        text: "GreedyPM is within 10 % of GreedyP",
        check: |means| {
            let partner = |name: &str| {
                (name.starts_with("GreedyPM") && name.contains("/OPT=MIN"))
                    .then(|| name.replace("GreedyPM", "GreedyP"))
            };
            ratios(means, partner, |ratio| (0.9..=1.1).contains(&ratio))
        },
    },
    Statement {
        text: "Without MVT or MFT, `*` changes GreedyP/per and GreedyPM/per by less than 10 %",
        check: |means| {
            ratios(means, |name| without_star(name, "*/per/OPT=MIN"), |ratio| (0.9..=1.1).contains(&ratio))
        },
    },
    Statement {
        text: "With MVT=600, `*` makes GreedyP/per and GreedyPM/per better",
        check: |means| ratios(means, |name| without_star(name, "*/per/OPT=MIN/MVT=600"), |ratio| ratio < 1.0),
    },
    Statement {
        text: "Greedy policies with /per and MVT=600 are better than those without /per",
        check: |means| {
            let partner = |name: &str| {
                let greedy = name.strip_suffix("*/OPT=MIN").filter(|name| name.starts_with("GreedyP"))?;
                Some(format!("{greedy}*/per/OPT=MIN/MVT=600"))
            };
            ratios(means, partner, |ratio| ratio > 1.0)
        },
    },
    Statement {
        text: "The best greedy policies are better than the best with MCB on submission",
        check: |means| {
            let greedy = best_of(means, |name| name.starts_with("Greedy"))?;
            let mcb = best_of(means, |name| name.starts_with("MCB"))?;
            let figures = format!("{} {:.2}, {} {:.2}", greedy.0, greedy.1, mcb.0, mcb.1);
            Some(Check { holds: greedy.1 < mcb.1, figures })
        },
    },
    Statement {
        text: "/per with MVT=600 is more than 5 times worse than the best policy",
        check: |means| times_the_best(means, "/per/OPT=MIN/MVT=600", 5.0),
    },
    Statement {
        text: "/stretch-per with MVT=600 is more than 10 times worse than the best policy",
        check: |means| times_the_best(means, "/stretch-per/OPT=MAX/MVT=600", 10.0),
    },
];

/// All statements on each workload that a published table of degradations stands beside; without lines if there is none.
pub(super) fn table(scenario: &Scenario, groups: &[Group<'_>]) -> Table {
    let header = vec!["finding", "workload", "holds", "figures", "holds_in_paper", "figures_of_paper"];
    let mut lines = Vec::new();
    let compared = scenario.workloads.iter().filter_map(|workload| {
        let table = workload.published.iter().find(|table| table.means().next().is_some())?;
        Some((workload.name.as_str(), *table))
    });
    for (workload, published) in compared {
        let ours =
            means(scenario, groups, |group| group.scope.workload == workload && group.scope.is_whole());
        let theirs: Means = published.means().map(|(policy, mean)| (policy.to_owned(), mean)).collect();
        for statement in &STATEMENTS {
            if let Some(check) = (statement.check)(&ours) {
                lines.push(line(statement.text, workload, check, (statement.check)(&theirs)));
            }
        }
        if let Some(check) = within_seven(scenario, groups, workload) {
            let text = "At every load the best policy is within a factor of 7 of the bound";
            lines.push(line(text, workload, check, None));
        }
        if let Some(check) = bandwidth(scenario, groups, workload) {
            let text = "GreedyPM*/per/OPT=MIN/MVT=600 needs less than 1 GB/s on average and 2 GB/s at most, at loads of 0.7 and more";
            let paper = published_bandwidth();
            lines.push(line(text, workload, check, paper));
        }
    }
    Table::new(header, lines)
}

fn line(text: &str, workload: &str, ours: Check, theirs: Option<Check>) -> Vec<Cell> {
    let word = |check: &Check| Cell::Text(if check.holds { "holds" } else { "does not hold" }.to_owned());
    let paper =
        theirs.map_or([Cell::Nothing, Cell::Nothing], |check| [word(&check), Cell::Text(check.figures)]);
    let mut cells = vec![Cell::Text(text.to_owned()), Cell::Text(workload.to_owned()), word(&ours)];
    cells.push(Cell::Text(ours.figures));
    cells.extend(paper);
    cells
}

/// The means over those groups that are of the default setting: the published penalty, and the first of each rule.
fn means(scenario: &Scenario, groups: &[Group<'_>], of: impl Fn(&Group<'_>) -> bool) -> Means {
    let mut means = Means::new();
    for group in groups.iter().filter(|group| of(group) && is_default(scenario, group)) {
        let figures = Statistics::of(&group.values(|figures| figures.degradation));
        means.extend(figures.map(|figures| (group.label.policy.clone(), figures.mean)));
    }
    means
}

fn is_default(scenario: &Scenario, group: &Group<'_>) -> bool {
    let simulation = &scenario.simulation;
    let label = &group.label;
    let is = |field: &Option<String>, name: String| field.as_ref().is_none_or(|field| *field == name);
    group.is_simulated_as_published()
        && group.tau == simulation.taus[0]
        && label.period.is_none_or(|period| period == simulation.periods[0])
        && is(&label.packing, simulation.packings[0].to_string())
        && is(&label.drop, simulation.drops[0].to_string())
}

fn best(means: &Means) -> Option<(&str, f64)> {
    best_of(means, |name| name.contains("/OPT="))
}

fn best_of(means: &Means, which: impl Fn(&str) -> bool) -> Option<(&str, f64)> {
    let of = means.iter().filter(|(name, _)| which(name)).map(|(name, &mean)| (name.as_str(), mean));
    of.min_by(|a, b| a.1.total_cmp(&b.1))
}

fn min_only(name: &str, part: &str) -> bool {
    name.contains("/OPT=MIN") && name.contains(part)
}

/// `GreedyP` or `GreedyPM` with this ending, which begins with `*`, has the same name without `*` as its partner.
fn without_star(name: &str, ending: &str) -> Option<String> {
    let greedy = name.strip_suffix(ending).filter(|part| ["GreedyP", "GreedyPM"].contains(part))?;
    Some(format!("{greedy}{}", &ending[1..]))
}

/// The ratio of each policy's mean to that of its partner, all of which must be as expected.
fn ratios(
    means: &Means,
    partner: impl Fn(&str) -> Option<String>,
    expected: fn(f64) -> bool,
) -> Option<Check> {
    let ratio = |(name, mean): (&String, &f64)| Some((mean / means.get(&partner(name)?)?, name.clone()));
    let mut ratios: Vec<(f64, String)> = means.iter().filter_map(ratio).collect();
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ((least, lowest), (most, highest)) = (ratios.first()?, ratios.last()?);
    let met = ratios.iter().filter(|(ratio, _)| expected(*ratio)).count();
    Some(Check {
        holds: met == ratios.len(),
        figures: format!(
            "{met} of {}; ratios from {least:.3} ({lowest}) to {most:.3} ({highest})",
            ratios.len()
        ),
    })
}

fn times_the_best(means: &Means, policy: &str, times: f64) -> Option<Check> {
    let mean = means.get(policy)?;
    let (name, best) = best(means)?;
    Some(Check {
        holds: mean / best > times,
        figures: format!("{mean:.1}, {name} {best:.2}: {:.1} times", mean / best),
    })
}

fn within_seven(scenario: &Scenario, groups: &[Group<'_>], workload: &str) -> Option<Check> {
    let mut loads: Vec<f64> = Vec::new();
    for group in groups.iter().filter(|group| group.scope.workload == workload) {
        loads.extend(group.scope.single_load().filter(|load| !loads.contains(load)));
    }
    let (mut figures, mut worst) = (String::new(), 0.0_f64);
    for load in loads {
        let means = means(scenario, groups, |group| {
            group.scope.workload == workload && group.scope.single_load() == Some(load)
        });
        let (policy, best) = best(&means)?;
        worst = worst.max(best);
        let separator = if figures.is_empty() { "" } else { "; " };
        write!(figures, "{separator}{load}: {best:.2} ({policy})").expect("writing to a string cannot fail");
    }
    (!figures.is_empty()).then_some(Check { holds: worst <= 7.0, figures })
}

fn bandwidth(scenario: &Scenario, groups: &[Group<'_>], workload: &str) -> Option<Check> {
    let gigabytes = 2.0 * scenario.workloads.iter().find(|other| other.name == workload)?.node_memory_gb;
    let least = Published::DissertationB4ToB6.least_load()?;
    let group = groups.iter().find(|group| {
        group.scope.workload == workload
            && group.scope.is_from(least)
            && group.label.policy == BEST
            && is_default(scenario, group)
    })?;
    let total = group.values(|figures| {
        let moved = figures.paused_memory_nodes + figures.migrated_memory_nodes;
        gigabytes * moved / figures.makespan_s.as_secs_f64()
    });
    let total = Statistics::of(&total)?;
    Some(Check {
        holds: total.mean < 1.0 && total.max < 2.0,
        figures: format!("mean {:.2}, maximum {:.2} GB/s, both ways", total.mean, total.max),
    })
}

fn published_bandwidth() -> Option<Check> {
    let mut costs = Published::DissertationB4ToB6.costs(crate::CostUnit::GigabytesPerSecond);
    let (_, costs) = costs.find(|(policy, _)| *policy == BEST)?;
    let (mean, most) = (costs.preemption.0 + costs.migration.0, costs.preemption.1 + costs.migration.1);
    Some(Check {
        holds: mean < 1.0 && most < 2.0,
        figures: format!("mean {mean:.2}, maxima of preemption and migration added up {most:.2} GB/s"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn means(figures: &[(&str, f64)]) -> Means {
        figures.iter().map(|&(name, mean)| (name.to_owned(), mean)).collect()
    }

    #[test]
    fn partners_are_found_and_all_must_agree() {
        let statement = STATEMENTS.iter().find(|statement| statement.text.starts_with("OPT=MIN")).unwrap();
        let mut figures = means(&[
            ("Greedy/per/OPT=MIN", 2.0),
            ("Greedy/per/OPT=AVG", 2.5),
            ("/per/OPT=MIN/MVT=600", 3.0),
            ("/per/OPT=AVG/MVT=600", 3.0),
            ("MCB*/OPT=MIN", 9.0),
        ]);
        let check = (statement.check)(&figures).unwrap();
        assert!(check.holds);
        assert_eq!(
            check.figures,
            "2 of 2; ratios from 0.800 (Greedy/per/OPT=MIN) to 1.000 (/per/OPT=MIN/MVT=600)"
        );
        figures.insert("MCB*/OPT=AVG".to_owned(), 6.0);
        assert!(!(statement.check)(&figures).unwrap().holds);
    }

    /// In its own tables most of what the dissertation says can be read off.
    #[test]
    fn the_paper_agrees_with_itself_where_it_speaks_of_all_sets() {
        for table in [Published::DissertationB1, Published::DissertationB2, Published::DissertationB3] {
            let theirs: Means = table.means().map(|(policy, mean)| (policy.to_owned(), mean)).collect();
            for text in ["EASY is", "With MVT=600", "/per with", "Greedy policies with"] {
                let statement = STATEMENTS.iter().find(|statement| statement.text.starts_with(text)).unwrap();
                let check = (statement.check)(&theirs).unwrap();
                assert!(check.holds, "{table}: {}: {}", statement.text, check.figures);
            }
        }
        assert!(published_bandwidth().unwrap().holds);
    }
}
