//! What both texts say of their results, checked on ours.
//!
//! Words such as "about" are given a number here, which stands in the statement.

use super::domination::{SUBSETS, subset};
use super::mcb;
use super::slack::{CPSUM_BELOW_OPT, OPT_BELOW_BOUND, sample};
use crate::Table;
use crate::offline::published::TABLE_4_4;
use crate::offline::record::{Cell as Result, Record};
use crate::offline::study::{Part, Study};
use crate::tables::Cell;
use crate::tables::statistics::rank_correlation;
use dfrsim_model::Yield;
use dfrsim_offline::Algorithm;
use dfrsim_offline::greedy::Greedy;
use dfrsim_offline::instances::{InstanceSet, Scenario};
use std::fmt::Write as _;

/// A statement; its check gives nothing where the scenario lacks the instances or algorithms.
struct Statement {
    source: &'static str,
    text: &'static str,
    check: fn(&Study<'_>) -> Option<Check>,
}

/// Whether a statement holds, and the figures that say so.
struct Check {
    holds: bool,
    figures: String,
}

const STATEMENTS: [Statement; 27] = [
    Statement {
        source: "dissertation, table 4.4",
        text: "each relative dfb is within 15 % of the published one",
        check: |study| {
            let pairs = table_4_4(study)?;
            let near = |pair: &&(String, f64, f64)| (0.85..=1.15).contains(&(pair.1 / pair.2));
            let far: Vec<String> = (pairs.iter().filter(|pair| !near(pair)))
                .map(|(name, own, theirs)| format!("{name} {own:.2} for {theirs:.2}"))
                .collect();
            let figures = format!("{} of {} are{}", pairs.len() - far.len(), pairs.len(), listed(&far));
            Some(Check { holds: far.is_empty(), figures })
        },
    },
    Statement {
        source: "dissertation, table 4.4",
        text: "the rank correlation of relative dfb with the published ones is at least 0.9",
        check: |study| {
            let pairs: Vec<(f64, f64)> =
                table_4_4(study)?.into_iter().map(|(_, own, theirs)| (own, theirs)).collect();
            let correlation = rank_correlation(&pairs)?;
            Some(Check {
                holds: correlation >= 0.9,
                figures: format!("{correlation:.3} over {}", pairs.len()),
            })
        },
    },
    Statement {
        source: "dissertation, table 4.4",
        text: "each failure rate is within 3 points of the published one",
        check: |study| near_failure_rates(study, &study.of_set(InstanceSet::Dissertation)?),
    },
    Statement {
        source: "dissertation, table 4.4",
        text: "each failure rate is within 3 points of the published one, among the instances that have LPBOUND",
        check: |study| near_failure_rates(study, &study.of_set(InstanceSet::Dissertation)?.bounded()),
    },
    Statement {
        source: "dissertation, section 4.4.4",
        text: "GREEDY has a larger relative dfb than every vector packing algorithm",
        check: |study| {
            let part = study.of_set(InstanceSet::Dissertation)?;
            let greedy = part.distances(study.place("GREEDY")?).relative.mean()?;
            let packing =
                TABLE_4_4.lines::<1, 5>().map(|([name], _)| name).filter(|name| name.starts_with("VP_"));
            let worst = packing.filter_map(|name| {
                let mean = part.distances(study.place(&name)?).relative.mean()?;
                Some((name, mean))
            });
            let (name, worst) = worst.max_by(|a, b| a.1.total_cmp(&b.1))?;
            Some(Check {
                holds: greedy > worst,
                figures: format!("GREEDY {greedy:.2} %, {name} {worst:.2} %"),
            })
        },
    },
    Statement {
        source: "dissertation, section 4.4.4",
        text: "each VP_PP algorithm is dominated by its VP_CP counterpart for all six subsets of D",
        check: |study| {
            let order = ["SUM", "MAX", "DIFF", "RATIO"];
            all_dominated(study, &order.map(|order| (format!("VP_CP{order}"), format!("VP_PP{order}"))))
        },
    },
    Statement {
        source: "dissertation, section 4.4.4",
        text: "VP_CPRATIO is dominated by VP_CPDIFF for all six subsets of D",
        check: |study| all_dominated(study, &[("VP_CPDIFF".to_owned(), "VP_CPRATIO".to_owned())]),
    },
    Statement {
        source: "dissertation, section 4.4.4",
        text: "VP_CPSUM is the only VP_CP algorithm that no other one dominates for any subset of D",
        check: |study| {
            let names = ["VP_CPSUM", "VP_CPMAX", "VP_CPDIFF", "VP_CPRATIO"];
            let dominated = dominated(study, &names)?;
            let holds = dominated.iter().all(|(name, subsets)| (*name == "VP_CPSUM") == subsets.is_empty());
            Some(Check { holds, figures: dominations(&dominated) })
        },
    },
    Statement {
        source: "dissertation, section 4.4.4",
        text: "VP_FFLEX and VP_BFLEX are dominated by both of their counterparts for all six subsets of D",
        check: |study| {
            let pairs = ["FF", "BF"]
                .map(|fit| ["SUM", "MAX"].map(|order| (format!("VP_{fit}{order}"), format!("VP_{fit}LEX"))));
            all_dominated(study, &pairs.concat())
        },
    },
    Statement {
        source: "dissertation, section 4.4.4",
        text: "VP_CPSUM, VP_BFSUM and VP_FFSUM are equivalent for all six subsets of D",
        check: |study| {
            let dominated = dominated(study, &["VP_CPSUM", "VP_BFSUM", "VP_FFSUM"])?;
            let holds = dominated.iter().all(|(_, subsets)| subsets.is_empty());
            Some(Check { holds, figures: dominations(&dominated) })
        },
    },
    Statement {
        source: "dissertation, section 4.3",
        text: "no algorithm solves 7.3 % of the instances (5,320 of 72,900), within 3 points",
        check: |study| unsolved(&study.of_set(InstanceSet::Dissertation)?),
    },
    Statement {
        source: "dissertation, section 4.3",
        text: "no algorithm solves 7.3 % of the instances, within 3 points, among those that have LPBOUND",
        check: |study| unsolved(&study.of_set(InstanceSet::Dissertation)?.bounded()),
    },
    Statement {
        source: "dissertation, section 4.4.1",
        text: "every greedy pass with P1, P2, P5 or P6 has a smaller relative dfb than all with P3, P4 or P7",
        check: |study| {
            let part = study.of_set(InstanceSet::Dissertation)?;
            let mean = |pass: &Algorithm| {
                let at = study.scenario.algorithms.iter().position(|each| each == pass)?;
                part.distances(at).relative.mean()
            };
            let passes: Vec<(String, f64)> = (Greedy::all().filter(|each| matches!(each, Greedy::Pass(..))))
                .filter_map(|pass| Some((pass.to_string(), mean(&Algorithm::Greedy(pass))?)))
                .collect();
            let near = |name: &str| ["P1", "P2", "P5", "P6"].iter().any(|rule| name.ends_with(rule));
            let by_size = |a: &&(String, f64), b: &&(String, f64)| a.1.total_cmp(&b.1);
            let worst = passes.iter().filter(|(name, _)| near(name)).max_by(by_size)?;
            let best = passes.iter().filter(|(name, _)| !near(name)).min_by(by_size)?;
            let figures = format!("{} {:.2} %, {} {:.2} %", worst.0, worst.1, best.0, best.1);
            Some(Check { holds: worst.1 < best.1, figures })
        },
    },
    Statement {
        source: "dissertation, section 4.4.1",
        text: "GREEDYLIGHT fails on less than 1 % of the instances that GREEDY solves, and is beaten on 15 to 30 % of the others",
        check: |study| {
            let part = study.of_set(InstanceSet::Dissertation)?;
            let (greedy, light) = (study.place("GREEDY")?, study.place("GREEDYLIGHT")?);
            let advantage = part.advantage(greedy, light);
            let tally = part.tally(greedy);
            let failed = advantage.success * tally.instances as f64 / tally.solved.max(1) as f64;
            Some(Check {
                holds: failed < 1.0 && (15.0..=30.0).contains(&advantage.better),
                figures: format!(
                    "fails on {failed:.2} %; beaten on {:.2} %, by {:.2} %",
                    advantage.better, advantage.gain
                ),
            })
        },
    },
    Statement {
        source: "dissertation, section 4.4.3",
        text: "GREEDY beats GA on at least 60 % of the instances that both solve, GA GREEDY on at most 20 %",
        check: |study| {
            let part = study.of_set(InstanceSet::Dissertation)?;
            let (greedy, genetic) = (study.place("GREEDY")?, study.place("GA")?);
            let (own, others) = (part.advantage(greedy, genetic), part.advantage(genetic, greedy));
            let figures = format!("{:.2} % and {:.2} %", own.better, others.better);
            Some(Check { holds: own.better >= 60.0 && others.better <= 20.0, figures })
        },
    },
    Statement {
        source: "dissertation, section 4.4.2",
        text: "RRNDNZ succeeds where RRND does, in at least 99.9 % of the cases",
        check: |study| {
            let (plain, raised) = (study.place("RRND")?, study.place("RRNDNZ")?);
            let solved = study.records.iter().filter(|record| record.cells[plain].solved().is_some());
            let (mut count, mut both) = (0_usize, 0_usize);
            for record in solved {
                count += 1;
                both += usize::from(record.cells[raised].solved().is_some());
            }
            let holds = both as f64 >= 0.999 * count as f64;
            (count > 0).then(|| Check { holds, figures: format!("{both} of {count}") })
        },
    },
    Statement {
        source: "dissertation, section 4.4.6",
        text: "on small instances of slack 0.1, OPT is 14.6 % below LPBOUND, within 3 points",
        check: |study| {
            let mean = at_slack(study, OPT_BELOW_BOUND)?;
            Some(Check { holds: (mean - 14.63).abs() <= 3.0, figures: format!("{mean:.2} %") })
        },
    },
    Statement {
        source: "dissertation, section 4.4.6",
        text: "there VP_CPSUM is about as far below OPT as OPT below LPBOUND, within a factor of 1.5",
        check: |study| {
            let (bound, heuristic) = (at_slack(study, OPT_BELOW_BOUND)?, at_slack(study, CPSUM_BELOW_OPT)?);
            let figures = format!("VP_CPSUM {heuristic:.2} % below OPT, OPT {bound:.2} % below LPBOUND");
            Some(Check { holds: (1.0 / 1.5..=1.5).contains(&(heuristic / bound)), figures })
        },
    },
    Statement {
        source: "both",
        text: "no algorithm is above a proven optimum, nor that above LPBOUND",
        check: |study| {
            let optimum = study.place("OPT")?;
            let (mut proven, mut wrong) = (0_usize, 0_usize);
            for record in &study.records {
                match record.cells[optimum] {
                    Result::Solved(best) => {
                        proven += 1;
                        let above =
                            record.cells.iter().filter_map(|cell| cell.solved()).any(|own| own > best);
                        wrong += usize::from(above || record.bound.is_none_or(|bound| bound < best));
                    }
                    Result::Infeasible => {
                        proven += 1;
                        wrong += usize::from(record.cells.iter().any(|cell| cell.solved().is_some()));
                    }
                    _ => {}
                }
            }
            Some(Check { holds: wrong == 0, figures: format!("{wrong} of {proven} instances violate it") })
        },
    },
    Statement {
        source: "RR-6692, section 4.2.2",
        text: "60 of the 1,440 small instances have no solution, a quarter more or less",
        check: |study| {
            let tally = study.of_set(InstanceSet::Rr6692Small)?.tally(study.place("OPT")?);
            let scaled = tally.infeasible as f64 * 1_440.0 / tally.instances.max(1) as f64;
            let figures = format!("{} of {}", tally.infeasible, tally.instances);
            Some(Check { holds: (45.0..=75.0).contains(&scaled), figures })
        },
    },
    Statement {
        source: "RR-6692, section 4.2.2",
        text: "of the other small instances GB and SGB solve all, MCB8 all but one at most, and SG fails on 5 to 30 of 1,380",
        check: |study| {
            let part = study.of_set(InstanceSet::Rr6692Small)?;
            let optimum = study.place("OPT")?;
            let feasible = part.filter(|record| record.cells[optimum].solved().is_some());
            let fails = |name| {
                let tally = feasible.tally(study.place(name)?);
                Some(tally.instances - tally.solved)
            };
            let (backtracking, sorted) = (fails("GB")?, fails("SGB")?);
            let (packing, greedy) = (fails("MCB8")?, fails("SG")?);
            let scaled = greedy as f64 * 1_380.0 / feasible.records.len().max(1) as f64;
            Some(Check {
                holds: backtracking + sorted == 0 && packing <= 1 && (5.0..=30.0).contains(&scaled),
                figures: format!(
                    "GB {backtracking}, SGB {sorted}, MCB8 {packing}, SG {greedy} of {}",
                    feasible.records.len()
                ),
            })
        },
    },
    Statement {
        source: "RR-6692, section 4.2.2",
        text: "on small instances LPBOUND is 2 to 6 % above OPT, OPT 1 to 3 % above MCB8 and 9 to 15 % above GR, SG, GB and SGB",
        check: |study| {
            let part = study.of_set(InstanceSet::Rr6692Small)?;
            let optimum = study.place("OPT")?;
            let above = |algorithm: usize| {
                // Of means over what both solve, as the text compares averages.
                let (mut best, mut own) = (0.0, 0.0);
                for record in &part.records {
                    if let (Some(of_best), Some(of_own)) =
                        (record.cells[optimum].solved(), record.cells[algorithm].solved())
                    {
                        best += of_best.as_f64();
                        own += of_own.as_f64();
                    }
                }
                100.0 * (best / own - 1.0)
            };
            let bound = bound_over(&part, optimum)?;
            let packing = above(study.place("MCB8")?);
            let mut figures = format!("LPBOUND {bound:.2} %, MCB8 {packing:.2} %");
            let mut holds = (2.0..=6.0).contains(&bound) && (1.0..=3.0).contains(&packing);
            for name in ["GR", "SG", "GB", "SGB"] {
                let greedy = above(study.place(name)?);
                holds &= (9.0..=15.0).contains(&greedy);
                write!(figures, ", {name} {greedy:.2} %").expect("a string takes any text");
            }
            Some(Check { holds, figures })
        },
    },
    Statement {
        source: "RR-6692, table 1",
        text: "on small instances MCB8 is the best of MCB1 to MCB8 on average, and MCB5 is next",
        check: |study| best_two(study, InstanceSet::Rr6692Small),
    },
    Statement {
        source: "RR-6692, figure 7",
        text: "on large instances MCB8 is the best of MCB1 to MCB8 on average, and MCB5 is next",
        check: |study| best_two(study, InstanceSet::Rr6692Large),
    },
    Statement {
        source: "RR-6692, section 4.2.3",
        text: "on large instances MCB8 is 8 % below the bound at slack 0.2 and 37 % at slack 0.1, within 5 points",
        check: |study| {
            let part = study.of_set(InstanceSet::Rr6692Large)?;
            let packing = study.place("MCB8")?;
            let below = |slack| {
                let of_slack = part.filter(|record| slack_of(study, record) == Some(slack));
                Some(100.0 - 100.0 / (1.0 + bound_over(&of_slack, packing)? / 100.0))
            };
            // What the text may have compared: the bound over all instances, and nothing for those that are not solved.
            let below_all = |slack| {
                let (mut bounds, mut own) = (0.0, 0.0);
                for record in part.records.iter().filter(|record| slack_of(study, record) == Some(slack)) {
                    bounds += record.bound.map_or(0.0, Yield::as_f64);
                    own += record.cells[packing].solved().map_or(0.0, Yield::as_f64);
                }
                100.0 * (1.0 - own / bounds)
            };
            let (tight, loose) = (below(0.1)?, below(0.2)?);
            let figures = format!(
                "{loose:.2} % and {tight:.2} %, of means over solved instances; {:.2} % and {:.2} % with failures as 0",
                below_all(0.2),
                below_all(0.1)
            );
            Some(Check { holds: (loose - 8.0).abs() <= 5.0 && (tight - 37.0).abs() <= 5.0, figures })
        },
    },
    Statement {
        source: "RR-6692, section 4.2.3",
        text: "RRND solves no large instance of slack below 0.4",
        check: |study| {
            let part = study.of_set(InstanceSet::Rr6692Large)?;
            let rounding = study.place("RRND")?;
            let tight = part.filter(|record| slack_of(study, record).is_some_and(|slack| slack < 0.4));
            let tally = tight.tally(rounding);
            let figures = format!("{} of {} solved", tally.solved, tally.instances);
            (tally.instances > 0).then_some(Check { holds: tally.solved == 0, figures })
        },
    },
    Statement {
        source: "RR-6692, section 5.2",
        text: "on parallel jobs SG fails as often as MCB8, within 1 point",
        check: |study| {
            let part = study.of_set(InstanceSet::Rr6692Parallel)?;
            let rate = |name| part.tally(study.place(name)?).failure_rate();
            let (greedy, packing) = (rate("SG")?, rate("MCB8")?);
            let figures = format!("SG {greedy:.2} %, MCB8 {packing:.2} %");
            Some(Check { holds: (greedy - packing).abs() <= 1.0, figures })
        },
    },
];

/// All statements of which something can be said.
pub(super) fn table(study: &Study<'_>) -> Table {
    let line = |statement: &Statement| {
        let Check { holds, figures } = (statement.check)(study)?;
        let word = if holds { "holds" } else { "does not hold" };
        Some(
            [statement.source, statement.text, word, &figures]
                .map(|text| Cell::Text(text.to_owned()))
                .to_vec(),
        )
    };
    Table::new(vec!["source", "finding", "holds", "figures"], STATEMENTS.iter().filter_map(line).collect())
}

/// Whether the failure rates on some instances are near those of table 4.4.
fn near_failure_rates(study: &Study<'_>, part: &Part<'_>) -> Option<Check> {
    let mut far = Vec::new();
    let mut count = 0;
    for ([name], [_, _, _, _, theirs]) in TABLE_4_4.lines::<1, 5>() {
        let Some(own) = study.place(&name).and_then(|at| part.tally(at).failure_rate()) else { continue };
        count += 1;
        if (own - theirs).abs() > 3.0 {
            far.push(format!("{name} {own:.2} for {theirs:.2}"));
        }
    }
    let figures = format!("{} of {count} are{}", count - far.len(), listed(&far));
    (count > 0).then_some(Check { holds: far.is_empty(), figures })
}

/// Whether as many instances as published are solved by no algorithm.
fn unsolved(part: &Part<'_>) -> Option<Check> {
    let solved = |record: &Record| record.cells.iter().any(|cell| cell.solved().is_some());
    let unsolved = part.records.iter().filter(|record| !solved(record)).count();
    let percent = 100.0 * unsolved as f64 / part.records.len() as f64;
    let figures = format!("{unsolved} of {}, {percent:.2} %", part.records.len());
    Some(Check { holds: (percent - 7.3).abs() <= 3.0, figures })
}

/// Relative dfb of each algorithm of table 4.4: its name, ours, the published one.
fn table_4_4(study: &Study<'_>) -> Option<Vec<(String, f64, f64)>> {
    let part = study.of_set(InstanceSet::Dissertation)?;
    let pairs: Vec<_> = (TABLE_4_4.lines::<1, 5>())
        .filter_map(|([name], [_, theirs, ..])| {
            let own = part.distances(study.place(&name)?).relative.mean()?;
            Some((name, own, theirs))
        })
        .collect();
    (!pairs.is_empty()).then_some(pairs)
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("; not: {}", names.join(", ")) }
}

