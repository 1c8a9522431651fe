//! The options of a summary.

use crate::Weights;
use dfrsim_model::SimSpan;

/// The jobs to summarise.
#[derive(Clone, Debug, PartialEq)]
pub struct SummaryOptions {
    /// The number of nodes, for the utilisation.
    pub nodes: u32,
    /// What the nodes can do together, in nodes at full speed; `None` if all are equal, and have the number of nodes.
    pub capacity: Option<f64>,
    /// The taus of the bounded stretch; the first one rules the classes. Not empty.
    pub taus: Vec<SimSpan>,
    /// Jobs submitted earlier than this after the first submission do not count in the distributions.
    pub warm_up: SimSpan,
    /// Jobs submitted later than this before the last submission do not count in the distributions.
    pub cool_down: SimSpan,
    /// How much jobs count in the weighted bounded stretch.
    pub weights: Weights,
    /// Whether nodes go down, or the policy requeues or loses jobs, so that there are figures of it.
    pub outages: bool,
}

impl SummaryOptions {
    /// The field's convention of tau = 10 s, no jobs trimmed, node-seconds as weights.
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

    /// What the nodes can do together, in nodes at full speed.
    pub(crate) fn capacity(&self) -> f64 {
        self.capacity.unwrap_or_else(|| f64::from(self.nodes))
    }
}
