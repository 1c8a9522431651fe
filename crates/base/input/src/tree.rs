//! Values of any format, each with its place in the text.

use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Range;

/// Bytes of a text; `None` is the file as a whole.
pub type Span = Option<Range<usize>>;

/// A value and its place.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The place of its name, if it is a field.
    pub(crate) name: Span,
    pub(crate) span: Span,
    pub(crate) content: Content,
}

#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// A text, a number or a truth value; `null` is also what JSON has no way to write, such as a date.
    Scalar(Value),
    List(Vec<Node>),
    Object(Fields),
}

/// The fields of an object by name.
pub(crate) type Fields = BTreeMap<String, Node>;

impl Node {
    /// A record of comma-separated values that begins here.
    pub(crate) fn record<'a>(start: usize, cells: impl Iterator<Item = (&'a str, &'a str)>) -> Node {
        let node = |content| Node { name: None, span: Some(start..start), content };
        let cells = cells.map(|(column, cell)| (column.to_owned(), node(Content::Scalar(cell.into()))));
        node(Content::Object(cells.collect()))
    }

    /// A list of records that begins here.
    pub(crate) fn records(start: usize, records: Vec<Node>) -> Node {
        Node { name: None, span: Some(start..start), content: Content::List(records) }
    }

    /// The value without its places.
    pub(crate) fn to_value(&self) -> Value {
        match &self.content {
            Content::Scalar(value) => value.clone(),
            Content::List(items) => items.iter().map(Node::to_value).collect(),
            Content::Object(fields) => {
                fields.iter().map(|(name, node)| (name.clone(), node.to_value())).collect()
            }
        }
    }

    fn is_named(&self, name: &str) -> bool {
        matches!(&self.content, Content::Object(fields)
            if matches!(fields.get("name"), Some(Node { content: Content::Scalar(own), .. }) if own == name))
    }

    /// The value at a path such as `jobs[3].needs[0]` or `jobs.NAME.needs` below this one, or that of the last part of the path
    /// that is there.
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
