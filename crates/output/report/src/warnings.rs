//! Warnings that a reader must see before using the results.

use dfrsim_lab::{DataFrame, Results, Role, missing_jobs};

/// Largest number of failed runs that are listed individually.
const MAX_LISTED: usize = 50;

const OUTDATED: &str = "A later run in this folder is unfinished; this page shows the one before.";

/// Collects all warnings.
pub(crate) fn warnings(results: &Results<'_>, frames: &[DataFrame]) -> Vec<String> {
    let outdated = results.has_newer_run.then(|| OUTDATED.to_owned());
    let missing = frames.iter().flat_map(missing_jobs);
    outdated.into_iter().chain(failures(frames)).chain(missing).collect()
}

fn failures(frames: &[DataFrame]) -> Vec<String> {
    let failed = frames.iter().flat_map(|frame| {
        (0..frame.len()).filter(|&row| frame.status[row].is_failure()).map(move |row| (frame, row))
    });
    let mut listed: Vec<String> =
        failed.clone().take(MAX_LISTED).map(|(frame, row)| failure(frame, row)).collect();
    let more = failed.count() - listed.len();
    if more > 0 {
        listed.push(format!("{more} more runs failed; the files of rows have all of them."));
    }
    listed
}

fn failure(frame: &DataFrame, row: usize) -> String {
    let labels = frame.readable(row, &frame.with_role(&[Role::Label, Role::Instance, Role::Variant]));
    let (status, message) = (frame.status[row], frame.message(row));
    let separator = if message.is_empty() { "" } else { ": " };
    format!("{labels}: {status}{separator}{message}")
}
