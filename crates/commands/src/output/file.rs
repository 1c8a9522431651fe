//! Files that appear whole or not at all.

use super::place::{Destination, place};
use super::unnamed::Unnamed;
use crate::failure::Failure;
use std::fs::{File, Metadata};
use std::io::{self, BufWriter, Seek as _, Write};
use std::path::{Path, PathBuf};
use tempfile::SpooledTempFile;

/// How much of what goes to a pipe or a device is kept in memory; the rest waits on disk.
const IN_MEMORY: usize = 1 << 20;

/// A file in the making.
///
/// A regular file is written under no name, in the folder where it is to appear, and gets its name when it is whole. A
/// symbolic link stays, and its target is written. Pipes, devices and standard output are opened when all that goes
/// there is known, and written once, even if earlier attempts were given up.
pub(crate) struct OutputFile {
    path: PathBuf,
    target: Target,
}

enum Target {
    /// A regular file, its place, and what is there now.
    Regular { out: BufWriter<Unnamed>, place: PathBuf, earlier: Option<Metadata> },
    /// Everything else.
    Direct { out: SpooledTempFile, place: Destination },
}

impl OutputFile {
    pub(crate) fn create(path: &Path) -> Result<OutputFile, Failure> {
        let target = Target::new(path).map_err(|error| Failure::output(path.display(), &error))?;
        Ok(OutputFile { path: path.to_owned(), target })
    }

    /// The file is whole: it takes its place.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        self.target.finish().map_err(|error| Failure::output(self.path.display(), &error))
    }

    /// Writes a whole file.
    pub(crate) fn write_text(path: &Path, text: &str) -> Result<(), Failure> {
        let mut file = OutputFile::create(path)?;
        file.write_all(text.as_bytes()).map_err(|error| file.failure(&error))?;
        file.finish()
    }

    /// Whether it is not a regular file, so that it can still fail when it is finished.
    pub(super) fn is_direct(&self) -> bool {
        matches!(self.target, Target::Direct { .. })
    }

    /// The failure of a write to this file.
    pub(crate) fn failure(&self, error: &io::Error) -> Failure {
        Failure::output(self.path.display(), error)
    }
}

impl Target {
    fn new(path: &Path) -> io::Result<Target> {
        let direct = |place| Ok(Target::Direct { out: SpooledTempFile::new(IN_MEMORY), place });
        let at = match place(path)? {
            Destination::File(at) => at,
            other => return direct(other),
        };
        let earlier = match at.metadata() {
            Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(metadata) if !metadata.is_file() => return direct(Destination::File(at)),
            Ok(metadata) => {
                // A file that may not be written is not replaced either.
                File::options().write(true).open(&at)?;
                Some(metadata)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let folder = at.parent().unwrap_or(Path::new("/"));
        match Unnamed::create(folder) {
            // A file that may be written in a folder that may not.
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
                    file.become_like(earlier)?;
                }
                file.persist(&place)
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
