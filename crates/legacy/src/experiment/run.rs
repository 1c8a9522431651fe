//! Running the cells of an experiment.

use super::manifest;
use super::record::{self, Earlier};
use super::report::{Counts, NamedTable, News, Progress, RunReport};
use crate::column::Columns;
use crate::folder::{self, Folder};
use crate::header::Header;
use crate::key::{Digest, Key, SEMANTICS_VERSION};
use crate::results::ROWS;
use crate::sweep::Sweep;
use crate::{RunError, RunOptions, table_file};
use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A study as a checked scenario has it: what its cells are, and what is made of them.
pub(crate) trait Experiment: Debug + Send + Sync {
    /// What is computed at once: its rows only depend on the scenario and on itself.
    type Cell: Sync;
    /// A line of `rows.csv`.
    type Row: Columns + Clone + Send + Sync;

    /// The name of the study, as in `study = "..."`.
    const STUDY: &'static str;
    /// What a cell is, in the plural, for messages.
    const CELLS: &'static str;

    /// What the scenario is about, in one line; may be empty.
    fn title(&self) -> &str;
    /// The seed of all that is random in it.
    fn seed(&self) -> u64;
    /// The scenario as a file with every field spelt out. It gives the same rows.
    fn to_toml(&self) -> String;
    /// The files that were read, as the scenario names them, for the manifest.
    fn inputs(&self) -> Vec<(String, Digest)> {
        Vec::new()
    }
    /// All cells, in the order in which their rows are to stand.
    fn cells(&self) -> Vec<Self::Cell>;
    /// All that determines the rows of a cell, in any form that differs where rows may differ. Rows of earlier runs are
    /// taken over by it.
    fn determinants(&self, cell: &Self::Cell) -> String;
    /// How long a cell takes in comparison with others, roughly: the longest are computed first.
    fn weight(&self, cell: &Self::Cell) -> u64;
    /// The rows of a cell.
    ///
    /// # Errors
    /// If what was computed is wrong (an independent checker refuses it): the cell has no rows then, and the run fails at
    /// its end.
    fn compute(&self, cell: &Self::Cell) -> Result<Vec<Self::Row>, String>;
    /// The tables of all rows; empty ones are left out.
    fn tables(&self, rows: &[Self::Row]) -> Vec<NamedTable>;
}

/// An experiment of any study.
pub trait AnyExperiment: Debug + Send + Sync {
    /// What the scenario is about, in one line; may be empty.
    fn title(&self) -> &str;
    /// The scenario as a file with every field spelt out.
    fn to_toml(&self) -> String;
    /// Runs what is left to run of the scenario, and writes rows, tables and manifest.
    ///
    /// The files but for the manifest only depend on the scenario. If `interrupt` becomes true, no further cell is begun.
    ///
    /// # Errors
    /// If a file cannot be written, another run is using the folder, or on an interruption. Cells that were finished by
    /// then are kept in the folder.
    fn run(
        &self,
        options: &RunOptions,
        interrupt: &AtomicBool,
        progress: &dyn Progress,
    ) -> Result<RunReport, RunError>;
}

impl<E: Experiment> AnyExperiment for E {
    fn title(&self) -> &str {
        Experiment::title(self)
    }
    fn to_toml(&self) -> String {
        Experiment::to_toml(self)
    }
    fn run(
        &self,
        options: &RunOptions,
        interrupt: &AtomicBool,
        progress: &dyn Progress,
    ) -> Result<RunReport, RunError> {
        run(self, options, interrupt, progress)
    }
}

