//! Studies without their types: what runs them is compiled once, not for each study.

use super::row_set::{InstanceRows, Keeper, RowSet, RunRows, VariantColumns};
use super::{Audit, Grain, Input, InstanceId, Labels, Prepared, Study, Watch};
use crate::claims::Claim;
use crate::column::{AnyRow, Row as _, RowType};
use crate::key::{Digest, KeyBuilder};
use crate::record::Failure;
use crate::table::NamedTable;
use std::any::Any;

/// What is the same for all scenarios of a study.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StudyFacts {
    /// As [`Study::NAME`].
    pub(crate) name: &'static str,
    /// As [`Study::SEMANTICS`].
    pub(crate) semantics: u32,
    /// As [`Study::AUDIT`].
    pub(crate) audit: Audit,
    /// As [`Study::GRAIN`].
    pub(crate) grain: Grain,
    /// As [`Study::RUNS`].
    pub(crate) runs: &'static str,
    /// The types of its rows.
    pub(crate) row_types: &'static [RowType],
}

impl StudyFacts {
    /// Those of a study.
    pub(crate) fn of<S: Study>() -> StudyFacts {
        StudyFacts {
            name: S::NAME,
            semantics: S::SEMANTICS,
            audit: S::AUDIT,
            grain: S::GRAIN,
            runs: S::RUNS,
            row_types: S::Row::TYPES,
        }
    }
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
    fn facts(&self) -> StudyFacts;
    /// As [`Study::inputs`].
    fn inputs(&self) -> Vec<Input>;
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
    /// As [`Study::rename`].
    fn rename(&self, variant: usize, row: &mut dyn AnyRow);
    /// As [`Study::beside`].
    fn beside(&self);
    /// As [`Study::run`].
    ///
    /// # Errors
    /// If there are no rows.
    fn run(&self, variant: usize, watch: Watch<'_>) -> RunRows;
}

impl<S: Study> OpenStudy for S {
    fn facts(&self) -> StudyFacts {
        StudyFacts::of::<S>()
    }
    fn inputs(&self) -> Vec<Input> {
        Study::inputs(self)
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
            let columns = S::Row::TYPES[0].columns.iter().enumerate();
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
        Box::new(OneInstance { study: self, at: instance, prepared, variants })
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
    at: usize,
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
    fn rename(&self, variant: usize, row: &mut dyn AnyRow) {
        let row: &mut dyn Any = row;
        let row = row.downcast_mut().expect("a row of this study");
        self.study.rename(self.at, &self.variants[variant], row);
    }
    fn beside(&self) {
        if let Ok(prepared) = &self.prepared {
            self.study.beside(&prepared.instance);
        }
    }
    fn run(&self, variant: usize, watch: Watch<'_>) -> RunRows {
        let prepared = self.prepared.as_ref().map_err(Clone::clone)?;
        let rows = self.study.run(&prepared.instance, self.at, &self.variants[variant], watch)?;
        Ok(rows.into_iter().map(|row| Box::new(row) as Box<dyn AnyRow>).collect())
    }
}
