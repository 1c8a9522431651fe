//! Names that nothing has.

/// A name that is none of the known ones.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} `{name}`; did you mean `{nearest}`?")]
pub struct UnknownName {
    /// What was looked for.
    pub what: &'static str,
    /// The name.
    pub name: String,
    /// The known name that is most like it.
    pub nearest: String,
}

impl UnknownName {
    /// A wrong name, with the right ones; at least one.
    pub(crate) fn new<S: Into<String>>(
        what: &'static str,
        name: &str,
        known: impl IntoIterator<Item = S>,
    ) -> UnknownName {
        let wanted = name.to_ascii_uppercase();
        let likeness = |known: &String| strsim::jaro_winkler(&wanted, &known.to_ascii_uppercase());
        let nearest = known.into_iter().map(Into::into).max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        UnknownName { what, name: name.to_owned(), nearest: nearest.expect("something has a name") }
    }
}
