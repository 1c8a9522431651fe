//! Where paths lead, and that a command does not destroy one of its files with another.

use crate::failure::Failure;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The most symbolic links that are followed, as for Linux.
const MOST_LINKS: usize = 40;

/// What a path leads to when all symbolic links are followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Destination {
    /// A file or a device, or the place of a file that does not exist.
    File(PathBuf),
    /// Standard output of this process.
    Output,
    /// Standard error of this process.
    Error,
    /// Another file that a process has open.
    Open(PathBuf),
}

impl Destination {
    /// Opens it to write over what is there, if that is a file; otherwise behind what was written there.
    pub(super) fn open(&self) -> io::Result<Box<dyn Write>> {
        Ok(match self {
            Destination::File(path) => Box::new(File::options().write(true).truncate(true).open(path)?),
            Destination::Open(path) => Box::new(File::options().append(true).open(path)?),
            Destination::Output => Box::new(io::stdout().lock()),
            Destination::Error => Box::new(io::stderr().lock()),
        })
    }
}

/// Follows all symbolic links of a path. The last part need not exist.
pub(super) fn place(path: &Path) -> io::Result<Destination> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let name = match path.file_name() {
            Some(name) if !path.as_os_str().as_encoded_bytes().ends_with(b"/") => name.to_owned(),
            _ => return Err(io::ErrorKind::IsADirectory.into()),
        };
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new(".")).canonicalize()?;
        let at = parent.join(&name);
        if let Some(process) = process_of(&parent) {
            return Ok(match name.to_str() {
                Some("1") if process == std::process::id() => Destination::Output,
                Some("2") if process == std::process::id() => Destination::Error,
                _ => Destination::Open(at),
            });
        }
        match fs::read_link(&at) {
            Ok(target) => path = parent.join(target),
            Err(_) => return Ok(Destination::File(at)),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// The process whose open files are in this folder.
fn process_of(folder: &Path) -> Option<u32> {
    let inner = folder.strip_prefix("/proc").ok()?;
    (inner.file_name()? == "fd").then(|| inner.iter().next()?.to_str()?.parse().ok()).flatten()
}

/// The files that a command reads and writes.
#[derive(Default)]
pub(crate) struct Places {
    taken: Vec<(String, Identity)>,
}

/// What makes two paths lead to the same file.
struct Identity {
    place: Option<PathBuf>,
    #[cfg(unix)]
    inode: Option<(u64, u64)>,
}

impl Identity {
    /// `None` for a pipe or a device, into which several texts may go.
    fn of(path: &Path) -> Option<Identity> {
        let metadata = fs::metadata(path).ok();
        if metadata.as_ref().is_some_and(|metadata| !metadata.is_file()) {
            return None;
        }
        let place = match place(path) {
            Ok(Destination::File(path)) => Some(path),
            _ => None,
        };
        #[cfg(unix)]
        let inode = metadata.map(|metadata| {
            use std::os::unix::fs::MetadataExt as _;
            (metadata.dev(), metadata.ino())
        });
        Some(Identity {
            place,
            #[cfg(unix)]
            inode,
        })
    }

    fn is_same(&self, other: &Identity) -> bool {
        #[cfg(unix)]
        if self.inode.is_some() && self.inode == other.inode {
            return true;
        }
        self.place.is_some() && self.place == other.place
    }
}

impl Places {
    /// The command reads this file.
    #[must_use]
    pub(crate) fn reads(mut self, what: impl Into<String>, path: &Path) -> Places {
        self.taken.extend(Identity::of(path).map(|identity| (what.into(), identity)));
        self
    }

    /// The command writes this file, if it is given.
    ///
    /// # Errors
    /// If it is one of the files so far.
    pub(crate) fn writes<'a>(
        mut self,
        what: &str,
        path: impl Into<Option<&'a Path>>,
    ) -> Result<Places, Failure> {
        let Some(path) = path.into() else { return Ok(self) };
        let Some(identity) = Identity::of(path) else { return Ok(self) };
        if let Some((other, _)) = self.taken.iter().find(|(_, other)| other.is_same(&identity)) {
            return Err(Failure::input(format!(
                "{what}: {} is also {other}, which it would overwrite; choose another name",
                path.display()
            )));
        }
        self.taken.push((what.to_owned(), identity));
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn links_are_followed_to_what_need_not_exist() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        symlink("second", base.join("first")).unwrap();
        symlink(
            "../".to_owned() + base.file_name().unwrap().to_str().unwrap() + "/file",
            base.join("second"),
        )
        .unwrap();
        symlink("turn", base.join("turn")).unwrap();
        assert_eq!(place(&base.join("first")).unwrap(), Destination::File(base.join("file")));
        assert!(place(&base.join("turn")).is_err());
        assert!(place(&base.join("none/file")).is_err());
        assert!(place(&base.join("file/")).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn standard_output_has_many_names() {
        for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
            assert_eq!(place(Path::new(name)).unwrap(), Destination::Output, "{name}");
        }
        assert_eq!(place(Path::new("/dev/stderr")).unwrap(), Destination::Error);
        assert!(matches!(place(Path::new("/dev/fd/0")).unwrap(), Destination::Open(_)));
    }

    #[test]
    fn one_file_is_one_file_by_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("log"), "").unwrap();
        let places = || Places::default().reads("the log", &path("log"));
        assert!(places().writes("--out", path("new").as_path()).is_ok());
        assert!(places().writes("--out", path("log").as_path()).is_err());
        assert!(places().writes("--out", path("../").join(folder.path()).join("log").as_path()).is_err());
        let both = |a: &str, b: &str| {
            places().writes("--a", path(a).as_path()).and_then(|it| it.writes("--b", path(b).as_path()))
        };
        assert!(both("new", "new").is_err() && both("new", "newer").is_ok());
        #[cfg(unix)]
        {
            fs::hard_link(path("log"), path("hard")).unwrap();
            assert!(places().writes("--out", path("hard").as_path()).is_err());
            let null = Path::new("/dev/null");
            assert!(places().writes("--a", null).and_then(|it| it.writes("--b", null)).is_ok());
        }
    }
}
