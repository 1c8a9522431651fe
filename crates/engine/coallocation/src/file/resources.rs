//! Resources and their reservations as CSV.

use super::fault::{Faults, Problem};
use super::{FileErrors, format_amount, parse_amount};
use crate::GridError;
use csv::StringRecord;
use dfrsim_model::SimTime;
use dfrsim_model::coallocation::{Reservation, Resource};
use std::collections::{BTreeMap, BTreeSet};

/// Begins the names of columns that hold labels.
const LABEL: &str = "label.";

/// The resources of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resources {
    /// The name of each resource.
    pub names: Vec<String>,
    /// The names of the quantitative properties.
    pub quantities: Vec<String>,
    /// The names of the qualitative properties, without `label.`.
    pub qualities: Vec<String>,
    /// The resources, in the order of the file.
    pub resources: Vec<Resource>,
}

impl Resources {
    /// Reads resources; `file` is what messages call the file.
    ///
    /// # Errors
    ///
    /// With all that is wrong.
    pub fn parse(file: &str, text: &str) -> Result<Resources, FileErrors> {
        let mut faults = Faults::of(file);
        let (header, records) = records(text, &mut faults);
        let is_label = |column: &str| column.starts_with(LABEL);
        if header.get(0) != Some("node") {
            let expected = "node, then the properties".to_owned();
            return faults.end(Some(1), Problem::Columns { expected });
        }
        let columns: Vec<&str> = header.iter().skip(1).collect();
        let mut before = BTreeSet::new();
        for column in columns.iter().filter(|column| !before.insert(**column)) {
            faults.push(Some(1), None, Problem::Twice((*column).to_owned()));
        }
        let mut names = Vec::new();
        let mut resources = Vec::new();
        let mut before = BTreeSet::new();
        for (line, record) in &records {
            let (mut capacity, mut labels) = (Vec::new(), Vec::new());
            for (column, field) in columns.iter().zip(record.iter().skip(1)) {
                if is_label(column) {
                    labels.push(field.to_owned());
                } else {
                    capacity.extend(faults.keep(*line, column, amount(field)));
                }
            }
            if !before.insert(&record[0]) {
                faults.push(*line, Some("node"), Problem::Twice(record[0].to_owned()));
            }
            names.push(record[0].to_owned());
            resources.push(Resource { capacity: capacity.into(), labels: labels.into() });
        }
        let quantities = columns.iter().filter(|it| !is_label(it)).map(|&it| it.to_owned()).collect();
        let qualities = columns.iter().filter_map(|it| it.strip_prefix(LABEL)).map(str::to_owned).collect();
        faults.none(Resources { names, quantities, qualities, resources })
    }

    /// The resources as a file that reads back as the same.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let labels = self.qualities.iter().map(|name| format!("{LABEL}{name}"));
        let header = ["node".to_owned()].into_iter().chain(self.quantities.iter().cloned()).chain(labels);
        let line = |(name, it): (&String, &Resource)| {
            let amounts = it.capacity.iter().map(|&amount| format_amount(amount));
            [name.clone()].into_iter().chain(amounts).chain(it.labels.iter().cloned()).collect()
        };
        lines([header.collect()].into_iter().chain(self.names.iter().zip(&self.resources).map(line)))
    }

    fn header_of_reservations(&self) -> Vec<String> {
        let before = ["node", "from", "until"].map(str::to_owned);
        before.into_iter().chain(self.quantities.iter().cloned()).collect()
    }
}

/// Reads reservations of these resources; `file` is what messages call the file.
///
/// # Errors
///
/// With all that is wrong.
pub fn reservations(file: &str, text: &str, resources: &Resources) -> Result<Vec<Reservation>, FileErrors> {
    let mut faults = Faults::of(file);
    let expected = resources.header_of_reservations();
    let (header, records) = records(text, &mut faults);
    if header != expected {
        return faults.end(Some(1), Problem::Columns { expected: expected.join(",") });
    }
    let numbers: BTreeMap<&str, usize> = resources.names.iter().map(String::as_str).zip(0..).collect();
    let mut reservations = Vec::new();
    for (line, record) in &records {
        let unknown = || Problem::Unknown { what: "node", name: record[0].to_owned() };
        let resource = faults.keep(*line, "node", numbers.get(&record[0]).copied().ok_or_else(unknown));
        let from = faults.keep(*line, "from", record[1].parse::<SimTime>());
        let until = faults.keep(*line, "until", record[2].parse::<SimTime>());
        if from.zip(until).is_some_and(|(from, until)| from >= until) {
            faults.push(*line, Some("until"), GridError::Empty.into());
        }
        let mut amounts = Vec::new();
        for (column, field) in header.iter().zip(record).skip(3) {
            amounts.extend(faults.keep(*line, column, amount(field)));
        }
        if let (Some(resource), Some(from), Some(until)) = (resource, from, until) {
            reservations.push(Reservation { resource, from, until, amounts: amounts.into() });
        }
    }
    faults.none(reservations)
}

/// Reservations as lines of a file, without the header; `with_header` puts it before them.
#[must_use]
pub fn reservation_lines(resources: &Resources, reservations: &[Reservation], with_header: bool) -> String {
    let line = |it: &Reservation| {
        let before = [resources.names[it.resource].clone(), it.from.to_string(), it.until.to_string()];
        before.into_iter().chain(it.amounts.iter().map(|&amount| format_amount(amount))).collect()
    };
    let header = with_header.then(|| resources.header_of_reservations());
    lines(header.into_iter().chain(reservations.iter().map(line)))
}

/// A header, and records with their lines.
type Records = (StringRecord, Vec<(Option<u64>, StringRecord)>);

/// What can be read of a CSV; records of another length than the header are faults.
fn records(text: &str, faults: &mut Faults<'_>) -> Records {
    let mut wrong = |error: csv::Error| {
        let line = error.position().map(csv::Position::line);
        faults.push(line, None, error.into());
    };
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let header = reader.headers().cloned().map_err(&mut wrong).unwrap_or_default();
    let records = reader.records().filter_map(|record| record.map_err(&mut wrong).ok());
    (header, records.map(|it| (it.position().map(csv::Position::line), it)).collect())
}

fn lines(records: impl Iterator<Item = Vec<String>>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in records {
        writer.write_record(record).expect("memory takes any record");
    }
    let bytes = writer.into_inner().expect("memory takes any record");
    String::from_utf8(bytes).expect("what was text still is")
}

fn amount(text: &str) -> Result<u64, Problem> {
    parse_amount(text).ok_or_else(|| Problem::Amount(text.to_owned()))
}
