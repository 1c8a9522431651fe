//! Jobs in the system, read with a listing of those of the past.

use super::columns::{Column, Columns};
use crate::log::{Faults, LogError, Problem};
use rustc_hash::FxHashSet;

/// Job in the system: values by the names of the columns of `sacct`.
pub type PresentJob = Vec<(&'static str, String)>;

/// Returns a listing with lines for jobs in the system; lines of the listing about the same jobs are
/// left out; their jobs are counted. The listing gets the columns that it lacks.
///
/// # Errors
///
/// [`LogError::Faults`] if the text is no output of `sacct --parsable2`.
pub(super) fn with_present(text: &str, file: &str, jobs: &[PresentJob]) -> Result<(String, usize), LogError> {
    let mut lines = text.lines().skip_while(|line| line.trim().is_empty());
    let header = lines.next().unwrap_or_default().trim_end_matches('|');
    let columns = match header.contains('|').then(|| Columns::parse(header)) {
        Some(Ok(columns)) => columns,
        other => {
            let mut faults = Faults::new(file);
            let reason =
                other.and_then(Result::err).unwrap_or_else(|| "the first line has no `|`".to_owned());
            faults.push(1, Problem::Syntax { format: "a listing of `sacct --parsable2`", reason });
            return Err(faults.into());
        }
    };
    let names: FxHashSet<&str> =
        jobs.iter().flatten().filter(|(name, _)| *name == "JobIDRaw").map(|(_, value)| &**value).collect();
    let has = |name: &str| columns.names().iter().any(|known| known.eq_ignore_ascii_case(name));
    let lacking: Vec<&str> = match jobs.first() {
        Some(job) => job.iter().map(|(name, _)| *name).filter(|name| !has(name)).collect(),
        None => Vec::new(),
    };
    let mut merged = [&[header][..], &lacking].concat().join("|");
    merged.push('\n');
    let mut same = 0;
    for line in lines {
        let line = line.trim_end_matches('\r');
        let row = columns.row(line).ok();
        let id = row.as_ref().and_then(|row| row.first(&[Column::JobIdRaw, Column::JobId]));
        let id = id.map_or("", |(_, id)| id);
        let job = id.split('.').next().unwrap_or_default();
        if names.contains(job) {
            same += usize::from(job == id);
            continue;
        }
        merged += line;
        for name in &lacking {
            merged.push('|');
            // An id is never empty where the fields of a line are found by their forms.
            merged += if *name == Column::JobIdRaw.name() { id } else { "" };
        }
        merged.push('\n');
    }
    for job in jobs {
        let all = columns.names().iter().map(String::as_str).chain(lacking.iter().copied());
        let value = |name: &str| {
            let found = job.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
            found.map_or("", |(_, value)| value)
        };
        merged += &all.map(value).collect::<Vec<&str>>().join("|");
        merged.push('\n');
    }
    Ok((merged, same))
}
