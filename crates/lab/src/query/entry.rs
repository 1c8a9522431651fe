//! Claims as entries of a TOML file: source, text, and the query that decides them.

use super::{
    Aggregate, LabelFilter, Limit, PairOperation, QueryResult, Series, Source, TemplateValue as Filled, fill,
};
use crate::claims::Verdict;
use crate::table::{mean, range};
use dfrsim_input::{Input, Located, Reader};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Requires a claim to hold for each label of a column. The verdict rests on the worst of the
/// values.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ForEach {
    /// Column to iterate over: the labels that the filter names, or all labels except the empty one.
    column: String,
    /// Least number of labels.
    #[serde(default)]
    at_least: usize,
    /// [Template](super::fill) of the details of all labels; each label is a placeholder for its own
    /// details.
    detail: Option<String>,
}

/// A claim with the query that decides it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ClaimEntry {
    /// Source of the claim, as given for its section.
    #[serde(skip)]
    pub source: String,
    /// Text of the claim.
    #[serde(default)]
    pub text: String,
    /// Subset of the results for which the claim is checked.
    #[serde(default)]
    pub scope: String,
    /// Named [check](Source::checks) that decides the claim, if no query does.
    pub check: Option<String>,
    /// Parts of the claim: it holds if all of them hold, and its value is that of the first.
    #[serde(default)]
    pub all: Vec<ClaimEntry>,
    /// Metric of the query.
    #[serde(default)]
    pub of: String,
    /// Filter of the lines.
    #[serde(default, rename = "where")]
    pub filter: LabelFilter,
    /// Columns over which means are taken, one after the other.
    #[serde(default)]
    pub over: Vec<String>,
    /// True if every label named in the filter must be present.
    #[serde(default)]
    pub complete: bool,
    /// True if the query uses each line instead of averages.
    #[serde(default)]
    pub each: bool,
    /// Labels in which the two sides of a pair differ, by column.
    #[serde(default)]
    pub pair: BTreeMap<String, [String; 2]>,
    /// Filters of two sides whose values need not form pairs.
    pub sides: Option<[LabelFilter; 2]>,
    /// Filter of the first side; all other lines are the second one.
    pub apart: Option<LabelFilter>,
    /// Operation on each pair, or on the aggregates of both sides; the difference by default.
    pub combine: Option<PairOperation>,
    /// Column whose labels are checked one by one.
    pub for_each: Option<ForEach>,
    /// Aggregate of the values.
    pub take: Option<Aggregate>,
    /// Aggregate of the second side, if it differs from that of the first.
    pub second: Option<Aggregate>,
    /// Range that the aggregate must lie in.
    #[serde(default)]
    pub is: Limit,
    /// Verdict that a single result proves: an example proves existence, and a counter-example
    /// refutes a claim about all.
    pub proven: Option<Verdict>,
    /// True if the deciding number is not shown, because it means little by itself.
    #[serde(default)]
    pub hidden: bool,
    /// Published value, if there is no published table; the default is `equal` of `is`.
    pub published: Option<f64>,
    /// [Template](super::fill) of the evidence for the verdict.
    pub detail: Option<String>,
}

