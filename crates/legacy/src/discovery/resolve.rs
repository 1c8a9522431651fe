//! From what stands in a file to a checked scenario of the discovery study.

use super::file::{File, RecordedFile, Study as Field, TestbedFile, VariantFile, WorkloadFile};
use super::scenario::{RecordedSource, Scenario, Source, Variant, WorkloadGroup};
use crate::Study;
use crate::key::Digest;
use crate::scenario::{Resolver, ScenarioErrors, ScenarioText, resolved};
use dfrsim_discovery::recorded::{self, Unit};
use dfrsim_discovery::{Settings, Testbed, Vm, Workload};
use dfrsim_model::{NodeId, Seed, Share, SimSpan};
use dfrsim_policies::fractional::McbOptions;
use std::fmt::Display;
use std::fs;
use std::str::FromStr;
use toml::Spanned;

/// The study of a text.
pub(crate) fn read(source: &ScenarioText<'_>) -> Result<Study, ScenarioErrors> {
    scenario(source).map(|scenario| Study::Experiment(Box::new(scenario)))
}

/// The scenario of a text.
pub(super) fn scenario(source: &ScenarioText<'_>) -> Result<Scenario, ScenarioErrors> {
    resolved(source, |resolver, file: &File| {
        let Field::Discovery = file.study;
        Scenario {
            title: file.title.clone(),
            seed: resolver.integer(&file.seed, "a seed", 0, i64::MAX) as u64,
            samples: resolver.integer(&file.samples, "a number of samples", 1, 1_000_000) as u32,
            approaches: resolver.names(&file.approaches, "approach"),
            variants: resolver.discovery_variants(&file.variants),
            workloads: resolver.virtual_workloads(&file.workloads),
        }
    })
}

