//! Requirements on the heuristic. The texts leave heuristics to future work, so there are no
//! published values.

use crate::rows::Row;
use crate::scenario::Changes;
use crate::tables::gaps;
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::query::Limit;
use dfrsim_lab::{Bootstrap, Claim, Long, Verdict, by_sorted_key};

/// Budgets at which gaps are checked, in percent of the cost of moving everything.
const CHECKED_BUDGETS: [f64; 3] = [10.0, 25.0, 50.0];

/// Requirements at these budgets, in percent of the optimum: the largest mean gap and the largest
/// gap.
const MAX_MEAN_GAP: f64 = 2.0;
const MAX_GAP: f64 = 15.0;

const SOURCE: &str = "own requirement";

pub(crate) fn all(scenario: &Scenario<Changes>, rows: &Long<Row>) -> Vec<Claim> {
    scenario.costs.iter().flat_map(|cost| of_cost(scenario.seed, &cost.to_string(), rows)).collect()
}

fn of_cost(seed: u64, cost: &str, rows: &Long<Row>) -> Vec<Claim> {
    // The problems of one change are not independent, so they form a block.
    let changes = by_sorted_key(rows.ok().filter(|row| row.cost == cost), |row| row.replication);
    let judged = |rows: &Vec<&Row>| {
        gaps(rows.iter().copied().filter(|row| CHECKED_BUDGETS.contains(&row.budget_percent)))
            .into_iter()
            .map(|gap| 100.0 * gap)
            .collect()
    };
    let blocks: Vec<Vec<f64>> =
        changes.values().map(judged).filter(|gaps: &Vec<f64>| !gaps.is_empty()).collect();
    let mut claims = Vec::new();
    if let Some(estimates) = Bootstrap::for_tables(seed).estimates(&blocks) {
        let all = blocks.concat();
        let max = all.iter().copied().fold(f64::MIN, f64::max);
        let over = format!("{} changes count, {} problems", blocks.len(), all.len());
        let text = "at 10, 25 and 50 % the mean gap is at most 2 %";
        claims.push(Limit::at_most(MAX_MEAN_GAP).claim(SOURCE, text, estimates.mean, &over));
        let verdict = Verdict::from_bool(max <= MAX_GAP);
        claims.push(
            Claim::new(SOURCE, "at 10, 25 and 50 % the largest gap is at most 15 %", verdict, over)
                .with_values(Some(max), None),
        );
    }
    let exceeded = |row: &&Row| {
        [row.optimum_moved, row.found_moved].into_iter().flatten().any(|moved| moved > row.budget)
    };
    let own = || changes.values().flatten();
    let falls = |rows: &Vec<&Row>| {
        let mut rows = rows.clone();
        rows.sort_by(|a, b| a.budget_percent.total_cmp(&b.budget_percent));
        rows.windows(2).filter(|pair| pair[1].found < pair[0].found).count()
    };
    let (exceeded, falls) =
        (own().filter(|row| exceeded(row)).count(), changes.values().map(falls).sum::<usize>());
    claims.push(Claim::new(
        SOURCE,
        "no budget is exceeded, and no yield falls as the budget grows",
        Verdict::from_bool(exceeded + falls == 0),
        format!("{} problems: {exceeded} budgets exceeded, {falls} yields that fall", own().count()),
    ));
    claims.into_iter().map(|claim| claim.within(cost)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::tests::row;
    use dfrsim_lab::{KeyBuilder, Record};

    /// Two changes, at 10 and 25 %: the gaps of the first are 0 and 1 - 0.49 / 0.5 = 2 %, those of
    /// the second as given.
    fn verdicts(second: [Option<f64>; 2]) -> Vec<(Verdict, Option<f64>)> {
        let rows = [
            row(0, 10.0, 0.5, Some(0.5)),
            row(0, 25.0, 0.5, Some(0.49)),
            row(1, 25.0, 0.5, second[1]),
            row(1, 10.0, 0.5, second[0]),
        ];
        let key = KeyBuilder::new("test", 1).key();
        let records = rows.into_iter().map(|row| Record { key, outcome: Ok(row) }).collect();
        let claims = of_cost(1, "moves", &Long { records });
        claims.iter().map(|claim| (claim.verdict, claim.ours.map(f64::round))).collect()
    }

    #[test]
    fn verdicts_follow_gaps_and_yields() {
        use Verdict::{Fails, Holds, Open};
        // The first change already falls from 0.5 to 0.49.
        assert_eq!(verdicts([Some(0.5); 2]), [(Holds, Some(1.0)), (Holds, Some(2.0)), (Fails, None)]);
        // 0, 2, 1 and 1 %.
        assert_eq!(verdicts([Some(0.495); 2])[0], (Holds, Some(1.0)));
        // 0, 2, 100 and 100 %.
        assert_eq!(verdicts([None; 2])[..2], [(Open, Some(51.0)), (Fails, Some(100.0))]);
    }
}
