//! Keys of claims and their parts in a file, and the queries that they describe.

use super::entry::{LabelPairs, Sides};
use super::{
    Aggregate, Aggregation, ClaimEntry, ForEach, LabelFilter, Limit, NamedCheck, PairOperation, Query,
    SideComparison, ValueSelection,
};
use dfrsim_input::{Located, Object, Reader};
use serde::Deserialize;

/// Keys of a claim that its parts may not have.
const CLAIM_KEYS: [&str; 5] = ["text", "scope", "proven", "hidden", "published"];

/// Keys that exclude each other: the key of a kind of query, and the keys that are invalid with it.
const EXCLUSIVE: [(&str, &[&str]); 4] = [
    ("check", &["all", "for-each", "pair", "sides", "apart", "second", "detail"]),
    ("all", &["for-each", "pair", "combine", "over", "each", "is"]),
    ("pair", &["sides", "apart"]),
    ("sides", &["apart"]),
];

/// Keys of a query, except the parts.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct QueryKeys {
    check: Option<String>,
    of: Option<String>,
    #[serde(default, rename = "where")]
    filter: LabelFilter,
    #[serde(default)]
    over: Vec<String>,
    #[serde(default)]
    complete: bool,
    #[serde(default)]
    each: bool,
    pair: Option<LabelPairs>,
    sides: Option<Box<[LabelFilter; 2]>>,
    apart: Option<LabelFilter>,
    combine: Option<PairOperation>,
    for_each: Option<ForEach>,
    take: Option<Aggregate>,
    second: Option<Aggregate>,
    is: Option<Limit>,
    detail: Option<String>,
}

/// Keys that the claims of a section inherit.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SectionKeys {
    source: String,
    check: Option<String>,
    of: Option<String>,
    #[serde(default, rename = "where")]
    filter: LabelFilter,
    take: Option<Aggregate>,
    is: Option<Limit>,
    detail: Option<String>,
    #[serde(default)]
    hidden: bool,
}

/// Values that claims inherit from their section, or parts from their claim.
#[derive(Default)]
struct Defaults {
    check: Option<String>,
    of: Option<String>,
    /// Filter for the columns that the query does not filter itself.
    filter: LabelFilter,
    complete: bool,
    /// Sides and the aggregate of the second one, unless the query has its own sides.
    sides: Option<(Sides, Option<Aggregate>)>,
    take: Option<Aggregate>,
    is: Option<Limit>,
    detail: Option<String>,
}

/// Reads the claims of a section, each with its line number.
pub(super) fn read_section(reader: &mut Reader, at: &Located<'_>) -> Option<Vec<(usize, ClaimEntry)>> {
    let common: Option<SectionKeys> = reader.parsed_without(at, &["claims"]);
    let section = reader.any_object(at)?;
    let claims = reader.field(&section, "claims").and_then(|at| reader.list(&at))?;
    let SectionKeys { source, check, of, filter, take, is, detail, hidden } = common?;
    let defaults = Defaults { check, of, filter, take, is, detail, ..Defaults::default() };
    reader.each(&claims, |reader, at| {
        let query = read_query(reader, at, &CLAIM_KEYS, &defaults);
        let object = reader.any_object(at)?;
        let text = reader.field(&object, "text").and_then(|at| reader.text(&at));
        let scope = object.get("scope").and_then(|at| reader.text(&at));
        let proven = object.get("proven").and_then(|at| reader.named(&at));
        let is_hidden = object.get("hidden").and_then(|at| reader.boolean(&at));
        let published = object.get("published").and_then(|at| reader.number(&at, "a number", Some));
        let entry = ClaimEntry {
            source: source.clone(),
            text: text?.to_owned(),
            scope: scope.unwrap_or_default().to_owned(),
            query: query?,
            proven,
            hidden: is_hidden.unwrap_or(hidden),
            published,
        };
        Some((at.line()?, entry))
    })
}

