//! Expansion of host lists, and conversion of Slurm's names to names of the platform.

use super::ConfError;
use super::lines::Location;

/// Maximum number of nodes of a site.
pub(super) const MOST_NODES: usize = 1_000_000;

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
    let names = expand(list).filter(|names| names.len() <= MOST_NODES);
    names.ok_or_else(|| at.unexpected(list, "host names such as n[1-8,12]"))
}

/// Expands a host list; `None` if it is malformed or too long.
fn expand(list: &str) -> Option<Vec<String>> {
    let (mut names, mut depth, mut begin) = (Vec::new(), 0, 0);
    for (at, letter) in list.char_indices().chain([(list.len(), ',')]) {
        match letter {
            '[' => depth += 1,
            ']' => depth -= 1,
            ',' if depth == 0 => {
                // Slurm passes over empty parts, as that behind a comma at the end.
                let part = list[begin..at].trim();
                if !part.is_empty() {
                    names.extend(expand_one(part)?);
                }
                begin = at + 1;
            }
            _ => {}
        }
    }
    (depth == 0 && !names.is_empty()).then_some(names)
}

/// Expands a single pattern such as `n[1-3,07]`, which may have further ranges after the first.
fn expand_one(pattern: &str) -> Option<Vec<String>> {
    let Some((before, rest)) = pattern.split_once('[') else {
        return (!pattern.is_empty()).then(|| vec![pattern.to_owned()]);
    };
    let (ranges, after) = rest.split_once(']')?;
    let after = if after.is_empty() { vec![String::new()] } else { expand_one(after)? };
    let mut names = Vec::new();
    for range in ranges.split(',') {
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        let (first, last) = (from.parse::<usize>().ok()?, to.parse::<usize>().ok()?);
        if first > last || (last - first).checked_mul(after.len())? > MOST_NODES {
            return None;
        }
        for number in first..=last {
            names.extend(
                after.iter().map(|after| format!("{before}{number:0width$}{after}", width = from.len())),
            );
        }
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_names_are_expanded() {
        let expand = |list| expand(list).map(|names| names.join(" "));
        assert_eq!(expand("n[1-3,07],login").as_deref(), Some("n1 n2 n3 n07 login"));
        assert_eq!(expand("n[1-2],,n4, n5,").as_deref(), Some("n1 n2 n4 n5"));
        assert_eq!(expand("r[1-2]n[08-10]").as_deref(), Some("r1n08 r1n09 r1n10 r2n08 r2n09 r2n10"));
        for wrong in ["", "n[1-", "n[2-1]", "n[a]", "n[1-99999999]"] {
            assert_eq!(expand(wrong), None, "{wrong}");
        }
    }
}
