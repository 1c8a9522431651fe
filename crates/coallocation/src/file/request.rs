//! Requests as TOML.

use super::amount::units;
use super::{FileError, Problem, Resources};
use dfrsim_model::coallocation::Request;
use dfrsim_model::{SimSpan, SimTime};
use serde::Deserialize;
use std::collections::BTreeMap;

/// When a job may start if its request does not say so (section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The time of submission, which is then the earliest start.
    pub now: SimTime,
    /// How long after the earliest start the latest is (t_C).
    pub patience: SimSpan,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    duration: f64,
    resources: usize,
    earliest: Option<f64>,
    latest: Option<f64>,
    #[serde(default)]
    minimum: BTreeMap<String, f64>,
    #[serde(default)]
    total: BTreeMap<String, f64>,
    #[serde(default)]
    labels: BTreeMap<String, String>,
}

/// The least amount: the predefined minimum of what is not asked for.
const LEAST: u64 = 1;

/// Reads a request; `file` is what messages call the file.
///
/// # Errors
///
/// With the first thing that is wrong. Whether the grid can be asked for it is another matter
/// ([`Grid::check_request`](crate::Grid::check_request)).
pub fn request(file: &str, text: &str, resources: &Resources, window: Window) -> Result<Request, FileError> {
    let read = || -> Result<Request, Problem> {
        let file: File = toml::from_str(text)?;
        let minimum = amounts(&file.minimum, resources)?;
        let total = amounts(&file.total, resources)?;
        let minimum: Box<[u64]> = minimum.into_iter().map(|minimum| minimum.unwrap_or(LEAST)).collect();
        let of_minimum = |(total, minimum): (Option<u64>, &u64)| {
            total.unwrap_or_else(|| minimum.saturating_mul(file.resources as u64))
        };
        let earliest = match file.earliest {
            Some(seconds) => SimTime::ZERO + span("earliest", seconds)?,
            None => window.now,
        };
        let latest = match file.latest {
            Some(seconds) => SimTime::ZERO + span("latest", seconds)?,
            None => earliest.saturating_add(window.patience),
        };
        Ok(Request {
            duration: span("duration", file.duration)?,
            resources: file.resources,
            earliest,
            latest,
            total: total.into_iter().zip(&minimum).map(of_minimum).collect(),
            minimum,
            labels: by_name(&file.labels, &resources.qualities, "label")?
                .into_iter()
                .map(Option::<&String>::cloned)
                .collect(),
        })
    };
    read().map_err(|problem| problem.at(file, None))
}

fn span(field: &'static str, found: f64) -> Result<SimSpan, Problem> {
    SimSpan::try_from_secs_f64(found).ok_or(Problem::Seconds { field, found })
}

/// The amounts of a table, in the order of the properties.
fn amounts(table: &BTreeMap<String, f64>, resources: &Resources) -> Result<Vec<Option<u64>>, Problem> {
    let amount = |amount: Option<&f64>| match amount {
        Some(&amount) => units(amount).map(Some).ok_or_else(|| Problem::Amount(amount.to_string())),
        None => Ok(None),
    };
    by_name(table, &resources.quantities, "property")?.into_iter().map(amount).collect()
}

/// The entries of a table in the order of these names, which are all that it may have.
fn by_name<'a, T>(
    table: &'a BTreeMap<String, T>,
    names: &[String],
    what: &'static str,
) -> Result<Vec<Option<&'a T>>, Problem> {
    match table.keys().find(|name| !names.contains(name)) {
        Some(name) => Err(Problem::Unknown { what, name: name.clone() }),
        None => Ok(names.iter().map(|name| table.get(name)).collect()),
    }
}
