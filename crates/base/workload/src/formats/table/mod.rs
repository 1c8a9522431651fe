//! Reader of tables with one job for each row: comma-separated values, JSON, words `KEY=VALUE` and
//! others.
//!
//! A [`Map`] names the column of each field of a job, with its unit, its format of times and its
//! names of states. [`find`] returns one of the maps that ship with the program, or reads a file.
//! [`read`] returns the jobs as the records of a log, to be used like any other log.
//!
//! ```
//! use dfrsim_workload::formats::table::{self, Map};
//! use dfrsim_workload::log::{Source, Status, Strictness};
//! let map = Map::parse("jobs.toml", r#"
//! source = "our own accounting"
//! [job]
//! number = "id"
//! submit = "queued"
//! start = "started"
//! run_time = { column = "minutes", unit = "min" }
//! processors = { column = "tasks", times = "cores" }
//! status = { column = "state", completed = ["ok"], failed = ["error"] }
//! "#)?;
//! let text = "id,queued,started,minutes,tasks,cores,state\n7,2026-03-01 09:00:00,2026-03-01 09:00:30,1.5,2,4,ok\n";
//! let mut log = table::read(text.as_bytes(), "jobs.csv", &map, Strictness::Strict).unwrap();
//! let job = log.next().unwrap().record;
//! assert_eq!((job.job, job.allocated_processors, job.status), (7, Some(8), Status::Completed));
//! assert_eq!((job.wait.unwrap().to_string(), job.run_time.unwrap().to_string()), ("30".into(), "90".into()));
//! # Ok::<(), dfrsim_input::Faults>(())
//! ```
//!
//! A field has one column, the product of two (`times`), or the difference of the times in two
//! (`minus`). Columns of JSON may be paths, such as `attempts[*].start_time`; values of lists are
//! added up, or counted (`count = true`). Numbers of processors, nodes and GPUs with fractions are
//! rounded up and counted. Columns that no field has are listed as without effect.

mod accasim;
mod cell;
mod field;
mod job;
mod json;
mod lsb_acct;
mod map;
mod path;
mod rows;
mod shape;
mod shipped;
mod value;

pub(crate) use accasim::is_job as is_accasim_job;
pub use field::JobField;
pub use map::{Map, TableForm};
pub use shape::{Form, Shape};
pub use shipped::{MapError, find, names, shipped, text};
pub(crate) use shipped::{fitting, similar};

use super::slurm_conf::{feature_of_partition, first_partition};
use crate::log::{
    Effect, Faults, FieldUse, Listing, LogError, Problem, Reason, ResourceRequests, Strictness, Whole,
};
use cell::{Cell, Rows, nearest_column};
use dfrsim_model::JobId;
use dfrsim_model::Share;
use dfrsim_model::platform::classes::DEVICE_PART;
use job::{Fields, Outcome, Resolved, RowReader, TableJob};
use path::Path;
use rows::read_rows;

/// Reads a table, decompressed. `file` is its name in messages.
///
/// # Errors
///
/// [`LogError::Faults`] with all errors in the table. With [`Strictness::Lenient`], rows with errors
/// are skipped and counted; a table that lacks columns of the map is an error even then.
pub fn read(bytes: &[u8], file: &str, map: &Map, strictness: Strictness) -> Result<Whole, LogError> {
    let wanted: Vec<&Path> = map
        .fields
        .iter()
        .flat_map(|(_, entry)| entry.all_columns())
        .chain(map.skips.iter().map(|skip| &skip.column))
        .collect();
    let mut table = Table {
        map,
        wanted: &wanted,
        fields: Vec::new(),
        listing: Listing::new(file),
        missing: Vec::new(),
        others: Vec::new(),
    };
    let read = read_rows(bytes, map, &wanted, &mut table);
    let Table { listing, missing, others, .. } = table;
    if let Err(fault) = read {
        return Err(faults(file, vec![fault]));
    }
    if !missing.is_empty() {
        return Err(faults(file, missing));
    }
    let unit = match map.core_parts() {
        1 => String::new(),
        parts => format!("; a processor is 1/{parts} of a core"),
    };
    let note = format!("a table of jobs, by the map {} ({}){unit}", map.name, map.source);
    let log = listing.finish(file, strictness, &note)?;
    let mut requests = ResourceRequests::new();
    for line in log.lines() {
        let Some(Others { gpus, gpu_part, gpu_profile, features, partition }) =
            usize::try_from(line.place).ok().and_then(|place| others.get(place))
        else {
            continue;
        };
        let mut asked: Vec<(String, u32)> = Vec::new();
        asked.extend((*gpus > 0).then(|| ("gpu".to_owned(), *gpus)));
        asked.extend((!gpu_profile.is_empty()).then(|| (gpu_profile.clone(), *gpus)));
        asked.extend(gpu_part.map(|part| (DEVICE_PART.to_owned(), part.units())));
        asked.extend((!features.is_empty()).then(|| (format!("@{features}"), 1)));
        let partition = Some(first_partition(partition)).filter(|name| !name.is_empty());
        asked.extend(partition.map(|name| (format!("@{}", feature_of_partition(name)), 1)));
        if !asked.is_empty() {
            requests.insert(JobId(line.record.job), asked);
        }
    }
    Ok(log.with_requests(requests))
}

