//! Running a scenario of the off-line study.

use super::manifest;
use super::record::{self, Earlier, INSTANCES, Record};
use super::rows;
use super::scenario::Scenario;
use super::solve::{Done, Place, solve};
use super::study::Study;
use super::tables::{self, Tables};
use super::times::Times;
use crate::experiment::{News, Progress};
use crate::folder::{self, Folder};
use crate::header::Header;
use crate::journal::Journal;
use crate::{Key, RunError, RunOptions, table_file};
use dfrsim_offline::instances;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// What an off-line run came to.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// The tables, to be read in a terminal.
    pub tables: Tables,
    /// What there is.
    pub counts: Counts,
    /// What the user should know besides.
    pub notices: Vec<String>,
    /// Packings that did not pass the checker: algorithm, instance and the first fault.
    pub faults: Vec<String>,
}

/// How many results there are; one for each instance and algorithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Instances.
    pub instances: usize,
    /// Results in all.
    pub total: usize,
    /// Computed by this run.
    pub computed: usize,
    /// Packings that did not pass the checker.
    pub invalid: usize,
}

/// Runs what is left to run of a scenario, and writes instances, rows, tables, times and manifest. Every packing is
/// looked at by the independent checker; [`RunOptions::audit`] does not matter.
///
/// The files but for times and manifest only depend on the scenario, as those of [`crate::run()`] do; with a time
/// limit, on what the limit hits too. If `interrupt` becomes true, no further instance is begun.
///
/// # Errors
/// If a file cannot be written, another run is using the folder, or on an interruption. Instances that were finished
/// by then are kept in the folder.
pub fn run(
    scenario: &Scenario,
    options: &RunOptions,
    interrupt: &AtomicBool,
    progress: &dyn Progress,
) -> Result<RunReport, RunError> {
    let begin = Instant::now();
    let (mut folder, part) = (Folder::of(options)?, &options.part);
    let sources = folder::sources(options)?;
    let columns = record::columns(scenario);
    let (mut earlier, mut notices) = (Earlier::default(), Vec::new());
    if options.fresh {
        folder.remove_journal()?;
    } else {
        for each in std::iter::once(&folder).chain(&sources) {
            read_earlier(scenario, each, &columns, &mut earlier, &mut notices)?;
        }
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build()?;
    let grids: Vec<Vec<instances::Scenario>> =
        scenario.instances.iter().map(super::InstanceGroup::scenarios).collect();
    let mut places = places(scenario, &grids);
    let weights: Vec<u64> = places.iter().map(|place| weight(scenario, place)).collect();
    let mut own = part.own(&weights).into_iter();
    places.retain(|_| own.next() == Some(true));
    let names = || columns.iter().map(String::as_str);
    let header = Header::new(part.shard(), places.len(), "instances", names(), [], scenario.to_toml());
    for each in std::iter::once(&folder).chain(&sources).filter(|_| !part.computes()) {
        each.check_headers(&header)?;
    }
    let sweep = Sweep {
        scenario,
        places: &places,
        earlier,
        kept: folder.own_keys(names())?,
        journal: part.computes().then(|| folder.open_journal(&header).map(Mutex::new)).transpose()?,
        interrupt,
        failure: OnceLock::new(),
        progress,
        finished: AtomicUsize::new(0),
        computed: AtomicUsize::new(0),
        times: Mutex::default(),
        faults: Mutex::default(),
    };
    let records = pool.install(|| sweep.run());
    if let Some(failure) = sweep.failure.into_inner() {
        return Err(failure);
    }
    if records.len() < places.len() && !part.computes() {
        let (missing, total) = (places.len() - records.len(), places.len());
        return Err(RunError::Missing { missing, total, what: "instances" });
    }
    if records.len() < places.len() {
        return Err(RunError::Interrupted { done: records.len(), total: places.len(), what: "instances" });
    }
    let study = Study::new(scenario, &grids, records);
    let counts = Counts {
        instances: study.records.len(),
        total: study.cells().filter(|&cell| cell != record::Cell::Skipped).count(),
        computed: sweep.computed.into_inner(),
        invalid: study.cells().filter(|&cell| cell == record::Cell::Invalid).count(),
    };
    let times = sweep.times.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut faults = sweep.faults.into_inner().unwrap_or_else(PoisonError::into_inner);
    faults.sort();
    if !part.completes() {
        return Ok(RunReport { tables: Tables::default(), counts, notices, faults });
    }
    let tables = Tables::of(&study);
    let lines = study.records.iter().map(|record| record.write(scenario));
    folder.write_records(INSTANCES, columns.iter().map(String::as_str), lines)?;
    folder.write(crate::results::ROWS, &rows::table(&study).csv())?;
    tables::write(&tables, &mut folder)?;
    if !times.is_empty() {
        folder.write("times.csv", &times.table(scenario).csv())?;
    }
    folder.write("scenario.toml", &scenario.to_toml())?;
    let threads = pool.current_num_threads();
    folder.finish(&manifest::text(scenario, counts, threads, begin.elapsed(), times.total()))?;
    Ok(RunReport { tables, counts, notices, faults })
}

/// What earlier runs left: the finished one, in whatever columns, then the unfinished one.
fn read_earlier(
    scenario: &Scenario,
    folder: &Folder,
    columns: &[String],
    earlier: &mut Earlier,
    notices: &mut Vec<String>,
) -> Result<(), RunError> {
    if let Some(text) = folder.read(INSTANCES, notices)? {
        let records: Vec<csv::StringRecord> = table_file::records(&text).collect();
        if let Some((header, records)) = records.split_first() {
            let header: Vec<String> = header.iter().map(str::to_owned).collect();
            let unreadable = earlier.take(scenario, &header, records);
            if unreadable > 0 {
                notices.push(format!("{INSTANCES}: {unreadable} damaged lines are computed again"));
            }
        }
    }
    let mut found = folder.read_journals(&columns.iter().map(String::as_str).collect::<Vec<_>>())?;
    found.damaged += earlier.take(scenario, columns, &found.records);
    notices.extend(folder.damage(&found));
    Ok(())
}

/// All instances, in the order of the scenario.
fn places<'a>(scenario: &Scenario, grids: &'a [Vec<instances::Scenario>]) -> Vec<Place<'a>> {
    let mut places = Vec::new();
    for ((group, of_group), grid) in (0..).zip(&scenario.instances).zip(grids) {
        for (number, parameters) in (0..).zip(grid) {
            let place = |sample| Place { group, scenario: number, sample, parameters };
            places.extend((0..of_group.samples).map(place));
        }
    }
    places
}

