//! Assembly of a simulation.

use crate::batch::BatchScheduler;
use crate::{Policy, PolicyOptions};
use dfrsim_cluster::{
    Conditions, Followers, Memory, Observer, Options, Scheduler, SimulationError, SummaryOptions,
    simulate_with,
};
use dfrsim_model::site::SiteSettings;
use dfrsim_model::{Job, SimTime};
use std::sync::Arc;

/// Everything that a simulation depends on, except its jobs.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Policy, as parsed from its name.
    pub policy: Policy,
    /// Parameters of the policy that are not part of its name.
    pub parameters: PolicyOptions,
    /// Number of nodes.
    pub nodes: u32,
    /// Parameters of the simulation.
    pub options: Options,
    /// Settings of the site, if they change the decisions of the policy.
    pub site: Option<Arc<SiteSettings>>,
    /// Metrics to measure.
    pub figures: SummaryOptions,
}

impl Setup {
    /// Assembles a simulation of a policy on `nodes` nodes under these conditions. Settings of the
    /// site that do not change the decisions of the policy are left out, and drained nodes are down for
    /// policies that do not [leave jobs](Policy::lets_jobs_end) on them. The conditions determine
    /// some of the options and figures, whose given values are replaced.
    #[must_use]
    pub fn new(
        (policy, parameters): (Policy, PolicyOptions),
        nodes: u32,
        conditions: Conditions,
        options: Options,
        figures: SummaryOptions,
    ) -> Setup {
        let site = conditions.site.filter(|site| policy.depends_on(site));
        let conditions = Conditions { site, ..conditions };
        let weights = conditions.site.as_ref().and_then(|site| policy.share_weights(site));
        let capacity = conditions.unequal.as_ref().map(|unequal| unequal.classes.capacity());
        let outages = conditions.has_interruptions();
        let options = Options { weights, ..conditions.options(options) };
        Setup {
            policy,
            parameters,
            nodes,
            options: if policy.lets_jobs_end() { options } else { options.without_drains() },
            site: conditions.site,
            figures: SummaryOptions { nodes, capacity, outages, ..figures },
        }
    }

    /// Creates the scheduler in its initial state.
    #[must_use]
    pub fn scheduler(&self) -> Box<dyn Scheduler> {
        self.policy.scheduler_at(self.nodes, &self.parameters, self.site.as_ref())
    }

    /// Returns the memory of the policy if it takes over the site at this time, at which the usage of
    /// accounts is that of the settings; `None` if its decisions depend on jobs and nodes alone.
    #[must_use]
    pub fn memory_of_usage(&self, at: SimTime) -> Option<Memory> {
        match self.policy {
            Policy::Batch(batch) => {
                BatchScheduler::new(batch, self.nodes, self.site.as_ref()).memory_of_usage(at)
            }
            _ => None,
        }
    }

    /// Simulates `jobs` and `followers`, which are submitted when the jobs they depend on have left
    /// or started.
    pub fn simulate(
        &self,
        jobs: impl IntoIterator<Item = Job>,
        followers: Followers,
        observer: &mut impl Observer,
    ) -> Result<(), SimulationError> {
        simulate_with(self.nodes, &self.options, jobs, followers, &mut *self.scheduler(), observer)
    }
}
