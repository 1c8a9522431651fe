//! Mean run times, by the labels of instances and variants.

use crate::column::{Role, RowType};
use crate::study::{InstanceId, Labels, OpenStudy};
use crate::table::{Cell, Table};
use rustc_hash::FxHashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// File of the mean run times.
pub const TIMES: &str = "times.csv";

/// Number of runs, and their total time.
type Sum = (u32, Duration);

/// Run times of the computed runs, by the labels of the instance and those of the variant.
#[derive(Debug, Default)]
pub(crate) struct Times(Mutex<FxHashMap<Labels, FxHashMap<Labels, Sum>>>);

/// Returns the labels of an instance: the values of its label columns.
fn labels(row_types: &[RowType], id: &InstanceId) -> Labels {
    let is_label = |name: &str| {
        let mut columns = row_types.iter().flat_map(|each| each.columns);
        columns.any(|column| column.name == name && column.role == Role::Label)
    };
    id.labels.iter().filter(|(name, _)| is_label(name)).cloned().collect()
}

impl Times {
    /// Adds the run times of variants on an instance.
    pub(crate) fn add<'a>(
        &self,
        row_types: &[RowType],
        id: &InstanceId,
        times: impl Iterator<Item = (&'a Labels, Duration)>,
    ) {
        let mut times = times.peekable();
        if times.peek().is_none() {
            return;
        }
        let mut sums = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_labels = sums.entry(labels(row_types, id)).or_default();
        for (variant, time) in times {
            match of_labels.get_mut(variant) {
                Some((count, sum)) => (*count, *sum) = (*count + 1, *sum + time),
                None => _ = of_labels.insert(variant.clone(), (1, time)),
            }
        }
    }

    /// Builds the table of mean times in milliseconds, in the order of the instances and variants;
    /// `None` if there are no times.
    pub(crate) fn table(self, study: &dyn OpenStudy, instances: &[InstanceId]) -> Option<Table> {
        let mut sums = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let variants: Vec<Labels> = match sums.is_empty() {
            true => return None,
            false => study.every_variant().into_iter().map(|(labels, _)| labels).collect(),
        };
        let names = |labels: &Labels| labels.iter().map(|(name, _)| *name).collect::<Vec<_>>();
        let first = labels(study.study().row_types, instances.first()?);
        let header: Vec<&str> = [names(&first), names(variants.first()?)].concat();
        let mut lines = Vec::new();
        for id in instances {
            let labels = labels(study.study().row_types, id);
            let Some(of_labels) = sums.remove(&labels) else { continue };
            for variant in &variants {
                let Some((count, sum)) = of_labels.get(variant) else { continue };
                let texts = labels.iter().chain(variant).map(|(_, value)| Cell::Text(value.clone()));
                let mean = sum.as_secs_f64() * 1e3 / f64::from(*count);
                lines.push(texts.chain([Cell::Count(*count as usize), Cell::Number(mean)]).collect());
            }
        }
        Some(Table::new(header.into_iter().chain(["runs", "mean_ms"]), lines))
    }
}
