//! Names of nodes in lists, and names of Slurm's as those of platforms.

use super::ConfError;
use super::lines::At;

/// The most nodes of a file.
pub(super) const MOST_NODES: usize = 1_000_000;

/// A name of Slurm's as that of a feature or resource of a platform, which has letters, digits, `-` and `_` only.
pub(in super::super) fn word(name: &str) -> String {
    let is_known = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    name.chars().map(|letter| if is_known(letter) { letter } else { '_' }).collect()
}

/// The feature of the nodes of a partition.
pub(in super::super) fn feature_of_partition(name: &str) -> String {
    word(&format!("partition-{name}"))
}

/// The feature of the nodes and jobs of a reservation.
pub(in super::super) fn feature_of_reservation(name: &str) -> String {
    word(&format!("reservation-{name}"))
}

/// The names of a list such as `n[1-3,07],login`.
pub(super) fn names(list: &str, at: &At) -> Result<Vec<String>, ConfError> {
    let names = expand(list).filter(|names| names.len() <= MOST_NODES);
    names.ok_or_else(|| at.found(list, "names such as n[1-8,12]"))
}

/// The same; `None` if it is none, or of too many.
fn expand(list: &str) -> Option<Vec<String>> {
    let (mut names, mut depth, mut begin) = (Vec::new(), 0, 0);
    for (at, letter) in list.char_indices().chain([(list.len(), ',')]) {
        match letter {
            '[' => depth += 1,
            ']' => depth -= 1,
            ',' if depth == 0 => {
                names.extend(expand_one(&list[begin..at])?);
                begin = at + 1;
            }
            _ => {}
        }
    }
    (depth == 0 && !names.is_empty()).then_some(names)
}

/// The names of `n[1-3,07]`, of which the ranges may be followed by more.
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
        assert_eq!(expand("r[1-2]n[08-10]").as_deref(), Some("r1n08 r1n09 r1n10 r2n08 r2n09 r2n10"));
        for wrong in ["", "n[1-", "n[2-1]", "n[a]", "n[1-99999999]"] {
            assert_eq!(expand(wrong), None, "{wrong}");
        }
    }
}
