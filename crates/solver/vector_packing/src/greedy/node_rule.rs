//! The rules by which greedy algorithms choose nodes.

/// Which of the nodes that can hold a task takes it: P1 to P7 of the dissertation (section 4.2.2) by either of its
/// [`NodeRules`]; ties go to the lowest index.
///
/// Rules but for those of totals use the load of a node in one resource only: that of the task's largest fluid
/// need, or of its largest fixed requirement or constrained need; of equal ones, the first. Loads are relative to the
/// nodes' capacities where these differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeRule {
    /// P1: the smallest maximum of fluid needs.
    LeastMaxNeed,
    /// P2: the smallest sum of fluid needs. The rule of RR-6692's algorithms too (section 3.3).
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
    /// P2 as simulated: the smallest sum of fluid needs in all resources together.
    LeastTotalNeeds,
    /// P4 as simulated: best fit by the sum of fixed requirements and constrained needs in all resources.
    BestFitTotal,
    /// P6 as simulated: worst fit by the same sum.
    WorstFitTotal,
}

/// NodeRules of what P1 to P6 call the load of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NodeRules {
    /// As the dissertation prints its formulas: P1, P3 and P5 take the maximum over the jobs on a node, P2, P4 and P6 the
    /// sum over them, in one resource of the job to be placed.
    Printed,
    /// As the authors' simulator has them (flexsched, first commit of its public repository, `GREEDY_pick_server_P1` and
    /// the like; its README words them so too): all are sums over the jobs on a node, P1, P3 and P5 in the resource that the
    /// job to be placed needs most, P2, P4 and P6 in all resources. The passes that the dissertation lists as best (section
    /// 4.4.1) are those of these rules, and of none of the printed ones.
    #[default]
    Simulated,
}

/// Which amounts a rule adds to a node's load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Amounts {
    /// Fluid needs.
    Needs,
    /// Fixed requirements and constrained needs.
    Rigid,
    /// No amount.
    None,
}

impl NodeRule {
    /// P1 to P7.
    pub const OF_THE_DISSERTATION: [NodeRule; 7] = [
        NodeRule::LeastMaxNeed,
        NodeRule::LeastSumNeeds,
        NodeRule::BestFitMax,
        NodeRule::BestFitSum,
        NodeRule::WorstFitMax,
        NodeRule::WorstFitSum,
        NodeRule::FirstFit,
    ];

    /// What this rule, one of P1 to P7 as printed, is in a reading.
    pub(super) fn read(self, readings: NodeRules) -> NodeRule {
        if readings == NodeRules::Printed {
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
    pub(super) fn amounts(self) -> Amounts {
        match self {
            NodeRule::LeastMaxNeed | NodeRule::LeastSumNeeds | NodeRule::LeastTotalNeeds => Amounts::Needs,
            NodeRule::FirstFit => Amounts::None,
            _ => Amounts::Rigid,
        }
    }
    /// Whether the load is that in all resources together.
    pub(super) fn is_total(self) -> bool {
        matches!(self, NodeRule::LeastTotalNeeds | NodeRule::BestFitTotal | NodeRule::WorstFitTotal)
    }
    /// A node's load with one more task.
    pub(super) fn loaded(self, load: i64, amount: i64) -> i64 {
        match self {
            NodeRule::LeastMaxNeed | NodeRule::BestFitMax | NodeRule::WorstFitMax => load.max(amount),
            _ => load + amount,
        }
    }
    /// The cost of a load; the cheapest node is taken.
    pub(super) fn cost(self, load: i64) -> i64 {
        match self {
            NodeRule::BestFitMax | NodeRule::BestFitSum | NodeRule::BestFitTotal => -load,
            _ => load,
        }
    }
}
