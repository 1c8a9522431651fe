//! Type-erased studies: the code that runs them is compiled once instead of once per study.

use super::row_set::{InstanceRows, RowSet, RowStore, RowTexts, RunRows, VariantColumns};
use super::{Audit, Input, InstanceId, Labels, Prepared, ProblemId, RunContext, ShardUnit, Study};
use crate::claims::Claim;
use crate::column::{AnyRow, Row as _, RowType};
use crate::data::DataFrame;
use crate::drawing::Drawing;
use crate::error::RunError;
use crate::fields::{Document, Faults, ScenarioSource, Uses, document_fields};
use crate::key::{Digest, KeyBuilder};
use crate::record::Failure;
use crate::table::NamedTable;
use crate::text::csv::ReadFile;
use std::any::Any;
use std::sync::Arc;

/// A type-erased study.
#[derive(Clone, Copy, Debug)]
pub struct AnyStudy {
    /// See [`Study::NAME`].
    pub name: &'static str,
    /// See [`Study::TITLE`].
    pub title: &'static str,
    /// See [`Study::SEMANTICS`].
    pub semantics: u32,
    /// See [`Study::AUDIT`].
    pub audit: Audit,
    /// See [`Study::GRAIN`].
    pub(crate) grain: ShardUnit,
    /// See [`Study::RUNS`].
    pub(crate) runs: &'static str,
    /// Row types of the study, the main one first.
    pub row_types: &'static [RowType],
    /// Formats the reference of the scenario's fields as Markdown.
    pub field_reference: fn() -> String,
    /// Reads a scenario, or returns every error in it.
    pub(crate) scenario: fn(&Document<'_>) -> Result<AnyScenario, Faults>,
    /// Reads the rows into frames, in the order of the row types; the error is one line that says
    /// which row is invalid.
    pub(crate) frames: fn(&RowTexts) -> Result<Vec<DataFrame>, String>,
    /// Draws the rows and mean run times of a scenario, in addition to the default figures.
    pub(crate) drawings: Draw,
}

/// A scenario of any study.
pub struct AnyScenario {
    /// Study of the scenario.
    pub study: AnyStudy,
    /// Title, in one line; may be empty.
    pub title: String,
    /// Files that the scenario reads, and commands that it runs.
    pub uses: Uses,
    /// The scenario with every field written out.
    pub text: String,
    pub(crate) seed: u64,
    /// Conditions `column=value` that select runs.
    pub(crate) only: Vec<String>,
    /// Computes [`Study::memory`] and [`Study::rows_at_least`].
    pub(crate) memory_and_rows: Box<dyn Fn() -> (u64, u64) + Send + Sync>,
    /// Calls [`Study::open`].
    pub(crate) open: Box<Open>,
    problem: Box<Solve>,
}

type Draw = fn(&ScenarioSource<'_>, &RowTexts, Option<&ReadFile>) -> Result<Vec<Drawing>, String>;
type Open = dyn Fn(&mut Vec<Input>) -> Result<Box<dyn OpenStudy>, RunError> + Send + Sync;
type Solve = dyn Fn(ProblemId<'_>) -> Result<Box<dyn Any>, RunError> + Send + Sync;

impl AnyScenario {
    /// Calls [`Study::problem`].
    ///
    /// # Errors
    /// Returns the errors of [`Study::problem`].
    pub fn problem(&self, which: ProblemId<'_>) -> Result<Box<dyn Any>, RunError> {
        (self.problem)(which)
    }
}

impl AnyStudy {
    /// Creates the type-erased study `S`.
    pub(crate) fn of<S: Study>() -> AnyStudy {
        AnyStudy {
            name: S::NAME,
            title: S::TITLE,
            semantics: S::SEMANTICS,
            audit: S::AUDIT,
            grain: S::GRAIN,
            runs: S::RUNS,
            row_types: RowOf::<S>::TYPES,
            field_reference: document_fields::<S::Fields>,
            scenario: scenario::<S>,
            frames: S::Rows::frames,
            drawings: drawings::<S>,
        }
    }
}

/// Row type of a study.
type RowOf<S> = <<S as Study>::Rows as RowSet>::Row;

fn scenario<S: Study>(document: &Document<'_>) -> Result<AnyScenario, Faults> {
    let scenario = document.read::<S::Fields>()?;
    let study = AnyStudy::of::<S>();
    check_objective(document, scenario.objective.as_deref(), study.row_types)?;
    let scenario = Arc::new(scenario);
    let [needs, open, problem] = [(); 3].map(|()| Arc::clone(&scenario));
    Ok(AnyScenario {
        study,
        title: scenario.title.clone(),
        uses: scenario.uses.clone(),
        text: scenario.to_toml(S::NAME),
        seed: scenario.seed,
        only: scenario.only.clone().unwrap_or_default(),
        memory_and_rows: Box::new(move || (S::memory(&needs), S::rows_at_least(&needs))),
        open: Box::new(move |inputs| Ok(Box::new(S::open(&open, inputs)?))),
        problem: Box::new(move |which| S::problem(&problem, which)),
    })
}

/// Refuses an objective that is not a metric of these rows.
fn check_objective(
    document: &Document<'_>,
    objective: Option<&str>,
    row_types: &[RowType],
) -> Result<(), Faults> {
    let columns = row_types.iter().flat_map(|row_type| row_type.columns);
    let metrics: Vec<&str> = columns.filter(|it| it.is_metric()).map(|it| it.name).collect();
    match objective.filter(|objective| !metrics.contains(objective)) {
        Some(unknown) => Err(document.unknown_objective(unknown, metrics)),
        None => Ok(()),
    }
}

fn drawings<S: Study>(
    scenario: &ScenarioSource<'_>,
    rows: &RowTexts,
    times: Option<&ReadFile>,
) -> Result<Vec<Drawing>, String> {
    let scenario = Document::parse(scenario).and_then(|document| document.read::<S::Fields>());
    let scenario = scenario.map_err(|errors| errors.to_string())?;
    let mut drawings = S::drawings(&scenario, &S::Rows::read(rows)?);
    drawings.extend(times.into_iter().flat_map(|times| S::time_drawings(&scenario, times)));
    Ok(drawings)
}

/// Outputs that a study derives from all of its rows.
#[derive(Debug)]
pub(crate) struct StudyOutputs {
    /// Tables of the results.
    pub(crate) tables: Vec<NamedTable>,
    /// Notes, shown below the first table.
    pub(crate) notes: Vec<String>,
    /// Claims with their verdicts.
    pub(crate) claims: Vec<Claim>,
}

/// A type-erased [`Study`] that was opened.
pub(crate) trait OpenStudy: Sync {
    /// Returns the properties common to all scenarios of the study.
    fn study(&self) -> AnyStudy;
    /// Calls [`Study::instances`].
    fn instances(&self) -> Vec<InstanceId>;
    /// Returns the labels of the variants of the instance with this index.
    fn variants(&self, instance: usize) -> Vec<Labels>;
    /// Returns the labels of [`Study::every_variant`] with the secondary metrics of each.
    fn every_variant(&self) -> Vec<VariantColumns>;
    /// Prepares the instance with this index, for the variants selected by `own` or for all.
    fn prepare<'a>(&'a self, instance: usize, own: Option<&[bool]>) -> Box<dyn AnyInstance + 'a>;
    /// Creates the store for the rows.
    fn row_store(&self) -> Box<dyn RowStore>;
    /// Derives the outputs from the rows of all instances.
    fn outputs(&self, keeper: Box<dyn RowStore>, parts: Vec<InstanceRows>) -> StudyOutputs;
}

/// A type-erased instance with its variants; its preparation may have failed.
pub(crate) trait AnyInstance: Sync {
    /// Returns the digest of everything that the rows depend on, apart from the variant.
    ///
    /// # Errors
    /// Returns the failure if the instance could not be prepared.
    fn digest(&self) -> Result<Digest, &Failure>;
    /// Calls [`Study::facts`]; returns no facts if the instance could not be prepared.
    fn facts(&self) -> Labels;
    /// Returns the labels of the variants.
    fn variants(&self) -> Vec<Labels>;
    /// Calls [`Study::row_type`].
    fn row_type(&self, variant: usize) -> usize;
    /// Calls [`Study::key`].
    fn key(&self, variant: usize, key: &mut KeyBuilder);
    /// Calls [`Study::precompute_shared`].
    fn precompute_shared(&self);
    /// Calls [`Study::run`].
    ///
    /// # Errors
    /// Returns a failure if the run has no rows.
    fn run(&self, variant: usize, watch: RunContext<'_>) -> RunRows;
}

impl<S: Study> OpenStudy for S {
    fn study(&self) -> AnyStudy {
        AnyStudy::of::<S>()
    }
    fn instances(&self) -> Vec<InstanceId> {
        Study::instances(self)
    }
    fn variants(&self, instance: usize) -> Vec<Labels> {
        Study::variants(self, instance).iter().map(|variant| self.labels(variant)).collect()
    }
    fn every_variant(&self) -> Vec<VariantColumns> {
        let every = Study::every_variant(self);
        let has = |variant: &S::Variant| {
            let columns = RowOf::<S>::TYPES[0].columns.iter().enumerate();
            let further = columns.filter(|(_, column)| column.is_metric() && !column.is_primary());
            let own = further.filter(|(_, column)| self.has_metric(variant, column));
            own.map(|(place, _)| place).collect()
        };
        every.iter().map(|variant| (self.labels(variant), has(variant))).collect()
    }
    fn prepare<'a>(&'a self, instance: usize, own: Option<&[bool]>) -> Box<dyn AnyInstance + 'a> {
        let prepared = Study::prepare(self, instance);
        let mut variants = Study::variants(self, instance);
        if let Some(own) = own {
            let mut own = own.iter();
            variants.retain(|_| own.next() == Some(&true));
        }
        Box::new(TypedInstance { study: self, prepared, variants })
    }
    fn row_store(&self) -> Box<dyn RowStore> {
        S::Rows::store(&|| OpenStudy::every_variant(self))
    }
    fn outputs(&self, keeper: Box<dyn RowStore>, parts: Vec<InstanceRows>) -> StudyOutputs {
        let rows = S::Rows::from_parts(keeper, parts);
        StudyOutputs { tables: self.tables(&rows), notes: self.notes(&rows), claims: self.claims(&rows) }
    }
}

struct TypedInstance<'a, S: Study> {
    study: &'a S,
    prepared: Result<Prepared<S::Instance>, Failure>,
    variants: Vec<S::Variant>,
}

impl<S: Study> AnyInstance for TypedInstance<'_, S> {
    fn digest(&self) -> Result<Digest, &Failure> {
        self.prepared.as_ref().map(|prepared| prepared.digest)
    }
    fn facts(&self) -> Labels {
        self.prepared.as_ref().map(|prepared| self.study.facts(&prepared.instance)).unwrap_or_default()
    }
    fn variants(&self) -> Vec<Labels> {
        self.variants.iter().map(|variant| self.study.labels(variant)).collect()
    }
    fn row_type(&self, variant: usize) -> usize {
        self.study.row_type(&self.variants[variant])
    }
    fn key(&self, variant: usize, key: &mut KeyBuilder) {
        self.study.key(&self.variants[variant], key);
    }
    fn precompute_shared(&self) {
        if let Ok(prepared) = &self.prepared {
            self.study.precompute_shared(&prepared.instance);
        }
    }
    fn run(&self, variant: usize, watch: RunContext<'_>) -> RunRows {
        let prepared = self.prepared.as_ref().map_err(Clone::clone)?;
        let rows = self.study.run(&prepared.instance, &self.variants[variant], watch)?;
        Ok(rows.into_iter().map(|row| Box::new(row) as Box<dyn AnyRow>).collect())
    }
}