impl Resolver<'_> {
    fn discovery_variants(&mut self, files: &[VariantFile]) -> Vec<Variant> {
        if files.is_empty() {
            return vec![self.discovery_variant(&VariantFile::default())];
        }
        let mut variants = Vec::<Variant>::new();
        for file in files {
            if variants.iter().any(|other| other.name == *file.name.get_ref()) {
                self.fault(&file.name, format!("there is another variant `{}`", file.name.get_ref()));
            }
            variants.push(self.discovery_variant(file));
        }
        variants
    }
    fn discovery_variant(&mut self, file: &VariantFile) -> Variant {
        let span = |resolver: &mut Self, field: &Spanned<f64>| resolver.span(field, *field.get_ref());
        let settings = Settings {
            discovery: span(self, &file.discovery),
            allocation: span(self, &file.allocation),
            execution: span(self, &file.execution),
            monitor: span(self, &file.monitor),
            threshold: file.threshold,
            migration: span(self, &file.migration),
            sharing: self.named(&file.sharing).unwrap_or_default(),
            spare: self.named(&file.spare).unwrap_or_default(),
            mcb: McbOptions {
                packing: self.named(&file.packing).unwrap_or_default(),
                floor: self.part(&file.yield_floor),
                precision: self.part(&file.yield_precision),
                ..McbOptions::default()
            },
            relabel: file.relabel,
        };
        let name = self.name(&file.name, "a variant");
        if let Err(error) = settings.check() {
            self.fault(&file.name, format!("variant `{name}`: {error}"));
        }
        Variant { name, settings }
    }

    fn virtual_workloads(&mut self, files: &[WorkloadFile]) -> Vec<WorkloadGroup> {
        if files.is_empty() {
            self.fault_of_file("there must be at least one [[workloads]]");
        }
        let mut groups = Vec::<WorkloadGroup>::new();
        for file in files {
            let name = self.name(&file.name, "a workload");
            if groups.iter().any(|other| other.name == name) {
                self.fault(&file.name, format!("there is another workload `{name}`"));
            }
            let published = file.published.as_ref().and_then(|field| self.named(field));
            let source = match (&file.testbed, &file.recorded) {
                (Some(testbed), None) => Some(Source::Testbed(self.testbed(&file.name, testbed))),
                (None, Some(recorded)) => self
                    .recorded_traces(&file.name, recorded)
                    .map(|source| Source::Recorded(Box::new(source))),
                _ => {
                    let message = format!(
                        "workload `{name}` needs one of `testbed = {{ .. }}` and `recorded = {{ .. }}`"
                    );
                    self.fault(&file.name, message);
                    None
                }
            };
            groups.extend(source.map(|source| WorkloadGroup { name, published, source }));
        }
        groups
    }
    fn testbed(&mut self, name: &Spanned<String>, file: &TestbedFile) -> Testbed {
        let mut count =
            |field: &Spanned<i64>, what: &str, least| self.integer(field, what, least, 100_000) as u32;
        let (nodes, vms_per_node, hogs) = (
            count(&file.nodes, "a number of nodes", 1),
            count(&file.vms_per_node, "a number of machines", 0),
            count(&file.hogs, "a number of hogs", 0),
        );
        let testbed = Testbed {
            nodes,
            vms_per_node,
            hogs,
            memory: self.share(&file.memory),
            mean_change: self.some_time(&file.mean_change),
            span: self.some_time(&file.span),
        };
        // Whether there can be such a workload does not depend on its needs: one step each is made quickly.
        let steady = Testbed { mean_change: SimSpan::MAX, ..testbed };
        if let Err(error) = steady.workload(Seed::new(0)) {
            self.fault(name, error.to_string());
        }
        testbed
    }
    /// Machines of recorded traces are dealt out to the nodes in turn.
    fn recorded_traces(&mut self, name: &Spanned<String>, file: &RecordedFile) -> Option<RecordedSource> {
        let nodes = self.integer(&file.nodes, "a number of nodes", 1, 100_000) as u32;
        let memory = self.share(&file.memory);
        let interval = self.some_time(&file.interval);
        let unit: Unit = self.named(&file.unit)?;
        let (mut files, mut vms, mut known) = (Vec::new(), Vec::new(), SimSpan::MAX);
        for field in &file.files {
            let path = self.located(field);
            let text = match fs::read_to_string(&path) {
                Ok(text) => text,
                Err(error) => {
                    self.fault(field, format!("{}: {error}", path.display()));
                    continue;
                }
            };
            files.push((field.get_ref().clone(), Digest::of_bytes(text.as_bytes())));
            match recorded::parse(&text, unit, interval) {
                Ok(recorded) => {
                    known = known.min(recorded.span);
                    vms.extend(recorded.machines);
                }
                Err(faults) => {
                    faults
                        .iter()
                        .for_each(|fault| self.fault(field, format!("{}: {fault}", field.get_ref())));
                }
            }
        }
        if vms.is_empty() {
            self.fault(name, "there must be at least one readable file");
            return None;
        }
        let span = match &file.span {
            Some(field) => self.some_time(field),
            None => known,
        };
        if span > known {
            self.fault(name, format!("the traces are known for {known} s, and not for {span} s"));
        }
        let vm = |(number, needs)| Vm { node: NodeId(number % nodes.max(1)), memory, needs };
        match Workload::new(nodes, span, (0..).zip(vms).map(vm).collect()) {
            Ok(workload) => Some(RecordedSource { files, nodes, memory, interval, unit, span, workload }),
            Err(error) => {
                self.fault(name, error.to_string());
                None
            }
        }
    }

    /// The name of something, which is a cell of tables.
    fn name(&mut self, field: &Spanned<String>, what: &str) -> String {
        let name = field.get_ref().clone();
        if name.is_empty() || name.contains(char::is_control) {
            self.fault(field, format!("{what} must have a name, without control characters"));
        }
        name
    }
    /// What a name stands for.
    fn named<T: FromStr<Err: Display>>(&mut self, field: &Spanned<String>) -> Option<T> {
        field.get_ref().parse().map_err(|error: T::Err| self.fault(field, error.to_string())).ok()
    }
    fn share(&mut self, field: &Spanned<f64>) -> Share {
        let value = *field.get_ref();
        Share::try_from_f64(value).unwrap_or_else(|| {
            self.fault(field, format!("expected a part of a node from 0 to 1, found {value}"));
            Share::ONE
        })
    }
    fn some_time(&mut self, field: &Spanned<f64>) -> SimSpan {
        let span = self.span(field, *field.get_ref());
        if span.is_zero() {
            self.fault(field, "expected some time");
        }
        span.max(SimSpan::from_micros(1))
    }
}
