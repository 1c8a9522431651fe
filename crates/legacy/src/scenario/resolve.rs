//! From what stands in a file to a checked scenario, and back.

use super::fault::ScenarioErrors;
use super::fields::{AnnotationField, Names, Numbers, PolicyField};
use super::file::{
    BatsimFile, File, LublinFile, SimulationFile, Study, SweepFile, SwfFile, WorkloadFile, anywhere,
};
use super::resolver::{Resolver, ScenarioText, resolved};
use super::{LogSource, LublinSource, PeriodSweep, Scenario, Simulation, Source, Workload};
use dfrsim_cluster::EstimateModel;
use dfrsim_model::SimSpan;
use dfrsim_policies::fractional::{DropRule, McbOptions, Packing, PriorityRule};
use dfrsim_policies::{Policy, catalogue};
use dfrsim_workload::formats::batsim::MOST_FLOPS;
use dfrsim_workload::lublin::LublinParameters;
use dfrsim_workload::prepare::{self, Format};
use dfrsim_workload::traces;
use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;
use toml::Spanned;

/// The scenario of a text.
pub(super) fn scenario(source: &ScenarioText<'_>) -> Result<Scenario, ScenarioErrors> {
    resolved(source, |resolver, file: &File| {
        let Study::Online = file.study;
        resolver.scenario(file)
    })
}

