//! What a journal is of: a file beside it, written before its first record. Its last line is a digest of the others, for a
//! merge takes the scenario from here.

use crate::RunError;
use crate::key::{Digest, SEMANTICS_VERSION};
use crate::shard::Shard;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// What stands before the digest.
const SEAL: &str = "# sha256 ";

/// The beginning of a run, whole or a shard. All but `shard` and `cells` are the same for journals that belong together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Header {
    pub(crate) program: String,
    pub(crate) version: String,
    pub(crate) semantics: u32,
    /// `2/8`; nothing for all of the scenario.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) shard: Option<String>,
    /// How many keys there will be in the journal when the run is through.
    pub(crate) cells: usize,
    /// What a cell is, in the plural.
    pub(crate) unit: String,
    pub(crate) columns: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) inputs: Vec<Input>,
    /// The scenario with every field spelt out.
    pub(crate) scenario: String,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Input {
    pub(crate) file: String,
    pub(crate) sha256: String,
}

impl Header {
    pub(crate) fn new<'a>(
        shard: Option<Shard>,
        cells: usize,
        unit: &str,
        columns: impl IntoIterator<Item = &'a str>,
        inputs: impl IntoIterator<Item = (String, Digest)>,
        scenario: String,
    ) -> Header {
        let input = |(file, digest): (String, Digest)| Input { file, sha256: digest.to_string() };
        Header {
            program: "dfrsim".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            semantics: SEMANTICS_VERSION,
            shard: shard.map(|shard| shard.to_string()),
            cells,
            unit: unit.to_owned(),
            columns: columns.into_iter().map(str::to_owned).collect(),
            inputs: inputs.into_iter().map(input).collect(),
            scenario,
        }
    }

    /// Where the header of a journal stands.
    pub(crate) fn path(journal: &Path) -> PathBuf {
        journal.with_extension("journal.toml")
    }

    /// The header of a journal, if it has one.
    pub(crate) fn read(journal: &Path) -> Result<Option<Header>, RunError> {
        let path = Header::path(journal);
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(RunError::io(&path, error)),
        };
        Header::of_bytes(&bytes).map(Some).map_err(|fault| RunError::Header {
            path,
            journal: journal.to_owned(),
            fault,
        })
    }

    fn of_bytes(bytes: &[u8]) -> Result<Header, String> {
        let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
        let sealed = text
            .trim_end()
            .rsplit_once(SEAL)
            .is_some_and(|(text, digest)| Digest::of_bytes(text.as_bytes()).to_string() == digest);
        if !sealed {
            return Err("its digest is another".to_owned());
        }
        toml::from_str(text).map_err(|error| error.message().to_owned())
    }

    pub(crate) fn to_toml(&self) -> String {
        let text = toml::to_string(self).expect("a header can be written as TOML");
        let digest = Digest::of_bytes(text.as_bytes());
        format!("{text}{SEAL}{digest}\n")
    }

    /// What is not the same in another header, if they do not belong together: what it is, here and there.
    pub(crate) fn difference(&self, other: &Header) -> Option<(&'static str, String, String)> {
        let inputs = |header: &Header| {
            // A digest of a damaged header need not have 64 digits.
            let begin = |sha256: &str| sha256.chars().take(12).collect::<String>();
            let input = |Input { file, sha256 }: &Input| format!("{file} ({})", begin(sha256));
            header.inputs.iter().map(input).collect::<Vec<_>>().join(", ")
        };
        let version = |header: &Header| format!("{} {}", header.program, header.version);
        if version(self) != version(other) {
            Some(("the program", version(self), version(other)))
        } else if self.semantics != other.semantics {
            Some(("the version of the semantics", self.semantics.to_string(), other.semantics.to_string()))
        } else if self.columns != other.columns {
            Some(("the columns", self.columns.join(","), other.columns.join(",")))
        } else if self.scenario != other.scenario {
            let mut lines = self.scenario.lines().zip(other.scenario.lines());
            let (own, others) = lines
                .find(|(own, others)| own != others)
                .unwrap_or(("longer or shorter", "shorter or longer"));
            Some(("the scenario", own.to_owned(), others.to_owned()))
        } else if self.inputs != other.inputs {
            Some(("a file", inputs(self), inputs(other)))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn header() -> Header {
        let inputs = [("a.swf".to_owned(), Digest::of_bytes(b""))];
        Header::new(Shard::new(2, 8), 40, "rows", ["key", "outcome"], inputs, "seed = 1\n".to_owned())
    }

    #[test]
    fn a_digest_that_is_none_is_a_difference() {
        let mut damaged = header();
        damaged.inputs[0].sha256 = "0123456789aä and more".to_owned();
        let (what, here, there) = header().difference(&damaged).unwrap();
        assert_eq!((what, here.as_str()), ("a file", "a.swf (e3b0c44298fc)"));
        assert_eq!(there, "a.swf (0123456789aä)");
        assert_eq!(header().difference(&header()), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        /// A header is read as it was written, or refused with the names of both files.
        #[test]
        fn damaged_headers_are_told(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4), cut in any::<prop::sample::Index>()) {
            let folder = tempfile::tempdir().unwrap();
            let journal = folder.path().join("rows-2-of-8.journal");
            let mut bytes = header().to_toml().into_bytes();
            for (place, byte) in changes {
                let place = place.index(bytes.len());
                bytes[place] = byte;
            }
            for bytes in [&bytes[..], &bytes[..cut.index(bytes.len())]] {
                std::fs::write(Header::path(&journal), bytes).unwrap();
                match Header::read(&journal) {
                    Ok(read) => prop_assert_eq!(read, Some(header())),
                    Err(error) => {
                        let told = error.to_string();
                        prop_assert!(told.contains("rows-2-of-8.journal.toml: damaged (") && told.contains("run that part again"), "{told}");
                    }
                }
            }
        }
    }
}
