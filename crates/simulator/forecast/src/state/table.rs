//! Tables with a heading: the output of `squeue`, and of `sacct --parsable2`.

use super::{Fault, Field};

/// Fields of a job, with the line.
pub(super) type StateRow = (usize, Vec<(Field, String)>);

/// Reads a table whose columns are separated by `|`, or by blanks.
pub(super) fn rows(text: &str, faults: &mut Vec<Fault>) -> Vec<StateRow> {
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let Some((_, heading)) = lines.next() else { return Vec::new() };
    let is_delimited = heading.contains('|');
    let split = |line: &str| -> Vec<String> {
        match is_delimited {
            true => line.split('|').map(|cell| cell.trim().to_owned()).collect(),
            false => line.split_whitespace().map(str::to_owned).collect(),
        }
    };
    let columns: Vec<Option<Field>> = split(heading).iter().map(|name| name.parse().ok()).collect();
    if !columns.contains(&Some(Field::Limit)) {
        let message = "expected a column with the time limit (TIME_LIMIT or Timelimit); `squeue --format` lists it with %l";
        faults.push(Fault { place: 1, job: None, message: message.to_owned() });
        return Vec::new();
    }
    let mut rows = Vec::new();
    for (place, line) in lines {
        let mut cells = split(line);
        // The reason at the end of a line of `squeue` may have blanks.
        if !is_delimited && cells.len() > columns.len() {
            let rest = cells.split_off(columns.len() - 1).join(" ");
            cells.push(rest);
        }
        if cells.len() != columns.len() {
            let message = format!("expected {} columns, found {}", columns.len(), cells.len());
            faults.push(Fault { place, job: None, message });
            continue;
        }
        let known = columns.iter().zip(cells).filter_map(|(field, cell)| Some(((*field)?, cell)));
        rows.push((place, known.filter(|(_, cell)| !cell.is_empty()).collect()));
    }
    rows
}
