//! Checks that cannot be expressed as queries: they are about sets of algorithms that solve an
//! instance, about domination on subsets of the instances, about all sets of instances, or about our
//! values next to the published ones.

use super::asked::{CheckFunction, ResultSource, all_of, fact, list_failures, number, published};
use super::part::{has_enough_instances, select_instances};
use crate::published::TABLE_4_4;
use crate::results::{Advantage, Record, Results, Subset};
use crate::solve::passes;
use crate::tables::domination::{SUBSETS, subset};
use crate::tables::slack::slacks;
use dfrsim_lab::query::{Aggregate, NamedCheck, PairOperation, QueryResult, Source as _};
use dfrsim_lab::{Status, average as mean, rank_correlation};

/// Checks, by the names used in claims.
pub(super) const CHECKS: [(&str, CheckFunction); 20] = [
    ("unsolved", |results, check| {
        let part = select_instances(results, &check.lines.filter)?;
        let all = part.records.len();
        let solves = |record: &&&Record<'_>| {
            results.algorithms.iter().any(|(_, column)| record.solved(*column).is_some())
        };
        let unsolved = all - part.records.iter().filter(solves).count();
        let percent = 100.0 * unsolved as f64 / all as f64;
        number(check, percent, format!("{unsolved} of {all}, {percent:.2} %"))
    }),
    ("each pass is the best", |results, check| {
        let counts = best_passes(results, &select_instances(results, &check.lines.filter)?)?;
        let never: Vec<&str> = counts.iter().filter(|(_, part)| *part == 0.0).map(|of| &*of.0).collect();
        fact(never.is_empty(), format!("{} of 49; never: {}", 49 - never.len(), never.join(", ")))
    }),
    ("passes that are often the best", |results, check| {
        let mut counts = best_passes(results, &select_instances(results, &check.lines.filter)?)?;
        counts.sort_by(|a, b| b.1.total_cmp(&a.1));
        let often = counts.iter().filter(|(_, part)| *part > 15.0);
        let mut often: Vec<&str> = often.map(|(name, _)| name.trim_start_matches("GREEDY_")).collect();
        often.sort_unstable();
        let expected = ["S2_P1", "S2_P2", "S3_P1", "S3_P2", "S5_P1", "S6_P1", "S6_P2", "S7_P1"];
        fact(often == expected, numbered(&counts[..10]))
    }),
    ("S5_P4 fails least", |results, check| {
        let (part, columns) = (select_instances(results, &check.lines.filter)?, columns(results)?);
        let any = |record: &Record<'_>| columns.iter().any(|(_, column)| record.solved(*column).is_some());
        let solvable = part.filter(any);
        let rate =
            |(name, column): &(String, usize)| Some((name.clone(), solvable.tally(*column).failure_rate()?));
        let mut rates: Vec<(String, f64)> = columns.iter().map(rate).collect::<Option<_>>()?;
        rates.sort_by(|a, b| a.1.total_cmp(&b.1));
        let own = rates.iter().find(|(name, _)| name == "GREEDY_S5_P4")?.1;
        let rest_holds = own <= rates[0].1;
        Some(QueryResult { rest_holds, ..QueryResult::new(own, check.is, numbered(&rates[..4])) })
    }),
    ("GREEDY solves what programs solve", |results, check| {
        let greedy = results.column("GREEDY")?;
        let programs = ["RRND", "RRNDNZ", "FASTDIVING", "SLOWDIVING"];
        let columns: Vec<usize> = programs.into_iter().filter_map(|name| results.column(name)).collect();
        let any = |record: &Record<'_>| columns.iter().any(|column| record.solved(*column).is_some());
        let solved = select_instances(results, &check.lines.filter)?.filter(any);
        let failed = solved.records.iter().filter(|record| record.solved(greedy).is_none()).count();
        let detail = format!("{failed} of {} that one of {} solves", solved.records.len(), columns.len());
        fact(failed == 0, detail).filter(|_| !solved.is_empty())
    }),
    ("RRNDNZ solves what RRND solves", |results, _| {
        let (plain, raised) = (results.column("RRND")?, results.column("RRNDNZ")?);
        let solved = results.records.iter().filter(|record| record.solved(plain).is_some());
        let both = solved.clone().filter(|record| record.solved(raised).is_some()).count();
        let all = solved.count();
        fact(both as f64 >= 0.999 * all as f64, format!("{both} of {all}")).filter(|_| all > 0)
    }),
    // The result is the largest of the distances, or their mean.
    ("as published", |results, check| {
        let cells = cells_with_published(results, check)?;
        let distance = |own: f64, theirs: f64| match check.combine {
            Some(PairOperation::Ratio) => 100.0 * (own / theirs - 1.0).abs(),
            _ => (own - theirs).abs(),
        };
        let all: Vec<f64> = cells.iter().map(|(_, own, theirs)| distance(*own, *theirs)).collect();
        if check.take == Some(Aggregate::Mean) {
            let mean = mean(all)?;
            return number(check, mean, format!("{mean:.2} on average over {}", cells.len()));
        }
        let far = cells.iter().zip(&all).filter(|(_, distance)| !check.is.holds(**distance));
        let far: Vec<String> =
            far.map(|((name, own, theirs), _)| format!("{name} {own:.2} for {theirs:.2}")).collect();
        let near = cells.len() - far.len();
        let worst = all.into_iter().reduce(f64::max)?;
        number(check, worst, format!("{near} of {} are{}", cells.len(), list_failures(&far)))
    }),
    ("ranks as published", |results, check| {
        let pairs: Vec<(f64, f64)> =
            cells_with_published(results, check)?.into_iter().map(|(_, own, theirs)| (own, theirs)).collect();
        let correlation = rank_correlation(&pairs)?;
        number(check, correlation, format!("{correlation:.3} over {}", pairs.len()))
    }),
    ("the degree of dominance", |results, check| {
        let (mut compared, mut better) = (0_usize, 0_usize);
        for name in ["BFSUM", "BFMAX", "BFLEX", "FFSUM", "FFMAX", "FFLEX"] {
            let (plain, again) =
                (results.column(&format!("VP_{name}"))?, results.column(&format!("VP_{name}_DD"))?);
            for record in results.records.iter().filter(|record| record.status(again).is_some()) {
                compared += 1;
                better += usize::from(record.solved(again) > record.solved(plain));
            }
        }
        number(check, better as f64, format!("better on {better} of {compared}"))
    }),
    ("VP_CHEKURI is worst", |results, _| {
        let chekuri = results.column("VP_CHEKURI")?;
        let part = Subset { records: results.records.iter().collect() }.where_ran(chekuri);
        let rate = part.tally(chekuri).failure_rate()?;
        let (mut most, mut higher) = (0.0_f64, 0_usize);
        for ([name], _) in TABLE_4_4.lines::<1, 5>().filter(|([name], _)| name.starts_with("VP_")) {
            let column = results.column(name)?;
            most = most.max(part.tally(column).failure_rate()?);
            let is_higher =
                |of: &&&Record<'_>| of.solved(column).is_some() && of.solved(chekuri) > of.solved(column);
            higher += part.records.iter().filter(is_higher).count();
        }
        let all = 14 * part.records.len();
        let detail = format!(
            "fails on {rate:.2} %, others on {most:.2} % at most; higher yields in {higher} of {all} comparisons"
        );
        fact(rate > most && higher == 0, detail)
    }),
    ("dominated", |results, check| {
        let (mut count, mut missing) = (0, Vec::new());
        let pairs = check.lines.filter.labels("algorithm").iter().zip(check.lines.filter.labels("other"));
        for (name, dimensions) in SUBSETS {
            let part = subset(results, dimensions)?;
            for (one, other) in pairs.clone() {
                count += 1;
                let (first, second) = (results.column(one)?, results.column(other)?);
                let (own, others) = (part.advantage(first, second), part.advantage(second, first));
                if !own.dominates(&others) {
                    let by = |of: fn(&Advantage) -> f64| format!("{:.2} and {:.2}", of(&own), of(&others));
                    let (success, yields) = (by(|of| of.success), by(|of| of.minimum_yield));
                    missing.push(format!("{other} by {one} for D = {name} (S {success}, Y {yields})"));
                }
            }
        }
        all_of(count, &missing)
    }),
    // Exactly the algorithms of the column `other` must be undominated.
    ("undominated", |results, check| {
        let all = dominators(results, check.lines.filter.labels("algorithm"))?;
        let holds =
            all.iter().all(|(name, by)| check.lines.filter.labels("other").contains(name) == by.is_empty());
        let one = |(name, by): &(String, Vec<String>)| match by.len() {
            0 => format!("{name} never"),
            _ => format!("{name} {}", by.join(", ")),
        };
        fact(holds, all.iter().map(one).collect::<Vec<_>>().join("; "))
    }),
    ("subsets where VP_CP are dominated", |results, check| {
        let all = dominators(results, check.lines.filter.labels("algorithm"))?;
        let subsets = |name: &str| -> Vec<&str> {
            let by = |subset: &str| {
                let is_of = |text: &String| text.ends_with(&format!("D = {subset}"));
                all.iter().any(|of| of.0 == name && of.1.iter().any(is_of))
            };
            SUBSETS.iter().map(|(name, _)| *name).filter(|subset| by(subset)).collect()
        };
        let (difference, maximum) = (subsets("VP_CPDIFF"), subsets("VP_CPMAX"));
        let holds = difference == ["4,6", "4", "6"] && maximum == ["2,4,6", "2,4", "2"];
        let (difference, maximum) = (difference.join("; "), maximum.join("; "));
        fact(holds, format!("VP_CPDIFF for {difference}; VP_CPMAX for {maximum}"))
    }),
    ("sums dominate maxima", |results, _| {
        let mut wrong = Vec::new();
        for fit in ["FF", "BF"] {
            let [sum, maximum] = ["SUM", "MAX"].map(|order| results.column(&format!("VP_{fit}{order}")));
            let (sum, maximum) = (sum?, maximum?);
            for (name, dimensions) in SUBSETS {
                let part = subset(results, dimensions)?;
                let found = (part.dominates(sum, maximum), part.dominates(maximum, sum));
                if found != (!["4,6", "4"].contains(&name), false) {
                    wrong.push(format!("{fit} for D = {name}"));
                }
            }
        }
        all_of(12, &wrong)
    }),
    ("VP_CPSUM is undominated", |results, check| {
        let (part, own) = (select_instances(results, &check.lines.filter)?, results.column("VP_CPSUM")?);
        let parameters =
            [("sigma", vec![0.25, 0.5, 1.0]), ("rho", vec![0.0, 0.25, 0.5]), ("slack", slacks().collect())];
        let mut by = Vec::new();
        for (name, values) in parameters {
            for value in values {
                let part = part.with_label(name, |label| label == value.to_string());
                for ([other], _) in TABLE_4_4.lines::<1, 5>().filter(|([other], _)| *other != "VP_CPSUM") {
                    if part.dominates(results.column(other)?, own) {
                        by.push(format!("{other} for {name} {value}"));
                    }
                }
            }
        }
        fact(by.is_empty(), if by.is_empty() { "none".to_owned() } else { by.join(", ") })
    }),
    ("slack of infeasible instances", |results, check| {
        let (part, optimum) = (select_instances(results, &check.lines.filter)?, results.column("OPT")?);
        let all = part.tally(optimum).infeasible;
        let tight = part.filter(|record| record.row.slack == 0.1).tally(optimum).infeasible;
        fact(10 * tight > 8 * all, format!("{tight} of {all}")).filter(|_| all > 0)
    }),
    ("optima and bounds", |results, _| {
        let optimum = results.column("OPT")?;
        let (mut proven, mut wrong) = (0_usize, 0_usize);
        for record in &results.records {
            let mut yields = results.algorithms.iter().filter_map(|(_, column)| record.solved(*column));
            let is_wrong = match (record.status(optimum), record.solved(optimum)) {
                (_, Some(best)) => {
                    yields.any(|own| own > best) || record.bound.is_none_or(|bound| bound < best)
                }
                (Some(Status::Infeasible), _) => yields.next().is_some(),
                _ => continue,
            };
            proven += 1;
            wrong += usize::from(is_wrong);
        }
        fact(wrong == 0, format!("{wrong} of {proven} instances violate it"))
    }),
    ("greatest average yields", |results, check| {
        let (part, metric) =
            (select_instances(results, &check.lines.filter)?, |name| results.metric("VP_CPSUM", name));
        let columns = [metric("average_yield")?, metric("average_yield_by_rule")?];
        let gaps = part.values_of_both(columns, |greatest, by_rule| Some(greatest - by_rule));
        let (short, all, most) = (gaps.above(1e-5), gaps.len(), gaps.max()?);
        fact(short == 0, format!("short on {short} of {all}, by {most:.4} at most"))
    }),
    ("degradation of MCB8", |results, check| {
        let names = (1..=8).map(|number| results.column(&format!("MCB{number}")));
        let columns: Vec<usize> = names.collect::<Option<_>>()?;
        let all = select_instances(results, &check.lines.filter)?.degradation(columns[7], &columns);
        let (three, ten) = (all.above(3.0), all.above(10.0));
        let scale = 1_379.0 / all.len().max(1) as f64;
        let rest_holds = (0.5..=1.5).contains(&(ten as f64 * scale / 19.0));
        let detail = format!("{three} and {ten} of {}", all.len());
        Some(QueryResult { rest_holds, ..QueryResult::new(three as f64 * scale, check.is, detail) })
    }),
    ("MCB8 is highest", mcb8_is_highest),
];

