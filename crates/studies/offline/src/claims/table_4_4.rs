//! Table 4.4 of the dissertation: gaps and failure rates of vector packing, beside the published ones.

use super::{Check, Statement, listed};
use crate::published::TABLE_4_4;
use crate::results::{Part, Results};
use dfrsim_lab::rank_correlation;
use dfrsim_offline::instances::InstanceSet;

const SOURCE: &str = "dissertation, table 4.4";

pub(super) const STATEMENTS: &[Statement] = &[
    Statement(SOURCE, "each relative gap to LPBOUND is within 15 % of the published one", |results| {
        let pairs = table_4_4(results)?;
        let near = |pair: &&(&str, f64, f64)| (0.85..=1.15).contains(&(pair.1 / pair.2));
        let far: Vec<String> = (pairs.iter().filter(|pair| !near(pair)))
            .map(|(name, own, theirs)| format!("{name} {own:.2} for {theirs:.2}"))
            .collect();
        let near = pairs.len() - far.len();
        Some(Check::new(far.is_empty(), format!("{near} of {} are{}", pairs.len(), listed(&far))))
    }),
    Statement(
        SOURCE,
        "the rank correlation of the relative gaps to LPBOUND with the published ones is at least 0.9",
        |results| {
            let pairs: Vec<(f64, f64)> =
                table_4_4(results)?.into_iter().map(|(_, own, theirs)| (own, theirs)).collect();
            let correlation = rank_correlation(&pairs)?;
            let detail = format!("{correlation:.3} over {}", pairs.len());
            Some(Check::new(correlation >= 0.9, detail).values(correlation, None))
        },
    ),
    Statement(SOURCE, "each failure rate is within 3 points of the published one", |results| {
        near_failure_rates(results, &results.of_set(InstanceSet::Dissertation)?)
    }),
    Statement(
        SOURCE,
        "each failure rate is within 3 points of the published one, among the instances that have LPBOUND",
        |results| near_failure_rates(results, &results.of_set(InstanceSet::Dissertation)?.bounded()),
    ),
    Statement(
        "dissertation, section 4.4.4",
        "GREEDY has a larger relative gap to LPBOUND than every vector packing algorithm",
        |results| {
            let part = results.of_set(InstanceSet::Dissertation)?;
            let gap = |name| part.gaps(results.column(name)?).relative.mean();
            let packing = || TABLE_4_4.lines::<1, 5>().filter(|([name], _)| name.starts_with("VP_"));
            let greedy = gap("GREEDY")?;
            let worst = packing().filter_map(|([name], _)| Some((name, gap(name)?)));
            let (name, worst) = worst.max_by(|a, b| a.1.total_cmp(&b.1))?;
            let [_, published, ..] = TABLE_4_4.find::<1, 5>(["GREEDY"])?;
            let check = Check::new(greedy > worst, format!("GREEDY {greedy:.2} %, {name} {worst:.2} %"));
            Some(
                check
                    .values(greedy, Some(published))
                    .published(packing().all(|(_, line)| line[1] < published)),
            )
        },
    ),
];

/// The relative gap of each algorithm of table 4.4: its name, ours, the published one.
fn table_4_4(results: &Results<'_>) -> Option<Vec<(&'static str, f64, f64)>> {
    let part = results.of_set(InstanceSet::Dissertation)?;
    let pairs: Vec<_> = (TABLE_4_4.lines::<1, 5>())
        .filter_map(|([name], [_, theirs, ..])| {
            Some((name, part.gaps(results.column(name)?).relative.mean()?, theirs))
        })
        .collect();
    (!pairs.is_empty()).then_some(pairs)
}

/// Whether the failure rates on some instances are near those of table 4.4.
fn near_failure_rates(results: &Results<'_>, part: &Part<'_>) -> Option<Check> {
    let (mut far, mut count) = (Vec::new(), 0);
    for ([name], [_, _, _, _, theirs]) in TABLE_4_4.lines::<1, 5>() {
        let Some(own) = results.column(name).and_then(|at| part.tally(at).failure_rate()) else { continue };
        count += 1;
        if (own - theirs).abs() > 3.0 {
            far.push(format!("{name} {own:.2} for {theirs:.2}"));
        }
    }
    let detail = format!("{} of {count} are{}", count - far.len(), listed(&far));
    (count > 0).then(|| Check::new(far.is_empty(), detail))
}
