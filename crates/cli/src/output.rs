//! Where results go: standard output, or files that appear whole or not at all.

use crate::failure::Failure;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Prints to standard output.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| Failure::output("standard output", &error))
}

/// A file in the making. A regular file is written beside its place and renamed when it is whole; devices and
/// pipes are written directly.
pub(crate) struct OutputFile {
    path: PathBuf,
    target: Target,
}

enum Target {
    Beside(BufWriter<NamedTempFile>),
    Direct(BufWriter<File>),
}

impl OutputFile {
    pub(crate) fn create(path: &Path) -> Result<OutputFile, Failure> {
        let failure = |error: io::Error| Failure::output(path.display(), &error);
        let special = fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
        let target = if special {
            Target::Direct(BufWriter::new(File::options().write(true).open(path).map_err(failure)?))
        } else {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let mut builder = tempfile::Builder::new();
            // The usual permissions of a new file, less the user's mask, instead of a private one.
            #[cfg(unix)]
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
            let file =
                builder.prefix(".dfrsim-").tempfile_in(folder.unwrap_or(Path::new("."))).map_err(failure)?;
            Target::Beside(BufWriter::with_capacity(1 << 16, file))
        };
        Ok(OutputFile { path: path.to_owned(), target })
    }

    /// The file is whole: it takes its place.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let failure = |error: io::Error| Failure::output(self.path.display(), &error);
        match self.target {
            Target::Direct(mut out) => out.flush().map_err(failure),
            Target::Beside(out) => {
                let file = out.into_inner().map_err(|error| failure(error.into_error()))?;
                file.persist(&self.path).map_err(|error| failure(error.error))?;
                Ok(())
            }
        }
    }

    /// Writes a whole file.
    pub(crate) fn write_text(path: &Path, text: &str) -> Result<(), Failure> {
        let mut file = OutputFile::create(path)?;
        file.write_all(text.as_bytes()).map_err(|error| file.failure(&error))?;
        file.finish()
    }

    /// The failure of a write to this file.
    pub(crate) fn failure(&self, error: &io::Error) -> Failure {
        Failure::output(self.path.display(), error)
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.target {
            Target::Beside(out) => out.write(bytes),
            Target::Direct(out) => out.write(bytes),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        match &mut self.target {
            Target::Beside(out) => out.flush(),
            Target::Direct(out) => out.flush(),
        }
    }
}
