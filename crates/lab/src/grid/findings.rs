//! What sections 4.1 to 4.3 and 6 of the text say, checked on the published figures' counterparts here.
//!
//! "On average" is the mean over the workloads, "usually" and "most" more than half of the cases. A case is a workload
//! with a platform, a local policy and a heuristic.

use super::figures::{Figures, Group, Metric};
use crate::Table;
use crate::tables::Cell;
use crate::tables::statistics::mean;

const HOMOGENEOUS: &str = "homogeneous";
const HETEROGENEOUS: &str = "heterogeneous";

/// A statement; its check gives nothing where the scenario lacks what it is about.
struct Statement {
    section: &'static str,
    text: &'static str,
    check: fn(&Figures) -> Option<Check>,
}

/// Whether a statement holds, and the figures that say so.
type Check = (bool, String);

const STATEMENTS: &[Statement] = &[
    Statement {
        section: "4.1",
        text: "homogeneous, without cancellation: more jobs change with FCFS than with CBF (table 2)",
        check: |figures| fcfs_above_cbf(figures, Metric::Changed, "without", HOMOGENEOUS),
    },
    Statement {
        section: "4.1",
        text: "heterogeneous, without: in some cases more jobs change with CBF than with FCFS (table 3)",
        check: |figures| {
            let pairs = cases(figures, Metric::Changed, "without", HETEROGENEOUS, "FCFS", "CBF")?;
            share(&pairs, |fcfs, cbf| cbf > fcfs).map(|(part, figures)| (part > 0.0, figures))
        },
    },
    Statement {
        section: "4.1",
        text: "without: reallocations are 2.3 % of the jobs on average (here: less than 5 %)",
        check: |figures| {
            let part = mean(&per_job(figures, "without")?);
            Some((part < 0.05, format!("{:.1} %", 100.0 * part)))
        },
    },
    Statement {
        section: "4.1",
        text: "without: reallocations are at most 13.5 % of the jobs",
        check: |figures| at_most(&per_job(figures, "without")?, 0.135),
    },
    Statement {
        section: "4.1",
        text: "homogeneous, without: in most cases more jobs are early than late (table 6)",
        check: |figures| {
            share(&own(figures, Metric::Earlier, "without", HOMOGENEOUS, None)?, |early, _| early > 50.0)
                .map(mostly)
        },
    },
    Statement {
        section: "4.1",
        text: "homogeneous, FCFS, without: MinMin has the most early jobs on average (table 6)",
        check: |figures| best(figures, Metric::Earlier, "without", HOMOGENEOUS, "FCFS", "minmin", true),
    },
    Statement {
        section: "4.1",
        text: "heterogeneous, FCFS, without: MinMin has the most early jobs on average (table 7)",
        check: |figures| best(figures, Metric::Earlier, "without", HETEROGENEOUS, "FCFS", "minmin", true),
    },
    Statement {
        section: "4.1",
        text: "heterogeneous, CBF, without: MinMin has the most early jobs on average (table 7)",
        check: |figures| best(figures, Metric::Earlier, "without", HETEROGENEOUS, "CBF", "minmin", true),
    },
    Statement {
        section: "4.1",
        text: "heterogeneous, without: more cases with more late than early jobs with CBF than with FCFS (table 7)",
        check: |figures| {
            let late = |local| {
                let all = own(figures, Metric::Earlier, "without", HETEROGENEOUS, Some(local))?;
                Some(all.iter().filter(|(early, _)| *early < 50.0).count())
            };
            let (fcfs, cbf) = (late("FCFS")?, late("CBF")?);
            Some((cbf > fcfs, format!("CBF {cbf}, FCFS {fcfs}")))
        },
    },
    Statement {
        section: "4.1",
        text: "homogeneous, FCFS, without: MinMin has the best relative response on average (table 8)",
        check: |figures| best(figures, Metric::Response, "without", HOMOGENEOUS, "FCFS", "minmin", false),
    },
    Statement {
        section: "4.1",
        text: "homogeneous, FCFS, without: MinMin never makes the response worse (table 8)",
        check: |figures| {
            let group = group("without", HOMOGENEOUS, "FCFS", "minmin");
            let all: Vec<f64> = (figures.workloads.iter())
                .filter_map(|workload| Some(figures.figure(Metric::Response, &group, workload)?.mean))
                .collect();
            if all.is_empty() { None } else { at_most(&all, 1.0) }
        },
    },
    Statement {
        section: "4.1",
        text: "homogeneous, CBF, without: MinMin has the best relative response on average (table 8)",
        check: |figures| best(figures, Metric::Response, "without", HOMOGENEOUS, "CBF", "minmin", false),
    },
    Statement {
        section: "4.1",
        text: "heterogeneous, FCFS, without: MCT has the best relative response on average (table 9)",
        check: |figures| best(figures, Metric::Response, "without", HETEROGENEOUS, "FCFS", "mct", false),
    },
    Statement {
        section: "4.1",
        text: "heterogeneous, CBF, without: MCT has the best relative response on average (table 9)",
        check: |figures| best(figures, Metric::Response, "without", HETEROGENEOUS, "CBF", "mct", false),
    },
    Statement {
        section: "4.1",
        text: "without: each average relative response is from 0.88 to 0.99 (tables 8 and 9)",
        check: |figures| averages_within(figures, "without", 0.88, 0.99),
    },
    Statement {
        section: "4.2",
        text: "homogeneous, with: more jobs change with FCFS than with CBF (table 10)",
        check: |figures| fcfs_above_cbf(figures, Metric::Changed, "with", HOMOGENEOUS),
    },
    Statement {
        section: "4.2",
        text: "heterogeneous, with: more jobs change with FCFS than with CBF (table 11)",
        check: |figures| fcfs_above_cbf(figures, Metric::Changed, "with", HETEROGENEOUS),
    },
    Statement {
        section: "4.2",
        text: "with: reallocations are 5.8 % of the jobs on average (here: less than 10 %)",
        check: |figures| {
            let part = mean(&per_job(figures, "with")?);
            Some((part < 0.1, format!("{:.1} %", 100.0 * part)))
        },
    },
    Statement {
        section: "4.2",
        text: "with: reallocations are at most 28.8 % of the jobs",
        check: |figures| at_most(&per_job(figures, "with")?, 0.288),
    },
    Statement {
        section: "4.2",
        text: "homogeneous, with: there are more reallocations with FCFS than with CBF (table 12)",
        check: |figures| fcfs_above_cbf(figures, Metric::Moves, "with", HOMOGENEOUS),
    },
    Statement {
        section: "4.2",
        text: "heterogeneous, with: there are more reallocations with FCFS than with CBF (table 13)",
        check: |figures| fcfs_above_cbf(figures, Metric::Moves, "with", HETEROGENEOUS),
    },
    Statement {
        section: "4.2",
        text: "homogeneous, with: in most cases more than 60 % of the changed jobs are early (table 14)",
        check: |figures| {
            share(&own(figures, Metric::Earlier, "with", HOMOGENEOUS, None)?, |early, _| early > 60.0)
                .map(mostly)
        },
    },
    Statement {
        section: "4.2",
        text: "heterogeneous, with: on average all heuristics have more early than late jobs (table 15)",
        check: |figures| {
            let all = averages(figures, Metric::Earlier, "with", HETEROGENEOUS)?;
            share(&all, |early, _| early > 50.0).map(|(part, figures)| (part >= 1.0, figures))
        },
    },
    Statement {
        section: "4.2",
        text: "homogeneous, FCFS, with: MinMin has the best relative response on average (table 16)",
        check: |figures| best(figures, Metric::Response, "with", HOMOGENEOUS, "FCFS", "minmin", false),
    },
    Statement {
        section: "4.2",
        text: "homogeneous, CBF, with: MaxGain has the best relative response on average (table 16)",
        check: |figures| best(figures, Metric::Response, "with", HOMOGENEOUS, "CBF", "maxgain", false),
    },
    Statement {
        section: "4.2",
        text: "heterogeneous, FCFS, with: MinMin has the best relative response on average (table 17)",
        check: |figures| best(figures, Metric::Response, "with", HETEROGENEOUS, "FCFS", "minmin", false),
    },
    Statement {
        section: "4.2",
        text: "heterogeneous, FCFS, with: MaxMin has the worst relative response on average (table 17)",
        check: |figures| best(figures, Metric::Response, "with", HETEROGENEOUS, "FCFS", "maxmin", true),
    },
    Statement {
        section: "4.2",
        text: "heterogeneous, CBF, with: reallocation never makes the response worse (table 17)",
        check: |figures| {
            share(&own(figures, Metric::Response, "with", HETEROGENEOUS, Some("CBF"))?, |response, _| {
                response < 1.0
            })
            .map(|(part, figures)| (part >= 1.0, figures))
        },
    },
    Statement {
        section: "4.2",
        text: "with: each average relative response is from 0.61 to 0.86 (tables 16 and 17)",
        check: |figures| averages_within(figures, "with", 0.61, 0.86),
    },
    Statement {
        section: "4.3",
        text: "homogeneous: almost always (over 75 %) more jobs change with cancellation (tables 2 and 10)",
        check: |figures| {
            share(&with_and_without(figures, Metric::Changed, HOMOGENEOUS, None)?, |with, without| {
                with > without
            })
            .map(|(part, figures)| (part > 0.75, figures))
        },
    },
    Statement {
        section: "4.3",
        text: "in most cases there are more reallocations with cancellation (tables 4, 5, 12, 13)",
        check: |figures| {
            let mut all = with_and_without(figures, Metric::Moves, HOMOGENEOUS, None)?;
            all.extend(with_and_without(figures, Metric::Moves, HETEROGENEOUS, None)?);
            share(&all, |with, without| with > without).map(mostly)
        },
    },
    Statement {
        section: "4.3",
        text: "homogeneous, FCFS: in most cases more changed jobs are early with cancellation (tables 6 and 14)",
        check: |figures| {
            share(&with_and_without(figures, Metric::Earlier, HOMOGENEOUS, Some("FCFS"))?, |with, without| {
                with > without
            })
            .map(mostly)
        },
    },
    Statement {
        section: "4.3",
        text: "homogeneous, FCFS: the worst heuristic with cancellation is better on average than the best without (tables 8 and 16)",
        check: |figures| worst_beats_best(figures, "FCFS"),
    },
    Statement {
        section: "4.3",
        text: "homogeneous, CBF: the worst heuristic with cancellation is better on average than the best without (tables 8 and 16)",
        check: |figures| worst_beats_best(figures, "CBF"),
    },
    Statement {
        section: "4.3",
        text: "heterogeneous: in most cases the response is better with cancellation (tables 9 and 17)",
        check: |figures| {
            share(&with_and_without(figures, Metric::Response, HETEROGENEOUS, None)?, |with, without| {
                with < without
            })
            .map(mostly)
        },
    },
    Statement {
        section: "6",
        text: "on average reallocation is beneficial: the mean relative response of all cases is below 1",
        check: |figures| {
            let mut all = Vec::new();
            for cancellation in ["without", "with"] {
                for platform in [HOMOGENEOUS, HETEROGENEOUS] {
                    all.extend(
                        averages(figures, Metric::Response, cancellation, platform).unwrap_or_default(),
                    );
                }
            }
            let values: Vec<f64> = all.iter().map(|pair| pair.0).collect();
            if values.is_empty() {
                return None;
            }
            let mean = mean(&values);
            Some((mean < 1.0, format!("{mean:.2}")))
        },
    },
    Statement {
        section: "6",
        text: "results are better when all jobs are cancelled and submitted again: the mean relative response is lower",
        check: |figures| {
            let of = |cancellation| {
                let mut all = averages(figures, Metric::Response, cancellation, HOMOGENEOUS)?;
                all.extend(averages(figures, Metric::Response, cancellation, HETEROGENEOUS)?);
                Some(mean(&all.iter().map(|pair| pair.0).collect::<Vec<f64>>()))
            };
            let (with, without) = (of("with")?, of("without")?);
            Some((with < without, format!("with {with:.2}, without {without:.2}")))
        },
    },
];

