//! Output files that appear completely or not at all.

use super::place::{Destination, resolve};
use crate::failure::Failure;
use std::fs::{File, Metadata};
use std::io::{self, BufWriter, Seek as _, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile, SpooledTempFile};

/// Amount of data for a pipe or a device that is kept in memory; more is spooled to disk.
const SPOOL_THRESHOLD: usize = 1 << 20;

/// Prefix of the names of incomplete files, which only a program that is killed leaves.
const PREFIX: &str = ".dfrsim-";

/// Output file that is being written.
///
/// A regular file is written under a temporary name in its destination folder, and gets its name
/// when it is complete. A symbolic link is kept, and its target is written. Pipes, devices and
/// standard output are opened only once all data are known, and written once, even if earlier
/// attempts were abandoned.
pub(crate) struct OutputFile {
    path: PathBuf,
    target: Target,
}

enum Target {
    /// Regular file, with its path and the metadata of the file that it replaces.
    Regular { out: BufWriter<NamedTempFile>, place: PathBuf, earlier: Option<Metadata> },
    /// Pipe, device or standard stream.
    Direct { out: SpooledTempFile, place: Destination },
}

impl OutputFile {
    pub(crate) fn create(path: &Path) -> Result<OutputFile, Failure> {
        let target = Target::new(path).map_err(|error| Failure::output(path.display(), &error))?;
        Ok(OutputFile { path: path.to_owned(), target })
    }

    /// Completes the file and moves it to its path.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        self.target.finish().map_err(|error| Failure::output(self.path.display(), &error))
    }

    /// Writes a text to a file.
    pub(crate) fn write_text(path: &Path, text: &str) -> Result<(), Failure> {
        let mut file = OutputFile::create(path)?;
        file.write_all(text.as_bytes()).map_err(|error| file.failure(&error))?;
        file.finish()
    }

    /// Returns true if the target is not a regular file, so that finishing it can still fail.
    pub(super) fn is_direct(&self) -> bool {
        matches!(self.target, Target::Direct { .. })
    }

    /// Creates the failure for an error of writing to this file.
    pub(crate) fn failure(&self, error: &io::Error) -> Failure {
        Failure::output(self.path.display(), error)
    }
}

impl Target {
    fn new(path: &Path) -> io::Result<Target> {
        let direct = |place| Ok(Target::Direct { out: SpooledTempFile::new(SPOOL_THRESHOLD), place });
        let at = match resolve(path)? {
            Destination::File(at) => at,
            other => return direct(other),
        };
        let earlier = match at.metadata() {
            Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(metadata) if !metadata.is_file() => return direct(Destination::File(at)),
            Ok(metadata) => {
                // A file that is not writable must not be replaced either.
                File::options().write(true).open(&at)?;
                Some(metadata)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let folder = at.parent().unwrap_or(Path::new("/"));
        match incomplete_file(folder) {
            // The file is writable, but its folder is not.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && earlier.is_some() => {
                direct(Destination::File(at))
            }
            file => {
                let out = BufWriter::with_capacity(1 << 16, file?);
                Ok(Target::Regular { out, place: at, earlier })
            }
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Target::Regular { out, place, earlier } => {
                let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
                if let Some(earlier) = &earlier {
                    apply_attributes(file.as_file(), earlier)?;
                }
                file.persist(&place)?;
                Ok(())
            }
            Target::Direct { mut out, place } => {
                out.rewind()?;
                let mut sink = place.open()?;
                io::copy(&mut out, &mut sink)?;
                sink.flush()
            }
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.target {
            Target::Regular { out, .. } => out.write(bytes),
            Target::Direct { out, .. } => out.write(bytes),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        match &mut self.target {
            Target::Regular { out, .. } => out.flush(),
            Target::Direct { out, .. } => out.flush(),
        }
    }
}

/// Creates a file with a temporary name.
fn incomplete_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    // The usual permissions of a new file, subject to the user's mask, instead of private ones.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.prefix(PREFIX).tempfile_in(folder)
}

/// Applies the mode and the owner of the file that is replaced; the owner only if the user has the
/// permission.
fn apply_attributes(file: &File, earlier: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, fchown};
        let _ = fchown(file, Some(earlier.uid()), Some(earlier.gid()));
    }
    file.set_permissions(earlier.permissions())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_appears_when_it_is_finished() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("file");
        let begun = || {
            let mut file = OutputFile::create(&place).unwrap();
            file.write_all(b"text").unwrap();
            file.flush().unwrap();
            file
        };
        let file = begun();
        assert!(!place.exists());
        drop(file);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "an abandoned file is removed");
        fs::write(&place, "earlier").unwrap();
        let file = begun();
        assert_eq!(fs::read_to_string(&place).unwrap(), "earlier");
        file.finish().unwrap();
        assert_eq!(fs::read_to_string(&place).unwrap(), "text");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn writers_of_one_file_do_not_interfere() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("file");
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let place = &place;
                scope.spawn(move || {
                    for number in 0..50 {
                        OutputFile::write_text(place, &format!("{writer} {number}")).unwrap();
                    }
                });
            }
        });
        assert!(fs::read_to_string(&place).unwrap().ends_with(" 49"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
