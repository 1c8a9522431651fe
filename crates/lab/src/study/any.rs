//! Studies without their types: what runs them is compiled once, not for each study.

use super::row_set::{InstanceRows, Keeper, RowSet, RowTexts, RunRows, VariantColumns};
use super::{Audit, Grain, Input, InstanceId, Labels, Prepared, ProblemId, Study, Watch};
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

/// A study of any type.
#[derive(Clone, Copy, Debug)]
pub struct AnyStudy {
    /// As [`Study::NAME`].
    pub name: &'static str,
    /// As [`Study::TITLE`].
    pub title: &'static str,
    /// As [`Study::SEMANTICS`].
    pub semantics: u32,
    /// As [`Study::AUDIT`].
    pub audit: Audit,
    /// As [`Study::GRAIN`].
    pub(crate) grain: Grain,
    /// As [`Study::RUNS`].
    pub(crate) runs: &'static str,
    /// The types of its rows.
    pub row_types: &'static [RowType],
    /// Gives the reference of its fields as Markdown.
    pub field_reference: fn() -> String,
    /// Reads a scenario of it, or says everything that is wrong with it.
    pub(crate) scenario: fn(&Document<'_>) -> Result<AnyScenario, Faults>,
    /// Gives rows that were read column by column, in the order of the types; or says in one line that they are not of it.
    pub(crate) frames: fn(&RowTexts) -> Result<Vec<DataFrame>, String>,
    /// Draws the rows of a scenario, and mean times, besides what follows from the roles of columns.
    pub(crate) drawings: Draw,
}

/// A scenario of any study.
pub struct AnyScenario {
    /// Its study.
    pub study: AnyStudy,
    /// What it is about, in one line; may be empty.
    pub title: String,
    /// The files that it reads, and the commands that it runs.
    pub uses: Uses,
    /// The scenario as a file with every field spelt out.
    pub text: String,
    pub(crate) seed: u64,
    /// As [`Study::memory`] and [`Study::rows_at_least`].
    pub(crate) needs: Box<dyn Fn() -> (u64, u64) + Send + Sync>,
    /// As [`Study::open`].
    pub(crate) open: Box<Open>,
    problem: Box<Solve>,
}

type Draw = fn(&ScenarioSource<'_>, &RowTexts, Option<&ReadFile>) -> Result<Vec<Drawing>, String>;
type Open = dyn Fn(&mut Vec<Input>) -> Result<Box<dyn OpenStudy>, RunError> + Send + Sync;
type Solve = dyn Fn(ProblemId<'_>) -> Result<Box<dyn Any>, RunError> + Send + Sync;

impl AnyScenario {
    /// As [`Study::problem`].
    ///
    /// # Errors
    /// There is none.
    pub fn problem(&self, which: ProblemId<'_>) -> Result<Box<dyn Any>, RunError> {
        (self.problem)(which)
    }
}

impl AnyStudy {
    /// That of a type.
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

/// The rows of a study.
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
        needs: Box::new(move || (S::memory(&needs), S::rows_at_least(&needs))),
        open: Box::new(move |inputs| Ok(Box::new(S::open(&open, inputs)?))),
        problem: Box::new(move |which| S::problem(&problem, which)),
    })
}

/// Refuses an objective that is no metric of these rows.
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

/// What a study makes of all of its rows.
#[derive(Debug)]
pub(crate) struct Made {
    /// The tables.
    pub(crate) tables: Vec<NamedTable>,
    /// The notes below the first one.
    pub(crate) notes: Vec<String>,
    /// The statements.
    pub(crate) claims: Vec<Claim>,
}

/// A [`Study`] of any type.
pub(crate) trait OpenStudy: Sync {
    /// What is the same for all of its scenarios.
    fn study(&self) -> AnyStudy;
    /// As [`Study::instances`].
    fn instances(&self) -> Vec<InstanceId>;
    /// The labels of the variants on the instance at this place.
    fn variants(&self, instance: usize) -> Vec<Labels>;
    /// As [`Study::every_variant`].
    fn every_variant(&self) -> Vec<VariantColumns>;
    /// Prepares the instance at this place for some of its variants, or for all.
    fn prepare<'a>(&'a self, instance: usize, own: Option<&[bool]>) -> Box<dyn AnyInstance + 'a>;
    /// What keeps its rows.
    fn keeper(&self) -> Box<dyn Keeper>;
    /// What it makes of the rows of all instances.
    fn made(&self, keeper: Box<dyn Keeper>, parts: Vec<InstanceRows>) -> Made;
}

/// An instance of any type that was prepared, or could not be, with its variants.
pub(crate) trait AnyInstance: Sync {
    /// The digest of everything that its rows depend on, apart from the variant.
    ///
    /// # Errors
    /// If it could not be prepared.
    fn digest(&self) -> Result<Digest, &Failure>;
    /// As [`Study::facts`]; none if it could not be prepared.
    fn facts(&self) -> Labels;
    /// The labels of the variants.
    fn variants(&self) -> Vec<Labels>;
    /// As [`Study::row_type`].
    fn row_type(&self, variant: usize) -> usize;
    /// As [`Study::key`].
    fn key(&self, variant: usize, key: &mut KeyBuilder);
    /// As [`Study::beside`].
    fn beside(&self);
    /// As [`Study::run`].
    ///
    /// # Errors
    /// If there are no rows.
    fn run(&self, variant: usize, watch: Watch<'_>) -> RunRows;
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
        Box::new(OneInstance { study: self, prepared, variants })
    }
    fn keeper(&self) -> Box<dyn Keeper> {
        S::Rows::keeper(&|| OpenStudy::every_variant(self))
    }
    fn made(&self, keeper: Box<dyn Keeper>, parts: Vec<InstanceRows>) -> Made {
        let rows = S::Rows::from_parts(keeper, parts);
        Made { tables: self.tables(&rows), notes: self.notes(&rows), claims: self.claims(&rows) }
    }
}

struct OneInstance<'a, S: Study> {
    study: &'a S,
    prepared: Result<Prepared<S::Instance>, Failure>,
    variants: Vec<S::Variant>,
}

impl<S: Study> AnyInstance for OneInstance<'_, S> {
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
    fn beside(&self) {
        if let Ok(prepared) = &self.prepared {
            self.study.beside(&prepared.instance);
        }
    }
    fn run(&self, variant: usize, watch: Watch<'_>) -> RunRows {
        let prepared = self.prepared.as_ref().map_err(Clone::clone)?;
        let rows = self.study.run(&prepared.instance, &self.variants[variant], watch)?;
        Ok(rows.into_iter().map(|row| Box::new(row) as Box<dyn AnyRow>).collect())
    }
}
