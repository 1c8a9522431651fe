//! Options of a summary.

use crate::Weights;
use dfrsim_model::SimSpan;

/// Selection of the jobs that count, and parameters of the figures.
#[derive(Clone, Debug, PartialEq)]
pub struct SummaryOptions {
    /// Number of nodes, for the utilisation.
    pub nodes: u32,
    /// Total capacity, in nodes at full speed; `None` if all nodes are equal, in which case it is
    /// `nodes`.
    pub capacity: Option<f64>,
    /// Taus of the bounded stretch; the first one is used for the classes. Not empty.
    pub taus: Vec<SimSpan>,
    /// Warm-up: jobs submitted earlier than this after the first submission do not count in the
    /// distributions.
    pub warm_up: SimSpan,
    /// Cool-down: jobs submitted later than this before the last submission do not count in the
    /// distributions.
    pub cool_down: SimSpan,
    /// Weights of jobs in the weighted bounded stretch.
    pub weights: Weights,
    /// True if nodes go down or the policy requeues or loses jobs, so that the summary has figures
    /// about that.
    pub outages: bool,
}

impl SummaryOptions {
    /// Creates the usual options: tau = 10 s, no jobs excluded, node-seconds as weights.
    pub fn new(nodes: u32) -> SummaryOptions {
        SummaryOptions {
            nodes,
            capacity: None,
            taus: vec![SimSpan::from_secs(10)],
            warm_up: SimSpan::ZERO,
            cool_down: SimSpan::ZERO,
            weights: Weights::default(),
            outages: false,
        }
    }

    /// Returns the total capacity, in nodes at full speed.
    pub(crate) fn capacity(&self) -> f64 {
        self.capacity.unwrap_or_else(|| f64::from(self.nodes))
    }
}
