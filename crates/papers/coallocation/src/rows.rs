//! Rows: repeated searches, optima and streams.

use dfrsim_coallocation::StreamOutcome;
use dfrsim_lab::{columns, mean, row_types};
use dfrsim_model::SimSpan;

columns! {
    /// All repetitions of a search for a test case.
    pub struct SearchRow {
        /// The mean level of use of the grid.
        label pub usage: f64,
        /// Which of the grids, from 0.
        instance pub replication: u32,
        /// How many nodes are asked for.
        label pub size: usize,
        /// Which of the test cases of this size, from 0.
        instance pub case: u32,
        /// The kind of request: `simple` or `collective`.
        variant pub kind: String,
        /// The parameter that is varied: `M`, `L1` or `L2`; empty with the parameters of the scenario.
        variant pub parameter: Option<String>,
        /// The value of that parameter.
        variant pub value: Option<usize>,
        /// How many searches there were.
        fact pub searches: usize,
        /// How many of them had a solution.
        primary(more) pub solved: usize,
        /// The median start of the solutions.
        metric(less, "s") pub start_s: Option<f64>,
        /// The mean utilisation factor of the solutions with the median start.
        metric(more) pub utilisation_factor: Option<f64>,
        /// The same before phase V.
        fact pub utilisation_factor_before: Option<f64>,
        /// Searches that ended in phase I, with too few nodes.
        fact pub without_nodes: usize,
        /// Searches that ended in phase II.
        fact pub without_totals: usize,
        /// The mean time of a search, if it is measured.
        metric(less, "ms") pub search_ms: Option<f64>,
        /// The mean time of phase II.
        fact("ms") pub phase_2_ms: Option<f64>,
        /// The mean time of phase III.
        fact("ms") pub phase_3_ms: Option<f64>,
        /// The mean time of phase IV.
        fact("ms") pub phase_4_ms: Option<f64>,
        /// The mean time of phase V.
        fact("ms") pub phase_5_ms: Option<f64>,
    }
}

columns! {
    /// The optimum of the collective request of a test case.
    pub struct OptimumRow {
        /// The mean level of use of the grid.
        label pub usage: f64,
        /// Which of the grids, from 0.
        instance pub replication: u32,
        /// How many nodes are asked for.
        label pub size: usize,
        /// Which of the test cases of this size, from 0.
        instance pub case: u32,
        /// The earliest start; empty if there is no solution.
        metric(less, "s") pub start_s: Option<f64>,
        /// The best utilisation factor at that start.
        primary(more) pub utilisation_factor: Option<f64>,
    }
}

columns! {
    /// A stream of requests.
    pub struct StreamRow of |stream: &StreamOutcome| {
        /// The mean level of use of the grid.
        label pub usage: f64,
        /// Which of the grids, from 0.
        instance pub replication: u32,
        /// The kind of request: `simple` or `collective`.
        variant pub kind: String,
        /// The mean time between two requests.
        fact("s") pub mean_gap_s: SimSpan,
        /// How many requests there were.
        fact pub requests: usize = stream.requests,
        /// How many of them were accepted.
        primary(more) pub accepted: usize = stream.accepted.len(),
        /// The mean time from arrival to start of the accepted ones.
        metric(less, "s") pub mean_wait_s: Option<f64> = (!stream.accepted.is_empty()).then_some(stream.mean_wait),
        /// The part of all nodes that the jobs had, averaged over the properties.
        metric(more, "share") pub utilisation: f64 = mean(&stream.utilisation),
    }
}

row_types! {
    /// A row.
    pub enum Row {
        Search(SearchRow) = "search",
        Optimum(OptimumRow) = "optimum",
        Stream(StreamRow) = "stream",
    }
}

impl SearchRow {
    /// Whether more than half of the searches have a solution.
    pub fn is_solved(&self) -> bool {
        2 * self.solved > self.searches
    }
}
