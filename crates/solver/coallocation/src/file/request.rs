//! Requests as TOML.

use super::Resources;
use super::amount::to_units;
use crate::{Grid, GridError};
use dfrsim_input::{Faults, Input, Located, Object, Reader};
use dfrsim_model::coallocation::{MOST_RESOURCES, Request, UNITS_PER_ONE};
use dfrsim_model::named::UnknownName;
use dfrsim_model::{SimSpan, SimTime};

/// Default window for the start of a job (section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Submission time, the default of the earliest start.
    pub now: SimTime,
    /// Time from the earliest to the latest start (t_C).
    pub patience: SimSpan,
}

/// Smallest amount: the default of a minimum.
const MIN_AMOUNT: u64 = 1;

/// Reads a request; `file` names the text in messages.
///
/// # Errors
/// All errors in the request, or the first position that is not TOML. The limits of a grid are
/// checked separately by [`check_request`].
pub fn request(file: &str, text: &str, resources: &Resources, window: Window) -> Result<Request, Faults> {
    let input = Input::toml(file, text)?;
    let mut reader = Reader::default();
    let request = read(&mut reader, &input.root(), resources, window);
    reader.finish(request)
}

fn read(reader: &mut Reader, root: &Located<'_>, resources: &Resources, window: Window) -> Option<Request> {
    let known = ["duration", "resources", "earliest", "latest", "minimum", "total", "whole", "labels"];
    let object = reader.object(root, &known)?;
    let duration = reader.field(&object, "duration").and_then(|at| span(reader, &at));
    let count =
        reader.field(&object, "resources").and_then(|at| reader.integer(&at, 0..=MOST_RESOURCES as u32));
    let [earliest, latest] = ["earliest", "latest"].map(|name| object.get(name).map(|at| span(reader, &at)));
    let minimum = amounts(reader, &object, "minimum", resources);
    let total = amounts(reader, &object, "total", resources);
    let whole = reader.each_of(&object, "whole", |reader, at| {
        let name = reader.text(at)?;
        check_known(reader, at, "property", name, &resources.quantities).then_some(name)
    });
    let labels = by_name(reader, &object, "labels", "label", &resources.qualities, |reader, at| {
        Some(reader.text(at)?.to_owned())
    });
    let (duration, count) = (duration?, count? as usize);
    let start = |given: Option<Option<SimSpan>>, otherwise| match given {
        Some(span) => span.map(|span| SimTime::ZERO + span),
        None => Some(otherwise),
    };
    let earliest = start(earliest, window.now)?;
    let latest = start(latest, earliest.saturating_add(window.patience))?;
    let (whole, minimum, total) = (whole?, minimum?, total?);
    let step_of = |name: &String| {
        if whole.contains(&name.as_str()) || is_in_whole_units(name) { UNITS_PER_ONE } else { 1 }
    };
    let step: Box<[u64]> = resources.quantities.iter().map(step_of).collect();
    let in_steps = |amount: u64, step: u64| amount.div_ceil(step).saturating_mul(step);
    let minimum: Box<[u64]> =
        minimum.into_iter().zip(&step).map(|(it, &step)| in_steps(it.unwrap_or(MIN_AMOUNT), step)).collect();
    let of_minimum = |((total, minimum), &step): ((Option<u64>, &u64), &u64)| {
        in_steps(total.unwrap_or_else(|| minimum.saturating_mul(count as u64)), step)
    };
    let total = total.into_iter().zip(&minimum).zip(&step).map(of_minimum).collect();
    Some(Request {
        duration,
        resources: count,
        earliest,
        latest,
        total,
        minimum,
        step,
        labels: labels?.into(),
    })
}

/// Returns true if the name of a property ends with a unit of which there is no part on a node:
/// bytes, kilobytes or megabytes.
fn is_in_whole_units(name: &str) -> bool {
    let unit = name.rsplit(['_', '.', ' ']).next().unwrap_or(name).to_ascii_lowercase();
    ["b", "bytes", "kb", "kib", "mb", "mib"].contains(&unit.as_str())
}

fn span(reader: &mut Reader, at: &Located<'_>) -> Option<SimSpan> {
    reader.number(at, "a number of seconds from 0 to 500 years", SimSpan::try_from_secs_f64)
}

fn check_known(
    reader: &mut Reader,
    at: &Located<'_>,
    what: &'static str,
    name: &str,
    known: &[String],
) -> bool {
    let is_known = known.iter().any(|known| known == name);
    if !is_known {
        reader.fault(at, UnknownName::new(what, name, known));
    }
    is_known
}

/// Reads the entries of a table in the order of these names, which are the only valid ones.
fn by_name<'a, T>(
    reader: &mut Reader,
    object: &Object<'a>,
    name: &str,
    what: &'static str,
    names: &[String],
    mut read: impl FnMut(&mut Reader, &Located<'a>) -> Option<T>,
) -> Option<Vec<Option<T>>> {
    let Some(at) = object.get(name) else { return Some(names.iter().map(|_| None).collect()) };
    let table = reader.any_object(&at)?;
    for (name, at) in table.iter() {
        check_known(reader, &at, what, name, names);
    }
    let entries: Vec<Option<Option<T>>> = names
        .iter()
        .map(|name| table.get(name).map_or(Some(None), |at| read(reader, &at).map(Some)))
        .collect();
    entries.into_iter().collect()
}

fn amounts(
    reader: &mut Reader,
    object: &Object<'_>,
    name: &str,
    resources: &Resources,
) -> Option<Vec<Option<u64>>> {
    by_name(reader, object, name, "property", &resources.quantities, |reader, at| {
        reader.number(at, "an amount from 0 to 100000000", to_units)
    })
}

/// Checks that the request of a file is valid for a grid of these resources.
///
/// # Errors
/// The first violated condition, with the field of the request.
pub fn check_request(
    file: &str,
    grid: &Grid,
    resources: &Resources,
    request: &Request,
) -> Result<(), Faults> {
    let Err(error) = grid.check_request(request) else { return Ok(()) };
    let field = match &error {
        GridError::Empty => "duration: ".to_owned(),
        GridError::NoResources | GridError::TooMany(_) => "resources: ".to_owned(),
        GridError::Window => "latest: ".to_owned(),
        GridError::Total(property) => format!("total.{}: ", resources.quantities[*property]),
        _ => String::new(),
    };
    let mut reader = Reader::default();
    reader.fault_of_file(file, format!("{field}{error}"));
    reader.finish(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Megabytes are whole; gigabytes and cores may have parts.
    #[test]
    fn megabytes_are_rounded_up() {
        let nodes = "node,cores,ram_gb,memory_mb\na,8,64,65536\nb,8,64,65536\n";
        let resources = Resources::parse("nodes.csv", nodes).unwrap();
        let window = Window { now: SimTime::ZERO, patience: SimSpan::from_secs(60) };
        let text = "duration = 60\nresources = 2\n[minimum]\nmemory_mb = 1000.5\n[total]\nmemory_mb = 6459.076922\nram_gb = 2.5";
        let request = request("r.toml", text, &resources, window).unwrap();
        assert_eq!(*request.step, [1, 1, UNITS_PER_ONE]);
        assert_eq!(*request.minimum, [1, 1, 1_001 * UNITS_PER_ONE]);
        assert_eq!(*request.total, [2, 2_500_000, 6_460 * UNITS_PER_ONE]);
        for (name, is_whole) in [("MiB", true), ("disk_kb", true), ("bulb", false), ("memory", false)] {
            assert_eq!(is_in_whole_units(name), is_whole, "{name}");
        }
    }
}
