//! Expansion of host lists, and conversion of Slurm's names to names of the platform.

use super::ConfError;
use super::lines::Location;
use dfrsim_model::platform::hosts;

/// Maximum number of nodes of a site.
pub(super) const MOST_NODES: usize = hosts::MOST_HOSTS;

/// Converts a Slurm name to a feature or resource name of the platform, which consists of letters,
/// digits, `-` and `_`.
pub(in super::super) fn identifier(name: &str) -> String {
    let is_known = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    name.chars().map(|letter| if is_known(letter) { letter } else { '_' }).collect()
}

/// Returns the feature that marks the nodes of a partition.
pub(in super::super) fn feature_of_partition(name: &str) -> String {
    identifier(&format!("partition-{name}"))
}

/// Returns the feature that marks the nodes and jobs of a reservation.
pub(in super::super) fn feature_of_reservation(name: &str) -> String {
    identifier(&format!("reservation-{name}"))
}

/// Expands a host list such as `n[1-3,07],login`.
pub(super) fn expand_hosts(list: &str, at: &Location) -> Result<Vec<String>, ConfError> {
    hosts::expand(list).ok_or_else(|| at.unexpected(list, "host names such as n[1-8,12]"))
}
