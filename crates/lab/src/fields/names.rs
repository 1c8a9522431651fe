//! Wrong names, and the right ones that may be meant.

/// The name that is most like a wrong one, if any is somewhat like it.
#[must_use]
pub fn nearest<'a>(wrong: &str, right: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const SOMEWHAT: f64 = 0.75;
    let likeness = |name: &str| strsim::jaro_winkler(wrong, name);
    let candidates = right.into_iter().map(|name| (likeness(name), name));
    candidates
        .filter(|(likeness, _)| *likeness > SOMEWHAT)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

/// `what` is unknown: the nearest of the right names, or all of them.
#[must_use]
pub fn unknown<'a>(what: &str, wrong: &str, right: impl IntoIterator<Item = &'a str> + Clone) -> String {
    match nearest(wrong, right.clone()) {
        Some(name) => format!("unknown {what} `{wrong}`; did you mean `{name}`?"),
        None => format!("unknown {what} `{wrong}`; there are: {}", listed(right, ", ")),
    }
}

/// Serde's message, with the nearest right name where it lists names.
pub(super) fn explained(message: &str) -> String {
    let (kind, rest) = message.split_once(" `").unwrap_or((message, ""));
    match (kind.strip_prefix("unknown "), rest.split_once("`, expected ")) {
        (Some(what @ ("field" | "variant")), Some((wrong, expected))) => {
            // The names are between backticks.
            unknown(what, wrong, expected.split('`').skip(1).step_by(2))
        }
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
        assert_eq!(explained(variant), "unknown variant `x`; there are: `extend`, `kill`");
        assert_eq!(explained("missing field `nodes`"), "missing field `nodes`");
    }
}
