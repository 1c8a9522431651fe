//! Header of a journal: a separate file, written before the first record and sealed with a digest,
//! because a merge takes the scenario from it.

use super::manifest::InputSection;
use super::seal::{self, SealError};
use crate::RunError;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Identity of a run, whole or a shard. Journals can be merged if their headers agree in everything
/// except `shard`, `keys` and `audit`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct JournalHeader {
    pub(crate) program: String,
    pub(crate) version: String,
    pub(crate) study: String,
    pub(crate) semantics: u32,
    /// Shard, such as `2/8`; `None` for the whole scenario.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) shard: Option<String>,
    /// Number of keys in the journal of a finished run.
    pub(crate) keys: usize,
    /// Plural name of what a key stands for.
    pub(crate) unit: String,
    /// True if an independent checker verifies the runs.
    pub(crate) audit: bool,
    pub(crate) columns: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) inputs: Vec<InputSection>,
    /// The scenario with every field written out.
    pub(crate) scenario: String,
}

impl JournalHeader {
    /// Returns the path of the header of a journal.
    pub(crate) fn path(journal: &Path) -> PathBuf {
        journal.with_extension("journal.toml")
    }

    /// Reads the header of a journal; `None` if it does not exist.
    pub(crate) fn read(journal: &Path) -> Result<Option<JournalHeader>, RunError> {
        let path = JournalHeader::path(journal);
        seal::read(&path).map_err(|error| match error {
            SealError::Io(error) => RunError::io(&path, error),
            SealError::Damaged(fault) => RunError::unusable(
                &path,
                format_args!(
                    "damaged ({fault}); run that part again to replace it, or remove this file and {}",
                    journal.display()
                ),
            ),
        })
    }

    /// Returns the first difference that prevents a merge: name, value here and value in `other`.
    pub(crate) fn difference(&self, other: &JournalHeader) -> Option<(&'static str, String, String)> {
        let inputs = |header: &JournalHeader| {
            // A digest in a damaged header may have fewer than 64 digits.
            let begin = |sha256: &str| sha256.chars().take(12).collect::<String>();
            let input =
                |InputSection { file, sha256, .. }: &InputSection| format!("{file} ({})", begin(sha256));
            header.inputs.iter().map(input).collect::<Vec<_>>().join(", ")
        };
        let facts = |header: &JournalHeader| {
            [
                ("the program", format!("{} {}", header.program, header.version)),
                ("the study", header.study.clone()),
                ("the version of the semantics", header.semantics.to_string()),
                ("the columns", header.columns.join(",")),
            ]
        };
        let mut pairs = facts(self).into_iter().zip(facts(other));
        if let Some(((what, here), (_, there))) = pairs.find(|(here, there)| here != there) {
            return Some((what, here, there));
        }
        if self.scenario != other.scenario {
            let mut lines = self.scenario.lines().zip(other.scenario.lines());
            let (own, others) = lines
                .find(|(own, others)| own != others)
                .unwrap_or(("a different number of lines", "a different number of lines"));
            return Some(("the scenario", own.to_owned(), others.to_owned()));
        }
        (self.inputs != other.inputs).then(|| ("a file", inputs(self), inputs(other)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::Digest;
    use crate::study::Input;
    use proptest::prelude::*;

    fn header() -> JournalHeader {
        let digest = Digest::from_bytes(b"");
        let input = Input::new("a.swf", digest);
        JournalHeader {
            program: "dfrsim".to_owned(),
            version: "1.0.0".to_owned(),
            study: "s".to_owned(),
            semantics: 1,
            shard: Some("2/8".to_owned()),
            keys: 40,
            unit: "rows".to_owned(),
            audit: true,
            columns: vec!["key".to_owned(), "status".to_owned()],
            inputs: vec![InputSection::new(&input)],
            scenario: "seed = 1\n".to_owned(),
        }
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
        #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(300)))]
        /// Checks that a header is read back exactly, or refused with the names of both files.
        #[test]
        fn damaged_headers_are_refused(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4), cut in any::<prop::sample::Index>()) {
            let folder = tempfile::tempdir().unwrap();
            let journal = folder.path().join("rows-2-of-8.journal");
            let mut bytes = seal::write(&header()).into_bytes();
            for (place, byte) in changes {
                let place = place.index(bytes.len());
                bytes[place] = byte;
            }
            for bytes in [&bytes[..], &bytes[..cut.index(bytes.len())]] {
                std::fs::write(JournalHeader::path(&journal), bytes).unwrap();
                match JournalHeader::read(&journal) {
                    Ok(read) => prop_assert_eq!(read, Some(header())),
                    Err(error) => {
                        let message = error.to_string();
                        prop_assert!(message.contains("rows-2-of-8.journal.toml: damaged (") && message.contains("run that part again"), "{message}");
                    }
                }
            }
        }
    }
}
