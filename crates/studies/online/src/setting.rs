//! What each instance is simulated with: a policy and everything that its name leaves open.

use crate::rows::SettingLabel;
use crate::scenario::{Online, Simulation};
use dfrsim_cluster::{EstimateModel, NeedModel, Options, Overrun};
use dfrsim_lab::KeyBuilder;
use dfrsim_lab::fields::Scenario;
use dfrsim_model::{Seed, SimSpan};
use dfrsim_policies::fractional::McbOptions;
use dfrsim_policies::{Policy, PolicyOptions};

/// A policy with everything that its name leaves open, apart from the memory of a node.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Setting {
    pub(crate) policy: Policy,
    pub(crate) parameters: PolicyOptions,
    pub(crate) options: Options,
}

/// All settings of a scenario: every policy with every penalty and, where they matter to it, every period, packing and
/// drop rule; policies of sweeps with the periods of their sweep; each with all knowledge of CPU needs.
pub(crate) fn settings(scenario: &Scenario<Online>) -> Vec<Setting> {
    let simulation = &scenario.simulation;
    let sweeps = scenario.sweeps.iter().map(|sweep| (&sweep.periods, &sweep.policies));
    let all: Vec<_> = std::iter::once((&simulation.periods, &scenario.policies)).chain(sweeps).collect();
    let mut settings = Vec::<Setting>::new();
    let mut labels = Vec::<SettingLabel>::new();
    let mut add = |setting: Setting| {
        let label = setting.label();
        if !labels.contains(&label) {
            labels.push(label);
            settings.push(setting);
        }
    };
    for &penalty in &simulation.penalties {
        for &(periods, policies) in &all {
            for &period in periods {
                for &packing in &simulation.packings {
                    for &drop in &simulation.drops {
                        let (floor, precision) = (simulation.yield_floor, simulation.yield_precision);
                        let mcb = McbOptions { packing, drop, floor, precision };
                        let priority = simulation.priority;
                        let parameters = PolicyOptions { period, mcb, priority, ..PolicyOptions::default() };
                        for &policy in policies {
                            for options in options(simulation, penalty, scenario.seed) {
                                add(Setting { policy, parameters, options });
                            }
                        }
                    }
                }
            }
        }
    }
    settings
}

/// The options of simulations with a penalty: one for each knowledge of CPU needs. What is exact is not discovered.
fn options(simulation: &Simulation, penalty: SimSpan, seed: u64) -> Vec<Options> {
    let Simulation { estimates, overrun, .. } = *simulation;
    let seed = Seed::new(seed).fork("simulation");
    let mut all = Vec::new();
    for &needs in &simulation.cpu_needs {
        let discovered = simulation.discovery.iter().filter(|_| needs != NeedModel::Exact).copied().map(Some);
        for discovery in std::iter::once(None).chain(discovered) {
            all.push(Options { penalty, estimates, overrun, seed, needs, discovery });
        }
    }
    all
}

/// The name of the treatment of overruns in scenarios, rows and keys.
fn overrun_name(overrun: Overrun) -> &'static str {
    match overrun {
        Overrun::Extend => "extend",
        Overrun::Kill => "kill",
    }
}

impl Setting {
    /// The values of its columns. What does not matter to the policy is left out.
    pub(crate) fn label(&self) -> SettingLabel {
        let Setting { policy, parameters, options } = self;
        let mcb = policy.uses_mcb().then_some(parameters.mcb);
        SettingLabel {
            policy: policy.to_string(),
            penalty_s: options.penalty,
            period_s: policy.is_periodic().then_some(parameters.period),
            packing: mcb.map(|mcb| mcb.packing.to_string()),
            drop: mcb.map(|mcb| mcb.drop.to_string()),
            estimates: options.estimates.to_string(),
            overrun: overrun_name(options.overrun).to_owned(),
            cpu_needs: options.needs.to_string(),
            discovery_s: options.discovery,
        }
    }

    /// Adds what rows depend on. What does not matter to the policy is left out, so that rows are found again whatever
    /// it is.
    pub(crate) fn key(&self, node_memory_gb: f64, key: &mut KeyBuilder) {
        let Setting { policy, parameters, options } = self;
        let Options { penalty, estimates, overrun, seed, needs, discovery } = options;
        key.field("policy", policy);
        if let Policy::Custom(custom) = policy {
            key.field("policy_version", custom.version());
        }
        key.field("penalty_s", penalty);
        key.field("estimates", estimates);
        if let EstimateModel::Random(_) = estimates {
            key.field("seed", seed.value());
        }
        key.field("overrun", overrun_name(*overrun));
        if *needs != NeedModel::Exact {
            key.field("cpu_needs", needs);
            key.optional("discovery_s", *discovery);
        }
        let PolicyOptions { period, mcb, priority, node_memory_gb: _ } = parameters;
        if policy.is_periodic() {
            key.field("period_s", period);
        }
        if policy.uses_mcb() {
            let McbOptions { packing, drop, floor, precision } = mcb;
            key.field("packing", packing).field("drop", drop);
            key.field("yield_floor", floor.units()).field("yield_precision", precision.units());
        }
        if policy.uses_priority() {
            key.field("priority", priority);
        }
        if policy.uses_node_memory() {
            key.field("node_memory_gb", node_memory_gb);
        }
    }
}
