//! Digests of the files of a finished run. They stand at the end of its manifest, so that a bit that flips afterwards is found
//! before somebody takes the figure for a result.

use crate::key::Digest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

/// The file that the digests stand in.
pub(crate) const MANIFEST: &str = "manifest.toml";

/// What is said of a file that differs.
pub(crate) const ALTERED: &str = "is not what the run wrote: its digest is not that in manifest.toml";

/// The SHA-256 of files, by name, as hexadecimal digits. A file that is not listed may be anything: manifests of older
/// versions list none.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Digests {
    #[serde(default)]
    files: BTreeMap<String, String>,
}

impl Digests {
    /// Notes what is written to a file.
    pub(crate) fn note(&mut self, name: &str, content: &str) {
        self.files.insert(name.to_owned(), Digest::of_bytes(content.as_bytes()).to_string());
    }

    /// The section of the manifest, which goes behind everything else in it.
    pub(crate) fn to_toml(&self) -> String {
        toml::to_string(self).expect("digests can be written as TOML")
    }

    /// Those in the manifest of a folder. None, if there is no manifest, or it is damaged itself: it is written anew when
    /// the run has gone on.
    pub(crate) fn of_folder(folder: &Path) -> io::Result<Digests> {
        match fs::read(folder.join(MANIFEST)) {
            Ok(bytes) => Ok(toml::from_slice(&bytes).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Digests::default()),
            Err(error) => Err(error),
        }
    }

    /// Whether a file is another one than was written.
    pub(crate) fn differ(&self, name: &str, content: &[u8]) -> bool {
        self.files.get(name).is_some_and(|digest| *digest != Digest::of_bytes(content).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_flipped_bit_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let mut digests = Digests::default();
        digests.note("rows.csv", "a,1\n");
        let manifest = format!("title = \"\"\n\n[[inputs]]\nfile = \"x\"\n\n{}", digests.to_toml());
        fs::write(folder.path().join(MANIFEST), &manifest).unwrap();
        let read = Digests::of_folder(folder.path()).unwrap();
        assert!(!read.differ("rows.csv", b"a,1\n") && !read.differ("other.csv", b"a,2\n"));
        for bit in 0..32 {
            let mut flipped = b"a,1\n".to_vec();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(read.differ("rows.csv", &flipped), "{bit}");
        }
        // Nothing is known without a manifest, or with one that is damaged or of a version without digests.
        for manifest in ["title = \"\"\n", "title = \n"] {
            fs::write(folder.path().join(MANIFEST), manifest).unwrap();
            assert!(!Digests::of_folder(folder.path()).unwrap().differ("rows.csv", b""));
        }
        fs::remove_file(folder.path().join(MANIFEST)).unwrap();
        assert!(!Digests::of_folder(folder.path()).unwrap().differ("rows.csv", b""));
    }
}
