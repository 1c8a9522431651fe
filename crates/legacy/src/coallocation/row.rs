//! The rows of the study.

use crate::column::columns;

columns! {
    /// What all repetitions of one search came to, or a stream of requests. Columns that do not apply are empty.
    pub(super) struct Row {
        /// What the row is about: `case`, `variation` or `stream`.
        pub(super) part: String,
        /// The mean level of use.
        pub(super) usage: f64,
        /// Which of the grids, from 0.
        pub(super) grid: u32,
        /// How many resources are asked for.
        pub(super) size: Option<usize>,
        /// Which of the test cases, from 0.
        pub(super) case: Option<u32>,
        /// `simple` or `collective`.
        pub(super) kind: String,
        /// The parameter that is varied, and its value.
        pub(super) setting: String,
        /// How many searches there were, or requests.
        pub(super) searches: usize,
        /// How many of them had a solution.
        pub(super) solved: usize,
        /// The median start of the solutions, in seconds (of repetitions), or their mean wait (of a stream).
        pub(super) start: Option<f64>,
        /// The mean utilisation factor of the solutions with the median start, or the mean utilisation of a stream.
        pub(super) factor: Option<f64>,
        /// The same before phase V.
        pub(super) factor_before: Option<f64>,
        /// The searches that ended in phase I, with too few resources.
        pub(super) without_resources: Option<usize>,
        /// The searches that ended in phase II.
        pub(super) without_totals: Option<usize>,
        /// The start of the optimum of the collective request, in seconds; nothing if there is no solution, or it was not
        /// looked for.
        pub(super) optimum_start: Option<f64>,
        /// The utilisation factor of that optimum.
        pub(super) optimum_factor: Option<f64>,
        /// The mean time of a search, in milliseconds; only if it is measured.
        pub(super) milliseconds: Option<f64>,
        /// The same of phase II alone.
        pub(super) phase_2_ms: Option<f64>,
        /// Of phase III.
        pub(super) phase_3_ms: Option<f64>,
        /// Of phase IV.
        pub(super) phase_4_ms: Option<f64>,
        /// Of phase V.
        pub(super) phase_5_ms: Option<f64>,
    }
}

impl Row {
    /// Whether most of the repetitions have a solution.
    pub(super) fn is_solved(&self) -> bool {
        2 * self.solved > self.searches
    }
}