/// Whether in each pair the first dominates the second for all subsets of D that there are.
fn all_dominated(study: &Study<'_>, pairs: &[(String, String)]) -> Option<Check> {
    let (mut count, mut missing) = (0, Vec::new());
    for (name, dimensions) in SUBSETS {
        let part = subset(study, dimensions).filter(|part| !part.records.is_empty())?;
        for (one, other) in pairs {
            count += 1;
            let (first, second) = (study.place(one)?, study.place(other)?);
            if !part.dominates(first, second) {
                let advantage = (part.advantage(first, second), part.advantage(second, first));
                missing.push(format!(
                    "{other} by {one} for D = {name} (S {:.2} and {:.2}, Y {:.2} and {:.2})",
                    advantage.0.success,
                    advantage.1.success,
                    advantage.0.minimum_yield,
                    advantage.1.minimum_yield
                ));
            }
        }
    }
    let figures = format!("{} of {count}{}", count - missing.len(), listed(&missing));
    Some(Check { holds: missing.is_empty(), figures })
}

/// For each algorithm, by which of the others it is dominated, and for which subset.
fn dominated<'a>(study: &Study<'_>, names: &[&'a str]) -> Option<Vec<(&'a str, Vec<String>)>> {
    let mut dominated = Vec::new();
    for &name in names {
        let mut by = Vec::new();
        for (subset_name, dimensions) in SUBSETS {
            let part = subset(study, dimensions).filter(|part| !part.records.is_empty())?;
            for &other in names.iter().filter(|&&other| other != name) {
                if part.dominates(study.place(other)?, study.place(name)?) {
                    by.push(format!("by {other} for D = {subset_name}"));
                }
            }
        }
        dominated.push((name, by));
    }
    Some(dominated)
}