/// Reads a query from an object that also has the keys `others`.
fn read_query(reader: &mut Reader, at: &Located<'_>, others: &[&str], defaults: &Defaults) -> Option<Query> {
    let keys: Option<QueryKeys> = reader.parsed_without(at, &[others, &["all"]].concat());
    let object = reader.any_object(at)?;
    let is_mixed = reject_mixtures(reader, &object, defaults);
    let keys = keys.filter(|_| !is_mixed)?;
    let mut filter = keys.filter;
    filter.inherit(&defaults.filter);
    let lines = ValueSelection {
        of: keys.of.or_else(|| defaults.of.clone()).unwrap_or_default(),
        filter,
        over: keys.over,
        complete: keys.complete || defaults.complete,
        each: keys.each,
    };
    let (take, is) = (keys.take.or_else(|| defaults.take.clone()), keys.is.or(defaults.is));
    let (is, combine) = (is.unwrap_or_default(), keys.combine);
    if let Some(name) = keys.check.or_else(|| defaults.check.clone()) {
        return Some(Query::Check(NamedCheck { name, lines, take, combine, is }));
    }
    let detail = keys.detail.or_else(|| defaults.detail.clone());
    let own = (keys.pair.map(Sides::Paired))
        .or(keys.sides.map(Sides::Filters))
        .or(keys.apart.map(Sides::Apart))
        .map(|sides| (sides, keys.second.clone()));
    let inherited = || defaults.sides.clone().map(|(sides, second)| (sides, keys.second.clone().or(second)));
    let sides = own.or_else(inherited);
    if object.get("all").is_some() {
        let ValueSelection { of, filter, complete, .. } = lines;
        let of = Some(of).filter(|of| !of.is_empty());
        let defaults = Defaults { of, filter, complete, sides, take, ..Defaults::default() };
        let read = |reader: &mut Reader, at: &Located<'_>| read_query(reader, at, &[], &defaults);
        let parts = reader.each_of(&object, "all", read)?;
        if parts.is_empty() {
            reader.fault(at, "`all` is empty");
            return None;
        }
        return Some(Query::All { parts, detail });
    }
    let comparison = read_comparison(reader, &object, sides, combine);
    if lines.of.is_empty() {
        reader.fault(at, "missing field `of`, the metric of the query");
    }
    if take.is_none() {
        reader.fault(at, "missing field `take`, the aggregate of the values");
    }
    let (values, comparison) = (Aggregation { lines, take: take?, is, detail }, comparison?);
    Some(match (keys.for_each, comparison) {
        (Some(each), comparison) => Query::ForEach { each, comparison, values },
        (None, Some(comparison)) => Query::Compare(comparison, values),
        (None, None) => Query::Single(values),
    })
}

/// Reads the comparison of two sides; the inner `None` means that there is none, the outer that
/// there is an error.
fn read_comparison(
    reader: &mut Reader,
    object: &Object<'_>,
    sides: Option<(Sides, Option<Aggregate>)>,
    combine: Option<PairOperation>,
) -> Option<Option<SideComparison>> {
    let mut reject = |key, with| {
        object.get(key).is_some_and(|at| {
            reader.fault(&at, format!("`{key}` {with}"));
            true
        })
    };
    let is_wrong = match (&sides, combine) {
        (None, _) => {
            ["second", "combine"].map(|key| reject(key, "needs `pair`, `sides` or `apart`")).contains(&true)
        }
        (Some((Sides::Paired(_), _)), Some(_)) => {
            reject("second", "and `combine` exclude each other for pairs")
        }
        (Some(_), _) => false,
    };
    let comparison = sides.map(|(sides, second)| match (sides, combine) {
        (Sides::Paired(pairing), Some(combine)) => SideComparison::EachPair(pairing, combine),
        (sides, combine) => {
            SideComparison::Aggregates { sides, second, combine: combine.unwrap_or_default() }
        }
    });
    (!is_wrong).then_some(comparison)
}

/// Adds an error for each pair of keys that exclude each other; returns whether there is one.
fn reject_mixtures(reader: &mut Reader, object: &Object<'_>, defaults: &Defaults) -> bool {
    let mut is_mixed = false;
    for (key, excluded) in EXCLUSIVE {
        let is_inherited = key == "check" && defaults.check.is_some();
        if object.get(key).is_none() && !is_inherited {
            continue;
        }
        for (other, at) in excluded.iter().filter_map(|other| Some((other, object.get(other)?))) {
            reader.fault(&at, format!("`{other}` and `{key}` exclude each other"));
            is_mixed = true;
        }
    }
    is_mixed
}
