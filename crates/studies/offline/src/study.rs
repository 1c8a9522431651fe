//! What is packed, and by what.

use crate::results::Results;
use crate::rows::{Row, decimal};
use crate::scenario::{InstanceGroup, Packings};
use crate::solve::{Packable, passes};
use crate::{claims, drawings, tables};
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::{
    Audit, Claim, Column, Digester, Drawing, Failure, Grain, InstanceId, KeyBuilder, Labels, NamedTable,
    Prepared, ReadFile, RunError, Study, Value, Watch, Wide,
};
use dfrsim_model::Seed;
use dfrsim_model::offline::Instance;
use dfrsim_offline::greedy::Greedy;
use dfrsim_offline::{Algorithm, Settings, instances};
use dfrsim_optimum::lp_bound;

/// The off-line study of a scenario.
pub struct OfflineStudy {
    scenario: Scenario<Packings>,
    /// The algorithms, each with the most replications of a scenario and the most tasks that it runs on.
    algorithms: Vec<(Algorithm, (u32, u32))>,
    second_phase: Vec<Algorithm>,
    /// Whether all passes of `GREEDY` are among the algorithms, and it goes through no second phase.
    is_best_pass_known: bool,
    /// The scenarios of each group.
    grids: Vec<Vec<instances::Scenario>>,
    /// Where the instances of each group begin, and where the last ones end.
    begins: Vec<usize>,
}

/// Which instance.
struct Place<'a> {
    group: usize,
    scenario: u32,
    replication: u32,
    parameters: &'a instances::Scenario,
}

impl OfflineStudy {
    fn place(&self, at: usize) -> Place<'_> {
        let group = self.begins.partition_point(|&begin| begin <= at) - 1;
        let replications = self.scenario.instances[group].replications() as usize;
        let (scenario, replication) =
            ((at - self.begins[group]) / replications, (at - self.begins[group]) % replications);
        let parameters = &self.grids[group][scenario];
        Place { group, scenario: scenario as u32, replication: replication as u32, parameters }
    }
    fn algorithms(&self, at: usize) -> impl Iterator<Item = Algorithm> {
        let place = self.place(at);
        let tasks = tasks(place.parameters);
        let allowed = self
            .algorithms
            .iter()
            .filter(move |(_, (replications, most))| place.replication < *replications && tasks <= *most);
        allowed.map(|(algorithm, _)| *algorithm)
    }
    /// The row of an instance without a packing.
    fn row(&self, place: &Place<'_>, instance: &Instance) -> Row {
        let dissertation = match place.parameters {
            instances::Scenario::Dissertation(of) => Some(of),
            instances::Scenario::Rr6692(_) => None,
        };
        let report = match place.parameters {
            instances::Scenario::Rr6692(of) => Some(of),
            instances::Scenario::Dissertation(_) => None,
        };
        Row {
            instances: self.scenario.instances[place.group].name.clone(),
            tasks: tasks(place.parameters),
            slack: place.parameters.slack(),
            scenario: place.scenario,
            replication: place.replication,
            nodes: place.parameters.nodes(),
            dimensions: dissertation.map_or(2, |of| of.dimensions),
            sigma: dissertation.map(|of| of.sigma),
            rho: dissertation.map(|of| of.rho),
            memory_variation: report.map(|of| of.memory_variation),
            cpu_variation: report.map(|of| of.cpu_variation),
            parallel: report.map(|of| of.parallel),
            bound: lp_bound(instance).map(decimal),
            algorithm: String::new(),
            minimum_yield: 0.0,
            average_yield: None,
            average_yield_by_rule: None,
            utilisation: None,
            raised_utilisation: None,
        }
    }
}

/// An instance of a scenario's run, by the name of its group, the number of its scenario and its replication, with what its
/// algorithms are given: what an algorithm makes of these is what the run has. `None` if there is no such instance.
#[must_use]
pub fn replay(
    scenario: &Scenario<Packings>,
    group: &str,
    number: u32,
    replication: u32,
) -> Option<(Instance, Settings)> {
    let group = scenario.instances.iter().find(|each| each.name == group)?;
    let grid = group.scenarios();
    let parameters = grid.get(number as usize).filter(|_| replication < group.replications())?;
    Some(made(scenario, group, parameters, number, replication))
}

fn made(
    scenario: &Scenario<Packings>,
    group: &InstanceGroup,
    parameters: &instances::Scenario,
    number: u32,
    replication: u32,
) -> (Instance, Settings) {
    let seed = group.seed(Seed::new(scenario.seed), number, replication);
    (parameters.instance_as(seed, group.readings()), scenario.packing.settings(seed))
}

/// The tasks of an instance with these parameters.
pub(crate) fn tasks(parameters: &instances::Scenario) -> u32 {
    match parameters {
        instances::Scenario::Dissertation(scenario) => scenario.jobs,
        instances::Scenario::Rr6692(scenario) => scenario.tasks,
    }
}

impl Study for OfflineStudy {
    const NAME: &'static str = "offline";
    const TITLE: &'static str =
        "Jobs packed once for the best minimum yield (dissertation, chapter 4; RR-6692, sections 3 to 5)";
    const SEMANTICS: u32 = 3;
    const AUDIT: Audit = Audit::Always;
    const GRAIN: Grain = Grain::Instances;
    const RUNS: &'static str = "packings";

