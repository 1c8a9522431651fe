//! Rows arranged for tables and claims: the two searches of each test case are paired.

use crate::rows::{OptimumRow, Row, SearchRow, StreamRow};
use crate::scenario::CoallocationFields;
use crate::{COLLECTIVE, SIMPLE};
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::{Bootstrap, Estimate, Long, average};
use std::collections::BTreeMap;

/// Both searches of a test case with the parameters of the scenario, and its optimum if that was
/// computed.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'a> {
    pub(crate) simple: &'a SearchRow,
    pub(crate) collective: &'a SearchRow,
    optimum: Option<&'a OptimumRow>,
}

/// Tolerance for equal utilisation factors. Two searches that end with the same nodes differ at most
/// by rounding.
const FACTOR_TOLERANCE: f64 = 1e-9;

/// Columns of table 2, which counts test cases.
pub(crate) const COUNTS: [&str; 6] =
    ["simple", "collective", "earlier", "equal", "better_simple", "better_collective"];

impl<'a> Pair<'a> {
    /// Returns the search of a kind.
    pub(crate) fn search(&self, kind: &str) -> &'a SearchRow {
        if kind == SIMPLE { self.simple } else { self.collective }
    }
    /// Returns the start and utilisation factor of the optimum, if it was computed and exists.
    pub(crate) fn optimum(&self) -> Option<(f64, f64)> {
        self.optimum.and_then(|optimum| optimum.start_s.zip(optimum.utilisation_factor))
    }
    pub(crate) fn both_solved(&self) -> bool {
        self.simple.is_solved() && self.collective.is_solved()
    }
    /// Returns the number of hours by which the collective request starts earlier, if both are
    /// solved.
    pub(crate) fn hours_earlier(&self) -> Option<f64> {
        let start = |row: &SearchRow| row.start_s.unwrap_or(0.0);
        self.both_solved().then(|| (start(self.simple) - start(self.collective)) / 3_600.0)
    }
    pub(crate) fn starts_earlier(&self) -> bool {
        self.hours_earlier().is_some_and(|hours| hours > 0.0)
    }
    fn starts_at_same_time(&self) -> bool {
        self.hours_earlier() == Some(0.0)
    }
    /// Computes the relative gain in utilisation factor of the collective over the simple request,
    /// if both start at the same time.
    pub(crate) fn gain(&self) -> Option<f64> {
        let (simple, collective) = (self.simple.utilisation_factor?, self.collective.utilisation_factor?);
        self.starts_at_same_time().then(|| collective / simple - 1.0)
    }
    /// Returns for each of the [`COUNTS`] if the test case belongs to it.
    pub(crate) fn counts(&self) -> [bool; 6] {
        [
            self.simple.is_solved(),
            self.collective.is_solved(),
            self.starts_earlier(),
            self.starts_at_same_time(),
            self.gain().is_some_and(|gain| gain < -FACTOR_TOLERANCE),
            self.gain().is_some_and(|gain| gain > FACTOR_TOLERANCE),
        ]
    }
}

/// All rows of a scenario.
pub(crate) struct Data<'a> {
    pub(crate) fields: &'a CoallocationFields,
    pairs: Vec<Pair<'a>>,
    /// Searches with the parameters of the scenario.
    pub(crate) searches: Vec<&'a SearchRow>,
    /// Searches with one parameter varied.
    pub(crate) varied: Vec<&'a SearchRow>,
    pub(crate) streams: Vec<&'a StreamRow>,
    bootstrap: Bootstrap,
}

