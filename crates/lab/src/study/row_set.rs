//! How a study's rows are laid out.

use super::{InstanceId, Labels, Study};
use crate::column::{Column, Row as _};
use crate::data::DataFrame;
use crate::key::Key;
use crate::record::{Failure, Status};
use csv::StringRecord;
use std::collections::BTreeMap;

/// When records go to the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Journaling {
    /// When a run has finished.
    Runs,
    /// When all runs on an instance have finished.
    Instances,
}

/// A file of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct RowFile {
    /// Its name in the folder of the results.
    pub name: String,
    /// The names of its columns.
    pub header: Vec<String>,
}

/// The files of rows in a folder of results: their contents, by name.
pub type RowTexts = BTreeMap<String, String>;

/// Where records of earlier runs are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A journal.
    Journal,
    /// A file of rows, by its place.
    File(usize),
}

/// An instance that was prepared.
pub struct OnInstance<'a, S: Study> {
    /// The study.
    pub study: &'a S,
    /// The place of the instance.
    pub at: usize,
    /// Its labels.
    pub id: &'a InstanceId,
    /// Values of columns that became known when it was prepared.
    pub facts: &'a Labels,
    /// The digest of everything that its rows depend on, apart from the variant.
    pub key: Key,
}

/// A run of a variant on an instance.
pub struct RunOf<'a, S: Study> {
    /// The instance.
    pub on: &'a OnInstance<'a, S>,
    /// The variant.
    pub variant: &'a S::Variant,
    /// Values of columns that the variant determines.
    pub labels: &'a Labels,
    /// The key of its record in the journal: its own, or that of the instance, as the journaling is.
    pub key: Key,
}

fn value<'a>(labels: &'a Labels, column: &str) -> Option<&'a str> {
    labels.iter().find(|(name, _)| *name == column).map(|(_, value)| value.as_str())
}

impl<S: Study> OnInstance<'_, S> {
    /// The value of a column, if the instance determines it.
    pub(crate) fn value(&self, column: &str) -> Option<&str> {
        value(&self.id.labels, column).or_else(|| value(self.facts, column))
    }
}

impl<S: Study> RunOf<'_, S> {
    /// The columns of its rows, each with what is known of it without running it; empty where that is unknown.
    pub(crate) fn known(&self) -> impl Iterator<Item = (&'static Column, &str)> {
        let columns = S::Row::TYPES[self.on.study.row_type(self.variant)].columns;
        columns.iter().map(|column| {
            let known = value(self.labels, column.name).or_else(|| self.on.value(column.name));
            (column, known.unwrap_or_default())
        })
    }
}

/// The outcome of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowResult<'a> {
    /// Its status.
    pub status: Status,
    /// Why it has no values.
    pub message: &'a str,
    /// Its primary metric.
    pub primary: Option<f64>,
}

/// How rows are laid out: [`Long`](crate::Long), a line a row, or [`Wide`](crate::Wide), a line an instance.
pub trait RowSet<S: Study>: Sized + Send + Sync {
    /// When records go to the journal; also what [`status`](crate::RunStatus) counts.
    const JOURNALING: Journaling;
    /// The columns of the files.
    type Layout: Sync;
    /// Rows of earlier runs.
    type Earlier: Default + Sync;
    /// What a run came to, or an earlier one left.
    type Outcome: Send;
    /// The rows of one instance.
    type Part: Send + Sync;

    /// The columns of the study's files.
    fn layout(study: &S) -> Self::Layout;
    /// The files.
    fn files(layout: &Self::Layout) -> Vec<RowFile>;
    /// The columns of the journal; the first one is the key.
    fn journal_header(layout: &Self::Layout) -> Vec<String>;
    /// The journal's records of outcomes: of one run, or of all on an instance.
    fn journal(layout: &Self::Layout, key: Key, outcomes: &[Self::Outcome]) -> Vec<Vec<String>>;
    /// Takes records with this header, and says how many could not be used.
    fn take(
        layout: &Self::Layout,
        earlier: &mut Self::Earlier,
        origin: Origin,
        header: &[String],
        records: impl Iterator<Item = StringRecord>,
    ) -> usize;
    /// Adds the earlier rows of another file or folder.
    fn absorb(earlier: &mut Self::Earlier, other: Self::Earlier);
    /// What an earlier run left of a variant, if all of its rows are known. Labels are those of the present scenario.
    fn earlier(layout: &Self::Layout, earlier: &Self::Earlier, run: &RunOf<'_, S>) -> Option<Self::Outcome>;
    /// The recorded data of a run with these rows, of which there is at least one.
    fn outcome(
        layout: &Self::Layout,
        run: &RunOf<'_, S>,
        rows: Result<Vec<S::Row>, Failure>,
    ) -> Self::Outcome;
    /// The outcome of the rows of a run.
    fn results(outcome: &Self::Outcome) -> impl Iterator<Item = RowResult<'_>>;
    /// How many earlier records do not belong to any of these keys.
    fn foreign(earlier: &Self::Earlier, is_known: &dyn Fn(Key) -> bool) -> usize;
    /// The rows of an instance, with outcomes in the order of the variants.
    fn part(layout: &Self::Layout, on: &OnInstance<'_, S>, outcomes: Vec<Self::Outcome>) -> Self::Part;
    /// All rows, from the parts in the order of the instances.
    fn from_parts(layout: Self::Layout, parts: Vec<Self::Part>) -> Self;
    /// The content of each file, in the order of [`RowSet::files`].
    fn write(&self) -> Vec<String>;
    /// The rows of a folder.
    ///
    /// # Errors
    /// In one line, if they are not rows of this study.
    fn read(files: &RowTexts) -> Result<Self, String>;
    /// The rows of a folder column by column, in the order of the types.
    ///
    /// # Errors
    /// In one line, if they are not rows of this study.
    fn frames(files: &RowTexts) -> Result<Vec<DataFrame>, String>;
}
