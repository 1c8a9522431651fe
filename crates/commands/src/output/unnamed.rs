//! Atomic writes through temporary files (`O_TMPFILE` where available).

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Prefix of the names of incomplete files, on systems without unnamed files.
const PREFIX: &str = ".dfrsim-";

/// Incomplete file. On Linux it has no name, so that it disappears however the program ends;
/// elsewhere, and on file systems without unnamed files, it has a temporary name.
pub(super) struct IncompleteFile {
    folder: PathBuf,
    file: Kind,
}

enum Kind {
    #[cfg(target_os = "linux")]
    Unnamed(File),
    Named(NamedTempFile),
}

impl IncompleteFile {
    pub(super) fn create(folder: &Path) -> io::Result<IncompleteFile> {
        Ok(IncompleteFile { folder: folder.to_owned(), file: create(folder)? })
    }

    /// Applies the mode and the owner of the file that is replaced; the owner only if the user has
    /// the permission.
    pub(super) fn apply_attributes(&self, earlier: &Metadata) -> io::Result<()> {
        let file = self.file();
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt as _, fchown};
            let _ = fchown(file, Some(earlier.uid()), Some(earlier.gid()));
        }
        file.set_permissions(earlier.permissions())
    }

    /// Gives the file its final name, replacing an existing file.
    pub(super) fn persist(self, place: &Path) -> io::Result<()> {
        let named = match self.file {
            Kind::Named(named) => named,
            #[cfg(target_os = "linux")]
            Kind::Unnamed(file) => match linux::persist(&file, place) {
                Ok(()) => return Ok(()),
                // Without /proc the file cannot be linked, so it is copied.
                Err(_) => linux::copy_to_named(file, &self.folder)?,
            },
        };
        named.persist(place).map(drop).map_err(|error| error.error)
    }

    fn file(&self) -> &File {
        match &self.file {
            Kind::Named(named) => named.as_file(),
            #[cfg(target_os = "linux")]
            Kind::Unnamed(file) => file,
        }
    }
}

impl Write for IncompleteFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

#[cfg(target_os = "linux")]
fn create(folder: &Path) -> io::Result<Kind> {
    match linux::unnamed(folder) {
        Ok(file) => Ok(Kind::Unnamed(file)),
        Err(error) if linux::is_unsupported(&error) => named(folder).map(Kind::Named),
        Err(error) => Err(error),
    }
}

#[cfg(not(target_os = "linux"))]
fn create(folder: &Path) -> io::Result<Kind> {
    named(folder).map(Kind::Named)
}

fn named(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    // The usual permissions of a new file, subject to the user's mask, instead of private ones.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.prefix(PREFIX).tempfile_in(folder)
}

#[cfg(target_os = "linux")]
mod linux {
    use super::*;
    use rustix::fs::{AtFlags, CWD, OFlags, linkat};
    use rustix::io::Errno;
    use std::ffi::OsString;
    use std::io::Seek as _;
    use std::os::fd::AsRawFd as _;
    use std::os::unix::fs::OpenOptionsExt as _;

    /// Maximum number of attempts to take a temporary name that other programs use too.
    const MAX_ATTEMPTS: u32 = 1_000;

    pub(super) fn unnamed(folder: &Path) -> io::Result<File> {
        let flags = OFlags::TMPFILE.bits() as i32;
        fs::OpenOptions::new().read(true).write(true).mode(0o666).custom_flags(flags).open(folder)
    }

    /// Returns whether an error means that the file system or the kernel does not support unnamed
    /// files.
    pub(super) fn is_unsupported(error: &io::Error) -> bool {
        let unsupported = [Errno::OPNOTSUPP, Errno::ISDIR, Errno::INVAL];
        unsupported.iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
    }

    /// Gives a complete file its name. If no file has that name, it appears at once. A link cannot
    /// replace a file, so otherwise the complete file gets a temporary name in the same folder
    /// first, and is then renamed. Only a program that is killed between the two steps leaves the
    /// temporary name, which the next writer of the file reuses.
    pub(super) fn persist(file: &File, place: &Path) -> io::Result<()> {
        let open = format!("/proc/self/fd/{}", file.as_raw_fd());
        let link = |name: &Path| linkat(CWD, &open, CWD, name, AtFlags::SYMLINK_FOLLOW);
        match link(place) {
            Err(Errno::EXIST) => {}
            linked => return Ok(linked?),
        }
        let mut name = OsString::from(PREFIX);
        name.push(place.file_name().unwrap_or_default());
        let beside = place.with_file_name(name);
        for _ in 0..MAX_ATTEMPTS {
            match link(&beside) {
                Ok(()) => match fs::rename(&beside, place) {
                    // Another program that writes the same file has renamed it.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    renamed => return renamed,
                },
                Err(Errno::EXIST) => match fs::remove_file(&beside) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                },
                Err(error) => return Err(error.into()),
            }
        }
        Err(io::ErrorKind::ResourceBusy.into())
    }

    /// Copies the contents to a file with a temporary name.
    pub(super) fn copy_to_named(mut file: File, folder: &Path) -> io::Result<NamedTempFile> {
        let mut copy = named(folder)?;
        copy.as_file().set_permissions(file.metadata()?.permissions())?;
        file.rewind()?;
        io::copy(&mut file, &mut copy)?;
        Ok(copy)
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn no_file_has_a_name_before_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = IncompleteFile::create(folder.path()).unwrap();
        file.write_all(b"text").unwrap();
        if matches!(file.file, Kind::Unnamed(_)) {
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        }
        let place = folder.path().join("file");
        fs::write(&place, "earlier").unwrap();
        file.persist(&place).unwrap();
        assert_eq!(fs::read(&place).unwrap(), b"text");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    /// A temporary file that a killed program left is removed when the file is written again, and
    /// concurrent writers of one file do not interfere.
    #[test]
    fn no_temporary_file_stays_beside_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("file");
        fs::write(&place, "earlier").unwrap();
        fs::write(folder.path().join(".dfrsim-file"), "left").unwrap();
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let place = &place;
                scope.spawn(move || {
                    for number in 0..50 {
                        let mut file = IncompleteFile::create(place.parent().unwrap()).unwrap();
                        write!(file, "{writer} {number}").unwrap();
                        file.persist(place).unwrap();
                    }
                });
            }
        });
        assert!(fs::read_to_string(&place).unwrap().ends_with(" 49"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
