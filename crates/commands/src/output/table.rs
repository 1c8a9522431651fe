//! Tables as text.

/// Formats rows below a heading: the first column and columns of words are aligned to the left,
/// numbers to the right. Columns in which all cells are empty are omitted.
pub(crate) fn table<const N: usize>(heading: [&str; N], lines: impl Iterator<Item = [String; N]>) -> String {
    let lines: Vec<[String; N]> = lines.collect();
    let width = |cells: &dyn Fn(&[String; N]) -> usize| lines.iter().map(cells).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(|column| {
        width(&|line| line[column].chars().count()).max(heading[column].chars().count())
    });
    let is_number = |cell: &String| cell.starts_with(|letter: char| letter.is_ascii_digit() || letter == '-');
    let are_numbers: [bool; N] =
        std::array::from_fn(|column| column > 0 && lines.iter().map(|line| &line[column]).any(is_number));
    let is_shown = |column: &usize| lines.is_empty() || lines.iter().any(|line| !line[*column].is_empty());
    let shown: Vec<usize> = (0..N).filter(is_shown).collect();
    let mut text = String::new();
    for line in std::iter::once(heading.map(str::to_owned)).chain(lines) {
        let cells = shown.iter().map(|&at| {
            let (cell, width) = (&line[at], widths[at]);
            if are_numbers[at] { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}
