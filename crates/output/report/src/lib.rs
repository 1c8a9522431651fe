//! `report.html`: one self-contained page of a run's results.
//!
//! [`page`] makes it from the files of a finished run: what was simulated, warnings, all tables (sorted by a click or a
//! key), pictures, a way down to each instance, the scenario and the versions. Styles, scripts, pictures and data stand
//! in the page itself: it opens from a disk without a network, works with the keyboard, and prints. Without scripts
//! the tables and pictures are still there.
//!
//! ```
//! use dfrsim_legacy::{Results, RunOptions, Scenario, run};
//! use std::sync::atomic::AtomicBool;
//!
//! let scenario = "study = 'online'\npolicies = ['FCFS', 'EASY']\n\
//!     [[workloads]]\nname = 'model'\nnodes = 16\nlublin = { traces = 2, jobs = 50 }\n";
//! let folder = tempfile::tempdir()?;
//! let options = RunOptions { threads: 1, ..RunOptions::new(folder.path()) };
//! run(&Scenario::parse(scenario, "example.toml", &[])?, &options, &AtomicBool::new(false), &())?;
//!
//! let page = dfrsim_report::page(&Results::read(folder.path())?, &[])?;
//! assert!(page.starts_with("<!DOCTYPE html>") && page.contains("EASY"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod instances;
mod layout;
mod picture;
mod table;
mod warnings;

pub use error::ReportError;
pub use picture::Picture;

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
