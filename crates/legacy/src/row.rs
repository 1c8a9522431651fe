//! Rows: what one simulation amounts to, with one tau.

use crate::column::{BadField, Columns as _, Datum, Kind, columns};
use crate::key::Key;
use crate::setting::Label;
use dfrsim_cluster::{Distribution, Summary};
use dfrsim_model::SimSpan;

/// One row of `rows.csv`.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What the row is known by when a run is resumed.
    pub key: Key,
    /// What was simulated.
    pub cell: Cell,
    /// What came of it, or why nothing did.
    pub outcome: Result<Box<Figures>, String>,
}

columns! {
    /// What was simulated.
    pub struct Cell {
        /// The workload.
        pub workload: String,
        /// The part of the workload: a week, a trace, a trace at a load.
        pub instance: String,
        /// The offered load that the trace was scaled to, if it was.
        pub load: Option<f64>,
        /// The policy.
        pub policy: String,
        /// The rescheduling penalty.
        pub penalty_s: SimSpan,
        /// The period, where the policy is periodic.
        pub period_s: Option<SimSpan>,
        /// The packing rule of MCB, where the policy uses it.
        pub packing: Option<String>,
        /// The drop rule of MCB, where the policy uses it.
        pub drop: Option<String>,
        /// What the policy was told of run times.
        pub estimates: String,
        /// What happened to jobs that outlasted their estimate.
        pub overrun: String,
        /// The tau of the bounded stretch and of the bound.
        pub tau_s: SimSpan,
        /// The nodes.
        pub nodes: u32,
        /// The jobs submitted.
        pub jobs: usize,
        /// The lower bound on the maximum bounded stretch.
        pub bound: f64,
    }
}

columns! {
    /// The figures of one simulation. Distributions are over the jobs that count.
    pub struct Figures {
        /// Completed jobs that count in the distributions.
        pub counted: usize,
        /// Completed jobs that do not, because of warm-up and cool-down.
        pub trimmed: usize,
        /// Jobs killed at their estimate.
        pub killed: u64,
        /// Jobs turned away.
        pub rejected: u64,
        /// The largest bounded stretch / the bound.
        pub degradation: f64,
        /// Bounded stretch: mean.
        pub mean_bounded_stretch: f64,
        /// Bounded stretch: half of the jobs have no more.
        pub median_bounded_stretch: f64,
        /// Bounded stretch: 95 % of the jobs have no more.
        pub p95_bounded_stretch: f64,
        /// Bounded stretch: 99 % of the jobs have no more.
        pub p99_bounded_stretch: f64,
        /// Bounded stretch: largest.
        pub max_bounded_stretch: f64,
        /// Stretch: mean.
        pub mean_stretch: f64,
        /// Stretch: median.
        pub median_stretch: f64,
        /// Stretch: 95 %.
        pub p95_stretch: f64,
        /// Stretch: 99 %.
        pub p99_stretch: f64,
        /// Stretch: largest.
        pub max_stretch: f64,
        /// Wait in seconds: mean.
        pub mean_wait_s: f64,
        /// Wait in seconds: median.
        pub median_wait_s: f64,
        /// Wait in seconds: 95 %.
        pub p95_wait_s: f64,
        /// Wait in seconds: 99 %.
        pub p99_wait_s: f64,
        /// Wait in seconds: longest.
        pub max_wait_s: f64,
        /// Turnaround in seconds: mean.
        pub mean_turnaround_s: f64,
        /// Turnaround in seconds: median.
        pub median_turnaround_s: f64,
        /// Turnaround in seconds: 95 %.
        pub p95_turnaround_s: f64,
        /// Turnaround in seconds: 99 %.
        pub p99_turnaround_s: f64,
        /// Turnaround in seconds: longest.
        pub max_turnaround_s: f64,
        /// Work done / (nodes * makespan).
        pub utilisation: f64,
        /// From the first submission to the last completion.
        pub makespan_s: SimSpan,
        /// How often a job was paused.
        pub pauses: u64,
        /// How often a job was migrated.
        pub migrations: u64,
        /// Tasks that changed node in migrations.
        pub migrated_tasks: u64,
        /// Memory written by pauses, in memories of a node.
        pub paused_memory_nodes: f64,
        /// Memory moved by migrations, in memories of a node.
        pub migrated_memory_nodes: f64,
    }
}

impl Cell {
    /// The setting that was simulated.
    pub(crate) fn label(&self) -> Label {
        Label {
            policy: self.policy.clone(),
            penalty: self.penalty_s,
            period: self.period_s,
            packing: self.packing.clone(),
            drop: self.drop.clone(),
        }
    }
}

impl Figures {
    /// What pauses write and resumes read, in GB/s over the makespan, for nodes with so much memory. Half of it goes one way
    /// (dissertation, section 6.1).
    #[must_use]
    pub fn preemption_gb_per_s(&self, node_memory_gb: f64) -> f64 {
        self.paused_memory_nodes / self.seconds_per_memory(node_memory_gb)
    }
    /// What migrations write and read, in GB/s over the makespan.
    #[must_use]
    pub fn migration_gb_per_s(&self, node_memory_gb: f64) -> f64 {
        self.migrated_memory_nodes / self.seconds_per_memory(node_memory_gb)
    }
    /// The seconds of the makespan for each GB of a memory of a node that is written and read again.
    pub(crate) fn seconds_per_memory(&self, node_memory_gb: f64) -> f64 {
        self.makespan_s.as_secs_f64() / (2.0 * node_memory_gb)
    }

