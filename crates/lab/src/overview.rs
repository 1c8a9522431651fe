//! Default figures, derived from the roles of columns alone.

use crate::column::{Column, Kind, Role};
use crate::data::DataFrame;
use crate::drawing::{Axis, Chart, Drawing, Join, Samples, Series, stem};
use crate::groups::{LoadPooling, by_codes, by_key, groups, variant_name};
use crate::table::mean;

/// Largest number of label combinations with separate figures; more are pooled in one figure.
const MAX_SCOPES: usize = 6;

/// Draws the figures of every study: the distribution of the primary metric by variant, as box plots
/// and as distribution functions, and its mean over every numeric label or variant column with
/// several values, with one line per variant. Each combination of text labels has its own figures,
/// up to a limit.
pub fn default_drawings(frames: &[DataFrame]) -> Vec<Drawing> {
    frames.iter().filter_map(|frame| Some((frame, frame.primary()?))).flat_map(drawings_of).collect()
}

fn drawings_of((frame, primary): (&DataFrame, usize)) -> Vec<Drawing> {
    let rows: Vec<usize> = (0..frame.len()).filter(|&row| frame.number(row, primary).is_some()).collect();
    let text = |row, column| frame.text(row, column);
    let scopes = groups(frame, &rows, LoadPooling::Pooled, &|row| row, &|_| Vec::new(), &text);
    let scopes: Vec<(String, Vec<usize>)> = match scopes.len() {
        1 => vec![(String::new(), rows)],
        2..=MAX_SCOPES => scopes.into_iter().map(|group| (group.key.text_labels(), group.items)).collect(),
        _ => vec![("all together".to_owned(), rows)],
    };
    scopes.iter().flat_map(|(name, rows)| FigureRows { frame, primary, name, rows }.drawings()).collect()
}

/// The rows of one figure.
struct FigureRows<'a> {
    frame: &'a DataFrame,
    primary: usize,
    /// Values of the text labels; empty if there is only one combination.
    name: &'a str,
    rows: &'a [usize],
}

impl FigureRows<'_> {
    fn drawings(&self) -> Vec<Drawing> {
        let varying = |role| -> Vec<usize> {
            let columns = self.frame.with_role(&[role]).into_iter();
            columns.filter(|&column| self.values(column).len() > 1).collect()
        };
        let (labels, variants) = (varying(Role::Label), varying(Role::Variant));
        let mut drawings = Vec::new();
        if !variants.is_empty() {
            let samples = Samples {
                value: Axis::automatic(self.metric()),
                name: self.names(&variants),
                samples: self.samples(&variants),
            };
            let title = format!("{} by {}", self.metric(), samples.name);
            drawings.push(self.drawing("boxes", title.clone(), Chart::Boxes(samples.clone())));
            drawings.push(self.drawing("distribution", title, Chart::Distribution(samples)));
        }
        let is_number =
            |column: &&usize| matches!(self.frame.columns()[**column].kind, Kind::Integer | Kind::Number);
        for &column in labels.iter().chain(&variants).filter(is_number) {
            let others: Vec<usize> = variants.iter().copied().filter(|&other| other != column).collect();
            drawings.push(self.lines(column, &others));
        }
        drawings
    }

    fn values(&self, column: usize) -> Vec<String> {
        self.frame.distinct(column, self.rows.iter().copied())
    }
    fn column(&self, place: usize) -> &'static Column {
        &self.frame.columns()[place]
    }
    fn metric(&self) -> String {
        self.column(self.primary).heading()
    }
    fn names(&self, columns: &[usize]) -> String {
        let names: Vec<_> = columns.iter().map(|&column| self.column(column).name_in_words()).collect();
        names.join(", ")
    }
    /// Groups the rows by the values of these columns; each group has a name for readers.
    fn parts(&self, columns: &[usize]) -> Vec<(String, Vec<usize>)> {
        let parts = by_codes(self.rows, &|row| self.frame.codes(row, columns)).into_iter();
        parts.map(|rows| (variant_name(self.frame, rows[0], columns), rows)).collect()
    }
    fn samples(&self, columns: &[usize]) -> Vec<(String, Vec<f64>)> {
        let parts = self.parts(columns).into_iter();
        parts.map(|(name, rows)| (name, self.frame.numbers(&rows, self.primary))).collect()
    }

    /// Draws the mean of the primary metric over the values of a column, with one line per variant.
    fn lines(&self, column: usize, variants: &[usize]) -> Drawing {
        let series = self.parts(variants).into_iter().filter_map(|(name, rows)| {
            let at = rows.iter().filter_map(|&row| {
                Some((self.frame.number(row, column)?, self.frame.number(row, self.primary)?))
            });
            let mut points: Vec<(f64, f64)> = by_key(at, |(x, _)| x.to_bits())
                .into_iter()
                .map(|all| (all[0].0, mean(&all.iter().map(|(_, y)| *y).collect::<Vec<_>>())))
                .collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            // A variant without this column, or with a single value of it, has no line.
            (points.len() > 1).then_some(Series { name, points, join: Join::Straight })
        });
        let (x, name) = (self.column(column), self.names(variants));
        let y = Axis::automatic(format!("mean {}", self.metric()));
        let chart = Chart::lines(Axis::linear(x.heading()), y, name, series.collect());
        let title = format!("Mean {} by {}", self.metric(), x.name_in_words());
        self.drawing(&format!("by-{}", x.name_in_words()), title, chart)
    }

    fn drawing(&self, kind: &str, title: String, chart: Chart) -> Drawing {
        let metric = self.column(self.primary).name_in_words();
        let own = self.frame.row_type.file_name_for(&format!("{metric}-{kind}"));
        let (own, title) = match self.name {
            "" => (own, title),
            name => (format!("{own}-{name}"), format!("{title}: {name}")),
        };
        Drawing::new(stem(&own), title, chart)
    }
}
