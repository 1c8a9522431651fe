//! What the dissertation says of unsolved instances, greedy algorithms, the genetic one and rounding (sections 4.3 to 4.4.3).

use super::{Check, Statement};
use crate::results::{Part, Record, Results};
use crate::solve::passes;
use dfrsim_offline::instances::InstanceSet;

pub(super) const STATEMENTS: &[Statement] = &[
    Statement(
        "dissertation, section 4.3",
        "no algorithm solves 7.3 % of the instances (5,320 of 72,900), within 3 points",
        |results| unsolved(results, &results.of_set(InstanceSet::Dissertation)?),
    ),
    Statement(
        "dissertation, section 4.3",
        "no algorithm solves 7.3 % of the instances, within 3 points, among those that have LPBOUND",
        |results| unsolved(results, &results.of_set(InstanceSet::Dissertation)?.bounded()),
    ),
    Statement(
        "dissertation, section 4.4.1",
        "every greedy pass with P1, P2, P5 or P6 has a smaller relative gap to LPBOUND than all with P3, P4 or P7",
        |results| {
            let part = results.of_set(InstanceSet::Dissertation)?;
            let gap = |pass: &str| part.gaps(results.column(pass)?).relative.mean();
            let passes: Vec<(String, f64)> = (passes().map(|pass| pass.to_string()))
                .filter_map(|pass| gap(&pass).map(|gap| (pass, gap)))
                .collect();
            let near = |name: &str| ["P1", "P2", "P5", "P6"].iter().any(|rule| name.ends_with(rule));
            let by_size = |a: &&(String, f64), b: &&(String, f64)| a.1.total_cmp(&b.1);
            let worst = passes.iter().filter(|(name, _)| near(name)).max_by(by_size)?;
            let best = passes.iter().filter(|(name, _)| !near(name)).min_by(by_size)?;
            let detail = format!("{} {:.2} %, {} {:.2} %", worst.0, worst.1, best.0, best.1);
            Some(Check::new(worst.1 < best.1, detail))
        },
    ),
    Statement(
        "dissertation, section 4.4.1",
        "GREEDYLIGHT fails on less than 1 % of the instances that GREEDY solves, and is beaten on 15 to 30 % of the others",
        |results| {
            let part = results.of_set(InstanceSet::Dissertation)?;
            let (greedy, light) = (results.column("GREEDY")?, results.column("GREEDYLIGHT")?);
            let advantage = part.advantage(greedy, light);
            let tally = part.tally(greedy);
            let failed = advantage.success * tally.instances as f64 / tally.solved.max(1) as f64;
            let detail = format!(
                "fails on {failed:.2} %; beaten on {:.2} %, by {:.2} %",
                advantage.better, advantage.gain
            );
            let holds = failed < 1.0 && (15.0..=30.0).contains(&advantage.better);
            Some(Check::new(holds, detail).values(advantage.better, Some(20.78)).published(true))
        },
    ),
    Statement(
        "dissertation, section 4.4.3",
        "GREEDY beats GA on at least 60 % of the instances that both solve, GA GREEDY on at most 20 %",
        |results| {
            let part = results.of_set(InstanceSet::Dissertation)?;
            let (greedy, genetic) = (results.column("GREEDY")?, results.column("GA")?);
            let (own, others) = (part.advantage(greedy, genetic), part.advantage(genetic, greedy));
            let detail = format!("{:.2} % and {:.2} %", own.better, others.better);
            let check = Check::new(own.better >= 60.0 && others.better <= 20.0, detail);
            Some(check.values(own.better, Some(79.08)).published(true))
        },
    ),
    Statement(
        "dissertation, section 4.4.2",
        "RRNDNZ succeeds where RRND does, in at least 99.9 % of the cases",
        |results| {
            let (plain, raised) = (results.column("RRND")?, results.column("RRNDNZ")?);
            let solved: Vec<&Record<'_>> =
                results.records.iter().filter(|record| record.solved(plain).is_some()).collect();
            let both = solved.iter().filter(|record| record.solved(raised).is_some()).count();
            let holds = both as f64 >= 0.999 * solved.len() as f64;
            (!solved.is_empty()).then(|| Check::new(holds, format!("{both} of {}", solved.len())))
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
    (all > 0).then(|| Check::near(percent, 7.3, 3.0, format!("{unsolved} of {all}, {percent:.2} %")))
}