    type Fields = Packings;
    type Instance = Packable;
    type Variant = Algorithm;
    type Row = Row;
    type Rows = Wide<Row>;

    fn rows_at_least(scenario: &Scenario<Packings>) -> u64 {
        let of = |group: &InstanceGroup| {
            u64::from(group.replications()).saturating_mul(group.scenarios().len() as u64)
        };
        scenario.instances.iter().map(of).fold(0, u64::saturating_add)
    }
    fn open(scenario: &Scenario<Packings>) -> Result<OfflineStudy, RunError> {
        let algorithms = scenario.algorithms();
        let second_phase = scenario.second_phase();
        let is_best_pass_known = passes().all(|pass| algorithms.contains(&pass))
            && !second_phase.contains(&Algorithm::Greedy(Greedy::Best));
        let grids: Vec<Vec<instances::Scenario>> =
            scenario.instances.iter().map(InstanceGroup::scenarios).collect();
        let mut begins = vec![0];
        for (group, grid) in scenario.instances.iter().zip(&grids) {
            begins.push(begins[begins.len() - 1] + group.replications() as usize * grid.len());
        }
        let limited = |algorithm| (algorithm, scenario.limits(algorithm));
        let algorithms = algorithms.into_iter().map(limited).collect();
        let scenario = scenario.clone();
        Ok(OfflineStudy { scenario, algorithms, second_phase, is_best_pass_known, grids, begins })
    }
    fn instances(&self) -> Vec<InstanceId> {
        let slow: Vec<Algorithm> =
            self.scenario.slow.iter().flat_map(|slow| slow.algorithms.iter().copied()).collect();
        let id = |at| {
            let Place { group, scenario, replication, parameters } = self.place(at);
            let tasks = tasks(parameters);
            // Those on which slow algorithms run take longest, whatever their size.
            let is_slow = !slow.is_empty() && self.algorithms(at).any(|algorithm| slow.contains(&algorithm));
            let labels = vec![
                ("instances", self.scenario.instances[group].name.clone()),
                ("tasks", tasks.to_string()),
                ("slack", parameters.slack().to_string()),
                ("scenario", scenario.to_string()),
                ("replication", replication.to_string()),
            ];
            InstanceId { labels, weight: (u64::from(is_slow) << 32) + u64::from(tasks) }
        };
        (0..self.begins[self.begins.len() - 1]).map(id).collect()
    }
    fn variants(&self, at: usize) -> Vec<Algorithm> {
        self.algorithms(at).collect()
    }
    fn every_variant(&self) -> Vec<Algorithm> {
        self.algorithms.iter().map(|(algorithm, _)| *algorithm).collect()
    }
    fn has_metric(&self, algorithm: &Algorithm, _: &Column) -> bool {
        self.second_phase.contains(algorithm)
    }
    fn prepare(&self, at: usize) -> Result<Prepared<Packable>, Failure> {
        let place = self.place(at);
        let group = &self.scenario.instances[place.group];
        let (instance, settings) =
            made(&self.scenario, group, place.parameters, place.scenario, place.replication);
        let is_programmed = !self.second_phase.is_empty()
            && place.replication < self.scenario.second_phase.program_replications;
        let row = self.row(&place, &instance);
        let instance = Packable::new(instance, settings, is_programmed, row);
        let mut digester = Digester::new();
        instance.digest(&mut digester);
        Ok(Prepared { instance, digest: digester.digest() })
    }
    fn facts(&self, instance: &Packable) -> Labels {
        let row = &instance.row;
        vec![
            ("nodes", row.nodes.write()),
            ("dimensions", row.dimensions.write()),
            ("sigma", row.sigma.write()),
            ("rho", row.rho.write()),
            ("memory_variation", row.memory_variation.write()),
            ("cpu_variation", row.cpu_variation.write()),
            ("parallel", row.parallel.write()),
            ("bound", row.bound.write()),
        ]
    }
    fn key(&self, algorithm: &Algorithm, key: &mut KeyBuilder) {
        key.field("algorithm", algorithm);
    }
    fn labels(&self, algorithm: &Algorithm) -> Labels {
        vec![("algorithm", algorithm.to_string())]
    }
    fn run(
        &self,
        instance: &Packable,
        _: usize,
        &algorithm: &Algorithm,
        watch: Watch<'_>,
    ) -> Result<Vec<Row>, Failure> {
        let is_best = self.is_best_pass_known && algorithm == Algorithm::Greedy(Greedy::Best);
        let best = if is_best { instance.best_pass() } else { None };
        let (row, time) =
            best.unwrap_or_else(|| instance.row(algorithm, self.second_phase.contains(&algorithm)));
        watch.took(time);
        Ok(vec![row?])
    }
    fn tables(&self, rows: &Wide<Row>) -> Vec<NamedTable> {
        tables::all(&Results::new(&self.scenario, rows))
    }
    fn claims(&self, rows: &Wide<Row>) -> Vec<Claim> {
        claims::all(&Results::new(&self.scenario, rows))
    }
    fn drawings(scenario: &Scenario<Packings>, rows: &Wide<Row>) -> Vec<Drawing> {
        drawings::all(&Results::new(scenario, rows))
    }
    fn time_drawings(scenario: &Scenario<Packings>, times: &ReadFile) -> Vec<Drawing> {
        drawings::times(scenario, times)
    }
}
