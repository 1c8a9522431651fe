//! What RR-6692 says of its three sets of instances.

use super::{Check, Statement};
use crate::offline::record::Record;
use crate::offline::study::{Part, Study};
use crate::offline::tables::mcb;
use dfrsim_model::Yield;
use dfrsim_offline::instances::{InstanceSet, Scenario};
use std::fmt::Write as _;

pub(super) const STATEMENTS: &[Statement] = &[
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

fn best_two(study: &Study<'_>, set: InstanceSet) -> Option<Check> {
    let mut means = mcb::degradations(study, set);
    means.sort_by(|a, b| a.1.total_cmp(&b.1));
    let figures: Vec<String> = means.iter().map(|(name, mean)| format!("{name} {mean:.2} %")).collect();
    let [first, second, ..] = means.as_slice() else { return None };
    Some(Check { holds: first.0 == "MCB8" && second.0 == "MCB5", figures: figures.join(", ") })
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

fn slack_of(study: &Study<'_>, record: &Record) -> Option<f64> {
    match study.parameters(record) {
        Scenario::Rr6692(of) => Some(of.slack),
        Scenario::Dissertation(_) => None,
    }
}
