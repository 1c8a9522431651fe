//! `dfrsim run`

mod answer;
mod dry_run;
mod sample;
mod standings;
mod view;

use crate::arguments::limit_threads;
use crate::consent::Consent;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{OverwriteGuard, notice};
pub(super) use answer::Finished;
use clap::Args;
use dfrsim_lab::{
    AnyScenario, Audit, Counts, MANIFEST, Part, Registry, RunError, RunOptions, RunReport, Shard,
};
use dfrsim_model::named::nearest;
use dfrsim_workload::recognise::{Kind, recognise};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Scenario that runs if none is named.
const QUICKSTART: &str = include_str!("../../scenarios/quickstart.toml");
/// Maximum time that runs in progress get to finish after an interrupt or SIGTERM.
const GRACE: Duration = Duration::from_secs(5);
/// Maximum number of failed runs to list.
const MAX_FAILURES: usize = 5;

/// Run a scenario of any study, in parallel, and write its rows and tables
///
/// Rows are stored as they finish: to continue a run that was interrupted or killed, give the same
/// command again. The result folder then has the rows, tables/, the scenario with every default
/// written out, and a manifest. During the run a terminal shows the best and the worst variants so
/// far; elsewhere a line is printed at intervals. Exit code 1 if a run fails.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim run                                        the quick start, built in
  dfrsim run scenarios/hpc2n.toml --threads 2
  dfrsim run scenarios/unscaled.toml --set simulation.penalty=0 --out results/no-penalty
  dfrsim run scenarios/unscaled.toml --only policy=EASY --dry-run
  dfrsim run scenarios/scaled.toml --shard 2/8      for example on the second of eight machines
  dfrsim run scenarios/scaled.toml --set 'policies=[\"EASY\", {matching=\"^CONS\"}]'")]
pub(crate) struct Run {
    /// Scenario to run; by default the built-in quick start
    #[arg(value_name = "SCENARIO.toml", value_hint = clap::ValueHint::FilePath)]
    scenario: Option<PathBuf>,
    /// Result folder; by default results/ followed by the scenario's name
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Compute all rows again instead of reusing those in the folder
    #[arg(long)]
    fresh: bool,
    /// Change a field of the scenario: simulation.penalty=0, workloads.hpc2n.nodes=64
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Run only the runs with this label, such as workload=hpc2n or policy=EASY; several columns must all
    /// match, and of several labels of one column one must. The results keep the condition as the
    /// field `only` of their scenario
    #[arg(long, value_name = "COLUMN=VALUE")]
    only: Vec<String>,
    /// Print how many runs there are, on which files, and how long they may take, and keep nothing:
    /// a few of them run for up to ten seconds to be timed, unless there are earlier ones
    #[arg(long)]
    dry_run: bool,
    /// Run only the i-th of n shards, which take about the same time; other shards may use the same
    /// folder or others; `dfrsim results merge` merges them
    #[arg(long, value_name = "i/n")]
    shard: Option<Shard>,
    #[command(flatten)]
    consent: Consent,
    #[command(flatten)]
    execution: Execution,
}

/// Options for the execution of runs.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Execution {
    /// Number of threads; 0 for all cores
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) threads: usize,
    /// Audit every run with the independent checker, in studies that do not always do so; a run that
    /// breaks a rule is a failure
    #[arg(long)]
    pub(crate) audit: bool,
    /// Print only tables and errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl Run {
    pub(crate) fn run(mut self, context: &Context<'_>) -> Result<(), Failure> {
        if !self.only.is_empty() {
            let conditions = std::mem::take(&mut self.only).into_iter().map(toml::Value::String).collect();
            self.set.push(format!("only={}", toml::Value::Array(conditions)));
        }
        if let Some(path) = &self.scenario {
            check_kind(path)?;
        }
        let scenario = match &self.scenario {
            Some(path) => context.registry.load(path, &self.set),
            None => context.registry.parse(QUICKSTART, "quickstart.toml", None, &self.set),
        };
        let scenario = scenario.map_err(Failure::input)?;
        let name = self.scenario.as_deref().and_then(Path::file_stem).unwrap_or("quickstart".as_ref());
        let out = self.out.unwrap_or_else(|| Path::new("results").join(name));
        if out.is_file() {
            return Err(Failure::in_file(&out, "--out: is a file, expected a folder for the results"));
        }
        protect_inputs(self.scenario.as_deref(), &out, &scenario)?;
        let allow_commands = self.consent.covers(&scenario, &self.set, &out);
        let part = self.shard.map_or(Part::Whole, Part::Shard);
        let options = RunOptions { fresh: self.fresh, part, allow_commands, ..RunOptions::new(out) };
        if self.dry_run {
            return dry_run::print(context, &scenario, &options, &self.execution);
        }
        execute(context, &scenario, options, &self.execution)
    }
}

