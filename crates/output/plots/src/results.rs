//! Figures of the results of any study.

use crate::drawing::draw;
use crate::figure::Figure;
use dfrsim_lab::{Drawing, Registry, Results, ResultsError};
use std::collections::BTreeSet;

/// The figures of results, and notes on what is missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResultFigures {
    /// Figures with their titles; stems are unique.
    pub figures: Vec<(String, Figure)>,
    /// Figures that could not be drawn, with the reason; one line each.
    pub left_out: Vec<String>,
}

/// Draws all figures of results: those that the study defines, then the default ones, unless the
/// study defines a figure with the same stem.
///
/// # Errors
/// Returns an error if the rows or the scenario cannot be read, or differ from what the run wrote.
pub fn draw_results(results: &Results<'_>, registry: &Registry) -> Result<ResultFigures, ResultsError> {
    let own = results.drawings(registry)?;
    let mut others = dfrsim_lab::default_drawings(&results.rows()?);
    others.retain(|other| own.iter().all(|own| own.stem != other.stem));
    Ok(draw_all(&[own, others].concat()))
}

fn draw_all(drawings: &[Drawing]) -> ResultFigures {
    let (mut drawn, mut stems) = (ResultFigures::default(), BTreeSet::new());
    for drawing in drawings {
        match draw(drawing) {
            Some(mut figure) => {
                figure.stem = unique_stem(&figure.stem, &stems);
                stems.insert(figure.stem.clone());
                drawn.figures.push((drawing.title.clone(), figure));
            }
            None => drawn.left_out.push(format!("{}: no values to draw", drawing.title)),
        }
    }
    drawn
}

/// Returns the stem, with a number appended if it is already in use.
fn unique_stem(stem: &str, used: &BTreeSet<String>) -> String {
    let numbered = (2_usize..).map(|number| format!("{stem}-{number}"));
    let mut candidates = std::iter::once(stem.to_owned()).chain(numbered);
    candidates.find(|candidate| !used.contains(candidate)).expect("numbers do not end")
}

#[cfg(test)]
mod tests {
    use super::draw_all;
    use dfrsim_lab::{Axis, Chart, Drawing, Samples};

    fn drawing(values: Vec<f64>) -> Drawing {
        let samples = Samples {
            value: Axis::automatic("wait (s)"),
            name: "policy".to_owned(),
            samples: vec![("EASY".to_owned(), values)],
        };
        Drawing {
            stem: "wait".to_owned(),
            title: "Wait by policy".to_owned(),
            remarks: Vec::new(),
            chart: Chart::Boxes(samples),
        }
    }

    #[test]
    fn stems_are_unique_and_drawings_without_values_are_reported() {
        let drawn =
            draw_all(&[drawing(vec![1.0]), drawing(Vec::new()), drawing(vec![2.0]), drawing(vec![3.0])]);
        let stems: Vec<&str> = drawn.figures.iter().map(|(_, figure)| figure.stem.as_str()).collect();
        assert_eq!(stems, ["wait", "wait-2", "wait-3"]);
        assert_eq!(drawn.left_out, ["Wait by policy: no values to draw"]);
    }
}
