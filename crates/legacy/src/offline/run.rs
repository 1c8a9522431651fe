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
use crate::sweep::Sweep;
use crate::{RunError, RunOptions, table_file};
use dfrsim_offline::instances;
use serde::Serialize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
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
    let sweep = Sweep::begin(options, (&folder, &sources), &header, (places.len(), "instances"), interrupt)?;
    let weights: Vec<u64> = places.iter().map(|place| weight(scenario, place)).collect();
    let (computed_cells, times, faults) =
        (AtomicUsize::new(0), Mutex::<Times>::default(), Mutex::<Vec<String>>::default());
    let of_instance = |number: usize| -> Option<Record> {
        let place = places[number];
        let Done { record, computed, times: taken, faults: found } =
            solve(scenario, place, &earlier, sweep.computes())?;
        if computed > 0 || !sweep.is_kept(record.key) {
            sweep.keep([record.write(scenario)])?;
        }
        computed_cells.fetch_add(computed, Ordering::Relaxed);
        let (nodes, tasks) = (place.parameters.nodes(), tasks(place.parameters));
        locked(&times).add(place.group, nodes, tasks, &taken);
        locked(&faults).extend(found);
        progress.finished(News { finished: sweep.finish_one(), total: sweep.total() });
        Some(record)
    };
    let records = pool.install(|| sweep.run(&weights, of_instance));
    sweep.end()?;
    let study = Study::new(scenario, &grids, records);
    let counts = Counts {
        instances: study.records.len(),
        total: study.cells().filter(|&cell| cell != record::Cell::Skipped).count(),
        computed: computed_cells.into_inner(),
        invalid: study.cells().filter(|&cell| cell == record::Cell::Invalid).count(),
    };
    let times = times.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut faults = faults.into_inner().unwrap_or_else(PoisonError::into_inner);
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

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
