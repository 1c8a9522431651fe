//! Account of a file as it is printed and written: numbers of lines that were found, used, changed
//! and dropped.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Account of a file. Its lines are the jobs, and those that were rejected or left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AccountSummary {
    /// Lines or entries that were found, without blank lines, comments and lines of names.
    pub lines: u64,
    /// Lines that became jobs to simulate.
    pub jobs: u64,
    /// Lines that were rejected.
    pub rejected: u64,
    /// Lines that were left out.
    pub left_out: u64,
    /// Counts by outcome and reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<AccountCount>,
    /// Columns of the file that are not simulated, although some job has a value in them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_used: Vec<UnusedField>,
}

/// Number of lines or jobs with the same outcome for the same reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AccountCount {
    /// Outcome: `left out`, `rejected`, `guessed`, `changed`, `not simulated` or `noted`. Only the
    /// first two are not jobs.
    pub outcome: String,
    /// Reason, in the plural.
    pub reason: String,
    /// Number of lines or jobs.
    pub count: u64,
}

/// Column that is not simulated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnusedField {
    /// Name as written in the file.
    pub name: String,
    /// Number of jobs that the rule would change.
    pub jobs: u64,
}

impl AccountSummary {
    /// Formats the account of a file for the user: the sums, a line for each count, and one for the
    /// columns that are not used.
    pub fn paragraphs(&self, file: &str) -> Vec<String> {
        let AccountSummary { lines, jobs, rejected, left_out, .. } = self;
        let first = format!("{file}: {lines} lines: {jobs} jobs, {rejected} rejected, {left_out} left out");
        [first].into_iter().chain(self.details()).collect()
    }

    /// Formats the counts, and the columns that are not used, without the name of the file.
    pub fn details(&self) -> Vec<String> {
        let count = |AccountCount { outcome, reason, count }: &AccountCount| {
            format!("  {outcome}: {reason}: {count}")
        };
        let field = |UnusedField { name, jobs }: &UnusedField| match jobs {
            0 => name.clone(),
            _ => format!("{name}, which would change {jobs} jobs"),
        };
        let not_used: Vec<String> = self.not_used.iter().map(field).collect();
        let not_used = (!not_used.is_empty()).then(|| format!("  not used: {}", not_used.join("; ")));
        self.counts.iter().map(count).chain(not_used).collect()
    }
}
