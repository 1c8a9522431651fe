//! Drill-down from groups of runs to single runs, as data for the page's script.
//!
//! The rows of a group agree in all label and variant columns. A row has its instance columns,
//! metrics and facts. Millions of rows would make the page too large for a browser; then the page
//! contains only the primary metric of each row, or only the groups.

use dfrsim_lab::{Better, Column, DataFrame, Kind, Role, average, by_key};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// Largest number of values per row type in a page: a few megabytes.
const MAX_VALUES: usize = 1_000_000;

/// The rows of one type: columns are described once, and values of text columns are indices into the
/// distinct values of the column.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct Part {
    /// Name of the row type; empty if the study has only one.
    pub(crate) name: &'static str,
    /// Sentence about what is missing from the page.
    #[serde(skip)]
    pub(crate) left_out: Option<String>,
    keys: Vec<Labels>,
    instance: Vec<Labels>,
    /// Metrics and facts; the primary metric comes first.
    metrics: Vec<Metric>,
    statuses: Vec<&'static str>,
    groups: Vec<Group>,
    /// Rows as group, instance columns, status, metrics and the message if there is one; `None` if
    /// there are too many rows.
    rows: Option<Vec<Vec<Field>>>,
}

/// A text column; rows refer to its values by index.
#[derive(Debug, PartialEq, Serialize)]
struct Labels {
    name: String,
    /// Text before and after a value that is shown without a heading.
    around: (String, String),
    is_label: bool,
    values: Vec<String>,
}

#[derive(Debug, PartialEq, Serialize)]
struct Metric {
    name: String,
    doc: &'static str,
    /// True if larger values are better; `None` for facts.
    more_is_better: Option<bool>,
    is_primary: bool,
}

#[derive(Debug, PartialEq, Serialize)]
struct Group {
    /// Index of the value in each key column.
    keys: Vec<u32>,
    runs: usize,
    /// Number of runs with a value of the primary metric.
    measured: usize,
    /// Mean of the primary metric.
    mean: Option<f64>,
    worst: Option<f64>,
}

#[derive(Debug, PartialEq, Serialize)]
#[serde(untagged)]
enum Field {
    Code(u32),
    #[serde(serialize_with = "number")]
    Number(f64),
    Flag(bool),
    Text(String),
    Missing,
}

/// Amount of data in the page.
#[derive(Clone, Copy, PartialEq)]
enum Extent {
    Everything,
    Primary,
    Groups,
    /// No data, as there are too many groups.
    Nothing,
}

impl Part {
    pub(crate) fn new(frame: &DataFrame) -> Part {
        Part::limited(frame, MAX_VALUES)
    }

    fn limited(frame: &DataFrame, max_values: usize) -> Part {
        let coders = |roles: &[Role]| -> Vec<Coder<'_>> {
            frame.with_role(roles).into_iter().map(|place| Coder::new(frame, place)).collect()
        };
        let (mut keys, mut instance) = (coders(&[Role::Label, Role::Variant]), coders(&[Role::Instance]));
        let primary = frame.primary();
        let mut metrics = metric_columns(frame);

        let columns: Vec<usize> = keys.iter().map(|coder| coder.place).collect();
        let codes =
            |row: &usize| columns.iter().map(|&column| frame.code(*row, column)).collect::<Vec<u64>>();
        let mut group_of_row = vec![0; frame.len()];
        let mut groups = Vec::new();
        for rows in by_key(0..frame.len(), codes) {
            rows.iter().for_each(|&row| group_of_row[row] = groups.len() as u32);
            let values = primary.map_or_else(Vec::new, |place| frame.numbers(&rows, place));
            groups.push(Group {
                keys: keys.iter_mut().map(|coder| coder.code(rows[0])).collect(),
                runs: rows.len(),
                measured: values.len(),
                mean: average(values.iter().copied()).map(rounded_value),
                worst: primary.and_then(|place| frame.columns()[place].worst(&values)).map(rounded_value),
            });
        }