pub(super) fn table(figures: &Figures) -> Table {
    let line = |statement: &Statement| {
        let (holds, found) = (statement.check)(figures)?;
        Some(vec![
            Cell::Text(statement.section.to_owned()),
            Cell::Text(statement.text.to_owned()),
            Cell::Text(if holds { "holds" } else { "does not" }.to_owned()),
            Cell::Text(found),
        ])
    };
    Table::new(vec!["section", "statement", "here", "figures"], STATEMENTS.iter().filter_map(line).collect())
}

fn group(cancellation: &str, platform: &str, local: &str, heuristic: &str) -> Group {
    Group {
        cancellation: cancellation.to_owned(),
        platform: platform.to_owned(),
        local: local.to_owned(),
        heuristic: heuristic.to_owned(),
    }
}

/// The figures of all groups and workloads beside those of the groups that `partner` gives; nothing if there are none.
fn pairs(
    figures: &Figures,
    metric: Metric,
    which: impl Fn(&Group) -> bool,
    partner: impl Fn(&Group) -> Group,
) -> Option<Vec<(f64, f64)>> {
    let mut pairs = Vec::new();
    for group in figures.groups.iter().filter(|group| which(group)) {
        for workload in &figures.workloads {
            let value = |group: &Group| Some(figures.figure(metric, group, workload)?.mean);
            pairs.extend(value(group).zip(value(&partner(group))));
        }
    }
    (!pairs.is_empty()).then_some(pairs)
}

