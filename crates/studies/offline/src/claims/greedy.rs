//! What the dissertation says of unsolved instances and of the greedy algorithms (sections 4.3 and 4.4.1).

use super::{Check, Statement, all_large, failures, gap, large, mean, numbered};
use crate::results::{Part, Record, Results};
use crate::solve::passes;

const SOURCE: &str = "dissertation, section 4.4.1";

/// The rules of the cluster with smaller gaps and more failures.
const NEAR: [&str; 4] = ["P1", "P2", "P5", "P6"];

/// The passes that are the best, or as good as it, on more than 15 % of the instances.
const OFTEN_BEST: [&str; 8] = ["S2_P1", "S2_P2", "S3_P1", "S3_P2", "S5_P1", "S6_P1", "S6_P2", "S7_P1"];

pub(super) const STATEMENTS: &[Statement] = &[
    Statement(
        "dissertation, section 4.3",
        "no algorithm solves 7.3 % of all instances (5,320 of 72,900; the text prints 7.45), within 3 points",
        |results| unsolved(results, &all_large(results)?),
    ),
    Statement(
        "dissertation, section 4.3",
        "no algorithm solves 7.3 % of the instances that have LPBOUND, within 1 point",
        |results| unsolved(results, &large(results)?),
    ),
    Statement(
        SOURCE,
        "every pass with P1, P2, P5 or P6 has a smaller relative gap to LPBOUND than all with P3, P4 or P7",
        |results| {
            let (near, far) = clusters(results, gap)?;
            let (worst, best) = (highest(&near)?, lowest(&far)?);
            let detail = format!("{} {:.2} %, {} {:.2} %", worst.0, worst.1, best.0, best.1);
            Some(Check::new(worst.1 < best.1, detail))
        },
    ),
    Statement(SOURCE, "their gaps are smaller by 30 points or more, on average (25 to 50)", |results| {
        let [near, far] = means(clusters(results, gap)?)?;
        Some(Check::new((25.0..=50.0).contains(&(far - near)), format!("{near:.2} % and {far:.2} %")))
    }),
    Statement(
        SOURCE,
        "they fail more often, with no order of jobs by more than about 10 points (3 more)",
        |results| {
            let (near, far) = clusters(results, failures)?;
            let [more, fewer] = means((near.clone(), far.clone()))?;
            let of = |order: usize, all: &[(String, f64)]| -> Option<f64> {
                mean(all.iter().filter(|(name, _)| name.contains(&format!("S{order}_"))).map(|pass| pass.1))
            };
            let apart: Option<Vec<(String, f64)>> = (1..=7)
                .map(|order| Some((format!("S{order}"), of(order, &near)? - of(order, &far)?)))
                .collect();
            let most = highest(apart.as_deref()?)?.1;
            let detail = format!("{more:.2} % and {fewer:.2} %; by order {}", numbered(apart.as_deref()?));
            Some(Check::new(more > fewer && most <= 13.0, detail).values(most, Some(10.0)))
        },
    ),
    Statement(SOURCE, "some of them fail on as few as 12 %, within 2 points", |results| {
        let (near, _) = clusters(results, failures)?;
        let (name, rate) = lowest(&near)?.clone();
        Some(Check::near(rate, 12.0, 2.0, format!("{name} {rate:.2} %")))
    }),
    Statement(SOURCE, "S5 is the best order of jobs, S4 the next, by mean failure rate", |results| {
        let part = large(results)?;
        let rate = |order: usize| -> Option<(String, f64)> {
            let rates: Option<Vec<f64>> =
                (1..=7).map(|rule| failures(results, &part, &format!("GREEDY_S{order}_P{rule}"))).collect();
            Some((format!("S{order}"), mean(rates?)?))
        };
        let mut orders: Vec<(String, f64)> = (1..=7).map(rate).collect::<Option<_>>()?;
        orders.sort_by(|a, b| a.1.total_cmp(&b.1));
        Some(Check::new(orders[0].0 == "S5" && orders[1].0 == "S4", numbered(&orders)))
    }),
    Statement(
        SOURCE,
        "maxima are marginally better than sums, for sorting (S2, S4, S6) and for nodes (P1, P3, P5): smaller gaps, by at most 5 points",
        |results| {
            let part = large(results)?;
            let gaps = |is_meant: fn(usize, usize) -> bool| {
                let pairs = (1..=7).flat_map(|order| (1..=7).map(move |rule| (order, rule)));
                let meant = pairs.filter(|&(order, rule)| is_meant(order, rule));
                mean(
                    meant
                        .filter_map(|(order, rule)| gap(results, &part, &format!("GREEDY_S{order}_P{rule}"))),
                )
            };
            let sorting = gaps(|order, _| order > 1 && order % 2 == 1)? - gaps(|order, _| order % 2 == 0)?;
            let nodes = gaps(|_, rule| rule % 2 == 0)? - gaps(|_, rule| rule < 7 && rule % 2 == 1)?;
            let holds = [sorting, nodes].iter().all(|by| (0.0..=5.0).contains(by));
            Some(Check::new(holds, format!("by {sorting:.2} points (sorting), {nodes:.2} (nodes)")))
        },
    ),
    Statement(SOURCE, "each of the 49 passes is the best, or as good as it, on some instances", |results| {
        let counts = best_passes(results)?;
        let never: Vec<&str> = counts.iter().filter(|(_, part)| *part == 0.0).map(|of| &*of.0).collect();
        let detail = format!("{} of 49; never: {}", 49 - never.len(), never.join(", "));
        Some(Check::new(never.is_empty(), detail))
    }),
    Statement(
        SOURCE,
        "S{2,3,5,6,7}_P1 and S{2,3,6}_P2 are the passes that are best or as good on more than 15 % of the instances (14 %)",
        |results| {
            let mut counts = best_passes(results)?;
            counts.sort_by(|a, b| b.1.total_cmp(&a.1));
            let mut often: Vec<&str> = (counts.iter().filter(|(_, part)| *part > 14.0))
                .map(|(name, _)| name.trim_start_matches("GREEDY_"))
                .collect();
            often.sort_unstable();
            Some(Check::new(often == OFTEN_BEST, numbered(&counts[..10])))
        },
    ),
    Statement(
        SOURCE,
        "S5_P4 fails least of the 49 passes: on 0.04 % of what another one solves, within 0.5 points",
        |results| {
            let mut rates = missed(results)?;
            rates.sort_by(|a, b| a.1.total_cmp(&b.1));
            let own = rates.iter().find(|(name, _)| name == "GREEDY_S5_P4")?.1;
            let holds = own <= rates[0].1 && own <= 0.54;
            Some(Check::new(holds, numbered(&rates[..4])).values(own, Some(0.04)))
        },
    ),
    Statement(
        SOURCE,
        "GREEDYLIGHT fails on less than 1 % of the instances that GREEDY solves (203 of 67,580, which is 0.30 %; the text prints 0.44)",
        |results| {
            let part = large(results)?;
            let (greedy, light) = (results.column("GREEDY")?, results.column("GREEDYLIGHT")?);
            let tally = part.tally(greedy);
            let failed =
                part.advantage(greedy, light).success * tally.instances as f64 / tally.solved.max(1) as f64;
            Some(Check::new(failed < 1.0, format!("{failed:.2} %")).values(failed, Some(0.3)).published(true))
        },
    ),
    Statement(
        SOURCE,
        "GREEDY is better than GREEDYLIGHT on 20.78 % of the instances, within 10 points, by 20.26 %, within 10 points",
        |results| {
            let of = large(results)?.advantage(results.column("GREEDY")?, results.column("GREEDYLIGHT")?);
            let detail = format!("on {:.2} %, by {:.2} %", of.better, of.gain);
            let holds = (of.better - 20.78).abs() <= 10.0 && (of.gain - 20.26).abs() <= 10.0;
            Some(Check::new(holds, detail).values(of.better, Some(20.78)).published(true))
        },
    ),
];

