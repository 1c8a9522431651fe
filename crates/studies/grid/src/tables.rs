//! Tables 1 to 17 beside the published ones, and those of what the text says without tables.

use crate::jobs::SiteJobs;
use crate::metrics::{Group, Metric, Metrics};
use crate::rows::Simulation;
use crate::scenario::{GridFields, Source};
use crate::{PLATFORMS, published};
use dfrsim_lab::{Cell, Long, NamedTable, Table, beside};
use dfrsim_model::SimSpan;

/// A published table.
pub(crate) struct Numbered {
    /// Its number, from 2.
    pub(crate) number: usize,
    pub(crate) algorithm: &'static str,
    pub(crate) platform: &'static str,
    pub(crate) metric: Metric,
}

impl Numbered {
    /// Tables 2 to 17.
    pub(crate) fn all() -> impl Iterator<Item = Numbered> {
        let kinds = ["without", "with"].into_iter().flat_map(|algorithm| {
            let platforms = move |metric| PLATFORMS.map(|platform| (algorithm, metric, platform));
            Metric::ALL.into_iter().flat_map(platforms)
        });
        (2..).zip(kinds).map(|(number, (algorithm, metric, platform))| Numbered {
            number,
            algorithm,
            platform,
            metric,
        })
    }
    /// Its title.
    pub(crate) fn title(&self) -> String {
        let Numbered { number, algorithm, platform, metric } = self;
        format!("Table {number}: {}, {algorithm} cancellation, {platform}", metric.title())
    }
    /// The groups that are its lines.
    pub(crate) fn groups<'m>(&self, metrics: &'m Metrics) -> impl Iterator<Item = &'m Group> {
        let (algorithm, platform) = (self.algorithm, self.platform);
        metrics.groups.iter().filter(move |of| of.algorithm == algorithm && of.platform == platform)
    }
    /// Each value beside the published one; the Markdown has our values as in the text, and the means beside the published
    /// ones.
    fn table(&self, metrics: &Metrics) -> NamedTable {
        let metric = self.metric;
        let (mut lines, mut summary) = (Vec::new(), Vec::new());
        for group in self.groups(metrics) {
            let begin = [text(&group.local), text(&group.heuristic)];
            let mut line = |workload: &str, cells: [Cell; 3]| {
                lines.push(begin.iter().cloned().chain([text(workload)]).chain(cells).collect());
            };
            let mut short = begin.to_vec();
            for workload in &metrics.workloads {
                let ours = metrics.value(metric, group, workload);
                line(workload, beside(ours, published::value(metric, group, workload)));
                short.push(Cell::optional(ours));
            }
            let means = beside(metrics.average(metric, group), metrics.published_average(metric, group));
            line("mean", means.clone());
            summary.push(short.into_iter().chain(means).collect());
        }
        let header = ["local", "heuristic", "workload", "ours", "published", "ratio"];
        let mut short = vec!["local", "heuristic"];
        short.extend(metrics.workloads.iter().map(String::as_str));
        short.extend(["mean", "mean_published", "mean_ratio"]);
        let short = Table::new(short.into_iter().map(str::to_owned), summary);
        let name = format!("table_{:02}", self.number);
        NamedTable::printed(name, self.title(), Table::new(header, lines)).with_summary(short)
    }
}

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

/// Tables 2 to 17.
pub(crate) fn numbered(metrics: &Metrics) -> Vec<NamedTable> {
    Numbered::all().map(|table| table.table(metrics)).collect()
}

/// The source of generated jobs.
const MODEL: &str = "Lublin-Feitelson model";

