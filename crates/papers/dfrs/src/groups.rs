//! Which rows belong together in a table.

use crate::rows::SimulationRow;
use crate::scenario::{Online, Workload};
use crate::setting::{Setting, settings};
use dfrsim_cluster::NeedModel;
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::{Cell, Long, Record, TableLine, Value, average, line_of};
use dfrsim_model::SimSpan;
use dfrsim_policies::PolicySetting;
use dfrsim_policies::fractional::{DropRule, Packing};

/// The penalty and the period of the published tables.
const PUBLISHED_PENALTY: SimSpan = SimSpan::from_secs(300);
const PUBLISHED_PERIOD: SimSpan = SimSpan::from_secs(600);

/// The rows of one instance: of all settings, each with all taus.
struct InstanceRows<'a> {
    workload: usize,
    load: Option<f64>,
    records: &'a [Record<SimulationRow>],
}

/// All rows of a scenario, by instance and setting.
pub(crate) struct Matrix<'a> {
    pub(crate) scenario: &'a Scenario<Online>,
    settings: Vec<Setting>,
    instances: Vec<InstanceRows<'a>>,
}

/// The instances over which a value is averaged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'a> {
    pub(crate) workload: &'a Workload,
    at: usize,
    pub(crate) load: Load,
    /// Whether it has all instances of the workload: those of its only load, too.
    pub(crate) has_all: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Load {
    /// The traces or weeks as they are.
    Unscaled,
    /// The traces scaled to this load.
    Of(f64),
    /// The loads from this one on together.
    From(f64),
    /// All loads together.
    All,
}

/// The rows of one setting and tau in one scope, in the order of the instances.
#[derive(Clone)]
pub(crate) struct Group<'a> {
    pub(crate) scope: Scope<'a>,
    pub(crate) setting: &'a Setting,
    pub(crate) tau: SimSpan,
    pub(crate) records: Vec<&'a Record<SimulationRow>>,
}

impl<'a> Matrix<'a> {
    /// The rows of a scenario; without instances if they are not all rows of it.
    pub(crate) fn new(scenario: &'a Scenario<Online>, rows: &'a Long<SimulationRow>) -> Matrix<'a> {
        let settings = settings(scenario);
        let of_instance = settings.len() * scenario.simulation.taus.len();
        let instances = rows.records.chunks(of_instance).map(|records| {
            let (workload, load) = labels(&records[0])?;
            let workload = scenario.workloads.iter().position(|each| each.name == workload)?;
            (records.len() == of_instance).then_some(InstanceRows { workload, load, records })
        });
        let instances = instances.collect::<Option<_>>().unwrap_or_default();
        Matrix { scenario, settings, instances }
    }

    /// How many instances a workload has.
    pub(crate) fn count(&self, workload: &Workload) -> usize {
        let is_of =
            |instance: &&InstanceRows<'_>| self.scenario.workloads[instance.workload].name == workload.name;
        self.instances.iter().filter(is_of).count()
    }

    /// For each instance and tau a row of any setting that has one: the bound depends on none.
    pub(crate) fn one_each(&self) -> Vec<&'a SimulationRow> {
        let taus = self.scenario.simulation.taus.len();
        let one = |records: &'a [Record<SimulationRow>], tau: usize| {
            records[tau..].iter().step_by(taus).find_map(|record| record.outcome.as_ref().ok())
        };
        let of_instance =
            |rows: &InstanceRows<'a>| (0..taus).filter_map(|tau| one(rows.records, tau)).collect::<Vec<_>>();
        self.instances.iter().flat_map(of_instance).collect()
    }

    /// The scopes of a scenario: for each workload its loads, those of a published table that leaves lighter ones out, and all.
    pub(crate) fn scopes(&self) -> Vec<Scope<'a>> {
        let mut scopes = Vec::new();
        for (at, workload) in self.scenario.workloads.iter().enumerate() {
            let mut loads = Vec::new();
            for instance in self.instances.iter().filter(|instance| instance.workload == at) {
                let load = instance.load.map_or(Load::Unscaled, Load::Of);
                if !loads.contains(&load) {
                    loads.push(load);
                }
            }
            let (several, is_scaled) = (loads.len() > 1, !loads.is_empty() && loads != [Load::Unscaled]);
            let partly = workload.published.iter().filter_map(|table| table.min_load());
            loads.extend(partly.filter(|_| is_scaled).map(Load::From));
            loads.extend(several.then_some(Load::All));
            scopes.extend(loads.into_iter().map(|load| {
                let has_all = match load {
                    Load::Unscaled | Load::All => true,
                    Load::Of(_) => !several,
                    Load::From(_) => false,
                };
                Scope { workload, at, load, has_all }
            }));
        }
        scopes
    }

    /// All groups, in the order of the scenario.
    pub(crate) fn groups(&'a self) -> Vec<Group<'a>> {
        let taus = &self.scenario.simulation.taus;
        let mut groups = Vec::new();
        for scope in self.scopes() {
            let instances: Vec<_> = self.instances.iter().filter(|instance| scope.has(instance)).collect();
            if instances.is_empty() {
                continue;
            }
            for (at, &tau) in taus.iter().enumerate() {
                for (place, setting) in self.settings.iter().enumerate() {
                    let records =
                        instances.iter().map(|instance| &instance.records[place * taus.len() + at]).collect();
                    groups.push(Group { scope, setting, tau, records });
                }
            }
        }
        groups
    }

    /// Whether a group has the tau, the penalty and the rule of interruptions that the scenario names first.
    pub(crate) fn is_first(&self, group: &Group<'_>) -> bool {
        let simulation = &self.scenario.simulation;
        let interruption = self.scenario.outages.as_ref().and_then(|it| it.interruptions.first().copied());
        group.tau == simulation.taus[0]
            && group.setting.options.penalty == simulation.penalties[0]
            && group.setting.interruption == interruption
    }

    /// Whether a group has the values that the scenario names first, with any penalty, knowledge of CPU needs and rule of interruptions.
    pub(crate) fn has_first_rules(&self, group: &Group<'_>) -> bool {
        let simulation = &self.scenario.simulation;
        group.setting.alternative.is_none()
            && group.tau == simulation.taus[0]
            && group.has_period(simulation.periods[0])
            && group.has_rules(simulation.packings[0], simulation.drops[0])
    }

    /// Whether a group has the values that the scenario names first, and is simulated as the published tables are.
    pub(crate) fn is_default(&self, group: &Group<'_>) -> bool {
        group.is_simulated_as_published() && self.has_first_rules(group)
    }
}

