//! Scenarios of studies on the common frame.

use super::cells::Cells;
use super::{failure, told_of_shard};
use crate::failure::Failure;
use crate::output;
use dfrsim_legacy::RunOptions;
use dfrsim_legacy::experiment::{AnyExperiment, NamedTable};
use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

pub(super) fn run(
    experiment: &dyn AnyExperiment,
    options: &RunOptions,
    interrupt: &AtomicBool,
    quiet: bool,
) -> Result<(), Failure> {
    let progress = Cells::new(quiet);
    let report = experiment.run(options, interrupt, &progress);
    progress.clear();
    let report = report.map_err(failure)?;
    if !report.tables.is_empty() {
        output::print(&tables(experiment.title(), &report.tables))?;
    }
    let (counts, unit) = (report.counts, report.unit);
    if !quiet {
        for notice in &report.notices {
            eprintln!("notice: {notice}");
        }
        eprintln!(
            "{} rows of {} {unit} ({} computed, {} from earlier runs, {} failed) in {}",
            counts.rows,
            counts.cells,
            counts.computed,
            counts.cells - counts.computed,
            counts.failed,
            options.out.display()
        );
    }
    match report.faults.first() {
        None => {
            told_of_shard(options, quiet);
            Ok(())
        }
        Some(first) => Err(Failure::Result(format!("{} {unit} failed; the first: {first}", counts.failed))),
    }
}

/// The title of a scenario and its tables that are short enough for a terminal.
pub(super) fn tables<'a>(title: &str, tables: impl IntoIterator<Item = &'a NamedTable>) -> String {
    let mut text = String::new();
    let mut line = |part: &str| writeln!(text, "{part}").expect("writing to a string cannot fail");
    if !title.is_empty() {
        line(title);
        line("");
    }
    for named in tables.into_iter().filter(|named| named.is_short) {
        line(&format!("{}:\n\n{}", named.title, named.table.markdown()));
    }
    text
}
