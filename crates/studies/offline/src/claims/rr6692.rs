//! What RR-6692 says of its three sets of instances.

use super::{Check, Numbers, Statement, falls, numbered};
use crate::published::{Published, RR_FIGURE_7, RR_TABLE_1};
use crate::results::{Part, Results};
use crate::tables::mcb;
use crate::tables::slack::slacks;
use dfrsim_model::Yield;
use dfrsim_offline::instances::InstanceSet;
use std::fmt::Write as _;

pub(super) const STATEMENTS: &[Statement] = &[
    Statement(
        "RR-6692, section 4.2.2",
        "60 of the 1,440 small instances have no solution, a quarter more or less",
        |results| {
            let tally = results.of_set(InstanceSet::Rr6692Small)?.tally(results.column("OPT")?);
            let scaled = tally.infeasible as f64 * 1_440.0 / tally.instances.max(1) as f64;
            let detail = format!("{} of {}", tally.infeasible, tally.instances);
            Some(Check::near(scaled, 60.0, 15.0, detail))
        },
    ),
    Statement(
        "RR-6692, section 4.2.2",
        "of the other small instances GB and SGB solve all, MCB8 all but one at most, and SG fails on 5 to 30 of 1,380",
        |results| {
            let part = results.of_set(InstanceSet::Rr6692Small)?;
            let optimum = results.column("OPT")?;
            let feasible = part.filter(|record| record.solved(optimum).is_some());
            let tally =
                |name| Some(feasible.tally(results.column(name)?)).filter(|tally| tally.instances > 0);
            let names = ["GB", "SGB", "MCB8", "SG"];
            let [backtracking, sorted, packing, greedy] = names.map(tally);
            let tallies = [backtracking?, sorted?, packing?, greedy?];
            let [backtracking, sorted, packing, greedy] = tallies.map(|tally| tally.instances - tally.solved);
            let scaled = greedy as f64 * 1_380.0 / feasible.records.len().max(1) as f64;
            let failed = names.into_iter().zip(tallies);
            let failed = failed.map(|(name, of)| {
                format!("{name} fails on {} of {}", of.instances - of.solved, of.instances)
            });
            let holds = backtracking + sorted == 0 && packing <= 1 && (5.0..=30.0).contains(&scaled);
            Some(Check::new(holds, failed.collect::<Vec<_>>().join(", ")))
        },
    ),
    Statement(
        "RR-6692, section 4.2.2",
        "on small instances LPBOUND is 2 to 6 % above OPT, OPT 1 to 3 % above MCB8 and 9 to 15 % above GR, SG, GB and SGB",
        |results| {
            let part = results.of_set(InstanceSet::Rr6692Small)?;
            let optimum = results.column("OPT")?;
            let above = |algorithm: usize| {
                // Of means over what both solve, as the text compares averages.
                let (mut best, mut own) = (0.0, 0.0);
                for record in &part.records {
                    if let (Some(of_best), Some(of_own)) = (record.solved(optimum), record.solved(algorithm))
                    {
                        best += of_best.as_f64();
                        own += of_own.as_f64();
                    }
                }
                100.0 * (best / own - 1.0)
            };
            let bound = bound_over(&part, optimum)?;
            let packing = above(results.column("MCB8")?);
            let mut detail = format!("LPBOUND {bound:.2} %, MCB8 {packing:.2} %");
            let mut holds = (2.0..=6.0).contains(&bound) && (1.0..=3.0).contains(&packing);
            for name in ["GR", "SG", "GB", "SGB"] {
                let greedy = above(results.column(name)?);
                holds &= (9.0..=15.0).contains(&greedy);
                write!(detail, ", {name} {greedy:.2} %").expect("a string takes any text");
            }
            Some(Check::new(holds, detail))
        },
    ),
    Statement(
        "RR-6692, table 1",
        "on small instances MCB8 is the best of MCB1 to MCB8 on average, and MCB5 is next",
        |results| best_two(results, InstanceSet::Rr6692Small, RR_TABLE_1),
    ),
    Statement(
        "RR-6692, figure 7",
        "on large instances MCB8 is the best of MCB1 to MCB8 on average, and MCB5 is next",
        |results| best_two(results, InstanceSet::Rr6692Large, RR_FIGURE_7),
    ),
    Statement(
        "RR-6692, section 4.2.3",
        "on large instances MCB8 is 8 % below the bound at slack 0.2 and 37 % at slack 0.1, within 5 points",
        |results| {
            let part = results.of_set(InstanceSet::Rr6692Large)?;
            let packing = results.column("MCB8")?;
            let of_slack = |slack| part.filter(|record| results.parameters(record).slack() == slack);
            // Yields are averages over solved instances (section 4.1); the bound is there for all.
            let below = |slack| {
                let part = of_slack(slack);
                Some(100.0 * (1.0 - part.yields(packing).mean()? / part.bounds().mean()?))
            };
            let below_solved =
                |slack| Some(100.0 - 100.0 / (1.0 + bound_over(&of_slack(slack), packing)? / 100.0));
            let (tight, loose) = (below(0.1)?, below(0.2)?);
            let detail = format!(
                "{loose:.2} % and {tight:.2} %; {:.2} % and {:.2} % with the bound of solved instances alone",
                below_solved(0.2)?,
                below_solved(0.1)?
            );
            let holds = (loose - 8.0).abs() <= 5.0 && (tight - 37.0).abs() <= 5.0;
            Some(Check::new(holds, detail).values(tight, Some(37.0)).published(true))
        },
    ),
    Statement("RR-6692, section 4.2.3", "RRND solves no large instance of slack below 0.4", |results| {
        let part = results.of_set(InstanceSet::Rr6692Large)?;
        let tight = part.filter(|record| results.parameters(record).slack() < 0.4);
        let tally = tight.tally(results.column("RRND")?);
        let detail = format!("{} of {} solved", tally.solved, tally.instances);
        (tally.instances > 0).then(|| Check::new(tally.solved == 0, detail))
    }),
    Statement(
        "RR-6692, section 5.2",
        "on parallel jobs SG fails as often as MCB8, within 1 point",
        |results| {
            let part = results.of_set(InstanceSet::Rr6692Parallel)?;
            let rate = |name| part.tally(results.column(name)?).failure_rate();
            let (greedy, packing) = (rate("SG")?, rate("MCB8")?);
            let detail = format!("SG {greedy:.2} %, MCB8 {packing:.2} %");
            Some(Check::new((greedy - packing).abs() <= 1.0, detail).values(greedy - packing, None))
        },
    ),
    Statement(
        "RR-6692, section 4.2.1",
        "on small and large instances each of MCB5 to MCB8 degrades less than each of MCB1 to MCB4",
        |results| {
            let sets = [(InstanceSet::Rr6692Small, RR_TABLE_1), (InstanceSet::Rr6692Large, RR_FIGURE_7)];
            let (mut holds, mut on_published, mut details) = (true, true, Vec::new());
            for (set, table) in sets {
                let means = mcb::degradations(results, set);
                let own = |name: &str| means.iter().find(|(each, _)| each == name).map(|each| each.1);
                let published = |name: &str| table.find::<1, 2>([name]).map(|line| line[0]);
                let apart = |of: Numbers<'_>| {
                    let family = |numbers: std::ops::RangeInclusive<usize>| -> Option<Vec<f64>> {
                        numbers.map(|number| of(&format!("MCB{number}"))).collect()
                    };
                    let worst = family(5..=8)?.into_iter().fold(f64::MIN, f64::max);
                    let best = family(1..=4)?.into_iter().fold(f64::MAX, f64::min);
                    Some((worst < best, format!("{worst:.2} % and {best:.2} %")))
                };
                let (of_set, detail) = apart(&own)?;
                (holds, on_published) = (holds && of_set, on_published && apart(&published)?.0);
                details.push(detail);
            }
            Some(Check::new(holds, details.join("; ")).published(on_published))
        },
    ),
    Statement(
        "RR-6692, section 4.2.1",
        "of the small instances that it solves MCB8 degrades by more than 3 % on 155 and by more than 10 % on 19, a half more or less",
        |results| {
            let part = results.of_set(InstanceSet::Rr6692Small)?;
            let columns: Vec<usize> =
                (1..=8).map(|number| results.column(&format!("MCB{number}"))).collect::<Option<_>>()?;
            let all = part.degradation(columns[7], &columns);
            let (three, ten) = (all.above(3.0), all.above(10.0));
            let scale = 1_379.0 / all.len().max(1) as f64;
            let near = |own: usize, theirs: f64| (0.5..=1.5).contains(&(own as f64 * scale / theirs));
            Some(
                Check::new(
                    near(three, 155.0) && near(ten, 19.0),
                    format!("{three} and {ten} of {}", all.len()),
                )
                .values(three as f64 * scale, Some(155.0)),
            )
        },
    ),
    Statement(
        "RR-6692, section 4.2.1",
        "by the largest degradation on small instances MCB8 is third, behind MCB5 and MCB6",
        |results| {
            let part = results.of_set(InstanceSet::Rr6692Small)?;
            let columns: Vec<usize> =
                (1..=8).map(|number| results.column(&format!("MCB{number}"))).collect::<Option<_>>()?;
            let own = |name: &str| part.degradation(results.column(name)?, &columns).max();
            let published = |name: &str| RR_TABLE_1.find::<1, 2>([name]).map(|line| line[1]);
            Check::of_both::<Numbers<'_>>(&own, &published, |of| {
                let mut all: Vec<(String, f64)> = (1..=8)
                    .map(|number| format!("MCB{number}"))
                    .map(|name| of(&name).map(|most| (name, most)))
                    .collect::<Option<_>>()?;
                all.sort_by(|a, b| a.1.total_cmp(&b.1));
                let ahead = [&*all[0].0, &*all[1].0];
                Some((
                    all[2].0 == "MCB8" && ahead.contains(&"MCB5") && ahead.contains(&"MCB6"),
                    numbered(&all),
                ))
            })
        },
    ),
    Statement(
        "RR-6692, section 4.2.2",
        "on small instances the mean minimum yield of RRNDNZ is above that of RRND, and both fall from slack 0.2 on",
        |results| {
            let [plain, raised] =
                ["RRND", "RRNDNZ"].map(|name| by_slack(results, InstanceSet::Rr6692Small, name));
            let (plain, raised) = (plain?, raised?);
            let means = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
            let holds =
                means(&raised) > means(&plain) && falls(&plain[1..], 0.01) && falls(&raised[1..], 0.01);
            Some(Check::new(holds, format!("RRND {}; RRNDNZ {}", list(&plain), list(&raised))))
        },
    ),
    Statement(
        "RR-6692, section 4.2.2",
        "on small instances RRND fails most, then GR, then RRNDNZ",
        |results| {
            let part = results.of_set(InstanceSet::Rr6692Small)?;
            let names = ["RRND", "GR", "RRNDNZ", "GB", "MCB8", "SG", "SGB"];
            let rates = rates(results, &part, &names)?;
            Some(Check::new(rates[..4].windows(2).all(|pair| pair[0].1 >= pair[1].1), numbered(&rates)))
        },
    ),
    Statement(
        "RR-6692, section 4.2.2",
        "on small instances the average yields of OPT, MCB8 and the greedy algorithms are within a few percent of each other (5)",
        |results| {
            let part = results.of_set(InstanceSet::Rr6692Small)?;
            let means = averages(results, &part, &["OPT", "MCB8", "GR", "SG", "GB", "SGB"])?;
            let (least, most) = extremes(&means);
            Some(Check::new(most / least <= 1.05, numbered(&means)))
        },
    ),
    Statement(
        "RR-6692, section 4.2.3",
        "on large instances MCB8 has the highest mean minimum yield of all heuristics at every slack",
        |results| {
            let names = [
                "GR", "SG", "GB", "SGB", "RRND", "RRNDNZ", "MCB1", "MCB2", "MCB3", "MCB4", "MCB5", "MCB6",
                "MCB7",
            ];
            above_all(results, InstanceSet::Rr6692Large, &names)
        },
    ),
    Statement(
        "RR-6692, section 4.2.3",
        "on large instances MCB8 is within 3 % of the bound from slack 0.3 on",
        |results| near_bound(results, InstanceSet::Rr6692Large),
    ),
    Statement(
        "RR-6692, section 4.2.3",
        "on large instances of slack above 0.2 the greedy algorithms are 20 % below the bound, within 5 points",
        |results| {
            let part = results
                .of_set(InstanceSet::Rr6692Large)?
                .filter(|record| results.parameters(record).slack() > 0.2);
            let bound = part.bounds().mean()?;
            let below = |name: &&str| {
                Some(((*name).to_owned(), 100.0 * (1.0 - part.yields(results.column(name)?).mean()? / bound)))
            };
            let all: Vec<(String, f64)> = ["GR", "SG"].iter().map(below).collect::<Option<_>>()?;
            let holds = all.iter().all(|(_, by)| (by - 20.0).abs() <= 5.0);
            Some(Check::new(holds, numbered(&all)).values(all[0].1, Some(20.0)))
        },
    ),
    Statement(
        "RR-6692, section 4.2.3",
        "on large instances GR and GB are alike: minimum yields within 2 %, failure rates within 1 point",
        |results| {
            let (plain, back) = (results.column("GR")?, results.column("GB")?);
            let part = results.of_set(InstanceSet::Rr6692Large)?.where_ran(back);
            let yields = [part.yields(plain).mean()?, part.yields(back).mean()?];
            let rates = [part.tally(plain).failure_rate()?, part.tally(back).failure_rate()?];
            let holds = (yields[0] / yields[1] - 1.0).abs() <= 0.02 && (rates[0] - rates[1]).abs() <= 1.0;
            Some(Check::new(
                holds,
                format!("{:.4} and {:.4}; {:.2} and {:.2} %", yields[0], yields[1], rates[0], rates[1]),
            ))
        },
    ),
    Statement(
        "RR-6692, section 4.2.3",
        "on large instances GB and SGB fail nearly as often as GR and SG at slack 0.1, by at most 5 points less",
        |results| {
            let part = results.of_set(InstanceSet::Rr6692Large)?.where_ran(results.column("GB")?);
            let tight = part.filter(|record| results.parameters(record).slack() == 0.1);
            let all = rates(results, &tight, &["GR", "GB", "SG", "SGB"])?;
            let holds = all[0].1 - all[1].1 <= 5.0 && all[2].1 - all[3].1 <= 5.0;
            (!tight.is_empty()).then(|| Check::new(holds, numbered(&all)))
        },
    ),
    Statement(
        "RR-6692, section 4.2.3",
        "on large instances GR and SG have higher average yields than MCB8",
        |results| higher_averages(results, InstanceSet::Rr6692Large, &["GR", "SG"]),
    ),
    Statement(
        "RR-6692, section 4.2.3",
        "on large instances the minimum yield of RRNDNZ drops as the slack grows",
        |results| {
            let all = by_slack(results, InstanceSet::Rr6692Large, "RRNDNZ")?;
            Some(Check::new(falls(&all, 0.01) && all[0] > all[8], list(&all)))
        },
    ),
    Statement(
        "RR-6692, section 4.2.3",
        "of all algorithms RRND alone fails on more than 1 % of the large instances of slack above 0.3",
        |results| {
            let part = results
                .of_set(InstanceSet::Rr6692Large)?
                .filter(|record| results.parameters(record).slack() > 0.35);
            let all = rates(results, &part, &["RRND", "RRNDNZ", "GR", "SG", "GB", "SGB", "MCB8"])?;
            let holds = all[0].1 > 1.0 && all[1..].iter().all(|(_, rate)| *rate <= 1.0);
            Some(Check::new(holds, numbered(&all)))
        },
    ),
    Statement(
        "RR-6692, section 4.2.3",
        "on large instances SG and MCB8 fail 40 % less often than GR, within 10 points, and 14 times less often than RRND",
        |results| {
            let part = results.of_set(InstanceSet::Rr6692Large)?;
            let all = rates(results, &part, &["SG", "MCB8", "GR"])?;
            let less = |rate: f64| 100.0 * (1.0 - rate / all[2].1);
            let with_program = part.where_ran(results.column("RRND")?);
            let beside = rates(results, &with_program, &["SG", "MCB8", "RRND"])?;
            let times = [beside[2].1 / beside[0].1, beside[2].1 / beside[1].1];
            let holds = all[..2].iter().all(|(_, rate)| (less(*rate) - 40.0).abs() <= 10.0)
                && times.iter().all(|times| *times >= 14.0);
            let detail = format!(
                "{}; {}: {:.1} and {:.1} times",
                numbered(&all),
                numbered(&beside),
                times[0],
                times[1]
            );
            Some(Check::new(holds, detail).values(less(all[0].1), Some(40.0)))
        },
    ),
    Statement(
        "RR-6692, section 5.2",
        "on parallel jobs MCB8 has a higher mean minimum yield than SG at every slack",
        |results| above_all(results, InstanceSet::Rr6692Parallel, &["SG"]),
    ),
    Statement(
        "RR-6692, section 5.2",
        "on parallel jobs MCB8 is within 3 % of the bound at slacks above 0.3",
        |results| near_bound(results, InstanceSet::Rr6692Parallel),
    ),
    Statement(
        "RR-6692, section 5.2",
        "on parallel jobs SG has a higher average yield than MCB8",
        |results| higher_averages(results, InstanceSet::Rr6692Parallel, &["SG"]),
    ),
];

