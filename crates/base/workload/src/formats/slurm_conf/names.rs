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

/// Expands a host list such as `n[1-3,07],login`. Slurm accepts no text behind the last range of a
/// name.
pub(super) fn expand_hosts(list: &str, at: &Location) -> Result<Vec<String>, ConfError> {
    let has_text_behind = |(place, _): (usize, &str)| {
        let behind = list[place + 1..].split([',', ' ']).next().unwrap_or_default();
        !behind.is_empty() && !behind.contains('[')
    };
    let is_odd = list.match_indices(']').any(has_text_behind);
    let names = hosts::expand(list).filter(|_| !is_odd);
    names.ok_or_else(|| at.unexpected(list, "host names such as n[1-8,12]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_behind_the_last_range_is_refused_as_by_slurm() {
        let of = |list| expand_hosts(list, &Location::default()).map(|names| names.len());
        assert_eq!([of("r[1-2]n[08-10],x"), of("n[1-2],a.b.c")], [Ok(7), Ok(3)]);
        for list in ["n[1-3].example.org", "n[1-3]x,y", "a[1-2]b[1-2]c"] {
            let error = of(list).unwrap_err().to_string();
            assert!(error.starts_with("expected host names such as n[1-8,12]"), "{error}");
        }
    }
}
