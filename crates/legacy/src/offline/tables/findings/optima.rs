//! How far apart heuristics, optima and bounds are on small instances (dissertation, section 4.4.6), and that none is beyond the other.

use super::{Check, Statement};
use crate::offline::record::Cell;
use crate::offline::study::Study;
use crate::offline::tables::slack::{CPSUM_BELOW_OPT, OPT_BELOW_BOUND, sample};
use dfrsim_offline::instances::InstanceSet;

pub(super) const STATEMENTS: &[Statement] = &[
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
                    Cell::Solved(best) => {
                        proven += 1;
                        let above =
                            record.cells.iter().filter_map(|cell| cell.solved()).any(|own| own > best);
                        wrong += usize::from(above || record.bound.is_none_or(|bound| bound < best));
                    }
                    Cell::Infeasible => {
                        proven += 1;
                        wrong += usize::from(record.cells.iter().any(|cell| cell.solved().is_some()));
                    }
                    _ => {}
                }
            }
            Some(Check { holds: wrong == 0, figures: format!("{wrong} of {proven} instances violate it") })
        },
    },
];

/// The mean of a line of figure 4.3 at slack 0.1.
fn at_slack(study: &Study<'_>, line: &str) -> Option<f64> {
    let part = study.of_set(InstanceSet::DissertationSmall)?;
    sample(study, &study.with(&part, |of| of.slack == 0.1), line)?.mean()
}
