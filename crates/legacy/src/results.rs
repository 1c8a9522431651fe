//! Results of a finished run, read from its folder.

use crate::column::BadField;
use crate::digests::{ALTERED, Digests, MANIFEST};
use crate::folder::journals;
use crate::published::Published;
use crate::row::Row;
use crate::table_file;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The file of the rows in a folder of results.
pub const ROWS: &str = "rows.csv";

/// What a run left in its folder.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// The folder.
    pub folder: PathBuf,
    /// The rows, in the order of the scenario.
    pub rows: Vec<Row>,
    /// The scenario with every field spelt out, as TOML.
    pub scenario: String,
    /// Where the results come from, as TOML.
    pub manifest: String,
    /// Whether a later run in this folder is unfinished: the rows are those of the one before.
    pub is_outdated: bool,
}

/// Why results cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// A file cannot be read.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A file is another one than its run wrote.
    #[error("{}: {ALTERED}; run the scenario again into this folder, or restore the file", path.display())]
    Altered {
        /// The file.
        path: PathBuf,
    },
    /// The rows cannot be read.
    #[error(transparent)]
    Rows(#[from] RowsFault),
}

/// Why a file has no rows, or not only rows.
#[derive(Debug, thiserror::Error)]
pub enum RowsFault {
    /// The first line does not name the columns that this version writes.
    #[error("{}: line 1: these are not the columns of this version's rows; run the scenario again", path.display())]
    Columns {
        /// The file.
        path: PathBuf,
    },
    /// Some lines are no rows.
    #[error("{}", list(path, faults))]
    Lines {
        /// The file.
        path: PathBuf,
        /// The rows of the other lines.
        rows: Vec<Row>,
        /// What is wrong: line, from 1, and field.
        faults: Vec<(u64, BadField)>,
    },
}

fn list(path: &Path, faults: &[(u64, BadField)]) -> String {
    let line = |(line, fault): &(u64, BadField)| format!("{}:{line}: {fault}", path.display());
    faults.iter().map(line).collect::<Vec<_>>().join("\n")
}

impl Results {
    /// Reads a folder that [`run`](crate::run()) wrote.
    ///
    /// # Errors
    /// If the scenario, the manifest or the rows are missing, damaged, or not what the run wrote.
    pub fn read(folder: &Path) -> Result<Results, ResultsError> {
        let digests = Digests::of_folder(folder)
            .map_err(|error| ResultsError::Io { path: folder.join(MANIFEST), error })?;
        let read = |name: &str| -> Result<(String, bool), ResultsError> {
            let path = folder.join(name);
            let bytes = fs::read(&path).map_err(|error| ResultsError::Io { path, error })?;
            Ok((String::from_utf8_lossy(&bytes).into_owned(), digests.differ(name, &bytes)))
        };
        let unaltered = |name: &str, (text, is_altered): (String, bool)| {
            let altered = || ResultsError::Altered { path: folder.join(name) };
            if is_altered { Err(altered()) } else { Ok(text) }
        };
        let text = |name: &str| unaltered(name, read(name)?);
        let rows = read(ROWS)?;
        // Lines that are no rows say more than a digest does.
        let of_rows = rows_of(&folder.join(ROWS), &rows.0)?;
        unaltered(ROWS, rows)?;
        Ok(Results {
            rows: of_rows,
            scenario: text("scenario.toml")?,
            manifest: text(MANIFEST)?,
            is_outdated: !journals(folder)
                .map_err(|error| ResultsError::Io { path: folder.to_owned(), error })?
                .is_empty(),
            folder: folder.to_owned(),
        })
    }

    /// The memory of a node of a workload, in GB, as the scenario has it; nothing if it does not say so. The logs of the
    /// scenario need not be there.
    #[must_use]
    pub fn node_memory_gb(&self, workload: &str) -> Option<f64> {
        let memory = self.workload(workload)?.remove("node_memory_gb")?;
        memory.as_float().or_else(|| memory.as_integer().map(|whole| whole as f64))
    }

