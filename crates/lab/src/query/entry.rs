//! Statements as entries of a TOML file: where they are, what they say, and the question that decides them.

use super::{Combine, Finding, Limit, Series, Source, Take, Value as Filled, Where, fill};
use crate::claims::Verdict;
use crate::table::{mean, range};
use dfrsim_input::{Input, Located, Reader};
use serde::Deserialize;
use std::collections::BTreeMap;

/// For what a statement must hold each time; its number is the one that decides that.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ForEach {
    /// The column, of which the labels are taken that are asked for, or all but the empty one.
    column: String,
    /// How many labels there must be.
    #[serde(default)]
    at_least: usize,
    /// What is said of all, with the details of each under its label: a [template](super::fill).
    detail: Option<String>,
}

/// A statement.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Entry {
    /// Where it is: that of its section.
    #[serde(skip)]
    pub source: String,
    /// What it says.
    #[serde(default)]
    pub text: String,
    /// For which part of the results it is checked.
    #[serde(default)]
    pub scope: String,
    /// The [check](Source::checks) that decides it, if no query does.
    pub check: Option<String>,
    /// The statements that it is made of: it holds where all hold, and its value is that of the first.
    #[serde(default)]
    pub all: Vec<Entry>,
    /// The metric that it is about.
    #[serde(default)]
    pub of: String,
    /// The lines that it is about.
    #[serde(default, rename = "where")]
    pub filter: Where,
    /// The columns over which means are taken, one after the other.
    #[serde(default)]
    pub over: Vec<String>,
    /// Whether each label that is asked for must be there.
    #[serde(default)]
    pub complete: bool,
    /// Whether it is about each line, not about averages.
    #[serde(default)]
    pub each: bool,
    /// The labels by which the sides of pairs differ.
    #[serde(default)]
    pub pair: BTreeMap<String, [String; 2]>,
    /// Two sides whose values need not have partners: which of the lines each has.
    pub sides: Option<[Where; 2]>,
    /// The lines that are a side of their own; all others are the other one.
    pub apart: Option<Where>,
    /// What is made of each pair, or of what is taken of both sides: otherwise their difference.
    pub combine: Option<Combine>,
    /// The column for each label of which it is found apart.
    pub for_each: Option<ForEach>,
    /// What is made of the values.
    pub take: Option<Take>,
    /// What is made of the second side, if that is not the same.
    pub second: Option<Take>,
    /// What is stated of that.
    #[serde(default)]
    pub is: Limit,
    /// The verdict that a single result proves, as an example does that there is one, or a counter-example that not all are so.
    pub proven: Option<Verdict>,
    /// Hides the number that decides, where it means little by itself.
    #[serde(default)]
    pub hidden: bool,
    /// The published value, where there is no published table to take it from; by default the one that `is` has as `equal`.
    pub published: Option<f64>,
    /// What the verdict rests on: a [template](super::fill).
    pub detail: Option<String>,
}