fn best_two(results: &Results<'_>, set: InstanceSet, published: Published) -> Option<Check> {
    let is_best = |means: &mut Vec<(String, f64)>| {
        means.sort_by(|a, b| a.1.total_cmp(&b.1));
        let [first, second, ..] = means.as_slice() else { return None };
        Some(first.0 == "MCB8" && second.0 == "MCB5")
    };
    let mut means = mcb::degradations(results, set);
    let holds = is_best(&mut means)?;
    let theirs = published.lines::<1, 2>().map(|([name], [mean, _])| (name.to_owned(), mean));
    let of_all: Vec<String> = means.iter().map(|(name, mean)| format!("{name} {mean:.2} %")).collect();
    Some(Check::new(holds, of_all.join(", ")).published(is_best(&mut theirs.collect())?))
}

/// By how much the mean of LPBOUND is above that of an algorithm, in percent, over what it solves.
fn bound_over(part: &Part<'_>, column: usize) -> Option<f64> {
    let (mut bounds, mut own) = (0.0, 0.0);
    for record in &part.records {
        if let (Some(bound), Some(solved)) = (record.bound, record.solved(column)) {
            bounds += Yield::as_f64(bound);
            own += solved.as_f64();
        }
    }
    (own > 0.0).then(|| 100.0 * (bounds / own - 1.0))
}

