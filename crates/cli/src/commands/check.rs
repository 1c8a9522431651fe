//! `dfrsim check`

use crate::failure::Failure;
use crate::output::{self, OutputFile};
use clap::Args;
use dfrsim_legacy::regression::{
    Baseline, CheckOptions, CheckReport, Figure, ParseToleranceError, Tolerance, Tolerances, Verdict, check,
};
use dfrsim_legacy::{Results, UnknownFigure};
use std::path::{Path, PathBuf};

/// Compare results with a baseline, for CI
///
/// Compares, for each workload and load, policy and setting: numbers of instances, failed simulations, completed, killed
/// and rejected jobs; mean and maximum degradation; mean, 95 % and maximum bounded stretch; bandwidth of pauses and of
/// migrations; pauses; migrations. Exit code 0: nothing is worse beyond the tolerance. 1: something is. 2: the two cannot
/// be compared (files missing or broken, another scenario, other jobs, policies that only one of them has).
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim check results/quickstart --baseline baseline.toml --update     writes the baseline, to be committed
  dfrsim check results/quickstart --baseline baseline.toml              not one figure may be worse
  dfrsim check results/quickstart --baseline baseline.toml --tolerance 2% --tolerance-for max_degradation=5%

In a GitHub workflow:
  dfrsim run scenario.toml --out results/ci
  dfrsim check results/ci --baseline baseline.toml --junit check.xml --markdown \"$GITHUB_STEP_SUMMARY\"")]
pub(crate) struct Check {
    /// The folder that `dfrsim run` wrote
    #[arg(value_name = "RESULTS")]
    results: PathBuf,
    /// The baseline: a small TOML file with a line for each figure
    #[arg(long, value_name = "FILE")]
    baseline: PathBuf,
    /// Write these results to the baseline instead of comparing them
    #[arg(long, conflicts_with_all = ["tolerance_for", "strict", "allow_missing", "junit", "markdown"])]
    update: bool,
    /// By which part of the baseline's figure a figure may differ: 2% or 0.02; numbers of instances and of failed
    /// simulations may not
    #[arg(long, value_name = "PART", default_value = "0%")]
    tolerance: Tolerance,
    /// The tolerance of one figure: mean_degradation=5%
    #[arg(long, value_name = "FIGURE=PART", value_parser = tolerance_for)]
    tolerance_for: Vec<(Figure, Tolerance)>,
    /// Figures that are better beyond their tolerance are failures too
    #[arg(long)]
    strict: bool,
    /// List policies, settings and workloads that only one of the two has, and compare the others
    #[arg(long)]
    allow_missing: bool,
    /// Write a JUnit report, a test case for each group
    #[arg(long, value_name = "FILE.xml")]
    junit: Option<PathBuf>,
    /// Write a summary for a comment on a pull request or $GITHUB_STEP_SUMMARY
    #[arg(long, value_name = "FILE.md")]
    markdown: Option<PathBuf>,
}

fn tolerance_for(text: &str) -> Result<(Figure, Tolerance), String> {
    let (figure, tolerance) =
        text.split_once('=').ok_or("expected a figure and its tolerance, as in mean_degradation=5%")?;
    let figure = figure.parse().map_err(|error: UnknownFigure| error.to_string())?;
    let tolerance = tolerance.parse().map_err(|error: ParseToleranceError| error.to_string())?;
    Ok((figure, tolerance))
}

impl Check {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let results = Results::read(&self.results).map_err(Failure::input)?;
        let now = Baseline::of(&results).map_err(Failure::input)?;
        if self.update {
            OutputFile::write_text(&self.baseline, &now.to_toml())?;
            eprintln!("{}: {} groups", self.baseline.display(), now.groups.len());
            return Ok(());
        }
        let before = Baseline::read(&self.baseline).map_err(Failure::input)?;
        let tolerances = Tolerances { all: self.tolerance, single: self.tolerance_for.into_iter().collect() };
        let options = CheckOptions { tolerances, allow_missing: self.allow_missing, strict: self.strict };
        let report = check(&before, &now, &options).map_err(|error| {
            Failure::input(format!(
                "{} cannot be compared with {}: {error}",
                self.results.display(),
                self.baseline.display()
            ))
        })?;
        if let Some(path) = &self.junit {
            OutputFile::write_text(path, &report.junit())?;
        }
        if let Some(path) = &self.markdown {
            OutputFile::write_text(path, &report.markdown())?;
        }
        print(&report, &self.baseline)
    }
}

fn print(report: &CheckReport, baseline: &Path) -> Result<(), Failure> {
    for notice in report.notices() {
        eprintln!("notice: {notice}");
    }
    let table = if report.changes.is_empty() { String::new() } else { report.table().markdown() + "\n" };
    output::print(&format!("{table}{}\n", report.summary()))?;
    if !report.fails() {
        return Ok(());
    }
    let (worse, better) = (report.count(Verdict::Worse), report.count(Verdict::Better));
    let baseline = baseline.display();
    Err(Failure::Result(if worse > 0 {
        format!("worse than {baseline} allows: {worse} of {} figures", report.figures)
    } else {
        format!("better than {baseline}, which --strict refuses: {better} of {} figures", report.figures)
    }))
}
