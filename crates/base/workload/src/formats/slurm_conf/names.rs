//! Expansion of host lists, and conversion of Slurm's names to names of the platform.

use super::ConfError;
use super::lines::Location;
use dfrsim_model::platform::hosts;
pub(in super::super) use dfrsim_model::site::partition_feature as feature_of_partition;

/// Maximum number of nodes of a site.
pub(super) const MAX_NODES: usize = hosts::MAX_HOSTS;

/// Converts a Slurm name to a feature or resource name of the platform, which consists of letters,
/// digits, `-` and `_`.
pub(in super::super) fn identifier(name: &str) -> String {
    let is_known = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    name.chars().map(|letter| if is_known(letter) { letter } else { '_' }).collect()
}

/// Returns the feature that marks the nodes and jobs of a reservation.
pub(in super::super) fn feature_of_reservation(name: &str) -> String {
    identifier(&format!("reservation-{name}"))
}

/// Prefixes of the features that mark the nodes of a list (`--nodelist`), and those outside of it
/// (`--exclude`).
const LISTED: &str = "nodelist-";
const NOT_LISTED: &str = "exclude-";

/// Returns the feature of the nodes on which a job with a list of nodes can run: those of the list, or
/// all others. Characters that features do not have are written as `_` and two hexadecimal digits.
pub(in super::super) fn feature_of_list(list: &str, is_excluded: bool) -> String {
    let mut feature = if is_excluded { NOT_LISTED } else { LISTED }.to_owned();
    for byte in list.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' => feature.push(char::from(byte)),
            _ => feature.push_str(&format!("_{byte:02x}")),
        }
    }
    feature
}

/// Returns the list of nodes in a feature, and true if the feature marks the other nodes; `None` if it
/// is another feature.
pub(in super::super) fn list_of_feature(feature: &str) -> Option<(String, bool)> {
    let listed = feature.strip_prefix(LISTED).map(|code| (code, false));
    let (code, is_excluded) = listed.or(feature.strip_prefix(NOT_LISTED).map(|code| (code, true)))?;
    let mut bytes = Vec::new();
    let mut rest = code.as_bytes();
    while let Some((&first, others)) = rest.split_first() {
        rest = others;
        if first != b'_' {
            bytes.push(first);
            continue;
        }
        let digits = std::str::from_utf8(others.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &others[2..];
    }
    Some((String::from_utf8(bytes).ok()?, is_excluded))
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

/// Formats a list of names, of which the first ten are given.
pub(super) fn listed(names: &[&str]) -> String {
    let dots = if names.len() > 10 { ", ..." } else { "" };
    format!("{} ({}{dots})", names.len(), names[..names.len().min(10)].join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_nodes_are_features() {
        for (list, is_excluded, feature) in
            [("n[1-3],x_1", false, "nodelist-n_5b1-3_5d_2cx_5f1"), ("nl1", true, "exclude-nl1")]
        {
            assert_eq!(feature_of_list(list, is_excluded), feature);
            assert_eq!(list_of_feature(feature), Some((list.to_owned(), is_excluded)));
        }
        for other in ["gpu", "nodelist-_5", "exclude-_zz"] {
            assert_eq!(list_of_feature(other), None, "{other}");
        }
    }

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
