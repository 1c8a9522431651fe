//! The rules by which greedy algorithms choose nodes.

/// Which of the nodes that can hold a task takes it: P1 to P7 of the dissertation (section 4.2.2); ties go to the
/// lowest index.
///
/// The load of a node is looked at in one resource only: that of the task's largest fluid need, or of its largest
/// fixed requirement or constrained need; of equal ones, the first. Loads are relative to the nodes' capacities where
/// these differ.
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
}

/// Which amounts a rule adds to a node's load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Amounts {
    /// Fluid needs.
    Needs,
    /// Fixed requirements and constrained needs.
    Rigid,
    /// None.
    Nothing,
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

    pub(super) fn amounts(self) -> Amounts {
        match self {
            NodeRule::LeastMaxNeed | NodeRule::LeastSumNeeds => Amounts::Needs,
            NodeRule::FirstFit => Amounts::Nothing,
            _ => Amounts::Rigid,
        }
    }
    /// A node's load with one more task.
    pub(super) fn loaded(self, load: i64, amount: i64) -> i64 {
        match self {
            NodeRule::LeastMaxNeed | NodeRule::BestFitMax | NodeRule::WorstFitMax => load.max(amount),
            _ => load + amount,
        }
    }
    /// What a load costs; the cheapest node is taken.
    pub(super) fn cost(self, load: i64) -> i64 {
        match self {
            NodeRule::BestFitMax | NodeRule::BestFitSum => -load,
            _ => load,
        }
    }
}