impl ClaimEntry {
    /// Evaluates the query on a source; `None` if the source lacks data that the claim needs.
    pub fn evaluate(&self, source: &dyn Source) -> Option<QueryResult> {
        let found = self.evaluate_query(source)?;
        Some(QueryResult { shown: found.shown.filter(|_| !self.hidden), ..found })
    }
    fn evaluate_query(&self, source: &dyn Source) -> Option<QueryResult> {
        if let Some(check) = &self.check {
            return source.check(check, self);
        }
        if let Some(each) = &self.for_each {
            return self.evaluate_for_each(each, source);
        }
        if let [first, rest @ ..] = self.all.as_slice() {
            let first = first.evaluate(source)?;
            let rest: Vec<QueryResult> =
                rest.iter().map(|part| part.evaluate(source)).collect::<Option<_>>()?;
            let details: Vec<&str> =
                std::iter::once(&first).chain(&rest).map(|part| part.detail.as_str()).collect();
            let detail = match &self.detail {
                Some(detail) => {
                    let places: Vec<String> = (1..=details.len()).map(|place| place.to_string()).collect();
                    let values: Vec<(&str, Filled)> =
                        places.iter().map(String::as_str).zip(details.iter().map(Filled::from)).collect();
                    fill(detail, &values)
                }
                None => details.join(", "),
            };
            let rest_holds = rest.iter().all(QueryResult::holds);
            return Some(QueryResult { detail, rest_holds, ..first });
        }
        let series = self.series(source)?;
        let take = self.take.as_ref()?;
        let [one, other] = if let Some(sides) = &self.sides {
            sides.each_ref().map(|side| side.partition(&series)).map(|[side, _]| side)
        } else if let Some(apart) = &self.apart {
            apart.partition(&series)
        } else if self.pair.is_empty() {
            return take.of(&series, self.is, self.detail.as_deref(), &[]);
        } else {
            let [one, other] = [0, 1].map(|side| {
                let labels = self.pair.iter().map(|(column, names)| (column.as_str(), names[side].as_str()));
                series.only(&labels.collect::<Vec<_>>())
            });
            one.pairs(&other, &self.pair.keys().map(String::as_str).collect::<Vec<_>>()).into()
        };
        match self.combine.filter(|_| !self.pair.is_empty()) {
            Some(combine) => {
                let standard = combine.detail().filter(|_| matches!(take, Aggregate::Worst));
                let detail = self.detail.as_deref().or(standard);
                let sides = [("a", mean(&one.values()).into()), ("b", mean(&other.values()).into())];
                take.of(&one.combined(&other, |a, b| combine.of(a, b)), self.is, detail, &sides)
            }
            None => {
                let (second, combine) = (self.second.as_ref().unwrap_or(take), self.combine);
                take.of_both(second, &series, [&one, &other], combine, self.is, self.detail.as_deref())
            }
        }
    }
    /// Evaluates the query for each label of a column; `None` if the data of a label are missing.
    fn evaluate_for_each(&self, each: &ForEach, source: &dyn Source) -> Option<QueryResult> {
        let labels = match self.filter.labels(&each.column) {
            [] => self.series(source)?.labels(&each.column),
            asked => asked.to_vec(),
        };
        let found = labels.iter().filter(|label| !label.is_empty()).map(|label| {
            let mut own = ClaimEntry { for_each: None, ..self.clone() };
            own.filter.restrict_to(&each.column, label);
            Some((label, own.evaluate_query(source)?))
        });
        let found: Vec<(&String, QueryResult)> = found.collect::<Option<_>>()?;
        let (low, high) = range(found.iter().map(|(_, found)| found.value))?;
        let details = || found.iter().map(|(label, found)| (label.as_str(), &found.detail));
        let detail = match &each.detail {
            Some(detail) => {
                fill(detail, &details().map(|(label, own)| (label, own.into())).collect::<Vec<_>>())
            }
            None => details().map(|(label, own)| format!("{label}: {own}")).collect::<Vec<_>>().join("; "),
        };
        let rest_holds = found.iter().all(|(_, found)| found.rest_holds);
        let all = QueryResult { rest_holds, ..QueryResult::new(self.is.worst(low, high), self.is, detail) };
        (found.len() >= each.at_least).then_some(all)
    }
    /// Returns the values that the query is about.
    pub fn series(&self, source: &dyn Source) -> Option<Series> {
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

    /// Inherits from the enclosing entry what this one does not specify.
    fn inherit(&mut self, of: &str, take: Option<&Aggregate>, filter: &LabelFilter) {
        if self.of.is_empty() {
            of.clone_into(&mut self.of);
        }
        self.take = self.take.take().or_else(|| take.cloned());
        self.filter.inherit(filter);
        for part in &mut self.all {
            part.complete |= self.complete;
            if part.pair.is_empty() && part.sides.is_none() && part.apart.is_none() {
                part.sides.clone_from(&self.sides);
                part.apart.clone_from(&self.apart);
                part.second = part.second.take().or_else(|| self.second.clone());
            }
            part.inherit(&self.of, self.take.as_ref(), &self.filter);
        }
    }

    /// Returns errors for checks, metrics and columns that the source does not have.
    fn undefined_names(&self, source: &dyn Source) -> Vec<String> {
        let mut faults: Vec<String> = self.all.iter().flat_map(|part| part.undefined_names(source)).collect();
        if !self.all.is_empty() {
            return faults;
        }
        if let Some(check) = self.check.as_deref() {
            if !source.checks().contains(&check) {
                faults.push(format!("unknown check `{check}`; known checks: {}", source.checks().join(", ")));
            }
        } else {
            if !source.metrics().contains(&self.of.as_str()) {
                let known = source.metrics().join(", ");
                faults.push(format!("unknown metric `{}`; known metrics: {known}", self.of));
            }
            if self.take.is_none() {
                faults.push("missing field `take`, the aggregate of the values".to_owned());
            }
        }
        let columns = source.columns();
        let sides = self.sides.iter().flatten().chain(&self.apart).flat_map(LabelFilter::columns);
        let each = self.for_each.iter().map(|each| &each.column);
        let named = self.filter.columns().chain(&self.over).chain(self.pair.keys()).chain(sides).chain(each);
        for column in named.map(String::as_str) {
            if !columns.contains(&column) {
                faults.push(format!("unknown column `{column}`; known columns: {}", columns.join(", ")));
            }
        }
        faults
    }
}

/// A file of claims.
#[derive(Debug)]
pub struct Entries {
    file: &'static str,
    /// Claims with their line numbers.
    all: Vec<(usize, ClaimEntry)>,
}

/// Settings shared by the claims of a section.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SectionDefaults {
    source: String,
    /// Default check; the following fields are defaults too: metric, aggregate, range and template
    /// of the details.
    check: Option<String>,
    #[serde(default)]
    of: String,
    take: Option<Aggregate>,
    #[serde(default)]
    is: Limit,
    detail: Option<String>,
    /// True if the numbers of all claims are hidden.
    #[serde(default)]
    hidden: bool,
    /// Filter of the lines, for the columns that a claim does not filter itself.
    #[serde(default, rename = "where")]
    filter: LabelFilter,
}

