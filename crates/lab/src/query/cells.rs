//! Numbers in lines with labels: rows, or a published table.

use super::{Entry, Finding, Labels, Series, Source, Where};
use std::rc::Rc;
use std::sync::Arc;

/// Lines of labels and numbers, with checks of what no query states.
#[derive(Clone, Default)]
pub struct Cells<'a> {
    columns: Vec<Arc<Labels>>,
    metrics: Vec<&'static str>,
    averaged: &'static [&'static str],
    asked_for: Option<&'static str>,
    lines: Vec<(Vec<usize>, Vec<Option<f64>>)>,
    checks: Vec<(&'static str, Rc<Check<'a>>)>,
}

/// What is found in cells for an entry.
type Check<'a> = dyn Fn(&Cells<'_>, &Entry) -> Option<Finding> + 'a;

impl<'a> Cells<'a> {
    /// No lines.
    pub fn new(
        columns: &[&'static str],
        metrics: &[&'static str],
        averaged: &'static [&'static str],
    ) -> Cells<'a> {
        let labels = |&column: &&'static str| Arc::new(Labels { column, names: Vec::new(), is_name: false });
        Cells {
            columns: columns.iter().map(labels).collect(),
            metrics: metrics.to_vec(),
            averaged,
            ..Cells::default()
        }
    }
    /// With a column that names lines, see [`Labels::is_name`].
    #[must_use]
    pub fn named_by(mut self, column: &str) -> Cells<'a> {
        for labels in self.columns.iter_mut().filter(|labels| labels.column == column) {
            Arc::make_mut(labels).is_name = true;
        }
        self
    }
    /// With lines only for statements that name a label of this column, and that some of the lines have.
    #[must_use]
    pub fn only_if_asked_for(self, column: &'static str) -> Cells<'a> {
        Cells { asked_for: Some(column), ..self }
    }
    /// With one more check, by its name.
    #[must_use]
    pub fn with(
        mut self,
        name: &'static str,
        check: impl Fn(&Cells<'_>, &Entry) -> Option<Finding> + 'a,
    ) -> Cells<'a> {
        self.checks.push((name, Rc::new(check)));
        self
    }
    /// The lines of each label of a column, in the order in which these come first.
    pub fn split(&self, column: &str) -> Vec<Cells<'a>> {
        let Some(place) = self.columns.iter().position(|labels| labels.column == column) else {
            return Vec::new();
        };
        let with = |code| {
            let lines = self.lines.iter().filter(|(codes, _)| codes[place] == code).cloned().collect();
            let (columns, metrics) = (self.columns.clone(), self.metrics.clone());
            Cells { columns, metrics, lines, checks: self.checks.clone(), ..*self }
        };
        (0..self.columns[place].names.len()).map(with).collect()
    }
    /// Adds a line: a label for each column, a number or none for each metric.
    pub fn push<'l>(
        &mut self,
        labels: impl IntoIterator<Item = &'l str>,
        numbers: impl IntoIterator<Item = Option<f64>>,
    ) {
        let code = |(column, label): (&mut Arc<Labels>, &str)| {
            let known = column.names.iter().position(|name| name == label);
            known.unwrap_or_else(|| {
                Arc::make_mut(column).names.push(label.to_owned());
                column.names.len() - 1
            })
        };
        let codes = self.columns.iter_mut().zip(labels).map(code).collect();
        self.lines.push((codes, numbers.into_iter().collect()));
    }
}

impl Source for Cells<'_> {
    fn columns(&self) -> Vec<&'static str> {
        self.columns.iter().map(|labels| labels.column).collect()
    }
    fn metrics(&self) -> Vec<&'static str> {
        self.metrics.clone()
    }
    fn averaged(&self) -> &'static [&'static str] {
        self.averaged
    }
    fn series(&self, metric: &str, filter: &Where) -> Option<Series> {
        let place = self.metrics.iter().position(|name| *name == metric)?;
        let number =
            |(codes, numbers): &(Vec<usize>, Vec<Option<f64>>)| Some((codes.clone(), numbers[place]?));
        let points = self.lines.iter().filter_map(number).collect();
        let [series, _] = filter.parted(&Series { columns: self.columns.clone(), points });
        let is_asked_for = |column| filter.label(column).is_some() && !series.points.is_empty();
        self.asked_for.is_none_or(is_asked_for).then_some(series)
    }
    fn checks(&self) -> Vec<&'static str> {
        self.checks.iter().map(|(name, _)| *name).collect()
    }
    fn check(&self, name: &str, entry: &Entry) -> Option<Finding> {
        let (_, check) = self.checks.iter().find(|(known, _)| *known == name)?;
        check(self, entry)
    }
}
