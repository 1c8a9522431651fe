//! Figures of the results of a run.

mod by_load;
mod by_period;
mod distribution;
mod groups;

use crate::figure::Figure;
use dfrsim_lab::Results;

/// All figures that results allow, and what they do not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawn {
    /// The figures; no two have the same stem.
    pub figures: Vec<Figure>,
    /// What is not drawn, and why: a line each.
    pub left_out: Vec<String>,
}

/// Draws everything that results allow.
///
/// For each workload, penalty and tau: the mean degradation by load, where there are several loads; degradation and
/// bandwidth by period, where there are several periods; the distribution of the degradation over the instances, as
/// box plots and as distribution functions. Failed simulations are left out.
#[must_use]
pub fn draw_results(results: &Results) -> Drawn {
    let groups = groups::groups(&results.rows);
    let mut drawn = Drawn::default();
    for group in &groups {
        by_load::draw(group, &mut drawn);
    }
    by_period::draw(results, &groups, &mut drawn);
    for group in &groups {
        distribution::draw(group, &mut drawn);
    }
    drawn
}

impl Drawn {
    /// Adds a figure, under another name if its own is taken.
    fn add(&mut self, mut figure: Figure) {
        let is_taken = |stem: &str, figures: &[Figure]| figures.iter().any(|figure| figure.stem == stem);
        let stem = figure.stem.clone();
        let mut number = 2;
        while is_taken(&figure.stem, &self.figures) {
            figure.stem = format!("{stem}-{number}");
            number += 1;
        }
        self.figures.push(figure);
    }
}
