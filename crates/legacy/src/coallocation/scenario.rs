//! Scenarios of the co-allocation study, checked and with all defaults filled in.

use crate::key::Digest;
use dfrsim_coallocation::Parameters;
use dfrsim_model::SimSpan;
use dfrsim_model::coallocation::Resource;

/// A scenario of the co-allocation study.
#[derive(Debug)]
pub(super) struct Scenario {
    pub(super) title: String,
    /// The seed of all that is random in it.
    pub(super) seed: u64,
    /// How many grids are drawn, each with use and test cases of its own; at least one.
    pub(super) grids: u32,
    /// How many nodes a grid has.
    pub(super) nodes: usize,
    /// The nodes of all grids, if they are not drawn.
    pub(super) node_list: Option<NodeList>,
    /// The mean levels of use; at least one. The parameter study is at the first.
    pub(super) usage: Vec<f64>,
    /// How the use of a node goes up and down around its level.
    pub(super) usage_deviation: f64,
    pub(super) usage_correlation: f64,
    /// How many resources are asked for.
    pub(super) sizes: Vec<usize>,
    /// How many test cases of each size a grid has.
    pub(super) cases: u32,
    /// How often each search is repeated.
    pub(super) repetitions: u32,
    /// Whether each repetition looks at resources of its own, rather than those of the test case.
    pub(super) sample_anew: bool,
    /// The sizes of which the optimum is looked for.
    pub(super) optimum: Vec<usize>,
    /// Whether searches are timed. Their times differ from run to run, all other figures do not.
    pub(super) times: bool,
    pub(super) parameters: Parameters,
    pub(super) variations: Option<Variations>,
    pub(super) stream: Option<StreamScenario>,
}

/// Real nodes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NodeList {
    /// The file as the scenario names it, and its content.
    pub(super) file: String,
    pub(super) digest: Digest,
    pub(super) resources: Vec<Resource>,
}

/// The parameter study of section 4.3: one parameter is varied at a time.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Variations {
    /// How many resources are asked for.
    pub(super) size: usize,
    pub(super) repetitions: u32,
    pub(super) multiples: Vec<usize>,
    pub(super) admission: Vec<usize>,
    pub(super) improvement: Vec<usize>,
}

/// Requests that come one after the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StreamScenario {
    pub(super) span: SimSpan,
    pub(super) mean_gap: SimSpan,
    pub(super) patience: SimSpan,
}

impl Variations {
    /// All settings: a name, and the parameters.
    pub(super) fn settings(&self, standard: Parameters) -> Vec<(String, Parameters)> {
        let multiples = self.multiples.iter().map(|&multiple| {
            let parameters =
                Parameters { initial_multiple: multiple, largest_multiple: multiple, ..standard };
            (format!("M = {multiple}"), parameters)
        });
        let admission = self
            .admission
            .iter()
            .map(|&effort| (format!("L1 = {effort}"), Parameters { admission_effort: effort, ..standard }));
        let improvement = self
            .improvement
            .iter()
            .map(|&effort| (format!("L2 = {effort}"), Parameters { improvement_effort: effort, ..standard }));
        multiples.chain(admission).chain(improvement).collect()
    }
}
