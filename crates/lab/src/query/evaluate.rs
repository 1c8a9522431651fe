//! Evaluation of queries on a source.

use super::entry::{LabelPairs, Sides};
use super::{
    Aggregate, Aggregation, ForEach, LabelledValues, Query, QueryResult, SideComparison, Source,
    TemplateValue, fill,
};
use crate::table::{mean, range};

impl Query {
    /// Evaluates the query on a source; `None` if the source lacks data that it needs.
    pub(super) fn evaluate(&self, source: &dyn Source) -> Option<QueryResult> {
        match self {
            Query::Check(check) => source.check(check),
            Query::All { parts, detail } => {
                let found = parts.iter().map(|part| part.evaluate(source)).collect::<Option<_>>()?;
                all_of(found, detail.as_deref())
            }
            Query::ForEach { each, comparison, values } => each.evaluate(comparison.as_ref(), values, source),
            Query::Compare(comparison, values) => values.evaluate(Some(comparison), source),
            Query::Single(values) => values.evaluate(None, source),
        }
    }
}

/// Returns the result of all parts: the value of the first, and the details of all.
fn all_of(found: Vec<QueryResult>, detail: Option<&str>) -> Option<QueryResult> {
    let details: Vec<&str> = found.iter().map(|part| part.detail.as_str()).collect();
    let detail = match detail {
        Some(detail) => {
            let places: Vec<String> = (1..=details.len()).map(|place| place.to_string()).collect();
            let values = places.iter().map(String::as_str).zip(details.iter().map(TemplateValue::from));
            fill(detail, &values.collect::<Vec<_>>())
        }
        None => details.join(", "),
    };
    let rest_holds = found[1..].iter().all(QueryResult::holds);
    let first = found.into_iter().next()?;
    Some(QueryResult { detail, rest_holds, ..first })
}

impl ForEach {
    /// Evaluates the values for each label of the column; `None` if the data of a label are missing.
    fn evaluate(
        &self,
        comparison: Option<&SideComparison>,
        values: &Aggregation,
        source: &dyn Source,
    ) -> Option<QueryResult> {
        let labels = match values.lines.filter.labels(&self.column) {
            [] => values.lines.series(source)?.labels(&self.column),
            asked => asked.to_vec(),
        };
        let found = labels.iter().filter(|label| !label.is_empty()).map(|label| {
            let mut own = values.clone();
            own.lines.filter.restrict_to(&self.column, label);
            Some((label.as_str(), own.evaluate(comparison, source)?))
        });
        let found: Vec<(&str, QueryResult)> = found.collect::<Option<_>>()?;
        let (low, high) = range(found.iter().map(|(_, found)| found.value))?;
        let details = || found.iter().map(|(label, found)| (*label, &found.detail));
        let detail = match &self.detail {
            Some(detail) => {
                fill(detail, &details().map(|(label, own)| (label, own.into())).collect::<Vec<_>>())
            }
            None => details().map(|(label, own)| format!("{label}: {own}")).collect::<Vec<_>>().join("; "),
        };
        let is = values.is;
        (found.len() >= self.at_least).then(|| QueryResult::new(is.worst(low, high), is, detail))
    }
}

impl Aggregation {
    /// Aggregates the values, or those of both sides of a comparison; `None` if there are none.
    fn evaluate(&self, comparison: Option<&SideComparison>, source: &dyn Source) -> Option<QueryResult> {
        let (series, detail) = (self.lines.series(source)?, self.detail.as_deref());
        match comparison {
            None => self.take.of(&series, self.is, detail, &[]),
            Some(SideComparison::EachPair(pairing, combine)) => {
                let [one, other] = paired(&series, pairing);
                let standard = combine.detail().filter(|_| matches!(self.take, Aggregate::Worst));
                let sides = [("a", mean(&one.values()).into()), ("b", mean(&other.values()).into())];
                let combined = one.combined(&other, |a, b| combine.of(a, b));
                self.take.of(&combined, self.is, detail.or(standard), &sides)
            }
            Some(SideComparison::Aggregates { sides, second, combine }) => {
                let [one, other] = sides.of(&series);
                let second = second.as_ref().unwrap_or(&self.take);
                self.take.of_both(second, &series, [&one, &other], *combine, self.is, detail)
            }
        }
    }
}

impl Sides {
    /// Selects the points of both sides.
    fn of(&self, series: &LabelledValues) -> [LabelledValues; 2] {
        match self {
            Sides::Paired(pairing) => paired(series, pairing),
            Sides::Filters(filters) => {
                filters.each_ref().map(|side| side.partition(series)).map(|[side, _]| side)
            }
            Sides::Apart(filter) => filter.partition(series),
        }
    }
}

/// Selects the points that have a partner, and the partners.
fn paired(series: &LabelledValues, pairing: &LabelPairs) -> [LabelledValues; 2] {
    let [one, other] = [0, 1].map(|side| {
        let labels = pairing.iter().map(|(column, names)| (column.as_str(), names[side].as_str()));
        series.only(&labels.collect::<Vec<_>>())
    });
    one.pairs(&other, &pairing.keys().map(String::as_str).collect::<Vec<_>>()).into()
}
