//! `dfrsim results check`

use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Answer, OutputFile, OutputFiles, notice};
use clap::Args;
use dfrsim_lab::check::{
    Baseline, Change, CheckOptions, CheckReport, Direction, Tolerance, Tolerances, check,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::error::Error;
use std::path::{Path, PathBuf};

/// Compare results with a baseline, for CI
///
/// Compares, for each combination of labels and variant (workload and load, policy and setting):
/// numbers of runs, failures and runs without a solution, and mean and worst value of each metric.
/// Exit code 0: no value is worse beyond the tolerance. 1: a value is. 2: the two cannot be compared
/// (files missing or malformed, another study, other instances, variants that only one of them has).
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim results check results/quickstart --baseline baseline.toml --update     writes the baseline, to be committed
  dfrsim results check results/quickstart --baseline baseline.toml              no value may be worse
  dfrsim results check results/quickstart --baseline baseline.toml --tolerance 2% --tolerance-for degradation.worst=5%

In a GitHub workflow:
  dfrsim run scenario.toml --out results/ci
  dfrsim results check results/ci --baseline baseline.toml --junit check.xml --markdown \"$GITHUB_STEP_SUMMARY\"")]
pub(crate) struct Check {
    /// Result folder that `dfrsim run` wrote
    #[arg(value_name = "RESULTS", value_hint = clap::ValueHint::DirPath)]
    results: PathBuf,
    /// Baseline: a small TOML file with a line for each value
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    baseline: PathBuf,
    /// Write these results to the baseline instead of comparing them
    #[arg(long, conflicts_with_all = ["tolerance_for", "metric", "strict", "allow_missing", "junit", "markdown"])]
    update: bool,
    /// Tolerance: the fraction of the baseline's value by which a value may differ, 2% or 0.02;
    /// numbers of runs, failures and runs without a solution must be equal
    #[arg(long, value_name = "PART", default_value = "0%")]
    tolerance: Tolerance,
    /// Tolerance of one metric: degradation=5%, degradation.worst=5%
    #[arg(long, value_name = "METRIC=PART", value_parser = tolerance_for)]
    tolerance_for: Vec<(String, Tolerance)>,
    /// Compare only this metric: degradation for its mean and worst value, degradation.mean, failures;
    /// may be repeated
    #[arg(long, value_name = "METRIC")]
    metric: Vec<String>,
    /// Treat values that are better beyond their tolerance as failures too
    #[arg(long)]
    strict: bool,
    /// List labels and variants that only one of the two has, and compare the others
    #[arg(long)]
    allow_missing: bool,
    /// Write a JUnit report, with a test case for each group
    #[arg(long, value_name = "FILE.xml", value_hint = clap::ValueHint::AnyPath)]
    junit: Option<PathBuf>,
    /// Write a summary for a comment on a pull request or $GITHUB_STEP_SUMMARY
    #[arg(long, value_name = "FILE.md", value_hint = clap::ValueHint::AnyPath)]
    markdown: Option<PathBuf>,
}

/// Largest number of changes that are printed.
const LISTED: usize = 20;

/// Comparison of results with their baseline.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Checked {
    baseline: String,
    /// True if the baseline was written instead of compared.
    is_updated: bool,
    /// The number of groups (labels and variants).
    groups: usize,
    /// The number of values that were compared.
    values: usize,
    worse: usize,
    better: usize,
    /// Values beyond their tolerance: first those that are worse, then those that are better, each
    /// by decreasing change.
    changes: Vec<Changed>,
    only_in_baseline: Vec<String>,
    only_in_results: Vec<String>,
    /// True if the exit code is 1.
    is_failure: bool,
    #[serde(skip)]
    words: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Changed {
    /// `worse` or `better`.
    direction: &'static str,
    group: String,
    /// The name of the metric: `failures`, `degradation.mean`.
    metric: String,
    before: f64,
    /// The value of the results; `null` if no run of the group has one.
    now: Option<f64>,
    /// The relative difference from the baseline, in percent.
    relative_percent: Option<f64>,
}

