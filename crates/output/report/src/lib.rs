//! `report.html`: one self-contained page of a run's results, of any study.
//!
//! [`page`] makes it from the files of a finished run. It opens with the answer: the variants by their primary metric with
//! confidence intervals, and which one beats which. Then come pictures, [schedules](Schedule) of single simulations, claims
//! with their verdicts, all tables (folded up, sorted by a click or a key), a way down to each instance, the scenario and the
//! manifest. What is shown, and in which unit, follows from the roles of the columns. Styles, scripts, pictures and data are
//! in the page itself: it opens from a disk without a network, works with the keyboard, and prints. Without scripts the
//! answer, tables and pictures are still there.
//!
//! [`schedule_page`] is a page of one events file, or of one plan of context switches: an interactive chart of jobs, or of
//! actions on VMs, on nodes, drawn on a canvas. All numbers of the
//! schedule are in the page, as compressed columns (`schedule/columns.rs`); the script draws lines of pixels from them
//! (`schedule/paint.js`), from summaries in bins of time where many jobs fall into a pixel (`schedule/index.js`).

mod answer;
mod instances;
mod layout;
mod names;
mod picture;
mod schedule;
mod table;
mod warnings;

pub use picture::Picture;
pub use schedule::{Schedule, ScheduleError};

use dfrsim_lab::{Column, Results, ResultsError};

/// The page of these results.
///
/// # Errors
/// If a file is missing or not what the run wrote.
pub fn page(
    results: &Results<'_>,
    pictures: &[Picture],
    schedules: &[Schedule],
) -> Result<String, ResultsError> {
    let columns: Vec<&Column> = results.study.row_types.iter().flat_map(|each| each.columns).collect();
    let frames = results.rows()?;
    let (claims, tables) = table::read_all(results, &columns)?;
    let content = layout::Content {
        results,
        warnings: warnings::warnings(results, &frames),
        rankings: dfrsim_lab::rankings(&frames, results.manifest.seed),
        claims,
        tables,
        pictures,
        schedules,
        parts: frames.iter().map(instances::Part::new).collect(),
    };
    Ok(layout::page(&content).into_string())
}

/// The page of one schedule.
pub fn schedule_page(schedule: &Schedule) -> String {
    layout::page_of_schedule(schedule).into_string()
}
