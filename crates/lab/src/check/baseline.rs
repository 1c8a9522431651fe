//! Baseline: a summary of results in memory and as a file.

use crate::column::{Better, Role, RowType};
use crate::data::DataFrame;
use crate::fields::{Value, unknown};
use crate::groups::{Group, by_key, row_groups};
use crate::key::Digest;
use crate::results::{Results, ResultsError};
use crate::study::AnyStudy;
use crate::table::average;
use crate::text::csv::ReadFile;
use dfrsim_input::{Faults, Input, Located, Object, Reader};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Format version of baseline files. Increase it when the meaning of the file changes.
const FORMAT: i64 = 2;
pub(super) const MEAN: &str = "mean";
pub(super) const WORST: &str = "worst";
/// Counts of runs: all runs, failures, and runs without a row that are not failures (no solution,
/// timed out).
pub(super) const COUNTS: [&str; 3] = ["runs", "failures", "unsolved"];

/// A summary of results, to be compared with later results.
#[derive(Clone, Debug, PartialEq)]
pub struct Baseline {
    /// Name of the study that wrote the baseline.
    pub study: String,
    /// Title of the scenario.
    pub title: String,
    /// Version of the meaning of the study's rows.
    pub semantics: u32,
    /// Number and digest of the instances, by combination of labels.
    pub instances: Vec<(String, String)>,
    /// Summaries of the groups, in the order of the rows.
    pub groups: Vec<GroupSummary>,
    /// Names of the values that groups may have, in alphabetical order, with their direction of
    /// improvement.
    pub(super) directions: Vec<(String, Better)>,
}

/// Summary of one group of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupSummary {
    /// Label and variant columns with their values.
    pub name: String,
    /// Counts of runs, and the mean and the worst value of each metric: `degradation.mean`. Metrics
    /// without values are absent.
    pub values: BTreeMap<String, f64>,
}

impl Baseline {
    /// Summarizes results.
    ///
    /// # Errors
    /// Returns an error if they cannot be read, or if a run in their folder is unfinished.
    pub fn from_results(results: &Results<'_>) -> Result<Baseline, ResultsError> {
        if results.has_newer_run {
            let message = "the last run in this folder is unfinished; run the scenario again to continue it";
            return Err(ResultsError::new(&results.folder, message));
        }
        let frames = results.rows()?;
        let groups = frames.iter().flat_map(|frame| {
            let groups = row_groups(frame);
            groups.into_iter().map(|group| summary(frame, &group)).collect::<Vec<_>>()
        });
        Ok(Baseline {
            study: results.manifest.study.clone(),
            title: results.manifest.title.clone(),
            semantics: results.manifest.semantics,
            instances: instances(&results.instances()?, results.study.row_types),
            groups: groups.collect(),
            directions: directions(results.study.row_types),
        })
    }

    /// Reads a file that [`Baseline::to_toml`] wrote.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or has another format; otherwise every error in
    /// it, with line and column.
    pub fn read(path: &Path, study: &AnyStudy) -> Result<Baseline, Faults> {
        let text = dfrsim_input::read_text(path)?;
        Baseline::parse(&text, &path.display().to_string(), study)
    }

    /// Parses a baseline; messages call the text `name`.
    ///
    /// # Errors
    /// Returns the errors of [`Baseline::read`].
    pub fn parse(text: &str, name: &str, study: &AnyStudy) -> Result<Baseline, Faults> {
        let input = Input::toml(name, text)?;
        let mut reader = Reader::default();
        let read = baseline(&mut reader, &input.root(), study);
        reader.finish(read)
    }

    /// Formats the file with one line per value, so that a diff shows each change separately.
    pub fn to_toml(&self) -> String {
        let quoted = |text: &str| Value::String(text.to_owned()).to_string();
        let mut text = String::from(
            "# `dfrsim results check` compares results with this file; with --update it writes the file again.\n",
        );
        let Baseline { study, title, semantics, .. } = self;
        let mut line = |line: String| writeln!(text, "{line}").expect("writing to a string cannot fail");
        line(format!("study = {}\ntitle = {}", quoted(study), quoted(title)));
        line(format!("format = {FORMAT}\nsemantics = {semantics}\n\n[instances]"));
        for (labels, instances) in &self.instances {
            line(format!("{} = {}", quoted(labels), quoted(instances)));
        }
        for group in &self.groups {
            line(format!("\n[groups.{}]", quoted(&group.name)));
            let counts = COUNTS.iter().filter_map(|&name| Some((name, *group.values.get(name)?)));
            let others = group.values.iter().map(|(name, value)| (name.as_str(), *value));
            for (name, value) in counts.chain(others.filter(|(name, _)| !COUNTS.contains(name))) {
                line(format!("{name} = {}", number(value)));
            }
        }
        text
    }
}

/// Formats integers without a decimal point, and other numbers with the shortest digits that read
/// back exactly.
fn number(value: f64) -> String {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() <= EXACT { format!("{value:.0}") } else { format!("{value:?}") }
}

/// Returns the names of the values of a study's groups, with their direction of improvement.
fn directions(row_types: &[RowType]) -> Vec<(String, Better)> {
    let metrics = row_types.iter().flat_map(|row_type| row_type.columns).filter_map(|column| {
        let better = column.better()?;
        Some([MEAN, WORST].map(|of| (format!("{}.{of}", column.name), better)))
    });
    let counts =
        COUNTS.map(|name| (name.to_owned(), if name == "runs" { Better::More } else { Better::Less }));
    let mut directions: Vec<(String, Better)> = metrics.flatten().chain(counts).collect();
    directions.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    directions.dedup_by(|a, b| a.0 == b.0);
    directions
}