fn run<E: Experiment>(
    experiment: &E,
    options: &RunOptions,
    interrupt: &AtomicBool,
    progress: &dyn Progress,
) -> Result<RunReport, RunError> {
    let begin = Instant::now();
    let (mut folder, part) = (Folder::of(options)?, &options.part);
    let sources = folder::sources(options)?;
    let (mut earlier, mut notices) = (Earlier::default(), Vec::new());
    if options.fresh {
        folder.remove_journal()?;
    } else {
        for each in std::iter::once(&folder).chain(&sources) {
            read_earlier(each, &mut earlier, &mut notices)?;
        }
    }
    let mut cells = experiment.cells();
    let mut keys: Vec<Key> = cells.iter().map(|cell| key(experiment, cell)).collect();
    notices.extend(foreign(&earlier, &keys));
    let weights: Vec<u64> = cells.iter().map(|cell| experiment.weight(cell)).collect();
    let own = part.own(&weights);
    keep(&mut cells, &own);
    keep(&mut keys, &own);
    let columns: Vec<&str> = record::columns::<E::Row>().collect();
    let header = Header::new(
        part.shard(),
        cells.len(),
        E::CELLS,
        columns.clone(),
        experiment.inputs(),
        experiment.to_toml(),
    );
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build()?;
    let sweep = Sweep::begin(options, (&folder, &sources), &header, (cells.len(), E::CELLS), interrupt)?;
    let weights: Vec<u64> = cells.iter().map(|cell| experiment.weight(cell)).collect();
    let (computed, nanoseconds) = (AtomicUsize::new(0), AtomicU64::new(0));
    let compute = |place: usize| -> Done<E::Row> {
        let begin = Instant::now();
        let done = experiment.compute(&cells[place]);
        nanoseconds.fetch_add(begin.elapsed().as_nanos() as u64, Ordering::Relaxed);
        computed.fetch_add(1, Ordering::Relaxed);
        done
    };
    let of_cell = |place: usize| -> Option<Done<E::Row>> {
        let key = keys[place];
        let done = match earlier.rows(key) {
            Some(rows) => Ok(rows),
            None if !sweep.computes() => return None,
            None => compute(place),
        };
        if let Some(rows) = done.as_ref().ok().filter(|_| !sweep.is_kept(key)) {
            sweep.keep(record::write(key, rows))?;
        }
        progress.finished(News { finished: sweep.finish_one(), total: sweep.total() });
        Some(done)
    };
    let done = pool.install(|| sweep.run(&weights, of_cell));
    sweep.end()?;
    let (mut records, mut rows, mut faults) = (Vec::new(), Vec::new(), Vec::new());
    for (key, done) in keys.iter().zip(done) {
        match done {
            Ok(of_cell) => {
                records.extend(record::write(*key, &of_cell));
                rows.extend(of_cell);
            }
            Err(fault) => faults.push(fault),
        }
    }
    let counts = Counts {
        cells: cells.len(),
        computed: computed.into_inner(),
        failed: faults.len(),
        rows: rows.len(),
    };
    if !part.completes() {
        return Ok(RunReport { tables: Vec::new(), counts, unit: E::CELLS, notices, faults });
    }
    let mut tables = experiment.tables(&rows);
    tables.retain(|named| !named.table.is_empty());
    folder.write_records(ROWS, record::columns::<E::Row>(), records)?;
    tables.iter().try_for_each(|named| folder.write_table(named.name, &named.table))?;
    folder.write("scenario.toml", &experiment.to_toml())?;
    let in_cells = Duration::from_nanos(nanoseconds.into_inner());
    let threads = pool.current_num_threads();
    folder.finish(&manifest::text(experiment, counts, threads, begin.elapsed(), in_cells))?;
    Ok(RunReport { tables, counts, unit: E::CELLS, notices, faults })
}

/// Keeps the places that are marked.
fn keep<T>(all: &mut Vec<T>, marked: &[bool]) {
    let mut marks = marked.iter();
    all.retain(|_| marks.next() == Some(&true));
}

fn key<E: Experiment>(experiment: &E, cell: &E::Cell) -> Key {
    let determinants = experiment.determinants(cell);
    Key::of(&format!("{} {SEMANTICS_VERSION}\n{determinants}", E::STUDY))
}

/// What earlier runs left: the finished one, then the unfinished one.
fn read_earlier<R: Columns>(
    folder: &Folder,
    earlier: &mut Earlier<R>,
    notices: &mut Vec<String>,
) -> Result<(), RunError> {
    if let Some(text) = folder.read(ROWS, notices)? {
        let mut records = table_file::records(&text);
        if records.next().is_some_and(|header| header.iter().eq(record::columns::<R>())) {
            let damaged = records.filter(|record| !earlier.take(&record.iter().collect::<Vec<_>>())).count();
            if damaged > 0 {
                notices.push(format!("{ROWS}: {damaged} damaged rows are computed again"));
            }
        } else {
            notices.push(format!("{ROWS}: has other columns; its rows are not reused"));
        }
    }
    let mut found = folder.read_journals(&record::columns::<R>().collect::<Vec<_>>())?;
    let taken = found.records.iter().filter(|record| earlier.take(&record.iter().collect::<Vec<_>>()));
    found.damaged += found.records.len() - taken.count();
    notices.extend(folder.damage(&found));
    Ok(())
}

/// Says how many cells of earlier runs are none of this scenario's.
fn foreign<R: Columns>(earlier: &Earlier<R>, keys: &[Key]) -> Option<String> {
    let mut keys = keys.to_vec();
    keys.sort_unstable();
    let foreign = earlier.cells().filter(|key| keys.binary_search(key).is_err()).count();
    (foreign > 0).then(|| format!("the rows of {foreign} cells were of another scenario; they are replaced"))
}