/// The cases of one kind, each beside itself.
fn own(
    figures: &Figures,
    metric: Metric,
    cancellation: &str,
    platform: &str,
    local: Option<&str>,
) -> Option<Vec<(f64, f64)>> {
    let which = |group: &Group| {
        group.cancellation == cancellation
            && group.platform == platform
            && local.is_none_or(|local| group.local == local)
    };
    pairs(figures, metric, which, Group::clone)
}

/// Cases with one local policy beside those with another.
fn cases(
    figures: &Figures,
    metric: Metric,
    cancellation: &str,
    platform: &str,
    first: &str,
    second: &str,
) -> Option<Vec<(f64, f64)>> {
    let which = |group: &Group| {
        group.cancellation == cancellation && group.platform == platform && group.local == first
    };
    pairs(figures, metric, which, |group| Group { local: second.to_owned(), ..group.clone() })
}

/// Cases with cancellation beside those without.
fn with_and_without(
    figures: &Figures,
    metric: Metric,
    platform: &str,
    local: Option<&str>,
) -> Option<Vec<(f64, f64)>> {
    let which = |group: &Group| {
        group.cancellation == "with"
            && group.platform == platform
            && local.is_none_or(|local| group.local == local)
    };
    pairs(figures, metric, which, |group| Group { cancellation: "without".to_owned(), ..group.clone() })
}

