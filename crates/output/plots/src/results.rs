//! Figures of the results of any study.

use crate::drawing::{Appearance, draw};
use crate::figure::Figure;
use crate::picture::Picture;
use crate::size::FigureSize;
use crate::styles::Styles;
use csv::{ReaderBuilder, WriterBuilder};
use dfrsim_lab::{DataFrame, Drawing, Registry, Results, ResultsError};
use dfrsim_model::named::UnknownName;
use std::collections::BTreeSet;

/// The figures of results, and notes on what is missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResultFigures {
    /// Figures with their titles; stems are unique.
    pub figures: Vec<(String, Figure)>,
    /// Figures that could not be drawn, with the reason; one line each.
    pub left_out: Vec<String>,
}

/// Choice of what the figures of results show.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FigureOptions {
    /// Column whose values have panels of their own, one below the other in each figure.
    pub panels: Option<String>,
    /// Series, samples or lines in their order; all if empty.
    pub series: Vec<String>,
    /// Size of each figure, or of each of its panels.
    pub size: FigureSize,
}

/// Draws all figures of results: those that the study defines, then the default ones, unless the
/// study defines a figure with the same stem.
///
/// # Errors
/// Returns an error if the rows or the scenario cannot be read, or differ from what the run wrote; or
/// if no row has the column of the panels.
pub fn draw_results(
    results: &Results<'_>,
    registry: &Registry,
    options: &FigureOptions,
) -> Result<ResultFigures, ResultsError> {
    check_series(&drawings(results, registry)?, options)
        .map_err(|message| ResultsError::new(&results.folder, message))?;
    let styles = Styles::new(results.variant_names()?);
    let appearance = Appearance { size: options.size, styles };
    let Some(column) = &options.panels else {
        return Ok(draw_all(&drawings(results, registry)?, options, &appearance));
    };
    let mut panels = Vec::new();
    for value in results.values(column)? {
        let selected = results.select(&[format!("{column}={value}")])?;
        let mut drawings = drawings(&selected, registry)?;
        let frames = selected.rows()?;
        let mut columns = frames.iter().flat_map(DataFrame::columns);
        let readable = match columns.find(|known| known.name == *column) {
            Some(known) => known.readable(&value),
            None => format!("{column} {value}"),
        };
        drawings.iter_mut().for_each(|drawing| drawing.title += &format!(", {readable}"));
        panels.push((value, draw_all(&drawings, options, &appearance)));
    }
    Ok(joined(column, panels))
}

/// A panel: the value of its column, its title, and the figure.
type Panel = (String, String, Figure);

/// Joins the figures with the same stem, as panels of one figure.
fn joined(column: &str, panels: Vec<(String, ResultFigures)>) -> ResultFigures {
    let mut all = ResultFigures::default();
    let mut groups: Vec<(String, Vec<Panel>)> = Vec::new();
    for (value, ResultFigures { figures, left_out }) in panels {
        all.left_out.extend(left_out);
        for (title, figure) in figures {
            let panel = (value.clone(), title, figure);
            match groups.iter_mut().find(|(stem, _)| *stem == panel.2.stem) {
                Some((_, group)) => group.push(panel),
                None => groups.push((panel.2.stem.clone(), vec![panel])),
            }
        }
    }
    for (stem, group) in groups {
        let csv: String = group
            .iter()
            .enumerate()
            .map(|(place, (value, _, figure))| data_of_panel(&figure.csv, column, value, place == 0))
            .collect();
        let mut remarks: Vec<String> = Vec::new();
        for remark in group.iter().flat_map(|(_, _, figure)| &figure.remarks) {
            if !remarks.contains(remark) {
                remarks.push(remark.clone());
            }
        }
        let title = group.first().map(|(_, title, _)| title.clone()).unwrap_or_default();
        let picture = Picture::stacked(group.into_iter().map(|(_, _, figure)| figure.picture));
        all.figures.push((title, Figure { stem, picture, csv, remarks }));
    }
    all
}

/// Returns the data of a panel with the value of its column before each line.
fn data_of_panel(csv: &str, column: &str, value: &str, has_header: bool) -> String {
    let mut data = Vec::new();
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(csv.as_bytes());
    {
        let mut writer = WriterBuilder::new().flexible(true).from_writer(&mut data);
        for (place, record) in reader.records().map_while(Result::ok).enumerate() {
            let first = if place == 0 { column } else { value };
            if place > 0 || has_header {
                let fields = std::iter::once(first).chain(&record);
                writer.write_record(fields).expect("writing to memory cannot fail");
            }
        }
    }
    String::from_utf8(data).expect("fields are text")
}

