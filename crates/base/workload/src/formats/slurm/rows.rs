//! Rows to which layouts are converted.

/// Delimiter of converted rows, which no field has.
pub(super) const SEPARATOR: char = '\u{1f}';

/// An error of a layout, with its line.
pub(super) type LayoutError = (u64, String);

/// Adds a row to converted ones, at the line that it has in the text.
pub(super) fn push_row<'a>(
    rows: &mut String,
    lines: &mut u64,
    line: u64,
    fields: impl Iterator<Item = &'a str>,
) {
    while *lines + 1 < line {
        rows.push('\n');
        *lines += 1;
    }
    for (place, field) in fields.enumerate() {
        if place > 0 {
            rows.push(SEPARATOR);
        }
        rows.extend(field.chars().map(|letter| if letter.is_control() { ' ' } else { letter }));
    }
    rows.push('\n');
    *lines += 1;
}