        let fixed = 2 + instance.len();
        let extent = match max_values {
            max if frame.len() * (fixed + metrics.len()) <= max => Extent::Everything,
            max if frame.len() * (fixed + 1) <= max && primary.is_some() => Extent::Primary,
            max if groups.len() * (keys.len() + 4) <= max => Extent::Groups,
            _ => Extent::Nothing,
        };
        if extent == Extent::Primary {
            metrics.truncate(1);
        }
        let mut fields = |row: usize| -> Vec<Field> {
            let mut fields = vec![Field::Code(group_of_row[row])];
            fields.extend(instance.iter_mut().map(|coder| Field::Code(coder.code(row))));
            fields.push(Field::Code(frame.status[row] as u32));
            fields.extend(metrics.iter().map(|&place| field(frame, row, place)));
            let message = frame.message(row);
            fields.extend((!message.is_empty()).then(|| Field::Text(message.to_string())));
            fields
        };
        let has_rows = matches!(extent, Extent::Everything | Extent::Primary);
        let rows = has_rows.then(|| (0..frame.len()).map(&mut fields).collect());
        Part {
            name: frame.row_type.name,
            left_out: left_out(extent, frame, groups.len()),
            metrics: metrics.iter().map(|&place| Metric::new(frame, place)).collect(),
            keys: keys.into_iter().map(Coder::finish).collect(),
            instance: instance.into_iter().map(Coder::finish).collect(),
            statuses: dfrsim_lab::Status::ALL.iter().map(|status| status.name()).collect(),
            groups: if extent == Extent::Nothing { Vec::new() } else { groups },
            rows,
        }
    }

    /// Formats the data as JSON that is safe within a page: no tag in it can end the enclosing
    /// element.
    pub(crate) fn json(&self) -> String {
        serde_json::to_string(self).expect("page data can be written as JSON").replace('<', "\\u003c")
    }
}

/// Returns the indices of the metrics and facts that have values; the primary metric comes first,
/// even if it has none.
fn metric_columns(frame: &DataFrame) -> Vec<usize> {
    let primary = frame.primary();
    let is_meant = |column: &Column| column.is_metric() || column.role == Role::Fact;
    let mut others: Vec<usize> = (0..frame.columns().len()).collect();
    others.retain(|&place| is_meant(&frame.columns()[place]) && Some(place) != primary);
    others.retain(|&place| (0..frame.len()).any(|row| field(frame, row, place) != Field::Missing));
    primary.into_iter().chain(others).collect()
}

fn field(frame: &DataFrame, row: usize, place: usize) -> Field {
    match (frame.columns()[place].kind, frame.number(row, place)) {
        (Kind::Text, _) => Some(frame.text(row, place)).filter(|text| !text.is_empty()).map(Field::Text),
        (Kind::Boolean, number) => number.map(|number| Field::Flag(number != 0.0)),
        (Kind::Integer, number) => number.map(Field::Number),
        (Kind::Number, number) => number.map(|number| Field::Number(rounded_value(number))),
    }
    .unwrap_or(Field::Missing)
}

fn left_out(extent: Extent, frame: &DataFrame, groups: usize) -> Option<String> {
    let file = dfrsim_lab::file_name(frame.row_type);
    let (rows, all) = (frame.len(), format!("{file} has everything"));
    match extent {
        Extent::Everything => None,
        Extent::Primary => {
            Some(format!("With {rows} rows, this page has only the primary metric of each; {all}."))
        }
        Extent::Groups => Some(format!("With {rows} rows, this page has only the groups of runs; {all}.")),
        Extent::Nothing => Some(format!("{rows} rows in {groups} groups are too many for a page; {all}.")),
    }
}

impl Metric {
    fn new(frame: &DataFrame, place: usize) -> Metric {
        let column = &frame.columns()[place];
        Metric {
            name: column.heading(),
            doc: column.doc,
            more_is_better: column.better().map(|better| better == Better::More),
            is_primary: frame.primary() == Some(place),
        }
    }
}

/// Assigns indices to the distinct values of a column.
struct Coder<'a> {
    frame: &'a DataFrame,
    place: usize,
    codes: BTreeMap<u64, u32>,
    values: Vec<String>,
}

