//! Default figures, derived from the roles of columns alone.

use crate::column::{Column, Kind, Role};
use crate::data::DataFrame;
use crate::drawing::{Axis, Chart, Drawing, Samples, Series, stem};
use crate::groups::{LoadPooling, block, by_block, by_codes, by_key, groups, variant_name};
use crate::table::{Bootstrap, Estimate, range};

/// Largest number of label combinations with separate figures; more are pooled in one figure.
const MAX_SCOPES: usize = 6;

/// Number of resamples of the intervals in figures, whose ends are not read to the last digit.
const RESAMPLES: usize = 1_000;
/// Number of independent instances below which an interval is told to be unreliable.
const FEWEST_INSTANCES: usize = 6;
/// Seed of the resamples.
const SEED: u64 = 1;

/// Draws the figures of every study: the distribution of the primary metric by variant, as box plots
/// and as distribution functions, its mean by variant as bars, and its mean over every numeric label or
/// variant column with several values, with one line per variant. Means have confidence intervals over
/// independent instances. Each combination of text labels has its own figures,
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
            drawings.push(self.means(&variants));
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

    /// Estimates the mean of the primary metric over rows, with its interval and the number of
    /// independent instances; `None` without values.
    fn mean(&self, rows: &[usize]) -> Option<(Estimate, usize)> {
        let blocks: Vec<String> = rows.iter().map(|&row| block(self.frame, row)).collect();
        let named = rows.iter().zip(&blocks);
        let values =
            named.filter_map(|(&row, block)| Some((&**block, self.frame.number(row, self.primary)?)));
        let blocks = by_block(values.collect());
        let bootstrap = Bootstrap { resamples: RESAMPLES, ..Bootstrap::for_tables(SEED) };
        Some((bootstrap.estimates(&blocks)?.mean, blocks.len()))
    }

    /// Explains the intervals of a figure, of which one has the fewest independent instances.
    fn about_intervals(fewest: usize) -> String {
        match fewest {
            0 | 1 => "No intervals: there is one independent instance.".to_owned(),
            few if few < FEWEST_INSTANCES => {
                format!(
                    "Intervals of 95 % confidence, over {few} independent instances: can be far too narrow."
                )
            }
            many => format!(
                "Intervals of 95 % confidence (bootstrap), over {many} or more independent instances."
            ),
        }
    }

    /// Draws the mean of the primary metric by variant as bars.
    fn means(&self, variants: &[usize]) -> Drawing {
        let mut fewest = usize::MAX;
        let bar = |(name, rows): (String, Vec<usize>)| {
            let (Estimate { value, interval }, instances) = self.mean(&rows)?;
            fewest = fewest.min(instances);
            Some((name, value, interval))
        };
        let bars: Vec<_> = self.parts(variants).into_iter().filter_map(bar).collect();
        let ends = bars.iter().map(|(_, value, _)| *value);
        let (low, high) = range(ends).unwrap_or_default();
        // Bars begin at 0, where small values could not be told apart beside one that is far larger.
        let is_wide = low > 0.0 && high > 30.0 * low;
        let label = format!("mean {}", self.metric());
        let value = if is_wide { Axis::logarithmic(label) } else { Axis::linear(label) };
        let name = self.names(variants);
        let title = format!("Mean {} by {name}", self.metric());
        let drawing = self.drawing("means", title, Chart::Bars { value, name, bars });
        drawing.with_remark(Self::about_intervals(fewest))
    }

    /// Draws the mean of the primary metric over the values of a column, with one line per variant.
    fn lines(&self, column: usize, variants: &[usize]) -> Drawing {
        let mut fewest = usize::MAX;
        let line = |(name, rows): (String, Vec<usize>)| {
            let at = rows.into_iter().filter_map(|row| Some((self.frame.number(row, column)?, row)));
            let mut places = by_key(at, |(x, _)| x.to_bits());
            places.sort_by(|a, b| a[0].0.total_cmp(&b[0].0));
            let (mut points, mut intervals) = (Vec::new(), Vec::new());
            for place in places {
                let (x, rows) = (place[0].0, place.iter().map(|(_, row)| *row).collect::<Vec<_>>());
                let Some((Estimate { value, interval }, instances)) = self.mean(&rows) else { continue };
                points.push((x, value));
                intervals.push(interval);
                fewest = fewest.min(instances);
            }
            // A variant without this column, or with a single value of it, has no line.
            (points.len() > 1).then(|| Series { intervals, ..Series::new(name, points) })
        };
        let series = self.parts(variants).into_iter().filter_map(line).collect();
        let (x, name) = (self.column(column), self.names(variants));
        let y = Axis::automatic(format!("mean {}", self.metric()));
        let chart = Chart::lines(Axis::linear(x.heading()), y, name, series);
        let title = format!("Mean {} by {}", self.metric(), x.name_in_words());
        let drawing = self.drawing(&format!("by-{}", x.name_in_words()), title, chart);
        drawing.with_remark(Self::about_intervals(fewest))
    }

    fn drawing(&self, kind: &str, title: String, chart: Chart) -> Drawing {
        let metric = self.column(self.primary).name_in_words();
        let own = self.frame.row_type.file_name_for(&format!("{metric}-{kind}"));
        let (own, title) = match self.name {
            "" => (own, title),
            name => (format!("{own}-{name}"), format!("{title}: {name}")),
        };
        let doc = self.column(self.primary).doc;
        let doc = doc.split_once(". ").map_or(doc, |(sentence, _)| sentence);
        let doc = with_first(doc, char::to_lowercase);
        let drawing = Drawing::new(stem(&own), with_first(&title, char::to_uppercase), chart);
        // A metric whose description repeats its name needs no remark.
        if doc.trim_end_matches('.') == metric {
            drawing
        } else {
            drawing.with_remark(format!("{metric}: {doc}"))
        }
    }
}

/// Returns a text with its first letter in another case.
fn with_first<C: ToString>(text: &str, case: impl Fn(char) -> C) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| case(letter).to_string()).unwrap_or_default();
    format!("{first}{}", letters.as_str())
}
