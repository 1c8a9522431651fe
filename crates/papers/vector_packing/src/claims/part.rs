//! Selection of the instances that a claim refers to.

use crate::published::{TABLE_4_1, TABLE_4_3};
use crate::results::{PARAMETERS, Record, Results, Subset};
use dfrsim_lab::query::LabelFilter;
use dfrsim_model::Yield;
use dfrsim_vector_packing::instances::InstanceSet;

/// Smallest number of instances with which claims about the dissertation's large instances are
/// checked.
const MIN_INSTANCES: usize = 20;

/// Checks that there are enough of the dissertation's large instances.
pub(super) fn has_enough_instances(part: &Subset<'_>) -> bool {
    part.records.len() >= MIN_INSTANCES
}

/// Returns the instances of a set that pass the other filters; `None` if there are none.
pub(super) fn select_instances<'a>(results: &'a Results<'_>, filter: &LabelFilter) -> Option<Subset<'a>> {
    let set: InstanceSet = filter.label("set")?.parse().ok()?;
    let of_program = match filter.label("table") {
        Some("4.1") => Some(TABLE_4_1),
        Some("4.3") => Some(TABLE_4_3),
        _ => None,
    };
    // The tables of algorithms on linear programs are also checked on small instances.
    let small = || of_program.and_then(|_| results.of_set(InstanceSet::DissertationSmall));
    let part = results
        .of_set(set)
        .filter(|part| set != InstanceSet::Dissertation || has_enough_instances(part))
        .or_else(small)?;
    let mut part = if filter.label("bounded").is_some() { part.with_bound() } else { part };
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
        !filter.restricts("bound") || record.bound.is_some_and(is_allowed)
    };
    let asked = PARAMETERS.into_iter().filter(|name| filter.restricts(name));
    let part = asked.fold(part, |part, name| part.with_label(name, |label| filter.allows(name, label)));
    Some(part.filter(has_bound)).filter(|part| !part.is_empty())
}
