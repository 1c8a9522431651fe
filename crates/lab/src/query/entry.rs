//! Claims and the queries that decide them.

use super::{Aggregate, LabelFilter, LabelledValues, Limit, PairOperation, QueryResult, Source};
use crate::claims::Verdict;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A claim with the query that decides it.
#[derive(Clone, Debug)]
pub struct ClaimEntry {
    /// Source of the claim, as given for its section.
    pub source: String,
    /// Text of the claim.
    pub text: String,
    /// Subset of the results for which the claim is checked.
    pub scope: String,
    /// Query that decides the claim.
    pub query: Query,
    /// Verdict that a single result can prove: an example proves a claim of existence, and a
    /// counter-example refutes a universal claim.
    pub proven: Option<Verdict>,
    /// True if the deciding number is not shown, because it means little by itself.
    pub hidden: bool,
    /// Published value, if no published table has it; the default is `equal` of the range.
    pub published: Option<f64>,
}

impl ClaimEntry {
    /// Returns true if the claim compares some lines with all others by means over this column, such
    /// as "MCT is the best on average". The labels of the column may then be resampled.
    pub fn is_ranking_over(&self, column: &str) -> bool {
        let is_apart = |comparison: &SideComparison| {
            matches!(comparison, SideComparison::Aggregates { sides: Sides::Apart(_), .. })
        };
        match &self.query {
            Query::Compare(comparison, values) => {
                is_apart(comparison) && values.lines.over.iter().any(|over| over == column)
            }
            _ => false,
        }
    }
}

/// Query that decides a claim, or a part of one.
#[derive(Clone, Debug)]
pub enum Query {
    /// A named [check](Source::checks), which no query expresses.
    Check(NamedCheck),
    /// Parts that must all hold; the value is that of the first.
    All {
        /// Queries that must all hold, in the order of the evidence.
        parts: Vec<Query>,
        /// [Template](super::fill) of the evidence; `{1}` is the evidence for the first part.
        detail: Option<String>,
    },
    /// A query that must hold for each label of a column.
    ForEach {
        /// The labels.
        each: ForEach,
        /// Sides that are compared for each label, if any.
        comparison: Option<SideComparison>,
        /// Values that are aggregated for each label.
        values: Aggregation,
    },
    /// A comparison of two sides.
    Compare(SideComparison, Aggregation),
    /// An aggregate of values.
    Single(Aggregation),
}

/// A named check with its parameters.
#[derive(Clone, Debug)]
pub struct NamedCheck {
    /// Name among the [checks of the source](Source::checks).
    pub name: String,
    /// Values that the check uses.
    pub lines: ValueSelection,
    /// Aggregate of the checked values.
    pub take: Option<Aggregate>,
    /// Operation on each pair of checked values.
    pub combine: Option<PairOperation>,
    /// Range that the number must lie in.
    pub is: Limit,
}

/// Labels for each of which a claim must hold. The verdict rests on the worst of the values.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ForEach {
    /// Column to iterate over: the labels that the filter names, or all labels except the empty one.
    pub column: String,
    /// Least number of labels.
    #[serde(default)]
    pub at_least: usize,
    /// [Template](super::fill) of the details of all labels; each label is a placeholder for its own
    /// details.
    pub detail: Option<String>,
}

/// Two sides that are compared.
#[derive(Clone, Debug)]
pub enum SideComparison {
    /// Pairs of values that differ in the labels of these columns alone; each pair is combined, and
    /// the results are aggregated.
    EachPair(LabelPairs, PairOperation),
    /// Sides that are aggregated separately.
    Aggregates {
        /// The two sides.
        sides: Sides,
        /// Aggregate of the second side, if it differs from that of the first.
        second: Option<Aggregate>,
        /// Operation on both aggregates.
        combine: PairOperation,
    },
}

/// Labels in which the two sides of a pair differ, by column.
pub type LabelPairs = BTreeMap<String, [String; 2]>;

/// Two sides of a comparison.
#[derive(Clone, Debug)]
pub enum Sides {
    /// Values that have a partner, and the partners.
    Paired(LabelPairs),
    /// Filters of both sides, whose values need not form pairs.
    Filters(Box<[LabelFilter; 2]>),
    /// Filter of the first side; all other lines are the second one.
    Apart(LabelFilter),
}

/// Values of a metric on selected lines.
#[derive(Clone, Debug, Default)]
pub struct ValueSelection {
    /// Metric of the query.
    pub of: String,
    /// Filter of the lines.
    pub filter: LabelFilter,
    /// Columns over which means are taken, one after the other.
    pub over: Vec<String>,
    /// True if every label named in the filter must be present.
    pub complete: bool,
    /// True if the query uses each line instead of averages.
    pub each: bool,
}

