//! `report.html`: a self-contained page with the results of a run, for any study.
//!
//! [`page`] builds it from the files of a finished run. It opens with the answer: the ranking of the
//! variants by their primary metric with confidence intervals and pairwise comparisons. It continues
//! with figures, [schedules](Schedule) of single simulations, claims with their verdicts, all tables
//! (collapsed and sortable by mouse or keyboard), a drill-down to each instance, the scenario and
//! the manifest. The roles of the columns determine what is shown, and their units. Styles, scripts,
//! figures and data are embedded: the page opens from a disk without a network, can be used with the
//! keyboard, and can be printed. Without JavaScript, the answer, tables and figures are still
//! available.
//!
//! [`schedule_page`] is a page with one events file or one plan of context switches: an interactive
//! chart of jobs, or of actions on VMs, on nodes, drawn on a canvas. The page contains all numbers
//! of the schedule as compressed columns (`schedule/columns.rs`). The script draws them line by line
//! (`schedule/paint.js`), using summaries over time bins where many jobs share a pixel
//! (`schedule/index.js`).

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

/// Builds the page of these results.
///
/// # Errors
/// Returns an error if a file is missing or differs from what the run wrote.
pub fn page(
    results: &Results<'_>,
    pictures: &[Picture],
    schedules: &[Schedule],
) -> Result<String, ResultsError> {
    let columns: Vec<&Column> = results.study.row_types.iter().flat_map(|each| each.columns).collect();
    let frames = results.rows()?;
    let (claims, mut tables) = table::read_all(results, &columns)?;
    let objective = results.objective();
    let leads = |table: &table::Table| {
        objective.as_deref().is_some_and(|objective| table::is_of_objective(&table.name, objective))
    };
    let lead = tables.first().is_some_and(leads).then(|| tables.remove(0));
    let content = layout::Content {
        results,
        warnings: warnings::warnings(results, &frames),
        rankings: dfrsim_lab::rankings(&frames, results.manifest.seed),
        claims,
        lead,
        tables,
        pictures,
        schedules,
        parts: frames.iter().map(instances::Part::new).collect(),
    };
    Ok(layout::page(&content).into_string())
}

/// Builds the page of one schedule.
pub fn schedule_page(schedule: &Schedule) -> String {
    layout::page_of_schedule(schedule).into_string()
}
