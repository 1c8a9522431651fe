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
    /// Site whose settings apply, if any.
    pub(crate) site: Option<SiteChoice>,
}

/// Site of the scenario, by one of its `priority` tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SiteChoice {
    pub(crate) name: String,
    pub(crate) index: SiteIndex,
}

/// Index of a `priority` table of the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SiteIndex(pub(crate) usize);

/// Policy with parameters, and the name of the alternative interpretations that they follow, if
/// these are not those of the scenario.
type PolicyChoice = (Policy, PolicyOptions, Option<String>);

/// Returns all settings of a scenario: the product of its axes, as far as they affect the policy.
/// Alternative interpretations are simulated without the settings of sites.
pub(crate) fn settings(scenario: &Scenario<Online>) -> Vec<Setting> {
    let simulation = &scenario.simulation;
    let Simulation { estimates, overrun, .. } = *simulation;
    let seed = Seed::new(scenario.seed).fork("simulation");
    let conditions = product(&sites(scenario), &interruptions(scenario));
    let runs = product(&policies(scenario), &product(&knowledge(simulation), &conditions));
    let setting = |(penalty, (policy, (knowledge, condition)))| {
        let (policy, parameters, alternative): PolicyChoice = policy;
        let ((needs, discovery), (site, interruption)) = (knowledge, condition);
        let clock = readings::clock(policy, &parameters);
        let others = Options::default();
        let options = Options { penalty, estimates, overrun, seed, needs, discovery, clock, ..others };
        Setting { policy, parameters, options, alternative, interruption, site }
    };
    let mut labels = Vec::<SimulationRow>::new();
    let mut is_new = |setting: &Setting| {
        let label = setting.label();
        let is_new = !labels.contains(&label);
        labels.extend(is_new.then_some(label));
        is_new
    };
    let all = product(&simulation.penalties, &runs).into_iter().map(setting);
    all.filter(|it| it.alternative.is_none() || it.site.is_none()).filter(|it| is_new(it)).collect()
}

/// Returns all pairs of an element of `outer` and one of `inner`, those of the first element of
/// `outer` first.
fn product<A: Clone, B: Clone>(outer: &[A], inner: &[B]) -> Vec<(A, B)> {
    outer.iter().flat_map(|a| inner.iter().map(|b| (a.clone(), b.clone()))).collect()
}

/// Returns the axis of policies: those of the scenario with its periods, and those of each sweep
/// with its own, each with every packing and drop rule and all interpretations that can affect it.
fn policies(scenario: &Scenario<Online>) -> Vec<PolicyChoice> {
    let simulation = &scenario.simulation;
    let sweeps = scenario.sweeps.iter().map(|sweep| (&sweep.periods, &sweep.policies));
    let groups = iter::once((&simulation.periods, &scenario.policies)).chain(sweeps);
    let with_periods = |(periods, policies): (&Vec<SimSpan>, &Vec<Policy>)| {
        product(&plain_options(simulation, periods), policies)
    };
    let interpreted = |(plain, policy)| options_by_interpretation(scenario, policy, plain);
    groups.flat_map(with_periods).flat_map(interpreted).collect()
}

/// Returns the axis of the knowledge of CPU needs, and the time after which running jobs reveal
/// them. Exact needs are not discovered.
fn knowledge(simulation: &Simulation) -> Vec<(NeedModel, Option<SimSpan>)> {
    let of_needs = |&needs: &NeedModel| {
        let discovered = simulation.discovery.iter().filter(move |_| needs != NeedModel::Exact);
        iter::once(None).chain(discovered.copied().map(Some)).map(move |discovery| (needs, discovery))
    };
    simulation.cpu_needs.iter().flat_map(of_needs).collect()
}

/// Returns the axis of sites: none, and each `priority` table.
fn sites(scenario: &Scenario<Online>) -> Vec<Option<SiteChoice>> {
    let named = scenario.priorities.iter().enumerate();
    let named = named.map(|(index, it)| SiteChoice { name: it.name.clone(), index: SiteIndex(index) });
    scenario.plain.then_some(None).into_iter().chain(named.map(Some)).collect()
}

/// Returns the axis of interruption rules.
fn interruptions(scenario: &Scenario<Online>) -> Vec<Option<Interruption>> {
    let rules = scenario.outages.as_ref().map(|it| it.interruptions.iter().copied().map(Some).collect());
    rules.unwrap_or_else(|| vec![None])
}

/// Returns policy options with default interpretations, for each period, packing and drop rule.
fn plain_options(simulation: &Simulation, periods: &[SimSpan]) -> Vec<PolicyOptions> {
    let Simulation { yield_floor: floor, yield_precision: precision, stretch_precision, priority, .. } =
        *simulation;
    let options = |(period, (packing, drop))| {
        let default = McbOptions::default();
        let mcb = McbOptions { packing, drop, floor, precision, stretch_precision, ..default };
        PolicyOptions { period, mcb, priority, ..PolicyOptions::default() }
    };
    let rules = product(&simulation.packings, &simulation.drops);
    product(periods, &rules).into_iter().map(options).collect()
}

/// Returns the policy with its options under the scenario's interpretations, and under each
/// alternative that can affect it.
fn options_by_interpretation(
    scenario: &Scenario<Online>,
    policy: Policy,
    plain: PolicyOptions,
) -> Vec<PolicyChoice> {
    let plain = PolicyOptions { period: policy.own_period().unwrap_or(plain.period), ..plain };
    let usual = scenario.simulation.readings.apply(plain);
    let matters =
        |other: &PolicyOptions| readings::relevant(policy, *other) != readings::relevant(policy, usual);
    let others = scenario.alternatives.iter().map(|it| (policy, it.apply(plain), Some(it.name.clone())));
    iter::once((policy, usual, None)).chain(others.filter(|(_, other, _)| matters(other))).collect()
}

impl Setting {
    /// Returns the values of the setting's columns. Those that cannot affect the policy are left
    /// out.
    pub(crate) fn label(&self) -> SimulationRow {
        let Setting { policy, parameters, options, alternative, interruption, site } = self;
        let of_site = site.as_ref().map(|site| &site.name);
        let mcb = policy.reads(PolicySetting::Mcb).then_some(parameters.mcb);
        SimulationRow {
            policy: match alternative.as_ref().or(of_site) {
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
    pub(crate) fn key(&self, node_memory_gb: f64, site: Option<&SiteSettings>, key: &mut KeyBuilder) {
        let Setting { policy, parameters, options, alternative: _, interruption, site: _ } = self;
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
            beginning: _,
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
        if let Some(settings) = site {
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
