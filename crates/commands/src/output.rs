//! Output of results and notices.

mod answer;
mod file;
mod place;
mod table;
mod together;
mod watched;
mod written;

pub(crate) use answer::{Answer, Printing, json};
pub(crate) use dfrsim_model::counted;
pub(crate) use file::OutputFile;
pub(crate) use place::OverwriteGuard;
pub(crate) use table::table;
pub(crate) use together::OutputFiles;
pub(crate) use watched::{QUIET_PERIOD, REDRAW_INTERVAL, bar, run_watched, with_bar, with_notices};
pub(crate) use written::Written;

pub(crate) use crate::terminal::notice;

use crate::failure::Failure;
use crate::terminal::visible;
use dfrsim_model::account::AccountSummary;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// True if the program has printed to standard output.
static PRINTED: AtomicBool = AtomicBool::new(false);

/// Returns whether the program has printed to standard output.
pub(crate) fn has_printed() -> bool {
    PRINTED.load(Ordering::Relaxed)
}

/// Prints notices of the lines of a log that were changed, dropped or noted.
pub(crate) fn print_account(path: &Path, account: &AccountSummary) {
    account.paragraphs(&path.display().to_string()).iter().for_each(|line| notice!("{line}"));
}

/// Prints to standard output, with control characters escaped.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    PRINTED.store(true, Ordering::Relaxed);
    let mut out = io::stdout().lock();
    out.write_all(visible(text).as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| Failure::output("standard output", &error))
}
