//! Scenarios of the off-line study.

use super::cells::Cells;
use super::experiment::tables;
use super::{failure, told_of_shard};
use crate::failure::Failure;
use crate::output;
use dfrsim_legacy::RunOptions;
use dfrsim_legacy::offline::{self, RunReport, Scenario};
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
    print(scenario, options, &report.map_err(failure)?, quiet)
}

fn print(scenario: &Scenario, options: &RunOptions, report: &RunReport, quiet: bool) -> Result<(), Failure> {
    if report.tables.iter().next().is_some() {
        output::print(&tables(&scenario.title, report.tables.iter()))?;
    }
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
            options.out.display()
        );
    }
    match (report.counts.invalid, report.faults.first()) {
        (0, _) => {
            told_of_shard(options, quiet);
            Ok(())
        }
        (invalid, first) => {
            let first = first.map(|fault| format!("; the first: {fault}")).unwrap_or_default();
            Err(Failure::Result(format!("{invalid} packings are wrong{first}")))
        }
    }
}