/// Checks that a path may be a scenario.
///
/// # Errors
/// Returns a failure with a remedy for a missing file, a folder, and a log.
fn check_kind(path: &Path) -> Result<(), Failure> {
    if path.is_dir() {
        let own = path.join("scenario.toml");
        let advice = if own.is_file() {
            format!("; the scenario of these results is {}", own.display())
        } else {
            listed(&scenarios(path), "; its scenarios: ")
        };
        return Err(Failure::in_file(path, format_args!("is a folder, expected a scenario{advice}")));
    }
    if !path.exists() {
        return Err(Failure::in_file(path, format_args!("no such file{}", other_files(path))));
    }
    // A pipe can be read only once.
    match if path.is_file() { recognise(path).ok() } else { None } {
        _ if path
            .extension()
            .is_some_and(|end| ["json", "yaml", "yml"].iter().any(|other| end == *other)) =>
        {
            let message = "expected a scenario, which is TOML: `study = \"online\"`, `policies = [\"EASY\"]`; `dfrsim run` without a file runs the built-in one";
            Err(Failure::in_file(path, message))
        }
        Some(kind @ (Kind::Swf | Kind::Gwf | Kind::Slurm | Kind::Pbs | Kind::Batsim)) => {
            let (found, path_in_words) = (kind.description(), path.display());
            let message = format!(
                "found {found}, expected a scenario; `dfrsim simulate --workload {path_in_words} --policy EASY` simulates it"
            );
            Err(Failure::in_file(path, message))
        }
        _ => Ok(()),
    }
}

/// Returns the names of the scenarios in a folder, in alphabetical order.
fn scenarios(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| name.ends_with(".toml"));
    names.sort();
    names
}

/// Lists the first of the names after a text; empty without names.
fn listed(names: &[String], before: &str) -> String {
    const MOST: usize = 8;
    let shown = names[..names.len().min(MOST)].join(", ");
    match names.len().saturating_sub(MOST) {
        _ if names.is_empty() => String::new(),
        0 => format!("{before}{shown}"),
        more => format!("{before}{shown} and {more} others"),
    }
}

/// Returns a hint to the scenario next to a missing file whose name is most similar, or to those that
/// are there; or the folder that is missing.
fn other_files(path: &Path) -> String {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return format!("; there is no folder {}", folder.display());
    }
    let names = scenarios(folder);
    let missing = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let similar = nearest(missing, names.iter().map(String::as_str)).map(|name| path.with_file_name(name));
    match similar {
        Some(path) => format!("; did you mean {}?", path.display()),
        None => listed(&names, "; scenarios in this folder: "),
    }
}

/// Refuses a run whose results would overwrite a file that its scenario reads, or the scenario
/// itself with a different text.
fn protect_inputs(path: Option<&Path>, out: &Path, scenario: &AnyScenario) -> Result<(), Failure> {
    const WRITTEN: [&str; 4] = ["scenario.toml", "rows.csv", "instances.csv", MANIFEST];
    let is_another = |path: &&Path| !std::fs::read_to_string(path).is_ok_and(|text| text == scenario.text);
    let scenario_file = path.filter(is_another).into_iter().map(|path| ("the scenario".to_owned(), path));
    let files =
        scenario.uses.files.iter().map(|file| (format!("the file `{}`", file.given), file.path.as_path()));
    let read = scenario_file
        .chain(files)
        .fold(OverwriteGuard::default(), |places, (what, path)| places.add_input(what, path));
    let replaced = WRITTEN.map(|name| out.join(name));
    replaced.iter().try_fold(read, |places, path| places.add_output("--out", path.as_path())).map(drop)
}

/// Prints a notice for studies on which `--audit` has no effect.
pub(crate) fn notify_if_always_audited(registry: &Registry, study: &str, is_asked_for: bool) {
    let always = registry.study_named(study).is_some_and(|study| study.audit == Audit::Always);
    if always && is_asked_for {
        notice!("notice: the study `{study}` audits every run, with or without --audit");
    }
}

