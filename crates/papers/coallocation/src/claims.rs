//! Claims of the text about the results (`claims.toml`), checked on ours.
//!
//! A claim with a value *holds* if the published value lies in our 95 % interval over the grids. A
//! comparison *holds* if the interval lies on the claimed side, *fails* if it lies on the other, and
//! is *open* in between.
//!
//! The measures are computed here and not by queries: they compare the two searches of a case, or are
//! ratios of sums over a grid, whose interval is that of the ratio and not of a mean of ratios.

use crate::pairs::{Data, Pair, compare_with_optimum, count_solvable, share};
use crate::rows::SearchRow;
use crate::{COLLECTIVE, SIMPLE, published};
use dfrsim_lab::query::{Cells, ClaimChecker, Entries, sources};
use dfrsim_lab::{Claim, average, mean, rank_correlation};
use std::collections::BTreeMap;
use std::sync::LazyLock;

static CLAIMS: LazyLock<Entries> =
    LazyLock::new(|| Entries::new("coallocation/claims.toml", include_str!("../claims.toml")));

/// Values by grid; `None` for grids without one.
type Values = Vec<Option<f64>>;

/// Function that computes a value from the cases of a grid.
type PairFunction<'a> = dyn Fn(&[Pair<'_>]) -> Option<f64> + 'a;

