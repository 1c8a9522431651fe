//! Answer of `dfrsim results verify`.
//!
//! Texts of an archive are printed in quotation marks, with control characters escaped, and reasons
//! are one line each: no text of a received file can look like a line of the program.

use crate::output::Answer;
use schemars::JsonSchema;
use serde::Serialize;

/// Verdict on an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    /// The rows are those of the scenario, or were signed by a known signer, and the tables follow
    /// from them.
    Verified,
    /// Nothing is known to be wrong, but something could not be checked, or was not.
    NotVerified,
    /// The files are not those that a run of this scenario writes.
    Altered,
}

impl Verdict {
    fn words(self) -> &'static str {
        match self {
            Verdict::Verified => "verified",
            Verdict::NotVerified => "not verified",
            Verdict::Altered => "altered",
        }
    }
}

/// Result of verifying an archive.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Verified {
    pub(super) archive: String,
    pub(super) verdict: Verdict,
    /// Alterations, or parts that were not checked; empty if the archive is verified.
    pub(super) reasons: Vec<String>,
    /// The results, if their files match their digests.
    pub(super) results: Option<DescribedResults>,
    /// The name of the signer, with `--signers`.
    pub(super) signer: Option<String>,
    /// The result of the new run, with `--rerun`.
    pub(super) rerun: Option<Rerun>,
}

/// Results in an archive, as they describe themselves.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DescribedResults {
    pub(super) title: String,
    pub(super) program: String,
    pub(super) version: String,
    pub(super) study: String,
    pub(super) seed: u64,
    pub(super) rows: usize,
    pub(super) files: usize,
    pub(super) inputs: Vec<RecordedInput>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Input")]
pub(crate) struct RecordedInput {
    pub(super) file: String,
    pub(super) sha256: String,
}

/// Result of running the scenario again.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Rerun {
    pub(super) files: usize,
    /// The files that differ from those of the archive.
    pub(super) differing: Vec<String>,
}

/// Returns a message as a single line.
pub(super) fn one_line(message: &str) -> String {
    let lines = message.split(char::is_control).map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("; ")
}

impl Answer for Verified {
    fn text(&self) -> String {
        let reasons = match self.reasons.is_empty() {
            true => String::new(),
            false => format!(": {}", self.reasons.join("; ")),
        };
        let mut text = format!("{}: {}{reasons}\n", self.verdict.words(), self.archive);
        if let Some(DescribedResults { title, program, version, study, seed, rows, files, inputs }) =
            &self.results
        {
            text += &format!(
                "title {title:?}, study {study:?}, seed {seed}, written by {program:?} {version:?}\n"
            );
            text += &format!("{rows} rows, {files} files match their digests\n");
            for RecordedInput { file, sha256 } in inputs {
                text += &format!("input {file:?}, SHA-256 {sha256:?}\n");
            }
        }
        if let Some(signer) = &self.signer {
            text += &format!("signed by {signer:?}\n");
        }
        if let Some(Rerun { files, .. }) = self.rerun.as_ref().filter(|rerun| rerun.differing.is_empty()) {
            text += &format!("run again: {files} files are identical\n");
        }
        text
    }
}
