//! Requests as TOML.

use super::amount::units;
use super::fault::{Faults, Problem};
use super::{FileErrors, Resources};
use dfrsim_model::coallocation::{Request, UNITS_PER_ONE};
use dfrsim_model::{SimSpan, SimTime};
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// When a job may start if its request does not say so (section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The time of submission, which is then the earliest start.
    pub now: SimTime,
    /// How long after the earliest start the latest is (t_C).
    pub patience: SimSpan,
}

/// An entry of a table, with where it is.
type Table<T> = BTreeMap<Spanned<String>, Spanned<T>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    duration: Spanned<f64>,
    resources: usize,
    earliest: Option<Spanned<f64>>,
    latest: Option<Spanned<f64>>,
    #[serde(default)]
    minimum: Table<f64>,
    #[serde(default)]
    total: Table<f64>,
    #[serde(default)]
    whole: Vec<Spanned<String>>,
    #[serde(default)]
    labels: Table<String>,
}

/// The least amount: the predefined minimum of what is not asked for.
const LEAST: u64 = 1;

/// Reads a request; `file` is what messages call the file.
///
/// # Errors
///
/// With all that is wrong, or the first thing that is not TOML. Whether the grid can be asked for it is another matter
/// ([`check_request`](super::check_request)).
pub fn request(file: &str, text: &str, resources: &Resources, window: Window) -> Result<Request, FileErrors> {
    let mut reader = Reader { text, faults: Faults::of(file) };
    let file: File = match toml::from_str(text) {
        Ok(file) => file,
        Err(error) => return reader.faults.end(None, error.into()),
    };
    let mut span = |field: &str, seconds: &Spanned<f64>| reader.span(field, seconds);
    let duration = span("duration", &file.duration);
    let earliest = file.earliest.map_or(window.now, |it| SimTime::ZERO + span("earliest", &it));
    let latest = match file.latest {
        Some(latest) => SimTime::ZERO + span("latest", &latest),
        None => earliest.saturating_add(window.patience),
    };
    let minimum = reader.amounts("minimum", &file.minimum, resources);
    let total = reader.amounts("total", &file.total, resources);
    let labels = reader.by_name("labels", &file.labels, &resources.qualities, "label");
    let step = reader.steps(&file.whole, resources);
    let in_steps = |amount: u64, step: u64| amount.div_ceil(step).saturating_mul(step);
    let minimum: Box<[u64]> =
        minimum.into_iter().zip(&step).map(|(it, &step)| in_steps(it.unwrap_or(LEAST), step)).collect();
    let of_minimum = |((total, minimum), &step): ((Option<u64>, &u64), &u64)| {
        in_steps(total.unwrap_or_else(|| minimum.saturating_mul(file.resources as u64)), step)
    };
    reader.faults.none(Request {
        duration,
        resources: file.resources,
        earliest,
        latest,
        total: total.into_iter().zip(&minimum).zip(&step).map(of_minimum).collect(),
        minimum,
        step,
        labels: labels.into_iter().map(|label| label.map(|it| it.get_ref().clone())).collect(),
    })
}

/// Reads fields and collects their faults. The value returned for a wrong field must not be used.
struct Reader<'a> {
    text: &'a str,
    faults: Faults<'a>,
}

impl Reader<'_> {
    fn fault<T>(&mut self, at: &Spanned<T>, field: &str, problem: Problem) {
        let line = 1 + self.text[..at.span().start].matches('\n').count();
        self.faults.push(Some(line as u64), Some(field), problem);
    }

    fn span(&mut self, field: &str, seconds: &Spanned<f64>) -> SimSpan {
        let found = *seconds.get_ref();
        SimSpan::try_from_secs_f64(found).unwrap_or_else(|| {
            self.fault(seconds, field, Problem::Seconds(found));
            SimSpan::ZERO
        })
    }

    /// The amounts of a table, in the order of the properties.
    fn amounts(&mut self, name: &str, table: &Table<f64>, resources: &Resources) -> Vec<Option<u64>> {
        let entries = self.by_name(name, table, &resources.quantities, "property");
        let mut amount = |(entry, quantity): (Option<&Spanned<f64>>, &String)| {
            let found = entry?;
            let amount = units(*found.get_ref());
            if amount.is_none() {
                let problem = Problem::Amount(found.get_ref().to_string());
                self.fault(found, &format!("{name}.{quantity}"), problem);
            }
            amount
        };
        entries.into_iter().zip(&resources.quantities).map(&mut amount).collect()
    }

    /// The step of each property: a whole one of those that are named.
    fn steps(&mut self, whole: &[Spanned<String>], resources: &Resources) -> Box<[u64]> {
        for name in whole.iter().filter(|name| !resources.quantities.contains(name.get_ref())) {
            self.fault(name, "whole", Problem::Unknown { what: "property", name: name.get_ref().clone() });
        }
        let is_whole = |quantity: &String| whole.iter().any(|name| name.get_ref() == quantity);
        resources.quantities.iter().map(|it| if is_whole(it) { UNITS_PER_ONE } else { 1 }).collect()
    }

    /// The entries of a table in the order of these names, which are all that it may have.
    fn by_name<'t, T>(
        &mut self,
        table_name: &str,
        table: &'t Table<T>,
        names: &[String],
        what: &'static str,
    ) -> Vec<Option<&'t Spanned<T>>> {
        for key in table.keys().filter(|key| !names.contains(key.get_ref())) {
            self.fault(key, table_name, Problem::Unknown { what, name: key.get_ref().clone() });
        }
        names.iter().map(|name| table.get(name.as_str())).collect()
    }
}