fn faults(file: &str, problems: Vec<(u64, Problem)>) -> LogError {
    let mut faults = Faults::new(file);
    problems.into_iter().for_each(|(line, problem)| faults.push(line, problem));
    faults.into()
}

/// Properties of a job that a record has no field for.
struct Others {
    gpus: u32,
    gpu_part: Option<Share>,
    gpu_profile: String,
    features: String,
    partition: String,
}

/// State of reading a table.
struct Table<'m> {
    map: &'m Map,
    wanted: &'m [&'m Path],
    fields: Fields<'m>,
    listing: Listing,
    /// Columns that the table lacks.
    missing: Vec<(u64, Problem)>,
    /// For each job, in the order of the table.
    others: Vec<Others>,
}

impl Table<'_> {
    fn require(&mut self, line: u64, path: &Path, field: &str, names: &[String]) {
        let nearest = nearest_column(path, names).map(str::to_owned);
        let (column, field) = (path.text().to_owned(), field.to_owned());
        self.missing.push((line, Problem::MissingColumn { column, field, nearest }));
    }
}

impl Rows for Table<'_> {
    fn columns(&mut self, line: u64, names: &[String], places: &[Option<usize>]) {
        let mut next = 0;
        for (field, entry) in &self.map.fields {
            let first = next;
            next += entry.all_columns().count();
            let column = (first..first + entry.columns.len()).find(|&place| places[place].is_some());
            let second = |given: bool, place: usize| (given && places[place].is_some()).then_some(place);
            let rate_of = next - entry.rate_of.len()..next;
            let times = second(entry.times.is_some(), first + entry.columns.len());
            let minus = second(entry.minus.is_some(), rate_of.start - 1);
            let lacks_second = entry.times.is_some() && times.is_none()
                || entry.minus.is_some() && minus.is_none()
                || rate_of.clone().any(|place| places[place].is_none());
            if column.is_none() && !entry.is_optional {
                self.require(line, &entry.columns[0], field.name(), names);
            }
            if lacks_second && !entry.is_optional {
                self.require(line, self.wanted[next - 1], field.name(), names);
            }
            if let Some(column) = column.filter(|_| !lacks_second) {
                let name = self.wanted[column].text();
                self.fields.push((*field, Resolved { entry, column, name, times, minus, rate_of }));
            }
        }
        for skip in &self.map.skips {
            if places[next].is_none() {
                self.require(line, &skip.column, "skip", names);
            }
            next += 1;
        }
        let used = |place: usize| places.contains(&Some(place));
        let effect = |place| if used(place) { Effect::Used } else { Effect::NoEffect };
        let uses =
            (0..).zip(names).map(|(place, name)| FieldUse { name: name.clone(), effect: effect(place) });
        self.listing.account.fields = uses.collect();
    }

    fn row(&mut self, line: u64, cells: &[Cell<'_>]) {
        if !self.missing.is_empty() {
            return;
        }
        let listing = &mut self.listing;
        listing.account.lines += 1;
        let reader = RowReader { map: self.map, fields: &self.fields, cells, problems: Vec::new() };
        match reader.read(line, &mut listing.names, &mut listing.account) {
            Outcome::Job(it) => {
                let TableJob { gpus, gpu_part, gpu_profile, features, partition, job } = *it;
                self.others.push(Others { gpus, gpu_part, gpu_profile, features, partition });
                listing.add(line, Ok(job));
            }
            Outcome::NotEnded => listing.account.count(Reason::UNENDED),
            Outcome::Skipped => {}
            Outcome::Wrong(problems) => listing.leave_out(line, problems),
        }
    }

    fn broken(&mut self, line: u64, problem: Problem) {
        self.listing.account.lines += 1;
        self.listing.leave_out(line, [problem]);
    }
}
