//! The study: simulations of a scenario.

use crate::audit::{Machine, SharingAuditor};
use crate::engine::sharing::Sharing;
use crate::engine::{Approach, Observer, Settings, Vm, Workload, recorded, simulate};
use crate::rows::Row;
use crate::scenario::{Discovery, Recorded, Setting, Source};
use crate::{claims, drawings, tables};
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::{
    Audit, Claim, Digest, Digester, Drawing, Failure, Input, InstanceId, KeyBuilder, Labels, Long,
    NamedTable, Prepared, RunContext, RunError, Study,
};
use dfrsim_model::vm::VmState;
use dfrsim_model::{NodeId, Seed, SimSpan, SimTime};

/// The discovery study of a scenario.
pub struct DiscoveryStudy {
    scenario: Scenario<Discovery>,
    /// The recorded workload for each workload of the scenario; `None` for testbeds.
    recorded: Vec<Option<Workload>>,
    /// Index of each instance's workload in the scenario, and its replication.
    instances: Vec<(usize, u32)>,
}

impl Study for DiscoveryStudy {
    const NAME: &'static str = "discovery";
    const TITLE: &'static str = "CPU needs found while virtual machines run (dissertation, chapter 7)";
    const SEMANTICS: u32 = 2;
    const AUDIT: Audit = Audit::Always;
    const RUNS: &'static str = "simulations";

    type Fields = Discovery;
    type Instance = Workload;
    type Variant = (Setting, Approach);
    type Rows = Long<Row>;

    /// Returns a lower bound on the bytes that the changes of needs in the largest random workload
    /// occupy.
    fn memory(scenario: &Scenario<Discovery>) -> u64 {
        const STEP: f64 = 16.0;
        let of = |source: &Source| match source {
            Source::Testbed(testbed) => {
                let vms = f64::from(testbed.nodes) * f64::from(testbed.vms_per_node);
                STEP * vms * (1.0 + testbed.span.as_secs_f64() / testbed.mean_change.as_secs_f64())
            }
            Source::Recorded(_) => 0.0,
        };
        let largest = scenario.workloads.iter().map(|workload| of(&workload.source)).fold(0.0, f64::max);
        // The conversion saturates.
        largest as u64
    }
    fn rows_at_least(scenario: &Scenario<Discovery>) -> u64 {
        let of = |workload: &crate::scenario::Workload| {
            u64::from(workload.source.replications(scenario.replications))
        };
        let variants = (scenario.settings.len() * scenario.approaches.len()) as u64;
        scenario.workloads.iter().map(of).fold(0, u64::saturating_add).saturating_mul(variants)
    }
    fn open(scenario: &Scenario<Discovery>, inputs: &mut Vec<Input>) -> Result<DiscoveryStudy, RunError> {
        let (mut recorded, mut instances) = (Vec::new(), Vec::new());
        for (place, workload) in scenario.workloads.iter().enumerate() {
            recorded.push(match &workload.source {
                Source::Testbed(_) => None,
                Source::Recorded(source) => Some(
                    read(source, inputs)
                        .map_err(|fault| RunError::input(format!("workload `{}`: {fault}", workload.name)))?,
                ),
            });
            let replications = 0..workload.source.replications(scenario.replications);
            instances.extend(replications.map(|replication| (place, replication)));
        }
        Ok(DiscoveryStudy { scenario: scenario.clone(), recorded, instances })
    }
    fn instances(&self) -> Vec<InstanceId> {
        let id = |&(place, replication): &(usize, u32)| {
            let workload = &self.scenario.workloads[place];
            let labels = vec![("workload", workload.name.clone()), ("replication", replication.to_string())];
            let (nodes, span) = match &workload.source {
                Source::Testbed(testbed) => (testbed.nodes, testbed.span),
                Source::Recorded(source) => {
                    (source.nodes, self.recorded[place].as_ref().map_or(SimSpan::ZERO, Workload::span))
                }
            };
            InstanceId { labels, weight: u64::from(nodes).saturating_mul(span.micros() / 1_000_000) }
        };
        self.instances.iter().map(id).collect()
    }
    fn variants(&self, _: usize) -> Vec<(Setting, Approach)> {
        let approaches = |setting: &Setting| {
            let setting = setting.clone();
            self.scenario.approaches.iter().map(move |&approach| (setting.clone(), approach))
        };
        self.scenario.settings.iter().flat_map(approaches).collect()
    }
    fn prepare(&self, at: usize) -> Result<Prepared<Workload>, Failure> {
        let (place, replication) = self.instances[at];
        let group = &self.scenario.workloads[place];
        let workload = match &group.source {
            // The seed does not depend on the workload, so that hogs can be added to the same
            // machines.
            Source::Testbed(testbed) => {
                let seed = Seed::new(self.scenario.seed).fork("discovery").numbered(replication.into());
                testbed.testbed().workload(seed).map_err(Failure::failed)?
            }
            Source::Recorded(_) => self.recorded[place].clone().expect("recorded workloads were read"),
        };
        let mut digester = Digester::new();
        digester.text(&group.name).integer(replication);
        digester.integer(workload.nodes()).integer(workload.span().micros());
        for Vm { node, memory, needs } in workload.vms() {
            digester.integer(node.0).integer(memory.units()).integer(needs.steps().len() as u64);
            for (from, need) in needs.steps() {
                digester.integer(from.micros()).integer(need.units());
            }
        }
        Ok(Prepared { instance: workload, digest: digester.digest() })
    }
    fn key(&self, (setting, approach): &(Setting, Approach), key: &mut KeyBuilder) {
        let Setting {
            name,
            discovery,
            allocation,
            execution,
            monitor,
            threshold,
            migration,
            migration_cpu,
            lost_cpu,
            sharing,
            spare,
            lowering,
            packing,
            yield_floor,
            yield_precision,
            relabel,
        } = setting;
        key.field("approach", approach)
            .field("setting", name)
            .field("discovery", discovery)
            .field("allocation", allocation)
            .field("execution", execution)
            .field("monitor", monitor)
            .field("threshold", threshold)
            .field("migration", migration)
            .field("migration_cpu", migration_cpu)
            .field("sharing", sharing)
            .field("spare", spare)
            .field("lowering", lowering)
            .field("packing", packing)
            .field("yield_floor", yield_floor.units())
            .field("yield_precision", yield_precision.units())
            .field("relabel", relabel);
        // Rows without a loss keep their keys.
        key.optional("lost_cpu", (*lost_cpu > 0.0).then_some(lost_cpu));
    }
    fn labels(&self, (setting, approach): &(Setting, Approach)) -> Labels {
        vec![("setting", setting.name.clone()), ("approach", approach.to_string())]
    }
    fn run(
        &self,
        workload: &Workload,
        (setting, approach): &(Setting, Approach),
        _: RunContext<'_>,
    ) -> Result<Vec<Row>, Failure> {
        let settings = setting.settings();
        let mut audited = Audited::new(workload, &settings);
        let outcome = simulate(workload, *approach, &settings, &mut audited);
        let end = SimTime::ZERO + workload.span();
        let faults = audited.0.finish(end, outcome.average_minimum_yield, outcome.minimum_average_yield);
        match faults.first() {
            Some(fault) => Err(Failure::invalid(fault)),
            None => Ok(vec![Row::of(&outcome)]),
        }
    }
    fn tables(&self, rows: &Long<Row>) -> Vec<NamedTable> {
        tables::all(&self.scenario, rows)
    }
    fn claims(&self, rows: &Long<Row>) -> Vec<Claim> {
        claims::all(&self.scenario, rows)
    }
    fn drawings(scenario: &Scenario<Discovery>, rows: &Long<Row>) -> Vec<Drawing> {
        drawings::all(scenario, rows)
    }
}