fn summary(frame: &DataFrame, group: &Group) -> GroupSummary {
    let count = |is: &dyn Fn(usize) -> bool| group.items.iter().filter(|&&row| is(row)).count() as f64;
    let is_failure = |row: usize| frame.status[row].is_failure();
    let without_row = |row: usize| frame.status[row] != crate::Status::Ok && !is_failure(row);
    let counts = [group.items.len() as f64, count(&is_failure), count(&without_row)];
    let mut values = BTreeMap::new();
    COUNTS.iter().zip(counts).for_each(|(name, count)| _ = values.insert((*name).to_owned(), count));
    for metric in frame.metrics() {
        let column = &frame.columns()[metric];
        let own = frame.numbers(&group.items, metric);
        let (Some(mean), Some(worst)) = (average(own.iter().copied()), column.worst(&own)) else { continue };
        // A ratio to zero is not finite and cannot be compared.
        let both = [(MEAN, mean), (WORST, worst)].into_iter().filter(|(_, value)| value.is_finite());
        values.extend(both.map(|(of, value)| (format!("{}.{of}", column.name), value)));
    }
    let identity = group.key.identity();
    let name = match frame.row_type.name {
        "" => identity,
        row_type => format!("{row_type}: {identity}"),
    };
    GroupSummary { name, values }
}

/// Computes number and digest of the instances, by combination of labels.
fn instances(file: &ReadFile, row_types: &[RowType]) -> Vec<(String, String)> {
    let is_label = |name: &String| {
        let mut columns = row_types.iter().flat_map(|row_type| row_type.columns);
        columns.any(|column| column.name == name && column.role == Role::Label)
    };
    let labels: Vec<usize> = (0..file.header.len()).filter(|&place| is_label(&file.header[place])).collect();
    let values =
        |line: &&Vec<String>| -> Vec<String> { labels.iter().map(|&place| line[place].clone()).collect() };
    let described = |lines: Vec<&Vec<String>>| {
        let present = labels.iter().filter(|&&place| !lines[0][place].is_empty());
        let parts = present.map(|&place| format!("{}={}", file.header[place], lines[0][place]));
        let mut texts: Vec<String> = lines.iter().map(|line| line.join(",")).collect();
        texts.sort_unstable();
        let digest = Digest::from_bytes(texts.join("\n").as_bytes()).to_string();
        (parts.collect::<Vec<_>>().join(", "), format!("{} instances, {}", lines.len(), &digest[..16]))
    };
    by_key(&file.lines, values).into_iter().map(described).collect()
}

/// Reads a baseline of this study.
fn baseline(reader: &mut Reader, root: &Located<'_>, study: &AnyStudy) -> Option<Baseline> {
    let file = reader.any_object(root)?;
    let is_own = |name: &str| (name == study.name).then(|| name.to_owned());
    let own =
        reader.field(&file, "study").and_then(|at| reader.one_of(&at, "study", is_own, [study.name]))?;
    if file.get("format").and_then(|at| at.integer()) != Some(FORMAT) {
        // In another format, the other fields may have another meaning.
        let message = format!("expected a baseline of format {FORMAT}; regenerate it with --update");
        reader.fault_below(root, "format", message);
        return None;
    }
    reader.object(root, &["study", "title", "format", "semantics", "instances", "groups"]);
    let text = |reader: &mut Reader, at: &Located<'_>, meant: &str| {
        reader.expected(at, at.text().map(str::to_owned), || meant.to_owned())
    };
    let title = file.get("title").map_or_else(|| Some(String::new()), |at| text(reader, &at, "a text"));
    let semantics = reader.field(&file, "semantics").and_then(|at| reader.integer(&at, 0..=u32::MAX));
    let instances = entries(reader, &file, "instances", |reader, at| {
        text(reader, at, "a text: the number of instances and their digest")
    });
    let directions = directions(study.row_types);
    let known: Vec<&str> = directions.iter().map(|(metric, _)| metric.as_str()).collect();
    let groups = entries(reader, &file, "groups", |reader, at| values(reader, at, &known));
    let groups =
        groups.map(|all| all.into_iter().map(|(name, values)| GroupSummary { name, values }).collect());
    let (title, semantics, instances, groups) = (title?, semantics?, instances?, groups?);
    Some(Baseline { study: own, title, semantics, instances, groups, directions })
}

/// Reads a table whose keys are names.
fn entries<T>(
    reader: &mut Reader,
    file: &Object<'_>,
    name: &str,
    mut read: impl FnMut(&mut Reader, &Located<'_>) -> Option<T>,
) -> Option<Vec<(String, T)>> {
    let table = reader.field(file, name).and_then(|at| reader.any_object(&at))?;
    let entries = table.iter().map(|(name, at)| Some((name.to_owned(), read(reader, &at)?)));
    entries.collect::<Vec<_>>().into_iter().collect()
}

/// Reads the values of a group: `failures = 0`, `degradation.mean = 1.5`.
fn values(reader: &mut Reader, group: &Located<'_>, known: &[&str]) -> Option<BTreeMap<String, f64>> {
    let mut values = BTreeMap::new();
    for (name, at) in reader.any_object(group)?.iter() {
        let named = match at.object() {
            Some(inner) => inner.iter().map(|(of, at)| (format!("{name}.{of}"), at)).collect(),
            None => vec![(name.to_owned(), at)],
        };
        for (name, at) in named {
            if !known.contains(&name.as_str()) {
                reader.fault(&at, unknown("metric", &name, known.iter().copied()));
            } else if let Some(number) = reader.number(&at, "a finite number", Some) {
                values.insert(name, number);
            }
        }
    }
    Some(values)
}
