//! Tables 1 to 17, compared with the published ones, and tables for results that the text gives
//! without a table.

use crate::PLATFORMS;
use crate::metrics::{Group, Metric, Metrics};
use crate::published::Published;
use crate::rows::Simulation;
use crate::windows::Window;
use dfrsim_lab::{
    Cell, Long, NamedTable, Table, TableLine, average, by_sorted_key, comparison_cells, line_of,
    rank_correlation,
};
use dfrsim_model::SimSpan;

/// Table of the report with which ours is compared.
pub(crate) struct PublishedTable {
    /// Number of the table, from 2.
    pub(crate) number: usize,
    pub(crate) algorithm: &'static str,
    pub(crate) platform: &'static str,
    pub(crate) metric: Metric,
}

impl PublishedTable {
    /// Iterates over tables 2 to 17.
    pub(crate) fn all() -> impl Iterator<Item = PublishedTable> {
        let kinds = ["without", "with"].into_iter().flat_map(|algorithm| {
            let platforms = move |metric| PLATFORMS.map(|platform| (algorithm, metric, platform));
            Metric::ALL.into_iter().flat_map(platforms)
        });
        (2..).zip(kinds).map(|(number, (algorithm, metric, platform))| PublishedTable {
            number,
            algorithm,
            platform,
            metric,
        })
    }
    /// Returns the title.
    pub(crate) fn title(&self) -> String {
        let PublishedTable { number, algorithm, platform, metric } = self;
        format!("Table {number}: {}, {algorithm} cancellation, {platform}", metric.title())
    }
    /// Iterates over the groups that are the table's lines.
    pub(crate) fn groups<'m>(&self, metrics: &'m Metrics) -> impl Iterator<Item = &'m Group> {
        let (algorithm, platform) = (self.algorithm, self.platform);
        metrics.groups.iter().filter(move |of| of.algorithm == algorithm && of.platform == platform)
    }
    /// Builds the table, with each of our values and the published one. The Markdown has the layout
    /// of the text, and our mean with the published one.
    fn table(&self, metrics: &Metrics) -> NamedTable {
        let metric = self.metric;
        let (mut lines, mut summary) = (Vec::new(), Vec::new());
        for group in self.groups(metrics) {
            let begin = || line_of!(group: local, heuristic);
            let mut line = |workload: &str, cells: [Cell; 3]| {
                let names = ["ours", "published", "ratio"].into_iter();
                lines.push(begin().with("workload", workload).with_all(names.zip(cells)));
            };
            let mut short = begin();
            for workload in &metrics.workloads {
                let ours = metrics.value(metric, group, workload);
                line(workload, comparison_cells(ours, metrics.published(metric, group, workload)));
                short = short.with(workload.clone(), ours);
            }
            let (mean, theirs) = (metrics.average(metric, group), metrics.published_average(metric, group));
            line("mean", comparison_cells(mean, theirs));
            summary.push(short.with_published("mean", mean, theirs));
        }
        let name = format!("table_{:02}", self.number);
        let table = NamedTable::printed(name, self.title(), lines.into_iter().collect());
        table.with_summary(summary.into_iter().collect())
    }
}

/// Builds tables 2 to 17.
pub(crate) fn published_tables(metrics: &Metrics) -> Vec<NamedTable> {
    PublishedTable::all().map(|table| table.table(metrics)).collect()
}

/// Builds table 1: the jobs of each site, averaged over the replications.
pub(crate) fn jobs(windows: &[Window], published: Option<Published>) -> NamedTable {
    let mut lines = Vec::new();
    for first in windows.iter().filter(|window| window.replication == 0) {
        let is_same = |it: &&Window| (&it.workload, &it.site) == (&first.workload, &first.site);
        let mean = |value: fn(&Window) -> f64| average(windows.iter().filter(is_same).map(value));
        let jobs = mean(|window| window.jobs as f64);
        let theirs = published.and_then(|report| report.jobs(&first.workload, &first.site));
        let line = line_of!(first: workload, site)
            .with("jobs", jobs)
            .with("published", theirs)
            .with("ratio", jobs.zip(theirs).map(|(jobs, theirs)| jobs / theirs as f64))
            .with("load", mean(|window| window.load))
            .with("drawn_walltimes", mean(|window| window.drawn_walltimes as f64))
            .with("killed", mean(|window| window.killed as f64))
            .with("too_wide", mean(|window| window.too_wide as f64))
            .with("source", first.source.as_str());
        lines.push(line);
    }
    let note =
        published.map(|_| "The logs of Grid'5000 are not available: others take their place.".to_owned());
    let table = lines.into_iter().collect::<Table>().with_notes(note.into_iter().collect());
    NamedTable::printed("table_01", "Table 1: the jobs, and where they come from", table)
}

/// Builds the table of the windows of the sites in each replication.
pub(crate) fn windows(windows: &[Window]) -> NamedTable {
    let line = |window: &Window| {
        line_of!(
            window: workload, site, replication, source, first_day, jobs, load, drawn_walltimes, killed,
            too_wide
        )
    };
    NamedTable::new("windows", "The windows of the sites", windows.iter().map(line).collect())
}

