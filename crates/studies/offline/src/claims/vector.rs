//! What the dissertation says of vector packing: table 4.4, who dominates whom, and the degree of dominance (sections 4.2.5 and
//! 4.4.4).

use super::{Check, Numbers, Statement, all_large, failures, gap, large, listed, mean, numbered};
use crate::published::{TABLE_4_4, TABLE_4_5};
use crate::results::{Part, Record, Results};
use crate::tables::domination::{SUBSETS, subset};
use crate::tables::slack::slacks;
use dfrsim_lab::rank_correlation;
use dfrsim_offline::instances::DissertationScenario;

const TABLE: &str = "dissertation, table 4.4";
const SOURCE: &str = "dissertation, section 4.4.4";

pub(super) const STATEMENTS: &[Statement] = &[
    Statement(TABLE, "each relative gap to LPBOUND is within 15 % of the published one", |results| {
        let pairs = table_4_4(results)?;
        let near = |pair: &&(&str, f64, f64)| (0.85..=1.15).contains(&(pair.1 / pair.2));
        let far: Vec<String> = (pairs.iter().filter(|pair| !near(pair)))
            .map(|(name, own, theirs)| format!("{name} {own:.2} for {theirs:.2}"))
            .collect();
        let near = pairs.len() - far.len();
        Some(Check::new(far.is_empty(), format!("{near} of {} are{}", pairs.len(), listed(&far))))
    }),
    Statement(
        TABLE,
        "the rank correlation of the relative gaps to LPBOUND with the published ones is at least 0.9",
        |results| {
            let pairs: Vec<(f64, f64)> =
                table_4_4(results)?.into_iter().map(|(_, own, theirs)| (own, theirs)).collect();
            let correlation = rank_correlation(&pairs)?;
            let detail = format!("{correlation:.3} over {}", pairs.len());
            Some(Check::new(correlation >= 0.9, detail).values(correlation, None))
        },
    ),
    Statement(TABLE, "each failure rate is within 3 points of the published one", |results| {
        near_failure_rates(results, &all_large(results)?)
    }),
    Statement(
        TABLE,
        "each failure rate is within 3 points of the published one, among the instances that have LPBOUND",
        |results| near_failure_rates(results, &all_large(results)?.bounded()),
    ),
    Statement(
        SOURCE,
        "GREEDY and GREEDYLIGHT have larger relative gaps than every vector packing algorithm",
        |results| {
            let part = large(results)?;
            let own = |name: &str| gap(results, &part, name);
            let published = |name: &str| TABLE_4_4.find::<1, 5>([name]).map(|line| line[1]);
            Check::of_both::<Numbers<'_>>(&own, &published, |of| {
                let packing = TABLE_4_4.lines::<1, 5>().filter(|([name], _)| name.starts_with("VP_"));
                let (worst, most) = packing
                    .filter_map(|([name], _)| Some((name, of(name)?)))
                    .max_by(|a, b| a.1.total_cmp(&b.1))?;
                let (greedy, light) = (of("GREEDY")?, of("GREEDYLIGHT")?);
                let detail = format!("GREEDY {greedy:.2} %, GREEDYLIGHT {light:.2} %, {worst} {most:.2} %");
                Some((greedy > most && light > most, detail))
            })
        },
    ),
    Statement(
        SOURCE,
        "GREEDY and GREEDYLIGHT fail about as often as the vector packing that fails least, within 1 point",
        |results| {
            let part = large(results)?;
            let own = |name: &str| failures(results, &part, name);
            let published = |name: &str| TABLE_4_4.find::<1, 5>([name]).map(|line| line[4]);
            Check::of_both::<Numbers<'_>>(&own, &published, |of| {
                let packing = TABLE_4_4.lines::<1, 5>().filter(|([name], _)| name.starts_with("VP_"));
                let least = packing.filter_map(|([name], _)| of(name)).min_by(f64::total_cmp)?;
                let (greedy, light) = (of("GREEDY")?, of("GREEDYLIGHT")?);
                let holds = [greedy, light].iter().all(|rate| (rate - least).abs() <= 1.0);
                Some((holds, format!("{greedy:.2} %, {light:.2} %; {least:.2} %")))
            })
        },
    ),
    Statement(
        TABLE,
        "over the 14 vector packing algorithms relative gaps differ from the published ones by less than 3 % on average",
        |results| {
            let part = large(results)?;
            let apart = packing_beside(|name, line| {
                Some(100.0 * (gap(results, &part, name)? / line[1] - 1.0).abs())
            })?;
            Some(Check::new(apart < 3.0, format!("{apart:.2} %")).values(apart, None))
        },
    ),
    Statement(
        TABLE,
        "over the 14 vector packing algorithms failure rates differ from the published ones by less than 0.3 points on average",
        |results| {
            let part = large(results)?;
            let apart = packing_beside(|name, line| Some((failures(results, &part, name)? - line[4]).abs()))?;
            Some(Check::new(apart < 0.3, format!("{apart:.2} points")).values(apart, None))
        },
    ),
    Statement(
        "dissertation, section 4.2.5",
        "the degree of dominance improves no result of First Fit and Best Fit",
        |results| {
            let (mut compared, mut better) = (0_usize, 0_usize);
            for fit in ["BF", "FF"] {
                for order in ["SUM", "MAX", "LEX"] {
                    let name = format!("VP_{fit}{order}");
                    let (plain, again) = (results.column(&name)?, results.column(&format!("{name}_DD"))?);
                    for record in results.records.iter().filter(|record| record.status(again).is_some()) {
                        compared += 1;
                        better += usize::from(record.solved(again) > record.solved(plain));
                    }
                }
            }
            Some(
                Check::new(better == 0, format!("better on {better} of {compared}"))
                    .values(better as f64, Some(0.0)),
            )
        },
    ),
    Statement(
        SOURCE,
        "VP_CHEKURI fails more often than each vector packing algorithm, and its minimum yield is lower on all instances",
        |results| {
            let chekuri = results.column("VP_CHEKURI")?;
            let all: Vec<&Record<'_>> =
                results.records.iter().filter(|record| record.status(chekuri).is_some()).collect();
            let part = Part { records: all };
            let rate = part.tally(chekuri).failure_rate()?;
            let (mut most, mut higher) = (0.0_f64, 0_usize);
            for ([name], _) in TABLE_4_4.lines::<1, 5>().filter(|([name], _)| name.starts_with("VP_")) {
                let column = results.column(name)?;
                most = most.max(part.tally(column).failure_rate()?);
                higher += part
                    .records
                    .iter()
                    .filter(|of| of.solved(column).is_some() && of.solved(chekuri) > of.solved(column))
                    .count();
            }
            let detail = format!(
                "fails on {rate:.2} %, others on {most:.2} % at most; higher yields in {higher} of {} comparisons",
                14 * part.records.len()
            );
            Some(Check::new(rate > most && higher == 0, detail))
        },
    ),
    Statement(
        SOURCE,
        "each VP_PP algorithm is dominated by its VP_CP counterpart for all six subsets of D",
        |results| {
            let order = ["SUM", "MAX", "DIFF", "RATIO"];
            all_dominated(results, &order.map(|order| (format!("VP_CP{order}"), format!("VP_PP{order}"))))
        },
    ),
    Statement(SOURCE, "VP_CPRATIO is dominated by VP_CPDIFF for all six subsets of D", |results| {
        all_dominated(results, &[("VP_CPDIFF".to_owned(), "VP_CPRATIO".to_owned())])
    }),
    Statement(
        SOURCE,
        "VP_CPSUM is the only VP_CP algorithm that no other one dominates for any subset of D",
        |results| {
            let dominated = dominated(results, &["VP_CPSUM", "VP_CPMAX", "VP_CPDIFF", "VP_CPRATIO"])?;
            let holds = dominated.iter().all(|(name, subsets)| (*name == "VP_CPSUM") == subsets.is_empty());
            Some(Check::new(holds, dominations(&dominated)))
        },
    ),
    Statement(
        SOURCE,
        "VP_FFLEX and VP_BFLEX are dominated by both of their counterparts for all six subsets of D",
        |results| {
            let pairs = ["FF", "BF"]
                .map(|fit| ["SUM", "MAX"].map(|order| (format!("VP_{fit}{order}"), format!("VP_{fit}LEX"))));
            all_dominated(results, &pairs.concat())
        },
    ),
    Statement(SOURCE, "VP_CPSUM, VP_BFSUM and VP_FFSUM are equivalent for all six subsets of D", |results| {
        let dominated = dominated(results, &["VP_CPSUM", "VP_BFSUM", "VP_FFSUM"])?;
        let holds = dominated.iter().all(|(_, subsets)| subsets.is_empty());
        Some(Check::new(holds, dominations(&dominated)))
    }),
    Statement(
        SOURCE,
        "of the VP_CP algorithms but VP_CPSUM, VP_CPDIFF is dominated for the subsets {4,6}, {4}, {6} of D only, VP_CPMAX for {2,4,6}, {2,4}, {2} only",
        |results| {
            let names = ["VP_CPSUM", "VP_CPMAX", "VP_CPDIFF", "VP_CPRATIO"];
            let all = dominated(results, &names)?;
            let subsets = |name: &str| -> Vec<&str> {
                let by = all.iter().find(|of| of.0 == name).map(|of| &of.1);
                let is_there = |subset: &&str| {
                    by.is_some_and(|by| by.iter().any(|text| text.ends_with(&format!("D = {subset}"))))
                };
                SUBSETS.iter().map(|(name, _)| *name).filter(is_there).collect()
            };
            let (difference, maximum) = (subsets("VP_CPDIFF"), subsets("VP_CPMAX"));
            let holds = difference == ["4,6", "4", "6"] && maximum == ["2,4,6", "2,4", "2"];
            Some(Check::new(
                holds,
                format!("VP_CPDIFF for {}; VP_CPMAX for {}", difference.join("; "), maximum.join("; ")),
            ))
        },
    ),
    Statement(
        SOURCE,
        "VP_FFSUM and VP_FFMAX, and VP_BFSUM and VP_BFMAX, are equivalent for the subsets {4,6} and {4} of D, and SUM dominates MAX for the others",
        |results| {
            let (mut held, mut wrong) = (0, Vec::new());
            for fit in ["FF", "BF"] {
                let (sum, maximum) =
                    (results.column(&format!("VP_{fit}SUM"))?, results.column(&format!("VP_{fit}MAX"))?);
                for (name, dimensions) in SUBSETS {
                    let part = subset(results, dimensions)?;
                    let wanted = (!["4,6", "4"].contains(&name), false);
                    let found = (part.dominates(sum, maximum), part.dominates(maximum, sum));
                    held += usize::from(found == wanted);
                    if found != wanted {
                        wrong.push(format!("{fit} for D = {name}"));
                    }
                }
            }
            Some(Check::new(wrong.is_empty(), format!("{held} of 12{}", listed(&wrong))))
        },
    ),
    Statement(SOURCE, "VP_FFSUM and VP_BFSUM are equivalent for all six subsets of D", |results| {
        let dominated = dominated(results, &["VP_FFSUM", "VP_BFSUM"])?;
        let holds = dominated.iter().all(|(_, subsets)| subsets.is_empty());
        Some(Check::new(holds, dominations(&dominated)))
    }),
    Statement(
        SOURCE,
        "none of the other 15 algorithms of table 4.4 dominates VP_CPSUM for any sigma, rho or slack",
        |results| {
            let part = large(results)?;
            let own = results.column("VP_CPSUM")?;
            let mut by = Vec::new();
            let parameters: [Parameter; 3] = [
                ("sigma", |of| of.sigma, vec![0.25, 0.5, 1.0]),
                ("rho", |of| of.rho, vec![0.0, 0.25, 0.5]),
                ("slack", |of| of.slack, slacks().collect()),
            ];
            for (name, of, values) in parameters {
                for value in values {
                    let part = results.with(&part, |scenario| of(scenario) == value);
                    for ([other], _) in TABLE_4_4.lines::<1, 5>().filter(|([other], _)| *other != "VP_CPSUM")
                    {
                        if part.dominates(results.column(other)?, own) {
                            by.push(format!("{other} for {name} {value}"));
                        }
                    }
                }
            }
            Some(Check::new(by.is_empty(), if by.is_empty() { "none".to_owned() } else { by.join(", ") }))
        },
    ),
    Statement(
        SOURCE,
        "VP_CPSUM is beaten by VP_FFSUM on 68.97 % and by VP_BFSUM on 76.26 % of the instances that both solve, within 25 points",
        |results| {
            let part = large(results)?;
            let better = |other: &str| {
                Some(part.advantage(results.column(other)?, results.column("VP_CPSUM")?).better)
            };
            let (first, best) = (better("VP_FFSUM")?, better("VP_BFSUM")?);
            let holds = (first - 68.97).abs() <= 25.0 && (best - 76.26).abs() <= 25.0;
            Some(
                Check::new(holds, format!("{first:.2} % and {best:.2} %"))
                    .values(first, Some(68.97))
                    .published(true),
            )
        },
    ),
    Statement(
        SOURCE,
        "where they beat VP_CPSUM it is by about 4 % (at most 10), and where it beats them by 27.00 and 18.70 % (at least 15)",
        |results| {
            let part = large(results)?;
            let gain = |one: &str, other: &str| {
                Some(part.advantage(results.column(one)?, results.column(other)?).gain)
            };
            let theirs = [gain("VP_FFSUM", "VP_CPSUM")?, gain("VP_BFSUM", "VP_CPSUM")?];
            let own = [gain("VP_CPSUM", "VP_FFSUM")?, gain("VP_CPSUM", "VP_BFSUM")?];
            let holds = theirs.iter().all(|by| *by <= 10.0) && own.iter().all(|by| *by >= 15.0);
            let detail =
                format!("{:.2} and {:.2} %; {:.2} and {:.2} %", theirs[0], theirs[1], own[0], own[1]);
            Some(Check::new(holds, detail).values(own[0], Some(27.0)).published(true))
        },
    ),
    Statement(
        "dissertation, table 4.5",
        "each S of VP_CPSUM is below 1 %, so that no algorithm of the table succeeds much more often",
        |results| {
            let part = large(results)?;
            let own = |one: &str, other: &str| {
                Some(part.advantage(results.column(one)?, results.column(other)?).success)
            };
            let published = |one: &str, other: &str| TABLE_4_5.find(["S", one, other]).map(|[value]| value);
            of_table_4_5("S", &own, &published, |values| values.iter().all(|(_, value)| *value < 1.0))
        },
    ),
    Statement(
        "dissertation, table 4.5",
        "VP_CPSUM's minimum yield is at least 20 % higher than those of GREEDY and GREEDYLIGHT, on average",
        |results| {
            let part = large(results)?;
            let own = |one: &str, other: &str| {
                Some(part.advantage(results.column(one)?, results.column(other)?).minimum_yield)
            };
            let published = |one: &str, other: &str| TABLE_4_5.find(["Y", one, other]).map(|[value]| value);
            of_table_4_5("Y", &own, &published, |values| {
                values
                    .iter()
                    .filter(|(pair, _)| pair.starts_with("VP_CPSUM, G"))
                    .all(|(_, value)| *value >= 20.0)
            })
        },
    ),
];

