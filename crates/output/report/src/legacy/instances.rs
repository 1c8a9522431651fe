//! The degradation of every policy on every instance, as data for the page's script.

use dfrsim_legacy::Row;
use serde::Serialize;
use std::collections::BTreeMap;

/// What the page needs to show any instance: names once, figures by their place.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct Instances {
    /// The settings, in words.
    settings: Vec<String>,
    /// The instances, in the order of the scenario.
    instances: Vec<Instance>,
}

#[derive(Debug, PartialEq, Serialize)]
struct Instance {
    workload: String,
    name: String,
    jobs: usize,
    bound: f64,
    /// For each setting the degradation; nothing where a simulation failed or was not made.
    degradation: Vec<Option<f64>>,
}

impl Instances {
    /// Of the first tau of the rows.
    pub(crate) fn of(rows: &[Row]) -> Instances {
        let tau = rows.first().map(|row| row.cell.tau_s);
        let (mut settings, mut instances) = (Vec::new(), Vec::<Instance>::new());
        let mut places = BTreeMap::new();
        let different = different(rows);
        for row in rows.iter().filter(|row| Some(row.cell.tau_s) == tau) {
            let setting = setting(row, different);
            let place = *places.entry(setting).or_insert_with_key(|name| {
                settings.push(name.clone());
                settings.len() - 1
            });
            let cell = &row.cell;
            let is_same = |last: &&mut Instance| last.workload == cell.workload && last.name == cell.instance;
            let instance = match instances.last_mut().filter(is_same) {
                Some(_) => instances.len() - 1,
                None => {
                    instances.push(Instance {
                        workload: cell.workload.clone(),
                        name: cell.instance.clone(),
                        jobs: cell.jobs,
                        bound: short(cell.bound),
                        degradation: Vec::new(),
                    });
                    instances.len() - 1
                }
            };
            let degradation = &mut instances[instance].degradation;
            degradation.resize(degradation.len().max(place + 1), None);
            degradation[place] = row.outcome.as_ref().ok().map(|figures| short(figures.degradation));
        }
        Instances { settings, instances }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.instances.is_empty()
    }

    /// As JSON that may stand in a page: no tag can end the element around it.
    pub(crate) fn json(&self) -> String {
        serde_json::to_string(self).expect("names and numbers can be written").replace('<', "\\u003c")
    }
}

/// The numbers of a setting that its policy's name leaves open, in words; nothing where it does not have them.
fn numbers(row: &Row) -> [Option<String>; 4] {
    let cell = &row.cell;
    [
        Some(format!("penalty {} s", cell.penalty_s)),
        cell.period_s.map(|period| format!("period {period} s")),
        cell.packing.as_ref().map(|packing| format!("packing {packing}")),
        cell.drop.as_ref().map(|drop| format!("drop {drop}")),
    ]
}

/// Which of the numbers differ between rows that have them.
fn different(rows: &[Row]) -> [bool; 4] {
    let (mut first, mut different) = ([const { None }; 4], [false; 4]);
    for row in rows {
        for (place, number) in numbers(row).into_iter().enumerate() {
            let Some(number) = number else { continue };
            let first = first[place].get_or_insert_with(|| number.clone());
            different[place] |= *first != number;
        }
    }
    different
}

/// A policy and those of its numbers that tell it from others.
fn setting(row: &Row, different: [bool; 4]) -> String {
    let told = numbers(row).into_iter().zip(different).filter(|(_, different)| *different);
    let parts = std::iter::once(row.cell.policy.clone()).chain(told.filter_map(|(number, _)| number));
    parts.collect::<Vec<_>>().join(", ")
}

/// To five significant digits: the page shows no more, and a large run has a hundred thousand of them.
fn short(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}