impl Resolver<'_> {
    fn scenario(&mut self, file: &File) -> Scenario {
        Scenario {
            title: file.title.clone(),
            seed: self.integer(&file.seed, "a seed", 0, i64::MAX) as u64,
            policies: self.policies(&file.policies),
            sweeps: (file.sweep.iter())
                .map(|sweep| PeriodSweep {
                    policies: self.policies(&sweep.policies),
                    periods: self.spans_above_zero(&sweep.period, "period"),
                })
                .collect(),
            simulation: self.simulation(&file.simulation),
            workloads: self.workloads(&file.workloads),
        }
    }

    fn policies(&mut self, field: &Spanned<Vec<Spanned<PolicyField>>>) -> Vec<Policy> {
        self.selected(field, "policy", || {
            catalogue().into_iter().map(|info| (info.name, info.policy)).collect()
        })
    }

    fn simulation(&mut self, file: &SimulationFile) -> Simulation {
        let estimates = file.estimates.get_ref().parse::<EstimateModel>();
        if let Err(error) = &estimates {
            self.fault(&file.estimates, error.to_string());
        }
        Simulation {
            penalties: self.spans(&file.penalty, "penalty"),
            periods: self.spans_above_zero(&file.period, "period"),
            taus: self.spans(&file.tau, "tau"),
            packings: self.names(&file.packing, "packing"),
            drops: self.names(&file.drop, "drop rule"),
            mcb: McbOptions {
                floor: self.part(&file.yield_floor),
                precision: self.part(&file.yield_precision),
                ..McbOptions::default()
            },
            priority: file.priority.get_ref().parse().unwrap_or_else(
                |error: dfrsim_model::named::UnknownName| {
                    self.fault(&file.priority, error.to_string());
                    PriorityRule::default()
                },
            ),
            estimates: estimates.unwrap_or_default(),
            overrun: file.overrun.into(),
            warm_up: self.span(&file.warm_up, *file.warm_up.get_ref()),
            cool_down: self.span(&file.cool_down, *file.cool_down.get_ref()),
        }
    }
    fn spans(&mut self, field: &Spanned<Numbers>, name: &str) -> Vec<SimSpan> {
        let numbers = &field.get_ref().0;
        if numbers.is_empty() {
            self.fault(field, format!("there must be at least one {name}"));
        }
        let mut spans = Vec::new();
        for &number in numbers {
            let span = self.span(field, number);
            if !spans.contains(&span) {
                spans.push(span);
            }
        }
        spans
    }
    pub(crate) fn span<T>(&mut self, at: &Spanned<T>, seconds: f64) -> SimSpan {
        SimSpan::try_from_secs_f64(seconds).unwrap_or_else(|| {
            self.fault(at, format!("expected seconds from 0 to 500 years, found {seconds}"));
            SimSpan::ZERO
        })
    }
    pub(crate) fn spans_above_zero(&mut self, field: &Spanned<Numbers>, name: &str) -> Vec<SimSpan> {
        let spans = self.spans(field, name);
        if spans.contains(&SimSpan::ZERO) {
            self.fault(field, format!("a {name} must be longer than zero"));
        }
        spans
    }
    fn workloads(&mut self, files: &[WorkloadFile]) -> Vec<Workload> {
        if files.is_empty() {
            self.fault_of_file("there must be at least one [[workloads]]");
        }
        let mut workloads = Vec::<Workload>::new();
        for file in files {
            let name = file.name.get_ref().clone();
            if name.is_empty() || name.contains(char::is_control) {
                self.fault(&file.name, "a workload must have a name, without control characters");
            }
            if workloads.iter().any(|other| other.name == name) {
                self.fault(&file.name, format!("there is another workload `{name}`"));
            }
            let nodes = self.integer(&file.nodes, "a number of nodes", 1, u32::MAX.into());
            let nodes = u32::try_from(nodes).ok().and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MIN);
            let source = match (&file.swf, &file.batsim, &file.lublin) {
                (Some(swf), None, None) => Source::Log(Box::new(self.swf(swf, nodes))),
                (None, Some(batsim), None) => Source::Log(Box::new(self.batsim(batsim, nodes))),
                (None, None, Some(lublin)) => Source::Lublin(self.lublin(lublin, nodes)),
                _ => {
                    let message = format!(
                        "workload `{name}` needs one of `swf = {{ .. }}`, `batsim = {{ .. }}` and `lublin = {{ .. }}`"
                    );
                    self.fault(&file.name, message);
                    continue;
                }
            };
            let node_memory_gb = *file.node_memory_gb.get_ref();
            if !(node_memory_gb > 0.0 && node_memory_gb.is_finite()) {
                self.fault(&file.node_memory_gb, format!("expected GB above 0, found {node_memory_gb}"));
            }
            let published =
                file.published.as_ref().map(|field| self.names(field, "published table")).unwrap_or_default();
            workloads.push(Workload { name, nodes, node_memory_gb, published, source });
        }
        workloads
    }
    fn swf(&mut self, file: &SwfFile, nodes: NonZeroU32) -> LogSource {
        LogSource {
            file: file.file.get_ref().clone(),
            path: self.located(&file.file),
            cut: file.cut,
            preparation: prepare::Options {
                format: Format::Swf,
                lines: file.lines,
                size: file.size,
                select: file.select,
                rules: file.rules,
                units: Some(nodes.get()),
                annotation: file.annotation.0,
                ..prepare::Options::default()
            },
        }
    }
    fn batsim(&mut self, file: &BatsimFile, nodes: NonZeroU32) -> LogSource {
        LogSource {
            file: file.file.get_ref().clone(),
            path: self.located(&file.file),
            cut: file.cut,
            preparation: prepare::Options {
                format: Format::Batsim,
                lines: file.lines,
                flops: file.flops.as_ref().and_then(|field| self.flops(field)),
                select: file.select,
                rules: file.rules,
                units: Some(nodes.get()),
                annotation: file.annotation.0,
                ..prepare::Options::default()
            },
        }
    }
    /// Where a log, or another recorded file, lies.
    pub(crate) fn located(&mut self, field: &Spanned<String>) -> PathBuf {
        let name = field.get_ref();
        let beside = self.folder().and_then(|folder| traces::locate_from(folder, name).ok());
        traces::locate(name).or_else(|missing| beside.ok_or(missing)).unwrap_or_else(|missing| {
            self.fault(field, missing.to_string());
            name.into()
        })
    }
    fn flops(&mut self, field: &Spanned<f64>) -> Option<NonZeroU64> {
        let value = *field.get_ref();
        if !(1.0..=MOST_FLOPS).contains(&value) {
            self.fault(field, format!("expected flop/s from 1 to {MOST_FLOPS:e}, found {value}"));
        }
        NonZeroU64::new(value.round() as u64)
    }
    pub(crate) fn lublin(&mut self, file: &LublinFile, nodes: NonZeroU32) -> LublinSource {
        let traces = self.integer(&file.traces, "a number of traces", 1, 1_000_000);
        let jobs = self.integer(&file.jobs, "a number of jobs", 1, 100_000_000);
        let mut loads = Vec::new();
        for &load in &file.loads.get_ref().0 {
            if !(load > 0.0 && load.is_finite()) {
                self.fault(&file.loads, format!("expected a load above 0, found {load}"));
            } else if !loads.contains(&load) {
                loads.push(load);
            }
        }
        LublinSource {
            traces: traces as u32,
            parameters: LublinParameters {
                nodes,
                jobs: jobs as usize,
                mode: file.mode,
                cpu: file.cpu,
                memory: file.memory,
            },
            loads,
        }
    }
}

