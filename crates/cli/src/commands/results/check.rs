//! `dfrsim results check`

use crate::failure::Failure;
use crate::output::{self, OutputFile, OutputFiles, notice};
use clap::Args;
use dfrsim_lab::Registry;
use dfrsim_lab::check::{
    Baseline, CheckOptions, CheckReport, Direction, ParseToleranceError, Tolerance, Tolerances, check,
};
use std::path::{Path, PathBuf};

/// Compare results with a baseline, for CI
///
/// Compares, for each combination of labels and variant (workload and load, policy and setting): numbers of runs, failures
/// and runs without a solution, and mean and worst value of each metric. Exit code 0: nothing is worse beyond the tolerance.
/// 1: a value is. 2: the two cannot be compared (files missing or broken, another study, other instances, variants that only
/// one of them has).
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim results check results/quickstart --baseline baseline.toml --update     writes the baseline, to be committed
  dfrsim results check results/quickstart --baseline baseline.toml              not one value may be worse
  dfrsim results check results/quickstart --baseline baseline.toml --tolerance 2% --tolerance-for degradation.worst=5%

In a GitHub workflow:
  dfrsim run scenario.toml --out results/ci
  dfrsim results check results/ci --baseline baseline.toml --junit check.xml --markdown \"$GITHUB_STEP_SUMMARY\"")]
pub(crate) struct Check {
    /// The folder that `dfrsim run` wrote
    #[arg(value_name = "RESULTS")]
    results: PathBuf,
    /// The baseline: a small TOML file with a line for each value
    #[arg(long, value_name = "FILE")]
    baseline: PathBuf,
    /// Write these results to the baseline instead of comparing them
    #[arg(long, conflicts_with_all = ["tolerance_for", "strict", "allow_missing", "junit", "markdown"])]
    update: bool,
    /// By which fraction of the baseline's value a value may differ: 2% or 0.02; numbers of runs, failures and runs without
    /// a solution may not
    #[arg(long, value_name = "PART", default_value = "0%")]
    tolerance: Tolerance,
    /// The tolerance of one metric: degradation=5%, degradation.worst=5%
    #[arg(long, value_name = "METRIC=PART", value_parser = tolerance_for)]
    tolerance_for: Vec<(String, Tolerance)>,
    /// Values that are better beyond their tolerance are failures too
    #[arg(long)]
    strict: bool,
    /// List labels and variants that only one of the two has, and compare the others
    #[arg(long)]
    allow_missing: bool,
    /// Write a JUnit report, a test case for each group
    #[arg(long, value_name = "FILE.xml")]
    junit: Option<PathBuf>,
    /// Write a summary for a comment on a pull request or $GITHUB_STEP_SUMMARY
    #[arg(long, value_name = "FILE.md")]
    markdown: Option<PathBuf>,
}

fn tolerance_for(text: &str) -> Result<(String, Tolerance), String> {
    let (metric, tolerance) =
        text.split_once('=').ok_or("expected a metric and its tolerance, as in degradation.mean=5%")?;
    let tolerance = tolerance.parse().map_err(|error: ParseToleranceError| error.to_string())?;
    Ok((metric.to_owned(), tolerance))
}

impl Check {
    pub(crate) fn run(self, registry: &Registry) -> Result<(), Failure> {
        let results = dfrsim_lab::Results::read(&self.results, registry).map_err(Failure::input)?;
        let now = Baseline::from_results(&results).map_err(Failure::input)?;
        let places = super::places(&results);
        if self.update {
            places.writes("--baseline", self.baseline.as_path())?;
            OutputFile::write_text(&self.baseline, &now.to_toml())?;
            notice!("{}: {} groups", self.baseline.display(), now.groups.len());
            return Ok(());
        }
        let places = places.reads("--baseline", &self.baseline).writes("--junit", self.junit.as_deref())?;
        places.writes("--markdown", self.markdown.as_deref())?;
        let before = Baseline::read(&self.baseline, results.study).map_err(Failure::input)?;
        let tolerances = Tolerances { all: self.tolerance, single: self.tolerance_for.into_iter().collect() };
        let options = CheckOptions { tolerances, allow_missing: self.allow_missing, strict: self.strict };
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
        print(&report, &self.baseline)
    }
}

fn print(report: &CheckReport, baseline: &Path) -> Result<(), Failure> {
    for notice in report.notices() {
        notice!("notice: {notice}");
    }
    let table = if report.changes.is_empty() { String::new() } else { report.table().markdown() + "\n" };
    output::print(&format!("{table}{}\n", report.summary()))?;
    if !report.fails() {
        return Ok(());
    }
    let (worse, better) = (report.count(Direction::Worse), report.count(Direction::Better));
    let baseline = baseline.display();
    Err(Failure::Result(if worse > 0 {
        format!("worse than {baseline} allows: {worse} of {} values", report.values)
    } else {
        format!("better than {baseline}, which --strict refuses: {better} of {} values", report.values)
    }))
}
