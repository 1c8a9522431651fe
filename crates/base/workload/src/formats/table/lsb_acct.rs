//! LSF's `lsb.acct`: a line for each event, whose fields are separated by blanks.
//!
//! Texts are in quotes, which are doubled inside of them. The fields of `JOB_FINISH` up to the index
//! in an array are read; their number varies by the lists of hosts.
//!
//! Source: IBM Spectrum LSF 10.1, reference of `lsb.acct`.

use super::cell::{Cell, Rows, places};
use super::path::Path;
use crate::log::Problem;
use std::borrow::Cow;

/// Fields of `JOB_FINISH`, in order. A list is preceded by its length, which has no name here.
const FIELDS: [&str; 59] = [
    "event",
    "version",
    "end_time",
    "job_id",
    "user_id",
    "options",
    "processors",
    "submit_time",
    "begin_time",
    "term_time",
    "start_time",
    "user",
    "queue",
    "resources",
    "dependencies",
    "pre_exec",
    "from_host",
    "folder",
    "input",
    "output",
    "errors",
    "job_file",
    "asked_hosts",
    "hosts",
    "state",
    "host_factor",
    "job_name",
    "command",
    "user_time",
    "system_time",
    "max_rss",
    "shared_text",
    "shared_memory",
    "data_memory",
    "stack_memory",
    "minor_faults",
    "major_faults",
    "swaps",
    "blocks_in",
    "blocks_out",
    "characters",
    "messages_sent",
    "messages_received",
    "signals",
    "voluntary_switches",
    "involuntary_switches",
    "exact_user_time",
    "mail_user",
    "project",
    "exit_status",
    "max_processors",
    "login_shell",
    "time_event",
    "array_index",
    "max_memory_kb",
    "max_swap_kb",
    "input_spool",
    "command_spool",
    "reservation",
];
/// Fields that are lists.
const LISTS: [&str; 2] = ["asked_hosts", "hosts"];

/// Splits a line into fields.
fn split(line: &str) -> Vec<Cow<'_, str>> {
    let mut fields = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let Some(quoted) = rest.strip_prefix('"') else {
            let (word, behind) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
            fields.push(Cow::Borrowed(word));
            rest = behind.trim_start();
            continue;
        };
        let mut end = 0;
        loop {
            end += quoted[end..].find('"').unwrap_or(quoted.len() - end);
            if !quoted[end..].starts_with("\"\"") {
                break;
            }
            end += 2;
        }
        let text = &quoted[..end];
        fields.push(if text.contains("\"\"") { text.replace("\"\"", "\"").into() } else { text.into() });
        rest = quoted.get(end + 1..).unwrap_or_default().trim_start();
    }
    fields
}

/// Groups the fields of a line by name; `None` if a list is longer than the line.
fn fields_of(line: &str) -> Option<Vec<Cell<'_>>> {
    let mut fields = split(line).into_iter();
    let mut cells = Vec::with_capacity(FIELDS.len());
    for name in FIELDS {
        let Some(field) = fields.next() else { break };
        if !LISTS.contains(&name) {
            cells.push(Cell::One(field));
            continue;
        }
        let length: usize = field.parse().ok()?;
        let items: Vec<Cow<'_, str>> = fields.by_ref().take(length).collect();
        if items.len() < length {
            return None;
        }
        cells.push(Cell::Many(items));
    }
    Some(cells)
}

/// Reads the events of all kinds.
pub(super) fn read_rows(text: &str, wanted: &[&Path], rows: &mut dyn Rows) {
    let names: Vec<String> = FIELDS.iter().map(|&name| name.to_owned()).collect();
    let found = places(&names, wanted);
    rows.columns(1, &names, &found);
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    for (number, line) in lines.filter(|(_, line)| !line.starts_with('#')) {
        let Some(cells) = fields_of(line).filter(|cells| cells.len() > 1) else {
            let reason = "the line ends within a list of hosts".to_owned();
            rows.broken(number, Problem::Syntax { format: "an event of lsb.acct", reason });
            continue;
        };
        let cell =
            |place: &Option<usize>| place.and_then(|place| cells.get(place).cloned()).unwrap_or(Cell::ABSENT);
        rows.row(number, &found.iter().map(cell).collect::<Vec<_>>());
    }
}
