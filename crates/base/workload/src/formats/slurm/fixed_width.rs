//! Listings with columns of fixed widths: the default of `sacct`, for eyes. Longer values are cut,
//! which a `+` at their end shows.

use super::columns::Column;
use super::forms::column_beginning_with;
use super::rows::{LayoutError, push_row};
use std::ops::Range;

/// Maximum number of lines above the dashes: the names, and the command that was entered.
const MAX_ABOVE: usize = 6;

/// Returns the index of the line of dashes below the names of the columns; `None` if there is none.
pub(super) fn line_of_widths(text: &str) -> Option<usize> {
    let is_widths =
        |line: &str| line.contains("---") && line.trim_end().bytes().all(|byte| matches!(byte, b'-' | b' '));
    text.lines().take(MAX_ABOVE).position(is_widths).filter(|&at| at > 0)
}

/// Converts a listing.
///
/// # Errors
///
/// The columns whose values are cut, unless a cut value is as good as a whole one.
pub(super) fn rows(text: &str) -> Result<String, LayoutError> {
    let Some(at) = line_of_widths(text) else { return Err((1, "expected a line of dashes".to_owned())) };
    let all: Vec<&str> = text.lines().collect();
    let ranges = ranges(all[at]);
    let names: Vec<&str> =
        cells(all[at - 1], &ranges).map(|name| column_beginning_with(name).unwrap_or(name)).collect();
    let (mut rows, mut lines) = (String::with_capacity(text.len()), 0);
    push_row(&mut rows, &mut lines, at as u64, names.iter().copied());
    // Line and example of the first cut value of each column.
    let mut cut: Vec<Option<(usize, &str)>> = vec![None; names.len()];
    for (number, line) in (1..).zip(&all).skip(at + 1).filter(|(_, line)| !line.trim().is_empty()) {
        if *line == all[at] || *line == all[at - 1] {
            continue;
        }
        let is_step = cells(line, &ranges).next().is_some_and(|id| id.contains('.'));
        for (place, cell) in cells(line, &ranges).enumerate() {
            if !is_step && cell.ends_with('+') && cell.len() >= ranges[place].len() {
                cut[place].get_or_insert((number, cell));
            }
        }
        push_row(&mut rows, &mut lines, number as u64, cells(line, &ranges));
    }
    let is_needed = |name: &str| {
        Column::ALL.iter().any(|column| {
            column.name() == name && !matches!(column, Column::JobName | Column::State | Column::Suspended)
        })
    };
    let needed: Vec<_> = names.iter().zip(&cut).filter(|(name, _)| is_needed(name)).collect();
    let Some(first) = needed.iter().filter_map(|(_, cut)| **cut).min() else { return Ok(rows) };
    let found = needed.iter().filter_map(|(name, cut)| Some(format!("{name} (`{}`)", (**cut)?.1)));
    let found: Vec<String> = found.collect();
    Err((
        first.0 as u64,
        format!(
            "its columns have fixed widths, and values are cut in {}; list it again with --parsable2",
            found.join(", ")
        ),
    ))
}

/// Returns the bytes of each column.
fn ranges(dashes: &str) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (at, _) in dashes.bytes().enumerate().filter(|(_, byte)| *byte == b'-') {
        match ranges.last_mut().filter(|last| last.end == at) {
            Some(last) => last.end = at + 1,
            None => ranges.push(at..at + 1),
        }
    }
    ranges
}

/// Iterates over the values of a line without surrounding blanks.
fn cells<'a>(line: &'a str, ranges: &[Range<usize>]) -> impl Iterator<Item = &'a str> {
    let boundary = |at: usize| (at..=line.len()).find(|&at| line.is_char_boundary(at)).unwrap_or(line.len());
    ranges.iter().map(move |range| line[boundary(range.start)..boundary(range.end)].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTING: &str = "\
JobID           JobName  Partition      State              Submit TimelimitR
------------ ---------- ---------- ---------- ------------------- ----------
7            a long na+        cpu OUT_OF_ME+ 2026-04-01T09:00:00         60
7.batch           batch            COMPLETED  2026-04-01T09:00:00           
";

    #[test]
    fn columns_have_the_widths_of_the_dashes() {
        let rows = rows(&format!("$ sacct\n{LISTING}")).unwrap();
        let lines: Vec<Vec<&str>> = rows.lines().map(|line| line.split('\u{1f}').collect()).collect();
        assert_eq!(lines[1], ["JobID", "JobName", "Partition", "State", "Submit", "TimelimitRaw"]);
        assert_eq!(lines[3], ["7", "a long na+", "cpu", "OUT_OF_ME+", "2026-04-01T09:00:00", "60"]);
        assert_eq!((lines.len(), lines[2].as_slice(), lines[4][0]), (5, &[""][..], "7.batch"));
    }

    #[test]
    fn cut_values_are_refused() {
        let text = LISTING.replace("       cpu", "long_part+");
        let (line, reason) = rows(&text).unwrap_err();
        assert_eq!(line, 3);
        assert_eq!(
            reason,
            "its columns have fixed widths, and values are cut in Partition (`long_part+`); list it again with --parsable2"
        );
    }
}
