//! Studies: instances x variants -> rows.

mod any;
mod row_set;

pub(crate) use any::{AnyInstance, Made, OpenStudy};
pub use any::{AnyScenario, AnyStudy};
pub(crate) use row_set::{
    InstanceRows, Journaling, Keeper, OnInstance, Origin, Outcome, RowFile, RowResult, RunOf, RunRows,
    VariantColumns,
};
pub use row_set::{RowSet, RowTexts};

use crate::claims::Claim;
use crate::column::Column;
use crate::drawing::Drawing;
use crate::error::RunError;
use crate::fields::{Fields, Scenario};
use crate::key::{Digest, KeyBuilder};
use crate::record::Failure;
use crate::table::NamedTable;
use crate::text::csv::ReadFile;
use rustc_hash::FxHashSet;
use std::any::Any;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What `--audit` means for a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audit {
    /// An independent checker follows every run.
    Always,
    /// It follows every run if it is asked for.
    Optional,
}

/// Which instance of a scenario with groups of them.
#[derive(Clone, Copy, Debug)]
pub struct ProblemId<'a> {
    /// The name of its group.
    pub group: &'a str,
    /// The place of its parameters in the group, from 0.
    pub number: u32,
    /// Its replication, from 0.
    pub replication: u32,
}

/// What shards are dealt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grain {
    /// Single runs: preparing an instance in several shards costs little.
    Variants,
    /// Instances with all of their variants: preparing one takes long, or its variants share much work.
    Instances,
}

/// An instance before it is prepared.
#[derive(Clone, Debug, PartialEq)]
pub struct InstanceId {
    /// The values of the columns that the instance alone determines, by their names: at least its label and instance
    /// columns. Together they are unique in the scenario.
    pub labels: Labels,
    /// How long a variant takes on it in comparison with other instances, roughly; the longest begin first.
    pub weight: u64,
}

/// Values of columns, by their names.
pub type Labels = Vec<(&'static str, String)>;

/// An instance that is ready for its variants.
#[derive(Debug)]
pub struct Prepared<I> {
    /// What the variants share. Parts that are expensive and not always needed belong into a `OnceLock`: an instance is
    /// prepared to find its keys, even if all of its rows are known from earlier runs.
    pub instance: I,
    /// The digest of everything that rows of this instance depend on, apart from the variant.
    pub digest: Digest,
}

/// A file that a scenario was read from besides its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Its name as the scenario gives it.
    pub file: String,
    /// The digest of its bytes.
    pub digest: Digest,
    /// What is worth saying about it, such as how many lines became jobs: printed, and written to the manifest.
    pub report: Vec<String>,
    /// Counts for the manifest, by name.
    pub counts: Vec<(String, u64)>,
}

/// What a run may ask about the sweep that it is part of.
#[derive(Clone, Copy, Debug)]
pub struct Watch<'a> {
    /// Whether the independent checker is to follow the run; always true where the study says [`Audit::Always`].
    pub audit: bool,
    out: &'a Path,
    took: Option<&'a AtomicU64>,
}

