//! What is computed at once.

use super::recording::{EventsFile, recorded};
use super::row::Row;
use super::scenario::{Jobs, Scenario};
use super::{input, tables};
use crate::experiment::{Experiment, NamedTable};
use crate::key::Digest;
use dfrsim_grid::{
    Algorithm, ClusterSpec, Comparison, GridJob, Heuristic, LocalPolicy, Options, Outcome, Platform,
    Reallocation, Speed,
};
use dfrsim_model::{Seed, SimSpan};
use std::fmt::Write as _;

/// One set of jobs on one platform.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    workload: usize,
    sample: u32,
    heterogeneous: bool,
    local: LocalPolicy,
}

impl Cell {
    fn platform_name(self) -> &'static str {
        if self.heterogeneous { "heterogeneous" } else { "homogeneous" }
    }
    /// The clusters of the workload's sites, in the order of the sites.
    fn clusters(self, scenario: &Scenario) -> Vec<ClusterSpec> {
        let sites = scenario.workloads[self.workload].sites.iter();
        let spec = |cluster: &ClusterSpec| {
            let speed = if self.heterogeneous { cluster.speed } else { Speed::ONE };
            ClusterSpec { speed, ..cluster.clone() }
        };
        sites.map(|site| spec(&scenario.clusters[site.cluster])).collect()
    }
}

impl Experiment for Scenario {
    type Cell = Cell;
    type Row = Row;

    const STUDY: &'static str = "grid";
    const CELLS: &'static str = "platforms";

    fn title(&self) -> &str {
        &self.title
    }
    fn seed(&self) -> u64 {
        self.seed
    }
    fn to_toml(&self) -> String {
        Scenario::to_toml(self)
    }
    fn inputs(&self) -> Vec<(String, Digest)> {
        let mut inputs = Vec::new();
        for site in self.workloads.iter().flat_map(|workload| &workload.sites) {
            if let Jobs::Log { file, digest, .. } = &site.jobs {
                inputs.push((file.clone(), *digest));
            }
        }
        inputs.dedup();
        inputs
    }

    fn cells(&self) -> Vec<Cell> {
        let mut cells = Vec::new();
        for workload in 0..self.workloads.len() {
            for &heterogeneous in &self.heterogeneous {
                for &local in &self.local {
                    let cell = |sample| Cell { workload, sample, heterogeneous, local };
                    cells.extend((0..self.seeds).map(cell));
                }
            }
        }
        cells
    }

    fn determinants(&self, cell: &Cell) -> String {
        let workload = &self.workloads[cell.workload];
        let mut text = format!(
            "workload {} {:?}\nsample {} of seed {}\nlocal {}\nwalltimes {}\nskip {}\n",
            workload.name,
            workload.days,
            cell.sample,
            self.seed,
            printed(cell.local),
            self.walltimes,
            self.skip_too_wide
        );
        let mut line = |part: std::fmt::Arguments<'_>| {
            writeln!(text, "{part}").expect("a string takes any text");
        };
        for (site, cluster) in workload.sites.iter().zip(cell.clusters(self)) {
            line(format_args!("site {} {} {}", cluster.name, cluster.cores, cluster.speed));
            match &site.jobs {
                Jobs::Months(months) => line(format_args!("months {months:?}")),
                Jobs::Log { digest, .. } => line(format_args!("log {digest}")),
            }
        }
        line(format_args!("mapping {} copies {}", self.mapping, self.copies));
        line(format_args!("period {} threshold {}", self.period, self.threshold));
        line(format_args!("{:?} {:?}", self.algorithms, self.heuristics));
        text
    }

    fn weight(&self, cell: &Cell) -> u64 {
        let days: u32 = self.workloads[cell.workload].days.iter().sum();
        u64::from(days) * 10 + u64::from(cell.local == LocalPolicy::Fcfs)
    }

    fn compute(&self, cell: &Cell) -> Result<Vec<Row>, String> {
        let workload = &self.workloads[cell.workload];
        let jobs = input::jobs(self, workload, cell.sample);
        let at =
            format!("{} {} {} {}", workload.name, cell.platform_name(), printed(cell.local), cell.sample);
        let platform =
            Platform::new(cell.clusters(self), cell.local).map_err(|error| format!("{at}: {error}"))?;
        let run = |reallocation: Option<Reallocation>| {
            let options = Options {
                mapping: self.mapping,
                copies: self.copies,
                reallocation,
                skip_too_wide: self.skip_too_wide,
                seed: Seed::new(self.seed).numbered(cell.sample.into()),
            };
            let name = || {
                let how = reallocation.map_or("none".to_owned(), |each| {
                    format!("{}-{}", each.algorithm.name(), each.heuristic.name())
                });
                format!("{}-{how}", at.replace([' ', '/'], "-"))
            };
            let events = self.events.as_ref().map(|folder| EventsFile::create(folder, &name())).transpose();
            events
                .and_then(|events| recorded(&platform, &jobs, &options, self.audit, events))
                .map_err(|error| format!("{at}: {error}"))
        };
        let reference = run(None)?;
        let length = input::length(&workload.days);
        let row = |variant: Option<(Algorithm, Heuristic)>, outcome: &Outcome| Row {
            workload: workload.name.clone(),
            sample: cell.sample,
            platform: cell.platform_name().to_owned(),
            local: printed(cell.local).to_owned(),
            ..figures(&platform, &jobs, &reference, outcome, (length, variant))
        };
        let mut rows = vec![row(None, &reference)];
        // Jobs that wait on several clusters are not moved.
        let algorithms = if self.copies > 1 { &[][..] } else { &self.algorithms };
        for &algorithm in algorithms {
            for &heuristic in &self.heuristics {
                let (period, threshold) = (self.period, self.threshold);
                let outcome = run(Some(Reallocation { algorithm, heuristic, period, threshold }))?;
                rows.push(row(Some((algorithm, heuristic)), &outcome));
            }
        }
        Ok(rows)
    }

    fn tables(&self, rows: &[Row]) -> Vec<NamedTable> {
        tables::of(self, rows)
    }
}