/// The relative gap of each algorithm of table 4.4: its name, ours, the published one.
fn table_4_4(results: &Results<'_>) -> Option<Vec<(&'static str, f64, f64)>> {
    let part = all_large(results)?;
    let pairs: Vec<_> = (TABLE_4_4.lines::<1, 5>())
        .filter_map(|([name], [_, theirs, ..])| {
            Some((name, part.gaps(results.column(name)?).relative.mean()?, theirs))
        })
        .collect();
    (!pairs.is_empty()).then_some(pairs)
}

/// Whether the failure rates on some instances are near those of table 4.4.
fn near_failure_rates(results: &Results<'_>, part: &Part<'_>) -> Option<Check> {
    let (mut far, mut count) = (Vec::new(), 0);
    for ([name], [_, _, _, _, theirs]) in TABLE_4_4.lines::<1, 5>() {
        let Some(own) = results.column(name).and_then(|at| part.tally(at).failure_rate()) else { continue };
        count += 1;
        if (own - theirs).abs() > 3.0 {
            far.push(format!("{name} {own:.2} for {theirs:.2}"));
        }
    }
    let detail = format!("{} of {count} are{}", count - far.len(), listed(&far));
    (count > 0).then(|| Check::new(far.is_empty(), detail))
}

/// Whether in each pair the first dominates the second for all subsets of D that there are.
fn all_dominated(results: &Results<'_>, pairs: &[(String, String)]) -> Option<Check> {
    let (mut count, mut missing) = (0, Vec::new());
    for (name, dimensions) in SUBSETS {
        let part = subset(results, dimensions)?;
        for (one, other) in pairs {
            count += 1;
            let (first, second) = (results.column(one)?, results.column(other)?);
            let (own, others) = (part.advantage(first, second), part.advantage(second, first));
            if !own.dominates(&others) {
                missing.push(format!(
                    "{other} by {one} for D = {name} (S {:.2} and {:.2}, Y {:.2} and {:.2})",
                    own.success, others.success, own.minimum_yield, others.minimum_yield
                ));
            }
        }
    }
    let held = count - missing.len();
    Some(Check::new(missing.is_empty(), format!("{held} of {count}{}", listed(&missing))))
}

