//! Rows: repeated searches, optima and streams.

use dfrsim_coallocation::StreamOutcome;
use dfrsim_lab::{columns, mean, row_types};
use dfrsim_model::SimSpan;

columns! {
    /// All repetitions of a search for a test case.
    pub struct SearchRow {
        /// Mean level of use of the grid.
        label pub usage: f64,
        /// Number of the grid, from 0.
        instance pub replication: u32,
        /// Number of requested nodes.
        label pub size: usize,
        /// Number of the test case among those of this size, from 0.
        instance pub case: u32,
        /// Kind of request: `simple` or `collective`.
        variant pub kind: String,
        /// Parameter that is varied: `M`, `L1` or `L2`; empty with the parameters of the scenario.
        variant pub parameter: Option<String>,
        /// Value of the varied parameter.
        variant pub value: Option<usize>,
        /// Number of searches.
        fact pub searches: usize,
        /// Number of searches that found a solution.
        primary(more) pub solved: usize,
        /// Median start of the solutions.
        metric(less, "s") pub start_s: Option<f64>,
        /// Mean utilisation factor of the solutions with the median start.
        metric(more) pub utilisation_factor: Option<f64>,
        /// Mean utilisation factor of these solutions before phase V.
        fact pub utilisation_factor_before: Option<f64>,
        /// Searches that ended in phase I, with too few nodes.
        fact pub without_nodes: usize,
        /// Searches that ended in phase II.
        fact pub without_totals: usize,
        /// Mean time of a search, if it is measured.
        metric(less, "ms") pub search_ms: Option<f64>,
        /// Mean time of phase II.
        fact("ms") pub phase_2_ms: Option<f64>,
        /// Mean time of phase III.
        fact("ms") pub phase_3_ms: Option<f64>,
        /// Mean time of phase IV.
        fact("ms") pub phase_4_ms: Option<f64>,
        /// Mean time of phase V.
        fact("ms") pub phase_5_ms: Option<f64>,
    }
}

columns! {
    /// The optimum of the collective request of a test case.
    pub struct OptimumRow {
        /// Mean level of use of the grid.
        label pub usage: f64,
        /// Number of the grid, from 0.
        instance pub replication: u32,
        /// Number of requested nodes.
        label pub size: usize,
        /// Number of the test case among those of this size, from 0.
        instance pub case: u32,
        /// Earliest start; empty if there is no solution.
        metric(less, "s") pub start_s: Option<f64>,
        /// Best utilisation factor at that start.
        primary(more) pub utilisation_factor: Option<f64>,
    }
}

columns! {
    /// A stream of requests.
    pub struct StreamRow of |stream: &StreamOutcome| {
        /// Mean level of use of the grid.
        label pub usage: f64,
        /// Number of the grid, from 0.
        instance pub replication: u32,
        /// Kind of request: `simple` or `collective`.
        variant pub kind: String,
        /// Mean time between two requests.
        fact("s") pub mean_gap_s: SimSpan,
        /// Number of requests.
        fact pub requests: usize = stream.requests,
        /// Number of accepted requests.
        primary(more) pub accepted: usize = stream.accepted.len(),
        /// Mean time from arrival to start of the accepted requests.
        metric(less, "s") pub mean_wait_s: Option<f64> = (!stream.accepted.is_empty()).then_some(stream.mean_wait),
        /// Fraction of all nodes that the jobs used, averaged over the properties.
        metric(more, "share") pub utilisation: f64 = mean(&stream.utilisation),
    }
}

row_types! {
    /// A row of one of the types.
    pub enum Row {
        Search(SearchRow) = "search",
        Optimum(OptimumRow) = "optimum",
        Stream(StreamRow) = "stream",
    }
}

impl SearchRow {
    /// Returns true if more than half of the searches have a solution.
    pub fn is_solved(&self) -> bool {
        2 * self.solved > self.searches
    }
}
