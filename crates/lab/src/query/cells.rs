//! Labelled numbers: rows, or a published table.

use super::{LabelColumn, LabelFilter, LabelledValues, NamedCheck, QueryResult, Source};
use std::sync::Arc;

/// Lines of labels and numbers, with named checks for claims that no query expresses.
#[derive(Clone, Default)]
pub struct Cells<'a> {
    columns: Vec<Arc<LabelColumn>>,
    metrics: Vec<&'static str>,
    averaged: &'static [&'static str],
    asked_for: Option<&'static str>,
    lines: Vec<(Vec<usize>, Vec<Option<f64>>)>,
    checks: Vec<(&'static str, Arc<CheckFunction<'a>>)>,
}

/// Function that computes the result of a named check.
type CheckFunction<'a> = dyn Fn(&Cells<'_>, &NamedCheck) -> Option<QueryResult> + Send + Sync + 'a;

impl<'a> Cells<'a> {
    /// Creates a source without lines.
    pub fn new(
        columns: &[&'static str],
        metrics: &[&'static str],
        averaged: &'static [&'static str],
    ) -> Cells<'a> {
        let labels =
            |&column: &&'static str| Arc::new(LabelColumn { column, names: Vec::new(), is_name: false });
        Cells {
            columns: columns.iter().map(labels).collect(),
            metrics: metrics.to_vec(),
            averaged,
            ..Cells::default()
        }
    }
    /// Marks a column that names lines, see [`LabelColumn::is_name`].
    #[must_use]
    pub fn named_by(mut self, column: &str) -> Cells<'a> {
        for labels in self.columns.iter_mut().filter(|labels| labels.column == column) {
            Arc::make_mut(labels).is_name = true;
        }
        self
    }
    /// Restricts the lines to claims whose filter names one label of this column and matches some of
    /// the lines.
    #[must_use]
    pub fn only_if_asked_for(self, column: &'static str) -> Cells<'a> {
        Cells { asked_for: Some(column), ..self }
    }
    /// Replaces the numbers of all lines, in the order in which the lines were added.
    #[must_use]
    pub fn with_numbers<N: Into<Vec<Option<f64>>>>(&self, numbers: impl IntoIterator<Item = N>) -> Cells<'a> {
        let lines = self.lines.iter().zip(numbers);
        let lines = lines.map(|((codes, _), numbers)| (codes.clone(), numbers.into())).collect();
        let (columns, metrics) = (self.columns.clone(), self.metrics.clone());
        Cells { columns, metrics, lines, checks: self.checks.clone(), ..*self }
    }
    /// Adds a named check.
    #[must_use]
    pub fn with(
        mut self,
        name: &'static str,
        check: impl Fn(&Cells<'_>, &NamedCheck) -> Option<QueryResult> + Send + Sync + 'a,
    ) -> Cells<'a> {
        self.checks.push((name, Arc::new(check)));
        self
    }
    /// Splits the lines by the labels of a column, in order of first appearance.
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
    /// Adds a line: a label for each column, and a number or `None` for each metric.
    pub fn push<'l>(
        &mut self,
        labels: impl IntoIterator<Item = &'l str>,
        numbers: impl IntoIterator<Item = Option<f64>>,
    ) {
        let code = |(column, label): (&mut Arc<LabelColumn>, &str)| {
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
    fn series(&self, metric: &str, filter: &LabelFilter) -> Option<LabelledValues> {
        let place = self.metrics.iter().position(|name| *name == metric)?;
        let accepted = filter.accepted_codes(&self.columns);
        let meant = self.lines.iter().filter(|(codes, _)| accepted.contain(codes));
        let points = meant.filter_map(|(codes, numbers)| Some((codes.clone(), numbers[place]?))).collect();
        let series = LabelledValues { columns: self.columns.clone(), points };
        let is_asked_for = |column| filter.label(column).is_some() && !series.points.is_empty();
        self.asked_for.is_none_or(is_asked_for).then_some(series)
    }
    fn checks(&self) -> Vec<&'static str> {
        self.checks.iter().map(|(name, _)| *name).collect()
    }
    fn check(&self, check: &NamedCheck) -> Option<QueryResult> {
        let (_, function) = self.checks.iter().find(|(known, _)| *known == check.name)?;
        function(self, check)
    }
}