/// Table 1: jobs of each site.
pub(crate) fn jobs(grid: &GridFields, sites: &[Vec<SiteJobs>]) -> NamedTable {
    let mut lines = Vec::new();
    for (workload, of_workload) in grid.workloads.iter().zip(sites) {
        for (site, jobs) in workload.sites.iter().zip(of_workload) {
            let jobs = match jobs {
                SiteJobs::Months(months) => months.iter().map(|month| month.jobs).sum(),
                SiteJobs::Log(jobs) => jobs.len(),
            };
            let published = published::jobs(&workload.name, &site.cluster);
            let ratio = published.map(|published| jobs as f64 / published as f64);
            lines.push(vec![
                text(&workload.name),
                text(&site.cluster),
                Cell::Count(jobs),
                published.map_or(Cell::Missing, Cell::Count),
                Cell::optional(ratio),
                Cell::Count(workload.days.len()),
                match &site.source {
                    Source::Months(_) => text(MODEL),
                    Source::Log(file) => text(&file.given),
                },
            ]);
        }
    }
    let header = ["workload", "site", "jobs", "published", "ratio", "months", "source"];
    let title = "Table 1: the jobs, and where they come from";
    let is_generated = lines.iter().any(|line| line[3] != Cell::Missing && line[6] == text(MODEL));
    let note = "The logs of Grid'5000 are not available: generated months take their place.".to_owned();
    let table = Table::new(header, lines).with_notes(is_generated.then_some(note).into_iter().collect());
    NamedTable::printed("table_01", title, table)
}

/// Every value of every workload, with the confidence interval over the replications.
pub(crate) fn metrics(metrics: &Metrics) -> NamedTable {
    let mut lines = Vec::new();
    for metric in Metric::ALL {
        for group in &metrics.groups {
            for workload in &metrics.workloads {
                let Some((mean, half_width)) = metrics.estimate(metric, group, workload) else { continue };
                let Group { algorithm, platform, local, heuristic } = group;
                let [ours, published, ratio] = beside(Some(mean), published::value(metric, group, workload));
                let names = [metric.name(), algorithm, platform, local, heuristic, workload];
                let values = [ours, Cell::optional(half_width), published, ratio];
                lines.push(names.into_iter().map(text).chain(values).collect());
            }
        }
    }
    let header = [
        "metric",
        "algorithm",
        "platform",
        "local",
        "heuristic",
        "workload",
        "ours",
        "half_width_95",
        "published",
        "ratio",
    ];
    NamedTable::new("metrics", "All metrics, with confidence intervals", Table::new(header, lines))
}

fn simulation(row: &Simulation) -> Vec<Cell> {
    let replication = Cell::Count(row.replication as usize);
    vec![text(&row.workload), replication, text(&row.platform), text(&row.local)]
}

fn hours(span: SimSpan) -> Cell {
    Cell::Number(span.as_secs_f64() / 3_600.0)
}

/// What single jobs suffered.
pub(crate) fn starvation(rows: &Long<Simulation>) -> NamedTable {
    let line = |row: &Simulation| {
        let heuristic = row.heuristic.as_ref()?;
        let mut line = simulation(row);
        line.extend([
            text(&row.algorithm),
            text(heuristic),
            Cell::Count(row.max_moves as usize),
            Cell::Count(row.max_cancellations as usize),
            hours(row.max_delay_s),
            hours(row.max_lateness_s),
            Cell::Count(row.max_waiting),
        ]);
        Some(line)
    };
    let header = [
        "workload",
        "replication",
        "platform",
        "local",
        "algorithm",
        "heuristic",
        "max_moves",
        "max_cancellations",
        "max_delay_h",
        "max_lateness_h",
        "max_waiting",
    ];
    let table = Table::new(header, rows.ok().filter_map(line).collect());
    NamedTable::new("starvation", "What single jobs suffered", table)
}

/// The reference runs.
pub(crate) fn reference(rows: &Long<Simulation>) -> NamedTable {
    let lines = rows.ok().filter(|row| row.heuristic.is_none()).map(|row| {
        let mut line = simulation(row);
        line.extend([
            Cell::Count(row.jobs),
            Cell::Count(row.skipped),
            Cell::Number(row.load),
            Cell::optional(row.mean_turnaround_s),
        ]);
        line
    });
    let header =
        ["workload", "replication", "platform", "local", "jobs", "skipped", "load", "mean_turnaround_s"];
    NamedTable::new("reference", "Without reallocation", Table::new(header, lines.collect()))
}
