//! Archives of results that others can verify and run again. An archive is a ZIP file of all result
//! files, and also a research object ([RO-Crate 1.1](https://w3id.org/ro/crate/1.1)), so that data
//! repositories can read its description.
//!
//! [`write()`] packs results. [`extract`] unpacks them into a folder, where [`Results::read`] checks
//! every file against its digest and [`check_metadata`] checks the description. [`differences`]
//! lists the files in which two results differ. Input files of the scenario are among the results,
//! except for logs, whose licences often forbid copies: the manifest has their names and digests,
//! and a run looks for them as usual.

mod crate_metadata;
mod directory;

use crate_metadata::{METADATA, date_of, finished, metadata};
use dfrsim_lab::{MANIFEST, Manifest, Results, ResultsError};
use dfrsim_workload::recognise::{Kind, recognise};
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

/// Reason why an archive could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The results differ from what the run wrote.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// The file is not an archive of results, or is larger than allowed.
    #[error("{}: {message}", file.display())]
    Unusable {
        /// The archive.
        file: PathBuf,
        /// The problem.
        message: String,
    },
    /// The archive is not as it was written.
    #[error("{}: {message}", file.display())]
    Altered {
        /// The archive.
        file: PathBuf,
        /// The problem.
        message: String,
    },
    /// A file could not be read or written.
    #[error("{}: {source}", file.display())]
    Io {
        /// File that could not be read or written.
        file: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The archive could not be written.
    #[error("cannot write the archive: {0}")]
    Write(#[source] io::Error),
}

impl ArchiveError {
    fn io(file: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> ArchiveError {
        let file = file.into();
        |source| ArchiveError::Io { file, source }
    }
}

/// Packs finished results: every file, the manifest, and `ro-crate-metadata.json`. Equal results
/// give equal bytes.
///
/// # Errors
/// Returns an error if a file of the results differs from what the run wrote, or the archive cannot
/// be written.
pub fn write(results: &Results<'_>, out: impl Write) -> Result<(), ArchiveError> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default());
    let mut zip = ZipWriter::new_stream(out);
    let mut put = |name: &str, bytes: &[u8]| {
        zip.start_file(name, options).map_err(io::Error::from).and_then(|()| zip.write_all(bytes))
    };
    let manifest = results.folder.join(MANIFEST);
    let description =
        finished(results).and_then(|date| metadata(results, &date)).map_err(ArchiveError::io(&manifest))?;
    put(METADATA, &description).map_err(ArchiveError::Write)?;
    put(MANIFEST, &fs::read(&manifest).map_err(ArchiveError::io(&manifest))?).map_err(ArchiveError::Write)?;
    for name in results.manifest.files.keys() {
        put(name, results.file(name)?.as_bytes()).map_err(ArchiveError::Write)?;
    }
    let mut out = zip.finish().map_err(|error| ArchiveError::Write(error.into()))?.into_inner();
    out.flush().map_err(ArchiveError::Write)
}

/// Describes a file that is no archive: what it is, if that is known, and what would be right.
fn not_an_archive(path: &Path, error: &ZipError) -> String {
    let expected = "expected an archive, as written by `dfrsim results archive`";
    match recognise(path) {
        Ok(Kind::Foreign(_) | Kind::Text(_)) | Err(_) => {
            format!("not an archive of results: {error}; {expected}")
        }
        Ok(kind) => format!("found {}, {expected}", kind.description()),
    }
}

/// Extracts the results of an archive into an empty folder. Use [`Results::read`] to check that they
/// are what the run wrote, and [`check_metadata`] to check their description.
///
/// # Errors
/// Returns an error if the file is not an archive of results, is damaged, has files that its
/// manifest does not list, or unpacks to more than `most` bytes, which is checked before anything is
/// written; or if a file cannot be written.
pub fn extract(archive: &Path, folder: &Path, most: u64) -> Result<(), ArchiveError> {
    let altered = |message: String| ArchiveError::Altered { file: archive.to_owned(), message };
    let unusable = |message: String| ArchiveError::Unusable { file: archive.to_owned(), message };
    let file = File::open(archive).map_err(ArchiveError::io(archive))?;
    let mut zip =
        ZipArchive::new(BufReader::new(file)).map_err(|error| unusable(not_an_archive(archive, &error)))?;
    let mut unpacked = 0_u64;
    for place in 0..zip.len() {
        let entry = zip.by_index_raw(place).map_err(|error| altered(error.to_string()))?;
        if !entry.is_file() {
            let name = entry.name().escape_debug().to_string();
            return Err(altered(format!(
                "`{name}` is a folder or a link; an archive of results may contain files only"
            )));
        }
        unpacked = unpacked.saturating_add(entry.size());
    }
    if unpacked > most {
        let (unpacked, most) = (unpacked as f64 / 1e9, most as f64 / 1e9);
        return Err(unusable(format!("unpacks to {unpacked:.1} GB, but the limit is {most:.1} GB")));
    }
    let mut directory = BufReader::new(File::open(archive).map_err(ArchiveError::io(archive))?);
    let begin = SeekFrom::Start(zip.central_directory_start());
    let entries = directory.seek(begin).and_then(|_| directory::count_entries(&mut directory));
    if entries.map_err(ArchiveError::io(archive))? != zip.len() {
        return Err(altered("an entry occurs twice".to_owned()));
    }
    let mut names: Vec<String> = zip.file_names().map(str::to_owned).collect();
    let mut take = |name: &str| -> Result<(), ArchiveError> {
        let entry = zip.by_name(name).map_err(|error| match error {
            ZipError::FileNotFound => altered(format!("{name} is missing from the archive")),
            error => altered(format!("{name}: {error}")),
        })?;
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(ArchiveError::io(&path))?;
        let mut out = BufWriter::new(File::create_new(&path).map_err(ArchiveError::io(&path))?);
        // A damaged entry may unpack to more than the size that it states.
        let limit = entry.size();
        let mut entry = entry.take(limit);
        let mut part = vec![0; 1 << 16];
        loop {
            let read = entry.read(&mut part).map_err(|error| altered(format!("{name}: {error}")))?;
            if read == 0 {
                break;
            }
            out.write_all(&part[..read]).map_err(ArchiveError::io(&path))?;
        }
        out.flush().map_err(ArchiveError::io(&path))
    };
    take(MANIFEST)?;
    let manifest = Manifest::read(folder).map_err(|error| altered(error.to_string()))?;
    let manifest = manifest.ok_or_else(|| altered(format!("{MANIFEST} is missing from the archive")))?;
    if let Some(name) = manifest.name_outside() {
        let name = name.escape_debug();
        return Err(altered(format!("{MANIFEST} lists `{name}`, which lies outside the results")));
    }
    let is_listed = |name: &str| [MANIFEST, METADATA].contains(&name) || manifest.files.contains_key(name);
    names.sort();
    if let Some(name) = names.iter().find(|name| !is_listed(name)) {
        return Err(altered(format!(
            "`{}` is in the archive, but not listed in its {MANIFEST}",
            name.escape_debug()
        )));
    }
    manifest.files.keys().map(String::as_str).chain([METADATA]).try_for_each(&mut take)
}

/// Checks that the extracted description of the archive is the one derived from these results. Only
/// its date, that of the run, is not checked.
///
/// # Errors
/// Returns an error if the description differs or cannot be read.
pub fn check_metadata(archive: &Path, results: &Results<'_>) -> Result<(), ArchiveError> {
    let path = results.folder.join(METADATA);
    let found = fs::read(&path).map_err(ArchiveError::io(&path))?;
    if date_of(&found).is_some_and(|date| metadata(results, &date).is_ok_and(|made| made == found)) {
        return Ok(());
    }
    let message = format!("{METADATA} does not match the results");
    Err(ArchiveError::Altered { file: archive.to_owned(), message })
}

/// Returns the names of the files that differ or that only one of two results has. The run times are
/// left out, as they always differ.
pub fn differences(a: &Manifest, b: &Manifest) -> Vec<String> {
    let names = a.files.keys().chain(b.files.keys().filter(|name| !a.files.contains_key(*name)));
    let differ = names.filter(|name| *name != dfrsim_lab::TIMES && a.files.get(*name) != b.files.get(*name));
    differ.cloned().collect()
}
