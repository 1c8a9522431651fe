//! Trees of values of any format, each with its position in the text.

use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Range;

/// Byte range in a text; `None` stands for the file as a whole.
pub type Span = Option<Range<usize>>;

/// A value with its position.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Position of its name, if it is a field.
    pub(crate) name: Span,
    pub(crate) span: Span,
    pub(crate) content: Content,
}

#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// A text, a number or a Boolean. `null` also stands for values that JSON cannot represent, such
    /// as a date.
    Scalar(Value),
    List(Vec<Node>),
    Object(Fields),
}

/// Fields of an object by name.
pub(crate) type Fields = BTreeMap<String, Node>;

impl Node {
    /// Creates a record of comma-separated values that begins at `start`.
    pub(crate) fn record<'a>(start: usize, cells: impl Iterator<Item = (&'a str, &'a str)>) -> Node {
        let node = |content| Node { name: None, span: Some(start..start), content };
        let cells = cells.map(|(column, cell)| (column.to_owned(), node(Content::Scalar(cell.into()))));
        node(Content::Object(cells.collect()))
    }

    /// Creates a list of records that begins at `start`.
    pub(crate) fn records(start: usize, records: Vec<Node>) -> Node {
        Node { name: None, span: Some(start..start), content: Content::List(records) }
    }

    /// Converts the value to JSON, without positions.
    pub(crate) fn to_value(&self) -> Value {
        match &self.content {
            Content::Scalar(value) => value.clone(),
            Content::List(items) => items.iter().map(Node::to_value).collect(),
            Content::Object(fields) => {
                fields.iter().map(|(name, node)| (name.clone(), node.to_value())).collect()
            }
        }
    }

    /// Returns all texts and names of fields, each with its position.
    pub(crate) fn texts(&self) -> Vec<(&Span, &str)> {
        let (mut texts, mut open) = (Vec::new(), vec![self]);
        while let Some(node) = open.pop() {
            match &node.content {
                Content::Scalar(Value::String(text)) => texts.push((&node.span, text.as_str())),
                Content::Scalar(_) => {}
                Content::List(items) => open.extend(items.iter().rev()),
                Content::Object(fields) => {
                    texts.extend(fields.iter().map(|(name, field)| (&field.name, name.as_str())));
                    open.extend(fields.values().rev());
                }
            }
        }
        texts
    }

    /// Replaces the control characters of all texts, other than tabs, by spaces. Names of fields stay.
    pub(crate) fn flatten(&mut self) {
        match &mut self.content {
            Content::Scalar(Value::String(text)) if text.contains(is_control) => {
                *text = text.replace(is_control, " ").trim_end().to_owned();
            }
            Content::Scalar(_) => {}
            Content::List(items) => items.iter_mut().for_each(Node::flatten),
            Content::Object(fields) => fields.values_mut().for_each(Node::flatten),
        }
    }

    fn is_named(&self, name: &str) -> bool {
        matches!(&self.content, Content::Object(fields)
            if matches!(fields.get("name"), Some(Node { content: Content::Scalar(own), .. }) if own == name))
    }

    /// Returns the descendant at a path such as `jobs[3].needs[0]` or `jobs.NAME.needs`, or at the
    /// last step of the path that exists.
    pub(crate) fn below(&self, path: &str) -> &Node {
        let mut node = self;
        for step in path.split(['.', '[']).filter(|step| !step.is_empty()) {
            let next = match (&node.content, step.strip_suffix(']')) {
                (Content::List(items), Some(index)) => {
                    index.parse().ok().and_then(|index: usize| items.get(index))
                }
                (Content::List(items), None) => items.iter().find(|item| item.is_named(step)),
                (Content::Object(fields), None) => fields.get(step),
                _ => None,
            };
            let Some(next) = next else { break };
            node = next;
        }
        node
    }
}

/// Returns true for a control character other than a tab.
pub(crate) fn is_control(letter: char) -> bool {
    letter.is_control() && letter != '\t'
}
