//! Parser of JSON.

use super::{Format, Input};
use crate::Members;
use crate::fault::{Fault, Faults};
use crate::tree::{Content, Fields, Node};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::ops::Range;

/// Maximum nesting depth of values. It is that of the JSON parser, which does not count the levels
/// that it skips.
const MAX_DEPTH: usize = 128;

impl Input {
    /// Parses JSON. `file` is the name in messages.
    ///
    /// # Errors
    ///
    /// The text is not JSON, or an object has a field twice: the first error.
    pub fn json(file: &str, text: &str) -> Result<Input, Faults> {
        Input::unchecked_json(file, text)?.checked()
    }

    /// Parses JSON whose texts may have control characters.
    pub(super) fn unchecked_json(file: &str, text: &str) -> Result<Input, Faults> {
        let source = Source { file, text };
        let root = source.parse(0, text).and_then(|whole| source.node(whole, 0))?;
        Ok(Input::new(file, text, root, Format::Json))
    }

    /// Parses JSON with one value per line into a list. Empty lines are skipped.
    ///
    /// # Errors
    ///
    /// All lines that are not JSON.
    pub fn json_lines(file: &str, text: &str) -> Result<Input, Faults> {
        let source = Source { file, text };
        let (mut items, mut faults) = (Vec::new(), Vec::new());
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let start = line.as_ptr() as usize - text.as_ptr() as usize;
            match source.parse(start, line).and_then(|value| source.node(value, 0)) {
                Ok(node) => items.push(node),
                Err(wrong) => faults.extend(wrong.0),
            }
        }
        let list = Input::new(file, text, Node::records(0, items), Format::Json);
        if faults.is_empty() { list.checked() } else { Err(Faults(faults)) }
    }
}

struct Source<'a> {
    file: &'a str,
    text: &'a str,
}

impl<'a> Source<'a> {
    fn span(&self, part: &RawValue) -> Range<usize> {
        let start = part.get().as_ptr() as usize - self.text.as_ptr() as usize;
        start..start + part.get().len()
    }

    /// Parses a part of the text that begins at `start`.
    fn parse<T: Deserialize<'a>>(&self, start: usize, part: &'a str) -> Result<T, Faults> {
        serde_json::from_str(part).map_err(|error| {
            let message = error.to_string();
            let message = format!("invalid JSON: {}", message.split(" at line ").next().unwrap_or_default());
            let ends = part.match_indices('\n').map(|(end, _)| end + 1);
            let line = [0].into_iter().chain(ends).nth(error.line().saturating_sub(1)).unwrap_or_default();
            self.fault(start + line + error.column().saturating_sub(1), message)
        })
    }

    fn fault(&self, at: usize, message: String) -> Faults {
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        let line = before.iter().filter(|&&byte| byte == b'\n').count();
        let column = before.iter().rev().take_while(|&&byte| byte != b'\n').count();
        Fault { line: Some(line + 1), column: Some(column + 1), ..Fault::of_file(self.file, message) }.into()
    }

    fn node(&self, raw: &'a RawValue, level: usize) -> Result<Node, Faults> {
        let span = self.span(raw);
        if level == MAX_DEPTH {
            return Err(self.fault(span.start, "invalid JSON: recursion limit exceeded".to_owned()));
        }
        let content = match raw.get().as_bytes().first() {
            Some(b'[') => {
                let items: Vec<&RawValue> = self.parse(span.start, raw.get())?;
                Content::List(
                    items.into_iter().map(|item| self.node(item, level + 1)).collect::<Result<_, _>>()?,
                )
            }
            Some(b'{') => {
                let Members::<&RawValue, &RawValue>(members) = self.parse(span.start, raw.get())?;
                let mut fields = Fields::new();
                for (key, value) in members {
                    let place = self.span(key);
                    let name: String = self.parse(place.start, key.get())?;
                    let node = Node { name: Some(place.clone()), ..self.node(value, level + 1)? };
                    if fields.contains_key(&name) {
                        return Err(self.fault(place.start, format!("duplicate field `{name}`")));
                    }
                    fields.insert(name, node);
                }
                Content::Object(fields)
            }
            _ => Content::Scalar(self.parse(span.start, raw.get())?),
        };
        Ok(Node { name: None, span: Some(span), content })
    }
}
