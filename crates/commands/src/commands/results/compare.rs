//! `dfrsim results compare`

use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Answer, OutputFiles};
use crate::picture_files::{self, Format};
use clap::Args;
use dfrsim_lab::compare::{CompareError, CompareOptions, ComparedRows, Comparison, LeftOut, compare};
use dfrsim_lab::{Confidence, InputSection, Results, Table};
use dfrsim_plots::{Appearance, draw};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Compare two results, or two variants of one, instance by instance
///
/// Pairs rows of the same labels, instance and variant. For each combination of labels (and for all
/// loads and all logs together) and variant: mean and median of the differences (B - A) and the ratios (B / A)
/// with bootstrap confidence intervals, the numbers of pairs in which B is better, equal and worse,
/// and those in which only one of them has a value. Exit code 2 if no rows match.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim results compare results/before results/after
  dfrsim results compare results/quickstart --variant EASY --with CONS
  dfrsim results compare results/quickstart --variant policy=EASY --with policy=/per/OPT=MIN --with period_s=600
  dfrsim results compare results/exact results/requested --variant EASY --metric mean_wait_s --metric utilisation --out results/estimates")]
pub(crate) struct Compare {
    /// Results A: a folder that `dfrsim run` wrote
    #[arg(value_name = "A", value_hint = clap::ValueHint::DirPath)]
    a: PathBuf,
    /// Results B: another such folder; by default A itself
    #[arg(value_name = "B", required_unless_present_all = ["variant", "with"], value_hint = clap::ValueHint::DirPath)]
    b: Option<PathBuf>,
    /// Variant of A to compare: a value of a variant column (EASY), or a column and its value
    /// (period_s=600); by default all
    #[arg(long, value_name = "[COLUMN=]VALUE")]
    variant: Vec<String>,
    /// Variant of B to compare it with; columns that are not named are as in A
    #[arg(long, value_name = "[COLUMN=]VALUE", requires = "variant")]
    with: Vec<String>,
    /// Metric to compare; may be given several times; by default the study's primary metric
    #[arg(long, value_name = "NAME")]
    metric: Vec<String>,
    /// Seed of the bootstrap
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Number of bootstrap resamples for each interval
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    resamples: u32,
    /// Confidence level of the intervals: 95% or 0.95
    #[arg(long, value_name = "PART", default_value = "95%")]
    confidence: Confidence,
    /// Write comparison.md, comparison.csv (with all intervals), pairs.csv (a line for each pair) and a picture of the ratios
    /// into this folder
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    out: Option<PathBuf>,
}

/// Number of digits of a digest that are printed; JSON has all of them.
const DIGITS: usize = 12;

/// Comparison of two results, with the values of `comparison.csv`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Compared {
    a: Side,
    b: Side,
    /// The confidence level of the intervals, between 0 and 1.
    confidence: f64,
    resamples: usize,
    /// The seed of the bootstrap.
    seed: u64,
    /// The comparisons, one for each type of rows that has pairs.
    parts: Vec<Part>,
    #[serde(skip)]
    words: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Side {
    folder: String,
    /// The selected variants; empty if all are compared.
    variant: Vec<String>,
    /// The files that the results were made of.
    inputs: Vec<ComparedInput>,
}

/// File that results were made of.
#[derive(Debug, Serialize, JsonSchema)]
struct ComparedInput {
    file: String,
    sha256: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Part {
    /// The type of rows; empty in studies with one type.
    rows: &'static str,
    /// A line for each group and metric; differences are B - A, ratios B / A, and `_low` and `_high` the ends of intervals.
    groups: Table,
    #[serde(flatten)]
    left_out: LeftOut,
}

impl Answer for Compared {
    fn text(&self) -> String {
        self.words.clone()
    }
}

impl Compare {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let a = super::read(&self.a, context.registry)?;
        let other = self.b.as_deref().map(|folder| super::read(folder, context.registry)).transpose()?;
        let b = other.as_ref().unwrap_or(&a);
        if other.is_none() && self.variant == self.with {
            let variant = self.variant.join(", ");
            return Err(Failure::input(format!(
                "A and B are both {variant}: --with names the other variant"
            )));
        }
        let options = CompareOptions {
            variant: self.variant,
            with: self.with,
            metrics: self.metric,
            seed: self.seed,
            resamples: self.resamples as usize,
            confidence: self.confidence,
        };
        let comparison = compare(&a, b, &options).map_err(|error| match error {
            CompareError::NoPairs { .. } => {
                let (a, b) = (a.folder.display(), b.folder.display());
                Failure::input(format!("A, {a}, cannot be compared with B, {b}: {error}"))
            }
            _ => Failure::input(error),
        })?;
        let mut text = heading(&a.folder, &b.folder, &options);
        for (side, results) in [("A", &a), ("B", b)] {
            text.extend(results.manifest.inputs.iter().map(|input| {
                let digest: String = input.sha256.chars().take(DIGITS).collect();
                format!("\n{side} is of {} (sha256 {digest})", input.file)
            }));
        }
        for table in comparison.tables() {
            text += &format!("\n\n{}", table.markdown().trim_end());
        }
        text.push('\n');
        if let Some(folder) = &self.out {
            write(folder, &text, &comparison)?;
        }
        context.print(&Compared::new([&a, b], &options, &comparison, text))
    }
}

/// Formats the heading: `A: EASY in results/x; B: CONS in results/x`.
fn heading(a: &Path, b: &Path, options: &CompareOptions) -> String {
    let side = |folder: &Path, variant: &[String]| {
        let variant = if variant.is_empty() { String::new() } else { format!("{} in ", variant.join(", ")) };
        format!("{variant}{}", folder.display())
    };
    let with = if options.with.is_empty() { &options.variant } else { &options.with };
    format!("A: {}; B: {}", side(a, &options.variant), side(b, with))
}

fn write(folder: &Path, text: &str, comparison: &Comparison) -> Result<(), Failure> {
    let mut files = OutputFiles::in_folder(folder)?;
    files.add_bytes(&folder.join("comparison.md"), text)?;
    for named in comparison.exact_tables() {
        files.add_bytes(&folder.join(format!("{}.csv", named.name)), named.table.csv())?;
    }
    let appearance = Appearance::default();
    let drawings = comparison.drawings();
    let figures: Vec<_> = drawings.iter().filter_map(|drawing| draw(drawing, &appearance)).collect();
    let placed = figures.iter().map(|figure| (folder.join(&figure.stem), figure));
    picture_files::write(&mut files, placed, &[Format::Svg, Format::Png])?;
    files.finish()
}

impl Compared {
    fn new(
        [a, b]: [&Results<'_>; 2],
        options: &CompareOptions,
        comparison: &Comparison,
        words: String,
    ) -> Compared {
        let input =
            |input: &InputSection| ComparedInput { file: input.file.clone(), sha256: input.sha256.clone() };
        let side = |results: &Results<'_>, variant: &[String]| Side {
            folder: results.folder.display().to_string(),
            variant: variant.to_vec(),
            inputs: results.manifest.inputs.iter().map(input).collect(),
        };
        let part = |rows: &ComparedRows| Part {
            rows: rows.row_type.name,
            groups: rows.exact_table(),
            left_out: rows.left_out,
        };
        Compared {
            a: side(a, &options.variant),
            b: side(b, if options.with.is_empty() { &options.variant } else { &options.with }),
            confidence: options.confidence.probability(),
            resamples: options.resamples,
            seed: options.seed,
            parts: comparison.parts.iter().map(part).collect(),
            words,
        }
    }
}