fn dominations(dominated: &[(&str, Vec<String>)]) -> String {
    let one = |(name, by): &(&str, Vec<String>)| match by.len() {
        0 => format!("{name} never"),
        _ => format!("{name} {}", by.join(", ")),
    };
    dominated.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// The mean of a line of figure 4.3 at slack 0.1.
fn at_slack(study: &Study<'_>, line: &str) -> Option<f64> {
    let part = study.of_set(InstanceSet::DissertationSmall)?;
    sample(study, &study.with(&part, |of| of.slack == 0.1), line)?.mean()
}

fn slack_of(study: &Study<'_>, record: &Record) -> Option<f64> {
    match study.parameters(record) {
        Scenario::Rr6692(of) => Some(of.slack),
        Scenario::Dissertation(_) => None,
    }
}

/// By how much the mean of LPBOUND is above that of an algorithm, in percent, over what it solves.
fn bound_over(part: &Part<'_>, algorithm: usize) -> Option<f64> {
    let (mut bounds, mut own) = (0.0, 0.0);
    for record in &part.records {
        if let (Some(bound), Some(solved)) = (record.bound, record.cells[algorithm].solved()) {
            bounds += Yield::as_f64(bound);
            own += solved.as_f64();
        }
    }
    (own > 0.0).then(|| 100.0 * (bounds / own - 1.0))
}

fn best_two(study: &Study<'_>, set: InstanceSet) -> Option<Check> {
    let mut means = mcb::degradations(study, set);
    means.sort_by(|a, b| a.1.total_cmp(&b.1));
    let figures: Vec<String> = means.iter().map(|(name, mean)| format!("{name} {mean:.2} %")).collect();
    let [first, second, ..] = means.as_slice() else { return None };
    Some(Check { holds: first.0 == "MCB8" && second.0 == "MCB5", figures: figures.join(", ") })
}
