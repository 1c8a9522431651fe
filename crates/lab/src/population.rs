//! Jobs behind the values of a row: those over which its means are taken, of those that came.
//!
//! Rows of simulations have the columns `jobs` (submitted jobs), `counted` (completed jobs that count
//! in the metrics) and `trimmed` (completed jobs that do not, by the wish of the user). Other rows
//! have no such jobs, and nothing is said of them.

use crate::column::Role;
use crate::data::DataFrame;
use crate::groups::by_codes;

/// Fraction of the jobs above which those that are missing from means are told.
const MAX_MISSING: f64 = 0.01;

/// Columns with numbers of jobs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PopulationColumns {
    jobs: usize,
    counted: usize,
    trimmed: usize,
}

impl PopulationColumns {
    /// Finds the columns; `None` if the rows are not of simulated jobs.
    pub(crate) fn of(frame: &DataFrame) -> Option<PopulationColumns> {
        Some(PopulationColumns {
            jobs: frame.column_index("jobs")?,
            counted: frame.column_index("counted")?,
            trimmed: frame.column_index("trimmed")?,
        })
    }
    /// Returns the number of jobs that came and of those that completed.
    fn numbers(self, frame: &DataFrame, row: usize) -> Option<(f64, f64)> {
        let of = |column| frame.number(row, column);
        Some((of(self.jobs)?, of(self.counted)? + of(self.trimmed)?))
    }
    /// Returns whether the means of two rows are over different numbers of the same jobs.
    pub(crate) fn differ(self, a: (&DataFrame, usize), b: (&DataFrame, usize)) -> bool {
        let (Some((came, of_a)), Some((_, of_b))) = (self.numbers(a.0, a.1), self.numbers(b.0, b.1)) else {
            return false;
        };
        (of_a - of_b).abs() > MAX_MISSING * came
    }
}

/// Describes the variants with jobs that did not complete, which are missing from their means, if
/// they are more than a hundredth of the jobs: one line for each labels and variant.
pub fn missing_jobs(frame: &DataFrame) -> Vec<String> {
    let Some(columns) = PopulationColumns::of(frame) else { return Vec::new() };
    let named = frame.with_role(&[Role::Label, Role::Variant]);
    let rows: Vec<usize> = (0..frame.len()).filter(|&row| columns.numbers(frame, row).is_some()).collect();
    let shown: Vec<usize> = named
        .iter()
        .copied()
        .filter(|&column| rows.iter().any(|&row| frame.code(row, column) != frame.code(rows[0], column)))
        .collect();
    let groups = by_codes(&rows, &|row| frame.codes(row, &named));
    let line = |rows: Vec<usize>| {
        let numbers = rows.iter().filter_map(|&row| columns.numbers(frame, row));
        let (came, done) = numbers.fold((0.0, 0.0), |sums, (came, done)| (sums.0 + came, sums.1 + done));
        let missing = came - done;
        let name =
            if shown.is_empty() { String::new() } else { format!("{}: ", frame.readable(rows[0], &shown)) };
        let part = 100.0 * missing / came;
        (missing > MAX_MISSING * came).then(|| {
            format!("{name}{missing} of {came} jobs ({part:.1} %) were rejected, killed or lost and are missing from the means")
        })
    };
    groups.into_iter().filter_map(line).collect()
}
