//! Scenarios of the off-line study.

use super::failure;
use crate::failure::Failure;
use crate::output;
use dfrsim_lab::RunOptions;
use dfrsim_lab::offline::{self, News, RunReport, Scenario};
use indicatif::{ProgressBar, ProgressStyle};
use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How often a line is printed where there is no terminal.
const LINE: Duration = Duration::from_secs(10);

pub(super) fn run(
    scenario: &Scenario,
    options: &RunOptions,
    interrupt: &AtomicBool,
    quiet: bool,
) -> Result<(), Failure> {
    let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} instances, {per_sec}, {eta} left");
        ProgressBar::new(0).with_style(style.expect("the template is right"))
    });
    let shown = Mutex::new(Instant::now());
    let progress = |News { finished, total }: News| match &bar {
        Some(bar) => {
            bar.set_length(total as u64);
            bar.set_position(finished as u64);
        }
        None if quiet => {}
        None => {
            // Whoever finds it taken leaves the line to the one who has it.
            if let Some(mut shown) = shown.try_lock().ok().filter(|shown| shown.elapsed() >= LINE) {
                *shown = Instant::now();
                eprintln!("{finished} of {total} instances");
            }
        }
    };
    let report = offline::run(scenario, options, interrupt, &progress);
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    print(scenario, &options.out, &report.map_err(failure)?, quiet)
}

fn print(scenario: &Scenario, out: &Path, report: &RunReport, quiet: bool) -> Result<(), Failure> {
    let mut text = String::new();
    let mut line = |part: &str| writeln!(text, "{part}").expect("writing to a string cannot fail");
    if !scenario.title.is_empty() {
        line(&scenario.title);
        line("");
    }
    for named in report.tables.iter().filter(|named| named.is_short) {
        line(&format!("{}:\n\n{}", named.title, named.table.markdown()));
    }
    output::print(&text)?;
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
