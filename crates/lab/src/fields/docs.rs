//! The documentation of fields, and its Markdown.

use std::fmt::Write as _;

/// A field, as its declaration has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldDoc {
    /// Its name in TOML.
    pub name: String,
    /// What it may be.
    pub shape: String,
    /// What its absence means.
    pub absent: Absent,
    /// What it is.
    pub doc: String,
    /// The fields of the tables in it.
    pub nested: Option<TableDoc>,
}

/// What the absence of a field means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absent {
    /// The field is required.
    Refused,
    /// This value, in TOML.
    Default(String),
    /// That there is no such thing.
    Unset,
    /// A table whose fields all have defaults.
    Defaults,
    /// That another of the alternatives is there.
    Alternative,
}

/// The documentation of fields exactly one of which must be given.
#[doc(hidden)]
pub fn alternatives(mut fields: Vec<FieldDoc>) -> Vec<FieldDoc> {
    for field in &mut fields {
        field.absent = Absent::Alternative;
    }
    fields
}

/// The fields of a nested table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableDoc {
    /// What goes behind the field's name in the heading of the table.
    pub heading: String,
    /// Whether there is a list of such tables.
    pub repeated: bool,
    /// What it is.
    pub doc: String,
    /// Its fields.
    pub fields: Vec<FieldDoc>,
}

/// Fields in Markdown: a table for them, and one for each nested table.
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
            Absent::Refused => "required".to_owned(),
            Absent::Default(value) => format!("`{value}`"),
            Absent::Unset => "none".to_owned(),
            Absent::Defaults => "defaults".to_owned(),
            Absent::Alternative => "one of them is required".to_owned(),
        };
        let cells = [format!("`{name}`"), shape.clone(), absent, doc.replace('\n', " ")];
        let cells = cells.map(|cell| cell.replace('|', "\\|"));
        writeln!(markdown, "| {} |", cells.join(" | ")).expect("a string takes all");
    }
    for field in fields {
        if let Some(TableDoc { heading, repeated, doc, fields }) = &field.nested {
            let path = format!("{path}{}{heading}", field.name);
            let header = if *repeated { format!("[[{path}]]") } else { format!("[{path}]") };
            let doc = doc.replace('\n', " ");
            writeln!(markdown, "\n### `{header}`\n\n{doc}\n").expect("a string takes all");
            write_table(markdown, fields, &format!("{path}."));
        }
    }
}
