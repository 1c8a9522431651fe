//! Settings with which each instance is simulated: a policy and everything that its name leaves
//! open.

use crate::readings;
use crate::rows::SimulationRow;
use crate::scenario::{Online, Simulation};
use dfrsim_cluster::{EstimateModel, NeedModel, Options};
use dfrsim_lab::KeyBuilder;
use dfrsim_lab::fields::Scenario;
use dfrsim_model::platform::Interruption;
use dfrsim_model::site::SiteSettings;
use dfrsim_model::{Seed, SimSpan};
use dfrsim_policies::fractional::{McbOptions, Periodic};
use dfrsim_policies::{Policy, PolicyOptions, PolicySetting};
use std::iter;

/// A policy with everything that its name leaves open, apart from the memory of a node.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Setting {
    pub(crate) policy: Policy,
    pub(crate) parameters: PolicyOptions,
    pub(crate) options: Options,
    /// Name of the alternative interpretations, if they are not those of the scenario.
    pub(crate) alternative: Option<String>,
    /// Treatment of jobs on nodes that go down, if any do. The outages are those of each instance.
    pub(crate) interruption: Option<Interruption>,
    /// Name and index of the scenario's priorities by which waiting jobs are ordered or running ones
    /// share, if any.
    pub(crate) priorities: Option<(String, usize)>,
}

/// Returns all settings of a scenario: every policy with every penalty and, if they affect it, every
/// period, packing and drop rule; policies of sweeps with the periods of their sweep; each with
/// every knowledge of CPU needs, and with the alternative interpretations that can affect it.
pub(crate) fn settings(scenario: &Scenario<Online>) -> Vec<Setting> {
    let simulation = &scenario.simulation;
    let sweeps = scenario.sweeps.iter().map(|sweep| (&sweep.periods, &sweep.policies));
    let all: Vec<_> = iter::once((&simulation.periods, &scenario.policies)).chain(sweeps).collect();
    let mut settings = Vec::<Setting>::new();
    let mut labels = Vec::<SimulationRow>::new();
    let interruptions: Vec<Option<Interruption>> = match &scenario.outages {
        None => vec![None],
        Some(outages) => outages.interruptions.iter().copied().map(Some).collect(),
    };
    let named: Vec<(String, usize)> =
        scenario.priorities.iter().enumerate().map(|(place, it)| (it.name.clone(), place)).collect();
    let plain = scenario.plain;
    let mut add = |setting: Setting| {
        let named = named.iter().filter(|_| setting.alternative.is_none()).cloned().map(Some);
        for priorities in plain.then_some(None).into_iter().chain(named) {
            for &interruption in &interruptions {
                let setting = Setting { interruption, priorities: priorities.clone(), ..setting.clone() };
                let label = setting.label();
                if !labels.contains(&label) {
                    labels.push(label);
                    settings.push(setting);
                }
            }
        }
    };
    for &penalty in &simulation.penalties {
        for &(periods, policies) in &all {
            for plain in plain_options(simulation, periods) {
                for &policy in policies {
                    for (alternative, parameters) in options_by_interpretation(scenario, policy, plain) {
                        let clock = readings::clock(policy, &parameters);
                        for options in simulation_options(simulation, penalty, scenario.seed) {
                            let (options, alternative) = (Options { clock, ..options }, alternative.clone());
                            let (interruption, priorities) = (None, None);
                            add(Setting {
                                policy,
                                parameters,
                                options,
                                alternative,
                                interruption,
                                priorities,
                            });
                        }
                    }
                }
            }
        }
    }
    settings
}

/// Returns policy options with default interpretations, for each period, packing and drop rule.
fn plain_options(simulation: &Simulation, periods: &[SimSpan]) -> Vec<PolicyOptions> {
    let Simulation { yield_floor: floor, yield_precision: precision, stretch_precision, priority, .. } =
        *simulation;
    let mut all = Vec::new();
    for &period in periods {
        for &packing in &simulation.packings {
            for &drop in &simulation.drops {
                let default = McbOptions::default();
                let mcb = McbOptions { packing, drop, floor, precision, stretch_precision, ..default };
                all.push(PolicyOptions { period, mcb, priority, ..PolicyOptions::default() });
            }
        }
    }
    all
}

/// Returns the options of a policy under the scenario's interpretations, and under each alternative
/// that can affect it, with its name.
fn options_by_interpretation(
    scenario: &Scenario<Online>,
    policy: Policy,
    plain: PolicyOptions,
) -> Vec<(Option<String>, PolicyOptions)> {
    let plain = PolicyOptions { period: policy.own_period().unwrap_or(plain.period), ..plain };
    let usual = scenario.simulation.readings.apply(plain);
    let matters =
        |other: PolicyOptions| readings::relevant(policy, other) != readings::relevant(policy, usual);
    let others = scenario.alternatives.iter().map(|it| (Some(it.name.clone()), it.apply(plain)));
    iter::once((None, usual)).chain(others.filter(|(_, other)| matters(*other))).collect()
}

