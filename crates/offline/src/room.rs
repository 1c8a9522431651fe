//! What tasks leave free.

use dfrsim_model::offline::{Instance, Mapping};
use dfrsim_model::{NodeTasks, Yield};

/// The free fluid resources of all nodes while the jobs of a mapping have certain scaled yields.
///
/// Amounts are in units of 2^-40, so that they are exact: an amount times a least yield times a scaled one.
#[derive(Clone)]
pub(crate) struct Room<'a> {
    instance: &'a Instance,
    mapping: &'a Mapping,
    /// A row of `fluid` for each node.
    free: Vec<u128>,
    yields: Vec<Yield>,
}

impl<'a> Room<'a> {
    /// The room when every job has this scaled yield; nothing if they cannot all have it.
    pub(crate) fn at(instance: &'a Instance, mapping: &'a Mapping, minimum: Yield) -> Option<Room<'a>> {
        let capacities = instance.nodes.iter().flat_map(|node| &node[instance.fixed..]);
        let mut free: Vec<u128> =
            capacities.map(|&capacity| u128::from(capacity) << (2 * Yield::BITS)).collect();
        for (job, placement) in mapping.iter().enumerate() {
            let (one, least) = (u128::from(Yield::ONE.units()), u128::from(least_yield(instance, job)));
            let part = least * one + (one - least) * u128::from(minimum.units());
            for at in placement {
                let needs = &instance.jobs[job].demand[instance.fixed..];
                for (free, &need) in free[at.node.index() * instance.fluid..].iter_mut().zip(needs) {
                    *free = free.checked_sub(u128::from(need) * u128::from(at.tasks) * part)?;
                }
            }
        }
        Some(Room { instance, mapping, free, yields: vec![minimum; mapping.len()] })
    }

    /// The scaled yields of the jobs.
    pub(crate) fn yields(&self) -> &[Yield] {
        &self.yields
    }
    pub(crate) fn into_yields(self) -> Vec<Yield> {
        self.yields
    }
    /// What is free of each fluid resource of a node.
    pub(crate) fn free(&self, node: usize) -> &[u128] {
        &self.free[node * self.instance.fluid..][..self.instance.fluid]
    }
    /// What one more unit of a job's scaled yield costs where so many of its tasks stand.
    pub(crate) fn costs(&self, job: usize, at: &NodeTasks) -> impl Iterator<Item = u128> + use<'a> {
        let elastic = Yield::ONE.units() - least_yield(self.instance, job);
        let factor = u128::from(at.tasks) * u128::from(elastic);
        self.instance.jobs[job].demand[self.instance.fixed..]
            .iter()
            .map(move |&need| u128::from(need) * factor)
    }
    /// The largest scaled yield of a job while the others keep theirs.
    pub(crate) fn most(&self, job: usize) -> Yield {
        let units = self.yields[job].units();
        let mut more = u128::from(Yield::ONE.units() - units);
        for at in &self.mapping[job] {
            for (&free, cost) in self.free(at.node.index()).iter().zip(self.costs(job, at)) {
                more = more.min(free.checked_div(cost).unwrap_or(u128::MAX));
            }
        }
        Yield::try_from_units(units + more as u32).expect("no more than up to full speed")
    }
    /// Raises the scaled yield of a job to this one, or as far as there is room.
    pub(crate) fn raise(&mut self, job: usize, to: Yield) {
        let to = to.min(self.most(job));
        let Some(units) = to.units().checked_sub(self.yields[job].units()) else { return };
        let mapping = self.mapping;
        for at in &mapping[job] {
            let costs = self.costs(job, at);
            for (free, cost) in self.free[at.node.index() * self.instance.fluid..].iter_mut().zip(costs) {
                *free -= cost * u128::from(units);
            }
        }
        self.yields[job] = to;
    }
}

fn least_yield(instance: &Instance, job: usize) -> u32 {
    instance.jobs[job].least_yield.units()
}
