//! Files with planted faults.

use dfrsim_audit::{AuditError, Report};

/// A change of a file.
pub(crate) enum Do {
    /// In a line, a part that must be there becomes another one.
    Edit(usize, &'static str, &'static str),
    Insert(usize, &'static str),
    Delete(usize),
    /// A line goes to another place.
    Move(usize, usize),
}
use Do::{Delete, Edit, Insert, Move};

/// The text of a file with some changes, one after the other; lines are numbered from 1.
pub(crate) fn changed(lines: &[&str], changes: &[Do]) -> String {
    let mut lines: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
    for change in changes {
        match *change {
            Edit(line, from, to) => {
                assert!(lines[line - 1].contains(from), "line {line} has no {from}");
                lines[line - 1] = lines[line - 1].replacen(from, to, 1);
            }
            Insert(line, text) => lines.insert(line - 1, text.to_owned()),
            Delete(line) => _ = lines.remove(line - 1),
            Move(line, to) => {
                let text = lines.remove(line - 1);
                lines.insert(to - 1, text);
            }
        }
    }
    lines.join("\n") + "\n"
}

pub(crate) fn first(result: Result<Report, AuditError>) -> String {
    match result {
        Err(AuditError::Faults(faults)) => faults.shown()[0].to_string(),
        other => panic!("{other:?}"),
    }
}
