//! AccaSim's dispatching plans: a line for each completed job.
//!
//! Fields are separated by semicolons, which also separate the nodes and resources of the job. These
//! are between two texts `__`, and are one field here.
//!
//! Source: AccaSim 1.1, `SCHEDULE_OUTPUT` in `accasim/utils/misc.py`.

use super::cell::{Cell, Rows, places};
use super::path::Path;
use crate::log::Problem;
use std::borrow::Cow;

/// Fields before the nodes of the job.
const BEFORE: [&str; 3] = ["job_id", "user", "queue_time"];
/// Fields behind the nodes of the job.
const BEHIND: [&str; 6] =
    ["start_time", "end_time", "total_nodes", "total_cpu", "total_mem", "expected_duration"];

/// Splits a line into fields; `None` if one is absent.
fn fields_of(line: &str) -> Option<Vec<&str>> {
    let (before, rest) = line.split_once("__")?;
    let (nodes, behind) = rest.rsplit_once("__")?;
    let before: Vec<&str> = before.split(';').collect();
    let behind: Vec<&str> = behind.trim_end().trim_end_matches(';').split(';').collect();
    let is_complete = before.len() == BEFORE.len() && behind.len() == BEHIND.len();
    is_complete.then(|| [before, vec![nodes], behind].concat())
}

/// Returns whether a line is that of a job.
pub(crate) fn is_job(line: &str) -> bool {
    fields_of(line).is_some()
}

/// Reads the jobs.
pub(super) fn read_rows(text: &str, wanted: &[&Path], rows: &mut dyn Rows) {
    let names: Vec<String> =
        BEFORE.iter().chain(&["assignations"]).chain(&BEHIND).map(|&name| name.to_owned()).collect();
    let found = places(&names, wanted);
    rows.columns(1, &names, &found);
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let Some(fields) = fields_of(line) else {
            let reason = "expected job_id;user;queue_time__assignations__start_time;end_time;total_nodes;total_cpu;total_mem;expected_duration".to_owned();
            rows.broken(number, Problem::Syntax { format: "a job of AccaSim", reason });
            continue;
        };
        let cell = |place: &Option<usize>| {
            place.map_or(Cell::ABSENT, |place| Cell::One(Cow::Borrowed(fields[place].trim())))
        };
        rows.row(number, &found.iter().map(cell).collect::<Vec<_>>());
    }
}
