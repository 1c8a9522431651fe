//! Table 4.4 of the dissertation: distances and failure rates of vector packing, beside the published ones.

use super::{Check, Statement, listed};
use crate::offline::published::TABLE_4_4;
use crate::offline::study::{Part, Study};
use crate::tables::statistics::rank_correlation;
use dfrsim_offline::instances::InstanceSet;

pub(super) const STATEMENTS: &[Statement] = &[
    Statement {
        source: "dissertation, table 4.4",
        text: "each relative dfb is within 15 % of the published one",
        check: |study| {
            let pairs = table_4_4(study)?;
            let near = |pair: &&(String, f64, f64)| (0.85..=1.15).contains(&(pair.1 / pair.2));
            let far: Vec<String> = (pairs.iter().filter(|pair| !near(pair)))
                .map(|(name, own, theirs)| format!("{name} {own:.2} for {theirs:.2}"))
                .collect();
            let figures = format!("{} of {} are{}", pairs.len() - far.len(), pairs.len(), listed(&far));
            Some(Check { holds: far.is_empty(), figures })
        },
    },
    Statement {
        source: "dissertation, table 4.4",
        text: "the rank correlation of relative dfb with the published ones is at least 0.9",
        check: |study| {
            let pairs: Vec<(f64, f64)> =
                table_4_4(study)?.into_iter().map(|(_, own, theirs)| (own, theirs)).collect();
            let correlation = rank_correlation(&pairs)?;
            Some(Check {
                holds: correlation >= 0.9,
                figures: format!("{correlation:.3} over {}", pairs.len()),
            })
        },
    },
    Statement {
        source: "dissertation, table 4.4",
        text: "each failure rate is within 3 points of the published one",
        check: |study| near_failure_rates(study, &study.of_set(InstanceSet::Dissertation)?),
    },
    Statement {
        source: "dissertation, table 4.4",
        text: "each failure rate is within 3 points of the published one, among the instances that have LPBOUND",
        check: |study| near_failure_rates(study, &study.of_set(InstanceSet::Dissertation)?.bounded()),
    },
    Statement {
        source: "dissertation, section 4.4.4",
        text: "GREEDY has a larger relative dfb than every vector packing algorithm",
        check: |study| {
            let part = study.of_set(InstanceSet::Dissertation)?;
            let greedy = part.distances(study.place("GREEDY")?).relative.mean()?;
            let packing =
                TABLE_4_4.lines::<1, 5>().map(|([name], _)| name).filter(|name| name.starts_with("VP_"));
            let worst = packing.filter_map(|name| {
                let mean = part.distances(study.place(&name)?).relative.mean()?;
                Some((name, mean))
            });
            let (name, worst) = worst.max_by(|a, b| a.1.total_cmp(&b.1))?;
            Some(Check {
                holds: greedy > worst,
                figures: format!("GREEDY {greedy:.2} %, {name} {worst:.2} %"),
            })
        },
    },
];

/// Relative dfb of each algorithm of table 4.4: its name, ours, the published one.
fn table_4_4(study: &Study<'_>) -> Option<Vec<(String, f64, f64)>> {
    let part = study.of_set(InstanceSet::Dissertation)?;
    let pairs: Vec<_> = (TABLE_4_4.lines::<1, 5>())
        .filter_map(|([name], [_, theirs, ..])| {
            let own = part.distances(study.place(&name)?).relative.mean()?;
            Some((name, own, theirs))
        })
        .collect();
    (!pairs.is_empty()).then_some(pairs)
}

/// Whether the failure rates on some instances are near those of table 4.4.
fn near_failure_rates(study: &Study<'_>, part: &Part<'_>) -> Option<Check> {
    let mut far = Vec::new();
    let mut count = 0;
    for ([name], [_, _, _, _, theirs]) in TABLE_4_4.lines::<1, 5>() {
        let Some(own) = study.place(&name).and_then(|at| part.tally(at).failure_rate()) else { continue };
        count += 1;
        if (own - theirs).abs() > 3.0 {
            far.push(format!("{name} {own:.2} for {theirs:.2}"));
        }
    }
    let figures = format!("{} of {count} are{}", count - far.len(), listed(&far));
    (count > 0).then_some(Check { holds: far.is_empty(), figures })
}
