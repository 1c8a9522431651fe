//! Messages about unknown names, with the nearest valid names.

use dfrsim_model::named::UnknownName;
pub use dfrsim_model::named::nearest;

/// Formats the error that `wrong` is an unknown `what`, with the nearest valid name or all of them.
pub fn unknown<'a>(what: &'static str, wrong: &str, right: impl IntoIterator<Item = &'a str>) -> String {
    UnknownName::new(what, wrong, right).to_string()
}

/// Joins names in backticks; `last` (`, ` or ` or `) precedes the last one.
pub(super) fn listed<'a>(names: impl IntoIterator<Item = &'a str>, last: &str) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((end, [])) => end.clone(),
        Some((end, names)) => format!("{}{last}{end}", names.join(", ")),
        None => String::new(),
    }
}

/// Returns the phrase without its article.
pub(super) fn without_article(what: &str) -> &str {
    what.strip_prefix("a ").or_else(|| what.strip_prefix("an ")).unwrap_or(what)
}
