//! Numbers in lines with labels: rows, or a published table.

use super::{Entry, Finding, Labels, Series, Source, Where};
use std::sync::Arc;

/// Lines of labels and numbers.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    columns: Vec<Arc<Labels>>,
    metrics: Vec<&'static str>,
    averaged: &'static [&'static str],
    lines: Vec<(Vec<usize>, Vec<Option<f64>>)>,
}

impl Cells {
    /// No lines.
    pub fn new(
        columns: &[&'static str],
        metrics: &[&'static str],
        averaged: &'static [&'static str],
    ) -> Cells {
        let labels = |&column: &&'static str| Arc::new(Labels { column, names: Vec::new(), is_name: false });
        Cells {
            columns: columns.iter().map(labels).collect(),
            metrics: metrics.to_vec(),
            averaged,
            lines: Vec::new(),
        }
    }
    /// With a column that names lines, see [`Labels::is_name`].
    #[must_use]
    pub fn named_by(mut self, column: &str) -> Cells {
        for labels in self.columns.iter_mut().filter(|labels| labels.column == column) {
            Arc::make_mut(labels).is_name = true;
        }
        self
    }
    /// The lines of each label of a column, in the order in which these come first.
    pub fn split(&self, column: &str) -> Vec<Cells> {
        let Some(place) = self.columns.iter().position(|labels| labels.column == column) else {
            return Vec::new();
        };
        let with = |code| {
            let lines = self.lines.iter().filter(|(codes, _)| codes[place] == code).cloned().collect();
            Cells { lines, ..self.empty() }
        };
        (0..self.columns[place].names.len()).map(with).collect()
    }
    fn empty(&self) -> Cells {
        let (columns, metrics) = (self.columns.clone(), self.metrics.clone());
        Cells { columns, metrics, averaged: self.averaged, lines: Vec::new() }
    }
    /// Adds a line: a label for each column, a number or none for each metric.
    pub fn push<'a>(
        &mut self,
        labels: impl IntoIterator<Item = &'a str>,
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

impl Source for Cells {
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
        let is_meant = |codes: &[usize]| {
            let labels = self.columns.iter().zip(codes);
            labels.clone().all(|(labels, code)| filter.allows(labels.column, &labels.names[*code]))
        };
        let points = self.lines.iter().filter(|(codes, _)| is_meant(codes));
        let points = points.filter_map(|(codes, numbers)| Some((codes.clone(), numbers[place]?)));
        Some(Series { columns: self.columns.clone(), points: points.collect() })
    }
}

/// Cells, and checks of what no query states.
pub struct Checked<'a> {
    cells: Cells,
    checks: Vec<(&'static str, Box<Check<'a>>)>,
}

/// What is found in cells for an entry.
type Check<'a> = dyn Fn(&Cells, &Entry) -> Option<Finding> + 'a;

impl<'a> Checked<'a> {
    /// Without checks.
    pub fn new(cells: Cells) -> Checked<'a> {
        Checked { cells, checks: Vec::new() }
    }
    /// With one more check, by its name.
    #[must_use]
    pub fn with(
        mut self,
        name: &'static str,
        check: impl Fn(&Cells, &Entry) -> Option<Finding> + 'a,
    ) -> Checked<'a> {
        self.checks.push((name, Box::new(check)));
        self
    }
}

impl Source for Checked<'_> {
    fn columns(&self) -> Vec<&'static str> {
        self.cells.columns()
    }
    fn metrics(&self) -> Vec<&'static str> {
        self.cells.metrics()
    }
    fn averaged(&self) -> &'static [&'static str] {
        self.cells.averaged()
    }
    fn series(&self, metric: &str, filter: &Where) -> Option<Series> {
        self.cells.series(metric, filter)
    }
    fn checks(&self) -> Vec<&'static str> {
        self.checks.iter().map(|(name, _)| *name).collect()
    }
    fn check(&self, name: &str, entry: &Entry) -> Option<Finding> {
        let (_, check) = self.checks.iter().find(|(known, _)| *known == name)?;
        check(&self.cells, entry)
    }
}