/// Aggregate of selected values, with the range it must lie in.
#[derive(Clone, Debug)]
pub struct Aggregation {
    /// The values.
    pub lines: ValueSelection,
    /// Aggregate of the values.
    pub take: Aggregate,
    /// Range that the aggregate must lie in.
    pub is: Limit,
    /// [Template](super::fill) of the evidence for the verdict.
    pub detail: Option<String>,
}

impl ClaimEntry {
    /// Evaluates the query on a source; `None` if the source lacks data that the claim needs.
    pub fn evaluate(&self, source: &dyn Source) -> Option<QueryResult> {
        let found = self.query.evaluate(source)?;
        Some(QueryResult { shown: found.shown.filter(|_| !self.hidden), ..found })
    }
    /// Returns the published value that the entry states; `None` if it states none.
    pub(super) fn stated(&self) -> Option<f64> {
        self.published.or_else(|| self.query.limit()?.equal)
    }
}

impl Query {
    /// Returns the range of the deciding number; `None` if the query consists of parts.
    fn limit(&self) -> Option<Limit> {
        match self {
            Query::Check(check) => Some(check.is),
            Query::All { .. } => None,
            Query::ForEach { values, .. } | Query::Compare(_, values) | Query::Single(values) => {
                Some(values.is)
            }
        }
    }
    /// Returns the values that the query, or its first part, selects.
    pub fn lines(&self) -> Option<&ValueSelection> {
        match self {
            Query::Check(check) => Some(&check.lines),
            Query::All { parts, .. } => parts.first()?.lines(),
            Query::ForEach { values, .. } | Query::Compare(_, values) | Query::Single(values) => {
                Some(&values.lines)
            }
        }
    }
    /// Returns errors for checks, metrics and columns that the source does not have.
    pub(super) fn undefined_names(&self, source: &dyn Source) -> Vec<String> {
        if let Query::All { parts, .. } = self {
            return parts.iter().flat_map(|part| part.undefined_names(source)).collect();
        }
        let mut faults = Vec::new();
        if let Query::Check(NamedCheck { name, .. }) = self {
            if !source.checks().contains(&name.as_str()) {
                faults.push(format!("unknown check `{name}`; known checks: {}", source.checks().join(", ")));
            }
        } else if let Some(of) = self.lines().map(|lines| &lines.of)
            && !source.metrics().contains(&of.as_str())
        {
            faults.push(format!("unknown metric `{of}`; known metrics: {}", source.metrics().join(", ")));
        }
        let columns = source.columns();
        for column in self.columns().filter(|column| !columns.contains(&column.as_str())) {
            faults.push(format!("unknown column `{column}`; known columns: {}", columns.join(", ")));
        }
        faults
    }
    /// Returns the columns that the query names, except those of its parts.
    fn columns(&self) -> impl Iterator<Item = &String> {
        let (each, comparison) = match self {
            Query::ForEach { each, comparison, .. } => (Some(&each.column), comparison.as_ref()),
            Query::Compare(comparison, _) => (None, Some(comparison)),
            Query::Check(_) | Query::All { .. } | Query::Single(_) => (None, None),
        };
        let lines = self.lines().into_iter().flat_map(|lines| lines.filter.columns().chain(&lines.over));
        lines.chain(comparison.into_iter().flat_map(SideComparison::columns)).chain(each)
    }
}

impl SideComparison {
    fn columns(&self) -> Vec<&String> {
        match self {
            SideComparison::EachPair(pairing, _)
            | SideComparison::Aggregates { sides: Sides::Paired(pairing), .. } => pairing.keys().collect(),
            SideComparison::Aggregates { sides: Sides::Filters(sides), .. } => {
                sides.iter().flat_map(LabelFilter::columns).collect()
            }
            SideComparison::Aggregates { sides: Sides::Apart(side), .. } => side.columns().collect(),
        }
    }
}

impl ValueSelection {
    /// Returns the selected values, averaged over the given columns; `None` if the source lacks
    /// them.
    pub fn series(&self, source: &dyn Source) -> Option<LabelledValues> {
        let series = source.series(&self.of, &self.filter)?;
        if self.complete && !self.filter.is_complete(&series) {
            return None;
        }
        let series = self.filter.sort(series);
        let first = source.averaged().iter().copied().filter(|_| !self.each);
        Some(
            first
                .chain(self.over.iter().map(String::as_str))
                .fold(series, |series, column| series.over(column)),
        )
    }
}
