//! Interface of studies: instances x variants -> rows.

mod any;
mod row_set;

pub(crate) use any::{AnyInstance, OpenStudy, StudyOutputs};
pub use any::{AnyScenario, AnyStudy};
pub(crate) use row_set::{
    InstanceContext, InstanceRows, Journaling, Origin, Outcome, RowFile, RowResult, RowStore, RunIdentity,
    RunRows, VariantColumns,
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
use dfrsim_model::account::AccountSummary;
use rustc_hash::FxHashSet;
use std::any::Any;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Effect of `--audit` on a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audit {
    /// An independent checker verifies every run.
    Always,
    /// An independent checker verifies every run if `--audit` is given.
    Optional,
}

/// Identifies one instance of a scenario whose instances come in groups.
#[derive(Clone, Copy, Debug)]
pub struct ProblemId<'a> {
    /// Name of the group.
    pub group: &'a str,
    /// Index of the parameters within the group, from 0.
    pub number: u32,
    /// Replication number, from 0.
    pub replication: u32,
}

/// Unit of work that is distributed over shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShardUnit {
    /// Single runs: preparing an instance in several shards costs little.
    Variants,
    /// Instances with all of their variants: preparing an instance takes long, or its variants share
    /// much work.
    Instances,
}

/// An instance before it is prepared.
#[derive(Clone, Debug, PartialEq)]
pub struct InstanceId {
    /// Values of the columns that the instance alone determines, by name: at least its label and
    /// instance columns. Together they are unique in the scenario.
    pub labels: Labels,
    /// Approximate run time of a variant on this instance relative to other instances; the longest
    /// ones start first.
    pub weight: u64,
}

/// Values of columns, by name.
pub type Labels = Vec<(&'static str, String)>;

/// An instance that is ready for its variants.
#[derive(Debug)]
pub struct Prepared<I> {
    /// State that the variants share. Put parts that are expensive and not always needed in a
    /// `OnceLock`: an instance is prepared to compute its keys even if all of its rows are known
    /// from earlier runs.
    pub instance: I,
    /// Digest of everything that the rows of this instance depend on, apart from the variant.
    pub digest: Digest,
}

/// An input file of a scenario, in addition to the scenario file itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// File name as given in the scenario.
    pub file: String,
    /// Digest of the file's bytes.
    pub digest: Digest,
    /// Remarks about the file, such as the number of lines that became jobs; printed, and written to
    /// the manifest.
    pub report: Vec<String>,
    /// Counts for the manifest, by name.
    pub counts: Vec<(String, u64)>,
    /// Path at which the file was found; set by the framework.
    pub path: Option<PathBuf>,
    /// Account of the lines of a log: numbers of lines that were used, changed and dropped.
    pub account: Option<AccountSummary>,
}

impl Input {
    /// Creates an input without remarks and counts.
    pub fn new(file: &str, digest: Digest) -> Input {
        let (report, counts) = (Vec::new(), Vec::new());
        Input { file: file.to_owned(), digest, report, counts, path: None, account: None }
    }
}

/// Context of a run within its sweep.
#[derive(Clone, Copy, Debug)]
pub struct RunContext<'a> {
    /// True if the independent checker is to verify the run; always true if the study declares
    /// [`Audit::Always`].
    pub audit: bool,
    out: &'a Path,
    took: Option<&'a AtomicU64>,
}

