//! The study: instances x algorithms -> rows.

use crate::algorithms::{Algorithm, PaperSettings, offered};
use crate::parameters::Parameters;
use crate::results::Results;
use crate::rows::{Row, decimal};
use crate::scenario::{InstanceGroup, Packings, Source};
use crate::solve::{Packable, passes};
use crate::{claims, drawings, tables};
use dfrsim_lab::fields::{LocatedFile, Scenario};
use dfrsim_lab::{
    Audit, Claim, Column, Digest, Digester, Drawing, Failure, Input, InstanceId, Labels, NamedTable,
    Prepared, ProblemId, ReadFile, Role, Row as _, RunContext, RunError, ShardUnit, Study, Wide,
};
use dfrsim_model::Seed;
use dfrsim_model::offline::Instance;
use dfrsim_optimum::lp_bound;
use dfrsim_vector_packing::PackingProblem;
use dfrsim_vector_packing::file::instance_from_json;
use std::any::Any;

/// The off-line study of a scenario.
pub struct OfflineStudy {
    scenario: Scenario<Packings>,
    /// Algorithms, each with the largest number of replications of a scenario, and of tasks, on
    /// which it runs.
    algorithms: Vec<(Algorithm, (u32, u32))>,
    second_phase: Vec<Algorithm>,
    /// True if all passes of `GREEDY` are among the algorithms, and `GREEDY` does not go through the
    /// second phase.
    is_best_pass_known: bool,
    /// Parameters of the scenarios of each group.
    scenario_parameters: Vec<Vec<Parameters>>,
    /// Instances of each group that were read from files.
    file_instances: Vec<Vec<Instance>>,
    /// Index of the first instance of each group, followed by the total number of instances.
    group_offsets: Vec<usize>,
}

/// Position of an instance in the scenario.
struct InstanceSpec<'a> {
    group: usize,
    scenario: u32,
    replication: u32,
    parameters: &'a Parameters,
}

impl OfflineStudy {
    fn instance_spec(&self, at: usize) -> InstanceSpec<'_> {
        let group = self.group_offsets.partition_point(|&begin| begin <= at) - 1;
        let replications = self.scenario.instances[group].replications() as usize;
        let (scenario, replication) = (
            (at - self.group_offsets[group]) / replications,
            (at - self.group_offsets[group]) % replications,
        );
        let parameters = &self.scenario_parameters[group][scenario];
        InstanceSpec { group, scenario: scenario as u32, replication: replication as u32, parameters }
    }
    fn algorithms(&self, at: usize) -> impl Iterator<Item = Algorithm> {
        let place = self.instance_spec(at);
        let tasks = place.parameters.tasks;
        let allowed = self
            .algorithms
            .iter()
            .filter(move |(_, (replications, most))| place.replication < *replications && tasks <= *most);
        allowed.map(|(algorithm, _)| *algorithm)
    }
}

/// Reads the instance in a file.
fn read_instance(file: &LocatedFile) -> Result<(Instance, Input), RunError> {
    let text = dfrsim_model::read_text_file(&file.path).map_err(|error| RunError::io(&file.path, error))?;
    let instance = instance_from_json(&file.given, &text).map_err(RunError::input)?;
    let Parameters { nodes, tasks, .. } = Parameters::of_instance(&instance);
    let input = Input {
        report: vec![format!("{tasks} tasks on {nodes} nodes")],
        counts: vec![("tasks".to_owned(), tasks.into()), ("nodes".to_owned(), nodes.into())],
        ..Input::new(&file.given, Digest::from_bytes(text.as_bytes()))
    };
    Ok((instance, input))
}

impl Study for OfflineStudy {
    const NAME: &'static str = "offline";
    const TITLE: &'static str =
        "Jobs packed once for the best minimum yield (dissertation, chapter 4; RR-6692, sections 3 to 5)";
    const SEMANTICS: u32 = 4;
    const AUDIT: Audit = Audit::Always;
    const GRAIN: ShardUnit = ShardUnit::Instances;
    const RUNS: &'static str = "packings";

    type Fields = Packings;
    type Instance = Packable;
    type Variant = Algorithm;
    type Rows = Wide<Row>;

