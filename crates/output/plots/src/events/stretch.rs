//! Figures of the bounded stretches of jobs.

use super::fault::EventsError;
use super::replay::{Change, Job, Observer, replay};
use crate::drawing::{Appearance, draw};
use crate::figure::Figure;
use crate::size::FigureSize;
use dfrsim_lab::{Axis, Chart, Drawing, Samples};
use dfrsim_model::{SimSpan, stretch};
use std::path::{Path, PathBuf};

/// Form of a stretch figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StretchForm {
    /// Empirical distribution functions.
    Ecdf,
    /// Box plots.
    Boxes,
}

/// Turnaround and run time of the completed jobs.
#[derive(Default)]
struct Completed(Vec<(SimSpan, SimSpan)>);

impl Observer for Completed {
    fn before_change(&mut self, at: u64, job: &Job, change: Change) {
        if change == Change::Complete {
            self.0.push((SimSpan::from_micros(at - job.submit), SimSpan::from_micros(job.run)));
        }
    }
    fn after_change(&mut self, _: u64, _: &Job, _: Change) {}
}

/// Draws the bounded stretches of the completed jobs of one or several runs, with the tau of the
/// files.
///
/// # Errors
/// Returns an error if a file cannot be read, is incomplete or is not an events file; if a file has
/// no completed job; or if the values of tau differ.
pub fn draw_stretch(paths: &[PathBuf], form: StretchForm, size: FigureSize) -> Result<Figure, EventsError> {
    let mut runs = Vec::new();
    for path in paths {
        let mut completed = Completed::default();
        let run = replay(path, &mut completed)?;
        runs.push((path, run, completed));
    }
    let tau = SimSpan::from_micros(runs.first().map_or(0, |(_, run, _)| run.tau));
    let mut samples = Vec::new();
    for (path, run, completed) in &runs {
        if run.tau != tau.micros() {
            let (first, first_tau) = (paths[0].clone(), tau);
            let tau = SimSpan::from_micros(run.tau);
            return Err(EventsError::Taus { path: (*path).clone(), tau, first, first_tau });
        }
        let stretches: Vec<f64> = completed
            .0
            .iter()
            .map(|&(turnaround, run_time)| stretch::bounded(turnaround, run_time, tau))
            .collect();
        let is_known = runs.iter().filter(|(_, other, _)| other.policy == run.policy).count() == 1;
        let name = if is_known { run.policy.clone() } else { format!("{} ({})", run.policy, stem(path)) };
        if stretches.is_empty() {
            return Err(EventsError::undrawable(path, "no job completed"));
        }
        samples.push((name, stretches));
    }
    let value = Axis::logarithmic(format!("bounded stretch, tau {tau} s"));
    let samples = Samples { value, name: "policy".to_owned(), samples };
    let (chart, stem) = match form {
        StretchForm::Ecdf => (Chart::Distribution(samples), "stretch-ecdf"),
        StretchForm::Boxes => (Chart::Boxes(samples), "stretch-distribution"),
    };
    let title = "Bounded stretch of the jobs".to_owned();
    let drawing = Drawing { stem: stem.to_owned(), title, remarks: Vec::new(), chart };
    Ok(draw(&drawing, &Appearance { size, ..Appearance::default() }).expect("stretches are positive"))
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