impl<'a> Data<'a> {
    pub(crate) fn new(scenario: &'a Scenario<CoallocationFields>, rows: &'a Long<Row>) -> Data<'a> {
        let (searches, varied): (Vec<_>, Vec<_>) =
            rows.of::<SearchRow>().partition(|row| row.parameter.is_none());
        let of_optimum = |row: &'a OptimumRow| ((row.replication, row.size, row.case), row);
        let optima: BTreeMap<_, &OptimumRow> = rows.of().map(of_optimum).collect();
        let place = |row: &SearchRow| (row.replication, row.size, row.case);
        // The two kinds of a case are adjacent, unless one of them failed.
        let neighbours = searches.iter().zip(searches.iter().skip(1));
        let pairs = neighbours
            .filter(|(one, other)| {
                place(one) == place(other) && one.kind == SIMPLE && other.kind == COLLECTIVE
            })
            .map(|(simple, collective)| Pair {
                simple,
                collective,
                optimum: optima.get(&place(simple)).copied(),
            })
            .collect();
        let bootstrap = Bootstrap::for_tables(scenario.seed);
        Data { fields: &scenario.fields, pairs, searches, varied, streams: rows.of().collect(), bootstrap }
    }

    /// Returns the numbers of the replications.
    pub(crate) fn grids(&self) -> std::ops::Range<u32> {
        0..self.fields.replications
    }

    /// Returns the test cases of all sizes or of one, by grid.
    pub(crate) fn pairs(&self, size: Option<usize>) -> Vec<Vec<Pair<'a>>> {
        let mut by_grid = vec![Vec::new(); self.fields.replications as usize];
        for pair in &self.pairs {
            let SearchRow { size: of, replication, .. } = *pair.simple;
            if size.is_none_or(|size| of == size) {
                by_grid[replication as usize].push(*pair);
            }
        }
        by_grid
    }

    /// Computes the mean of the grids' values with a 95 % interval over the grids; `None` if no grid
    /// has a value.
    pub(crate) fn mean(&self, of_grids: impl IntoIterator<Item = Option<f64>>) -> Option<Estimate> {
        let values: Vec<f64> = of_grids.into_iter().flatten().collect();
        self.bootstrap.mean(&values)
    }

    /// Iterates over the rows of a setting of the parameter study.
    pub(crate) fn setting(&self, parameter: &str, value: usize) -> impl Iterator<Item = &'a SearchRow> {
        let is_it =
            move |row: &&SearchRow| row.parameter.as_deref() == Some(parameter) && row.value == Some(value);
        self.varied.iter().copied().filter(is_it)
    }

    /// Returns the mean times of the selected searches in milliseconds, if they were timed.
    pub(crate) fn search_ms(&self, is_one: impl Fn(&SearchRow) -> bool) -> Vec<f64> {
        let searches = self.searches.iter().filter(|row| is_one(row));
        searches.filter_map(|row| row.search_ms).collect()
    }

    /// Computes the shares of phases II to V in the total time of the selected searches; `None` if
    /// none was timed.
    pub(crate) fn phase_shares(&self, is_one: impl Fn(&SearchRow) -> bool) -> Option<[f64; 4]> {
        let mut sums = [0.0; 4];
        for row in self.searches.iter().filter(|row| is_one(row)) {
            let times = [row.phase_2_ms, row.phase_3_ms, row.phase_4_ms, row.phase_5_ms];
            sums.iter_mut().zip(times).for_each(|(sum, time)| *sum += time.unwrap_or(0.0));
        }
        let all: f64 = sums.iter().sum();
        (all > 0.0).then(|| sums.map(|sum| sum / all))
    }
}

/// Computes the fraction of the values that satisfy the predicate; `None` if there are none.
pub(crate) fn share<T>(values: impl IntoIterator<Item = T>, is_so: impl Fn(T) -> bool) -> Option<f64> {
    average(values.into_iter().map(|value| f64::from(u8::from(is_so(value)))))
}

/// Columns of table 3, which compares a kind of request with the optimum on one grid.
pub(crate) const OPTIMUM_COLUMNS: [&str; 5] =
    ["solved", "later_start", "mean_delay_h", "factor_of_optimum", "above_99_percent"];

/// Computes the values of [`OPTIMUM_COLUMNS`]: cases solved, later starts and their mean delay in
/// hours, the mean fraction of the optimal factor among those that start at its time, and cases with
/// more than 99 % of it.
pub(crate) fn compare_with_optimum(pairs: &[Pair<'_>], kind: &str) -> [Option<f64>; 5] {
    let solved: Vec<(&SearchRow, (f64, f64))> = (pairs.iter())
        .filter_map(|pair| Some((pair.search(kind), pair.optimum()?)))
        .filter(|(row, _)| row.is_solved())
        .collect();
    let delay = |(row, (start, _)): &(&SearchRow, (f64, f64))| Some((row.start_s? - start) / 3_600.0);
    let delays: Vec<f64> = solved.iter().filter_map(delay).filter(|&hours| hours > 0.0).collect();
    let at_optimum = solved.iter().filter(|(row, (start, _))| row.start_s == Some(*start));
    let parts: Vec<f64> =
        at_optimum.filter_map(|(row, (_, factor))| Some(row.utilisation_factor? / factor)).collect();
    [
        Some(solved.len() as f64),
        Some(delays.len() as f64),
        average(delays),
        average(parts.iter().copied()),
        Some(parts.iter().filter(|&&part| part > 0.99).count() as f64),
    ]
}

/// Counts the cases of a grid that have a solution.
pub(crate) fn count_solvable(pairs: &[Pair<'_>]) -> f64 {
    pairs.iter().filter(|pair| pair.optimum().is_some()).count() as f64
}
