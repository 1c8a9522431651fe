//! Estimated cost of an assignment, without planning.

use super::goal::Goal;
use dfrsim_model::NodeId;

/// Estimated cost of the plan to an assignment, if the units meant to enter at once do so and all
/// others wait for a single pool.
///
/// The estimate takes the smaller of two cases: the pool costs as much as the most expensive VM to
/// move, and more expensive actions wait too; or it costs as much as the most expensive action of
/// all.
#[derive(Clone, Debug)]
pub(super) struct Estimate {
    own: u64,
    /// Cost of the first pool, in both cases.
    prices: [u64; 2],
    /// Number of actions that wait for the first pool, in both cases.
    waiting: [u64; 2],
    /// Number of waiting resumed units of each vjob, in both cases.
    waiting_units: Vec<[u32; 2]>,
    /// Number of resumed VMs of each vjob.
    resumes: Vec<u64>,
    /// Number of units without a node.
    pub(super) missing: u64,
    /// Current penalty per unit without a node; the next field is its initial value.
    penalty: u64,
    initial_penalty: u64,
}

impl Estimate {
    /// Creates the estimate of the empty assignment.
    pub(super) fn new(goal: &Goal<'_>) -> Estimate {
        let mut resumes = vec![0; goal.cluster.vjobs().len()];
        for vm in goal.units.iter().flat_map(|unit| &unit.vms).filter(|vm| goal.sleeps(**vm)) {
            resumes[goal.cluster.vm(*vm).vjob.index()] += 1;
        }
        let usual = goal.typical_pool_cost();
        let most_expensive = goal.units.iter().map(|unit| goal.most_expensive(unit)).max().unwrap_or(0);
        let initial_penalty = 8 * most_expensive.max(usual).max(1);
        Estimate {
            own: goal.decided_cost,
            prices: [usual, usual.max(goal.cluster.waiting_cost(most_expensive))],
            waiting: [0; 2],
            waiting_units: vec![[0; 2]; resumes.len()],
            resumes,
            missing: 0,
            penalty: initial_penalty,
            initial_penalty,
        }
    }

    /// Returns the estimated cost, including the penalty for units without a node.
    pub(super) fn cost(&self) -> u64 {
        let waiting = (self.prices[0] * self.waiting[0]).min(self.prices[1] * self.waiting[1]);
        self.own + waiting + self.missing * self.penalty
    }

    /// Raises the penalty for units without a node once half of the budget is spent; `spent` is the
    /// spent fraction.
    pub(super) fn raise_penalty(&mut self, spent: f64) {
        self.penalty = self.initial_penalty << ((spent - 0.5).max(0.0) * 16.0) as u32;
    }

    /// Updates the estimate for a unit that is added to a node (`comes`) or removed from it;
    /// `enters` tells if it enters in the first pool.
    pub(super) fn change(&mut self, goal: &Goal<'_>, unit: usize, node: NodeId, enters: bool, comes: bool) {
        let own = goal.cost(&goal.units[unit], node);
        self.own = if comes { self.own + own } else { self.own - own };
        let is_dear = goal.cluster.waiting_cost(own) > self.prices[0];
        let vjob = goal.vjob(unit).index();
        for (which, _) in [!enters || is_dear, !enters].into_iter().enumerate().filter(|(_, waits)| *waits) {
            let late = &mut self.waiting_units[vjob][which];
            let actions = if !goal.sleeps(goal.units[unit].vms[0]) {
                goal.units[unit].vms.len() as u64
            } else {
                *late = if comes { *late + 1 } else { *late - 1 };
                // The resumes of a vjob wait together: they count with the first waiting unit only.
                if *late == u32::from(comes) { self.resumes[vjob] } else { 0 }
            };
            let waiting = &mut self.waiting[which];
            *waiting = if comes { *waiting + actions } else { *waiting - actions };
        }
    }
}
