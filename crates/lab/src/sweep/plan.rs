//! Selection of the runs of a scenario.

use super::instance_work::InstanceWork;
use super::only::Only;
use super::options::Part;
use crate::RunError;
use crate::column::Column;
use crate::key::{Key, KeyBuilder};
use crate::study::{InstanceId, Labels, OpenStudy, ShardUnit};

/// The runs of this part. Variants are not stored, as there may be millions of runs.
pub(crate) struct Plan {
    pub(crate) instances: Vec<InstanceId>,
    /// Instances with runs in this part.
    pub(crate) work: Vec<InstanceWork>,
    /// Number of runs in this part.
    pub(crate) runs: usize,
    /// Labels in which the variants of an instance differ.
    varying: Vec<&'static str>,
}

impl Plan {
    /// Selects the runs of a part that fulfil conditions `column=value`.
    ///
    /// # Errors
    /// Returns an error if a condition names what no run has.
    pub(crate) fn new(study: &dyn OpenStudy, part: &Part, only: &[String]) -> Result<Plan, RunError> {
        let instances = study.instances();
        let own = select_variants(study, part, &instances);
        let varying = if instances.is_empty() { Vec::new() } else { varying(&study.variants(0)) };
        let mut work: Vec<InstanceWork> =
            own.into_iter().enumerate().map(|(at, own)| InstanceWork { at, own }).collect();
        Only::parse(only)?.select(study, &instances, &mut work)?;
        let mut runs = 0;
        work.retain(|each| {
            let count = match &each.own {
                Some(own) => own.iter().filter(|is_own| **is_own).count(),
                None => study.variants(each.at).len(),
            };
            runs += count;
            // A whole run also keeps instances without variants, for the list of instances.
            count > 0 || part.completes()
        });
        Ok(Plan { instances, work, runs, varying })
    }

    /// Formats the name of a variant for progress output: the values in which variants differ, or
    /// the first value if there are none. Numbers have the names and the units of their columns.
    pub(crate) fn name(&self, labels: &Labels, columns: &[Column]) -> String {
        let readable = |(name, value): &(&'static str, String)| {
            let column = columns.iter().find(|column| column.name == *name);
            column.map_or_else(|| value.clone(), |column| column.readable(value))
        };
        let chosen = |(name, value): &&(&str, String)| self.varying.contains(name) && !value.is_empty();
        let names: Vec<String> = labels.iter().filter(chosen).map(readable).collect();
        match labels.first() {
            Some(first) if names.is_empty() => readable(first),
            _ => names.join(", "),
        }
    }
}

/// Selects the variants of each instance that this part runs; `None` for all. Run times of variants
/// are unknown, so the runs are distributed in a pseudo-random order, by the hash of their labels.
fn select_variants(study: &dyn OpenStudy, part: &Part, instances: &[InstanceId]) -> Vec<Option<Vec<bool>>> {
    if part.completes() {
        return vec![None; instances.len()];
    }
    let about = study.study();
    let key = |at: usize, variant: &[(&str, String)]| {
        let mut key = KeyBuilder::new(about.name, 0);
        let labels = instances[at].labels.iter().chain(variant);
        labels.for_each(|(name, value)| _ = key.field(name, value));
        key.key()
    };
    let counts: Vec<usize> = (0..instances.len()).map(|at| study.variants(at).len()).collect();
    let mut pieces: Vec<(Key, usize, Option<usize>)> = Vec::new();
    for at in 0..instances.len() {
        match about.grain {
            ShardUnit::Variants => {
                let variants = study.variants(at);
                let of_instance = variants.iter().enumerate();
                pieces.extend(of_instance.map(|(place, variant)| (key(at, variant), at, Some(place))));
            }
            ShardUnit::Instances => pieces.push((key(at, &[]), at, None)),
        }
    }
    pieces.sort_unstable();
    let weights: Vec<u64> = pieces.iter().map(|&(_, at, _)| instances[at].weight).collect();
    let mut own: Vec<Option<Vec<bool>>> = counts.iter().map(|&count| Some(vec![false; count])).collect();
    for ((_, at, place), is_own) in pieces.into_iter().zip(part.select(&weights)) {
        match (place, &mut own[at]) {
            (Some(place), Some(own)) => own[place] = is_own,
            (_, own) if is_own => *own = None,
            _ => {}
        }
    }
    own
}

/// Finds the labels in which variants differ.
fn varying(labels: &[Labels]) -> Vec<&'static str> {
    let first = labels.first().cloned().unwrap_or_default();
    let differs = |(name, value): &(&'static str, String)| {
        labels.iter().any(|other| {
            other.iter().find(|(other, _)| other == name).is_none_or(|(_, other)| other != value)
        })
    };
    first.into_iter().filter(differs).map(|(name, _)| name).collect()
}