struct Sweep<'a> {
    scenario: &'a Scenario,
    places: &'a [Place<'a>],
    earlier: Earlier,
    /// What is in the journal from before.
    kept: BTreeSet<Key>,
    /// Nothing if no instance is solved.
    journal: Option<Mutex<Journal>>,
    interrupt: &'a AtomicBool,
    /// The first failure; it ends the sweep.
    failure: OnceLock<RunError>,
    progress: &'a dyn Progress,
    finished: AtomicUsize,
    computed: AtomicUsize,
    times: Mutex<Times>,
    faults: Mutex<Vec<String>>,
}

impl Sweep<'_> {
    /// Solves instance after instance, the longest first, so that no thread is left with a long one at the end. Gives
    /// what was finished in the order of the scenario.
    fn run(&self) -> Vec<Record> {
        let mut order: Vec<usize> = (0..self.places.len()).collect();
        order.sort_by_key(|&place| Reverse(weight(self.scenario, &self.places[place])));
        let done: Vec<OnceLock<Record>> = order.iter().map(|_| OnceLock::new()).collect();
        let next = AtomicUsize::new(0);
        rayon::broadcast(|_| {
            while let Some(&place) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                if self.interrupt.load(Ordering::Relaxed) || self.failure.get().is_some() {
                    return;
                }
                if let Some(record) = self.instance(self.places[place]) {
                    done[place].get_or_init(|| record);
                }
            }
        });
        done.into_iter().filter_map(OnceLock::into_inner).collect()
    }

    /// The record of an instance; nothing if it could not be kept.
    fn instance(&self, place: Place<'_>) -> Option<Record> {
        let Done { record, computed, times, faults } =
            solve(self.scenario, place, &self.earlier, self.journal.is_some())?;
        if let Some(journal) =
            self.journal.as_ref().filter(|_| computed > 0 || !self.kept.contains(&record.key))
        {
            let mut journal = journal.lock().unwrap_or_else(PoisonError::into_inner);
            if let Err(failure) = journal.append([record.write(self.scenario)]) {
                // Only the first failure is told; the others follow from it more often than not.
                let _ = self.failure.set(failure);
                return None;
            }
        }
        self.computed.fetch_add(computed, Ordering::Relaxed);
        let (nodes, tasks) = (place.parameters.nodes(), tasks(place.parameters));
        self.times.lock().unwrap_or_else(PoisonError::into_inner).add(place.group, nodes, tasks, &times);
        self.faults.lock().unwrap_or_else(PoisonError::into_inner).extend(faults);
        let finished = self.finished.fetch_add(1, Ordering::Relaxed) + 1;
        self.progress.finished(News { finished, total: self.places.len() });
        Some(record)
    }
}

/// How long an instance takes, roughly: those on which slow algorithms run take longest, whatever their size.
fn weight(scenario: &Scenario, place: &Place<'_>) -> u64 {
    let tasks = tasks(place.parameters);
    let mut slow = scenario.slow.iter().flat_map(|slow| &slow.algorithms);
    let is_slow = slow.any(|&each| scenario.allows(each, tasks, place.sample));
    (u64::from(is_slow) << 32) + u64::from(tasks)
}

/// The tasks of an instance with these parameters.
fn tasks(parameters: &instances::Scenario) -> u32 {
    match parameters {
        instances::Scenario::Dissertation(scenario) => scenario.jobs,
        instances::Scenario::Rr6692(scenario) => scenario.tasks,
    }
}
