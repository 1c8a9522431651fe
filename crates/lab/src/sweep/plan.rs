//! What is run of a scenario.

use super::options::Part;
use crate::key::{Key, KeyBuilder};
use crate::study::{Grain, InstanceId, Labels, OpenStudy};

/// What is run here. Variants are not kept: there may be millions of runs.
pub(crate) struct Plan {
    pub(crate) instances: Vec<InstanceId>,
    /// The instances with runs in this part.
    pub(crate) work: Vec<Work>,
    /// How many runs there are here.
    pub(crate) runs: usize,
    /// The labels in which variants of an instance differ.
    varying: Vec<&'static str>,
}

/// Runs on one instance.
pub(crate) struct Work {
    /// The place of the instance.
    pub(crate) at: usize,
    /// Which of its variants are run; `None` for all.
    pub(crate) own: Option<Vec<bool>>,
}

impl Plan {
    pub(crate) fn new(study: &dyn OpenStudy, part: &Part) -> Plan {
        let instances = study.instances();
        let own = own(study, part, &instances);
        let varying = if instances.is_empty() { Vec::new() } else { varying(&study.variants(0)) };
        let (mut work, mut runs) = (Vec::new(), 0);
        for (at, own) in own.into_iter().enumerate() {
            let each = Work { at, own };
            let count = match &each.own {
                Some(own) => own.iter().filter(|is_own| **is_own).count(),
                None => study.variants(at).len(),
            };
            // A whole run keeps instances without variants, for the list of instances.
            if count > 0 || part.completes() {
                runs += count;
                work.push(each);
            }
        }
        Plan { instances, work, runs, varying }
    }

    /// What progress calls a variant: the values in which it may differ from others; its first one if there is none.
    pub(crate) fn name(&self, labels: &Labels) -> String {
        let chosen = |(name, value): &&(&str, String)| self.varying.contains(name) && !value.is_empty();
        let mut joined = String::new();
        for (_, value) in labels.iter().filter(chosen) {
            joined.extend((!joined.is_empty()).then_some(' '));
            joined.push_str(value);
        }
        match labels.first() {
            Some((_, first)) if joined.is_empty() => first.clone(),
            _ => joined,
        }
    }
}

/// Which runs are done here: for each instance, which of its variants, or all (`None`). How long a variant takes is not known,
/// so the runs of an instance are distributed in an order that is independent of their names.
fn own(study: &dyn OpenStudy, part: &Part, instances: &[InstanceId]) -> Vec<Option<Vec<bool>>> {
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
            Grain::Variants => {
                let variants = study.variants(at);
                let of_instance = variants.iter().enumerate();
                pieces.extend(of_instance.map(|(place, variant)| (key(at, variant), at, Some(place))));
            }
            Grain::Instances => pieces.push((key(at, &[]), at, None)),
        }
    }
    pieces.sort_unstable();
    let weights: Vec<u64> = pieces.iter().map(|&(_, at, _)| instances[at].weight).collect();
    let mut own: Vec<Option<Vec<bool>>> = counts.iter().map(|&count| Some(vec![false; count])).collect();
    for ((_, at, place), is_own) in pieces.into_iter().zip(part.own(&weights)) {
        match (place, &mut own[at]) {
            (Some(place), Some(own)) => own[place] = is_own,
            (_, own) if is_own => *own = None,
            _ => {}
        }
    }
    own
}

/// The labels in which variants differ.
fn varying(labels: &[Labels]) -> Vec<&'static str> {
    let first = labels.first().cloned().unwrap_or_default();
    let differs = |(name, value): &(&'static str, String)| {
        labels.iter().any(|other| {
            other.iter().find(|(other, _)| other == name).is_none_or(|(_, other)| other != value)
        })
    };
    first.into_iter().filter(differs).map(|(name, _)| name).collect()
}
