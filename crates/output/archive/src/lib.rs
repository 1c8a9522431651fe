//! Results in one file that others can verify and run again: a ZIP file of all that a run left behind, which also is a
//! research object ([RO-Crate 1.1](https://w3id.org/ro/crate/1.1)), so that archives of data can read what it is.
//!
//! [`write()`] packs results, [`extract`] puts them into a folder again, where [`Results::read`] compares every file with its
//! digest, and [`differences`] says in which files two folders of results differ. Logs are not packed, since their licences often
//! forbid it: the manifest has their names and digests, and a run looks for them as always.

mod crate_metadata;

use crate_metadata::{METADATA, metadata};
use dfrsim_lab::{MANIFEST, Manifest, Results, ResultsError};
use std::fs::{self, File};
use std::io::{self, BufWriter, Read as _, Write};
use std::path::{Path, PathBuf};
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

/// Why an archive could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The results are not what the run wrote.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// The file is not an archive, or is damaged.
    #[error("{}: {message}", file.display())]
    Damaged {
        /// The archive.
        file: PathBuf,
        /// The fault.
        message: String,
    },
    /// A file could not be read or written.
    #[error("{}: {source}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// The message of the system.
        source: io::Error,
    },
    /// The archive could not be written.
    #[error("cannot be written: {0}")]
    Write(#[source] io::Error),
}

impl ArchiveError {
    fn io(file: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> ArchiveError {
        let file = file.into();
        |source| ArchiveError::Io { file, source }
    }
}

/// Packs finished results: every file, the manifest, and `ro-crate-metadata.json`. The same results give the same bytes.
///
/// # Errors
/// A file of the results is not what the run wrote, or the archive cannot be written.
pub fn write(results: &Results<'_>, out: impl Write) -> Result<(), ArchiveError> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default());
    let mut zip = ZipWriter::new_stream(out);
    let mut put = |name: &str, bytes: &[u8]| {
        zip.start_file(name, options).map_err(io::Error::from).and_then(|()| zip.write_all(bytes))
    };
    let manifest = results.folder.join(MANIFEST);
    put(METADATA, &metadata(results).map_err(ArchiveError::io(&manifest))?).map_err(ArchiveError::Write)?;
    put(MANIFEST, &fs::read(&manifest).map_err(ArchiveError::io(&manifest))?).map_err(ArchiveError::Write)?;
    for name in results.manifest.files.keys() {
        put(name, results.file(name)?.as_bytes()).map_err(ArchiveError::Write)?;
    }
    let mut out = zip.finish().map_err(|error| ArchiveError::Write(error.into()))?.into_inner();
    out.flush().map_err(ArchiveError::Write)
}

/// Puts the results of an archive into an empty folder: only the manifest and the files that it names. Whether these
/// are what the run wrote is for [`Results::read`] to say.
///
/// # Errors
/// The file is not an archive of results, is damaged, or has other files than its manifest says; a file cannot be written.
pub fn extract(archive: &Path, folder: &Path) -> Result<(), ArchiveError> {
    let damaged = |message: String| ArchiveError::Damaged { file: archive.to_owned(), message };
    let file = File::open(archive).map_err(ArchiveError::io(archive))?;
    let mut zip = ZipArchive::new(io::BufReader::new(file))
        .map_err(|error| damaged(format!("not an archive of results: {error}")))?;
    let mut take = |name: &str| -> Result<(), ArchiveError> {
        let mut entry = zip.by_name(name).map_err(|error| match error {
            ZipError::FileNotFound => damaged(format!("there is no {name} in it")),
            error => damaged(format!("{name}: {error}")),
        })?;
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(ArchiveError::io(&path))?;
        let mut out = BufWriter::new(File::create_new(&path).map_err(ArchiveError::io(&path))?);
        // No more than the size in the entry, even if more can be unpacked.
        let limit = entry.size();
        let copied = io::copy(&mut entry.by_ref().take(limit), &mut out);
        copied.map_err(|error| damaged(format!("{name}: {error}")))?;
        out.flush().map_err(ArchiveError::io(&path))
    };
    take(MANIFEST)?;
    let manifest = Manifest::read(folder).map_err(|error| damaged(error.to_string()))?;
    let names = manifest.map(|manifest| manifest.files).unwrap_or_default();
    for name in names.keys() {
        let is_inside =
            Path::new(name).components().all(|part| matches!(part, std::path::Component::Normal(_)));
        if !is_inside || name == MANIFEST {
            return Err(damaged(format!(
                "{MANIFEST} names `{}`, which is not a file of results",
                name.escape_debug()
            )));
        }
        take(name)?;
    }
    Ok(())
}

/// The names of the files in which two results differ, or which only one of them has; times that runs took are left out, as they
/// are never the same.
#[must_use]
pub fn differences(a: &Manifest, b: &Manifest) -> Vec<String> {
    let names = a.files.keys().chain(b.files.keys().filter(|name| !a.files.contains_key(*name)));
    let differ = names.filter(|name| *name != dfrsim_lab::TIMES && a.files.get(*name) != b.files.get(*name));
    differ.cloned().collect()
}
