//! What a journal is of: a file beside it, written before its first record.

use crate::RunError;
use crate::key::{Digest, SEMANTICS_VERSION};
use crate::shard::Shard;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

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
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(RunError::io(&path, error)),
        };
        toml::from_str(&text)
            .map(Some)
            .map_err(|error| RunError::io(&path, io::Error::new(io::ErrorKind::InvalidData, error)))
    }

    pub(crate) fn to_toml(&self) -> String {
        toml::to_string(self).expect("a header can be written as TOML")
    }

    /// What is not the same in another header, if they do not belong together: what it is, here and there.
    pub(crate) fn difference(&self, other: &Header) -> Option<(&'static str, String, String)> {
        let inputs = |header: &Header| {
            let input =
                |Input { file, sha256 }: &Input| format!("{file} ({})", &sha256[..sha256.len().min(12)]);
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
