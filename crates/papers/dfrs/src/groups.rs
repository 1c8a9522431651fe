//! Groups of rows that a table summarises together.

use crate::rows::SimulationRow;
use crate::scenario::{Online, Workload};
use crate::setting::{Setting, settings};
use dfrsim_cluster::NeedModel;
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::{Cell, Long, Record, TableLine, Value, average, line_of, split_copy};
use dfrsim_model::SimSpan;
use dfrsim_policies::PolicySetting;
use dfrsim_policies::fractional::{DropRule, Packing};

/// Penalty and period of the published tables.
const PUBLISHED_PENALTY: SimSpan = SimSpan::from_secs(300);
const PUBLISHED_PERIOD: SimSpan = SimSpan::from_secs(600);

/// Rows of one instance: those of all settings, each with all taus.
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

/// Instances over which a value is averaged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'a> {
    pub(crate) workload: &'a Workload,
    workload_index: usize,
    pub(crate) load: Load,
    /// True if the scope has all instances of the workload, which includes the scope of its only
    /// load.
    pub(crate) has_all: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Load {
    /// Traces or weeks that are not scaled.
    Unscaled,
    /// Traces scaled to this load.
    Of(f64),
    /// Traces of this load and all higher ones.
    AtLeast(f64),
    /// Traces of all loads.
    All,
}

/// Rows of one setting and tau in one scope, in the order of the instances.
#[derive(Clone)]
pub(crate) struct Group<'a> {
    pub(crate) scope: Scope<'a>,
    pub(crate) setting: &'a Setting,
    pub(crate) tau: SimSpan,
    pub(crate) records: Vec<&'a Record<SimulationRow>>,
}

impl<'a> Matrix<'a> {
    /// Groups the rows of a scenario. The result has no instances if rows are missing.
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

    /// Counts the instances of a workload.
    pub(crate) fn instance_count(&self, workload: &Workload) -> usize {
        let is_of =
            |instance: &&InstanceRows<'_>| self.scenario.workloads[instance.workload].name == workload.name;
        self.instances.iter().filter(is_of).count()
    }