    fn rows_at_least(scenario: &Scenario<Packings>) -> u64 {
        let of = |group: &InstanceGroup| {
            u64::from(group.replications()).saturating_mul(group.scenario_count() as u64)
        };
        scenario.instances.iter().map(of).fold(0, u64::saturating_add)
    }
    /// Returns the [`PackingProblem`] from which an algorithm computes exactly the result of the run.
    fn problem(scenario: &Scenario<Packings>, which: ProblemId<'_>) -> Result<Box<dyn Any>, RunError> {
        let ProblemId { group: name, number, replication } = which;
        let group = scenario.instances.iter().find(|each| each.name == name);
        let group =
            group.ok_or_else(|| RunError::input(format_args!("unknown group of instances `{name}`")))?;
        let (scenarios, replications) = (group.scenario_count(), group.replications());
        if number as usize >= scenarios || replication >= replications {
            return Err(RunError::input(format_args!(
                "`{name}` has {scenarios} scenarios with {replications} replications each, counted from 0"
            )));
        }
        let seed = group.seed(Seed::new(scenario.seed), number, replication);
        let instance = match &group.source {
            Source::Files(files) => read_instance(&files[number as usize])?.0,
            Source::Set(_) | Source::Grid(_) => {
                group.instance(&group.generated_scenarios()[number as usize], seed)
            }
        };
        let PaperSettings { shared: settings, genetic } = scenario.packing.settings(seed);
        Ok(Box::new(PackingProblem { instance, settings, algorithms: offered(genetic) }))
    }
    fn open(scenario: &Scenario<Packings>, inputs: &mut Vec<Input>) -> Result<OfflineStudy, RunError> {
        let algorithms = scenario.algorithms();
        let second_phase = scenario.second_phase();
        let is_best_pass_known =
            passes().all(|pass| algorithms.contains(&pass)) && !second_phase.contains(&Algorithm::GREEDY);
        let (mut grids, mut all_read) = (Vec::new(), Vec::new());
        for group in &scenario.instances {
            let mut parameters: Vec<Parameters> =
                group.generated_scenarios().into_iter().map(Parameters::from).collect();
            let mut of_group = Vec::new();
            if let Source::Files(files) = &group.source {
                for file in files {
                    let (instance, input) = read_instance(file)?;
                    parameters.push(Parameters::of_instance(&instance));
                    of_group.push(instance);
                    inputs.push(input);
                }
            }
            grids.push(parameters);
            all_read.push(of_group);
        }
        let mut begins = vec![0];
        for (group, grid) in scenario.instances.iter().zip(&grids) {
            begins.push(begins[begins.len() - 1] + group.replications() as usize * grid.len());
        }
        let limited = |algorithm| (algorithm, scenario.limits(algorithm));
        let algorithms = algorithms.into_iter().map(limited).collect();
        let scenario = scenario.clone();
        Ok(OfflineStudy {
            scenario,
            algorithms,
            second_phase,
            is_best_pass_known,
            scenario_parameters: grids,
            file_instances: all_read,
            group_offsets: begins,
        })
    }
    fn instances(&self) -> Vec<InstanceId> {
        let slow: Vec<Algorithm> =
            self.scenario.slow.iter().flat_map(|slow| slow.algorithms.iter().copied()).collect();
        let id = |at| {
            let InstanceSpec { group, scenario, replication, parameters } = self.instance_spec(at);
            let tasks = parameters.tasks;
            // Instances on which slow algorithms run take longest, at any size.
            let is_slow = !slow.is_empty() && self.algorithms(at).any(|algorithm| slow.contains(&algorithm));
            let labels = vec![
                ("instances", self.scenario.instances[group].name.clone()),
                ("tasks", tasks.to_string()),
                ("slack", parameters.slack.to_string()),
                ("scenario", scenario.to_string()),
                ("replication", replication.to_string()),
            ];
            InstanceId { labels, weight: (u64::from(is_slow) << 32) + u64::from(tasks) }
        };
        (0..self.group_offsets[self.group_offsets.len() - 1]).map(id).collect()
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
        let place = self.instance_spec(at);
        let group = &self.scenario.instances[place.group];
        let seed = group.seed(Seed::new(self.scenario.seed), place.scenario, place.replication);
        let settings = self.scenario.packing.settings(seed);
        let instance = match &place.parameters.generator {
            Some(parameters) => group.instance(parameters, seed),
            None => self.file_instances[place.group][place.scenario as usize].clone(),
        };
        let is_programmed = !self.second_phase.is_empty()
            && place.replication < self.scenario.second_phase.program_replications;
        let row = Row { bound: lp_bound(&instance).map(decimal), ..Row::of(place.parameters) };
        let instance = Packable::new(instance, settings, is_programmed, row);
        let mut digester = Digester::new();
        instance.digest(&mut digester);
        Ok(Prepared { instance, digest: digester.digest() })
    }
    fn facts(&self, instance: &Packable) -> Labels {
        instance.row.with_role(Role::Fact)
    }
    fn labels(&self, algorithm: &Algorithm) -> Labels {
        vec![("algorithm", algorithm.to_string())]
    }
    fn run(
        &self,
        instance: &Packable,
        &algorithm: &Algorithm,
        watch: RunContext<'_>,
    ) -> Result<Vec<Row>, Failure> {
        let is_best = self.is_best_pass_known && algorithm == Algorithm::GREEDY;
        let best = if is_best { instance.best_pass() } else { None };
        let (row, time) =
            best.unwrap_or_else(|| instance.row(algorithm, self.second_phase.contains(&algorithm)));
        watch.report_time(time);
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
