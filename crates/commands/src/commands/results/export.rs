//! `dfrsim results export`

use crate::context::Context;
use crate::failure::Failure;
use crate::output::{OutputFile, Written};
use clap::Args;
use dfrsim_lab::{DataFrame, Results, export};
use std::path::{Path, PathBuf};

/// Write the rows of finished results in other formats
///
/// Numbers stay numbers and time spans are in seconds; empty values are null. Of a study with
/// several types of rows, JSON has all of them, each with its type, and Parquet has a file for each:
/// rows-case.parquet. Parquet is for pandas, Polars and DuckDB; it needs a dfrsim that was built
/// with `--features parquet`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim results export results/quickstart --jsonl rows.jsonl
  dfrsim results export results/quickstart --parquet rows.parquet")]
#[command(group = clap::ArgGroup::new("formats").required(true).multiple(true))]
pub(crate) struct Export {
    /// Folder of the results
    #[arg(value_hint = clap::ValueHint::DirPath)]
    results: PathBuf,
    /// Write a JSON object for each row
    #[arg(long, value_name = "FILE.jsonl", group = "formats", value_hint = clap::ValueHint::AnyPath)]
    jsonl: Option<PathBuf>,
    /// Write a Parquet table for each type of rows
    #[arg(long, value_name = "FILE.parquet", group = "formats", value_hint = clap::ValueHint::AnyPath)]
    parquet: Option<PathBuf>,
}

impl Export {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let results = super::read(&self.results, context.registry)?;
        let frames = results.rows().map_err(Failure::input)?;
        let mut places = super::overwrite_guard(&results).add_output("--jsonl", self.jsonl.as_deref())?;
        for frame in &frames {
            let path = self.parquet.as_deref().map(|path| table_path(path, frame));
            places = places.add_output("--parquet", path.as_deref())?;
        }
        if let Some(path) = &self.jsonl {
            let mut out = OutputFile::create(path)?;
            export::json_lines(&frames, &mut out).map_err(|error| out.failure(&error))?;
            out.finish()?;
        }
        let tables = self
            .parquet
            .iter()
            .flat_map(|path| frames.iter().map(move |frame| (frame, table_path(path, frame))));
        let tables: Vec<(&DataFrame, PathBuf)> = tables.collect();
        tables.iter().try_for_each(|(frame, path)| write_parquet(&results, frame, path))?;
        context.print(&Written::new(self.jsonl.iter().chain(tables.iter().map(|(_, path)| path))))
    }
}

/// Returns the path of the table of a type of rows.
fn table_path(path: &Path, frame: &DataFrame) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path.extension().map(|it| format!(".{}", it.to_string_lossy())).unwrap_or_default();
    match frame.row_type.name {
        "" => path.to_owned(),
        name => path.with_file_name(format!("{stem}-{name}{ending}")),
    }
}

#[cfg(feature = "parquet")]
fn write_parquet(results: &Results<'_>, frame: &DataFrame, path: &Path) -> Result<(), Failure> {
    let mut out = OutputFile::create(path)?;
    export::parquet(results, frame, &mut out).map_err(|error| out.failure(&std::io::Error::other(error)))?;
    out.finish()
}

#[cfg(not(feature = "parquet"))]
fn write_parquet(_: &Results<'_>, _: &DataFrame, _: &Path) -> Result<(), Failure> {
    Err(Failure::input(
        "this dfrsim was built without Parquet; released programs and the Python package have it, as has one that is built with `--features parquet`; --jsonl writes the same rows",
    ))
}