impl Entry {
    /// What a source says of it; `None` where it lacks something that the statement is about.
    pub fn find(&self, source: &dyn Source) -> Option<Finding> {
        let found = self.found(source)?;
        Some(Finding { shown: found.shown.filter(|_| !self.hidden), ..found })
    }
    fn found(&self, source: &dyn Source) -> Option<Finding> {
        if let Some(check) = &self.check {
            return source.check(check, self);
        }
        if let Some(each) = &self.for_each {
            return self.found_for_each(each, source);
        }
        if let [first, rest @ ..] = self.all.as_slice() {
            let first = first.find(source)?;
            let rest: Vec<Finding> = rest.iter().map(|part| part.find(source)).collect::<Option<_>>()?;
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
            let rest_holds = rest.iter().all(Finding::holds);
            return Some(Finding { detail, rest_holds, ..first });
        }
        let series = self.series(source)?;
        let take = self.take.as_ref()?;
        let [one, other] = if let Some(sides) = &self.sides {
            sides.each_ref().map(|side| side.parted(&series)).map(|[side, _]| side)
        } else if let Some(apart) = &self.apart {
            apart.parted(&series)
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
                let standard = combine.detail().filter(|_| matches!(take, Take::Worst));
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
    /// What is found for each label of a column; `None` where one of them lacks something.
    fn found_for_each(&self, each: &ForEach, source: &dyn Source) -> Option<Finding> {
        let labels = match self.filter.labels(&each.column) {
            [] => self.series(source)?.labels(&each.column),
            asked => asked.to_vec(),
        };
        let found = labels.iter().filter(|label| !label.is_empty()).map(|label| {
            let mut own = Entry { for_each: None, ..self.clone() };
            own.filter.ask(&each.column, label);
            Some((label, own.found(source)?))
        });
        let found: Vec<(&String, Finding)> = found.collect::<Option<_>>()?;
        let (low, high) = range(found.iter().map(|(_, found)| found.value))?;
        let details = || found.iter().map(|(label, found)| (label.as_str(), &found.detail));
        let detail = match &each.detail {
            Some(detail) => {
                fill(detail, &details().map(|(label, own)| (label, own.into())).collect::<Vec<_>>())
            }
            None => details().map(|(label, own)| format!("{label}: {own}")).collect::<Vec<_>>().join("; "),
        };
        let rest_holds = found.iter().all(|(_, found)| found.rest_holds);
        let all = Finding { rest_holds, ..Finding::new(self.is.worst(low, high), self.is, detail) };
        (found.len() >= each.at_least).then_some(all)
    }
    /// The values that it is about.
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

    /// Takes what it does not say from what it is a part of.
    fn inherit(&mut self, of: &str, take: Option<&Take>, filter: &Where) {
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

    /// What it names that a source has not.
    fn faults(&self, source: &dyn Source) -> Vec<String> {
        let mut faults: Vec<String> = self.all.iter().flat_map(|part| part.faults(source)).collect();
        if !self.all.is_empty() {
            return faults;
        }
        if let Some(check) = self.check.as_deref() {
            if !source.checks().contains(&check) {
                faults
                    .push(format!("there is no check `{check}`; there are: {}", source.checks().join(", ")));
            }
        } else {
            if !source.metrics().contains(&self.of.as_str()) {
                let known = source.metrics().join(", ");
                faults.push(format!("there is no metric `{}`; there are: {known}", self.of));
            }
            if self.take.is_none() {
                faults.push("`take` is missing: what is made of the values".to_owned());
            }
        }
        let columns = source.columns();
        let sides = self.sides.iter().flatten().chain(&self.apart).flat_map(Where::columns);
        let each = self.for_each.iter().map(|each| &each.column);
        let named = self.filter.columns().chain(&self.over).chain(self.pair.keys()).chain(sides).chain(each);
        for column in named.map(String::as_str) {
            if !columns.contains(&column) {
                faults.push(format!("there is no column `{column}`; there are: {}", columns.join(", ")));
            }
        }
        faults
    }
}

/// A file of statements.
#[derive(Debug)]
pub struct Entries {
    file: &'static str,
    /// The statements with their lines.
    all: Vec<(usize, Entry)>,
}

/// What the statements of a section of a text have in common.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    source: String,
    /// The check, the metric, what is made of values, stated of that, and said of it, unless a statement has its own.
    check: Option<String>,
    #[serde(default)]
    of: String,
    take: Option<Take>,
    #[serde(default)]
    is: Limit,
    detail: Option<String>,
    /// Hides the numbers of all.
    #[serde(default)]
    hidden: bool,
    /// The lines that all statements are about, in the columns that they do not name.
    #[serde(default, rename = "where")]
    filter: Where,
}

/// Reads the statements of a section, each with its line.
fn section(reader: &mut Reader, at: &Located<'_>) -> Option<Vec<(usize, Entry)>> {
    let common: Option<Section> = reader.parsed_without(at, &["claims"]);
    let section = reader.any_object(at)?;
    let claims = reader.field(&section, "claims").and_then(|at| reader.list(&at))?;
    let claims = reader.each(&claims, |reader, at| Some((at.line()?, reader.parsed(at)?)));
    let Section { source, check, of, take, is, detail, hidden, filter } = common?;
    let complete = |(line, claim): (usize, Entry)| {
        let mut claim = Entry { source: source.clone(), ..claim };
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
    /// Reads a file, which messages call by its name.
    ///
    /// # Panics
    /// If the file is no file of statements; studies test that theirs is one.
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
    /// The statements.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.all.iter().map(|(_, entry)| entry)
    }
    /// Those of a section.
    pub fn of<'a>(&'a self, source: &'a str) -> impl Iterator<Item = &'a Entry> {
        self.iter().filter(move |entry| entry.source == source)
    }
    /// What the statements name that a source has not: file, line and fault.
    pub fn faults(&self, source: &dyn Source) -> Vec<String> {
        let mut faults = Vec::new();
        for (line, entry) in &self.all {
            faults.extend(
                entry.faults(source).into_iter().map(|fault| format!("{}:{line}: {fault}", self.file)),
            );
        }
        faults
    }
}
