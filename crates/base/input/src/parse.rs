//! What serde makes of values, with all that is wrong.

use crate::located::{Located, below};
use crate::named::UnknownName;
use crate::tree::{Content, Node, Span};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeSet;

/// This many faults are looked for, each by reading all again.
const MOST_FAULTS: usize = 100;

/// Why serde cannot read a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misread {
    /// Where.
    pub span: Span,
    /// The field.
    pub path: String,
    /// The fault, and what was expected.
    pub message: String,
}

impl Located<'_> {
    /// Returns what serde makes of the value.
    ///
    /// # Errors
    /// All that is wrong, in the order of the file, with the nearest name where one is unknown.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, Vec<Misread>> {
        self.parse_without(&[])
    }

    /// The same of an object without these fields.
    ///
    /// # Errors
    /// As for [`Located::parse`].
    pub fn parse_without<T: DeserializeOwned>(&self, fields: &[&str]) -> Result<T, Vec<Misread>> {
        let mut left = Left::new(self, fields);
        loop {
            let read = serde_path_to_error::deserialize(left.value());
            let is_done = read.as_ref().err().is_none_or(|error| {
                let path = error.path().to_string();
                !left.refuse(if path == "." { "" } else { &path }, &error.inner().to_string())
            });
            match read {
                Ok(read) if left.wrong.is_empty() => return Ok(read),
                _ if is_done => {
                    left.wrong.sort_by_key(|wrong| wrong.span.as_ref().map(|span| span.start));
                    return Err(left.wrong);
                }
                _ => {}
            }
        }
    }
}

/// A value of which some parts are left out.
struct Left<'a> {
    at: &'a Located<'a>,
    /// The paths of these parts.
    out: BTreeSet<String>,
    wrong: Vec<Misread>,
}

impl<'a> Left<'a> {
    fn new(at: &'a Located<'a>, without: &[&str]) -> Left<'a> {
        Left { at, out: without.iter().map(|&name| name.to_owned()).collect(), wrong: Vec::new() }
    }

    fn value(&self) -> Value {
        self.of(self.at.node, "")
    }

    fn of(&self, node: &Node, path: &str) -> Value {
        let part = |step: &str, node: &Node| {
            let path = below(path, step);
            (!self.out.contains(&path)).then(|| self.of(node, &path))
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

    /// Notes what serde says of a path in what is left, and leaves that out too. Returns whether anything is left to be read.
    fn refuse(&mut self, path: &str, message: &str) -> bool {
        let mut path = self.whole_path(path);
        let name = message.split('`').nth(1).unwrap_or_default();
        let is_unknown = message.starts_with("unknown field");
        if is_unknown && path.rsplit('.').next() != Some(name) {
            path = below(&path, name);
        }
        let part = below(&path, name);
        let is_in_part = |rest: &str| part.is_empty() || rest.is_empty() || rest.starts_with(['.', '[']);
        let is_consequence = self.out.iter().any(|out| out.strip_prefix(&part).is_some_and(is_in_part));
        if self.wrong.is_empty() || !is_consequence {
            let node = self.at.node.below(&path);
            let span = node.name.as_ref().filter(|_| is_unknown).or(node.span.as_ref()).cloned();
            self.wrong.push(Misread { span, path: self.at.below(&path), message: explained(message) });
        }
        let is_whole = path.is_empty();
        self.out.insert(path) && !is_whole && self.wrong.len() < MOST_FAULTS
    }

    /// The path in the whole value of a path in what is left, where items of lists have other numbers.
    fn whole_path(&self, path: &str) -> String {
        let mut parts = path.split('[');
        let mut whole = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (number, rest) = part.split_once(']').unwrap_or((part, ""));
            let mut left = (0..).filter(|index| !self.out.contains(&format!("{whole}[{index}]")));
            let index: usize = number.parse().ok().and_then(|number| left.nth(number)).unwrap_or(0);
            whole = format!("{whole}[{index}]{rest}");
        }
        whole
    }
}

/// Serde's message, with the nearest right name where it lists names.
fn explained(message: &str) -> String {
    let (kind, rest) = message.split_once(" `").unwrap_or((message, ""));
    let what = match kind {
        "unknown field" => "field",
        "unknown variant" => "variant",
        _ => return message.to_owned(),
    };
    let Some((wrong, expected)) = rest.split_once("`, expected ") else { return message.to_owned() };
    // The names are between backticks.
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
        assert_eq!(explained(field), "unknown field `polices`; did you mean `policies`?");
        let variant = "unknown variant `x`, expected `extend` or `kill`";
        assert_eq!(explained(variant), "unknown variant `x`; expected extend or kill");
        assert_eq!(explained("missing field `nodes`"), "missing field `nodes`");
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

    /// What is missing because it was wrong is no fault of its own, and neither is a pair of which one number was wrong.
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
