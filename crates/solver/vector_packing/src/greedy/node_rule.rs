//! Rules by which greedy algorithms select nodes.

/// Rules that select one of the feasible nodes for a task: P1 to P7 of the dissertation (section
/// 4.2.2), in either version of [`NodeRules`]; ties are broken by the lowest index.
///
/// Except for the rules with totals, the load of a node is that for one resource: the resource of
/// the task's largest fluid need, or of its largest fixed requirement or constrained need; ties are
/// broken by the first resource. On heterogeneous nodes, loads are relative to capacities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeRule {
    /// P1: the smallest maximum of fluid needs.
    LeastMaxNeed,
    /// P2: the smallest sum of fluid needs; also the rule of RR-6692's algorithms (section 3.3).
    LeastSumNeeds,
    /// P3: best fit by the maximum of fixed requirements or constrained needs.
    BestFitMax,
    /// P4: best fit by the sum of fixed requirements or constrained needs.
    BestFitSum,
    /// P5: worst fit by the maximum of fixed requirements or constrained needs.
    WorstFitMax,
    /// P6: worst fit by the sum of fixed requirements or constrained needs.
    WorstFitSum,
    /// P7: first fit.
    FirstFit,
    /// P2 as simulated: the smallest sum of fluid needs over all resources.
    LeastTotalNeeds,
    /// P4 as simulated: best fit by the sum of fixed requirements and constrained needs over all
    /// resources.
    BestFitTotal,
    /// P6 as simulated: worst fit by the sum of fixed requirements and constrained needs over all
    /// resources.
    WorstFitTotal,
}

/// Interpretations of the load of a node in P1 to P6.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NodeRules {
    /// The dissertation's formulas: P1, P3 and P5 use the maximum over the jobs on a node, P2, P4
    /// and P6 the sum over them, for one resource of the job to be placed.
    Published,
    /// The authors' simulator (flexsched, first commit of its public repository,
    /// `GREEDY_pick_server_P1` and similar functions; its README agrees): all rules use sums over
    /// the jobs on a node, P1, P3 and P5 for the resource that the job to be placed needs most, P2,
    /// P4 and P6 over all resources. The passes that the dissertation lists as best (section 4.4.1)
    /// are the best ones under these rules, and not under the published ones.
    #[default]
    Simulated,
}

/// Amounts that a rule adds to a node's load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoadAmounts {
    /// Fluid needs.
    Needs,
    /// Fixed requirements and constrained needs.
    Rigid,
    /// No amount.
    None,
}

impl NodeRule {
    /// P1 to P7 in order.
    pub const OF_THE_DISSERTATION: [NodeRule; 7] = [
        NodeRule::LeastMaxNeed,
        NodeRule::LeastSumNeeds,
        NodeRule::BestFitMax,
        NodeRule::BestFitSum,
        NodeRule::WorstFitMax,
        NodeRule::WorstFitSum,
        NodeRule::FirstFit,
    ];

    /// Converts a published rule, one of P1 to P7, to the given version.
    pub(super) fn in_version(self, readings: NodeRules) -> NodeRule {
        if readings == NodeRules::Published {
            return self;
        }
        match self {
            NodeRule::LeastMaxNeed => NodeRule::LeastSumNeeds,
            NodeRule::LeastSumNeeds => NodeRule::LeastTotalNeeds,
            NodeRule::BestFitMax => NodeRule::BestFitSum,
            NodeRule::BestFitSum => NodeRule::BestFitTotal,
            NodeRule::WorstFitMax => NodeRule::WorstFitSum,
            NodeRule::WorstFitSum => NodeRule::WorstFitTotal,
            rule => rule,
        }
    }
    pub(super) fn amounts(self) -> LoadAmounts {
        match self {
            NodeRule::LeastMaxNeed | NodeRule::LeastSumNeeds | NodeRule::LeastTotalNeeds => {
                LoadAmounts::Needs
            }
            NodeRule::FirstFit => LoadAmounts::None,
            _ => LoadAmounts::Rigid,
        }
    }
    /// Returns true if the load is the total over all resources.
    pub(super) fn is_total(self) -> bool {
        matches!(self, NodeRule::LeastTotalNeeds | NodeRule::BestFitTotal | NodeRule::WorstFitTotal)
    }
    /// Returns a node's load with one more task.
    pub(super) fn load_with(self, load: i64, amount: i64) -> i64 {
        match self {
            NodeRule::LeastMaxNeed | NodeRule::BestFitMax | NodeRule::WorstFitMax => load.max(amount),
            _ => load + amount,
        }
    }
    /// Returns the cost of a load; the node of least cost is selected.
    pub(super) fn cost(self, load: i64) -> i64 {
        match self {
            NodeRule::BestFitMax | NodeRule::BestFitSum | NodeRule::BestFitTotal => -load,
            _ => load,
        }
    }
}