/// Reads the claims of a section, each with its line number.
fn section(reader: &mut Reader, at: &Located<'_>) -> Option<Vec<(usize, ClaimEntry)>> {
    let common: Option<SectionDefaults> = reader.parsed_without(at, &["claims"]);
    let section = reader.any_object(at)?;
    let claims = reader.field(&section, "claims").and_then(|at| reader.list(&at))?;
    let claims = reader.each(&claims, |reader, at| Some((at.line()?, reader.parsed(at)?)));
    let SectionDefaults { source, check, of, take, is, detail, hidden, filter } = common?;
    let complete = |(line, claim): (usize, ClaimEntry)| {
        let mut claim = ClaimEntry { source: source.clone(), ..claim };
        claim.inherit(&of, take.as_ref(), &filter);
        claim.check = claim.check.take().or_else(|| check.clone());
        claim.hidden |= hidden;
        claim.detail = claim.detail.take().or_else(|| detail.clone());
        claim.is = if claim.is == Limit::default() { is } else { claim.is };
        (line, claim)
    };
    Some(claims?.into_iter().map(complete).collect())
}

impl Entries {
    /// Parses a file of claims; messages call it `file`.
    ///
    /// # Panics
    /// Panics if the text is invalid; each study has a test that its file is valid.
    pub fn new(file: &'static str, text: &'static str) -> Entries {
        let read = || {
            let (input, mut reader) = (Input::toml(file, text)?, Reader::default());
            let root = reader.object(&input.root(), &["section"]);
            let sections = root.and_then(|root| reader.field(&root, "section"));
            let sections = sections.and_then(|at| reader.list(&at)).unwrap_or_default();
            let read = reader.each(&sections, section);
            reader.finish(read)
        };
        let sections = read().unwrap_or_else(|faults| panic!("{faults}"));
        Entries { file, all: sections.into_iter().flatten().collect() }
    }
    /// Iterates over the claims.
    pub fn iter(&self) -> impl Iterator<Item = &ClaimEntry> {
        self.all.iter().map(|(_, entry)| entry)
    }
    /// Iterates over the claims of a section.
    pub fn of<'a>(&'a self, source: &'a str) -> impl Iterator<Item = &'a ClaimEntry> {
        self.iter().filter(move |entry| entry.source == source)
    }
    /// Returns file, line and error for each check, metric or column that the source does not have.
    pub fn undefined_names(&self, source: &dyn Source) -> Vec<String> {
        let mut faults = Vec::new();
        for (line, entry) in &self.all {
            faults.extend(
                entry
                    .undefined_names(source)
                    .into_iter()
                    .map(|fault| format!("{}:{line}: {fault}", self.file)),
            );
        }
        faults
    }
}
