//! Fields with line breaks, such as the line of a command with a script in `--wrap`.

use super::columns::Columns;

/// Maximum number of lines of a field.
const MAX_LINES: usize = 200;
/// Maximum number of lines that are parts of no row; a listing with more of them is broken otherwise.
const MAX_PARTS: usize = 20;

/// Joins the lines of fields with line breaks, which `sacct` does not escape. Returns the text with
/// blank lines in place of those that were joined to another one, and their number; `None` if there
/// are none.
pub(super) fn joined_lines(text: &str, columns: &Columns) -> Option<(String, u64)> {
    let is_short = |line: &&str| !line.trim().is_empty() && columns.lacks_fields(line);
    text.lines().find(is_short)?;
    let lines: Vec<&str> = text.lines().collect();
    let mut rows: Vec<String> = Vec::with_capacity(lines.len());
    let (mut at, mut joined, mut parts, mut last_row) = (0, 0, 0, None);
    while at < lines.len() {
        let line = lines[at];
        let end = if is_short(&line) { end_of_row(&lines, at, columns) } else { Some(at + 1) };
        match (end, last_row) {
            (Some(end), _) => {
                if !line.trim().is_empty() {
                    last_row = Some(rows.len());
                }
                rows.push(lines[at..end].join(" "));
                rows.resize(rows.len() + end - at - 1, String::new());
                joined += end - at - 1;
                at = end;
            }
            // The rest of the last field of the line above.
            (None, Some(row)) if columns.ends_with_free_text() => {
                rows[row].push(' ');
                rows[row].push_str(line);
                rows.push(String::new());
                joined += 1;
                at += 1;
            }
            (None, _) => {
                parts += 1;
                if parts > MAX_PARTS {
                    return None;
                }
                rows.push(line.to_owned());
                at += 1;
            }
        }
    }
    (joined > 0).then(|| (rows.join("\n"), joined as u64))
}

/// Returns the index after the lines from `at` that together are a row; `None` if there are none.
fn end_of_row(lines: &[&str], at: usize, columns: &Columns) -> Option<usize> {
    let mut row = lines[at].to_owned();
    for (place, line) in lines.iter().enumerate().skip(at + 1).take(MAX_LINES) {
        if columns.row(line).is_ok() {
            return None;
        }
        row.push(' ');
        row.push_str(line);
        if columns.row(&row).is_ok() {
            return Some(place + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMES: &str = "2026-03-01T09:00:00|2026-03-01T09:00:00|2026-03-01T09:10:00";

    #[test]
    fn line_breaks_within_a_field_are_no_new_rows() {
        let header = "JobID|SubmitLine|State|Submit|Start|End";
        let columns = Columns::parse(header).unwrap();
        let row = |id: u32, submission: &str| format!("{id}|{submission}|COMPLETED|{TIMES}\n");
        let text = format!(
            "{header}\n{}{}{}",
            row(1, "sbatch a"),
            row(2, "sbatch --wrap if x\nthen\n a | b\nfi"),
            row(3, "")
        );
        let (joined, lines) = joined_lines(&text, &columns).unwrap();
        let expected = format!(
            "{header}\n{}{}\n\n\n{}",
            row(1, "sbatch a"),
            row(2, "sbatch --wrap if x then  a | b fi"),
            row(3, "")
        );
        assert_eq!((joined + "\n", lines), (expected, 3));
        assert_eq!(joined_lines(&format!("{header}\n{}", row(1, "")), &columns), None);
        assert_eq!(joined_lines(&format!("{header}\n1|sbatch\n{}", row(2, "")), &columns), None);
    }

    #[test]
    fn line_breaks_in_the_last_field_belong_to_the_line_above() {
        let header = "JobID|State|Submit|Start|End|SubmitLine";
        let columns = Columns::parse(header).unwrap();
        let text =
            format!("{header}\n1|COMPLETED|{TIMES}|sbatch --wrap a\n b|c\n2|COMPLETED|{TIMES}|sbatch\n");
        let (joined, lines) = joined_lines(&text, &columns).unwrap();
        let expected =
            format!("{header}\n1|COMPLETED|{TIMES}|sbatch --wrap a  b|c\n\n2|COMPLETED|{TIMES}|sbatch");
        assert_eq!((joined, lines), (expected, 1));
    }
}
