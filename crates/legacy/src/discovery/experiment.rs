//! The study as cells, rows and tables.

use super::file::File;
use super::scenario::{Scenario, Source, WorkloadGroup};
use super::{findings, tables};
use crate::column::columns;
use crate::experiment::{Experiment, NamedTable};
use crate::key::Digest;
use dfrsim_audit::discovery::{Machine, SharingAuditor};
use dfrsim_discovery::sharing::Sharing;
use dfrsim_discovery::{Approach, Observer, Settings, Vm, Workload, simulate};
use dfrsim_model::vm::VmState;
use dfrsim_model::{Seed, SimTime};
use std::borrow::Cow;

/// An approach on one workload.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    /// Places in the scenario.
    workload: usize,
    variant: usize,
    approach: Approach,
    /// Which of the seeds, from 0.
    sample: u32,
}

columns! {
    /// The figures of a cell.
    pub(super) struct Row {
        /// The name of the workload.
        pub(super) workload: String,
        /// The name of the settings.
        pub(super) variant: String,
        /// The name of the approach.
        pub(super) approach: String,
        /// Which of the seeds, from 0.
        pub(super) sample: u32,
        /// The average over the time of the minimum yield.
        pub(super) average_minimum_yield: f64,
        /// The minimum over the machines of the average yield.
        pub(super) minimum_average_yield: f64,
        /// The average over time and machines.
        pub(super) mean_yield: f64,
        /// The average CPU in use on a node.
        pub(super) utilisation: f64,
        /// Machines migrated.
        pub(super) migrations: u64,
        /// Allocation phases that migrated machines.
        pub(super) remappings: u64,
    }
}

impl WorkloadGroup {
    /// The workload of a seed; the needs do not depend on other workloads, so that hogs can be added to the same machines.
    fn workload(&self, seed: u64, sample: u32) -> Cow<'_, Workload> {
        match &self.source {
            Source::Testbed(testbed) => {
                let seed = Seed::new(seed).fork("discovery").numbered(sample.into());
                Cow::Owned(testbed.workload(seed).expect("a scenario's testbeds can be made"))
            }
            Source::Recorded(source) => Cow::Borrowed(&source.workload),
        }
    }
}

impl Experiment for Scenario {
    type Cell = Cell;
    type Row = Row;
    const STUDY: &'static str = "discovery";
    const CELLS: &'static str = "simulations";

    fn title(&self) -> &str {
        &self.title
    }
    fn seed(&self) -> u64 {
        self.seed
    }
    fn to_toml(&self) -> String {
        toml::to_string(&File::of(self)).expect("a scenario can be written as TOML")
    }
    fn inputs(&self) -> Vec<(String, Digest)> {
        let recorded = self.workloads.iter().filter_map(|group| match &group.source {
            Source::Recorded(source) => Some(&source.files),
            Source::Testbed(_) => None,
        });
        recorded.flatten().cloned().collect()
    }
    fn cells(&self) -> Vec<Cell> {
        let mut cells = Vec::new();
        for (workload, group) in self.workloads.iter().enumerate() {
            for variant in 0..self.variants.len() {
                for &approach in &self.approaches {
                    let samples = 0..group.source.samples(self.samples);
                    cells.extend(samples.map(|sample| Cell { workload, variant, approach, sample }));
                }
            }
        }
        cells
    }
    fn determinants(&self, cell: &Cell) -> String {
        let group = &self.workloads[cell.workload];
        let source = match &group.source {
            Source::Testbed(testbed) => format!("{testbed:?} {} {}", self.seed, cell.sample),
            Source::Recorded(source) => {
                let digests: Vec<String> = source.files.iter().map(|file| file.1.to_string()).collect();
                let super::scenario::RecordedSource { nodes, memory, interval, unit, span, .. } = **source;
                format!("{} {nodes} {memory} {interval} {unit} {span}", digests.join(" "))
            }
        };
        let variant = &self.variants[cell.variant];
        format!("{}\n{source}\n{}\n{:?}\n{}", group.name, variant.name, variant.settings, cell.approach)
    }
    fn weight(&self, cell: &Cell) -> u64 {
        let span = match &self.workloads[cell.workload].source {
            Source::Testbed(testbed) => testbed.span,
            Source::Recorded(source) => source.span,
        };
        // Xen changes nothing between changes of needs; the others look at the use again and again.
        let monitor = self.variants[cell.variant].settings.monitor.micros();
        if cell.approach == Approach::Xen { 1 } else { 1 + span.micros() / monitor }
    }
    fn compute(&self, cell: &Cell) -> Result<Vec<Row>, String> {
        let (group, variant) = (&self.workloads[cell.workload], &self.variants[cell.variant]);
        let workload = group.workload(self.seed, cell.sample);
        let mut watched = Watched::new(&workload, &variant.settings);
        let outcome = simulate(&workload, cell.approach, &variant.settings, &mut watched);
        let (minimum, least) = (outcome.average_minimum_yield, outcome.minimum_average_yield);
        let faults = watched.0.finish(SimTime::ZERO + workload.span(), minimum, least);
        if let Some(fault) = faults.first() {
            let Cell { approach, sample, .. } = cell;
            return Err(format!("{}, {}, {approach}, sample {sample}: {fault}", group.name, variant.name));
        }
        let machines = outcome.average_yields.len() as f64;
        Ok(vec![Row {
            workload: group.name.clone(),
            variant: variant.name.clone(),
            approach: cell.approach.to_string(),
            sample: cell.sample,
            average_minimum_yield: minimum,
            minimum_average_yield: least,
            mean_yield: outcome.average_yields.iter().sum::<f64>() / machines,
            utilisation: outcome.utilisation,
            migrations: outcome.migrations,
            remappings: outcome.remappings,
        }])
    }
    fn tables(&self, rows: &[Row]) -> Vec<NamedTable> {
        let mut all = tables::tables(self, rows);
        all.push(NamedTable::short(
            "findings",
            "What section 7.4 says of the results",
            findings::table(self, rows),
        ));
        all
    }
}

/// The independent auditor looks at every span.
struct Watched(SharingAuditor);

impl Watched {
    fn new(workload: &Workload, settings: &Settings) -> Watched {
        let machine = |vm: &Vm| Machine { memory: vm.memory, needs: vm.needs.steps().to_vec() };
        let machines = workload.vms().iter().map(machine).collect();
        Watched(SharingAuditor::new(workload.nodes(), settings.sharing == Sharing::Weights, machines))
    }
}

impl Observer for Watched {
    fn span(&mut self, from: SimTime, to: SimTime, vms: &[VmState]) {
        self.0.span(from, to, vms);
    }
}
