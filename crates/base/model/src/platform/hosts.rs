//! Lists of host names as Slurm writes them, such as `n[1-3,07],login`.

/// Maximum number of names in a list.
pub const MAX_HOSTS: usize = 1_000_000;

/// Expands a list. Empty parts, as behind a comma at the end, are passed over. Returns `None` if the
/// list is malformed, empty or longer than [`MAX_HOSTS`].
///
/// ```
/// use dfrsim_model::platform::hosts::{compress, expand};
/// let names = expand("n[1-3,07],login").unwrap();
/// assert_eq!(names.join(" "), "n1 n2 n3 n07 login");
/// assert_eq!(compress(&names), "n[1-3],n07,login");
/// ```
pub fn expand(list: &str) -> Option<Vec<String>> {
    let (mut names, mut depth, mut begin) = (Vec::new(), 0, 0);
    for (at, letter) in list.char_indices().chain([(list.len(), ',')]) {
        match letter {
            '[' => depth += 1,
            ']' => depth -= 1,
            ',' if depth == 0 => {
                let part = list[begin..at].trim();
                if !part.is_empty() {
                    names.extend(expand_one(part)?);
                }
                begin = at + 1;
            }
            _ => {}
        }
        if names.len() > MAX_HOSTS {
            return None;
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
        if first > last || (last - first).checked_mul(after.len())? > MAX_HOSTS {
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

/// Writes names in their order, with a range for each run of consecutive numbers of equal length at
/// their ends.
pub fn compress(names: &[String]) -> String {
    let split = |name: &str| {
        let digits = name.len() - name.trim_end_matches(|letter: char| letter.is_ascii_digit()).len();
        // Longer numbers are written as they are.
        let digits = digits.min(18);
        let (prefix, number) = name.split_at(name.len() - digits);
        (prefix.to_owned(), number.to_owned(), number.parse::<u64>().ok())
    };
    let parts: Vec<_> = names.iter().map(|name| split(name)).collect();
    let runs = parts.chunk_by(|a, b| {
        let follows = a.2.zip(b.2).is_some_and(|(a, b)| a + 1 == b);
        a.0 == b.0 && a.1.len() == b.1.len() && follows
    });
    let text = |run: &[(String, String, Option<u64>)]| match run {
        [(prefix, number, _)] => format!("{prefix}{number}"),
        [(prefix, first, _), .., (_, last, _)] => format!("{prefix}[{first}-{last}]"),
        [] => String::new(),
    };
    runs.map(text).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_names_are_expanded() {
        let expand = |list| expand(list).map(|names| names.join(" "));
        assert_eq!(expand("n[1-3,07],login").as_deref(), Some("n1 n2 n3 n07 login"));
        assert_eq!(expand("r[1-2]n[08-10]").as_deref(), Some("r1n08 r1n09 r1n10 r2n08 r2n09 r2n10"));
        assert_eq!(expand("n[1-2],,n4, n5,").as_deref(), Some("n1 n2 n4 n5"));
        for wrong in ["", ",", "n[1-", "n[2-1]", "n[a]", "n[1-99999999]"] {
            assert_eq!(expand(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn written_lists_are_read_again() {
        for list in ["n1", "n[1-3],n5", "a[08-10],a[11-12],b", "r1n[1-2],r2n1", "n[9-9]"] {
            let names = expand(list).unwrap();
            assert_eq!(expand(&compress(&names)).unwrap(), names, "{list}");
        }
        assert_eq!(compress(&expand("n[8-10]").unwrap()), "n[8-9],n10");
    }
}