/// Returns the options of simulations with a penalty, for each knowledge of CPU needs. Exact needs
/// are not discovered.
fn simulation_options(simulation: &Simulation, penalty: SimSpan, seed: u64) -> Vec<Options> {
    let Simulation { estimates, overrun, .. } = *simulation;
    let seed = Seed::new(seed).fork("simulation");
    let mut all = Vec::new();
    for &needs in &simulation.cpu_needs {
        let discovered = simulation.discovery.iter().filter(|_| needs != NeedModel::Exact).copied().map(Some);
        for discovery in iter::once(None).chain(discovered) {
            all.push(Options { penalty, estimates, overrun, seed, needs, discovery, ..Options::default() });
        }
    }
    all
}

impl Setting {
    /// Returns the values of the setting's columns. Those that cannot affect the policy are left
    /// out.
    pub(crate) fn label(&self) -> SimulationRow {
        let Setting { policy, parameters, options, alternative, interruption, priorities } = self;
        let of_priorities = priorities.as_ref().map(|(name, _)| name);
        let mcb = policy.reads(PolicySetting::Mcb).then_some(parameters.mcb);
        SimulationRow {
            policy: match alternative.as_ref().or(of_priorities) {
                Some(name) => format!("{policy} [{name}]"),
                None => policy.to_string(),
            },
            penalty_s: options.penalty,
            period_s: policy.reads(PolicySetting::Period).then_some(parameters.period),
            packing: mcb.map(|mcb| mcb.packing.to_string()),
            drop: mcb.map(|mcb| mcb.drop.to_string()),
            estimates: options.estimates.to_string(),
            overrun: options.overrun.to_string(),
            cpu_needs: options.needs.to_string(),
            discovery_s: options.discovery,
            interruption: interruption.map(|rule| rule.to_string()),
            ..SimulationRow::default()
        }
    }

