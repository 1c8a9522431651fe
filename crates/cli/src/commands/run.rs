//! `dfrsim run`

mod cells;
mod experiment;
mod offline;
mod standings;
mod view;

use self::view::View;
use crate::failure::Failure;
use crate::output;
use clap::Args;
use dfrsim_legacy::{Part, RunError, RunOptions, RunReport, Scenario, Shard, Study, run};
use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The scenario that runs when none is named.
const QUICKSTART: &str = include_str!("../../scenarios/quickstart.toml");

/// Run a scenario: policies x workloads, in parallel, to tables
///
/// Rows are kept as they finish: a run that was interrupted or killed goes on where it stopped when the same command is
/// given again. The result folder then holds rows.csv, tables/, the scenario with every default spelt out, and a
/// manifest. While it runs, a terminal shows how far each policy is, the best and the worst so far and what failed;
/// elsewhere a line is printed now and then.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim run                                        the quick start, built in
  dfrsim run scenarios/hpc2n.toml --threads 2
  dfrsim run scenarios/unscaled.toml --set simulation.penalty=0 --out results/no-penalty
  dfrsim run scenarios/scaled.toml --shard 2/8      on the second of eight machines, say
  dfrsim run scenarios/scaled.toml --set 'policies=[\"EASY\", {matching=\"^CONS\"}]'")]
pub(crate) struct Run {
    /// The scenario; the built-in quick start if none is given
    #[arg(value_name = "SCENARIO.toml")]
    scenario: Option<PathBuf>,
    /// The result folder; results/ and the scenario's name if none is given
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// How many threads; all cores if not given
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Compute everything again, whatever the folder holds
    #[arg(long)]
    fresh: bool,
    /// Print nothing but the tables and errors
    #[arg(long, short)]
    quiet: bool,
    /// Let the independent checker follow every simulation of this run (`dfrsim audit` in memory); one that breaks a
    /// rule is a failed row
    #[arg(long)]
    audit: bool,
    /// Change a field of the scenario: simulation.penalty=0, workloads.hpc2n.nodes=64
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Run only the i-th of n parts that take about as long as each other, with other shards in the same folder or elsewhere;
    /// `dfrsim merge` then joins them
    #[arg(long, value_name = "i/n")]
    shard: Option<Shard>,
}

impl Run {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let scenario = match &self.scenario {
            Some(path) => Study::load(path, &self.set),
            None => Scenario::parse(QUICKSTART, "quickstart.toml", &self.set)
                .map(|scenario| Study::Online(Box::new(scenario))),
        };
        let study = scenario.map_err(Failure::input)?;
        let name = self.scenario.as_deref().and_then(Path::file_stem).unwrap_or("quickstart".as_ref());
        let out = self.out.unwrap_or_else(|| Path::new("results").join(name));
        let part = self.shard.map_or(Part::Whole, Part::Shard);
        let options = RunOptions { out, threads: self.threads, fresh: self.fresh, audit: self.audit, part };
        execute(study, &options, self.quiet)
    }
}

/// Runs a scenario, watched by the user, and prints what it came to.
pub(super) fn execute(study: Study, options: &RunOptions, quiet: bool) -> Result<(), Failure> {
    let interrupt = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupt);
    let on_interrupt = move || {
        if flag.swap(true, Ordering::Relaxed) {
            // Asked twice: what is finished is in the journal, so leaving at once loses nothing.
            std::process::exit(130);
        }
        eprintln!("stopping after the simulations that run now; once more to stop at once");
    };
    ctrlc::set_handler(on_interrupt).map_err(Failure::input)?;
    let scenario = match study {
        Study::Online(scenario) => scenario,
        Study::Offline(scenario) => return offline::run(&scenario, options, &interrupt, quiet),
        Study::Experiment(scenario) => {
            return experiment::run(scenario.as_ref(), options, &interrupt, quiet);
        }
    };
    let view = View::new(quiet, std::io::stderr().is_terminal());
    let report = run(&scenario, options, &interrupt, &view);
    view.clear();
    print(&scenario, options, &report.map_err(failure)?, quiet)
}

/// Says what is to be done with a shard that is through.
fn told_of_shard(options: &RunOptions, quiet: bool) {
    if let (Part::Shard(shard), false) = (&options.part, quiet) {
        let out = options.out.display();
        eprintln!("shard {shard} is through; when all are, join them: dfrsim merge {out}");
    }
}

/// How a run failed.
fn failure(error: RunError) -> Failure {
    match error {
        RunError::Interrupted { .. } => Failure::Interrupted(error.to_string()),
        _ => Failure::input(error),
    }
}

fn print(scenario: &Scenario, options: &RunOptions, report: &RunReport, quiet: bool) -> Result<(), Failure> {
    let mut text = String::new();
    if !scenario.title.is_empty() {
        writeln!(text, "{}\n", scenario.title).expect("writing to a string cannot fail");
    }
    text.push_str(&report.tables.degradation.markdown());
    if !report.tables.bandwidth_compared.is_empty() {
        text.push_str("\nWhat pauses and migrations cost:\n\n");
        text.push_str(&report.tables.bandwidth_compared.markdown());
    }
    if matches!(options.part, Part::Shard(_)) {
        // Tables of a part would mislead.
        text.clear();
    }
    if quiet {
        return output::print(&text);
    }
    for (workload, counts) in &report.preparation {
        eprintln!("{workload}: {counts}");
    }
    for notice in &report.notices {
        eprintln!("notice: {notice}");
    }
    output::print(&text)?;
    let rows = report.rows;
    eprintln!(
        "{} rows ({} computed, {} from earlier runs, {} failed) in {}",
        rows.total,
        rows.computed,
        rows.restored,
        rows.failed,
        options.out.display()
    );
    told_of_shard(options, quiet);
    Ok(())
}