/// Reads recorded traces and assigns their machines to the nodes in turn. On failure it returns all
/// errors, one per line.
fn read(source: &Recorded, inputs: &mut Vec<Input>) -> Result<Workload, String> {
    let (mut traces, mut known, mut faults) = (Vec::new(), SimSpan::MAX, Vec::new());
    for file in &source.files {
        let text = match dfrsim_model::read_text_file(&file.path) {
            Ok(text) => text,
            Err(error) => {
                faults.push(format!("{}: {error}", file.path.display()));
                continue;
            }
        };
        match recorded::parse(&text, source.unit, source.interval) {
            Ok(found) => {
                let machines = found.machines.len();
                inputs.push(Input {
                    report: vec![format!("{machines} machines, {} s", found.span)],
                    counts: vec![("machines".to_owned(), machines as u64)],
                    ..Input::new(&file.given, Digest::from_bytes(text.as_bytes()))
                });
                known = known.min(found.span);
                traces.extend(found.machines);
            }
            Err(found) => faults.extend(found.iter().map(|fault| format!("{}: {fault}", file.given))),
        }
    }
    if !faults.is_empty() {
        return Err(faults.join("\n"));
    }
    let span = source.span.unwrap_or(known);
    if span > known {
        return Err(format!("the traces end at {known} s, before the `span` of {span} s"));
    }
    let vm = |(number, needs)| Vm { node: NodeId(number % source.nodes), memory: source.memory, needs };
    Workload::new(source.nodes, span, (0..).zip(traces).map(vm).collect()).map_err(|error| error.to_string())
}

/// Observer that passes every span to the independent auditor.
struct Audited(SharingAuditor);

impl Audited {
    fn new(workload: &Workload, settings: &Settings) -> Audited {
        let machine = |vm: &Vm| Machine { memory: vm.memory, needs: vm.needs.steps().to_vec() };
        let machines = workload.vms().iter().map(machine).collect();
        let by_weights = settings.sharing == Sharing::Weights;
        let auditor = SharingAuditor::new(workload.nodes(), by_weights, machines);
        Audited(auditor.with_migration_cpu(settings.migration_cpu).with_lost_cpu(settings.lost_cpu))
    }
}

impl Observer for Audited {
    fn span(&mut self, from: SimTime, to: SimTime, vms: &[VmState]) {
        self.0.span(from, to, vms);
    }
}
