//! The study: instances, variants, and runs of a variant.

use crate::grid::{GridInUse, grid_nodes, grid_seed};
use crate::pairs::Data;
use crate::rows::{OptimumRow, Row, SearchRow, StreamRow};
use crate::scenario::CoallocationFields;
use crate::search::{SearchSetup, search};
use crate::setting::Setting;
use crate::{KINDS, claims, drawings, files, kind_name, tables};
use dfrsim_coallocation::check::check_reservations;
use dfrsim_coallocation::file::Resources;
use dfrsim_coallocation::planetlab::{Kind, PROPERTIES, Usage};
use dfrsim_coallocation::{Grid, Parameters, Stream, optimum};
use dfrsim_lab::fields::{LocatedFile, Scenario};
use dfrsim_lab::{
    Audit, Claim, Digest, Digester, Drawing, Failure, Input, InstanceId, KeyBuilder, Labels, Long,
    NamedTable, Prepared, RunContext, RunError, Study,
};
use dfrsim_model::coallocation::{Reservation, Resource};
use dfrsim_model::{Seed, SimSpan};
use std::sync::OnceLock;

/// Duration for which the grids of the test cases are in use.
const DAY: SimSpan = SimSpan::from_secs(86_400);

/// The co-allocation study of a scenario, with its list of nodes already read.
#[derive(Debug)]
pub struct CoallocationStudy {
    scenario: Scenario<CoallocationFields>,
    listed: Option<Vec<Resource>>,
}

/// A grid in use, built when the first variant needs it.
#[derive(Debug)]
pub struct Instance {
    replication: u32,
    nodes: Vec<Resource>,
    usage_model: Usage,
    /// Label that all requests ask for, by qualitative property.
    labels: Box<[Option<String>]>,
    seed: Seed,
    /// The grid in use for the day of the test cases.
    day: OnceLock<Result<GridInUse, Failure>>,
    /// The grid in use for as long as the last job of a stream may run.
    stream: OnceLock<Result<GridInUse, Failure>>,
}

/// A run on a grid in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// A repeated search for a test case.
    Search {
        /// Number of requested nodes.
        size: usize,
        /// Number of the test case among those of this size.
        case: u32,
        /// Kind of request.
        kind: Kind,
        /// The varied parameter, if there is one.
        setting: Option<Setting>,
    },
    /// The optimum of a test case.
    Optimum {
        /// Number of requested nodes.
        size: usize,
        /// Number of the test case among those of this size.
        case: u32,
    },
    /// A stream of requests of a kind.
    Stream(Kind),
}

impl Instance {
    fn build_grid(&self, span: SimSpan) -> Result<GridInUse, Failure> {
        GridInUse::new(self.nodes.clone(), &self.usage_model, span, self.labels.clone(), self.seed)
    }
    fn day(&self) -> Result<&GridInUse, Failure> {
        self.day.get_or_init(|| self.build_grid(DAY)).as_ref().map_err(Clone::clone)
    }
}

impl CoallocationStudy {
    fn search_setup(&self, setting: Option<Setting>) -> SearchSetup {
        let fields = &self.scenario;
        let standard = fields.parameters.parameters();
        let varied = fields.variations.as_ref().filter(|_| setting.is_some());
        SearchSetup {
            parameters: setting.map_or(standard, |setting| setting.apply(standard)),
            repetitions: varied.map_or(fields.repetitions, |variations| variations.repetitions),
            sample: fields.sample,
            times: fields.times,
        }
    }

    fn stream(&self, instance: &Instance, kind: Kind) -> Result<StreamRow, Failure> {
        let stream = self.scenario.stream.as_ref().ok_or_else(|| Failure::failed("there is no stream"))?;
        let (span, mean_gap, patience) = (stream.span, stream.mean_gap, stream.patience);
        let on = instance.stream.get_or_init(|| instance.build_grid(span + patience + DAY));
        let on = on.as_ref().map_err(Clone::clone)?;
        let parameters = self.scenario.parameters.parameters();
        let stream = Stream { span, mean_gap, patience, kind, parameters, labels: on.labels.clone() };
        let mut grid = on.grid.clone();
        let outcome = stream.run(&mut grid, on.seed.fork("stream")).map_err(Failure::violation)?;
        let jobs = outcome.accepted.iter().flat_map(|accepted| &accepted.reservations);
        let all: Vec<Reservation> = jobs.chain(on.reservations()).cloned().collect();
        if let Some(fault) = check_reservations(grid.resources(), &all).first() {
            return Err(Failure::invalid(fault));
        }
        Ok(StreamRow { mean_gap_s: mean_gap, ..StreamRow::of(&outcome) })
    }

    fn data<'a>(&'a self, rows: &'a Long<Row>) -> Data<'a> {
        Data::new(&self.scenario, rows)
    }
}