/// The rows of a cell, or what is wrong with it.
type Done<R> = Result<Vec<R>, String>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Table;
    use crate::column::columns;
    use crate::tables::Cell as TableCell;
    use std::path::Path;

    /// Squares of numbers; one of them may be refused.
    #[derive(Debug)]
    struct Squares {
        numbers: Vec<u64>,
        refused: Option<u64>,
    }

    columns! {
        /// A number and a power of it.
        struct Power {
            /// The number.
            number: u64,
            /// The power.
            power: u64,
        }
    }

    impl Experiment for Squares {
        type Cell = u64;
        type Row = Power;
        const STUDY: &'static str = "squares";
        const CELLS: &'static str = "numbers";
        fn title(&self) -> &str {
            "Squares and cubes"
        }
        fn seed(&self) -> u64 {
            1
        }
        fn to_toml(&self) -> String {
            format!("numbers = {:?}\n", self.numbers)
        }
        fn cells(&self) -> Vec<u64> {
            self.numbers.clone()
        }
        fn determinants(&self, cell: &u64) -> String {
            cell.to_string()
        }
        fn weight(&self, cell: &u64) -> u64 {
            *cell
        }
        fn compute(&self, &number: &u64) -> Result<Vec<Power>, String> {
            if self.refused == Some(number) {
                return Err(format!("{number} is refused"));
            }
            Ok([2, 3].map(|power| Power { number, power: number.pow(power) }).to_vec())
        }
        fn tables(&self, rows: &[Power]) -> Vec<NamedTable> {
            let sum = rows.iter().map(|row| row.power as usize).sum();
            let table = Table::new(vec!["sum"], vec![vec![TableCell::Count(sum)]]);
            vec![
                NamedTable::short("sum", "The sum", table),
                NamedTable::long("none", "Nothing", Table::new(vec!["n"], vec![])),
            ]
        }
    }

    fn run_in(
        folder: &Path,
        threads: usize,
        numbers: &[u64],
        interrupt: bool,
    ) -> Result<RunReport, RunError> {
        let experiment = Squares { numbers: numbers.to_vec(), refused: None };
        let options = RunOptions { threads, ..RunOptions::new(folder) };
        let stop = AtomicBool::new(false);
        let after_two = |news: News| stop.store(interrupt && news.finished == 2, Ordering::Relaxed);
        experiment.run(&options, &stop, &after_two)
    }

    #[test]
    fn an_interrupted_run_goes_on_to_the_same_bytes() {
        let numbers: Vec<u64> = (1..=20).collect();
        let whole = tempfile::tempdir().unwrap();
        let report = run_in(whole.path(), 2, &numbers, false).unwrap();
        assert_eq!(report.counts, Counts { cells: 20, computed: 20, failed: 0, rows: 40 });
        assert_eq!(report.tables.len(), 1);

        let folder = tempfile::tempdir().unwrap();
        let error = run_in(folder.path(), 1, &numbers, true).unwrap_err().to_string();
        assert!(error.starts_with("interrupted after 2 of 20 numbers"), "{error}");
        // The journal's last line is cut: its cell, of which one row is left, is computed again.
        let journal = folder.path().join(folder::JOURNAL);
        let text = std::fs::read_to_string(&journal).unwrap();
        std::fs::write(&journal, &text[..text.len() - 3]).unwrap();
        let report = run_in(folder.path(), 1, &numbers, false).unwrap();
        assert_eq!((report.counts.computed, report.notices.len()), (19, 1), "{:?}", report.notices);
        for name in [ROWS, "tables/sum.csv", "tables/sum.md", "scenario.toml"] {
            let bytes = |folder: &Path| std::fs::read_to_string(folder.join(name)).unwrap();
            assert_eq!(bytes(folder.path()), bytes(whole.path()), "{name}");
        }

        // Fewer cells in the same folder: nothing is computed, and the others are told.
        let report = run_in(folder.path(), 1, &numbers[..5], false).unwrap();
        assert_eq!((report.counts.computed, report.counts.rows), (0, 10));
        assert_eq!(report.notices, ["the rows of 15 cells were of another scenario; they are replaced"]);
    }

    #[test]
    fn what_is_refused_has_no_rows_and_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let options = RunOptions { threads: 1, ..RunOptions::new(folder.path()) };
        let experiment = Squares { numbers: vec![1, 2, 3], refused: Some(2) };
        for computed in [3, 1] {
            let report = experiment.run(&options, &AtomicBool::new(false), &()).unwrap();
            assert_eq!(report.counts, Counts { cells: 3, computed, failed: 1, rows: 4 });
            assert_eq!(report.faults, ["2 is refused"]);
        }
    }
}