impl Answer for Checked {
    fn text(&self) -> String {
        self.words.clone()
    }
}

fn tolerance_for(text: &str) -> Result<(String, Tolerance), Box<dyn Error + Send + Sync>> {
    let (metric, tolerance) =
        text.split_once('=').ok_or("expected a metric and its tolerance, as in degradation.mean=5%")?;
    Ok((metric.to_owned(), tolerance.parse()?))
}

impl Check {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let results = dfrsim_lab::Results::read(&self.results, context.registry).map_err(Failure::input)?;
        let now = Baseline::from_results(&results).map_err(Failure::input)?;
        let places = super::overwrite_guard(&results);
        if self.update {
            places.add_output("--baseline", self.baseline.as_path())?;
            OutputFile::write_text(&self.baseline, &now.to_toml())?;
            notice!("{}: {} groups", self.baseline.display(), now.groups.len());
            let baseline = self.baseline.display().to_string();
            let groups = now.groups.len();
            return context.print(&Checked { baseline, is_updated: true, groups, ..Checked::default() });
        }
        let places =
            places.add_input("--baseline", &self.baseline).add_output("--junit", self.junit.as_deref())?;
        places.add_output("--markdown", self.markdown.as_deref())?;
        let before = Baseline::read(&self.baseline, results.study).map_err(Failure::input)?;
        let tolerances = Tolerances { all: self.tolerance, single: self.tolerance_for.into_iter().collect() };
        let (metrics, allow_missing, strict) = (self.metric, self.allow_missing, self.strict);
        let options = CheckOptions { tolerances, metrics, allow_missing, strict };
        let report = check(&before, &now, &options).map_err(|error| {
            let (results, baseline) = (self.results.display(), self.baseline.display());
            Failure::input(format!("{results} cannot be compared with {baseline}: {error}"))
        })?;
        let mut files = OutputFiles::default();
        if let Some(path) = &self.junit {
            files.add_bytes(path, report.junit())?;
        }
        if let Some(path) = &self.markdown {
            files.add_bytes(path, report.markdown())?;
        }
        files.finish()?;
        print(&report, &self.baseline, context)
    }
}

fn print(report: &CheckReport, baseline: &Path, context: &Context<'_>) -> Result<(), Failure> {
    for notice in report.notices() {
        notice!("notice: {notice}");
    }
    context.print(&Checked::new(report, baseline))?;
    if !report.fails() {
        return Ok(());
    }
    let (worse, better) = (report.count(Direction::Worse), report.count(Direction::Better));
    let baseline = baseline.display();
    Err(Failure::Result(if worse > 0 {
        format!("{worse} of {} values are worse than {baseline} allows", report.values)
    } else {
        format!(
            "{better} of {} values are better than {baseline} allows, which is a failure with --strict",
            report.values
        )
    }))
}

impl Checked {
    fn new(report: &CheckReport, baseline: &Path) -> Checked {
        let changed = |change: &Change| Changed {
            direction: change.direction.name(),
            group: change.group.clone(),
            metric: change.metric.clone(),
            before: change.before,
            now: change.now,
            relative_percent: change.relative().map(|relative| 100.0 * relative),
        };
        let table = match report.changes.len() {
            0 => String::new(),
            count => {
                let rest = match count.saturating_sub(LISTED) {
                    0 => String::new(),
                    rest => format!(
                        "and {rest} more with smaller changes; --metric selects one, --markdown lists more\n\n"
                    ),
                };
                report.table(LISTED).markdown() + "\n" + &rest
            }
        };
        Checked {
            baseline: baseline.display().to_string(),
            is_updated: false,
            groups: report.groups.len(),
            values: report.values,
            worse: report.count(Direction::Worse),
            better: report.count(Direction::Better),
            changes: report.changes.iter().map(changed).collect(),
            only_in_baseline: report.only_in_baseline.clone(),
            only_in_results: report.only_in_results.clone(),
            is_failure: report.fails(),
            words: format!("{table}{}\n", report.summary()),
        }
    }
}
