//! Nodes of partitions.

use dfrsim_model::platform::classes::{NodeClass, NodeClasses};
use dfrsim_model::site::partition_feature;

/// Returns a flag for each node class: true if its nodes belong to the partition. A partition has
/// all nodes if no class has its feature; so have jobs without a partition.
pub(crate) fn classes_of_partition(classes: Option<&NodeClasses>, partition: Option<&str>) -> Vec<bool> {
    let Some(classes) = classes else { return vec![true] };
    let name = partition.map(partition_feature);
    let has = |class: &NodeClass| {
        classes.feature_names(class.features).any(|feature| name.as_deref() == Some(feature))
    };
    let own: Vec<bool> = classes.classes().iter().map(has).collect();
    if own.contains(&true) { own } else { vec![true; own.len()] }
}
