//! Selection of the variants to compare.

use super::CompareOptions;
use crate::column::{Kind, Role};
use crate::data::DataFrame;
use crate::fields::{nearest, unknown};
use std::path::Path;

/// A selected value of a variant column.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Selection {
    pub(super) column: usize,
    value: String,
}

/// Selected variants of A and B.
pub(super) struct SelectedVariants {
    of_a: Vec<Selection>,
    of_b: Vec<Selection>,
    /// Selections of B that differ from those of A.
    pub(super) with: Vec<Selection>,
}

impl SelectedVariants {
    /// Resolves the options against the rows of both results.
    ///
    /// # Errors
    /// Returns a message if a value does not exist.
    pub(super) fn new(
        (a, folder_a): (&DataFrame, &Path),
        (b, folder_b): (&DataFrame, &Path),
        options: &CompareOptions,
    ) -> Result<SelectedVariants, String> {
        let in_folder = |folder: &Path, message: String| format!("{}: {message}", folder.display());
        let select = |frame: &DataFrame, folder: &Path, texts: &[String]| {
            let each = texts.iter().map(|text| find_selection(frame, text));
            let selections: Vec<Selection> =
                each.collect::<Result<_, _>>().map_err(|message| in_folder(folder, message))?;
            for (at, Selection { column, .. }) in selections.iter().enumerate() {
                if selections[..at].iter().any(|known| known.column == *column) {
                    return Err(format!("`{}` is selected twice", frame.columns()[*column].name));
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
        Ok(SelectedVariants { of_a, of_b, with })
    }
    pub(super) fn selects_a(&self, frame: &DataFrame, row: usize) -> bool {
        self.of_a.iter().all(|selection| frame.text(row, selection.column) == selection.value)
    }
    pub(super) fn selects_b(&self, frame: &DataFrame, row: usize) -> bool {
        self.of_b.iter().all(|selection| frame.text(row, selection.column) == selection.value)
    }
}

/// Finds the variant column that has this value, or the column that is named before the `=`.
fn find_selection(frame: &DataFrame, text: &str) -> Result<Selection, String> {
    let columns = frame.with_role(&[Role::Variant]);
    let name = |column: usize| frame.columns()[column].name;
    let values = |column: usize| frame.distinct(column, 0..frame.len());
    let plain: Vec<Selection> =
        columns.iter().filter_map(|&column| select_value(frame, column, &values(column), text)).collect();
    match (plain.as_slice(), text.split_once('=')) {
        ([found], _) => Ok(found.clone()),
        ([first, .., last], _) => Err(format!(
            "`{text}` is a value of both `{}` and `{}`; name the column, for example {}={text}",
            name(first.column),
            name(last.column),
            name(first.column)
        )),
        ([], Some((wanted, after))) if columns.iter().any(|&column| name(column) == wanted) => {
            let column = columns
                .iter()
                .copied()
                .find(|&column| name(column) == wanted)
                .expect("the guard has found this column");
            let known = values(column);
            select_value(frame, column, &known, after)
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

/// Finds the value of the column that equals the text; numbers are compared by value.
fn select_value(frame: &DataFrame, column: usize, known: &[String], text: &str) -> Option<Selection> {
    let number = |text: &str| text.parse::<f64>().ok();
    let is_meant = |value: &&String| match frame.columns()[column].kind {
        Kind::Text | Kind::Boolean => *value == text,
        Kind::Integer | Kind::Number => number(text).is_some() && number(value) == number(text),
    };
    known.iter().find(is_meant).map(|value| Selection { column, value: value.clone() })
}
