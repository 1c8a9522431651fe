//! Values with labels.

use super::Limit;
use crate::groups::by_key;
use crate::table::mean;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A column of labels: its name, and its distinct labels in order of first appearance.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelColumn {
    /// Name of the column.
    pub column: &'static str,
    /// True if the column names lines: the other columns determine it, and pairing ignores it.
    pub is_name: bool,
    /// The distinct labels.
    pub names: Vec<String>,
}

/// Values, each with a label for every column, stored as an index into the labels of the column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabelledValues {
    /// The label columns.
    pub columns: Vec<Arc<LabelColumn>>,
    /// The points as (label indices, value).
    pub points: Vec<(Vec<usize>, f64)>,
}

impl LabelledValues {
    fn column_index(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|labels| labels.column == column)
    }
    /// Returns whether the series has a column.
    pub fn has(&self, column: &str) -> bool {
        self.column_index(column).is_some()
    }
    /// Returns the values.
    pub fn values(&self) -> Vec<f64> {
        self.points.iter().map(|(_, value)| *value).collect()
    }
    /// Returns the label of a point in a column; empty if there is no such column.
    pub fn label(&self, point: usize, column: &str) -> &str {
        self.column_index(column).map_or("", |place| &self.columns[place].names[self.points[point].0[place]])
    }
    /// Returns the columns that name points: those in which the points differ, restricted to those
    /// that name lines if there are any.
    pub(super) fn naming_columns(&self) -> Vec<usize> {
        let differs = |place: &usize| {
            let code = |(codes, _): &(Vec<usize>, f64)| codes[*place];
            self.points.iter().any(|point| code(point) != code(&self.points[0]))
        };
        let names = |place: &usize| self.columns[*place].is_name;
        let all = || 0..self.columns.len();
        let candidates: [Vec<usize>; 4] = [
            all().filter(|place| names(place) && differs(place)).collect(),
            all().filter(differs).collect(),
            all().filter(names).collect(),
            all().collect(),
        ];
        candidates.into_iter().find(|places| !places.is_empty()).unwrap_or_default()
    }
    pub(super) fn name_by(&self, places: &[usize], point: usize) -> String {
        let label = |&place: &usize| self.columns[place].names[self.points[point].0[place]].as_str();
        places.iter().map(label).collect::<Vec<_>>().join(", ")
    }
    /// Returns the name of a point: its labels in the columns in which the points differ, restricted
    /// to those that name lines if there are any.
    pub fn name(&self, point: usize) -> String {
        self.name_by(&self.naming_columns(), point)
    }
    /// Returns the values with the names of their points.
    pub(super) fn named(&self) -> Vec<(String, f64)> {
        let places = self.naming_columns();
        self.points.iter().enumerate().map(|(at, (_, value))| (self.name_by(&places, at), *value)).collect()
    }
    /// Returns the other columns, and the labels of all points in them.
    fn without(&self, columns: &[&str]) -> (Vec<Arc<LabelColumn>>, Vec<Vec<usize>>) {
        let places: Vec<usize> =
            (0..self.columns.len()).filter(|&at| !columns.contains(&self.columns[at].column)).collect();
        let codes = |(codes, _): &(Vec<usize>, f64)| places.iter().map(|&at| codes[at]).collect();
        let all = self.points.iter().map(codes).collect();
        (places.iter().map(|&at| self.columns[at].clone()).collect(), all)
    }
    /// Averages over a column, in the order in which the labels of the other columns first appear.
    pub fn over(&self, column: &str) -> LabelledValues {
        let (columns, labels) = self.without(&[column]);
        let groups = by_key(labels.into_iter().zip(self.values()), |(labels, _)| labels.clone());
        let point = |mut group: Vec<(Vec<usize>, f64)>| {
            let values: Vec<f64> = group.iter().map(|(_, value)| *value).collect();
            (group.swap_remove(0).0, mean(&values))
        };
        LabelledValues { columns, points: groups.into_iter().map(point).collect() }
    }
    /// Returns the labels of a column; empty if there is no such column.
    pub(super) fn labels(&self, column: &str) -> Vec<String> {
        self.column_index(column).map_or_else(Vec::new, |place| self.columns[place].names.clone())
    }
    /// Selects the points that have all of these labels.
    pub fn only(&self, labels: &[(&str, &str)]) -> LabelledValues {
        let is_meant = |at: &usize| labels.iter().all(|(column, name)| self.label(*at, column) == *name);
        let points = (0..self.points.len()).filter(is_meant).map(|at| self.points[at].clone()).collect();
        LabelledValues { columns: self.columns.clone(), points }
    }
    /// Splits the points by the labels of a column.
    pub fn split(&self, column: &str) -> Vec<(String, LabelledValues)> {
        let Some(place) = self.column_index(column) else { return Vec::new() };
        let all = self.columns[place].names.iter().map(|name| (name.clone(), self.only(&[(column, name)])));
        all.filter(|(_, series)| !series.points.is_empty()).collect()
    }
    /// Pairs the points of two sides that agree in all labels except those of these columns; returns
    /// the points that have a partner, and the partners.
    pub fn pairs(&self, other: &LabelledValues, columns: &[&str]) -> (LabelledValues, LabelledValues) {
        let names = self.columns.iter().filter(|column| column.is_name).map(|column| column.column);
        let columns: Vec<&str> = columns.iter().copied().chain(names).collect();
        let partners: FxHashMap<Vec<usize>, f64> =
            other.without(&columns).1.into_iter().zip(other.values()).collect();
        let labels = self.without(&columns).1;
        let both = self.points.iter().zip(&labels).filter_map(|((codes, value), labels)| {
            Some(((codes.clone(), *value), (codes.clone(), *partners.get(labels)?)))
        });
        let (one, two) = both.unzip();
        let side = |points| LabelledValues { columns: self.columns.clone(), points };
        (side(one), side(two))
    }
    /// Sorts the points by the given order of a column's labels; labels that are not listed come
    /// first.
    pub(super) fn in_order(mut self, column: &str, labels: &[String]) -> LabelledValues {
        if let Some(place) = self.column_index(column) {
            let names = &self.columns[place].names;
            let order: Vec<_> =
                names.iter().map(|name| labels.iter().position(|label| label == name)).collect();
            self.points.sort_by_key(|(codes, _)| order[codes[place]]);
        }
        self
    }
    /// Combines each value with the value at the same index of the other series.
    pub fn combined(&self, other: &LabelledValues, of: impl Fn(f64, f64) -> f64) -> LabelledValues {
        let both = self.points.iter().zip(&other.points);
        let points = both.map(|((codes, one), (_, two))| (codes.clone(), of(*one, *two))).collect();
        LabelledValues { columns: self.columns.clone(), points }
    }
    /// Counts the values in a range.
    pub fn count(&self, limit: &Limit) -> usize {
        self.points.iter().filter(|(_, value)| limit.holds(*value)).count()
    }
    /// Returns the index of the largest value; the last one of equal values.
    pub fn largest(&self) -> Option<usize> {
        (0..self.points.len()).max_by(|&a, &b| self.points[a].1.total_cmp(&self.points[b].1))
    }
    /// Returns the index of the smallest value; the first one of equal values.
    pub fn smallest(&self) -> Option<usize> {
        (0..self.points.len()).min_by(|&a, &b| self.points[a].1.total_cmp(&self.points[b].1))
    }
}
