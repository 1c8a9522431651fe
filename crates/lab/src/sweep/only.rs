//! Selection of runs by the labels of instances and variants.

use super::instance_work::InstanceWork;
use crate::RunError;
use crate::fields::nearest;
use crate::study::{InstanceId, Journaling, Labels, OpenStudy};
use std::collections::BTreeMap;

/// Accepted labels, by column. A run is selected if each of these columns has one of its labels.
pub(crate) struct Only<'s>(BTreeMap<&'s str, Vec<&'s str>>);

impl<'s> Only<'s> {
    /// Parses conditions `column=value`.
    ///
    /// # Errors
    /// Returns an error if there is no equals sign.
    pub(crate) fn parse(conditions: &'s [String]) -> Result<Only<'s>, RunError> {
        let mut only = Only(BTreeMap::new());
        for condition in conditions {
            let Some((column, value)) = condition.split_once('=') else {
                return Err(RunError::input(format_args!(
                    "`only`: expected column=value, such as workload=hpc2n, found {condition:?}"
                )));
            };
            only.0.entry(column.trim()).or_default().push(value.trim());
        }
        Ok(only)
    }

    /// Returns whether the labels that are among the conditions are accepted.
    fn accepts(&self, labels: &Labels) -> bool {
        labels
            .iter()
            .all(|(name, value)| self.0.get(name).is_none_or(|accepted| accepted.contains(&value.as_str())))
    }

    /// Leaves the selected instances, each with its selected variants.
    ///
    /// # Errors
    /// Returns an error if no instance or variant has a column or a label of the conditions, if no run
    /// is left, or if the study keeps the variants of an instance together.
    pub(crate) fn select(
        &self,
        study: &dyn OpenStudy,
        instances: &[InstanceId],
        work: &mut Vec<InstanceWork>,
    ) -> Result<(), RunError> {
        if self.0.is_empty() {
            return Ok(());
        }
        let mut known = BTreeMap::<&str, Vec<String>>::new();
        let mut is_of_variants = false;
        let mut note = |(name, value): &(&'static str, String), is_variant: bool| {
            let values = known.entry(name).or_default();
            if !values.contains(value) {
                values.push(value.clone());
            }
            is_of_variants |= is_variant && self.0.contains_key(name);
        };
        work.retain_mut(|each| {
            let labels = &instances[each.at].labels;
            let variants = study.variants(each.at);
            labels.iter().for_each(|label| note(label, false));
            variants.iter().flatten().for_each(|label| note(label, true));
            let is_own = |place: usize| each.own.as_ref().is_none_or(|own| own[place]);
            let chosen = |(place, labels): (usize, &Labels)| is_own(place) && self.accepts(labels);
            let own: Vec<bool> = variants.iter().enumerate().map(chosen).collect();
            let is_any = own.contains(&true);
            if own.contains(&false) {
                each.own = Some(own);
            }
            is_any && self.accepts(labels)
        });
        self.check(&known)?;
        if is_of_variants && study.row_store().journaling() == Journaling::Instances {
            return Err(RunError::input(
                "`only`: this study keeps all variants of an instance together; select variants with their list in the scenario",
            ));
        }
        match work.is_empty() {
            true => Err(RunError::input("`only`: no run has all of these labels")),
            false => Ok(()),
        }
    }

    /// Checks that each column and label occurs.
    fn check(&self, known: &BTreeMap<&str, Vec<String>>) -> Result<(), RunError> {
        let listed = |names: &mut dyn Iterator<Item = &str>| {
            const MOST: usize = 20;
            let names: Vec<&str> = names.collect();
            let more = names.len().saturating_sub(MOST);
            let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
            format!("{}{rest}", names[..names.len().min(MOST)].join(", "))
        };
        for (column, values) in &self.0 {
            let Some(labels) = known.get(column) else {
                let hint = hint(column, known.keys().copied());
                let all = listed(&mut known.keys().copied());
                return Err(RunError::input(format_args!(
                    "`only`: no column {column:?}{hint}; the runs have: {all}"
                )));
            };
            if let Some(value) = values.iter().find(|value| !labels.iter().any(|label| label == *value)) {
                let hint = hint(value, labels.iter().map(String::as_str));
                let all = listed(&mut labels.iter().map(String::as_str));
                return Err(RunError::input(format_args!(
                    "`only`: no run has {column} {value:?}{hint}; expected one of: {all}"
                )));
            }
        }
        Ok(())
    }
}

fn hint<'n>(wrong: &str, names: impl Iterator<Item = &'n str> + Clone) -> String {
    nearest(wrong, names).map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}