impl<'a> RunContext<'a> {
    /// Creates the context of a run whose results go to the folder `out`.
    pub fn new(audit: bool, out: &'a Path) -> RunContext<'a> {
        RunContext { audit, out, took: None }
    }
    pub(crate) fn timed(self, took: &'a AtomicU64) -> RunContext<'a> {
        RunContext { took: Some(took), ..self }
    }
    /// Creates a file that a run writes in addition to its rows, in a [folder of the
    /// results](crate::fields::result_folder), with all parent folders; an existing file is
    /// replaced.
    ///
    /// # Errors
    /// Returns an error if the file cannot be created, or if a symbolic link would lead out of the
    /// results.
    pub fn create(&self, folder: &str, name: &str) -> Result<File, Failure> {
        let path = self.out.join(folder.trim_start_matches('/')).join(name.trim_start_matches('/'));
        let mut below = path.ancestors().take_while(|at| *at != self.out);
        let file = match below.any(Path::is_symlink) {
            true => Err(io::Error::other("is a symbolic link that leads out of the results folder")),
            false => fs::create_dir_all(path.parent().unwrap_or(self.out)).and_then(|()| File::create(&path)),
        };
        file.map_err(|error| Failure::failed(format_args!("{}: {error}", path.display())))
    }
    /// Reports the run time of the variant itself, without checks. Mean run times go to `times.csv`,
    /// the only file besides the manifest that depends on the machine. A run that does not report a
    /// time is left out of the means.
    pub fn report_time(&self, time: Duration) {
        if let Some(took) = self.took {
            took.store(time.as_nanos() as u64, Ordering::Relaxed);
        }
    }
}

/// A study, opened for one scenario: its logs are read and its instances are known.
///
/// The framework provides everything else: folders, keys, statuses, parallel sweeps, journals,
/// shards, manifests, digests, progress, table files, comparison, baselines, export and the default
/// figures.
pub trait Study: Sized + Send + Sync + 'static {
    /// Name in scenarios: `study = "grid"`.
    const NAME: &'static str;
    /// Subject in one line, with its source.
    const TITLE: &'static str;
    /// Version of the meaning of the rows. Increase it whenever results change: rows of another
    /// version are not reused.
    const SEMANTICS: u32;
    /// When an independent checker verifies the runs.
    const AUDIT: Audit;
    /// Unit of work that is distributed over shards.
    const GRAIN: ShardUnit = ShardUnit::Variants;
    /// Plural name of the runs: `simulations`.
    const RUNS: &'static str;

    /// Fields of the study's scenarios.
    type Fields: Fields + Send + Sync + 'static;
    /// State that all variants on an instance share.
    type Instance: Send + Sync;
    /// Configuration that is run on an instance.
    type Variant: Clone + Send + Sync;
    /// Rows of the runs and their layout in memory and in files: [`Long`](crate::Long) or
    /// [`Wide`](crate::Wide).
    type Rows: RowSet;

    /// Returns a lower bound on the memory in bytes for preparing and running the largest instance;
    /// 0 if it is small for all scenarios. It is called before [`open`](Study::open), and a scenario
    /// that cannot fit is refused.
    fn memory(_scenario: &Scenario<Self::Fields>) -> u64 {
        0
    }

    /// Returns a lower bound on the number of rows. It is called before the instances are laid out,
    /// and a scenario whose rows cannot fit in memory is refused.
    fn rows_at_least(_scenario: &Scenario<Self::Fields>) -> u64 {
        0
    }

    /// Returns one instance with the settings of its variants, as a type known to the commands that
    /// solve a single instance.
    ///
    /// # Errors
    /// Returns an error if there is no such instance, it cannot be read, or no command solves
    /// instances of this study.
    fn problem(_scenario: &Scenario<Self::Fields>, _which: ProblemId<'_>) -> Result<Box<dyn Any>, RunError> {
        Err(RunError::input(format_args!(
            "study `{}` has no command that solves a single instance",
            Self::NAME
        )))
    }

    /// Reads the files that the scenario names, lays out the instances, and appends the files to
    /// `inputs`.
    ///
    /// # Errors
    /// Returns an error if a file cannot be used.
    fn open(scenario: &Scenario<Self::Fields>, inputs: &mut Vec<Input>) -> Result<Self, RunError>;
    /// Returns the instances, in the order of their rows.
    fn instances(&self) -> Vec<InstanceId>;
    /// Returns the variants of the instance with this index, in the order of their rows.
    fn variants(&self, instance: usize) -> Vec<Self::Variant>;
    /// Prepares the instance with this index. Must be deterministic.
    ///
    /// # Errors
    /// Returns a failure if the instance cannot be built; all of its variants then have this
    /// failure.
    fn prepare(&self, instance: usize) -> Result<Prepared<Self::Instance>, Failure>;
    /// Returns all distinct variants, in the order of the columns of [wide](crate::Wide) rows. The
    /// default collects the variants of all instances.
    fn every_variant(&self) -> Vec<Self::Variant> {
        let mut known = FxHashSet::default();
        let all = (0..self.instances().len()).flat_map(|at| self.variants(at));
        all.filter(|variant| known.insert(self.labels(variant))).collect()
    }
    /// Returns whether runs of a variant may have a value of a metric; [wide](crate::Wide) rows omit
    /// the other columns.
    fn has_metric(&self, _variant: &Self::Variant, _metric: &Column) -> bool {
        true
    }
    /// Returns the values of columns that become known when an instance is prepared, so that failed
    /// runs have them too.
    fn facts(&self, _instance: &Self::Instance) -> Labels {
        Vec::new()
    }
    /// Adds the determinants of a variant's rows, apart from the digest of the instance. The default
    /// adds the variant's labels.
    fn key(&self, variant: &Self::Variant, key: &mut KeyBuilder) {
        self.labels(variant).iter().for_each(|(name, value)| _ = key.field(name, value));
    }
    /// Returns the values of the columns that the variant determines. A sweep panics if a value is
    /// not valid in its column.
    fn labels(&self, variant: &Self::Variant) -> Labels;
    /// Returns the index of the row type of a variant in [`Row::TYPES`](crate::Row::TYPES). If a
    /// variant has rows of several types, this is the type of a failure.
    fn row_type(&self, _variant: &Self::Variant) -> usize {
        0
    }
    /// Runs a variant on an instance and returns at least one row. Several rows, possibly of several
    /// types, all share the key of the variant. Label, instance and variant columns are set from
    /// [`instances`](Study::instances) and [`labels`](Study::labels), and may be left empty here.
    ///
    /// # Errors
    /// Returns a failure if the run has no rows; other runs continue.
    fn run(
        &self,
        instance: &Self::Instance,
        variant: &Self::Variant,
        watch: RunContext<'_>,
    ) -> Result<Vec<<Self::Rows as RowSet>::Row>, Failure>;
    /// Precomputes what all variants of the instance need at the end, such as a lower bound. Runs on
    /// another thread, concurrently with the first variants.
    fn precompute_shared(&self, _instance: &Self::Instance) {}

    /// Builds the tables of all rows; empty tables are not written.
    fn tables(&self, rows: &Self::Rows) -> Vec<NamedTable>;
    /// Checks the published claims about the results against these rows.
    fn claims(&self, _rows: &Self::Rows) -> Vec<Claim> {
        Vec::new()
    }
    /// Returns notes on the results as a whole, shown below the first table.
    fn notes(&self, _rows: &Self::Rows) -> Vec<String> {
        Vec::new()
    }
    /// Draws figures of the mean run times in `times.csv`, if the study measures them. The columns
    /// are the labels of instances, those of variants, `runs` and `mean_ms`.
    fn time_drawings(_scenario: &Scenario<Self::Fields>, _times: &ReadFile) -> Vec<Drawing> {
        Vec::new()
    }
    /// Draws figures in addition to the default ones. It is called on results that were read from a
    /// folder, where the logs may no longer exist.
    fn drawings(_scenario: &Scenario<Self::Fields>, _rows: &Self::Rows) -> Vec<Drawing> {
        Vec::new()
    }
}
