//! What the text says of the results, checked on ours.
//!
//! A statement with a figure *holds* where the published figure lies in our 95 % interval over the grids, and one that
//! compares *holds* where the interval lies on the side that it says, *does not hold* where it lies on the other, and is
//! *open* in between. The level of use in the experiments is not known, so all are checked at each level.

use super::row::Row;
use super::sample::{Pair, average, mean, pairs};
use super::scenario::Scenario;
use super::tables::{beside_optimum, milliseconds, of_setting, optima, shares, solved};
use crate::Table;
use crate::comparison::Estimate;
use crate::tables::Cell;
use crate::tables::statistics::rank_correlation;

/// What is said of a figure.
enum Said {
    /// That it is this.
    Is(f64),
    /// That it is above this.
    Above(f64),
    /// That it is below this.
    Below(f64),
}

impl Said {
    fn verdict(&self, estimate: &Estimate) -> &'static str {
        let (low, high) = estimate.interval.unwrap_or((estimate.value, estimate.value));
        let (holds, fails) = match *self {
            Said::Is(figure) => ((low..=high).contains(&figure), !(low..=high).contains(&figure)),
            Said::Above(figure) => (low > figure, high <= figure),
            Said::Below(figure) => (high < figure, low >= figure),
        };
        match (holds, fails) {
            (true, _) => "holds",
            (_, true) => "does not hold",
            _ => "open",
        }
    }
}

struct Checks<'a> {
    scenario: &'a Scenario,
    rows: &'a [Row],
    usage: f64,
    lines: Vec<Vec<Cell>>,
}

/// All statements for which the scenario has what they are about.
pub(super) fn table(scenario: &Scenario, rows: &[Row]) -> Table {
    let mut checks = Checks { scenario, rows, usage: 0.0, lines: Vec::new() };
    for &usage in &scenario.usage {
        checks.usage = usage;
        checks.solutions();
        checks.optimum();
        checks.times();
    }
    checks.usage = scenario.usage[0];
    checks.parameters();
    Table::new(vec!["mean_use", "statement", "verdict", "ours", "low", "high"], checks.lines)
}