/// The workload and the load of a record.
fn labels(record: &Record<SimulationRow>) -> Option<(&str, Option<f64>)> {
    match &record.outcome {
        Ok(row) => Some((&row.workload, row.load)),
        Err(unfinished) => Some((&unfinished.fields[0], Value::read(&unfinished.fields[2])?)),
    }
}

impl Scope<'_> {
    fn has(&self, instance: &InstanceRows<'_>) -> bool {
        instance.workload == self.at && self.load.has(instance.load)
    }
    /// Whether it is a workload as a whole, not some of its loads, of which published values may have others.
    pub(crate) fn is_whole(&self) -> bool {
        matches!(self.load, Load::Unscaled | Load::All)
    }
    /// Whether it is what a published table of loads from this one on is about.
    pub(crate) fn is_from(&self, min_load: f64) -> bool {
        self.load == Load::From(min_load)
    }
    /// Its cells: the load is a number, `>=` and a number, `all`, or missing for traces and weeks as they are.
    pub(crate) fn cells(&self) -> [Cell; 2] {
        let load = match self.load {
            Load::Unscaled => Cell::Missing,
            Load::Of(load) => Cell::Text(load.to_string()),
            Load::From(least) => Cell::Text(format!(">={least}")),
            Load::All => Cell::Text("all".to_owned()),
        };
        [Cell::Text(self.workload.name.clone()), load]
    }
    /// Whether a row is of one of its instances.
    pub(crate) fn has_row(&self, row: &SimulationRow) -> bool {
        row.workload == self.workload.name && self.load.has(row.load)
    }
}

impl Load {
    fn has(self, load: Option<f64>) -> bool {
        match self {
            Load::Unscaled | Load::All => true,
            Load::Of(own) => load == Some(own),
            Load::From(least) => load.is_some_and(|load| load >= least),
        }
    }
}

impl<'a> Group<'a> {
    /// The cells that identify it and count its rows.
    pub(crate) fn line(&self) -> TableLine {
        let label = self.setting.label();
        let [workload, load] = self.scope.cells();
        let line = TableLine::new().with("workload", workload).with("load", load);
        line_of!(line, label: policy, penalty_s, period_s, packing, drop, cpu_needs, discovery_s)
            .with_all(label.interruption.map(|rule| ("interruption", rule)))
            .with("tau_s", self.tau)
            .with("instances", self.records.len())
            .with("failed", self.failed())
    }
    /// How many of its simulations failed.
    pub(crate) fn failed(&self) -> usize {
        self.records.len() - self.rows().count()
    }
    /// Whether it has the penalty, the knowledge and, where that matters and its name does not say it, the period of published
    /// tables.
    pub(crate) fn is_simulated_as_published(&self) -> bool {
        let options = &self.setting.options;
        options.penalty == PUBLISHED_PENALTY
            && options.needs == NeedModel::Exact
            && self.has_period(PUBLISHED_PERIOD)
    }
    fn has_period(&self, period: SimSpan) -> bool {
        let Setting { policy, parameters, .. } = self.setting;
        !policy.reads(PolicySetting::Period) || policy.own_period().is_some() || parameters.period == period
    }
    /// Whether it has these rules of MCB, where they matter to its policy.
    pub(crate) fn has_rules(&self, packing: Packing, drop: DropRule) -> bool {
        let mcb = self.setting.parameters.mcb;
        !self.setting.policy.reads(PolicySetting::Mcb) || (mcb.packing, mcb.drop) == (packing, drop)
    }
    /// The rows of the simulations that did not fail.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &'a SimulationRow> {
        self.records.iter().filter_map(|record| record.outcome.as_ref().ok())
    }
    /// The mean of a metric, given the memory of a node in GB; `None` if all simulations failed.
    pub(crate) fn mean_of(&self, metric: impl Fn(&SimulationRow, f64) -> f64) -> Option<f64> {
        average(self.values(|row| metric(row, self.scope.workload.node_memory_gb)))
    }
    /// A value of each simulation that did not fail.
    pub(crate) fn values(&self, value: impl Fn(&SimulationRow) -> f64) -> Vec<f64> {
        self.rows().map(value).collect()
    }
}
