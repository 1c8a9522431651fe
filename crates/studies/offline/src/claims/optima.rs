//! How far apart heuristics, optima and bounds are on small instances (dissertation, section 4.4.6), and that none is beyond the other.

use super::{Check, Statement};
use crate::results::Results;
use crate::tables::slack::{CPSUM_BELOW_OPT, OPT_BELOW_BOUND, published, sample};
use dfrsim_lab::Status;
use dfrsim_offline::instances::InstanceSet;

pub(super) const STATEMENTS: &[Statement] = &[
    Statement(
        "dissertation, section 4.4.6",
        "on small instances of slack 0.1, OPT is 14.6 % below LPBOUND, within 3 points",
        |results| {
            let mean = at_slack(results, OPT_BELOW_BOUND)?;
            let published = published("4.3", OPT_BELOW_BOUND, "mean", 0.1)?;
            Some(Check::near(mean, published, 3.0, format!("{mean:.2} %")))
        },
    ),
    Statement(
        "dissertation, section 4.4.6",
        "there VP_CPSUM is about as far below OPT as OPT below LPBOUND, within a factor of 1.5",
        |results| {
            let (bound, heuristic) =
                (at_slack(results, OPT_BELOW_BOUND)?, at_slack(results, CPSUM_BELOW_OPT)?);
            let detail = format!("VP_CPSUM {heuristic:.2} % below OPT, OPT {bound:.2} % below LPBOUND");
            let ratio = heuristic / bound;
            Some(Check::new((1.0 / 1.5..=1.5).contains(&ratio), detail).values(ratio, None))
        },
    ),
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

/// The mean of a line of figure 4.3 at slack 0.1.
fn at_slack(results: &Results<'_>, line: &str) -> Option<f64> {
    let part = results.of_set(InstanceSet::DissertationSmall)?;
    sample(results, &results.with(&part, |of| of.slack == 0.1), line)?.mean()
}
