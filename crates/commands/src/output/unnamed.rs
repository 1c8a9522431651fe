//! Files without a name until they are whole.

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// How names of files begin that are not whole yet, where files without a name do not exist.
const PREFIX: &str = ".dfrsim-";

/// An incomplete file. On Linux it has no name, so that it disappears however the program ends; elsewhere,
/// and on file systems that have no such files, its name is a temporary one.
pub(super) struct Unnamed {
    folder: PathBuf,
    file: Kind,
}

enum Kind {
    #[cfg(target_os = "linux")]
    Unnamed(File),
    Named(NamedTempFile),
}

impl Unnamed {
    pub(super) fn create(folder: &Path) -> io::Result<Unnamed> {
        Ok(Unnamed { folder: folder.to_owned(), file: create(folder)? })
    }

    /// Takes over mode and owner of the file that it replaces; the owner as far as the user may.
    pub(super) fn become_like(&self, earlier: &Metadata) -> io::Result<()> {
        let file = self.file();
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt as _, fchown};
            let _ = fchown(file, Some(earlier.uid()), Some(earlier.gid()));
        }
        file.set_permissions(earlier.permissions())
    }

    /// Gives it its name, in place of the file that has it.
    pub(super) fn persist(self, place: &Path) -> io::Result<()> {
        let named = match self.file {
            Kind::Named(named) => named,
            #[cfg(target_os = "linux")]
            Kind::Unnamed(file) => match linux::persist(&file, place) {
                Ok(()) => return Ok(()),
                // Without /proc it is copied.
                Err(_) => linux::copied(file, &self.folder)?,
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

impl Write for Unnamed {
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
    // The usual permissions of a new file, less the user's mask, instead of a private one.
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

    /// How often a name is tried that other programs take too.
    const TIMES: u32 = 1_000;

    pub(super) fn unnamed(folder: &Path) -> io::Result<File> {
        let flags = OFlags::TMPFILE.bits() as i32;
        fs::OpenOptions::new().read(true).write(true).mode(0o666).custom_flags(flags).open(folder)
    }

    /// Whether the file system or the kernel has no files without a name.
    pub(super) fn is_unsupported(error: &io::Error) -> bool {
        let unsupported = [Errno::OPNOTSUPP, Errno::ISDIR, Errno::INVAL];
        unsupported.iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
    }

    /// Gives a whole file its name. If there is no file of that name, it appears at once. No link replaces a file: then
    /// the whole file gets a name beside it first, from which it is renamed. Only a program that ends between the two
    /// leaves that, and the next writer of the file reuses that name.
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
        for _ in 0..TIMES {
            match link(&beside) {
                Ok(()) => match fs::rename(&beside, place) {
                    // Another program that writes the same file has taken it.
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

    /// The same bytes in a file with a temporary name.
    pub(super) fn copied(mut file: File, folder: &Path) -> io::Result<NamedTempFile> {
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
        let mut file = Unnamed::create(folder.path()).unwrap();
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

    /// What a killed program left beside a file goes when the file is written again, and writers of one file do not disturb
    /// each other.
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
                        let mut file = Unnamed::create(place.parent().unwrap()).unwrap();
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