impl Checks<'_> {
    fn check(&mut self, statement: &str, said: &Said, of_grids: Vec<Option<f64>>) {
        if let Some(estimate) = mean(self.scenario, of_grids) {
            let interval = estimate.interval;
            self.lines.push(vec![
                Cell::Number(self.usage),
                Cell::Text(statement.to_owned()),
                Cell::Text(said.verdict(&estimate).to_owned()),
                Cell::Number(estimate.value),
                Cell::maybe(interval.map(|it| it.0)),
                Cell::maybe(interval.map(|it| it.1)),
            ]);
        }
    }

    fn grids(&self, size: Option<usize>) -> Vec<Vec<Pair<'_>>> {
        pairs(self.scenario, self.rows, self.usage, size)
    }

    /// Section 4.4, table 2.
    fn solutions(&mut self) {
        let of = |figure: &dyn Fn(&[Pair<'_>]) -> Option<f64>| -> Vec<Option<f64>> {
            self.grids(None).iter().map(|pairs| figure(pairs)).collect()
        };
        let count =
            |pairs: &[Pair<'_>], place: usize| pairs.iter().filter(|it| it.counts()[place]).count() as f64;
        let simple = of(&|pairs| solved(pairs, false));
        let collective = of(&|pairs| solved(pairs, true));
        let ratio = of(&|pairs| Some(solved(pairs, true)? / solved(pairs, false).filter(|it| *it > 0.0)?));
        let earlier = of(&|pairs| {
            let both = pairs.iter().filter(|pair| pair.both_solved());
            average(both.map(|pair| f64::from(u8::from(pair.starts_earlier()))))
        });
        let hours = of(&|pairs| average(pairs.iter().filter_map(Pair::hours_earlier).filter(|&it| it > 0.0)));
        let better = of(&|pairs| Some(count(pairs, 5) / Some(count(pairs, 4)).filter(|it| *it > 0.0)?));
        let gain = of(&|pairs| average(pairs.iter().filter_map(Pair::gain)));
        let sizes = |pairs: &[Pair<'_>]| -> Vec<(f64, f64)> {
            let of_size = |&size: &usize| {
                let those: Vec<Pair<'_>> =
                    pairs.iter().copied().filter(|it| it.simple.size == Some(size)).collect();
                Some((size as f64, solved(&those, true)?))
            };
            self.scenario.sizes.iter().filter_map(of_size).collect()
        };
        let correlation = of(&|pairs| rank_correlation(&sizes(pairs)));
        let improvement = of(&|pairs| {
            let rows = pairs.iter().map(|pair| pair.collective).filter(|row| row.is_solved());
            average(
                rows.filter_map(|row| Some(row.factor? / row.factor_before.filter(|it| *it > 0.0)? - 1.0)),
            )
        });
        self.check("simple requests solve 27 % of the cases", &Said::Is(0.27), simple);
        self.check("collective requests solve 60 % of the cases", &Said::Is(0.60), collective);
        self.check(
            "collective requests solve twice as many cases (more than 1.5 times)",
            &Said::Above(1.5),
            ratio,
        );
        self.check(
            "of the cases that both solve, 18 % start earlier as collective ones",
            &Said::Is(0.18),
            earlier,
        );
        self.check("these start 3 h earlier on average", &Said::Is(3.0), hours);
        self.check(
            "at equal starts, collective requests have the better utilisation more than 3 times as often",
            &Said::Above(3.0),
            better,
        );
        self.check("at equal starts, the utilisation factor is 8.5 % better", &Said::Is(0.085), gain);
        self.check(
            "no rank correlation of size and solved cases: it is above -0.5",
            &Said::Above(-0.5),
            correlation.clone(),
        );
        self.check(
            "no rank correlation of size and solved cases: it is below 0.5",
            &Said::Below(0.5),
            correlation,
        );
        self.check("phase V improves the utilisation factor by 10 %", &Said::Is(0.10), improvement);
    }

    /// Section 4.4, table 3.
    fn optimum(&mut self) {
        if !self.scenario.optimum.contains(&5) {
            return;
        }
        let grids = self.grids(Some(5));
        let found = |pairs: &[Pair<'_>]| -> Option<f64> {
            Some(beside_optimum(pairs, "collective")[0]? / Some(optima(pairs)).filter(|it| *it > 0.0)?)
        };
        let of = |kind: &str, place: usize| -> Vec<Option<f64>> {
            grids.iter().map(|pairs| beside_optimum(pairs, kind)[place]).collect()
        };
        let all = grids.iter().map(|pairs| found(pairs)).collect();
        let part = |kind: &str| -> Vec<Option<f64>> {
            grids
                .iter()
                .map(|pairs| {
                    Some(
                        beside_optimum(pairs, kind)[1]?
                            / beside_optimum(pairs, kind)[0].filter(|it| *it > 0.0)?,
                    )
                })
                .collect()
        };
        let (factors, simple_factors) = (of("collective", 3), of("simple", 3));
        let (later, simple_later) = (part("collective"), part("simple"));
        self.check(
            "for 5 resources, the search solves all cases that have a solution (at least 99 %)",
            &Said::Above(0.99),
            all,
        );
        self.check(
            "for 5 resources, 5 % of the solved cases start later than possible",
            &Said::Is(3.0 / 59.0),
            later,
        );
        self.check(
            "for 5 resources, 26 % of those solved as simple requests do",
            &Said::Is(7.0 / 27.0),
            simple_later,
        );
        self.check(
            "for 5 resources, the utilisation factor is 92 % of the optimum",
            &Said::Is(0.92),
            factors,
        );
        self.check("for 5 resources, that of simple requests is 84 % of it", &Said::Is(0.84), simple_factors);
    }

    /// Sections 4.3 and 4.5.
    fn times(&mut self) {
        let of = |size: usize, is_one: &dyn Fn(&Row) -> bool| -> Vec<Option<f64>> {
            let ms = |grid| {
                let is_one = |row: &Row| row.grid == grid && row.size == Some(size) && is_one(row);
                average(milliseconds(self.rows, self.usage, is_one))
            };
            (0..self.scenario.grids).map(ms).collect()
        };
        let (small, large) =
            (of(15, &|row| row.kind == "collective"), of(60, &|row| row.kind == "collective"));
        let simple = of(15, &|row| row.kind == "simple");
        let ratio = small.iter().zip(&simple).map(|(one, other)| Some((*one)? / (*other)?)).collect();
        let growth = small.iter().zip(&large).map(|(one, other)| Some((*other)? / (*one)?)).collect();
        self.check("a search for 15 resources takes less than 100 ms", &Said::Below(100.0), small);
        self.check("a search for 60 resources takes less than 1,000 ms", &Said::Below(1_000.0), large);
        self.check("a search for more resources takes longer (60 over 15)", &Said::Above(1.0), growth);
        self.check(
            "the simple approach is faster (collective over simple, 15 resources)",
            &Said::Above(1.0),
            ratio,
        );
        self.phase_times();
    }

    /// Section 4.5, of collective requests.
    fn phase_times(&mut self) {
        let of = |phase: usize, is_one: &dyn Fn(&Row) -> bool| -> Vec<Option<f64>> {
            let share = |grid| {
                let is_one = |row: &Row| row.grid == grid && row.kind == "collective" && is_one(row);
                Some(shares(self.rows, self.usage, is_one)?[phase])
            };
            (0..self.scenario.grids).map(share).collect()
        };
        let (second, third) = (of(0, &|_| true), of(1, &|_| true));
        let hard = of(2, &|row| !row.is_solved());
        let easy = of(3, &Row::is_solved);
        self.check("phase II takes less than 1 % of the search time", &Said::Below(0.01), second);
        self.check("phase III takes around 5 % of the search time", &Said::Is(0.05), third);
        self.check("without a solution, phase IV takes most of the time", &Said::Above(0.5), hard);
        self.check("with a solution, phase V takes most of the time", &Said::Above(0.5), easy);
    }

    /// Section 4.3.
    fn parameters(&mut self) {
        let of = |setting: &str| -> Vec<Option<f64>> {
            let grid = |grid| {
                average(
                    of_setting(self.rows, setting)
                        .filter(|row| row.grid == grid)
                        .map(|row| row.solved as f64),
                )
            };
            (0..self.scenario.grids).map(grid).collect()
        };
        let ratio = |one: &str, other: &str| -> Vec<Option<f64>> {
            of(one)
                .iter()
                .zip(of(other))
                .map(|(one, other)| Some((*one)? / other.filter(|it| *it > 0.0)?))
                .collect()
        };
        let (two, four) = (ratio("M = 3", "M = 2"), ratio("M = 3", "M = 4"));
        let effort = ratio("L1 = 50", "L1 = 7");
        let factor = |setting: &str, grid: u32| {
            let rows = of_setting(self.rows, setting).filter(|row| row.grid == grid && row.is_solved());
            average(rows.filter_map(|row| row.factor))
        };
        let quality = (0..self.scenario.grids)
            .map(|grid| Some(factor("L2 = 50", grid)? / factor("L2 = 10", grid)?))
            .collect();
        self.check("M = 3 finds 50 % more solutions than M = 2", &Said::Is(1.5), two);
        self.check("M = 3 finds 7 % fewer solutions than M = 4", &Said::Is(0.93), four);
        self.check("L1 = 7 suffices: L1 = 50 finds less than 5 % more", &Said::Below(1.05), effort);
        self.check(
            "L2 = 10 suffices: L2 = 50 has a factor less than 5 % better",
            &Said::Below(1.05),
            quality,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_holds_where_the_interval_lies_on_its_side() {
        let verdict = |said: Said, low, high| {
            said.verdict(&Estimate { value: f64::midpoint(low, high), interval: Some((low, high)) })
        };
        assert_eq!(verdict(Said::Is(0.6), 0.5, 0.7), "holds");
        assert_eq!(verdict(Said::Is(0.6), 0.61, 0.7), "does not hold");
        assert_eq!(verdict(Said::Above(3.0), 3.1, 4.0), "holds");
        assert_eq!(verdict(Said::Above(3.0), 2.0, 4.0), "open");
        assert_eq!(verdict(Said::Above(3.0), 1.0, 2.0), "does not hold");
        assert_eq!(verdict(Said::Below(100.0), 1.0, 2.0), "holds");
        assert_eq!(verdict(Said::Below(100.0), 99.0, 101.0), "open");
        assert_eq!(verdict(Said::Below(100.0), 101.0, 120.0), "does not hold");
    }
}
