//! Tables 1 to 17 beside the published ones.

use super::figures::{Figures, Group, Metric};
use super::row::Row;
use super::scenario::{Jobs, Scenario};
use super::{findings, published};
use crate::Table;
use crate::experiment::NamedTable;
use crate::tables::Cell;

/// The published tables: number, file, title, cancellation, platform, metric.
const PUBLISHED: [(&str, &str, &str, &str, Metric); 16] = {
    const HOMOGENEOUS: &str = "homogeneous";
    const HETEROGENEOUS: &str = "heterogeneous";
    [
        (
            "table_02",
            "Table 2: changed jobs (%), without cancellation",
            "without",
            HOMOGENEOUS,
            Metric::Changed,
        ),
        (
            "table_03",
            "Table 3: changed jobs (%), without cancellation",
            "without",
            HETEROGENEOUS,
            Metric::Changed,
        ),
        ("table_04", "Table 4: reallocations, without cancellation", "without", HOMOGENEOUS, Metric::Moves),
        ("table_05", "Table 5: reallocations, without cancellation", "without", HETEROGENEOUS, Metric::Moves),
        (
            "table_06",
            "Table 6: earlier jobs (%), without cancellation",
            "without",
            HOMOGENEOUS,
            Metric::Earlier,
        ),
        (
            "table_07",
            "Table 7: earlier jobs (%), without cancellation",
            "without",
            HETEROGENEOUS,
            Metric::Earlier,
        ),
        (
            "table_08",
            "Table 8: relative response, without cancellation",
            "without",
            HOMOGENEOUS,
            Metric::Response,
        ),
        (
            "table_09",
            "Table 9: relative response, without cancellation",
            "without",
            HETEROGENEOUS,
            Metric::Response,
        ),
        ("table_10", "Table 10: changed jobs (%), with cancellation", "with", HOMOGENEOUS, Metric::Changed),
        ("table_11", "Table 11: changed jobs (%), with cancellation", "with", HETEROGENEOUS, Metric::Changed),
        ("table_12", "Table 12: reallocations, with cancellation", "with", HOMOGENEOUS, Metric::Moves),
        ("table_13", "Table 13: reallocations, with cancellation", "with", HETEROGENEOUS, Metric::Moves),
        ("table_14", "Table 14: earlier jobs (%), with cancellation", "with", HOMOGENEOUS, Metric::Earlier),
        ("table_15", "Table 15: earlier jobs (%), with cancellation", "with", HETEROGENEOUS, Metric::Earlier),
        ("table_16", "Table 16: relative response, with cancellation", "with", HOMOGENEOUS, Metric::Response),
        (
            "table_17",
            "Table 17: relative response, with cancellation",
            "with",
            HETEROGENEOUS,
            Metric::Response,
        ),
    ]
};

/// The published workloads, the columns of the published tables.
const WORKLOADS: [&str; 7] = ["jan", "feb", "mar", "apr", "may", "jun", "pwa-g5k"];

pub(super) fn of(scenario: &Scenario, rows: &[Row]) -> Vec<NamedTable> {
    let figures = Figures::of(rows);
    let mut tables =
        vec![NamedTable::short("table_01", "Table 1: the jobs, and where they come from", jobs(scenario))];
    for (name, title, cancellation, platform, metric) in PUBLISHED {
        let table = beside_published(&figures, cancellation, platform, metric);
        tables.push(NamedTable::short(name, title, table));
    }
    tables.push(NamedTable::short(
        "findings",
        "What the text says, and what is found here",
        findings::table(&figures),
    ));
    tables.push(NamedTable::long("figures", "All figures, with confidence intervals", all(&figures)));
    tables.push(NamedTable::long("starvation", "What single jobs suffered", starvation(rows)));
    tables.push(NamedTable::long("reference", "Without reallocation", reference(rows)));
    tables
}

/// Jobs of each site and month, with the offered load of generated months.
fn jobs(scenario: &Scenario) -> Table {
    let mut lines = Vec::new();
    for workload in &scenario.workloads {
        for site in &workload.sites {
            let (source, jobs, months) = match &site.jobs {
                Jobs::Months(months) => {
                    let counts: Vec<usize> = months.iter().map(|month| month.jobs).collect();
                    ("Lublin-Feitelson model".to_owned(), counts.iter().sum(), counts.len())
                }
                Jobs::Log { file, jobs, .. } => (file.clone(), jobs.len(), workload.days.len()),
            };
            lines.push(vec![
                Cell::Text(workload.name.clone()),
                Cell::Text(scenario.clusters[site.cluster].name.clone()),
                Cell::Count(jobs),
                Cell::Count(months),
                Cell::Text(source),
            ]);
        }
    }
    Table::new(vec!["workload", "site", "jobs", "months", "source"], lines)
}

