//! How far apart heuristics, optima and bounds are on small instances (dissertation, section 4.4.6), and that none is beyond the other.

use super::{Check, Statement, falls};
use crate::results::{Results, Sample};
use crate::tables::slack::{CPSUM_BELOW_OPT, OPT_BELOW_BOUND, published, sample, slacks};
use dfrsim_lab::Status;
use dfrsim_offline::instances::InstanceSet;

const SOURCE: &str = "dissertation, section 4.4.6";

pub(super) const STATEMENTS: &[Statement] = &[
    Statement(
        SOURCE,
        "on small instances of slack 0.1, OPT is 14.6 % below LPBOUND, within 3 points",
        |results| {
            let mean = at_slack(results, OPT_BELOW_BOUND, 0.1)?.mean()?;
            let published = published("4.3", OPT_BELOW_BOUND, "mean", 0.1)?;
            Some(Check::near(mean, published, 3.0, format!("{mean:.2} %")))
        },
    ),
    Statement(
        SOURCE,
        "there VP_CPSUM is about as far below OPT as OPT below LPBOUND, within a factor of 1.5",
        |results| {
            let (bound, heuristic) = (
                at_slack(results, OPT_BELOW_BOUND, 0.1)?.mean()?,
                at_slack(results, CPSUM_BELOW_OPT, 0.1)?.mean()?,
            );
            let detail = format!("VP_CPSUM {heuristic:.2} % below OPT, OPT {bound:.2} % below LPBOUND");
            let ratio = heuristic / bound;
            Some(Check::new((1.0 / 1.5..=1.5).contains(&ratio), detail).values(ratio, None))
        },
    ),
    Statement(
        SOURCE,
        "there the 90th percentile of OPT below LPBOUND is 45.91 %, within 10 points",
        |results| percentile(results, OPT_BELOW_BOUND),
    ),
    Statement(
        SOURCE,
        "there the 90th percentile of VP_CPSUM below OPT is 66.35 %, within 10 points",
        |results| percentile(results, CPSUM_BELOW_OPT),
    ),
    Statement(
        SOURCE,
        "both differences fall as the slack grows, never rising by more than 1 point",
        |results| {
            let means = |line| -> Option<Vec<f64>> {
                slacks().map(|slack| at_slack(results, line, slack)?.mean()).collect()
            };
            let (bound, heuristic) = (means(OPT_BELOW_BOUND)?, means(CPSUM_BELOW_OPT)?);
            let text = |all: &[f64]| all.iter().map(|gap| format!("{gap:.2}")).collect::<Vec<_>>().join(", ");
            let detail = format!("{}; {}", text(&bound), text(&heuristic));
            Some(Check::new(falls(&bound, 1.0) && falls(&heuristic, 1.0), detail))
        },
    ),
    Statement(SOURCE, "5.93 % of the small instances have no solution, within 1 point", |results| {
        let tally = results.of_set(InstanceSet::DissertationSmall)?.tally(results.column("OPT")?);
        let percent = 100.0 * tally.infeasible as f64 / tally.instances.max(1) as f64;
        let detail = format!("{} of {}, {percent:.2} %", tally.infeasible, tally.instances);
        (tally.instances > 0).then(|| Check::near(percent, 5.93, 1.0, detail))
    }),
    Statement(SOURCE, "more than 80 % of these have slack 0.1", |results| {
        let (part, optimum) = (results.of_set(InstanceSet::DissertationSmall)?, results.column("OPT")?);
        let all = part.tally(optimum).infeasible;
        let tight = results.with(&part, |of| of.slack == 0.1).tally(optimum).infeasible;
        (all > 0).then(|| Check::new(10 * tight > 8 * all, format!("{tight} of {all}")))
    }),
    Statement("both", "no algorithm is above a proven optimum, nor that above LPBOUND", |results| {
        let optimum = results.column("OPT")?;
        let (mut proven, mut wrong) = (0_usize, 0_usize);
        for record in &results.records {
            let mut yields = results.algorithms.iter().filter_map(|(_, column)| record.solved(*column));
            match (record.status(optimum), record.solved(optimum)) {
                (_, Some(best)) => {
                    proven += 1;
                    let above = yields.any(|own| own > best);
                    wrong += usize::from(above || record.bound.is_none_or(|bound| bound < best));
                }
                (Some(Status::Infeasible), _) => {
                    proven += 1;
                    wrong += usize::from(yields.next().is_some());
                }
                _ => {}
            }
        }
        Some(Check::new(wrong == 0, format!("{wrong} of {proven} instances violate it")))
    }),
];

/// The gaps of a line of figure 4.3 at a slack.
fn at_slack(results: &Results<'_>, line: &str, slack: f64) -> Option<Sample> {
    let part = results.of_set(InstanceSet::DissertationSmall)?;
    sample(results, &results.with(&part, |of| of.slack == slack), line)
}

/// Whether the 90th percentile of a line at slack 0.1 is as published.
fn percentile(results: &Results<'_>, line: &str) -> Option<Check> {
    let own = at_slack(results, line, 0.1)?.percentile(90)?;
    Some(Check::near_percent(own, published("4.3", line, "p90", 0.1)?, 10.0))
}
