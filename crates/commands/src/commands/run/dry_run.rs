//! Outline of the runs of a scenario, for `run --dry-run`.

use super::Execution;
use crate::arguments::limit_threads;
use crate::context::Context;
use crate::failure::Failure;
use crate::output;
use dfrsim_lab::{AnyScenario, Outline, RunOptions};

/// Prints how many runs a scenario has, on which files, and how long they may take.
pub(super) fn print(
    context: &Context<'_>,
    scenario: &AnyScenario,
    options: &RunOptions,
    execution: &Execution,
) -> Result<(), Failure> {
    if context.printing.is_json() {
        return Err(Failure::input("--dry-run has no answer as JSON"));
    }
    let outline = scenario.outline(options).map_err(Failure::input)?;
    let threads = match limit_threads(execution.threads) {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    output::print(&text(scenario, options, &outline, threads))
}

fn text(scenario: &AnyScenario, options: &RunOptions, outline: &Outline, threads: usize) -> String {
    let Outline { runs, unit, groups, inputs, memory, earlier } = outline;
    let mut text = format!("dry run: study {}, {runs} {unit}\n", scenario.study.name);
    for (name, instances, runs) in groups {
        text += &format!("  {name}: {instances} instances, {runs} {unit}\n");
    }
    for input in inputs {
        let remarks = input.report.iter().map(|remark| format!("; {remark}"));
        text += &format!("file {:?}{}\n", input.file, remarks.collect::<String>());
    }
    for command in &scenario.uses.commands {
        text += &format!("command {command:?}\n");
    }
    if *memory >= 1_000_000 {
        text += &format!("memory: at least {:.3} GB for each thread\n", *memory as f64 / 1e9);
    }
    let out = options.out.display();
    text += &match earlier {
        Some((rows, host)) if rows.computed > 0 => {
            let each = (host.preparing_s + host.running_s) / rows.computed as f64;
            format!(
                "time: {} rows of an earlier run in {out} took {each:.3} s each on a processor; at that pace all {runs} take about \
                 {:.0} s on {threads} threads, less those that are there already\n",
                rows.computed,
                each * *runs as f64 / threads as f64
            )
        }
        _ => format!(
            "time: unknown, as {out} has no rows of an earlier run; after the first runs the progress display shows the time left\n"
        ),
    };
    text
}
