//! `report.html`: one self-contained page of a run's results, of any study.
//!
//! [`page`] makes it from the files of a finished run: what was run, warnings, claims with their verdicts, all tables (sorted
//! by a click or a key), pictures, a way down to each instance, the scenario and the manifest. What is shown, and in which
//! unit, follows from the roles of the columns. Styles, scripts, pictures and data are in the page itself: it opens from a
//! disk without a network, works with the keyboard, and prints. Without scripts the tables and pictures are still there.

mod answer;
mod error;
mod instances;
mod layout;
mod names;
mod picture;
mod table;
mod warnings;

pub use error::ReportError;
pub use picture::Picture;

use dfrsim_lab::{Column, Results};

/// The page of these results.
///
/// # Errors
/// If a file is missing or not what the run wrote.
pub fn page(results: &Results<'_>, pictures: &[Picture]) -> Result<String, ReportError> {
    let columns: Vec<&Column> = results.study.row_types().iter().flat_map(|each| each.columns).collect();
    let frames = results.rows()?;
    let (claims, tables) = table::read_all(results, &columns)?;
    let content = layout::Content {
        results,
        warnings: warnings::warnings(results, &frames),
        rankings: dfrsim_lab::rankings(&frames, results.manifest.seed),
        claims,
        tables,
        pictures,
        parts: frames.iter().map(instances::Part::new).collect(),
    };
    Ok(layout::page(&content).into_string())
}
