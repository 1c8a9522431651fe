//! Layouts of a study's rows.

use super::{InstanceId, Labels};
use crate::column::{AnyRow, Column, Row, RowType};
use crate::data::DataFrame;
use crate::key::Key;
use crate::record::{Failure, Status};
use csv::StringRecord;
use std::any::Any;
use std::collections::BTreeMap;

/// Time at which records are appended to the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Journaling {
    /// After each run.
    Runs,
    /// After all runs on an instance.
    Instances,
}

/// CSV file that holds the rows of one type.
#[derive(Clone, Debug, PartialEq)]
pub struct RowFile {
    /// Name of the file, relative to the results folder.
    pub name: String,
    /// Names of the columns.
    pub header: Vec<String>,
}

/// Contents of the row files of a results folder, by name.
pub type RowTexts = BTreeMap<String, String>;

/// Source of records of earlier runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Journal of an unfinished run.
    Journal,
    /// The row file with this index.
    File(usize),
}

/// A prepared instance.
#[derive(Debug)]
pub struct InstanceContext<'a> {
    /// Index of the instance.
    pub at: usize,
    /// Labels and weight of the instance.
    pub id: &'a InstanceId,
    /// Values of columns that became known during preparation.
    pub facts: &'a Labels,
    /// Key of everything that the rows depend on, apart from the variant.
    pub key: Key,
}

/// A run of a variant on an instance.
#[derive(Debug)]
pub struct RunIdentity<'a> {
    /// The instance.
    pub on: &'a InstanceContext<'a>,
    /// Index of the variant among those that are run on the instance.
    pub variant: usize,
    /// Values of the columns that the variant determines.
    pub labels: &'a Labels,
    /// Index of the row type.
    pub row_type: usize,
    /// Columns of the row type.
    pub columns: &'static [Column],
    /// Key of the run's record in the journal: that of the run or of its instance, depending on
    /// [`Journaling`].
    pub key: Key,
}

fn value<'a>(labels: &'a Labels, column: &str) -> Option<&'a str> {
    labels.iter().find(|(name, _)| *name == column).map(|(_, value)| value.as_str())
}

impl InstanceContext<'_> {
    /// Returns the value of a column, if the instance determines it.
    pub(crate) fn value(&self, column: &str) -> Option<&str> {
        value(&self.id.labels, column).or_else(|| value(self.facts, column))
    }
}

impl RunIdentity<'_> {
    /// Returns the columns of the rows with the values that are known before the run; empty where
    /// unknown.
    pub(crate) fn known(&self) -> impl Iterator<Item = (&'static Column, &str)> {
        self.columns.iter().map(|column| (column, self.value(column).unwrap_or_default()))
    }
    fn value(&self, column: &Column) -> Option<&str> {
        value(self.labels, column.name).or_else(|| self.on.value(column.name))
    }
    /// Sets the values that the instance and the variant determine in a row.
    pub(crate) fn set_known(&self, row: &mut dyn AnyRow, row_types: &[RowType]) {
        let columns = row_types[row.row_type()].columns.iter().enumerate();
        for (place, column) in columns.filter(|(_, column)| column.is_name()) {
            if let Some(text) = self.value(column) {
                assert!(row.set(place, text), "invalid value `{text}` of the column {}", column.name);
            }
        }
    }
}

/// Status, message and primary metric of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowResult<'a> {
    /// Status of the run.
    pub status: Status,
    /// Reason why the row has no values; may be empty.
    pub message: &'a str,
    /// Value of the primary metric.
    pub primary: Option<f64>,
}

/// Labels of a variant, and the indices of its secondary metrics.
pub(crate) type VariantColumns = (Labels, Vec<usize>);

/// Rows of a run, or the failure that prevented them.
pub(crate) type RunRows = Result<Vec<Box<dyn AnyRow>>, Failure>;

/// Outcome of a run or of an earlier one, in the representation of its [`RowStore`].
pub(crate) type Outcome = Box<dyn Any + Send>;
/// Rows of one instance, in the representation of their [`RowStore`].
pub(crate) type InstanceRows = Box<dyn Any + Send + Sync>;

/// Collects the rows of runs in one of the layouts, together with those of earlier runs, until all
/// are complete.
pub trait RowStore: Any + Send + Sync {
    /// Returns when records go to the journal; [`status`](crate::RunStatus) counts in the same unit.
    fn journaling(&self) -> Journaling;
    /// Returns names and headers of the row files.
    fn files(&self) -> Vec<RowFile>;
    /// Returns the columns of the journal; the first one is the key.
    fn journal_header(&self) -> Vec<String>;
    /// Formats outcomes as journal records: those of one run, or of all runs on an instance.
    fn journal(&self, key: Key, outcomes: &[Outcome]) -> Vec<Vec<String>>;
    /// Loads earlier records with this header; returns the number of invalid ones. They take effect
    /// when they are [committed](RowStore::commit).
    fn load(
        &mut self,
        origin: Origin,
        header: &[String],
        records: &mut dyn Iterator<Item = StringRecord>,
    ) -> usize;
    /// Adds the loaded records to the earlier rows, or discards them if they are not usable.
    fn commit(&mut self, is_usable: bool);
    /// Returns the outcome of an earlier run, relabelled for the current scenario, if all of its
    /// rows are known.
    fn earlier(&self, run: &RunIdentity<'_>) -> Option<Outcome>;
    /// Converts the rows of a run, at least one, or its failure to an outcome.
    fn outcome(&self, run: &RunIdentity<'_>, rows: RunRows) -> Outcome;
    /// Returns status, message and primary metric of each row of an outcome.
    fn results<'a>(&self, outcome: &'a Outcome) -> Vec<RowResult<'a>>;
    /// Combines the outcomes of an instance, in the order of the variants.
    fn part(&self, on: &InstanceContext<'_>, outcomes: Vec<Outcome>) -> InstanceRows;
    /// Drops the earlier records; returns the number of those that belong to none of the known keys.
    fn drop_earlier(&mut self, is_known: &dyn Fn(Key) -> bool) -> usize;
    /// Formats the content of each file, in the order of [`RowStore::files`].
    fn write(&self, parts: &[InstanceRows]) -> Vec<String>;
}

/// Layout of rows: [`Long`](crate::Long), one line per row, or [`Wide`](crate::Wide), one line per
/// instance.
pub trait RowSet: Sized + Send + Sync {
    /// Type of the rows.
    type Row: Row;

    /// Creates the store for a study with these variants.
    fn store(every_variant: &dyn Fn() -> Vec<VariantColumns>) -> Box<dyn RowStore>;
    /// Builds the rows from the parts, which are in the order of the instances.
    fn from_parts(keeper: Box<dyn RowStore>, parts: Vec<InstanceRows>) -> Self;
    /// Reads the rows of a results folder.
    ///
    /// # Errors
    /// Returns a message of one line if they are not valid rows of this study.
    fn read(files: &RowTexts) -> Result<Self, String>;
    /// Reads the rows of a results folder by column, in the order of the row types.
    ///
    /// # Errors
    /// Returns a message of one line if they are not valid rows of this study.
    fn frames(files: &RowTexts) -> Result<Vec<DataFrame>, String>;
}