    /// The least loads of the published tables with which the scenario compares a workload, of those that leave lighter ones out.
    #[must_use]
    pub fn least_loads(&self, workload: &str) -> Vec<f64> {
        let published = self.workload(workload).and_then(|mut described| described.remove("published"));
        let names = match published {
            Some(toml::Value::Array(names)) => names,
            one => one.into_iter().collect(),
        };
        let tables = names.iter().filter_map(|name| name.as_str()?.parse::<Published>().ok());
        tables.filter_map(Published::least_load).collect()
    }

    /// What the scenario says of a workload.
    fn workload(&self, workload: &str) -> Option<toml::Table> {
        let mut scenario: toml::Table = self.scenario.parse().ok()?;
        let toml::Value::Array(workloads) = scenario.remove("workloads")? else { return None };
        let mut described = workloads.into_iter().filter_map(|known| match known {
            toml::Value::Table(known) => Some(known),
            _ => None,
        });
        described.find(|known| known.get("name").and_then(toml::Value::as_str) == Some(workload))
    }
}

/// The rows that a file holds.
///
/// # Errors
/// If it has other columns, or lines that are no rows; those are all reported.
pub fn rows_of(path: &Path, text: &str) -> Result<Vec<Row>, RowsFault> {
    let path = path.to_owned();
    let mut records = table_file::records(text);
    if records.next().is_none_or(|header| header.iter().ne(Row::columns())) {
        return Err(RowsFault::Columns { path });
    }
    let (mut rows, mut faults) = (Vec::new(), Vec::new());
    for record in records {
        match Row::read(&record.iter().collect::<Vec<_>>()) {
            Ok(row) => rows.push(row),
            Err(fault) => faults.push((record.position().map_or(0, csv::Position::line), fault)),
        }
    }
    if faults.is_empty() { Ok(rows) } else { Err(RowsFault::Lines { path, rows, faults }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RunOptions, Scenario, run};
    use std::sync::atomic::AtomicBool;

    /// What a run wrote reads back; then one number of its second row is spoilt.
    #[test]
    fn faults_are_told_with_line_and_field() {
        let text = "study = 'online'\npolicies = ['FCFS', 'EASY']\n\
            [[workloads]]\nname = 'model'\nnodes = 8\nlublin = { traces = 1, jobs = 20 }\n";
        let scenario = Scenario::parse(text, "few.toml", &[]).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let options = RunOptions { threads: 1, audit: true, ..RunOptions::new(folder.path()) };
        let report = run(&scenario, &options, &AtomicBool::new(false), &()).unwrap();
        let results = Results::read(folder.path()).unwrap();
        assert_eq!((results.rows.len(), report.rows.failed, results.is_outdated), (2, 0, false));
        assert_eq!(results.node_memory_gb("model"), Some(scenario.workloads[0].node_memory_gb));
        assert_eq!(results.node_memory_gb("other"), None);
        assert_eq!((results.least_loads("model"), results.least_loads("other")), (vec![], vec![]));

        let path = folder.path().join(ROWS);
        let rows = fs::read_to_string(&path).unwrap();
        let spoilt = rows.replacen(",EASY,300,", ",EASY,soon,", 1);
        fs::write(&path, spoilt).unwrap();
        let error = Results::read(folder.path()).unwrap_err();
        let expected = format!("{}:3: penalty_s: `soon` cannot stand here", path.display());
        assert_eq!(error.to_string(), expected);

        // A number that can stand there, but is not what the run wrote.
        fs::write(&path, rows.replacen(",EASY,300,", ",EASY,200,", 1)).unwrap();
        let error = Results::read(folder.path()).unwrap_err();
        assert!(matches!(&error, ResultsError::Altered { path: altered } if *altered == path), "{error}");
        fs::write(&path, &rows).unwrap();
        let scenario = folder.path().join("scenario.toml");
        fs::write(&scenario, results.scenario.replace("jobs = 20", "jobs = 21")).unwrap();
        let error = Results::read(folder.path()).unwrap_err();
        assert!(matches!(&error, ResultsError::Altered { path } if *path == scenario), "{error}");
    }
}