impl<'a> Coder<'a> {
    fn new(frame: &'a DataFrame, place: usize) -> Coder<'a> {
        Coder { frame, place, codes: BTreeMap::new(), values: Vec::new() }
    }
    fn code(&mut self, row: usize) -> u32 {
        *self.codes.entry(self.frame.code(row, self.place)).or_insert_with(|| {
            self.values.push(self.frame.text(row, self.place));
            self.values.len() as u32 - 1
        })
    }
    fn finish(self) -> Labels {
        let column = &self.frame.columns()[self.place];
        Labels {
            name: column.heading(),
            around: column.affixes(),
            is_label: column.role == Role::Label,
            values: self.values,
        }
    }
}

/// Serializes integers without a decimal point, which would take a third of the page.
fn number<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < EXACT {
        serializer.serialize_i64(*value as i64)
    } else {
        serializer.serialize_f64(*value)
    }
}

/// Rounds to five significant digits, which is more than the page shows.
fn rounded_value(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::{Field, Part};
    use dfrsim_lab::{DataFrame, Row as _, Status, columns};

    columns! {
        /// A row.
        pub struct Row {
            /// The workload.
            label pub workload: String,
            /// The week.
            instance pub week: u32,
            /// The policy.
            variant pub policy: String,
            /// The jobs.
            fact pub jobs: u32,
            /// The yield.
            primary(more) pub mean_yield: f64,
            /// A metric without values.
            metric(less, "s") pub wait_s: Option<f64>,
        }
    }

    fn frame() -> DataFrame {
        let mut frame = DataFrame::new(&Row::TYPES[0]);
        let rows = [
            ["log", "1", "EASY", "10", "0.123456", ""],
            ["log", "1", "FCFS", "10", "0.5", ""],
            ["log", "2", "EASY", "20", "0.4", ""],
        ];
        assert!(rows.into_iter().all(|row| frame.push(Status::Ok, "", row.into_iter())));
        assert!(frame.push(Status::Stalled, "no <progress>", ["log", "2", "FCFS", "", "", ""].into_iter()));
        frame
    }

    #[test]
    fn rows_are_grouped_by_labels_and_variants() {
        let part = Part::new(&frame());
        let groups: Vec<_> = part.groups.iter().map(|it| (it.runs, it.measured, it.mean, it.worst)).collect();
        // (0.123456 + 0.4) / 2; the least yield is the worst.
        assert_eq!(groups, [(2, 2, Some(0.26173), Some(0.12346)), (2, 1, Some(0.5), Some(0.5))]);
        let names: Vec<&str> = part.metrics.iter().map(|metric| metric.name.as_str()).collect();
        assert_eq!(names, ["mean yield", "jobs"], "the primary metric is first, and wait has no values");
        let rows = part.rows.as_ref().unwrap();
        assert_eq!(rows[2][..3], [Field::Code(0), Field::Code(1), Field::Code(0)]);
        assert_eq!(rows[3].last(), Some(&Field::Text("no <progress>".to_owned())));
        assert!(part.json().contains(r"no \u003cprogress>"));
        assert_eq!(part.left_out, None);
    }

    #[test]
    fn large_results_are_limited_with_a_remark() {
        let frame = frame();
        let of_primary = Part::limited(&frame, 4 * 4);
        assert_eq!((of_primary.metrics.len(), of_primary.rows.as_ref().map(Vec::len)), (1, Some(4)));
        let groups = Part::limited(&frame, 2 * 6);
        assert_eq!((groups.groups.len(), groups.rows.is_none()), (2, true));
        let none = Part::limited(&frame, 1);
        assert_eq!((none.groups.len(), none.rows.is_none()), (0, true));
        for (part, words) in [(of_primary, "primary metric"), (groups, "groups of runs"), (none, "too many")]
        {
            let remark = part.left_out.unwrap();
            assert!(remark.contains(words) && remark.contains("rows.csv"), "{remark}");
        }
    }
}