/// Whether as many instances as published are solved by no algorithm.
fn unsolved(results: &Results<'_>, part: &Part<'_>) -> Option<Check> {
    let is_solved =
        |record: &&&Record<'_>| results.algorithms.iter().any(|(_, column)| record.solved(*column).is_some());
    let all = part.records.len();
    let unsolved = all - part.records.iter().filter(is_solved).count();
    let percent = 100.0 * unsolved as f64 / all as f64;
    let by = if part.records.iter().all(|record| record.bound.is_some()) { 1.0 } else { 3.0 };
    (all > 0).then(|| Check::near(percent, 7.3, by, format!("{unsolved} of {all}, {percent:.2} %")))
}

type Numbered = Vec<(String, f64)>;

/// A number of each pass, of the cluster with smaller gaps and of the other.
fn clusters(
    results: &Results<'_>,
    of: fn(&Results<'_>, &Part<'_>, &str) -> Option<f64>,
) -> Option<(Numbered, Numbered)> {
    let part = large(results)?;
    let number = |pass: dfrsim_offline::Algorithm| {
        let name = pass.to_string();
        of(results, &part, &name).map(|number| (name, number))
    };
    let all: Numbered = passes().map(number).collect::<Option<_>>()?;
    Some(all.into_iter().partition(|(name, _)| NEAR.iter().any(|rule| name.ends_with(rule))))
}

fn means((near, far): (Numbered, Numbered)) -> Option<[f64; 2]> {
    let mean = |all: Numbered| mean(all.into_iter().map(|pass| pass.1));
    Some([mean(near)?, mean(far)?])
}

fn highest(all: &[(String, f64)]) -> Option<&(String, f64)> {
    all.iter().max_by(|a, b| a.1.total_cmp(&b.1))
}

fn lowest(all: &[(String, f64)]) -> Option<&(String, f64)> {
    all.iter().min_by(|a, b| a.1.total_cmp(&b.1))
}

/// The passes with their columns; `None` if one is not in the scenario.
fn columns(results: &Results<'_>) -> Option<Vec<(String, usize)>> {
    let column = |name: String| results.column(&name).map(|column| (name, column));
    passes().map(|pass| column(pass.to_string())).collect()
}

/// The part of the instances that any pass solves on which a pass is as good as the best, in percent.
fn best_passes(results: &Results<'_>) -> Option<Numbered> {
    let (part, columns) = (large(results)?, columns(results)?);
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

/// The part of the instances that any pass solves on which a pass fails, in percent.
fn missed(results: &Results<'_>) -> Option<Numbered> {
    let (part, columns) = (large(results)?, columns(results)?);
    let any = |record: &Record<'_>| columns.iter().any(|(_, column)| record.solved(*column).is_some());
    let solvable = part.filter(any);
    let rate =
        |(name, column): &(String, usize)| Some((name.clone(), solvable.tally(*column).failure_rate()?));
    columns.iter().map(rate).collect()
}