impl<'a> Watch<'a> {
    /// A watch of a run whose results are in the folder `out`.
    pub fn new(audit: bool, out: &'a Path) -> Watch<'a> {
        Watch { audit, out, took: None }
    }
    pub(crate) fn timed(self, took: &'a AtomicU64) -> Watch<'a> {
        Watch { took: Some(took), ..self }
    }
    /// Makes a file that a run writes besides its rows, in a [folder of the results](crate::fields::result_folder), and the
    /// folders above it; an earlier one goes.
    ///
    /// # Errors
    /// If it cannot be made, or a link would lead it elsewhere.
    pub fn create(&self, folder: &str, name: &str) -> Result<File, Failure> {
        let path = self.out.join(folder.trim_start_matches('/')).join(name.trim_start_matches('/'));
        let mut below = path.ancestors().take_while(|at| *at != self.out);
        let file = match below.any(Path::is_symlink) {
            true => Err(io::Error::other("is a symbolic link, which would lead out of the results")),
            false => fs::create_dir_all(path.parent().unwrap_or(self.out)).and_then(|()| File::create(&path)),
        };
        file.map_err(|error| Failure::failed(format_args!("{}: {error}", path.display())))
    }
    /// Says how long the variant itself took, without checks: the mean times of what a run computed are in `times.csv`, the
    /// only file besides the manifest that depends on the machine. Without it the run is in no mean.
    pub fn took(&self, time: Duration) {
        if let Some(took) = self.took {
            took.store(time.as_nanos() as u64, Ordering::Relaxed);
        }
    }
}

/// A study of a scenario that was opened: its logs are read, its instances are known.
///
/// The frame owns everything else: folders, keys, statuses, parallel sweeps, journals, shards, manifests, digests, progress,
/// the files of tables, comparison, baselines, export and the figures that follow from the roles of columns.
pub trait Study: Sized + Send + Sync + 'static {
    /// Its name in scenarios: `study = "grid"`.
    const NAME: &'static str;
    /// What it is about, in one line, with its source.
    const TITLE: &'static str;
    /// The version of what its rows mean. Raise it when results change: rows of another version are not reused.
    const SEMANTICS: u32;
    /// Whether an independent checker follows its runs.
    const AUDIT: Audit;
    /// What shards are dealt.
    const GRAIN: Grain = Grain::Variants;
    /// What runs are called, in the plural: `simulations`.
    const RUNS: &'static str;

    /// The fields of its scenarios.
    type Fields: Fields + Send + Sync + 'static;
    /// What all variants on an instance share.
    type Instance: Send + Sync;
    /// What is varied on an instance.
    type Variant: Clone + Send + Sync;
    /// The rows of its runs, and how they are kept, in memory and in files: [`Long`](crate::Long) or [`Wide`](crate::Wide).
    type Rows: RowSet;

    /// How many bytes an instance needs at least while it is prepared and run, for the largest one; 0 if that is little for
    /// all scenarios. It is asked before [`open`](Study::open), and what cannot fit is refused.
    fn memory(_scenario: &Scenario<Self::Fields>) -> u64 {
        0
    }

    /// How many rows there will be at least. It is asked before anything is laid out, and what cannot fit is refused.
    fn rows_at_least(_scenario: &Scenario<Self::Fields>) -> u64 {
        0
    }

    /// An instance with the settings that its variants are given, of a type that commands which solve one alone know.
    ///
    /// # Errors
    /// There is no such instance, it cannot be read, or no command solves instances of this study.
    fn problem(_scenario: &Scenario<Self::Fields>, _which: ProblemId<'_>) -> Result<Box<dyn Any>, RunError> {
        Err(RunError::input(format_args!("no command solves a single instance of study `{}`", Self::NAME)))
    }

    /// Reads what the scenario names, lays out the instances, and adds the files that were read.
    ///
    /// # Errors
    /// If a file cannot be used.
    fn open(scenario: &Scenario<Self::Fields>, inputs: &mut Vec<Input>) -> Result<Self, RunError>;
    /// The instances, in the order of their rows.
    fn instances(&self) -> Vec<InstanceId>;
    /// The variants on the instance at this place, in the order of their rows.
    fn variants(&self, instance: usize) -> Vec<Self::Variant>;
    /// Prepares the instance at this place. It is deterministic.
    ///
    /// # Errors
    /// If the instance cannot be made: all of its variants then have this failure.
    fn prepare(&self, instance: usize) -> Result<Prepared<Self::Instance>, Failure>;
    /// All variants, each once, in the order of the columns of [wide](crate::Wide) rows. Without an implementation
    /// these are the variants of all instances.
    fn every_variant(&self) -> Vec<Self::Variant> {
        let mut known = FxHashSet::default();
        let all = (0..self.instances().len()).flat_map(|at| self.variants(at));
        all.filter(|variant| known.insert(self.labels(variant))).collect()
    }
    /// Whether runs of a variant may have a value of a metric; [wide](crate::Wide) rows have no columns for others.
    fn has_metric(&self, _variant: &Self::Variant, _metric: &Column) -> bool {
        true
    }
    /// Values of columns that become known when an instance is prepared, so that failed runs have them too.
    fn facts(&self, _instance: &Self::Instance) -> Labels {
        Vec::new()
    }
    /// Adds what determines the rows of a variant, besides the digest of the instance. Without an implementation these are its
    /// labels.
    fn key(&self, variant: &Self::Variant, key: &mut KeyBuilder) {
        self.labels(variant).iter().for_each(|(name, value)| _ = key.field(name, value));
    }
    /// The values of the columns that the variant determines. A sweep panics if one is no value of its column.
    fn labels(&self, variant: &Self::Variant) -> Labels;
    /// The type of rows that a variant gives, by its place in [`Row::TYPES`](crate::Row::TYPES); with rows of several types, that of a failure.
    fn row_type(&self, _variant: &Self::Variant) -> usize {
        0
    }
    /// Runs a variant on an instance: at least one row. With several rows, which may be of several types, all of them have
    /// the key of the variant. Label, instance and variant columns get the values of [`instances`](Study::instances) and
    /// [`labels`](Study::labels); they need none here.
    ///
    /// # Errors
    /// If it has no rows; the others go on.
    fn run(
        &self,
        instance: &Self::Instance,
        variant: &Self::Variant,
        watch: Watch<'_>,
    ) -> Result<Vec<<Self::Rows as RowSet>::Row>, Failure>;
    /// Runs beside the first variants of an instance, on another thread: a place for what they all need at the end.
    fn beside(&self, _instance: &Self::Instance) {}

    /// The tables of all rows; empty ones are not written.
    fn tables(&self, rows: &Self::Rows) -> Vec<NamedTable>;
    /// What was published about the results, each checked on ours.
    fn claims(&self, _rows: &Self::Rows) -> Vec<Claim> {
        Vec::new()
    }
    /// Notes on all of the results, below the first table.
    fn notes(&self, _rows: &Self::Rows) -> Vec<String> {
        Vec::new()
    }
    /// What the study draws of the mean times of a run, the file `times.csv`, if there is one: its columns are the labels of
    /// instances, those of variants, `runs` and `mean_ms`.
    fn time_drawings(_scenario: &Scenario<Self::Fields>, _times: &ReadFile) -> Vec<Drawing> {
        Vec::new()
    }
    /// What the study draws besides the figures that follow from the roles of columns. It is called on results that were
    /// read from a folder, so logs need not be there.
    fn drawings(_scenario: &Scenario<Self::Fields>, _rows: &Self::Rows) -> Vec<Drawing> {
        Vec::new()
    }
}
