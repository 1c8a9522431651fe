//! Documentation of fields, and its output as Markdown.

use std::fmt::Write as _;

/// Documentation of a declared field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldDoc {
    /// Name in TOML.
    pub name: String,
    /// Expected type and range.
    pub shape: String,
    /// Meaning of an absent field.
    pub absent: Absent,
    /// Text of the doc comment.
    pub doc: String,
    /// Fields of the tables in the value.
    pub nested: Option<TableDoc>,
}

/// Meaning of an absent field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absent {
    /// An error: the field is required.
    Required,
    /// The default value, in TOML.
    Default(String),
    /// No value.
    Unset,
    /// A table whose fields all have defaults.
    Defaults,
    /// One of the alternative fields is given instead.
    Alternative,
}

/// Marks fields as alternatives, exactly one of which must be given.
#[doc(hidden)]
pub fn alternatives(mut fields: Vec<FieldDoc>) -> Vec<FieldDoc> {
    for field in &mut fields {
        field.absent = Absent::Alternative;
    }
    fields
}

/// Documentation of a nested table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableDoc {
    /// Text that follows the field's name in the heading of the table.
    pub heading: String,
    /// True if the field is a list of such tables.
    pub repeated: bool,
    /// Text of the doc comment.
    pub doc: String,
    /// Fields of the table.
    pub fields: Vec<FieldDoc>,
}

/// Formats fields as Markdown: one table for them, and one for each nested table.
pub(super) fn markdown(fields: &[FieldDoc]) -> String {
    let mut markdown = String::new();
    write_table(&mut markdown, fields, "");
    markdown
}

fn write_table(markdown: &mut String, fields: &[FieldDoc], path: &str) {
    markdown.push_str("| field | value | if absent | meaning |\n|---|---|---|---|\n");
    for field in fields {
        let FieldDoc { name, shape, absent, doc, .. } = field;
        let absent = match absent {
            Absent::Required => "required".to_owned(),
            Absent::Default(value) => format!("`{value}`"),
            Absent::Unset => "none".to_owned(),
            Absent::Defaults => "defaults".to_owned(),
            Absent::Alternative => "one of them is required".to_owned(),
        };
        let cells = [format!("`{name}`"), shape.clone(), absent, doc.replace('\n', " ")];
        let cells = cells.map(|cell| cell.replace('|', "\\|"));
        writeln!(markdown, "| {} |", cells.join(" | ")).expect("writing to a string cannot fail");
    }
    for field in fields {
        if let Some(TableDoc { heading, repeated, doc, fields }) = &field.nested {
            let path = format!("{path}{}{heading}", field.name);
            let header = if *repeated { format!("[[{path}]]") } else { format!("[{path}]") };
            let doc = doc.replace('\n', " ");
            writeln!(markdown, "\n### `{header}`\n\n{doc}\n").expect("writing to a string cannot fail");
            write_table(markdown, fields, &format!("{path}."));
        }
    }
}
