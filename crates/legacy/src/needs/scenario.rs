//! Scenarios of the study, checked and with all defaults filled in.

use crate::scenario::LublinSource;
use dfrsim_cluster::NeedModel;
use dfrsim_model::SimSpan;
use dfrsim_policies::Policy;

/// A scenario of the study.
#[derive(Debug)]
pub(super) struct Scenario {
    pub(super) title: String,
    /// The seed of all that is random in it.
    pub(super) seed: u64,
    /// Each once; at least one. None keeps its yields between ticks.
    pub(super) policies: Vec<Policy>,
    /// What policies are told, each once; at least one.
    pub(super) needs: Vec<NeedModel>,
    /// After how long needs are found; beside them stand the same simulations in which they never are.
    pub(super) discovery: Vec<SimSpan>,
    pub(super) penalty: SimSpan,
    /// Of periodic policies.
    pub(super) period: SimSpan,
    /// The traces, with the nodes that they are for.
    pub(super) traces: LublinSource,
}

/// What policies know of needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Knowledge {
    pub(super) told: NeedModel,
    /// After how long running needs are found, if they are.
    pub(super) discovery: Option<SimSpan>,
}

impl Scenario {
    /// All kinds of knowledge, in the order of the scenario; what is exact needs not be found.
    pub(super) fn knowledge(&self) -> Vec<Knowledge> {
        let mut all = Vec::new();
        for &told in &self.needs {
            all.push(Knowledge { told, discovery: None });
            if told != NeedModel::Exact {
                all.extend(self.discovery.iter().map(|&span| Knowledge { told, discovery: Some(span) }));
            }
        }
        all
    }
}