    /// The figures of a simulation for one of its taus.
    pub(crate) fn new(summary: &Summary, bounded: &Distribution, bound: f64) -> Figures {
        let Summary { stretch, wait, turnaround, .. } = summary;
        Figures {
            counted: summary.jobs,
            trimmed: summary.trimmed,
            killed: summary.killed,
            rejected: summary.rejected,
            degradation: bounded.max / bound,
            mean_bounded_stretch: bounded.mean,
            median_bounded_stretch: bounded.median,
            p95_bounded_stretch: bounded.p95,
            p99_bounded_stretch: bounded.p99,
            max_bounded_stretch: bounded.max,
            mean_stretch: stretch.mean,
            median_stretch: stretch.median,
            p95_stretch: stretch.p95,
            p99_stretch: stretch.p99,
            max_stretch: stretch.max,
            mean_wait_s: wait.mean,
            median_wait_s: wait.median,
            p95_wait_s: wait.p95,
            p99_wait_s: wait.p99,
            max_wait_s: wait.max,
            mean_turnaround_s: turnaround.mean,
            median_turnaround_s: turnaround.median,
            p95_turnaround_s: turnaround.p95,
            p99_turnaround_s: turnaround.p99,
            max_turnaround_s: turnaround.max,
            utilisation: summary.utilisation,
            makespan_s: summary.makespan,
            pauses: summary.pauses,
            migrations: summary.migrations,
            migrated_tasks: summary.migrated_tasks,
            paused_memory_nodes: summary.paused_memory,
            migrated_memory_nodes: summary.migrated_memory,
        }
    }
}

impl Row {
    /// The names of all columns, in their order: the key, what was simulated, `status` (`ok` or `failed`) and
    /// `message`, the figures.
    pub fn columns() -> impl Iterator<Item = &'static str> {
        let outcome = ["status", "message"].iter();
        ["key"].iter().chain(Cell::COLUMNS).chain(outcome).chain(Figures::COLUMNS).copied()
    }

    /// The values of all columns, in their order, for formats that tell kinds apart. A row that is `ok` has no message,
    /// one that failed no figures.
    #[must_use]
    pub fn data(&self) -> Vec<Datum> {
        let mut data = vec![Datum::Text(self.key.to_string())];
        data.extend(self.cell.data());
        match &self.outcome {
            Ok(figures) => {
                data.extend([Datum::Text("ok".to_owned()), Datum::Missing(Kind::Text)]);
                data.extend(figures.data());
            }
            Err(message) => {
                data.extend(["failed", message].map(|text| Datum::Text(text.to_owned())));
                data.extend(Figures::KINDS.iter().copied().map(Datum::Missing));
            }
        }
        data
    }

    /// The kinds of all columns, in their order.
    pub fn kinds() -> impl Iterator<Item = Kind> {
        let outcome = [Kind::Text; 2].iter();
        [Kind::Text].iter().chain(Cell::KINDS).chain(outcome).chain(Figures::KINDS).copied()
    }

    pub(crate) fn write(&self) -> Vec<String> {
        let mut fields = vec![self.key.to_string()];
        fields.extend(self.cell.write());
        match &self.outcome {
            Ok(figures) => {
                fields.extend(["ok".to_owned(), String::new()]);
                fields.extend(figures.write());
            }
            Err(message) => {
                fields.extend(["failed".to_owned(), message.clone()]);
                fields.extend(Figures::COLUMNS.iter().map(|_| String::new()));
            }
        }
        fields
    }
    /// Reads the fields that [`Row::write`] wrote.
    pub(crate) fn read(fields: &[&str]) -> Result<Row, BadField> {
        let (key, rest) = fields.split_at_checked(1).unwrap_or_default();
        let (cell, rest) = rest.split_at_checked(Cell::COLUMNS.len()).unwrap_or_default();
        let (status, figures) = rest.split_at_checked(2).unwrap_or_default();
        let bad = |column, field: Option<&&str>| BadField {
            column,
            found: field.map_or_else(String::new, |&found| found.to_owned()),
        };
        let key_field = key.first();
        let key = key_field.and_then(|key| key.parse().ok()).ok_or_else(|| bad("key", key_field))?;
        let cell = Cell::read(cell.iter().copied())?;
        if figures.len() != Figures::COLUMNS.len() {
            return Err(bad("number of fields", Some(&fields.len().to_string().as_str())));
        }
        let outcome = match status {
            ["ok", ""] => Ok(Box::new(Figures::read(figures.iter().copied())?)),
            ["failed", message] => Err((*message).to_owned()),
            _ => return Err(bad("status", status.first())),
        };
        Ok(Row { key, cell, outcome })
    }
}
