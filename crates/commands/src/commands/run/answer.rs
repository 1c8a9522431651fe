//! Result of a run.

use crate::output::Answer;
use dfrsim_lab::{AnyScenario, Counts, Part, RunOptions, RunReport, Table};
use schemars::JsonSchema;
use serde::Serialize;

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
    sha256: String,
    /// The counts of the lines of the file, as text.
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

impl Answer for Finished<'_> {
    fn text(&self) -> String {
        let mut text = String::new();
        for (place, Printed { title, rows, .. }) in self.tables.iter().enumerate() {
            if place == 0 && !self.title.is_empty() {
                text += &format!("{}\n\n", self.title);
            }
            text += &format!("{title}:\n\n{}\n", rows.markdown());
        }
        text
    }
}
