//! Wrong names, and the right ones that may be meant.

use dfrsim_model::named::UnknownName;
pub use dfrsim_model::named::nearest;

/// `what` is unknown: the nearest of the right names, or all of them.
pub fn unknown<'a>(what: &'static str, wrong: &str, right: impl IntoIterator<Item = &'a str>) -> String {
    UnknownName::new(what, wrong, right).to_string()
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