fn list(numbers: &[f64]) -> String {
    numbers.iter().map(|number| format!("{number:.3}")).collect::<Vec<_>>().join(", ")
}

fn extremes(numbers: &[(String, f64)]) -> (f64, f64) {
    let of = |start, pick: fn(f64, f64) -> f64| numbers.iter().map(|each| each.1).fold(start, pick);
    (of(f64::MAX, f64::min), of(f64::MIN, f64::max))
}

/// The mean minimum yields of an algorithm over what it solves, slack by slack.
fn by_slack(results: &Results<'_>, set: InstanceSet, name: &str) -> Option<Vec<f64>> {
    let (part, column) = (results.of_set(set)?, results.column(name)?);
    let at = |slack| part.filter(|record| results.parameters(record).slack() == slack);
    let means: Vec<f64> = slacks().filter_map(|slack| at(slack).yields(column).mean()).collect();
    (means.len() == 9).then_some(means)
}

/// The failure rates of algorithms, each over the instances on which it ran.
fn rates(results: &Results<'_>, part: &Part<'_>, names: &[&str]) -> Option<Vec<(String, f64)>> {
    let rate = |name: &&str| Some(((*name).to_owned(), part.tally(results.column(name)?).failure_rate()?));
    names.iter().map(rate).collect()
}

