//! The study as cells, rows and tables.

use super::file::File;
use super::scenario::{Knowledge, Scenario};
use super::tables;
use crate::column::columns;
use crate::experiment::{Experiment, NamedTable};
use crate::instance::trace_seed;
use dfrsim_cluster::{Metrics, Options, SummaryOptions, simulate};
use dfrsim_model::{Seed, SimSpan};
use dfrsim_policies::{Policy, PolicyOptions};
use dfrsim_workload::load::scale_to_load;
use dfrsim_workload::lublin::generate;

/// A policy on a trace with what it knows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    trace: u32,
    load: Option<f64>,
    policy: Policy,
    knowledge: Knowledge,
}

columns! {
    /// The figures of a cell.
    pub(super) struct Row {
        /// The number of the trace, from 0.
        pub(super) trace: u32,
        /// The load that it is scaled to.
        pub(super) load: Option<f64>,
        /// The name of the policy.
        pub(super) policy: String,
        /// What the policy is told of needs.
        pub(super) needs: String,
        /// After how long running needs are found; nothing if they are not.
        pub(super) discovery_s: Option<SimSpan>,
        /// The largest bounded stretch, tau = 10 s.
        pub(super) max_stretch: f64,
        /// The mean bounded stretch.
        pub(super) mean_stretch: f64,
        /// Work done / (nodes * makespan).
        pub(super) utilisation: f64,
        /// How often a job was paused.
        pub(super) pauses: u64,
        /// How often a job was migrated.
        pub(super) migrations: u64,
    }
}

impl Experiment for Scenario {
    type Cell = Cell;
    type Row = Row;
    const STUDY: &'static str = "needs";
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
    fn cells(&self) -> Vec<Cell> {
        let loads: Vec<Option<f64>> = match self.traces.loads.as_slice() {
            [] => vec![None],
            loads => loads.iter().copied().map(Some).collect(),
        };
        let mut cells = Vec::new();
        for load in loads {
            for &policy in &self.policies {
                for knowledge in self.knowledge() {
                    let traces = 0..self.traces.traces;
                    cells.extend(traces.map(|trace| Cell { trace, load, policy, knowledge }));
                }
            }
        }
        cells
    }
    fn determinants(&self, cell: &Cell) -> String {
        let Cell { trace, load, policy, knowledge } = cell;
        let Scenario { seed, penalty, period, traces, .. } = self;
        format!(
            "{policy}\n{knowledge:?}\n{penalty} {period}\n{:?}\n{seed} {trace} {load:?}",
            traces.parameters
        )
    }
    fn weight(&self, cell: &Cell) -> u64 {
        // Periodic policies decide far more often than jobs come and go.
        if cell.policy.is_periodic() { 2 } else { 1 }
    }
    fn compute(&self, cell: &Cell) -> Result<Vec<Row>, String> {
        let Cell { trace, load, policy, knowledge: Knowledge { told, discovery } } = *cell;
        let nodes = self.traces.parameters.nodes.get();
        let context = |message: String| format!("{policy}, {told}, trace {trace}: {message}");
        let mut jobs = generate(&self.traces.parameters, trace_seed(self.seed, trace));
        if let Some(load) = load {
            scale_to_load(&mut jobs, nodes, load).map_err(|error| context(error.to_string()))?;
        }
        let numbers = PolicyOptions { period: self.period, ..PolicyOptions::default() };
        let seed = Seed::new(self.seed).fork("simulation");
        let options = Options { penalty: self.penalty, needs: told, discovery, seed, ..Options::default() };
        let mut scheduler = policy.scheduler(nodes, &numbers);
        let mut metrics = Metrics::new(SummaryOptions::new(nodes));
        simulate(nodes, &options, jobs, scheduler.as_mut(), &mut metrics)
            .map_err(|error| context(error.to_string()))?;
        let summary = metrics.summary().ok_or_else(|| context("no job is left to count".to_owned()))?;
        let stretch = &summary.bounded_stretch[0].1;
        Ok(vec![Row {
            trace,
            load,
            policy: policy.to_string(),
            needs: told.to_string(),
            discovery_s: discovery,
            max_stretch: stretch.max,
            mean_stretch: stretch.mean,
            utilisation: summary.utilisation,
            pauses: summary.pauses,
            migrations: summary.migrations,
        }])
    }
    fn tables(&self, rows: &[Row]) -> Vec<NamedTable> {
        let title = "What wrong needs cost in bounded stretch: ratios to the same policy with exact needs";
        vec![NamedTable::short("costs", title, tables::costs(self, rows))]
    }
}