/// The averages of all groups of one kind, each beside itself.
fn averages(
    figures: &Figures,
    metric: Metric,
    cancellation: &str,
    platform: &str,
) -> Option<Vec<(f64, f64)>> {
    let groups = figures.groups.iter();
    let of_kind = groups.filter(|group| group.cancellation == cancellation && group.platform == platform);
    let all: Vec<(f64, f64)> =
        of_kind.filter_map(|group| figures.average(metric, group)).map(|value| (value, value)).collect();
    (!all.is_empty()).then_some(all)
}

/// The part of the cases for which something is so.
fn share(pairs: &[(f64, f64)], is_so: impl Fn(f64, f64) -> bool) -> Option<(f64, String)> {
    let so = pairs.iter().filter(|(first, second)| is_so(*first, *second)).count();
    (!pairs.is_empty()).then(|| (so as f64 / pairs.len() as f64, format!("{so} of {} cases", pairs.len())))
}

fn mostly((part, figures): (f64, String)) -> Check {
    (part > 0.5, figures)
}

/// Whether FCFS has the larger value on average.
fn fcfs_above_cbf(figures: &Figures, metric: Metric, cancellation: &str, platform: &str) -> Option<Check> {
    let pairs = cases(figures, metric, cancellation, platform, "FCFS", "CBF")?;
    let (fcfs, cbf): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
    let (fcfs, cbf) = (mean(&fcfs), mean(&cbf));
    Some((fcfs > cbf, format!("FCFS {fcfs:.1}, CBF {cbf:.1}")))
}

