//! The instances that a statement is about.

use crate::published::{TABLE_4_1, TABLE_4_3};
use crate::results::{PARAMETERS, Part, Record, Results};
use dfrsim_lab::query::Where;
use dfrsim_model::Yield;
use dfrsim_vector_packing::instances::InstanceSet;

/// With fewer instances the statements on the dissertation's large ones are not checked.
const FEWEST: usize = 20;

/// Whether there are enough of the dissertation's large instances.
pub(super) fn is_enough(part: &Part<'_>) -> bool {
    part.records.len() >= FEWEST
}

/// The instances of a set, without those that another filter leaves out; `None` if there are none.
pub(super) fn part<'a>(results: &'a Results<'_>, filter: &Where) -> Option<Part<'a>> {
    let set: InstanceSet = filter.label("set")?.parse().ok()?;
    let of_program = match filter.label("table") {
        Some("4.1") => Some(TABLE_4_1),
        Some("4.3") => Some(TABLE_4_3),
        _ => None,
    };
    // The tables of algorithms on programs are also checked on small instances.
    let small = || of_program.and_then(|_| results.of_set(InstanceSet::DissertationSmall));
    let part = results
        .of_set(set)
        .filter(|part| set != InstanceSet::Dissertation || is_enough(part))
        .or_else(small)?;
    let mut part = if filter.label("bounded").is_some() { part.bounded() } else { part };
    for name in of_program.iter().flat_map(|table| table.lines::<1, 5>().map(|([name], _)| name)) {
        let ran = results.column(name).map(|column| part.where_ran(column));
        part = ran.filter(|ran| !ran.is_empty()).unwrap_or(part);
    }
    let part = match filter.label("ran") {
        Some(name) => part.where_ran(results.column(name)?),
        None => part,
    };
    let part = match filter.label("solved") {
        Some(name) => results.column(name).map(|column| part.filter(|it| it.solved(column).is_some()))?,
        None => part,
    };
    let has_bound = |record: &Record<'_>| {
        let is_allowed = |bound: Yield| filter.allows("bound", &bound.as_f64().to_string());
        !filter.asks_of("bound") || record.bound.is_some_and(is_allowed)
    };
    let asked = PARAMETERS.into_iter().filter(|name| filter.asks_of(name));
    let part = asked.fold(part, |part, name| part.labelled(name, |label| filter.allows(name, label)));
    Some(part.filter(has_bound)).filter(|part| !part.is_empty())
}