/// Runs a scenario with a progress display and prints the results.
pub(crate) fn execute(
    context: &Context<'_>,
    scenario: &AnyScenario,
    options: RunOptions,
    execution: &Execution,
) -> Result<(), Failure> {
    let (options, report) = watched_run(context, scenario, options, execution)?;
    print(context, scenario, &options, &report, execution.quiet)
}

/// Runs a scenario with a progress display and returns the report, and the options that were used.
pub(crate) fn watched_run(
    context: &Context<'_>,
    scenario: &AnyScenario,
    options: RunOptions,
    execution: &Execution,
) -> Result<(RunOptions, RunReport), Failure> {
    attempt(context, scenario, options, execution)?.map_err(|error| match error {
        RunError::Interrupted { .. } => Failure::Interrupted(error.to_string()),
        _ => Failure::input(error),
    })
}

/// Runs a scenario with a progress display; the inner error is that of the run.
pub(crate) fn attempt(
    context: &Context<'_>,
    scenario: &AnyScenario,
    options: RunOptions,
    execution: &Execution,
) -> Result<Result<(RunOptions, RunReport), RunError>, Failure> {
    let &Execution { threads, audit, quiet } = execution;
    let (threads, max_memory) = (limit_threads(threads), context.memory.bytes());
    let options = RunOptions { threads, audit, max_memory, ..options };
    if !quiet {
        notify_if_always_audited(context.registry, scenario.study.name, audit);
    }
    let interrupt = interrupt_flag()?;
    let report = view::with_display(quiet, |progress| scenario.run(&options, interrupt, progress));
    Ok(report.map(|report| (options, report)))
}

/// Returns the flag that is set when the user interrupts the program. The handler is installed once,
/// because a command may run several scenarios one after the other.
fn interrupt_flag() -> Result<&'static AtomicBool, Failure> {
    static INTERRUPT: OnceLock<AtomicBool> = OnceLock::new();
    if let Some(interrupt) = INTERRUPT.get() {
        return Ok(interrupt);
    }
    let interrupt = INTERRUPT.get_or_init(AtomicBool::default);
    // Finished runs are in the journal, so exiting at once loses only the runs in progress.
    let leave = || {
        crate::temporary::remove_all();
        std::process::exit(crate::exit::Exit::Interrupted.code().into())
    };
    let on_interrupt = move || {
        if interrupt.swap(true, Ordering::Relaxed) {
            leave();
        }
        let grace = GRACE.as_secs();
        notice!("finishing the runs in progress (at most {grace} s); press Ctrl-C again to stop immediately");
        // If the thread cannot be started, a long run ends only at the second interrupt.
        let _ = thread::Builder::new().spawn(move || {
            thread::sleep(GRACE);
            leave();
        });
    };
    ctrlc::set_handler(on_interrupt).map_err(Failure::input)?;
    Ok(interrupt)
}

fn print(
    context: &Context<'_>,
    scenario: &AnyScenario,
    options: &RunOptions,
    report: &RunReport,
    quiet: bool,
) -> Result<(), Failure> {
    if !quiet {
        report.notices.iter().for_each(|notice| notice!("notice: {notice}"));
    }
    context.print(&Finished::new(scenario, options, report))?;
    let out = options.out.display();
    if !quiet {
        notice!("{} in {out}", format_counts(&report.counts));
        if let Part::Shard(shard) = &options.part {
            notice!(
                "shard {shard} has finished; when all shards have, merge them: dfrsim results merge {out}"
            );
        }
    }
    if report.counts.failures() == 0 {
        return Ok(());
    }
    let listed = report.failures.iter().take(MAX_FAILURES).map(|failure| format!("\n  {failure}"));
    Err(Failure::Result(format!(
        "{} of {} rows are failures; the first:{}",
        report.counts.failures(),
        report.counts.total,
        listed.collect::<String>()
    )))
}

/// Formats the counts: `24 rows (16 computed, 8 from earlier runs; 23 ok, 1 violation)`.
fn format_counts(Counts { total, computed, restored, by_status, .. }: &Counts) -> String {
    let statuses: Vec<String> = by_status.iter().map(|(status, count)| format!("{count} {status}")).collect();
    format!("{total} rows ({computed} computed, {restored} from earlier runs; {})", statuses.join(", "))
}