/// Reallocations for each job of all simulations.
fn per_job(figures: &Figures, cancellation: &str) -> Option<Vec<f64>> {
    let all = figures.moves_per_job.iter().filter(|(group, _)| group.cancellation == cancellation);
    let all: Vec<f64> = all.map(|(_, moves)| *moves).collect();
    (!all.is_empty()).then_some(all)
}

fn at_most(values: &[f64], most: f64) -> Option<Check> {
    let largest = values.iter().copied().max_by(f64::total_cmp)?;
    Some((largest <= most, format!("at most {largest:.3}")))
}

/// Whether a heuristic has the largest or the least average.
fn best(
    figures: &Figures,
    metric: Metric,
    cancellation: &str,
    platform: &str,
    local: &str,
    heuristic: &str,
    largest: bool,
) -> Option<Check> {
    let of_kind =
        |of: &&Group| of.cancellation == cancellation && of.platform == platform && of.local == local;
    let all = figures.groups.iter().filter(of_kind);
    let all: Vec<(&str, f64)> =
        all.filter_map(|of| Some((of.heuristic.as_str(), figures.average(metric, of)?))).collect();
    let (_, its) = *all.iter().find(|(name, _)| *name == heuristic)?;
    let others = all.iter().filter(|(name, _)| *name != heuristic);
    let sign = if largest { 1.0 } else { -1.0 };
    let &(other, rival) = others.max_by(|a, b| (sign * a.1).total_cmp(&(sign * b.1)))?;
    Some((sign * its > sign * rival, format!("{heuristic} {its:.2}, {other} {rival:.2}")))
}

/// Whether the average relative response of every group lies within a range, rounded to two decimals as published.
fn averages_within(figures: &Figures, cancellation: &str, least: f64, most: f64) -> Option<Check> {
    let mut all = averages(figures, Metric::Response, cancellation, HOMOGENEOUS)?;
    all.extend(averages(figures, Metric::Response, cancellation, HETEROGENEOUS)?);
    let values = || all.iter().map(|pair| pair.0);
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    let holds = low >= least - 0.005 && high <= most + 0.005;
    Some((holds, format!("from {low:.2} to {high:.2}")))
}

/// Whether every heuristic with cancellation has a better average response than every one without.
fn worst_beats_best(figures: &Figures, local: &str) -> Option<Check> {
    let of = |cancellation: &str| -> Option<Vec<f64>> {
        let groups = figures.groups.iter().filter(|group| {
            group.cancellation == cancellation && group.platform == HOMOGENEOUS && group.local == local
        });
        let all: Vec<f64> = groups.filter_map(|group| figures.average(Metric::Response, group)).collect();
        (!all.is_empty()).then_some(all)
    };
    let worst = of("with")?.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let best = of("without")?.into_iter().fold(f64::INFINITY, f64::min);
    Some((worst < best, format!("worst with {worst:.2}, best without {best:.2}")))
}
