//! What each instance is simulated with: a policy and the numbers that its name leaves open.

use crate::scenario::Scenario;
use dfrsim_model::SimSpan;
use dfrsim_policies::fractional::McbOptions;
use dfrsim_policies::{Policy, PolicyOptions};

/// A policy with a penalty and the numbers that its name leaves open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Setting {
    pub(crate) policy: Policy,
    pub(crate) penalty: SimSpan,
    pub(crate) numbers: PolicyOptions,
}

impl Setting {
    /// What rows and tables say of it. What does not matter to the policy is left out.
    pub(crate) fn label(&self) -> Label {
        let mcb = self.policy.uses_mcb().then_some(self.numbers.mcb);
        Label {
            policy: self.policy.to_string(),
            penalty: self.penalty,
            period: self.policy.is_periodic().then_some(self.numbers.period),
            packing: mcb.map(|mcb| mcb.packing.to_string()),
            drop: mcb.map(|mcb| mcb.drop.to_string()),
        }
    }
}

/// The name of a [`Setting`] among those of one scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    pub(crate) policy: String,
    pub(crate) penalty: SimSpan,
    pub(crate) period: Option<SimSpan>,
    pub(crate) packing: Option<String>,
    pub(crate) drop: Option<String>,
}

/// All settings of a scenario: every policy with every penalty and, where they matter to it, every period, packing and
/// drop rule.
pub(crate) fn settings(scenario: &Scenario) -> Vec<Setting> {
    let simulation = &scenario.simulation;
    let mut settings = Vec::<Setting>::new();
    for &penalty in &simulation.penalties {
        for &period in &simulation.periods {
            for &packing in &simulation.packings {
                for &drop in &simulation.drops {
                    let mcb = McbOptions { packing, drop, ..simulation.mcb };
                    let priority = simulation.priority;
                    let numbers = PolicyOptions { period, mcb, priority, ..PolicyOptions::default() };
                    let all = scenario.policies.iter().map(|&policy| Setting { policy, penalty, numbers });
                    for setting in all {
                        if !settings.iter().any(|known| known.label() == setting.label()) {
                            settings.push(setting);
                        }
                    }
                }
            }
        }
    }
    settings
}