/// For each algorithm, by which of the others it is dominated, and for which subset.
fn dominated<'a>(results: &Results<'_>, names: &[&'a str]) -> Option<Vec<(&'a str, Vec<String>)>> {
    let mut dominated = Vec::new();
    for &name in names {
        let mut by = Vec::new();
        for (subset_name, dimensions) in SUBSETS {
            let part = subset(results, dimensions)?;
            for &other in names.iter().filter(|&&other| other != name) {
                if part.dominates(results.column(other)?, results.column(name)?) {
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

/// The mean over the vector packing algorithms of table 4.4 of what is made of each and of its published line.
fn packing_beside(of: impl Fn(&str, [f64; 5]) -> Option<f64>) -> Option<f64> {
    let packing = TABLE_4_4.lines::<1, 5>().filter(|([name], _)| name.starts_with("VP_"));
    let all: Option<Vec<f64>> = packing.map(|([name], line)| of(name, line)).collect();
    mean(all?)
}

/// A parameter of instances and its values.
type Parameter = (&'static str, fn(&DissertationScenario) -> f64, Vec<f64>);

type Pairs<'a> = &'a dyn Fn(&str, &str) -> Option<f64>;

/// A check of the values of a measure of table 4.5, ours and the published ones.
fn of_table_4_5(
    measure: &str,
    own: Pairs<'_>,
    published: Pairs<'_>,
    holds: impl Fn(&[(String, f64)]) -> bool,
) -> Option<Check> {
    Check::of_both(own, published, |of| {
        let pairs = TABLE_4_5.lines::<3, 1>().filter(|([each, ..], _)| *each == measure);
        let values: Option<Vec<(String, f64)>> =
            pairs.map(|([_, one, other], _)| Some((format!("{one}, {other}"), of(one, other)?))).collect();
        let values = values?;
        Some((holds(&values), numbered(&values)))
    })
}
