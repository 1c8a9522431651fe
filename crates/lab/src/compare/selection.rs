//! Which variants are compared.

use super::CompareOptions;
use crate::column::{Kind, Role};
use crate::data::DataFrame;
use crate::fields::{nearest, unknown};
use std::path::Path;

/// A value of a variant column.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Selection {
    pub(super) column: usize,
    value: String,
}

/// What is taken from A and from B.
pub(super) struct Sides {
    of_a: Vec<Selection>,
    of_b: Vec<Selection>,
    /// Where B was selected apart from A.
    pub(super) with: Vec<Selection>,
}

impl Sides {
    /// Looks the options up in the rows of both.
    ///
    /// # Errors
    /// With a message, if a value is not there.
    pub(super) fn new(
        (a, folder_a): (&DataFrame, &Path),
        (b, folder_b): (&DataFrame, &Path),
        options: &CompareOptions,
    ) -> Result<Sides, String> {
        let in_folder = |folder: &Path, message: String| format!("{}: {message}", folder.display());
        let select = |frame: &DataFrame, folder: &Path, texts: &[String]| {
            let each = texts.iter().map(|text| find(frame, text));
            let selections: Vec<Selection> =
                each.collect::<Result<_, _>>().map_err(|message| in_folder(folder, message))?;
            for (at, Selection { column, .. }) in selections.iter().enumerate() {
                if selections[..at].iter().any(|known| known.column == *column) {
                    return Err(format!("`{}` is given twice", frame.columns()[*column].name));
                }
            }
            Ok(selections)
        };
        let of_a = select(a, folder_a, &options.variant)?;
        let with = select(b, folder_b, &options.with)?;
        let mut of_b = with.clone();
        for own in &of_a {
            if !with.iter().any(|selection| selection.column == own.column) {
                let value = format!("{}={}", a.columns()[own.column].name, own.value);
                of_b.extend(select(b, folder_b, &[value])?);
            }
        }
        Ok(Sides { of_a, of_b, with })
    }
    pub(super) fn takes_a(&self, frame: &DataFrame, row: usize) -> bool {
        self.of_a.iter().all(|selection| frame.text(row, selection.column) == selection.value)
    }
    pub(super) fn takes_b(&self, frame: &DataFrame, row: usize) -> bool {
        self.of_b.iter().all(|selection| frame.text(row, selection.column) == selection.value)
    }
}

/// The variant column that has this value, or the one that is named in front of it.
fn find(frame: &DataFrame, text: &str) -> Result<Selection, String> {
    let columns = frame.with_role(&[Role::Variant]);
    let name = |column: usize| frame.columns()[column].name;
    let values = |column: usize| frame.distinct(column, 0..frame.len());
    let plain: Vec<Selection> =
        columns.iter().filter_map(|&column| value(frame, column, &values(column), text)).collect();
    match (plain.as_slice(), text.split_once('=')) {
        ([found], _) => Ok(found.clone()),
        ([first, .., last], _) => Err(format!(
            "`{text}` is a value of `{}` and of `{}`; say which: {}={text}",
            name(first.column),
            name(last.column),
            name(first.column)
        )),
        ([], Some((wanted, after))) if columns.iter().any(|&column| name(column) == wanted) => {
            let column =
                columns.iter().copied().find(|&column| name(column) == wanted).expect("it was found");
            let known = values(column);
            value(frame, column, &known, after)
                .ok_or_else(|| unknown(name(column), after, known.iter().map(String::as_str)))
        }
        ([], Some((wanted, _))) if nearest(wanted, columns.iter().map(|&column| name(column))).is_some() => {
            Err(unknown("column", wanted, columns.iter().map(|&column| name(column)).collect::<Vec<_>>()))
        }
        ([], _) => {
            let known: Vec<String> = columns.iter().flat_map(|&column| values(column)).collect();
            Err(unknown("variant", text, known.iter().map(String::as_str)))
        }
    }
}

/// The value of the column that a text means: numbers may be written in other ways than in the rows.
fn value(frame: &DataFrame, column: usize, known: &[String], text: &str) -> Option<Selection> {
    let number = |text: &str| text.parse::<f64>().ok();
    let is_meant = |value: &&String| match frame.columns()[column].kind {
        Kind::Text | Kind::Boolean => *value == text,
        Kind::Integer | Kind::Number => number(text).is_some() && number(value) == number(text),
    };
    known.iter().find(is_meant).map(|value| Selection { column, value: value.clone() })
}
