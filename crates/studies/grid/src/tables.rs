//! Tables 1 to 17 beside the published ones, and those of what the text says without tables.

use crate::jobs::SiteJobs;
use crate::metrics::{Group, Metric, Metrics};
use crate::rows::Simulation;
use crate::scenario::{GridFields, Source};
use crate::{PLATFORMS, published};
use dfrsim_lab::{Cell, Long, NamedTable, Table, TableLine, beside};
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
            let begin = || {
                TableLine::new()
                    .with("local", group.local.as_str())
                    .with("heuristic", group.heuristic.as_str())
            };
            let mut line = |workload: &str, cells: [Cell; 3]| {
                let names = ["ours", "published", "ratio"].into_iter();
                lines.push(begin().with("workload", workload).with_all(names.zip(cells)));
            };
            let mut short = begin();
            for workload in &metrics.workloads {
                let ours = metrics.value(metric, group, workload);
                line(workload, beside(ours, published::value(metric, group, workload)));
                short = short.with(workload.clone(), ours);
            }
            let (mean, theirs) = (metrics.average(metric, group), metrics.published_average(metric, group));
            line("mean", beside(mean, theirs));
            summary.push(short.with_beside("mean", mean, theirs));
        }
        let name = format!("table_{:02}", self.number);
        let table = NamedTable::printed(name, self.title(), lines.into_iter().collect());
        table.with_summary(summary.into_iter().collect())
    }
}

/// Tables 2 to 17.
pub(crate) fn numbered(metrics: &Metrics) -> Vec<NamedTable> {
    Numbered::all().map(|table| table.table(metrics)).collect()
}

/// The source of generated jobs.
const MODEL: &str = "Lublin-Feitelson model";

/// Table 1: jobs of each site.
pub(crate) fn jobs(grid: &GridFields, sites: &[Vec<SiteJobs>]) -> NamedTable {
    let (mut lines, mut is_generated) = (Vec::new(), false);
    for (workload, of_workload) in grid.workloads.iter().zip(sites) {
        for (site, jobs) in workload.sites.iter().zip(of_workload) {
            let jobs = match jobs {
                SiteJobs::Months(months) => months.iter().map(|month| month.jobs).sum(),
                SiteJobs::Log(jobs) => jobs.len(),
            };
            let published = published::jobs(&workload.name, &site.cluster);
            let ratio = published.map(|published| jobs as f64 / published as f64);
            let source = match &site.source {
                Source::Months(_) => MODEL,
                Source::Log(file) => &file.given,
            };
            let line = TableLine::new()
                .with("workload", workload.name.as_str())
                .with("site", site.cluster.as_str())
                .with("jobs", jobs)
                .with("published", published)
                .with("ratio", ratio)
                .with("months", workload.days.len());
            is_generated |= published.is_some() && source == MODEL;
            lines.push(line.with("source", source));
        }
    }
    let title = "Table 1: the jobs, and where they come from";
    let note = "The logs of Grid'5000 are not available: generated months take their place.".to_owned();
    let table: Table = lines.into_iter().collect();
    let table = table.with_notes(is_generated.then_some(note).into_iter().collect());
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
                let line = TableLine::new()
                    .with("metric", metric.name())
                    .with("algorithm", algorithm.as_str())
                    .with("platform", platform.as_str())
                    .with("local", local.as_str())
                    .with("heuristic", heuristic.as_str())
                    .with("workload", workload.as_str())
                    .with("ours", ours)
                    .with("half_width_95", half_width)
                    .with("published", published)
                    .with("ratio", ratio);
                lines.push(line);
            }
        }
    }
    NamedTable::new("metrics", "All metrics, with confidence intervals", lines.into_iter().collect())
}

fn simulation(row: &Simulation) -> TableLine {
    TableLine::new()
        .with("workload", row.workload.as_str())
        .with("replication", row.replication)
        .with("platform", row.platform.as_str())
        .with("local", row.local.as_str())
}

fn hours(span: SimSpan) -> f64 {
    span.as_secs_f64() / 3_600.0
}

/// What single jobs suffered.
pub(crate) fn starvation(rows: &Long<Simulation>) -> NamedTable {
    let line = |row: &Simulation| {
        let line = simulation(row)
            .with("algorithm", row.algorithm.as_str())
            .with("heuristic", row.heuristic.as_deref()?)
            .with("max_moves", row.max_moves)
            .with("max_cancellations", row.max_cancellations)
            .with("max_delay_h", hours(row.max_delay_s))
            .with("max_lateness_h", hours(row.max_lateness_s))
            .with("max_waiting", row.max_waiting);
        Some(line)
    };
    NamedTable::new("starvation", "What single jobs suffered", rows.ok().filter_map(line).collect())
}

/// The reference runs.
pub(crate) fn reference(rows: &Long<Simulation>) -> NamedTable {
    let lines = rows.ok().filter(|row| row.heuristic.is_none()).map(|row| {
        simulation(row)
            .with("jobs", row.jobs)
            .with("skipped", row.skipped)
            .with("load", row.load)
            .with("mean_turnaround_s", row.mean_turnaround_s)
    });
    NamedTable::new("reference", "Without reallocation", lines.collect())
}
