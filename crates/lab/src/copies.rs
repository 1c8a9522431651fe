//! Names of copies of an instance, which differ from it by chance alone.

/// Text between the name of an instance and the number of a copy.
const SUFFIX: &str = "-copy-";

/// Returns the name of a copy of an instance.
pub fn copy_name(instance: &str, number: u32) -> String {
    format!("{instance}{SUFFIX}{number:03}")
}

/// Splits the name of an instance into that of the original and the number of the copy, if it is
/// one. Copies and their original are not statistically independent.
pub fn split_copy(instance: &str) -> (&str, Option<u32>) {
    let parts = instance.rsplit_once(SUFFIX);
    let copy = parts.and_then(|(original, number)| Some((original, Some(number.parse().ok()?))));
    copy.unwrap_or((instance, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_copies_are_recognised() {
        let name = copy_name("week-001-load-0.7", 2);
        assert_eq!(
            (name.as_str(), split_copy(&name)),
            ("week-001-load-0.7-copy-002", ("week-001-load-0.7", Some(2)))
        );
        for other in ["sample-003", "hard-copy-machine", "-copy-"] {
            assert_eq!(split_copy(other), (other, None));
        }
    }
}
