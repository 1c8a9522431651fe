//! `dfrsim compare`

use crate::failure::Failure;
use crate::output::{self, OutputFile};
use crate::picture_files::{self, Format};
use clap::Args;
use dfrsim_legacy::comparison::{
    Column, CompareError, CompareOptions, Comparison, Confidence, compare, compare_packings,
};
use dfrsim_legacy::{AnyResults, Results};
use dfrsim_plots::legacy::draw_comparison;
use std::fs;
use std::path::{Path, PathBuf};

/// Compare two results, or two policies of one, instance by instance
///
/// Pairs rows of the same instance and setting. For each workload and load, policy and setting: mean and median of the
/// differences (B - A) and the ratios (B / A) with bootstrap confidence intervals, and how often B is better, equal and
/// worse. Of off-line results: for each group of instances and algorithm who succeeds and whose minimum yield is larger; algorithms
/// take the place of policies. Exit code 2 if no rows belong together.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim compare results/before results/after
  dfrsim compare results/quickstart --policy EASY --with CONS
  dfrsim compare results/exact results/requested --policy EASY --figure mean_wait_s --figure utilisation --out results/estimates")]
pub(crate) struct Compare {
    /// A: a folder that `dfrsim run` wrote
    #[arg(value_name = "A")]
    a: PathBuf,
    /// B: another one; A itself if none is given
    #[arg(value_name = "B", required_unless_present_all = ["policy", "with"])]
    b: Option<PathBuf>,
    /// The policy of A; all if not given
    #[arg(long, value_name = "NAME")]
    policy: Option<String>,
    /// The policy of B; the same as that of A if not given
    #[arg(long, value_name = "NAME", requires = "policy")]
    with: Option<String>,
    /// A column of rows.csv to compare; may be given several times
    #[arg(long, value_name = "NAME", default_value = "degradation")]
    figure: Vec<Column>,
    /// The seed of the bootstrap
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// How many resamples make an interval
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    resamples: u32,
    /// The confidence of the intervals: 95% or 0.95
    #[arg(long, value_name = "PART", default_value = "95%")]
    confidence: Confidence,
    /// Write comparison.md, comparison.csv (with all intervals), pairs.csv (a line for each pair) and a picture of the ratios
    /// into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Compare {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let a = read(&self.a)?;
        let other = self.b.as_deref().map(read).transpose()?;
        let b = other.as_ref().unwrap_or(&a);
        let out = self.out.clone();
        let options = self.options();
        match (&a, b) {
            (AnyResults::Online(a), AnyResults::Online(b)) => rows(a, b, &options, out.as_deref()),
            (AnyResults::Tabled(a), AnyResults::Tabled(b)) => {
                let table = compare_packings(a, b, &options).map_err(Failure::input)?;
                let text = format!("{}\n\n{}", heading(&a.folder, &b.folder, &options), table.markdown());
                if let Some(folder) = out {
                    fs::create_dir_all(&folder).map_err(|error| Failure::output(folder.display(), &error))?;
                    OutputFile::write_text(&folder.join("comparison.md"), &text)?;
                    OutputFile::write_text(&folder.join("comparison.csv"), &table.csv())?;
                }
                output::print(&text)
            }
            _ => Err(Failure::input("A and B are results of different studies")),
        }
    }

    fn options(self) -> CompareOptions {
        let mut figures = Vec::new();
        for figure in self.figure {
            if !figures.contains(&figure) {
                figures.push(figure);
            }
        }
        CompareOptions {
            policy: self.policy,
            with: self.with,
            figures,
            seed: self.seed,
            resamples: self.resamples as usize,
            confidence: self.confidence,
        }
    }
}

/// Compares on-line results row by row.
fn rows(a: &Results, b: &Results, options: &CompareOptions, out: Option<&Path>) -> Result<(), Failure> {
    let (a_name, b_name) = (a.folder.display(), b.folder.display());
    let comparison = compare(a, b, options).map_err(|error| match error {
        CompareError::NothingCommon { .. } => {
            Failure::input(format!("A, {a_name}, cannot be compared with B, {b_name}: {error}"))
        }
        _ => Failure::input(error),
    })?;
    let text = format!("{}\n\n{}", heading(&a.folder, &b.folder, options), comparison.table().markdown());
    if let Some(folder) = out {
        write(folder, &text, &comparison)?;
    }
    output::print(&text)
}

fn read(folder: &Path) -> Result<AnyResults, Failure> {
    let results = AnyResults::read(folder).map_err(Failure::input)?;
    let is_outdated = match &results {
        AnyResults::Online(results) => results.is_outdated,
        AnyResults::Tabled(results) => results.is_outdated,
    };
    if is_outdated {
        let folder = folder.display();
        eprintln!(
            "notice: {folder}: the last run in this folder is unfinished; these are the rows of the one before"
        );
    }
    Ok(results)
}

/// `A: EASY in results/x; B: CONS in results/x`
fn heading(a: &Path, b: &Path, options: &CompareOptions) -> String {
    let side = |folder: &Path, policy: Option<&String>| {
        let policy = policy.map(|policy| format!("{policy} in ")).unwrap_or_default();
        format!("{policy}{}", folder.display())
    };
    let (policy, with) = (options.policy.as_ref(), options.with.as_ref());
    format!("A: {}; B: {}", side(a, policy), side(b, with.or(policy)))
}

fn write(folder: &Path, text: &str, comparison: &Comparison) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| Failure::output(folder.display(), &error))?;
    OutputFile::write_text(&folder.join("comparison.md"), text)?;
    OutputFile::write_text(&folder.join("comparison.csv"), &comparison.exact_table().csv())?;
    OutputFile::write_text(&folder.join("pairs.csv"), &comparison.pairs_table().csv())?;
    let figures = draw_comparison(comparison).into_iter();
    let placed: Vec<_> = figures.map(|figure| (folder.join(&figure.stem), figure)).collect();
    picture_files::write(&placed, &[Format::Svg, Format::Png]).map(drop)
}
