//! Result of a run.

use crate::output::Answer;
use dfrsim_lab::{AnyScenario, Counts, Part, RunOptions, RunReport, Table};
use dfrsim_model::account::AccountSummary;
use schemars::JsonSchema;
use serde::Serialize;

/// Number of digits of a digest that are printed; JSON and the manifest have all of them.
const DIGITS: usize = 12;

/// Result of a run, with the tables that are short enough for a terminal.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Finished<'a> {
    study: &'a str,
    title: &'a str,
    /// The folder of the results.
    results: String,
    /// The shard: `2/8`; `null` for a whole run.
    shard: Option<String>,
    rows: &'a Counts,
    /// The tables; empty for a shard.
    tables: Vec<Printed<'a>>,
    /// The input files of the run.
    inputs: Vec<ReportedInput<'a>>,
    /// Notices about the run.
    notices: &'a [String],
    /// The runs that failed, one line each.
    failures: &'a [String],
}

/// Table, whose text form is rounded.
#[derive(Debug, Serialize, JsonSchema)]
struct Printed<'a> {
    /// The name of its files, without extension.
    name: &'a str,
    title: &'a str,
    rows: &'a Table,
    /// Remarks on the table.
    notes: &'a [String],
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Input")]
struct ReportedInput<'a> {
    /// The name of the file in the scenario.
    file: &'a str,
    /// The path at which it was found.
    path: Option<String>,
    sha256: String,
    /// Account of the lines of a log.
    account: Option<&'a AccountSummary>,
    /// The selection, the rules and other remarks, as text.
    report: &'a [String],
}

impl<'a> Finished<'a> {
    pub(super) fn new(
        scenario: &'a AnyScenario,
        options: &RunOptions,
        report: &'a RunReport,
    ) -> Finished<'a> {
        let printed = report.tables.iter().filter(|table| table.is_printed).map(|named| {
            let rows = named.summary.as_ref().unwrap_or(&named.table);
            Printed { name: &named.name, title: &named.title, rows, notes: rows.notes() }
        });
        let inputs = report.inputs.iter().map(|input| ReportedInput {
            file: &input.file,
            path: input.path.as_ref().map(|path| path.display().to_string()),
            account: input.account.as_ref(),
            sha256: input.digest.to_string(),
            report: &input.report,
        });
        Finished {
            study: scenario.study.name,
            title: &scenario.title,
            results: options.out.display().to_string(),
            shard: match &options.part {
                Part::Shard(shard) => Some(shard.to_string()),
                Part::Whole | Part::Merged(_) => None,
            },
            rows: &report.counts,
            tables: printed.collect(),
            inputs: inputs.collect(),
            notices: &report.notices,
            failures: &report.failures,
        }
    }
}

impl ReportedInput<'_> {
    /// Formats the file, the counts of its lines, and the remarks about it.
    fn lines(&self) -> Vec<String> {
        let (digest, _) = self.sha256.split_at(DIGITS.min(self.sha256.len()));
        let found = self.path.as_deref().filter(|path| *path != self.file);
        let found = found.map(|path| format!("found at {path}, ")).unwrap_or_default();
        let name = format!("{} ({found}sha256 {digest})", self.file);
        let account = self.account.map_or_else(|| vec![name.clone()], |account| account.paragraphs(&name));
        account.into_iter().chain(self.report.iter().map(|line| format!("  {line}"))).collect()
    }
}

impl Answer for Finished<'_> {
    fn text(&self) -> String {
        let mut text: String =
            self.inputs.iter().flat_map(ReportedInput::lines).map(|line| line + "\n").collect();
        if !text.is_empty() && !self.tables.is_empty() {
            text.push('\n');
        }
        for (place, Printed { title, rows, .. }) in self.tables.iter().enumerate() {
            if place == 0 && !self.title.is_empty() {
                text += &format!("{}\n\n", self.title);
            }
            text += &format!("{title}:\n\n{}\n", rows.markdown());
        }
        text
    }
}