/// Builds the summary of agreement with each published table, for each local policy, over the cells
/// that both have.
pub(crate) fn summary(metrics: &Metrics) -> NamedTable {
    let mut lines = Vec::new();
    for table in PublishedTable::all() {
        for (local, groups) in by_sorted_key(table.groups(metrics), |group| group.local.as_str()) {
            let cells: Vec<(f64, f64)> =
                groups.into_iter().flat_map(|group| metrics.pairs(table.metric, group)).collect();
            if cells.is_empty() {
                continue;
            }
            let is_near = |(ours, theirs): &&(f64, f64)| *ours <= 1.5 * theirs && *theirs <= 1.5 * ours;
            let line = TableLine::new()
                .with("table", table.number)
                .with("metric", table.metric.name())
                .with("algorithm", table.algorithm)
                .with("platform", table.platform)
                .with("local", local)
                .with("ours", average(cells.iter().map(|cell| cell.0)))
                .with("published", average(cells.iter().map(|cell| cell.1)))
                .with("cells", cells.len())
                .with("within_1.5_times", cells.iter().filter(is_near).count())
                .with("rank_correlation", rank_correlation(&cells));
            lines.push(line);
        }
    }
    NamedTable::printed("summary", "Tables 2 to 17 in a line each", lines.into_iter().collect())
}

/// Builds the table of every value of every workload, with the confidence interval over the
/// replications.
pub(crate) fn metrics(metrics: &Metrics) -> NamedTable {
    let mut lines = Vec::new();
    for metric in Metric::ALL {
        for group in &metrics.groups {
            for workload in &metrics.workloads {
                let Some((mean, half_width)) = metrics.estimate(metric, group, workload) else { continue };
                let [ours, published, ratio] =
                    comparison_cells(Some(mean), metrics.published(metric, group, workload));
                let line = TableLine::new().with("metric", metric.name());
                let line = line_of!(line, group: algorithm, platform, local, heuristic)
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

/// Builds the table of the gains of reallocation: for each platform and policy, the algorithm and
/// the heuristic with the least mean turnaround, compared with the runs without reallocation.
pub(crate) fn gains(rows: &Long<Simulation>, is_printed: bool) -> NamedTable {
    let of_place = by_sorted_key(rows.ok(), |row| [row.workload.as_str(), &row.platform, &row.local]);
    let mean = |rows: &[&Simulation], value: fn(&Simulation) -> Option<f64>| {
        average(rows.iter().filter_map(|row| value(row)))
    };
    let turnaround = |rows: &[&Simulation]| mean(rows, |row| row.mean_turnaround_s);
    let wait = |rows: &[&Simulation]| mean(rows, |row| row.mean_wait_s).map(|wait| wait / 3_600.0);
    let mut lines = Vec::new();
    for ([workload, platform, local], rows) in of_place {
        let variants = by_sorted_key(rows, |row| (row.algorithm.as_str(), row.heuristic.as_deref()));
        let (moving, without): (Vec<_>, Vec<_>) =
            variants.iter().partition(|((_, heuristic), _)| heuristic.is_some());
        let moving =
            moving.into_iter().filter_map(|(variant, rows)| Some((turnaround(rows)?, variant, rows)));
        let best = moving.min_by(|a, b| a.0.total_cmp(&b.0));
        let (Some((after, (algorithm, heuristic), rows)), Some((_, without))) = (best, without.first())
        else {
            continue;
        };
        let jobs = mean(rows, |row| Some(row.jobs as f64));
        let before = turnaround(without);
        let loss = |row: &Simulation| row.losing_site_delay_s.unwrap_or(0.0);
        let losing = rows.iter().max_by(|a, b| loss(a).total_cmp(&loss(b)));
        let line = TableLine::new()
            .with("workload", workload)
            .with("platform", platform)
            .with("local", local)
            .with("algorithm", *algorithm)
            .with("heuristic", *heuristic)
            .with("saved_h", before.zip(jobs).map(|(before, jobs)| (before - after) * jobs / 3_600.0))
            .with("wait_before_h", wait(without))
            .with("wait_after_h", wait(rows))
            .with("moves", mean(rows, |row| Some(row.moves as f64)))
            .with("losing_site", losing.and_then(|row| row.losing_site.as_deref()))
            .with(
                "losing_site_delay_h",
                losing.and_then(|row| row.losing_site_delay_s).map(|it| it / 3_600.0),
            );
        lines.push(line);
    }
    let (title, lines) = ("What moving waiting jobs brings, at best", lines.into_iter().collect());
    NamedTable { is_printed, ..NamedTable::new("gains", title, lines) }
}

fn hours(span: SimSpan) -> f64 {
    span.as_secs_f64() / 3_600.0
}

/// Builds the table of the worst effects on single jobs.
pub(crate) fn starvation(rows: &Long<Simulation>) -> NamedTable {
    let lines = rows.ok().filter(|row| row.heuristic.is_some()).map(|row| {
        line_of!(row: workload, replication, platform, local, algorithm, heuristic)
            .with("max_moves", row.max_moves)
            .with("max_cancellations", row.max_cancellations)
            .with("max_delay_h", hours(row.max_delay_s))
            .with("max_lateness_h", hours(row.max_lateness_s))
            .with("max_waiting", row.max_waiting)
    });
    NamedTable::new("starvation", "What single jobs suffered", lines.collect())
}

/// Builds the table of the reference runs. It is the answer if jobs are submitted to several
/// clusters, which leaves nothing to reallocate.
pub(crate) fn reference(rows: &Long<Simulation>, copies: usize) -> NamedTable {
    let lines = rows.ok().filter(|row| row.heuristic.is_none()).map(
        |row| line_of!(row: workload, replication, platform, local, jobs, skipped, load, mean_turnaround_s),
    );
    let title = match copies {
        0 | 1 => "Without reallocation".to_owned(),
        _ => format!("Each job submitted to {copies} clusters, and run where it starts first"),
    };
    NamedTable { is_printed: copies > 1, ..NamedTable::new("reference", title, lines.collect()) }
}