    /// Adds everything that rows depend on. Settings that cannot affect the policy are left out, so
    /// that stored rows remain valid when these change.
    pub(crate) fn key(&self, node_memory_gb: f64, priorities: Option<&SiteSettings>, key: &mut KeyBuilder) {
        let Setting { policy, parameters, options, alternative: _, interruption, priorities: _ } = self;
        let Options {
            penalty,
            estimates,
            overrun,
            seed,
            needs,
            discovery,
            epilog: _,
            clock: _,
            outages: _,
            unequal: _,
            weights: _,
            texts: _,
        } = options;
        key.field("policy", policy);
        if let Policy::Custom(custom) = policy {
            key.field("policy_version", custom.version());
        }
        key.field("penalty_s", penalty);
        key.field("estimates", estimates);
        if let EstimateModel::Random(_) = estimates {
            key.field("seed", seed.value());
        }
        key.field("overrun", overrun);
        if *needs != NeedModel::Exact {
            key.field("cpu_needs", needs);
            key.optional("discovery_s", *discovery);
        }
        key.optional("interruption", *interruption);
        if let Some(settings) = priorities {
            key.field("priorities", serde_json::to_string(settings).unwrap_or_default());
        }
        let PolicyOptions { period, mcb, priority, readings: _, node_memory_gb: _ } = parameters;
        if policy.reads(PolicySetting::Period) {
            key.field("period_s", period);
        }
        if policy.reads(PolicySetting::Mcb) {
            let McbOptions { packing, drop, floor, precision, stretch_precision, .. } = mcb;
            key.field("packing", packing).field("drop", drop);
            key.field("yield_floor", floor.units()).field("yield_precision", precision.units());
            if policy.fractional().is_none_or(|parts| parts.periodic == Periodic::McbStretch) {
                key.field("stretch_precision", stretch_precision.units());
            }
        }
        if policy.reads(PolicySetting::Priority) {
            key.field("priority", priority);
        }
        if policy.reads(PolicySetting::NodeMemory) {
            key.field("node_memory_gb", node_memory_gb);
        }
        readings::key(*policy, *parameters, key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_lab::Key;
    use dfrsim_lab::fields::{Environment, ScenarioSource};
    use std::collections::BTreeSet;

    fn settings_of(text: &str) -> Vec<Setting> {
        let text = format!(
            "study = 'online'\n{text}[[workloads]]\nname = 'model'\nnodes = 8\nlublin = {{ replications = 1 }}\n"
        );
        let environment = Environment::new();
        let source = ScenarioSource {
            text: &text,
            name: "s.toml",
            folder: None,
            overrides: &[],
            environment: &environment,
        };
        settings(&Scenario::read(&source, "online").unwrap_or_else(|errors| panic!("{errors}")))
    }

    /// Checks that EASY has no period, and that the sweep adds a period to the policy that is
    /// already there, and a further policy.
    #[test]
    fn a_sweep_has_its_own_periods() {
        let settings = settings_of(
            "policies = ['EASY', '/per/OPT=MIN']\n\
             [[sweep]]\npolicies = ['/per/OPT=MIN', 'Greedy*/per/OPT=MIN']\nperiod_s = [600, 900]\n",
        );
        let label = |setting: &Setting| {
            let SimulationRow { policy, period_s, .. } = setting.label();
            (policy, period_s.map(SimSpan::as_secs_f64))
        };
        let expected = [
            ("EASY", None),
            ("/per/OPT=MIN", Some(600.0)),
            ("Greedy*/per/OPT=MIN", Some(600.0)),
            ("/per/OPT=MIN", Some(900.0)),
            ("Greedy*/per/OPT=MIN", Some(900.0)),
        ];
        let found: Vec<(String, Option<f64>)> = settings.iter().map(label).collect();
        assert_eq!(found, expected.map(|(policy, period)| (policy.to_owned(), period)));
    }

    /// Checks that a policy whose name specifies its period is simulated once.
    #[test]
    fn periods_in_names_are_their_own() {
        let settings = settings_of(
            "policies = ['/per/OPT=MIN', '/per/OPT=MIN/PERIOD=900']\n[simulation]\nperiod_s = [600, 1200]\n",
        );
        let periods: Vec<f64> = settings
            .iter()
            .filter_map(|setting| setting.label().period_s)
            .map(SimSpan::as_secs_f64)
            .collect();
        assert_eq!(periods, [600.0, 900.0, 1200.0]);
    }

    /// Checks that an alternative interpretation is simulated in addition for the policies that it
    /// can affect. Only these have another key.
    #[test]
    fn alternative_readings_are_those_that_matter() {
        let settings = settings_of(
            "policies = ['EASY', 'Greedy*/OPT=MIN', 'GreedyP*/OPT=MIN', '/per/OPT=MIN']\n\
             [[reading]]\nname = 'ties'\nties = 'later-first'\n\
             [[reading]]\nname = 'star'\nstar = 'every-event'\n\
             [[reading]]\nname = 'un-marking'\nunmarking = 'after-placing'\n\
             [[reading]]\nname = 'balanced'\nbalanced = 'cpu'\n\
             [[reading]]\nname = 'lists'\npacking = 'mcb8'\nbalanced = 'cpu'\n\
             [[reading]]\nname = 'zero'\nticks_from = 'zero'\n",
        );
        let names: Vec<String> = settings.iter().map(|setting| setting.label().policy).collect();
        let expected = [
            "EASY",
            "Greedy*/OPT=MIN",
            "Greedy*/OPT=MIN [star]",
            "GreedyP*/OPT=MIN",
            "GreedyP*/OPT=MIN [star]",
            "GreedyP*/OPT=MIN [un-marking]",
            "/per/OPT=MIN",
            "/per/OPT=MIN [ties]",
            "/per/OPT=MIN [lists]",
            "/per/OPT=MIN [zero]",
        ];
        assert_eq!(names, expected);
        let key = |setting: &Setting| {
            let mut key = KeyBuilder::new("online", 1);
            setting.key(8.0, None, &mut key);
            key.key()
        };
        let keys: BTreeSet<Key> = settings.iter().map(key).collect();
        assert_eq!(keys.len(), expected.len());
    }

    /// Checks that settings which affect a policy change its key, and that others do not.
    #[test]
    fn keys_depend_on_what_matters() {
        let key = |policy: &str, fields: &str, node_memory_gb: f64, seed: u64| -> Key {
            let text = format!("seed = {seed}\npolicies = '{policy}'\n[simulation]\n{fields}\n");
            let mut key = KeyBuilder::new("online", 1);
            settings_of(&text).last().unwrap().key(node_memory_gb, None, &mut key);
            key.key()
        };
        let mcb = ["period_s = 1", "drop = 'skip'", "packing = 'mcb8'", "priority = 'inverse-virtual'"];
        let mcb = [&mcb[..], &["yield_floor = 0.02", "yield_precision = 0.02"]].concat();
        let any = ["penalty = 1", "estimates = 'none'", "overrun = 'kill'", "cpu_needs = 'whole'"];
        let base = key("EASY", "", 8.0, 1);
        for fields in &mcb {
            assert_eq!(key("EASY", fields, 8.0, 1), base, "{fields}");
        }
        assert_eq!(key("EASY", "discovery_s = 60", 2.0, 2), base);
        let mut keys = BTreeSet::from([base, key("FCFS", "", 8.0, 1), key("/per/OPT=MIN", "", 8.0, 1)]);
        keys.extend(any.map(|fields| key("EASY", fields, 8.0, 1)));
        keys.extend(mcb.iter().map(|fields| key("/per/OPT=MIN", fields, 8.0, 1)));
        keys.insert(key("EASY", "cpu_needs = 'whole'\ndiscovery_s = 60", 8.0, 1));
        keys.extend([1, 2].map(|seed| key("EASY", "estimates = 'random:2'", 8.0, seed)));
        keys.extend([8.0, 2.0].map(|memory| key("/per/BUDGET=5/OPT=MIN", "", memory, 1)));
        assert_eq!(keys.len(), 3 + any.len() + mcb.len() + 1 + 2 + 2);
        assert_eq!(key("/per/OPT=MIN", "", 2.0, 1), key("/per/OPT=MIN", "", 8.0, 1));
    }
}