    /// Returns one successful row for each instance and tau. Any setting will do, as the bound does
    /// not depend on it.
    pub(crate) fn one_row_per_instance(&self) -> Vec<&'a SimulationRow> {
        let taus = self.scenario.simulation.taus.len();
        let one = |records: &'a [Record<SimulationRow>], tau: usize| {
            records[tau..].iter().step_by(taus).find_map(|record| record.outcome.as_ref().ok())
        };
        let of_instance =
            |rows: &InstanceRows<'a>| (0..taus).filter_map(|tau| one(rows.records, tau)).collect::<Vec<_>>();
        self.instances.iter().flat_map(of_instance).collect()
    }

    /// Returns the scopes of a scenario: for each workload its loads, those of a published table
    /// that omits lighter ones, and all.
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
            loads.extend(partly.filter(|_| is_scaled).map(Load::AtLeast));
            loads.extend(several.then_some(Load::All));
            scopes.extend(loads.into_iter().map(|load| {
                let has_all = match load {
                    Load::Unscaled | Load::All => true,
                    Load::Of(_) => !several,
                    Load::AtLeast(_) => false,
                };
                Scope { workload, workload_index: at, load, has_all }
            }));
        }
        scopes
    }

    /// Returns all groups, in the order of the scenario.
    pub(crate) fn groups(&'a self) -> Vec<Group<'a>> {
        let taus = &self.scenario.simulation.taus;
        let mut groups = Vec::new();
        for scope in self.scopes() {
            let instances: Vec<_> =
                self.instances.iter().filter(|instance| scope.contains_instance(instance)).collect();
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

    /// Checks that a group has the first tau, penalty and interruption rule of the scenario.
    pub(crate) fn has_first_conditions(&self, group: &Group<'_>) -> bool {
        let simulation = &self.scenario.simulation;
        let interruption = self.scenario.outages.as_ref().and_then(|it| it.interruptions.first().copied());
        group.tau == simulation.taus[0]
            && group.setting.options.penalty == simulation.penalties[0]
            && group.setting.interruption == interruption
    }

    /// Checks that a group has the first values of the scenario, with any penalty, knowledge of CPU
    /// needs and interruption rule.
    pub(crate) fn has_first_rules(&self, group: &Group<'_>) -> bool {
        let simulation = &self.scenario.simulation;
        group.setting.alternative.is_none()
            && group.tau == simulation.taus[0]
            && group.has_period(simulation.periods[0])
            && group.has_rules(simulation.packings[0], simulation.drops[0])
    }

    /// Checks that a group has the first values of the scenario and is simulated under the
    /// conditions of the published tables.
    pub(crate) fn is_default(&self, group: &Group<'_>) -> bool {
        group.is_simulated_as_published() && self.has_first_rules(group)
    }
}

/// Returns the name of the week or trace of a row. A trace at several loads, and copies of an instance,
/// are not statistically independent.
pub(crate) fn block(row: &SimulationRow) -> &str {
    let (original, _) = split_copy(&row.instance);
    original.split("-load-").next().unwrap_or_default()
}

/// Returns the workload and the load of a record.
fn labels(record: &Record<SimulationRow>) -> Option<(&str, Option<f64>)> {
    match &record.outcome {
        Ok(row) => Some((&row.workload, row.load)),
        Err(unfinished) => Some((&unfinished.fields[0], Value::read(&unfinished.fields[2])?)),
    }
}

impl Scope<'_> {
    fn contains_instance(&self, instance: &InstanceRows<'_>) -> bool {
        instance.workload == self.workload_index && self.load.contains(instance.load)
    }
    /// Returns true if the scope is a whole workload. Published values may cover other loads than a
    /// part of them.
    pub(crate) fn is_whole(&self) -> bool {
        matches!(self.load, Load::Unscaled | Load::All)
    }
    /// Returns true if the scope is that of a published table with loads of at least `min_load`.
    pub(crate) fn is_published_range(&self, min_load: f64) -> bool {
        self.load == Load::AtLeast(min_load)
    }
    /// Returns the cells of the scope. The load is a number, `>=` and a number, `all`, or missing
    /// for traces and weeks that are not scaled.
    pub(crate) fn cells(&self) -> [Cell; 2] {
        let load = match self.load {
            Load::Unscaled => Cell::Missing,
            Load::Of(load) => Cell::Text(load.to_string()),
            Load::AtLeast(least) => Cell::Text(format!(">={least}")),
            Load::All => Cell::Text("all".to_owned()),
        };
        [Cell::Text(self.workload.name.clone()), load]
    }
    /// Returns true if the row belongs to one of the scope's instances.
    pub(crate) fn contains_row(&self, row: &SimulationRow) -> bool {
        row.workload == self.workload.name && self.load.contains(row.load)
    }
}

impl Load {
    fn contains(self, load: Option<f64>) -> bool {
        match self {
            Load::Unscaled | Load::All => true,
            Load::Of(own) => load == Some(own),
            Load::AtLeast(least) => load.is_some_and(|load| load >= least),
        }
    }
}

impl<'a> Group<'a> {
    /// Returns the cells that identify the group and count its rows.
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
    /// Counts the simulations of the group that failed.
    pub(crate) fn failed(&self) -> usize {
        self.records.len() - self.rows().count()
    }
    /// Checks that the group has the penalty and the exact CPU needs of the published tables, and
    /// their period where it matters and is not part of the policy's name.
    pub(crate) fn is_simulated_as_published(&self) -> bool {
        let options = &self.setting.options;
        options.penalty == PUBLISHED_PENALTY
            && options.needs == NeedModel::Exact
            && self.has_period(PUBLISHED_PERIOD)
    }
    /// Checks that the group has this period, if its policy has one that is not part of its name.
    pub(crate) fn has_period(&self, period: SimSpan) -> bool {
        let Setting { policy, parameters, .. } = self.setting;
        !policy.reads(PolicySetting::Period) || policy.own_period().is_some() || parameters.period == period
    }
    /// Checks that the group has these MCB rules, if its policy uses MCB.
    pub(crate) fn has_rules(&self, packing: Packing, drop: DropRule) -> bool {
        let mcb = self.setting.parameters.mcb;
        !self.setting.policy.reads(PolicySetting::Mcb) || (mcb.packing, mcb.drop) == (packing, drop)
    }
    /// Iterates over the rows of the simulations that did not fail.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &'a SimulationRow> {
        self.records.iter().filter_map(|record| record.outcome.as_ref().ok())
    }
    /// Computes the mean of a metric, given the memory of a node in GB; `None` if all simulations
    /// failed.
    pub(crate) fn mean_of(&self, metric: impl Fn(&SimulationRow, f64) -> f64) -> Option<f64> {
        average(self.values(|row| metric(row, self.scope.workload.node_memory_gb)))
    }
    /// Returns a value of each simulation that did not fail.
    pub(crate) fn values(&self, value: impl Fn(&SimulationRow) -> f64) -> Vec<f64> {
        self.rows().map(value).collect()
    }
}
