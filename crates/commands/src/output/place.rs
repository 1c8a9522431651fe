//! Resolution of output paths, and the check that a command does not overwrite one of its own files.

use crate::failure::Failure;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Maximum number of symbolic links to follow, as in Linux.
const MAX_LINKS: usize = 40;

/// Resolved target of an output path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Destination {
    /// File or device, or the path of a file that does not exist yet.
    File(PathBuf),
    /// Standard output of this process.
    Output,
    /// Standard error of this process.
    Error,
    /// Another open file of a process.
    Open(PathBuf),
}

impl Destination {
    /// Opens the target: a file is overwritten, open files of processes are appended to.
    pub(super) fn open(&self) -> io::Result<Box<dyn Write>> {
        Ok(match self {
            Destination::File(path) => Box::new(File::options().write(true).truncate(true).open(path)?),
            Destination::Open(path) => Box::new(File::options().append(true).open(path)?),
            Destination::Output => Box::new(io::stdout().lock()),
            Destination::Error => Box::new(io::stderr().lock()),
        })
    }
}

/// Resolves all symbolic links of a path. The last component need not exist. A hyphen means standard
/// output, as in other programs.
pub(super) fn resolve(path: &Path) -> io::Result<Destination> {
    if path == Path::new("-") {
        return Ok(Destination::Output);
    }
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
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

/// Returns the process whose open files are in this folder.
fn process_of(folder: &Path) -> Option<u32> {
    let inner = folder.strip_prefix("/proc").ok()?;
    (inner.file_name()? == "fd").then(|| inner.iter().next()?.to_str()?.parse().ok()).flatten()
}

/// Guard against overwriting: the files that a command reads and writes.
#[derive(Default)]
pub(crate) struct OverwriteGuard {
    files: Vec<(String, Identity)>,
}

/// Identity of a file, which is equal for two paths that lead to the same file.
struct Identity {
    place: Option<PathBuf>,
    #[cfg(unix)]
    inode: Option<(u64, u64)>,
}

impl Identity {
    /// Determines the identity of a file; `None` for a pipe or a device, which may get several
    /// outputs.
    fn of(path: &Path) -> Option<Identity> {
        let metadata = fs::metadata(path).ok();
        if metadata.as_ref().is_some_and(|metadata| !metadata.is_file()) {
            return None;
        }
        let place = match resolve(path) {
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

impl OverwriteGuard {
    /// Adds a file that the command reads.
    #[must_use]
    pub(crate) fn add_input(mut self, what: impl Into<String>, path: &Path) -> OverwriteGuard {
        self.files.extend(Identity::of(path).map(|identity| (what.into(), identity)));
        self
    }

    /// Adds a file that the command writes, if one is given.
    ///
    /// # Errors
    /// Returns an error if it is one of the files added so far.
    pub(crate) fn add_output<'a>(
        mut self,
        what: &str,
        path: impl Into<Option<&'a Path>>,
    ) -> Result<OverwriteGuard, Failure> {
        let Some(path) = path.into() else { return Ok(self) };
        let Some(identity) = Identity::of(path) else { return Ok(self) };
        if let Some((other, _)) = self.files.iter().find(|(_, other)| other.is_same(&identity)) {
            return Err(Failure::input(format!(
                "{what}: {} is also {other}, which it would overwrite; choose another name",
                path.display()
            )));
        }
        self.files.push((what.to_owned(), identity));
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
        assert_eq!(resolve(&base.join("first")).unwrap(), Destination::File(base.join("file")));
        assert!(resolve(&base.join("turn")).is_err());
        assert!(resolve(&base.join("none/file")).is_err());
        assert!(resolve(&base.join("file/")).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn standard_output_has_many_names() {
        for name in ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
            assert_eq!(resolve(Path::new(name)).unwrap(), Destination::Output, "{name}");
        }
        assert_eq!(resolve(Path::new("/dev/stderr")).unwrap(), Destination::Error);
        assert!(matches!(resolve(Path::new("/dev/fd/0")).unwrap(), Destination::Open(_)));
    }

    #[test]
    fn one_file_is_one_file_by_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("log"), "").unwrap();
        let places = || OverwriteGuard::default().add_input("the log", &path("log"));
        assert!(places().add_output("--out", path("new").as_path()).is_ok());
        assert!(places().add_output("--out", path("log").as_path()).is_err());
        assert!(places().add_output("--out", path("../").join(folder.path()).join("log").as_path()).is_err());
        let both = |a: &str, b: &str| {
            places()
                .add_output("--a", path(a).as_path())
                .and_then(|it| it.add_output("--b", path(b).as_path()))
        };
        assert!(both("new", "new").is_err() && both("new", "newer").is_ok());
        #[cfg(unix)]
        {
            fs::hard_link(path("log"), path("hard")).unwrap();
            assert!(places().add_output("--out", path("hard").as_path()).is_err());
            let null = Path::new("/dev/null");
            assert!(places().add_output("--a", null).and_then(|it| it.add_output("--b", null)).is_ok());
        }
    }
}