/// A scenario in the shape of a file.
pub(super) fn file_of(scenario: &Scenario) -> File {
    let simulation = &scenario.simulation;
    let seconds =
        |spans: &[SimSpan]| anywhere(Numbers(spans.iter().map(|span| span.as_secs_f64()).collect()));
    let name = |policy: &Policy| anywhere(PolicyField::Name(policy.to_string()));
    let names = |policies: &[Policy]| anywhere(policies.iter().map(name).collect::<Vec<_>>());
    File {
        study: Study::Online,
        title: scenario.title.clone(),
        seed: anywhere(scenario.seed as i64),
        policies: names(&scenario.policies),
        sweep: (scenario.sweeps.iter())
            .map(|sweep| SweepFile { policies: names(&sweep.policies), period: seconds(&sweep.periods) })
            .collect(),
        simulation: SimulationFile {
            penalty: seconds(&simulation.penalties),
            period: seconds(&simulation.periods),
            tau: seconds(&simulation.taus),
            packing: anywhere(Names(simulation.packings.iter().map(Packing::to_string).collect())),
            drop: anywhere(Names(simulation.drops.iter().map(DropRule::to_string).collect())),
            yield_floor: anywhere(simulation.mcb.floor.as_f64()),
            yield_precision: anywhere(simulation.mcb.precision.as_f64()),
            priority: anywhere(simulation.priority.to_string()),
            estimates: anywhere(simulation.estimates.to_string()),
            overrun: simulation.overrun.into(),
            warm_up: anywhere(simulation.warm_up.as_secs_f64()),
            cool_down: anywhere(simulation.cool_down.as_secs_f64()),
        },
        workloads: scenario.workloads.iter().map(workload_file).collect(),
    }
}

fn workload_file(workload: &Workload) -> WorkloadFile {
    let (mut swf, mut batsim, mut lublin) = (None, None, None);
    match &workload.source {
        Source::Log(source) if source.preparation.format == Format::Batsim => {
            batsim = Some(batsim_file(source));
        }
        Source::Log(source) => swf = Some(swf_file(source)),
        Source::Lublin(source) => lublin = Some(lublin_file(source)),
    }
    WorkloadFile {
        name: anywhere(workload.name.clone()),
        nodes: anywhere(workload.nodes.get().into()),
        node_memory_gb: anywhere(workload.node_memory_gb),
        published: (!workload.published.is_empty())
            .then(|| anywhere(Names(workload.published.iter().map(ToString::to_string).collect()))),
        swf,
        batsim,
        lublin,
    }
}

fn swf_file(source: &LogSource) -> SwfFile {
    let preparation = source.preparation;
    SwfFile {
        file: anywhere(source.file.clone()),
        cut: source.cut,
        size: preparation.size,
        lines: preparation.lines,
        annotation: AnnotationField(preparation.annotation),
        select: preparation.select,
        rules: preparation.rules,
    }
}

fn batsim_file(source: &LogSource) -> BatsimFile {
    let preparation = source.preparation;
    BatsimFile {
        file: anywhere(source.file.clone()),
        flops: preparation.flops.map(|flops| anywhere(flops.get() as f64)),
        cut: source.cut,
        lines: preparation.lines,
        annotation: AnnotationField(preparation.annotation),
        select: preparation.select,
        rules: preparation.rules,
    }
}

pub(crate) fn lublin_file(source: &LublinSource) -> LublinFile {
    let LublinParameters { nodes: _, jobs, mode, cpu, memory } = source.parameters;
    LublinFile {
        traces: anywhere(source.traces.into()),
        jobs: anywhere(jobs as i64),
        mode,
        loads: anywhere(Numbers(source.loads.clone())),
        cpu,
        memory,
    }
}