/// Checks that each chosen series is in some figure.
///
/// # Errors
/// Returns a message of one line with the first that is not, and the nearest name or all names.
fn check_series(drawings: &[Drawing], options: &FigureOptions) -> Result<(), String> {
    let known: BTreeSet<&str> = drawings.iter().flat_map(Drawing::series).collect();
    match options.series.iter().find(|name| !known.contains(name.as_str())) {
        Some(name) => Err(UnknownName::new("series", name, known).to_string()),
        None => Ok(()),
    }
}

fn drawings(results: &Results<'_>, registry: &Registry) -> Result<Vec<Drawing>, ResultsError> {
    let own = results.drawings(registry)?;
    let mut others = dfrsim_lab::default_drawings(&results.rows()?);
    others.retain(|other| own.iter().all(|own| own.stem != other.stem));
    Ok([own, others].concat())
}

fn draw_all(drawings: &[Drawing], options: &FigureOptions, appearance: &Appearance) -> ResultFigures {
    let (mut drawn, mut stems) = (ResultFigures::default(), BTreeSet::new());
    for drawing in drawings {
        let chosen = (!options.series.is_empty()).then(|| drawing.clone().with_series(&options.series));
        let chosen = chosen.as_ref().unwrap_or(drawing);
        if chosen.series().is_empty() && !drawing.series().is_empty() {
            let there = drawing.series().join(", ");
            drawn.left_out.push(format!("{}: has none of these series; it has: {there}", drawing.title));
            continue;
        }
        match draw(chosen, appearance) {
            Some(mut figure) => {
                figure.stem = unique_stem(&figure.stem, &stems);
                stems.insert(figure.stem.clone());
                drawn.figures.push((drawing.title.clone(), figure));
            }
            None if drawing.series().is_empty() && !drawing.remarks.is_empty() => {
                drawn.left_out.push(format!("{}: {}", drawing.title, drawing.remarks.join(" ")));
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
    use super::{Appearance, FigureOptions, check_series, data_of_panel, draw_all, joined};
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
        let values = [vec![1.0], Vec::new(), vec![2.0], vec![3.0]];
        let drawn = draw_all(&values.map(drawing), &FigureOptions::default(), &Appearance::default());
        let stems: Vec<&str> = drawn.figures.iter().map(|(_, figure)| figure.stem.as_str()).collect();
        assert_eq!(stems, ["wait", "wait-2", "wait-3"]);
        assert_eq!(drawn.left_out, ["Wait by policy: no values to draw"]);
    }
    #[test]
    fn panels_are_stacked_with_their_data() {
        let panel =
            |value: f64| draw_all(&[drawing(vec![value])], &FigureOptions::default(), &Appearance::default());
        let height = panel(1.0).figures[0].1.picture.size().1;
        let all = joined("load", vec![("0.5".to_owned(), panel(1.0)), ("a,b".to_owned(), panel(2.0))]);
        assert_eq!(all.figures.len(), 1);
        let figure = &all.figures[0].1;
        assert_eq!((figure.stem.as_str(), figure.picture.size().1), ("wait", 2 * height));
        let lines: Vec<&str> = figure.csv.lines().collect();
        assert!(lines[0].starts_with("load,") && lines[1].starts_with("0.5,"), "{lines:?}");
        assert!(lines.last().unwrap().starts_with("\"a,b\","), "{lines:?}");
        assert_eq!(data_of_panel("x,y\n1,2\n", "load", "3", false), "3,1,2\n");
    }

    #[test]
    fn a_series_of_no_figure_is_an_error() {
        let options =
            |name: &str| FigureOptions { series: vec![name.to_owned()], ..FigureOptions::default() };
        assert_eq!(check_series(&[drawing(vec![1.0])], &options("EASY")), Ok(()));
        let error = check_series(&[drawing(vec![1.0])], &options("EASYY")).unwrap_err();
        assert_eq!(error, "unknown series `EASYY`; did you mean `EASY`?");
    }

    #[test]
    fn other_series_are_left_out() {
        let options =
            |name: &str| FigureOptions { series: vec![name.to_owned()], ..FigureOptions::default() };
        assert_eq!(
            draw_all(&[drawing(vec![1.0])], &options("EASY"), &Appearance::default()).figures.len(),
            1
        );
        let left_out = draw_all(&[drawing(vec![1.0])], &options("CONS"), &Appearance::default()).left_out;
        assert_eq!(left_out, ["Wait by policy: has none of these series; it has: EASY"]);
    }
}
