//! The numbers that the text states, beside ours.

use super::row::Row;
use super::tables::{mean, of, reduction_percent};
use crate::Table;
use crate::table_file;
use crate::tables::Cell;
use dfrsim_model::SimSpan;

/// What is known of a stated number, by its name in `reference/context_switch/findings.csv`.
fn figure(rows: &[Row], finding: &str) -> Option<f64> {
    let minutes = |policy: &str| {
        let runs = of(rows, "run").filter(move |row| row.policy == policy);
        mean(runs.filter_map(|row| Some(row.duration_s?.as_secs_f64() / 60.0)))
    };
    let runs = of(rows, "run").filter(|row| row.policy == "optimised").count() as f64;
    let switches = || of(rows, "switch").filter(|row| row.policy == "optimised");
    let seconds = |row: &Row| row.duration_s.map(SimSpan::as_secs_f64);
    let free = || switches().filter(|row| row.cost == Some(0));
    let resumed = |row: &Row| Some(row.local_resumes? + row.remote_resumes?);
    let a_run = |sum: f64| (runs > 0.0).then(|| sum / runs);
    match finding {
        "cost_reduction_percent" => mean(of(rows, "sample").filter_map(reduction_percent)),
        "fcfs_minutes" => minutes("booking"),
        "optimised_minutes" => minutes("optimised"),
        "reduction_percent" => Some(100.0 - 100.0 * minutes("optimised")? / minutes("booking")?),
        "switches" => a_run(switches().count() as f64),
        "mean_switch_s" => mean(switches().filter_map(seconds)),
        "free_switches" => a_run(free().count() as f64),
        "longest_free_switch_s" => free().filter_map(seconds).reduce(f64::max),
        "local_resumes" => a_run(switches().filter_map(|row| row.local_resumes).sum::<u64>() as f64),
        "resumes" => a_run(switches().filter_map(resumed).sum::<u64>() as f64),
        "peak_demand" => {
            let loads = of(rows, "load").filter(|row| row.policy == "optimised" && row.number == 0);
            loads.filter_map(|row| row.demanded).max().map(|units| units as f64)
        }
        _ => None,
    }
}

fn statement(finding: &str) -> Option<&'static str> {
    Some(match finding {
        "cost_reduction_percent" => "plans are so many percent cheaper, on average",
        "fcfs_minutes" => "all vjobs under FCFS, in minutes",
        "optimised_minutes" => "all vjobs under the sample decision module, in minutes",
        "reduction_percent" => "so many percent less",
        "switches" => "context switches",
        "mean_switch_s" => "mean duration of a switch, in seconds",
        "free_switches" => "switches that cost nothing",
        "longest_free_switch_s" => "longest of these, in seconds",
        "local_resumes" => "resumes on the node of the image",
        "resumes" => "resumes in all",
        "peak_demand" => "most units of CPU that VMs ask for (of 22)",
        _ => return None,
    })
}

/// Means over the repetitions, but for the largest of something.
pub(super) fn table(rows: &[Row]) -> Table {
    let published = table_file::records(include_str!("../../reference/context_switch/findings.csv")).skip(1);
    let lines = published.filter_map(|record| {
        let (finding, value) = (record.get(0)?, record.get(1)?.parse().ok()?);
        let (statement, ours) = (statement(finding)?, figure(rows, finding)?);
        Some(vec![Cell::Text(statement.to_owned()), Cell::Number(value), Cell::Number(ours)])
    });
    Table::new(vec!["statement", "published", "here"], lines.collect())
}
