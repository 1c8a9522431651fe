//! Pages of results of the previous laboratory. It goes with that crate.

mod error;
mod instances;
mod layout;
mod table;
mod warnings;

pub use error::ReportError;

use crate::picture::Picture;
use dfrsim_legacy::{Results, TabledResults};
use std::path::Path;

/// The page of these results.
///
/// # Errors
/// If tables are missing or damaged, or the manifest is.
pub fn page(results: &Results, pictures: &[Picture]) -> Result<String, ReportError> {
    let tables = table::read_all(&results.folder)?;
    let manifest = manifest(&results.folder, &results.manifest)?;
    let rows = |key: &str| count(&manifest, "rows", key).unwrap_or(0);
    let content = layout::Content {
        manifest: &manifest,
        counts: format!("{} rows, {} failed", rows("total"), rows("failed")),
        warnings: warnings::warnings(results, &manifest),
        tables: &tables,
        pictures,
        instances: instances::Instances::of(&results.rows),
        scenario: &results.scenario,
        manifest_text: &results.manifest,
    };
    Ok(layout::page(&content).into_string())
}

/// The page of results of another study than the on-line one: its tables and pictures, without a way down to instances.
///
/// # Errors
/// If tables are missing or damaged, or the manifest is.
pub fn page_of_tables(results: &TabledResults, pictures: &[Picture]) -> Result<String, ReportError> {
    let tables = table::read_all(&results.folder)?;
    let manifest = manifest(&results.folder, &results.manifest)?;
    let cells = |key: &str| count(&manifest, "cells", key);
    let parts = ["instances", "total", "failed", "invalid"].into_iter().filter_map(|key| {
        let words = if key == "total" { "results" } else { key };
        Some(format!("{} {words}", cells(key)?))
    });
    let content = layout::Content {
        manifest: &manifest,
        counts: parts.collect::<Vec<_>>().join(", "),
        warnings: warnings::of_tables(results, cells("invalid").unwrap_or(0)),
        tables: &tables,
        pictures,
        instances: instances::Instances::of(&[]),
        scenario: &results.scenario,
        manifest_text: &results.manifest,
    };
    Ok(layout::page(&content).into_string())
}

fn manifest(folder: &Path, text: &str) -> Result<toml::Table, ReportError> {
    text.parse().map_err(|error| ReportError::Manifest { path: folder.join("manifest.toml"), error })
}

/// A number of a section of the manifest.
fn count(manifest: &toml::Table, section: &str, key: &str) -> Option<i64> {
    manifest.get(section)?.as_table()?.get(key)?.as_integer()
}
