//! Scenarios of the off-line study.

use super::cells::Cells;
use super::experiment::tables;
use super::failure;
use crate::failure::Failure;
use crate::output;
use dfrsim_lab::RunOptions;
use dfrsim_lab::offline::{self, RunReport, Scenario};
use std::path::Path;
use std::sync::atomic::AtomicBool;

pub(super) fn run(
    scenario: &Scenario,
    options: &RunOptions,
    interrupt: &AtomicBool,
    quiet: bool,
) -> Result<(), Failure> {
    let progress = Cells::new(quiet);
    let report = offline::run(scenario, options, interrupt, &progress);
    progress.clear();
    print(scenario, &options.out, &report.map_err(failure)?, quiet)
}

fn print(scenario: &Scenario, out: &Path, report: &RunReport, quiet: bool) -> Result<(), Failure> {
    output::print(&tables(&scenario.title, report.tables.iter()))?;
    if !quiet {
        for notice in &report.notices {
            eprintln!("notice: {notice}");
        }
        let counts = report.counts;
        eprintln!(
            "{} results of {} instances ({} computed, {} from earlier runs, {} packings refused by the checker) in {}",
            counts.total,
            counts.instances,
            counts.computed,
            counts.total - counts.computed,
            counts.invalid,
            out.display()
        );
    }
    match (report.counts.invalid, report.faults.first()) {
        (0, _) => Ok(()),
        (invalid, first) => {
            let first = first.map(|fault| format!("; the first: {fault}")).unwrap_or_default();
            Err(Failure::Result(format!("{invalid} packings are wrong{first}")))
        }
    }
}
