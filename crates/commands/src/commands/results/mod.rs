//! `dfrsim results`: commands on the result folders of runs.

mod archive;
pub(super) mod check;
pub(super) mod compare;
mod export;
mod figures;
mod merge;
mod report;
mod signature;
pub(crate) mod status;
pub(super) mod verify;

use crate::context::commands;
use crate::failure::Failure;
use crate::output::{OverwriteGuard, notice};
use dfrsim_lab::{MANIFEST, Registry, Results as Read};
use dfrsim_workload::recognise::{Expected, recognise};
use std::path::Path;

commands! {
    /// Inspect, compare, check, draw and export the results of runs
    pub(crate) enum Results {
        Status(status::Status),
        Merge(merge::Merge),
        Check(check::Check),
        Compare(compare::Compare),
        Report(report::Report),
        Figures(figures::Figures),
        Export(export::Export),
        Archive(archive::Archive),
        Verify(verify::Verify),
    }
}

/// Builds a guard that refuses to overwrite any file of the results.
fn overwrite_guard(results: &Read<'_>) -> OverwriteGuard {
    let names = results.manifest.files.keys().map(String::as_str).chain([MANIFEST]);
    names.fold(OverwriteGuard::default(), |places, name| {
        places.add_input("a file of the results", &results.folder.join(name))
    })
}

/// Returns the names of the folders in a folder that have results, in alphabetical order.
fn folders_with_results(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let with_results = entries.filter(|entry| entry.path().join(MANIFEST).exists());
    let mut names: Vec<String> =
        with_results.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Reads the results of a folder, with a notice if a later run is unfinished.
fn read<'a>(folder: &Path, registry: &'a Registry) -> Result<Read<'a>, Failure> {
    let kind = if folder.is_file() { recognise(folder).ok() } else { None };
    if let Some(message) = kind.and_then(|kind| kind.refusal_as(Expected::Results)) {
        return Err(Failure::in_file(folder, message));
    }
    if !folder.join(MANIFEST).exists() {
        let inside = folders_with_results(folder);
        if !inside.is_empty() {
            let message = format!("has no results itself; its folders with results: {}", inside.join(", "));
            return Err(Failure::in_file(folder, message));
        }
    }
    let results = Read::read(folder, registry).map_err(Failure::input)?;
    if results.has_newer_run {
        notice!(
            "notice: {}: a later run in this folder is unfinished; these are the results of the previous run",
            folder.display()
        );
    }
    Ok(results)
}