/// Formats names with their numbers.
fn numbered(numbers: &[(String, f64)]) -> String {
    numbers.iter().map(|(name, number)| format!("{name} {number:.2}")).collect::<Vec<_>>().join(", ")
}

/// Returns the passes with their columns; `None` if the scenario lacks one.
fn columns(results: &Results<'_>) -> Option<Vec<(String, usize)>> {
    let column = |name: String| results.column(&name).map(|column| (name, column));
    passes().map(|pass| column(pass.to_string())).collect()
}

/// Computes for each pass the percentage of instances on which it equals the best pass, among those
/// that any pass solves.
fn best_passes(results: &Results<'_>, part: &Subset<'_>) -> Option<Vec<(String, f64)>> {
    let columns = columns(results)?;
    let (mut solved, mut counts) = (0_usize, vec![0_usize; columns.len()]);
    for record in &part.records {
        let yields = || columns.iter().map(|(_, column)| record.solved(*column));
        let Some(best) = yields().flatten().max() else { continue };
        solved += 1;
        for (count, own) in counts.iter_mut().zip(yields()) {
            *count += usize::from(own == Some(best));
        }
    }
    let percent = |count: usize| 100.0 * count as f64 / solved.max(1) as f64;
    Some(columns.into_iter().zip(counts).map(|((name, _), count)| (name, percent(count))).collect())
}

