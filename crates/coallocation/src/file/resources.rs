//! Resources and their reservations as CSV.

use super::{FileError, Problem, format_amount, parse_amount};
use csv::StringRecord;
use dfrsim_model::coallocation::{Reservation, Resource};
use std::collections::BTreeMap;

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
    /// With the first thing that is wrong.
    pub fn parse(file: &str, text: &str) -> Result<Resources, FileError> {
        let (header, records) = records(file, text)?;
        let is_label = |column: &&str| column.starts_with(LABEL);
        if header.get(0) != Some("node") {
            return Err(
                Problem::Columns { expected: "node, then the properties".to_owned() }.at(file, Some(1))
            );
        }
        let columns = || header.iter().skip(1);
        let quantities: Vec<String> = columns().filter(|it| !is_label(it)).map(str::to_owned).collect();
        let qualities: Vec<String> =
            columns().filter_map(|it| it.strip_prefix(LABEL)).map(str::to_owned).collect();
        if let Some(name) = twice(&quantities).or_else(|| twice(&qualities)) {
            return Err(Problem::Twice(name.clone()).at(file, Some(1)));
        }
        let mut names = Vec::new();
        let mut resources = Vec::new();
        for (line, record) in records {
            let fields = || columns().zip(record.iter().skip(1));
            let amounts = fields().filter(|field| !is_label(&field.0)).map(|field| amount(field.1));
            let capacity = amounts.collect::<Result<_, _>>().map_err(|problem| problem.at(file, line))?;
            let labels =
                fields().filter(|field| is_label(&field.0)).map(|field| field.1.to_owned()).collect();
            names.push(record[0].to_owned());
            resources.push(Resource { capacity, labels });
        }
        if let Some(name) = twice(&names) {
            return Err(Problem::Twice(name.clone()).at(file, None));
        }
        Ok(Resources { names, quantities, qualities, resources })
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
/// With the first thing that is wrong.
pub fn reservations(file: &str, text: &str, resources: &Resources) -> Result<Vec<Reservation>, FileError> {
    let expected = resources.header_of_reservations();
    let (header, records) = records(file, text)?;
    if header != expected {
        return Err(Problem::Columns { expected: expected.join(",") }.at(file, Some(1)));
    }
    let numbers: BTreeMap<&str, usize> = resources.names.iter().map(String::as_str).zip(0..).collect();
    let reservation = |record: &StringRecord| -> Result<Reservation, Problem> {
        let resource = numbers.get(&record[0]).copied();
        let unknown = || Problem::Unknown { what: "node", name: record[0].to_owned() };
        Ok(Reservation {
            resource: resource.ok_or_else(unknown)?,
            from: record[1].parse()?,
            until: record[2].parse()?,
            amounts: record.iter().skip(3).map(amount).collect::<Result<_, _>>()?,
        })
    };
    records
        .iter()
        .map(|(line, record)| reservation(record).map_err(|problem| problem.at(file, *line)))
        .collect()
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

fn records(file: &str, text: &str) -> Result<Records, FileError> {
    let wrong = |error: csv::Error| {
        let line = error.position().map(csv::Position::line);
        Problem::Csv(error).at(file, line)
    };
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let header = reader.headers().map_err(wrong)?.clone();
    let record = |record: Result<StringRecord, csv::Error>| {
        record.map(|it| (it.position().map(csv::Position::line), it)).map_err(wrong)
    };
    Ok((header, reader.records().map(record).collect::<Result<_, _>>()?))
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

/// A name that stands twice.
fn twice(names: &[String]) -> Option<&String> {
    let mut sorted: Vec<&String> = names.iter().collect();
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}
