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
/// drop rule; policies of sweeps with the periods of their sweep.
pub(crate) fn settings(scenario: &Scenario) -> Vec<Setting> {
    let simulation = &scenario.simulation;
    let sweeps = scenario.sweeps.iter().map(|sweep| (&sweep.periods, &sweep.policies));
    let all: Vec<_> = std::iter::once((&simulation.periods, &scenario.policies)).chain(sweeps).collect();
    let mut settings = Vec::<Setting>::new();
    for &penalty in &simulation.penalties {
        for &(periods, policies) in &all {
            for &period in periods {
                for &packing in &simulation.packings {
                    for &drop in &simulation.drops {
                        let mcb = McbOptions { packing, drop, ..simulation.mcb };
                        let priority = simulation.priority;
                        let numbers = PolicyOptions { period, mcb, priority, ..PolicyOptions::default() };
                        for setting in policies.iter().map(|&policy| Setting { policy, penalty, numbers }) {
                            if !settings.iter().any(|known| known.label() == setting.label()) {
                                settings.push(setting);
                            }
                        }
                    }
                }
            }
        }
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    /// EASY has no period; the sweep adds one to the policy that is there already, and a policy of its own.
    #[test]
    fn a_sweep_has_its_own_periods() {
        let text = "study = 'online'\npolicies = ['EASY', '/per/OPT=MIN']\n\
            [[sweep]]\npolicies = ['/per/OPT=MIN', 'Greedy*/per/OPT=MIN']\nperiod = [600, 900]\n\
            [[workloads]]\nname = 'model'\nnodes = 8\nlublin = { traces = 1, jobs = 20 }\n";
        let scenario = Scenario::parse(text, "sweep.toml", &[]).unwrap();
        let label = |setting: &Setting| {
            let Label { policy, period, .. } = setting.label();
            (policy, period.map(SimSpan::as_secs_f64))
        };
        let expected = [
            ("EASY", None),
            ("/per/OPT=MIN", Some(600.0)),
            ("Greedy*/per/OPT=MIN", Some(600.0)),
            ("/per/OPT=MIN", Some(900.0)),
            ("Greedy*/per/OPT=MIN", Some(900.0)),
        ];
        let found: Vec<(String, Option<f64>)> = settings(&scenario).iter().map(label).collect();
        assert_eq!(found, expected.map(|(policy, period)| (policy.to_owned(), period)));
        assert_eq!(Scenario::parse(&scenario.to_toml(), "again.toml", &[]).unwrap(), scenario);
    }
}
