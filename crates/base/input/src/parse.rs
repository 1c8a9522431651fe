//! Deserialisation with serde, with all errors.

use crate::located::{Located, below};
use crate::named::UnknownName;
use crate::tree::{Content, Node, Span};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeSet;

/// Maximum number of errors to search for. Each one requires deserialising the value again.
const MAX_ERRORS: usize = 100;

/// An error of deserialisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeserializeError {
    /// Position of the error.
    pub span: Span,
    /// Path of the field.
    pub path: String,
    /// Description of the error and of the expected value.
    pub message: String,
}

impl Located<'_> {
    /// Deserialises the value.
    ///
    /// # Errors
    ///
    /// All errors, in the order of the file; the error for an unknown name suggests the most similar
    /// one.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, Vec<DeserializeError>> {
        self.parse_without(&[])
    }

    /// Deserialises an object without the given fields.
    ///
    /// # Errors
    ///
    /// As for [`Located::parse`].
    pub fn parse_without<T: DeserializeOwned>(&self, fields: &[&str]) -> Result<T, Vec<DeserializeError>> {
        let mut left = RemainingValue::new(self, fields);
        loop {
            let read = serde_path_to_error::deserialize(left.value());
            let is_done = read.as_ref().err().is_none_or(|error| {
                let path = error.path().to_string();
                !left.remove_invalid(if path == "." { "" } else { &path }, &error.inner().to_string())
            });
            match read {
                Ok(read) if left.errors.is_empty() => return Ok(read),
                _ if is_done => {
                    left.errors.sort_by_key(|wrong| wrong.span.as_ref().map(|span| span.start));
                    return Err(left.errors);
                }
                _ => {}
            }
        }
    }
}

/// A value from which invalid parts have been removed.
struct RemainingValue<'a> {
    at: &'a Located<'a>,
    /// Paths of the removed parts.
    removed: BTreeSet<String>,
    errors: Vec<DeserializeError>,
}

impl<'a> RemainingValue<'a> {
    fn new(at: &'a Located<'a>, without: &[&str]) -> RemainingValue<'a> {
        RemainingValue {
            at,
            removed: without.iter().map(|&name| name.to_owned()).collect(),
            errors: Vec::new(),
        }
    }

    fn value(&self) -> Value {
        self.of(self.at.node, "")
    }

    fn of(&self, node: &Node, path: &str) -> Value {
        let part = |step: &str, node: &Node| {
            let path = below(path, step);
            (!self.removed.contains(&path)).then(|| self.of(node, &path))
        };
        match &node.content {
            Content::Scalar(value) => value.clone(),
            Content::List(items) => {
                let items = items.iter().enumerate();
                items.filter_map(|(index, item)| part(&format!("[{index}]"), item)).collect()
            }
            Content::Object(fields) => {
                fields.iter().filter_map(|(name, node)| Some((name.clone(), part(name, node)?))).collect()
            }
        }
    }

    /// Records serde's error at a path of the remaining value, and removes that part too. Returns
    /// whether anything remains to be parsed.
    fn remove_invalid(&mut self, path: &str, message: &str) -> bool {
        let mut path = self.whole_path(path);
        let name = message.split('`').nth(1).unwrap_or_default();
        let is_unknown = message.starts_with("unknown field");
        if is_unknown && path.rsplit('.').next() != Some(name) {
            path = below(&path, name);
        }
        let part = below(&path, name);
        let is_in_part = |rest: &str| part.is_empty() || rest.is_empty() || rest.starts_with(['.', '[']);
        let is_consequence = self.removed.iter().any(|out| out.strip_prefix(&part).is_some_and(is_in_part));
        if self.errors.is_empty() || !is_consequence {
            let node = self.at.node.below(&path);
            let span = node.name.as_ref().filter(|_| is_unknown).or(node.span.as_ref()).cloned();
            self.errors.push(DeserializeError {
                span,
                path: self.at.below(&path),
                message: with_suggestion(message),
            });
        }
        let is_whole = path.is_empty();
        self.removed.insert(path) && !is_whole && self.errors.len() < MAX_ERRORS
    }

    /// Converts a path of the remaining value to a path of the whole value, in which list items have
    /// other indices.
    fn whole_path(&self, path: &str) -> String {
        let mut parts = path.split('[');
        let mut whole = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (number, rest) = part.split_once(']').unwrap_or((part, ""));
            let mut left = (0..).filter(|index| !self.removed.contains(&format!("{whole}[{index}]")));
            let index: usize = number.parse().ok().and_then(|number| left.nth(number)).unwrap_or(0);
            whole = format!("{whole}[{index}]{rest}");
        }
        whole
    }
}

/// Formats serde's message; if it lists the expected names, only the most similar one is suggested.
fn with_suggestion(message: &str) -> String {
    let (kind, rest) = message.split_once(" `").unwrap_or((message, ""));
    let what = match kind {
        "unknown field" => "field",
        "unknown variant" => "variant",
        _ => return message.to_owned(),
    };
    let Some((wrong, expected)) = rest.split_once("`, expected ") else { return message.to_owned() };
    // The names are in backticks.
    UnknownName::new(what, wrong, expected.split('`').skip(1).step_by(2)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Input, Reader};
    use serde::Deserialize;

    #[test]
    fn names_that_serde_lists_give_the_nearest() {
        let field = "unknown field `polices`, expected one of `study`, `title`, `policies`";
        assert_eq!(with_suggestion(field), "unknown field `polices`; did you mean `policies`?");
        let variant = "unknown variant `x`, expected `extend` or `kill`";
        assert_eq!(with_suggestion(variant), "unknown variant `x`; expected extend or kill");
        assert_eq!(with_suggestion("missing field `nodes`"), "missing field `nodes`");
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "it is not read to the end")]
    struct Cluster {
        #[serde(default)]
        title: String,
        nodes: Vec<Node>,
        #[serde(default)]
        ranges: Vec<(u32, u32)>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "it is not read to the end")]
    struct Node {
        name: String,
        cores: u32,
    }

    /// A value that is absent because it was removed as invalid is not a second error, and neither
    /// is a pair with one invalid number.
    #[test]
    fn all_that_serde_cannot_read_is_found() {
        let text = "titel = 'x'\nranges = [[1, 2], ['3', 4]]\n[[nodes]]\nname = 1\ncores = -1\n[[nodes]]\nname = 'a'\n\
            [[nodes]]\nname = 'b'\ncores = 2\ncolour = 3\n[[nodes]]\nname = 'c'\ncores = 'four'\n";
        let input = Input::toml("a.toml", text).unwrap();
        let mut reader = Reader::default();
        let read: Option<Cluster> = reader.parsed(&input.root());
        let faults = reader.finish(read).unwrap_err().0;
        let found: Vec<String> =
            faults.iter().map(|it| format!("{} {}: {}", it.line.unwrap(), it.path, it.message)).collect();
        assert_eq!(
            found,
            [
                "1 titel: unknown field `titel`; did you mean `title`?",
                "2 ranges[1][0]: invalid type: string \"3\", expected u32",
                "4 nodes[0].name: invalid type: integer `1`, expected a string",
                "5 nodes[0].cores: invalid value: integer `-1`, expected u32",
                "6 nodes[1]: missing field `cores`",
                "11 nodes[2].colour: unknown field `colour`; expected name or cores",
                "14 nodes[3].cores: invalid type: string \"four\", expected u32",
            ]
        );
        let read: Option<Cluster> =
            Reader::default().parsed_without(&input.root(), &["titel", "nodes", "ranges"]);
        assert!(read.is_none());
    }
}
