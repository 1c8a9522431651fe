//! Wrong names, and the right ones that may be meant.

use dfrsim_model::named::UnknownName;
pub use dfrsim_model::named::nearest;

/// `what` is unknown: the nearest of the right names, or all of them.
pub fn unknown<'a>(what: &'static str, wrong: &str, right: impl IntoIterator<Item = &'a str>) -> String {
    UnknownName::new(what, wrong, right).to_string()
}

/// Serde's message, with the nearest right name where it lists names.
pub(super) fn explained<'a>(message: &'a str) -> String {
    let (kind, rest) = message.split_once(" `").unwrap_or((message, ""));
    // The names are between backticks.
    let names = |expected: &'a str| expected.split('`').skip(1).step_by(2);
    match (kind, rest.split_once("`, expected ")) {
        ("unknown field", Some((wrong, expected))) => unknown("field", wrong, names(expected)),
        ("unknown variant", Some((wrong, expected))) => unknown("variant", wrong, names(expected)),
        _ => message.to_owned(),
    }
}

/// Names in backticks, with `last` before the last one: `, ` or ` or `.
pub(super) fn listed<'a>(names: impl IntoIterator<Item = &'a str>, last: &str) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((end, [])) => end.clone(),
        Some((end, names)) => format!("{}{last}{end}", names.join(", ")),
        None => String::new(),
    }
}

/// A phrase without its article.
pub(super) fn bare(what: &str) -> &str {
    what.strip_prefix("a ").or_else(|| what.strip_prefix("an ")).unwrap_or(what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_serde_lists_give_the_nearest() {
        let field = "unknown field `polices`, expected one of `study`, `title`, `policies`";
        assert_eq!(explained(field), "unknown field `polices`; did you mean `policies`?");
        let variant = "unknown variant `x`, expected `extend` or `kill`";
        assert_eq!(explained(variant), "unknown variant `x`; expected extend or kill");
        assert_eq!(explained("missing field `nodes`"), "missing field `nodes`");
    }
}
