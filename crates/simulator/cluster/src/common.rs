//! Resources of the whole cluster in use.

use crate::Rule;
use dfrsim_model::platform::classes::Demand;
use dfrsim_model::platform::common::CommonResource;
use dfrsim_model::{SimTime, Yield};
use std::sync::Arc;

/// Amounts in use of all resources of the whole cluster, in units of 2^-20 of one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CommonUse {
    used: Vec<u128>,
    /// Amounts in use before the current decision.
    before: Vec<u128>,
}

impl CommonUse {
    /// Creates the state of an idle cluster.
    pub(crate) fn new(resources: &[CommonResource]) -> CommonUse {
        CommonUse { used: vec![0; resources.len()], before: vec![0; resources.len()] }
    }

    /// Keeps the amounts, with which those after a decision are compared.
    pub(crate) fn keep(&mut self) {
        self.before.copy_from_slice(&self.used);
    }

    /// Changes the amounts by those of a job at a yield and a speed level. The power of used devices and
    /// sockets does not follow the yield.
    pub(crate) fn change(
        &mut self,
        resources: &[CommonResource],
        demand: &Demand,
        (at, level): (Yield, u8),
        change: impl Fn(&mut u128, u128),
    ) {
        for (place, (used, resource)) in self.used.iter_mut().zip(resources).enumerate() {
            let fixed = demand.fixed_common(place, resource.demand);
            let linear = demand.common_at(place, resource.demand, level) - fixed;
            change(used, (u128::from(fixed) << Yield::BITS) + u128::from(linear) * u128::from(at.units()));
        }
    }

    /// Finds the first resource that is exceeded now, and of which more is in use than was kept. Jobs may
    /// retain what they have when the amount falls.
    pub(crate) fn violated_rule(&self, now: SimTime, resources: &[CommonResource]) -> Option<Rule> {
        let exceeds = |((resource, used), before): &((&CommonResource, &u128), &u128)| {
            used > before && **used > u128::from(resource.amount_at(now)) << Yield::BITS
        };
        let found = resources.iter().zip(&self.used).zip(&self.before).find(exceeds);
        found.map(|((resource, _), _)| Rule::Common(Arc::clone(&resource.name)))
    }
}
