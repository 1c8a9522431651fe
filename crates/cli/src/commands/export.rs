//! `dfrsim export`

use crate::failure::Failure;
use crate::output::OutputFile;
use clap::Args;
use dfrsim_legacy::{Results, export};
use std::path::{Path, PathBuf};

/// Write the rows of finished results in other formats
///
/// Numbers stay numbers and spans are in seconds; what is empty in rows.csv is null. Parquet is for pandas, Polars and
/// DuckDB; it needs a dfrsim that was built with `--features parquet`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim export results/quickstart --jsonl rows.jsonl
  dfrsim export results/quickstart --parquet rows.parquet")]
#[command(group = clap::ArgGroup::new("format").required(true).multiple(true))]
pub(crate) struct Export {
    /// The folder of the results
    results: PathBuf,
    /// Write an object of JSON a row
    #[arg(long, value_name = "FILE.jsonl", group = "format")]
    jsonl: Option<PathBuf>,
    /// Write a Parquet table
    #[arg(long, value_name = "FILE.parquet", group = "format")]
    parquet: Option<PathBuf>,
}

impl Export {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let results = Results::read(&self.results).map_err(Failure::input)?;
        if results.is_outdated {
            eprintln!(
                "{}: a later run here is unfinished; these are rows of the one before",
                self.results.display()
            );
        }
        if let Some(path) = &self.jsonl {
            let mut out = OutputFile::create(path)?;
            export::json_lines(&results.rows, &mut out).map_err(|error| out.failure(&error))?;
            out.finish()?;
        }
        self.parquet.as_deref().map_or(Ok(()), |path| write_parquet(&results, path))
    }
}

#[cfg(feature = "parquet")]
fn write_parquet(results: &Results, path: &Path) -> Result<(), Failure> {
    let mut out = OutputFile::create(path)?;
    export::parquet(results, &mut out).map_err(|error| out.failure(&std::io::Error::other(error)))?;
    out.finish()
}

#[cfg(not(feature = "parquet"))]
fn write_parquet(_: &Results, _: &Path) -> Result<(), Failure> {
    Err(Failure::input(
        "this dfrsim was built without Parquet: `cargo build --release --features parquet` makes one that has it",
    ))
}
