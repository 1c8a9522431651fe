//! Outline of the runs of a scenario, for `run --dry-run`.

use super::Execution;
use super::sample::{self, Sample};
use crate::arguments::limit_threads;
use crate::context::Context;
use crate::failure::Failure;
use crate::output;
use dfrsim_lab::{AnyScenario, Outline, RunOptions};
use dfrsim_model::counted;
use std::time::{Duration, Instant};

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
    let begin = Instant::now();
    let outline = scenario.outline(options).map_err(Failure::input)?;
    let reading = begin.elapsed();
    let threads = match limit_threads(execution.threads) {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let time = match &outline.earlier {
        Some((rows, host)) if rows.computed > 0 => {
            let each_s = (host.preparing_s + host.running_s) / rows.computed as f64;
            let of = format!("{} rows of an earlier run in {}", rows.computed, options.out.display());
            estimate(&of, each_s, &outline, threads) + ", less those that are there already"
        }
        _ => match sampled(scenario, options, (&outline, reading), execution)? {
            Ok(Sample { runs, each_s }) => {
                let of = format!("a sample of {runs} of {} {}", outline.runs, outline.unit);
                estimate(&of, each_s, &outline, threads)
            }
            Err(reason) => format!("time: unknown: {reason}"),
        },
    };
    output::print(&(text(scenario, &outline) + &time + "\n"))
}

fn text(scenario: &AnyScenario, outline: &Outline) -> String {
    let Outline { runs, unit, groups, inputs, memory, .. } = outline;
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
    text
}

/// Times a few runs, unless the scenario needs a permission or the user asked for a part of it.
fn sampled(
    scenario: &AnyScenario,
    options: &RunOptions,
    (outline, reading): (&Outline, Duration),
    execution: &Execution,
) -> Result<Result<Sample, String>, Failure> {
    if !scenario.uses.commands.is_empty() && !options.allow_commands {
        return Ok(Err("a sample would run the commands, which need --allow-commands".to_owned()));
    }
    let instances = outline.groups.iter().map(|(_, instances, _)| instances).sum();
    let options = RunOptions { audit: execution.audit, ..options.clone() };
    sample::take(scenario, &options, instances, reading)
}

/// Formats the time of all runs at the pace of some of them.
fn estimate(of: &str, each_s: f64, Outline { runs, .. }: &Outline, threads: usize) -> String {
    let all_s = each_s * *runs as f64 / threads as f64;
    format!(
        "time: {of} took {each_s:.3} s each on a processor; at that pace all {runs} take about {all_s:.0} s on {}",
        counted(threads, "thread")
    )
}