/// Measure of a claim: its name, its values, and the value in the published tables, if they have
/// one.
type Measure = (&'static str, Values, Option<f64>);

/// Returns the claims that the scenario can decide.
pub(crate) fn claims(data: &Data<'_>) -> Vec<Claim> {
    let results = Measured(data);
    let parts = [results.solutions(), results.optimum(), results.times(), parameters(data)];
    evaluate_claims(data, &parts.concat())
}

/// Evaluates the claims about these measures.
fn evaluate_claims(data: &Data<'_>, measures: &[Measure]) -> Vec<Claim> {
    let names: Vec<&'static str> = measures.iter().map(|(name, ..)| *name).collect();
    let none = || Cells::new(&["grid"], &names, &["grid"]);
    let (mut ours, mut tables) = (none(), none());
    for grid in data.grids() {
        ours.push([grid.to_string().as_str()], measures.iter().map(|(_, values, _)| values[grid as usize]));
    }
    tables.push(["published"], measures.iter().map(|(.., published)| *published));
    let each = ours.split("grid");
    let judge = ClaimChecker {
        replications: sources(&each),
        published: vec![&tables],
        estimate: &|values| data.mean(values.iter().copied().map(Some)),
        ..ClaimChecker::without_replications(&ours)
    };
    judge.claims(CLAIMS.iter())
}

/// Computes the quotient; `None` if the divisor is not positive.
fn quotient(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    Some(one? / other.filter(|it| *it > 0.0)?)
}

/// Computes the quotients of two values of each grid.
fn quotients(ones: &[Option<f64>], others: &[Option<f64>]) -> Values {
    ones.iter().zip(others).map(|(one, other)| quotient(*one, *other)).collect()
}

/// Computes values by grid whose mean is the ratio of two sums over the grids, and whose spread is
/// that of the ratio (linearised). A grid in which one side is 0 counts like any other.
fn ratio(ones: &[Option<f64>], others: &[Option<f64>]) -> Values {
    let pairs: Vec<Option<(f64, f64)>> =
        ones.iter().zip(others).map(|(one, other)| one.zip(*other)).collect();
    let (above, below) =
        pairs.iter().flatten().fold((0.0, 0.0), |sums, pair| (sums.0 + pair.0, sums.1 + pair.1));
    let mean = below / pairs.iter().flatten().count() as f64;
    let of_grid = |(one, other): (f64, f64)| above / below + (one - above / below * other) / mean;
    pairs.into_iter().map(|pair| pair.filter(|_| below > 0.0).map(of_grid)).collect()
}

/// Measures of the results, apart from those of the parameter study.
struct Measured<'a>(&'a Data<'a>);

impl Measured<'_> {
    /// Returns a function that evaluates the cases of each grid, of one size or of all.
    fn of_pairs(&self, size: Option<usize>) -> impl Fn(&PairFunction<'_>) -> Values {
        let grids = self.0.pairs(size);
        move |value| grids.iter().map(|pairs| value(pairs)).collect()
    }

    /// Computes a value from the searches of each grid, given a predicate that selects them.
    fn of_grids(&self, of: impl Fn(&dyn Fn(&SearchRow) -> bool) -> Option<f64>) -> Values {
        self.0.grids().map(|grid| of(&|row: &SearchRow| row.replication == grid)).collect()
    }

    fn solutions(&self) -> Vec<Measure> {
        let of = self.of_pairs(None);
        let solved = |pairs: &[Pair<'_>], kind: &str| share(pairs, |pair| pair.search(kind).is_solved());
        let counted =
            |place: usize| of(&|pairs| Some(pairs.iter().filter(|pair| pair.counts()[place]).count() as f64));
        let correlation = |kind: &str| {
            let of_sizes = |pairs: &[Pair<'_>]| {
                let of_size = |&size: &usize| {
                    let own = pairs.iter().copied().filter(|pair| pair.simple.size == size);
                    Some((size as f64, solved(&own.collect::<Vec<_>>(), kind)?))
                };
                let sizes: Vec<_> = self.0.fields.sizes.iter().filter_map(of_size).collect();
                rank_correlation(&sizes).map(f64::abs).filter(|_| self.0.fields.sizes.len() == 6)
            };
            (of(&of_sizes), published::correlation_of_size(kind).map(f64::abs))
        };
        let improvement = |pairs: &[Pair<'_>]| {
            let rows = pairs.iter().map(|pair| pair.collective).filter(|row| row.is_solved());
            average(rows.filter_map(|row| {
                Some(quotient(row.utilisation_factor, row.utilisation_factor_before)? - 1.0)
            }))
        };
        let rejected = |size: usize| {
            let sum = |value: fn(&SearchRow) -> usize| {
                self.of_grids(|is_of_grid| {
                    let is_meant =
                        |row: &&&SearchRow| is_of_grid(row) && row.kind == COLLECTIVE && row.size == size;
                    Some(self.0.searches.iter().filter(is_meant).map(|row| value(row)).sum::<usize>() as f64)
                })
            };
            ratio(&sum(|row| row.without_totals), &sum(|row| row.searches - row.solved))
        };
        let [by_simple, by_collective, is_earlier, is_equal, simple_better, collective_better] =
            published::TABLE_2.find(["all"]).expect("table 2 has a line for all sizes");
        let all = (published::CASES * dfrsim_coallocation::planetlab::SIZES.len()) as f64;
        let simple = of(&|pairs| solved(pairs, SIMPLE));
        let collective = of(&|pairs| solved(pairs, COLLECTIVE));
        let twice = ratio(&collective, &simple);
        let earlier =
            of(&|pairs| share(pairs.iter().filter(|pair| pair.both_solved()), Pair::starts_earlier));
        let hours = of(&|pairs| average(pairs.iter().filter_map(Pair::hours_earlier).filter(|&it| it > 0.0)));
        let (of_simple, of_collective) = (correlation(SIMPLE), correlation(COLLECTIVE));
        vec![
            ("solved by simple", simple, Some(by_simple / all)),
            ("solved by collective", collective, Some(by_collective / all)),
            ("solved, collective over simple", twice, Some(by_collective / by_simple)),
            ("earlier", earlier, Some(is_earlier / (is_earlier + is_equal))),
            ("hours earlier", hours, None),
            (
                "better factors, collective over simple",
                ratio(&counted(5), &counted(4)),
                Some(collective_better / simple_better),
            ),
            ("gain", of(&|pairs| average(pairs.iter().filter_map(Pair::gain))), None),
            ("correlation with the size, simple", of_simple.0, of_simple.1),
            ("correlation with the size, collective", of_collective.0, of_collective.1),
            ("improvement", of(&improvement), None),
            ("rejected of 5", rejected(5), None),
            ("rejected of 10", rejected(10), None),
        ]
    }

    /// Returns the measures of requests for 5 resources, relative to the optimum.
    fn optimum(&self) -> Vec<Measure> {
        if !self.0.fields.optimum.contains(&5) {
            return Vec::new();
        }
        let of = self.of_pairs(Some(5));
        let value = |kind: &'static str, place: usize| of(&|pairs| compare_with_optimum(pairs, kind)[place]);
        let of_solved = |kind, place| ratio(&value(kind, place), &value(kind, 0));
        let all = ratio(&value(COLLECTIVE, 0), &of(&|pairs| Some(count_solvable(pairs))));
        let [collective, simple] =
            [COLLECTIVE, SIMPLE].map(|kind| published::TABLE_3.find::<1, 5>([kind]).unwrap_or_default());
        vec![
            // "A brute-force search finds a solution in 59 test cases."
            ("solved of the solvable", all, Some(collective[0] / 59.0)),
            ("later, collective", of_solved(COLLECTIVE, 1), Some(collective[1] / collective[0])),
            ("later, simple", of_solved(SIMPLE, 1), Some(simple[1] / simple[0])),
            ("part of the optimal factor, collective", value(COLLECTIVE, 3), Some(collective[3])),
            ("part of the optimal factor, simple", value(SIMPLE, 3), Some(simple[3])),
            ("nearly optimal, collective", of_solved(COLLECTIVE, 4), Some(collective[4] / collective[0])),
            ("nearly optimal, simple", of_solved(SIMPLE, 4), Some(simple[4] / simple[0])),
            ("hours late, collective", value(COLLECTIVE, 2), Some(collective[2])),
            ("hours late, simple", value(SIMPLE, 2), Some(simple[2])),
        ]
    }

    fn times(&self) -> Vec<Measure> {
        let ms = |is_one: &dyn Fn(&SearchRow) -> bool| {
            self.of_grids(|is_of_grid| average(self.0.search_ms(|row| is_of_grid(row) && is_one(row))))
        };
        let of = |size: usize, kind: &str| ms(&|row| row.size == size && row.kind == kind);
        let over_simple = |solved: bool| {
            let of_kind = |kind: &str| ms(&|row| row.kind == kind && row.is_solved() == solved);
            quotients(&of_kind(COLLECTIVE), &of_kind(SIMPLE))
        };
        let phase = |phase: usize, solved: Option<bool>| {
            self.of_grids(|is_of_grid| {
                let is_one = |row: &SearchRow| {
                    is_of_grid(row)
                        && row.kind == COLLECTIVE
                        && solved.is_none_or(|solved| row.is_solved() == solved)
                };
                Some(self.0.phase_shares(is_one)?[phase])
            })
        };
        let (small, large, simple) = (of(15, COLLECTIVE), of(60, COLLECTIVE), of(15, SIMPLE));
        let (growth, slower) = (quotients(&large, &small), quotients(&small, &simple));
        let without = quotients(&over_simple(false), &over_simple(true));
        [
            ("ms for 15", small),
            ("ms for 60", large),
            ("ms, 60 over 15", growth),
            ("ms, collective over simple", slower),
            ("ms, collective over simple, without over with a solution", without),
            ("phase II", phase(0, None)),
            ("phase III", phase(1, None)),
            ("phase IV without a solution", phase(2, Some(false))),
            ("phase V with a solution", phase(3, Some(true))),
        ]
        .map(|(name, values)| (name, values, None))
        .into()
    }
}

/// Returns the measures of the parameter study.
fn parameters(data: &Data<'_>) -> Vec<Measure> {
    let of = |value: &dyn Fn(&SearchRow) -> Option<f64>, parameter: &str, setting: usize| -> Values {
        let grid = |grid| {
            let rows = data.setting(parameter, setting).filter(|row| row.replication == grid);
            average(rows.filter_map(value))
        };
        data.grids().map(grid).collect()
    };
    let over = |value: &dyn Fn(&SearchRow) -> Option<f64>, parameter, one, other| {
        ratio(&of(value, parameter, one), &of(value, parameter, other))
    };
    let solved = |row: &SearchRow| Some(row.solved as f64);
    let factor = |row: &SearchRow| row.utilisation_factor.filter(|_| row.is_solved());
    let unsolved_ms = |row: &SearchRow| row.search_ms.filter(|_| !row.is_solved());
    let linear = |parameter: &str| -> Values {
        let grid = |grid| {
            let is_one =
                |row: &&&SearchRow| row.replication == grid && row.parameter.as_deref() == Some(parameter);
            let mut times: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
            for row in data.varied.iter().filter(is_one) {
                times.entry(row.value?).or_default().push(row.search_ms?);
            }
            let means: Vec<(f64, f64)> =
                times.into_iter().map(|(value, times)| (value as f64, mean(&times))).collect();
            rank_correlation(&means)
        };
        data.grids().map(grid).collect()
    };
    let worth = quotients(&over(&solved, "M", 8, 4), &over(&|row| row.search_ms, "M", 8, 4));
    [
        ("solved, M = 3 over 2", over(&solved, "M", 3, 2)),
        ("solved, M = 3 over 4", over(&solved, "M", 3, 4)),
        ("solved, L1 = 50 over 7", over(&solved, "L1", 50, 7)),
        ("factor, L1 = 50 over 7", over(&factor, "L1", 50, 7)),
        ("solved over ms, M = 8 over 4", worth),
        ("factor, L2 = 50 over 10", over(&factor, "L2", 50, 10)),
        ("ms without a solution, M = 4 over 3", over(&unsolved_ms, "M", 4, 3)),
        ("ms by L1", linear("L1")),
        ("ms by L2", linear("L2")),
    ]
    .map(|(name, values)| (name, values, None))
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{OptimumRow, Row};
    use crate::scenario::CoallocationFields;
    use dfrsim_lab::Verdict;
    use dfrsim_lab::fields::{Scenario, defaults};
    use dfrsim_lab::{KeyBuilder, Long, Record};

    /// Two grids with 1 and 0 of 2 and 6: an eighth, not the mean of a half and 0. The values of the grids are
    /// 1/8 + (1 - 2/8) / 4 and 1/8 + (0 - 6/8) / 4.
    #[test]
    fn grids_with_a_zero_on_one_side_count_in_ratios() {
        let found = ratio(&[Some(1.0), Some(0.0)], &[Some(2.0), Some(6.0)]);
        assert_eq!(found, [Some(0.3125), Some(-0.0625)]);
        let one_sided = ratio(&[Some(3.0), Some(1.0), None], &[Some(0.0), Some(2.0), Some(1.0)]);
        assert_eq!(average(one_sided.into_iter().flatten()), Some(2.0));
        assert_eq!(ratio(&[Some(1.0)], &[Some(0.0)]), [None]);
    }

    /// Kind, start and utilisation factor of both searches, and of the optimum, of five cases of a
    /// size. Case 0: the collective request starts an hour earlier. Cases 1 to 3: equal starts, twice
    /// with a better collective request, once with a better simple one. Case 4: only the collective one
    /// is solved.
    const CASES: [[Option<(f64, f64)>; 3]; 5] = [
        [Some((7_200.0, 0.5)), Some((3_600.0, 0.5)), Some((0.0, 0.9))],
        [Some((0.0, 0.5)), Some((0.0, 0.6)), Some((0.0, 0.8))],
        [Some((0.0, 0.5)), Some((0.0, 0.7)), Some((0.0, 0.7))],
        [Some((0.0, 0.5)), Some((0.0, 0.4)), Some((0.0, 0.8))],
        [None, Some((0.0, 0.8)), Some((0.0, 0.8))],
    ];

    fn rows(fields: &CoallocationFields) -> Long<Row> {
        let mut rows = Vec::new();
        let key = KeyBuilder::new("coallocation", 0).key();
        let mut push = |row| rows.push(Record { key, outcome: Ok(row) });
        for replication in 0..fields.replications {
            for &size in &fields.sizes {
                for (case, [simple, collective, optimum]) in (0..).zip(CASES) {
                    for (kind, found) in [(SIMPLE, simple), (COLLECTIVE, collective)] {
                        push(Row::Search(SearchRow {
                            usage: 0.1,
                            replication,
                            size,
                            case,
                            kind: kind.to_owned(),
                            searches: 10,
                            solved: if found.is_some() { 10 } else { 0 },
                            start_s: found.map(|it| it.0),
                            utilisation_factor: found.map(|it| it.1),
                            utilisation_factor_before: found.map(|it| it.1 / 1.1),
                            ..SearchRow::default()
                        }));
                    }
                    push(Row::Optimum(OptimumRow {
                        usage: 0.1,
                        replication,
                        size,
                        case,
                        start_s: optimum.map(|it| it.0),
                        utilisation_factor: optimum.map(|it| it.1),
                    }));
                }
            }
        }
        Long { records: rows }
    }

    /// Checks values by hand: four and five of five cases are solved; one of four starts earlier, by
    /// an hour; gains are 20, 40 and -20 %, 13.3 % on average. Compared with the optimum, one of
    /// five starts later, and the others have 0.75, 1, 0.5 and 1 of its factor.
    #[test]
    fn values_by_hand_and_statements_on_the_published_tables() {
        let fields = CoallocationFields {
            replications: 2,
            sizes: vec![2, 5],
            usage: 0.1,
            ..defaults::<CoallocationFields>().unwrap()
        };
        let scenario = Scenario {
            title: String::new(),
            seed: 1,
            objective: None,
            only: None,
            uses: dfrsim_lab::fields::Uses::default(),
            fields,
        };
        let rows = rows(&scenario.fields);
        let data = Data::new(&scenario, &rows);
        let results = Measured(&data);
        let measures = [results.solutions(), results.optimum(), results.times(), parameters(&data)].concat();
        let names: Vec<&'static str> = measures.iter().map(|(name, ..)| *name).collect();
        assert_eq!(CLAIMS.undefined_names(&Cells::new(&["grid"], &names, &[])), [""; 0]);
        let claims = claims(&data);
        let ours = [0.8, 1.0, 1.25, 0.25, 1.0, 2.0, 0.4 / 3.0, 0.1, 1.0, 0.2, 0.25, 3.25 / 4.0];
        let later_simple = (0.625 + 0.5 / 0.7 + 0.625) / 3.0;
        for (claim, ours) in claims.iter().zip(ours.into_iter().chain([later_simple, 0.4, 0.0, 1.0, 2.0])) {
            assert!((claim.ours.unwrap() - ours).abs() < 1e-12, "{claim:?}");
        }
        assert_eq!(claims.len(), 17);
        // The claims of the text hold on its own tables and numbers.
        assert!(claims.iter().all(|claim| claim.verdict_published == Some(Verdict::Holds)));
        let correlations = [SIMPLE, COLLECTIVE].map(|kind| published::correlation_of_size(kind).unwrap());
        assert!(correlations.iter().all(|it| it.abs() < 0.886), "{correlations:?}");
    }
}