/// Returns the cells of a published table for which we have values: the name, our value, and the
/// published one.
fn cells_with_published(results: &Results<'_>, check: &NamedCheck) -> Option<Vec<(String, f64, f64)>> {
    let set = results.of_set(check.lines.filter.label("set")?.parse().ok()?)?;
    let own = ResultSource { results: Some(results), checks: &[] }
        .series(&check.lines.of, &check.lines.filter)
        .filter(|_| has_enough_instances(&set))?;
    let theirs =
        published().into_iter().find_map(|table| table.series(&check.lines.of, &check.lines.filter))?;
    let cell = |at: usize| {
        let labels = theirs.columns.iter().map(|labels| (labels.column, theirs.label(at, labels.column)));
        let labels: Vec<(&str, &str)> = labels.filter(|(column, _)| own.has(column)).collect();
        let own = own.only(&labels);
        Some((theirs.name(at), own.points.first()?.1, theirs.points[at].1))
    };
    Some((0..theirs.points.len()).filter_map(cell).collect::<Vec<_>>()).filter(|cells| !cells.is_empty())
}

/// Returns, for each algorithm, the others that dominate it, and the subset of instances.
fn dominators(results: &Results<'_>, names: &[String]) -> Option<Vec<(String, Vec<String>)>> {
    let mut all: Vec<(String, Vec<String>)> = names.iter().map(|name| (name.clone(), Vec::new())).collect();
    for (name, by) in &mut all {
        for (subset_name, dimensions) in SUBSETS {
            let part = subset(results, dimensions)?;
            for other in names.iter().filter(|other| *other != name) {
                if part.dominates(results.column(other)?, results.column(name)?) {
                    by.push(format!("by {other} for D = {subset_name}"));
                }
            }
        }
    }
    Some(all)
}

/// Checks that the mean minimum yield of MCB8 is not below that of others at any slack, each over
/// the instances on which the other ran.
fn mcb8_is_highest(results: &Results<'_>, check: &NamedCheck) -> Option<QueryResult> {
    let (part, packing) = (select_instances(results, &check.lines.filter)?, results.column("MCB8")?);
    let (mut count, mut above) = (0, Vec::new());
    for slack in slacks() {
        let part = part.filter(|record| record.row.slack == slack);
        for name in check.lines.filter.labels("algorithm") {
            let column = results.column(name)?;
            let ran = part.where_ran(column);
            let both = ran.yields(packing).mean().zip(ran.yields(column).mean());
            count += usize::from(both.is_some());
            if let Some((own, other)) = both.filter(|(own, other)| other > own) {
                above.push(format!("{name} at {slack} ({other:.4} for {own:.4})"));
            }
        }
    }
    all_of(count, &above)
}