/// The mean average yields of algorithms over the instances on which all of them have one.
fn averages(results: &Results<'_>, part: &Part<'_>, names: &[&str]) -> Option<Vec<(String, f64)>> {
    let columns: Vec<usize> =
        names.iter().map(|name| results.metric(name, "average_yield")).collect::<Option<_>>()?;
    let part = part.filter(|record| columns.iter().all(|column| record.number(*column).is_some()));
    let mean = |(name, column): (&&str, &usize)| Some(((*name).to_owned(), part.values(*column).mean()?));
    names.iter().zip(&columns).map(mean).collect()
}

fn higher_averages(results: &Results<'_>, set: InstanceSet, names: &[&str]) -> Option<Check> {
    let all = averages(results, &results.of_set(set)?, &[names, &["MCB8"]].concat())?;
    let (packing, greedy) = all.split_last()?;
    Some(Check::new(greedy.iter().all(|(_, mean)| *mean > packing.1), numbered(&all)))
}

/// Whether the mean minimum yield of MCB8 is not below those of the others at any slack, each over the instances on which the
/// other ran.
fn above_all(results: &Results<'_>, set: InstanceSet, names: &[&str]) -> Option<Check> {
    let (part, packing) = (results.of_set(set)?, results.column("MCB8")?);
    let (mut count, mut above) = (0, Vec::new());
    for slack in slacks() {
        let part = part.filter(|record| results.parameters(record).slack() == slack);
        for name in names {
            let column = results.column(name)?;
            let ran = part.where_ran(column);
            let (Some(own), Some(other)) = (ran.yields(packing).mean(), ran.yields(column).mean()) else {
                continue;
            };
            count += 1;
            if other > own {
                above.push(format!("{name} at {slack} ({other:.4} for {own:.4})"));
            }
        }
    }
    Some(Check::new(above.is_empty(), format!("{} of {count}{}", count - above.len(), super::listed(&above))))
}

/// Whether the mean of MCB8 is within 3 % of that of the bound at slacks 0.3 and more (parallel jobs: above 0.3).
fn near_bound(results: &Results<'_>, set: InstanceSet) -> Option<Check> {
    let (part, packing) = (results.of_set(set)?, results.column("MCB8")?);
    let from = if set == InstanceSet::Rr6692Large { 0.25 } else { 0.35 };
    let below = |slack: f64| {
        let part = part.filter(|record| results.parameters(record).slack() == slack);
        Some((slack.to_string(), 100.0 * (1.0 - part.yields(packing).mean()? / part.bounds().mean()?)))
    };
    let all: Vec<(String, f64)> = slacks().filter(|slack| *slack > from).map(below).collect::<Option<_>>()?;
    Some(Check::new(all.iter().all(|(_, by)| *by <= 3.0), numbered(&all)))
}