/// Reads nodes with the properties of table 1. Labels are dropped, as no test case requests any.
fn read_nodes(file: &LocatedFile) -> Result<(Vec<Resource>, Input), RunError> {
    let text = dfrsim_model::read_text_file(&file.path).map_err(|error| RunError::io(&file.path, error))?;
    let list = Resources::parse(&file.given, &text).map_err(|faults| {
        RunError::input(faults.0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    })?;
    let expected = PROPERTIES.map(|it| it.name);
    if list.quantities != expected {
        let expected = expected.join(",");
        return Err(RunError::input(format!("{}:1: expected the properties {expected}", file.given)));
    }
    if list.resources.is_empty() {
        return Err(RunError::input(format!("{}: expected at least one node", file.given)));
    }
    let nodes: Vec<Resource> =
        list.resources.into_iter().map(|it| Resource { labels: [].into(), ..it }).collect();
    Grid::new(nodes.clone()).map_err(|error| RunError::input(format!("{}: {error}", file.given)))?;
    let input = Input {
        report: vec![format!("{} nodes", nodes.len())],
        counts: vec![("nodes".to_owned(), nodes.len() as u64)],
        ..Input::new(&file.given, Digest::from_bytes(text.as_bytes()))
    };
    Ok((nodes, input))
}

impl Study for CoallocationStudy {
    const NAME: &'static str = "coallocation";
    const TITLE: &'static str = "Co-allocation with collective requests in grid systems (Cankar et al.)";
    const SEMANTICS: u32 = 2;
    const AUDIT: Audit = Audit::Always;
    const RUNS: &'static str = "searches and streams";

    type Fields = CoallocationFields;
    type Instance = Instance;
    type Variant = Variant;
    type Rows = Long<Row>;

    fn open(
        scenario: &Scenario<CoallocationFields>,
        inputs: &mut Vec<Input>,
    ) -> Result<CoallocationStudy, RunError> {
        let read = scenario.node_list.as_ref().map(read_nodes).transpose()?;
        let (listed, input) = read.unzip();
        inputs.extend(input);
        if let Some(nodes) = &listed
            && let Some((field, size)) = scenario.too_large(nodes.len()).first()
        {
            let nodes = nodes.len();
            return Err(RunError::input(format!(
                "{field}: {size} nodes requested, but a grid has only {nodes}"
            )));
        }
        Ok(CoallocationStudy { scenario: scenario.clone(), listed })
    }
    fn instances(&self) -> Vec<InstanceId> {
        let usage = self.scenario.usage;
        let id = |replication: u32| InstanceId {
            labels: vec![("usage", usage.to_string()), ("replication", replication.to_string())],
            weight: 1,
        };
        (0..self.scenario.replications).map(id).collect()
    }
    fn variants(&self, _at: usize) -> Vec<Variant> {
        let fields = &self.scenario;
        let mut variants = Vec::new();
        for &size in &fields.sizes {
            for case in 0..fields.cases {
                variants.extend(KINDS.map(|kind| Variant::Search { size, case, kind, setting: None }));
                variants.extend(fields.optimum.contains(&size).then_some(Variant::Optimum { size, case }));
            }
        }
        if let Some(variations) = &fields.variations {
            for setting in Setting::all(variations) {
                let (size, kind) = (variations.size, Kind::Collective);
                let variant = |case| Variant::Search { size, case, kind, setting: Some(setting) };
                variants.extend((0..fields.cases).map(variant));
            }
        }
        variants.extend(KINDS.into_iter().filter(|_| fields.stream.is_some()).map(Variant::Stream));
        variants
    }
    fn prepare(&self, at: usize) -> Result<Prepared<Instance>, Failure> {
        let mean = self.scenario.usage;
        let replication = u32::try_from(at).expect("there are at most 10,000 grids");
        let seed = grid_seed(self.scenario.seed, replication);
        let nodes = grid_nodes(&self.scenario, self.listed.as_deref(), seed);
        let levels = &self.scenario.property_usage;
        let course = Usage {
            mean,
            spread: self.scenario.usage_spread,
            nodes_per_site: self.scenario.nodes_per_site,
            deviation: self.scenario.usage_deviation,
            correlation: self.scenario.usage_correlation,
            of_properties: [levels.cores, levels.ghz, levels.ram_gb],
        };
        let labels: Box<[Option<String>]> =
            self.scenario.candidates.iter().map(|it| Some(it.label.clone())).collect();
        let mut digester = Digester::new();
        digester.integer(seed.value());
        digester.number(mean).number(course.deviation).number(course.correlation);
        if (course.spread, course.nodes_per_site) != (1.0, 1) {
            digester.number(course.spread).integer(course.nodes_per_site as u64);
        }
        if course.of_properties != [None; 3] {
            course.of_properties.iter().for_each(|level| _ = digester.number(level.unwrap_or(mean)));
        }
        for node in &nodes {
            node.capacity.iter().for_each(|&amount| _ = digester.integer(amount));
            node.labels.iter().for_each(|label| _ = digester.integer(u64::from(!label.is_empty())));
        }
        let (day, stream) = (OnceLock::new(), OnceLock::new());
        let instance = Instance { replication, nodes, usage_model: course, labels, seed, day, stream };
        Ok(Prepared { instance, digest: digester.digest() })
    }
    fn key(&self, variant: &Variant, key: &mut KeyBuilder) {
        let parameters = |key: &mut KeyBuilder, parameters: Parameters| {
            key.field("initial_multiple", parameters.initial_multiple);
            key.field("max_multiple", parameters.largest_multiple);
            key.field("l1", parameters.admission_effort).field("l2", parameters.improvement_effort);
        };
        match *variant {
            Variant::Search { size, case, kind, setting } => {
                let how = self.search_setup(setting);
                key.field("search", kind_name(kind)).field("size", size).field("case", case);
                key.field("repetitions", how.repetitions).field("sample", how.sample.name());
                key.field("times", how.times);
                // Earlier times are those of searches that proved most starts to be useless.
                key.optional("proofs", how.times.then_some(false));
                parameters(key, how.parameters);
                // One of the varied values may equal that of the scenario.
                key.optional("varied", setting.map(|setting| setting.parameter));
            }
            Variant::Optimum { size, case } => {
                key.field("optimum", case).field("size", size);
                key.field("multiple", self.scenario.parameters.initial_multiple);
                key.field("sample", self.scenario.sample.name()).field("of", kind_name(Kind::Collective));
            }
            Variant::Stream(kind) => {
                key.field("stream", kind_name(kind));
                if let Some(stream) = &self.scenario.stream {
                    key.field("span", stream.span).field("mean_gap", stream.mean_gap);
                    key.field("patience", stream.patience);
                }
                parameters(key, self.scenario.parameters.parameters());
            }
        }
    }
    fn labels(&self, variant: &Variant) -> Labels {
        let of_case = |size: usize, case: u32| vec![("size", size.to_string()), ("case", case.to_string())];
        match *variant {
            Variant::Search { size, case, kind, setting } => {
                let mut labels = of_case(size, case);
                labels.push(("kind", kind_name(kind).to_owned()));
                let texts = setting.map(|it| (it.parameter.to_owned(), it.value.to_string()));
                let (parameter, value) = texts.unwrap_or_default();
                labels.extend([("parameter", parameter), ("value", value)]);
                labels
            }
            Variant::Optimum { size, case } => of_case(size, case),
            Variant::Stream(kind) => vec![("kind", kind_name(kind).to_owned())],
        }
    }
    fn row_type(&self, variant: &Variant) -> usize {
        match variant {
            Variant::Search { .. } => 0,
            Variant::Optimum { .. } => 1,
            Variant::Stream(_) => 2,
        }
    }
    fn run(
        &self,
        instance: &Instance,
        variant: &Variant,
        watch: RunContext<'_>,
    ) -> Result<Vec<Row>, Failure> {
        let row = match *variant {
            Variant::Search { size, case, kind, setting } => {
                let on = instance.day()?;
                let mut row = SearchRow::default();
                let (test, how) = (on.case(size, case), self.search_setup(setting));
                if let (Some(folder), None) = (&self.scenario.files, setting) {
                    let (usage, replication) = (instance.usage_model.mean, instance.replication);
                    let place = format!("usage-{usage}-grid-{replication}/{size}-{case}-{}", kind_name(kind));
                    let sample = test.sample(how.sample, &on.grid, kind, how.parameters.initial_multiple);
                    files::write(watch, (folder, &place), on, &test.request(kind), &sample)?;
                }
                search(&test, on, kind, &how, &mut row)?;
                Row::Search(row)
            }
            Variant::Optimum { size, case } => {
                let on = instance.day()?;
                let test = on.case(size, case);
                let multiple = self.scenario.parameters.initial_multiple;
                let sample = test.sample(self.scenario.sample, &on.grid, Kind::Collective, multiple);
                let best = optimum(&on.grid, &test.request(Kind::Collective), &sample);
                Row::Optimum(OptimumRow {
                    start_s: best.map(|best| best.start.as_secs_f64()),
                    utilisation_factor: best.map(|best| best.factor),
                    ..OptimumRow::default()
                })
            }
            Variant::Stream(kind) => Row::Stream(self.stream(instance, kind)?),
        };
        Ok(vec![row])
    }
    fn tables(&self, rows: &Long<Row>) -> Vec<NamedTable> {
        let nodes: Vec<Vec<Resource>> = (0..self.scenario.replications)
            .map(|it| grid_nodes(&self.scenario, self.listed.as_deref(), grid_seed(self.scenario.seed, it)))
            .collect();
        tables::tables(&self.data(rows), &nodes)
    }
    fn claims(&self, rows: &Long<Row>) -> Vec<Claim> {
        claims::claims(&self.data(rows))
    }
    fn drawings(scenario: &Scenario<CoallocationFields>, rows: &Long<Row>) -> Vec<Drawing> {
        drawings::drawings(&Data::new(scenario, rows))
    }
}