/// The figures of an outcome; names are left to the caller.
fn figures(
    platform: &Platform,
    jobs: &[GridJob],
    reference: &Outcome,
    outcome: &Outcome,
    (length, variant): (SimSpan, Option<(Algorithm, Heuristic)>),
) -> Row {
    let comparison = Comparison::of(jobs, reference, outcome);
    let cores: f64 = platform.clusters().iter().map(|cluster| f64::from(cluster.cores)).sum();
    let work: f64 = jobs.iter().map(|job| f64::from(job.width) * job.run.as_secs_f64()).sum();
    let mean = |micros: u128, count: usize| (count > 0).then(|| micros as f64 / count as f64 / 1e6);
    let of_all = || {
        let responses = jobs.iter().zip(&outcome.jobs).filter_map(|(job, outcome)| {
            outcome.as_ref().map(|outcome| u128::from(outcome.end.since(job.submit).micros()))
        });
        mean(responses.sum(), comparison.jobs)
    };
    let ran = || outcome.jobs.iter().flatten();
    let (response_s, reference_response_s) = match variant {
        None => (of_all(), None),
        Some(_) => (
            mean(comparison.response, comparison.changed),
            mean(comparison.reference_response, comparison.changed),
        ),
    };
    Row {
        workload: String::new(),
        sample: 0,
        platform: String::new(),
        local: String::new(),
        cancellation: variant.map(|(algorithm, _)| algorithm.name().to_owned()),
        heuristic: variant.map(|(_, heuristic)| heuristic.name().to_owned()),
        jobs: comparison.jobs,
        skipped: outcome.skipped,
        load: work / (cores * length.as_secs_f64()),
        changed: comparison.changed,
        earlier: comparison.earlier,
        response_s,
        reference_response_s,
        moves: outcome.moves,
        cancellations: outcome.cancellations,
        submissions: outcome.submissions,
        largest_delay_s: comparison.largest_delay,
        largest_lateness_s: ran()
            .map(|job| job.end.saturating_since(job.promised))
            .max()
            .unwrap_or(SimSpan::ZERO),
        most_moves: ran().map(|job| job.moves).max().unwrap_or(0),
        most_cancellations: ran().map(|job| job.cancellations).max().unwrap_or(0),
        most_waiting: outcome.most_waiting,
    }
}

/// The name in rows: conservative backfilling as the text calls it.
const fn printed(local: LocalPolicy) -> &'static str {
    match local {
        LocalPolicy::Conservative => "CBF",
        LocalPolicy::ConservativeReplan => "CBF-REPLAN",
        LocalPolicy::Fcfs | LocalPolicy::Easy => local.name(),
    }
}
