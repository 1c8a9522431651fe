//! How a study's rows are laid out.

use super::{InstanceId, Labels};
use crate::column::{AnyRow, Column, Row, RowType};
use crate::data::DataFrame;
use crate::key::Key;
use crate::record::{Failure, Status};
use csv::StringRecord;
use std::any::Any;
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
#[derive(Debug)]
pub struct OnInstance<'a> {
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
#[derive(Debug)]
pub struct RunOf<'a> {
    /// The instance.
    pub on: &'a OnInstance<'a>,
    /// The place of the variant among those that are run on the instance.
    pub variant: usize,
    /// Values of columns that the variant determines.
    pub labels: &'a Labels,
    /// The place of the type of its rows.
    pub row_type: usize,
    /// The columns of that type.
    pub columns: &'static [Column],
    /// The key of its record in the journal: its own, or that of the instance, as the journaling is.
    pub key: Key,
}

fn value<'a>(labels: &'a Labels, column: &str) -> Option<&'a str> {
    labels.iter().find(|(name, _)| *name == column).map(|(_, value)| value.as_str())
}

impl OnInstance<'_> {
    /// The value of a column, if the instance determines it.
    pub(crate) fn value(&self, column: &str) -> Option<&str> {
        value(&self.id.labels, column).or_else(|| value(self.facts, column))
    }
}

impl RunOf<'_> {
    /// The columns of its rows, each with what is known of it without running it; empty where that is unknown.
    pub(crate) fn known(&self) -> impl Iterator<Item = (&'static Column, &str)> {
        self.columns.iter().map(|column| (column, self.value(column).unwrap_or_default()))
    }
    fn value(&self, column: &Column) -> Option<&str> {
        value(self.labels, column.name).or_else(|| self.on.value(column.name))
    }
    /// Gives a row, of one of these types, the values that the instance and the variant determine.
    pub(crate) fn name(&self, row: &mut dyn AnyRow, row_types: &[RowType]) {
        let columns = row_types[row.row_type()].columns.iter().enumerate();
        for (place, column) in columns.filter(|(_, column)| column.is_name()) {
            if let Some(text) = self.value(column) {
                assert!(row.set(place, text), "a study gives {} the value `{text}`", column.name);
            }
        }
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

/// The labels of a variant, with the places of the metrics besides the primary one that it has.
pub(crate) type VariantColumns = (Labels, Vec<usize>);

/// The rows of a run, or why there are none.
pub(crate) type RunRows = Result<Vec<Box<dyn AnyRow>>, Failure>;

/// What a run came to, or an earlier one left, as its [`Keeper`] has it.
pub(crate) type Outcome = Box<dyn Any + Send>;
/// The rows of one instance, as their [`Keeper`] has them.
pub(crate) type InstanceRows = Box<dyn Any + Send + Sync>;

/// What keeps the rows of runs in one of the layouts until all are there, with those of earlier runs.
pub trait Keeper: Any + Send + Sync {
    /// When records go to the journal; also what [`status`](crate::RunStatus) counts.
    fn journaling(&self) -> Journaling;
    /// The files.
    fn files(&self) -> Vec<RowFile>;
    /// The columns of the journal; the first one is the key.
    fn journal_header(&self) -> Vec<String>;
    /// The journal's records of outcomes: of one run, or of all on an instance.
    fn journal(&self, key: Key, outcomes: &[Outcome]) -> Vec<Vec<String>>;
    /// Takes earlier records with this header, and says how many could not be used. They count when they are
    /// [absorbed](Keeper::absorb).
    fn take(
        &mut self,
        origin: Origin,
        header: &[String],
        records: &mut dyn Iterator<Item = StringRecord>,
    ) -> usize;
    /// Adds what was taken to the earlier rows, or forgets it.
    fn absorb(&mut self, is_usable: bool);
    /// What an earlier run left of a variant, if all of its rows are known, with the labels of the present scenario.
    fn earlier(&self, run: &RunOf<'_>) -> Option<Outcome>;
    /// The recorded data of a run with these rows, of which there is at least one.
    fn outcome(&self, run: &RunOf<'_>, rows: RunRows) -> Outcome;
    /// The outcome of the rows of a run.
    fn results<'a>(&self, outcome: &'a Outcome) -> Vec<RowResult<'a>>;
    /// The rows of an instance, with outcomes in the order of the variants.
    fn part(&self, on: &OnInstance<'_>, outcomes: Vec<Outcome>) -> InstanceRows;
    /// Forgets the earlier records, and says how many do not belong to any of these keys.
    fn forget(&mut self, is_known: &dyn Fn(Key) -> bool) -> usize;
    /// The content of each file, in the order of [`Keeper::files`].
    fn write(&self, parts: &[InstanceRows]) -> Vec<String>;
}

/// How rows are laid out: [`Long`](crate::Long), a line a row, or [`Wide`](crate::Wide), a line an instance.
pub trait RowSet: Sized + Send + Sync {
    /// The rows.
    type Row: Row;

    /// What keeps the rows of a study with these variants.
    fn keeper(every_variant: &dyn Fn() -> Vec<VariantColumns>) -> Box<dyn Keeper>;
    /// All rows, from the parts in the order of the instances.
    fn from_parts(keeper: Box<dyn Keeper>, parts: Vec<InstanceRows>) -> Self;
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