/// A published table: in each cell ours, then the published value in brackets.
fn beside_published(figures: &Figures, cancellation: &str, platform: &str, metric: Metric) -> Table {
    let of_table = |group: &&Group| group.cancellation == cancellation && group.platform == platform;
    let lines = figures.groups.iter().filter(of_table).map(|group| {
        let mut line = vec![Cell::Text(group.local.clone()), Cell::Text(group.heuristic.clone())];
        for workload in WORKLOADS {
            let own = figures.figure(metric, group, workload).map(|figure| figure.mean);
            line.push(pair(metric, own, published::value(metric, group, workload)));
        }
        let average = figures.average(metric, group);
        line.push(pair(metric, average, figures.published_average(metric, group)));
        line
    });
    let mut header = vec!["local", "heuristic"];
    header.extend(WORKLOADS);
    header.push("mean");
    let input = "In brackets: the published value. The published logs are not at hand; table 1 says what was run instead.";
    Table::new(header, lines.collect()).with_notes(vec![format!("{platform}. {input}")])
}

fn pair(metric: Metric, own: Option<f64>, published: Option<f64>) -> Cell {
    let decimals = if metric == Metric::Moves { 0 } else { 2 };
    let text = |value: f64| format!("{value:.decimals$}");
    match (own.map(text), published.map(text)) {
        (None, _) => Cell::Nothing,
        (Some(own), None) => Cell::Formatted(own),
        (Some(own), Some(published)) => Cell::Formatted(format!("{own} ({published})")),
    }
}

/// Every figure of every workload on a line of its own.
fn all(figures: &Figures) -> Table {
    let mut lines = Vec::new();
    for metric in Metric::ALL {
        for group in &figures.groups {
            for workload in &figures.workloads {
                let Some(figure) = figures.figure(metric, group, workload) else { continue };
                lines.push(vec![
                    Cell::Text(metric.name().to_owned()),
                    Cell::Text(group.cancellation.clone()),
                    Cell::Text(group.platform.clone()),
                    Cell::Text(group.local.clone()),
                    Cell::Text(group.heuristic.clone()),
                    Cell::Text(workload.clone()),
                    Cell::Number(figure.mean),
                    Cell::maybe(figure.half_width),
                    Cell::maybe(published::value(metric, group, workload)),
                ]);
            }
        }
    }
    let header = vec![
        "metric",
        "cancellation",
        "platform",
        "local",
        "heuristic",
        "workload",
        "mean",
        "half_width_95",
        "published",
    ];
    Table::new(header, lines)
}

/// What single jobs suffered.
fn starvation(rows: &[Row]) -> Table {
    let moved = rows.iter().filter(|row| row.heuristic.is_some());
    let lines = moved.map(|row| {
        vec![
            Cell::Text(row.workload.clone()),
            Cell::Count(row.sample as usize),
            Cell::Text(row.platform.clone()),
            Cell::Text(row.local.clone()),
            Cell::Text(row.cancellation.clone().unwrap_or_default()),
            Cell::Text(row.heuristic.clone().unwrap_or_default()),
            Cell::Count(row.most_moves as usize),
            Cell::Count(row.most_cancellations as usize),
            Cell::Number(row.largest_delay_s.as_secs_f64() / 3_600.0),
            Cell::Number(row.largest_lateness_s.as_secs_f64() / 3_600.0),
            Cell::Count(row.most_waiting),
        ]
    });
    let header = vec![
        "workload",
        "sample",
        "platform",
        "local",
        "cancellation",
        "heuristic",
        "most_moves",
        "most_cancellations",
        "largest_delay_h",
        "largest_lateness_h",
        "most_waiting",
    ];
    Table::new(header, lines.collect())
}

/// The simulations without reallocation.
fn reference(rows: &[Row]) -> Table {
    let lines = rows.iter().filter(|row| row.heuristic.is_none()).map(|row| {
        vec![
            Cell::Text(row.workload.clone()),
            Cell::Count(row.sample as usize),
            Cell::Text(row.platform.clone()),
            Cell::Text(row.local.clone()),
            Cell::Count(row.jobs),
            Cell::Count(row.skipped),
            Cell::Number(row.load),
            Cell::maybe(row.response_s),
        ]
    });
    let header =
        vec!["workload", "sample", "platform", "local", "jobs", "skipped", "load", "mean_response_s"];
    Table::new(header, lines.collect())
}
