//! What the dissertation says of unsolved instances, greedy algorithms, the genetic one and rounding (sections 4.3 to 4.4.3).

use super::{Check, Statement};
use crate::offline::record::Record;
use crate::offline::study::Part;
use dfrsim_offline::Algorithm;
use dfrsim_offline::greedy::Greedy;
use dfrsim_offline::instances::InstanceSet;

pub(super) const STATEMENTS: &[Statement] = &[
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
];

/// Whether as many instances as published are solved by no algorithm.
fn unsolved(part: &Part<'_>) -> Option<Check> {
    let solved = |record: &Record| record.cells.iter().any(|cell| cell.solved().is_some());
    let unsolved = part.records.iter().filter(|record| !solved(record)).count();
    let percent = 100.0 * unsolved as f64 / part.records.len() as f64;
    let figures = format!("{unsolved} of {}, {percent:.2} %", part.records.len());
    Some(Check { holds: (percent - 7.3).abs() <= 3.0, figures })
}
