//! Why results and baseline cannot be compared.

use crate::scenario::Fault;
use crate::tables::GroupKey;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why there is no baseline.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The file has another format.
    #[error(
        "{file}: is a baseline of format {found}, this program reads format {expected}; write it anew with --update"
    )]
    Format {
        /// The file.
        file: String,
        /// Its format.
        found: i64,
        /// The format of this program.
        expected: i64,
    },
    /// Something in the file is wrong.
    #[error("{}", lines(.0))]
    Faults(Vec<Fault>),
    /// The scenario or the manifest of the results cannot be understood.
    #[error("{}: {message}", path.display())]
    Results {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// The run in the folder is unfinished.
    #[error("{}: the last run in this folder is unfinished; run the scenario again, and it goes on where it stopped", folder.display())]
    Unfinished {
        /// The folder.
        folder: PathBuf,
    },
}

/// Why two baselines cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Incomparable {
    /// The scenarios differ in more than the settings that are simulated.
    #[error("another scenario: `{field}` is {now}, the baseline has {before}")]
    Scenario {
        /// The field.
        field: String,
        /// What it is in the results.
        now: String,
        /// What it is in the baseline.
        before: String,
    },
    /// A workload has another cluster.
    #[error("workload `{workload}`: has {now}, the baseline {before}")]
    Cluster {
        /// The workload.
        workload: String,
        /// The cluster of the results.
        now: String,
        /// The cluster of the baseline.
        before: String,
    },
    /// A workload has other jobs.
    #[error(
        "workload `{workload}`: has other jobs: {now} instances, digest {}, the baseline {before} instances, digest {}",
        short(now_digest),
        short(before_digest)
    )]
    Jobs {
        /// The workload.
        workload: String,
        /// The instances of the results.
        now: usize,
        /// Their digest.
        now_digest: String,
        /// The instances of the baseline.
        before: usize,
        /// Their digest.
        before_digest: String,
    },
    /// No group of the results is in the baseline.
    #[error("results and baseline have no workload, policy and setting in common")]
    NothingCommon,
    /// Some groups are in one of them only.
    #[error("{}; --allow-missing compares the others", Missing { gone, new })]
    Missing {
        /// Groups that are in the baseline only.
        gone: Vec<GroupKey>,
        /// Groups that are in the results only.
        new: Vec<GroupKey>,
    },
}

fn lines(faults: &[Fault]) -> String {
    faults.iter().map(Fault::to_string).collect::<Vec<_>>().join("\n")
}

/// Enough of a digest to tell it from another.
fn short(digest: &str) -> &str {
    digest.get(..12).unwrap_or(digest)
}

struct Missing<'a> {
    gone: &'a [GroupKey],
    new: &'a [GroupKey],
}

impl fmt::Display for Missing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 5;
        let sides = [("in the baseline", self.gone), ("in the results", self.new)];
        let mut parts = Vec::new();
        for (side, groups) in sides.into_iter().filter(|(_, groups)| !groups.is_empty()) {
            let mut names: Vec<String> = groups.iter().take(SHOWN).map(GroupKey::to_string).collect();
            if groups.len() > SHOWN {
                names.push(format!("and {} more", groups.len() - SHOWN));
            }
            parts.push(format!("only {side}: {}", names.join("; ")));
        }
        f.write_str(&parts.join("; "))
    }
}
