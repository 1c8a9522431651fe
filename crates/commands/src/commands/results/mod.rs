//! `dfrsim results`: what runs left in folders.

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
use crate::output::{Places, notice};
use dfrsim_lab::{MANIFEST, Registry, Results as Read};
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

/// The files of results, which no output may be.
fn places(results: &Read<'_>) -> Places {
    let names = results.manifest.files.keys().map(String::as_str).chain([MANIFEST]);
    names.fold(Places::default(), |places, name| {
        places.reads("a file of the results", &results.folder.join(name))
    })
}

/// The results of a folder, with a notice if a later run is unfinished.
fn read<'a>(folder: &Path, registry: &'a Registry) -> Result<Read<'a>, Failure> {
    let results = Read::read(folder, registry).map_err(Failure::input)?;
    if results.is_outdated {
        notice!(
            "notice: {}: a later run in this folder is unfinished; these are the results of the one before",
            folder.display()
        );
    }
    Ok(results)
}
