//! What an assignment costs, without planning it.

use super::goal::Goal;
use dfrsim_model::NodeId;

/// The cost of the plan to an assignment if what is meant to enter at once does, and all else waits for one pool.
///
/// That pool costs as much as the dearest VM to move, and dearer actions wait too; or as much as the dearest action of all.
#[derive(Clone, Debug)]
pub(super) struct Estimate {
    own: u64,
    /// What the first pool costs.
    prices: [u64; 2],
    /// How many actions wait for it.
    waiting: [u64; 2],
    /// For each vjob, how many of its units do that are resumed.
    late: Vec<[u32; 2]>,
    /// How many VMs of each vjob are resumed.
    resumes: Vec<u64>,
    /// How many units have no node.
    pub(super) missing: u64,
    /// What each costs, and cost in the beginning.
    price: u64,
    first_price: u64,
}

impl Estimate {
    /// That of an assignment of no unit.
    pub(super) fn new(goal: &Goal<'_>) -> Estimate {
        let mut resumes = vec![0; goal.cluster.vjobs().len()];
        for vm in goal.units.iter().flat_map(|unit| &unit.vms).filter(|vm| goal.sleeps(**vm)) {
            resumes[goal.cluster.vm(*vm).vjob.index()] += 1;
        }
        let usual = goal.usual_pool();
        let dearest = goal.units.iter().map(|unit| goal.dearest(unit)).max().unwrap_or(0);
        let first_price = 8 * dearest.max(usual).max(1);
        Estimate {
            own: goal.decided_cost,
            prices: [usual, usual.max(goal.cluster.price_of_waiting(dearest))],
            waiting: [0; 2],
            late: vec![[0; 2]; resumes.len()],
            resumes,
            missing: 0,
            price: first_price,
            first_price,
        }
    }

    /// The estimated cost of the plan.
    pub(super) fn cost(&self) -> u64 {
        let waiting = (self.prices[0] * self.waiting[0]).min(self.prices[1] * self.waiting[1]);
        self.own + waiting + self.missing * self.price
    }

    /// Raises the price of units without a node once half of the time is spent.
    pub(super) fn raise(&mut self, spent: f64) {
        self.price = self.first_price << ((spent - 0.5).max(0.0) * 16.0) as u32;
    }

    /// Counts a unit that comes to a node, which it enters at once or not, or leaves it.
    pub(super) fn change(&mut self, goal: &Goal<'_>, unit: usize, node: NodeId, enters: bool, comes: bool) {
        let own = goal.cost(&goal.units[unit], node);
        self.own = if comes { self.own + own } else { self.own - own };
        let is_dear = goal.cluster.price_of_waiting(own) > self.prices[0];
        let vjob = goal.vjob(unit).index();
        for (which, _) in [!enters || is_dear, !enters].into_iter().enumerate().filter(|(_, waits)| *waits) {
            let late = &mut self.late[vjob][which];
            let actions = if !goal.sleeps(goal.units[unit].vms[0]) {
                goal.units[unit].vms.len() as u64
            } else {
                *late = if comes { *late + 1 } else { *late - 1 };
                // The first to wait, or the last.
                if *late == u32::from(comes) { self.resumes[vjob] } else { 0 }
            };
            let waiting = &mut self.waiting[which];
            *waiting = if comes { *waiting + actions } else { *waiting - actions };
        }
    }
}
