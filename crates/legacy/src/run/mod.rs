//! Running a scenario.

mod case;

use self::case::Case;
use crate::folder::{self, Earlier, Folder};
use crate::header::Header;
use crate::instance::{Instance, instances};
use crate::key::{Digest, Key};
use crate::manifest::{self, HostFacts};
use crate::row::Row;
use crate::scenario::Scenario;
use crate::setting::{Setting, settings};
use crate::sweep::Sweep;
use crate::tables::{self, Tables};
use crate::{Part, Progress, RunError, RunOptions};
use dfrsim_cluster::Scheduler;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::{Duration, Instant};

/// What a run came to.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// The tables, to be read in a terminal.
    pub tables: Tables,
    /// The rows.
    pub rows: RowCounts,
    /// What became of the lines of each log: (workload, counts).
    pub preparation: Vec<(String, String)>,
    /// What the user should know besides.
    pub notices: Vec<String>,
}

/// How many rows there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowCounts {
    /// In all.
    pub total: usize,
    /// Computed by this run.
    pub computed: usize,
    /// Taken over from earlier runs.
    pub restored: usize,
    /// Of simulations that failed.
    pub failed: usize,
}

/// Makes the scheduler of a policy for so many nodes.
pub(crate) type MakeScheduler<'a> = &'a (dyn Fn(&Setting, u32) -> Box<dyn Scheduler> + Sync);

/// Runs what is left to run of a scenario, and writes rows, tables and manifest.
///
/// The files but for the manifest only depend on the scenario: not on threads, interruptions, or what was in the
/// folder before. If `interrupt` becomes true, no further simulation is begun.
///
/// # Errors
/// If a log cannot be used, a file not be written, another run is using the folder, or on an interruption. Rows that
/// were finished by then are kept in the folder, and earlier results remain. A simulation that fails is no
/// error but a failed row.
pub fn run(
    scenario: &Scenario,
    options: &RunOptions,
    interrupt: &AtomicBool,
    progress: &dyn Progress,
) -> Result<RunReport, RunError> {
    let scheduler = |setting: &Setting, nodes| setting.policy.scheduler(nodes, &setting.numbers);
    run_with(scenario, options, interrupt, progress, &scheduler)
}

/// [`run`] with schedulers of the caller's choice.
pub(crate) fn run_with(
    scenario: &Scenario,
    options: &RunOptions,
    interrupt: &AtomicBool,
    progress: &dyn Progress,
    scheduler: MakeScheduler<'_>,
) -> Result<RunReport, RunError> {
    let begin = Instant::now();
    let (mut folder, part) = (Folder::of(options)?, &options.part);
    let sources = folder::sources(options)?;
    let mut earlier = Earlier::default();
    if options.fresh {
        folder.remove_journal()?;
    } else {
        for each in std::iter::once(&folder).chain(&sources) {
            let Earlier { rows, notices } = each.earlier()?;
            earlier.rows.extend(rows);
            earlier.notices.extend(notices);
        }
    }
    let Earlier { rows: earlier_rows, mut notices } = earlier;
    let (instances, inputs) = instances(scenario)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build()?;

    let settings = settings(scenario);
    let own = own(scenario, part, &instances, &settings);
    let total = own.iter().flatten().filter(|own| **own).count();
    let rows = total * scenario.simulation.taus.len();
    let files = inputs.iter().map(|input| (input.file(scenario).to_owned(), input.digest));
    let header = Header::new(part.shard(), rows, "rows", Row::columns(), files, scenario.to_toml());
    let simulations = Simulations {
        scenario,
        settings: &settings,
        instances: &instances,
        earlier: earlier_rows.iter().map(|row| (row.key, row)).collect(),
        own: &own,
        sweep: Sweep::begin(options, (&folder, &sources), &header, (total, "simulations"), interrupt)?,
        progress,
        scheduler,
        audit: options.audit,
        simulated: AtomicU64::new(0),
        bounded: AtomicU64::new(0),
    };
    let sizes: Vec<u64> = instances.iter().map(|instance| instance.size() as u64).collect();
    let done = pool.install(|| simulations.sweep.run(&sizes, |place| simulations.instance(place)));
    let Simulations { sweep, simulated, bounded, .. } = simulations;
    sweep.end()?;
    let digests: Vec<Digest> = done.iter().map(|instance| instance.digest).collect();
    let computed = done.iter().map(|instance| instance.computed).sum();
    let rows: Vec<Row> = done.into_iter().flat_map(|instance| instance.rows).collect();

    let counts = RowCounts {
        total: rows.len(),
        computed,
        restored: rows.len() - computed,
        failed: rows.iter().filter(|row| row.outcome.is_err()).count(),
    };
    let tables = Tables::of(scenario, &inputs, &rows);
    let preparation = inputs
        .iter()
        .map(|input| (scenario.workloads[input.workload].name.clone(), input.report.to_string()))
        .collect();
    if !part.completes() {
        return Ok(RunReport { tables, rows: counts, preparation, notices });
    }
    notices.extend(foreign(&earlier_rows, &rows));
    let host = HostFacts {
        threads: pool.current_num_threads(),
        wall: begin.elapsed(),
        simulations: Duration::from_nanos(simulated.into_inner()),
        bounds: Duration::from_nanos(bounded.into_inner()),
    };
    folder.write_rows(&rows)?;
    tables::write(&tables, &mut folder)?;
    folder.write("scenario.toml", &scenario.to_toml())?;
    folder.finish(&manifest::text(scenario, &instances, &digests, &inputs, counts, &host))?;
    Ok(RunReport { tables, rows: counts, preparation, notices })
}

/// Which simulations are run here: for each instance, which of the settings. An instance takes about as long as it has jobs;
/// how long a setting takes is not known, so those of an instance are dealt out in an order that has nothing to do with
/// their names.
fn own(scenario: &Scenario, part: &Part, instances: &[Instance], settings: &[Setting]) -> Vec<Vec<bool>> {
    if part.completes() {
        return vec![vec![true; settings.len()]; instances.len()];
    }
    let labels: Vec<String> = settings.iter().map(|setting| format!("{:?}", setting.label())).collect();
    let mut simulations: Vec<(Key, usize, usize)> = Vec::with_capacity(instances.len() * settings.len());
    for (at, instance) in instances.iter().enumerate() {
        let workload = &scenario.workloads[instance.workload].name;
        let key = |label: &String| Key::of(&format!("{workload}\n{}\n{label}", instance.name));
        simulations.extend(labels.iter().enumerate().map(|(setting, label)| (key(label), at, setting)));
    }
    simulations.sort_unstable();
    let weights: Vec<u64> =
        simulations.iter().map(|&(_, instance, _)| instances[instance].size() as u64).collect();
    let mut own = vec![vec![false; settings.len()]; instances.len()];
    for ((_, instance, setting), is_own) in simulations.into_iter().zip(part.own(&weights)) {
        own[instance][setting] = is_own;
    }
    own
}

/// Says how many rows of earlier runs are none of this scenario's.
fn foreign(earlier: &[Row], rows: &[Row]) -> Option<String> {
    let mut keys: Vec<Key> = rows.iter().map(|row| row.key).collect();
    keys.sort_unstable();
    let foreign = earlier.iter().filter(|row| keys.binary_search(&row.key).is_err()).count();
    (foreign > 0).then(|| format!("{foreign} rows in the folder were of another scenario; they are replaced"))
}

/// One instance when all of its rows are there.
struct Done {
    digest: Digest,
    rows: Vec<Row>,
    computed: usize,
}

/// All simulations of a scenario while they run.
struct Simulations<'a> {
    scenario: &'a Scenario,
    settings: &'a [Setting],
    instances: &'a [Instance],
    earlier: BTreeMap<Key, &'a Row>,
    /// For each instance, which of the settings are simulated here.
    own: &'a [Vec<bool>],
    sweep: Sweep<'a>,
    progress: &'a dyn Progress,
    scheduler: MakeScheduler<'a>,
    audit: bool,
    /// Time spent, in nanoseconds, added up over the threads.
    simulated: AtomicU64,
    bounded: AtomicU64,
}

impl Simulations<'_> {
    /// All rows of an instance; nothing if the sweep was stopped before they were there.
    fn instance(&self, place: usize) -> Option<Done> {
        let instance = &self.instances[place];
        let jobs = match instance.jobs() {
            Ok(jobs) => jobs,
            Err(error) => {
                let workload = self.scenario.workloads[instance.workload].name.clone();
                self.sweep.fail(RunError::Load { workload, instance: instance.name.clone(), error });
                return None;
            }
        };
        let case = Case::new(self, instance, &jobs);
        let own = self.settings.iter().zip(&self.own[place]).filter(|(_, own)| **own);
        let simulations: Vec<(&Setting, Option<Vec<Row>>)> =
            own.map(|(setting, _)| (setting, case.restore(setting))).collect();
        let is_missing = |simulation: &(&Setting, Option<Vec<Row>>)| simulation.1.is_none();
        let any_missing = simulations.iter().any(is_missing);
        if any_missing && !self.sweep.computes() {
            // Those that are there count, so that it can be told how many are not.
            simulations.iter().filter(|each| !is_missing(each)).for_each(|_| _ = self.sweep.finish_one());
            return None;
        }
        // Beside the simulations, so that one large instance keeps several threads busy.
        let (_, rows) = rayon::join(
            || {
                if any_missing {
                    case.find_bounds();
                }
            },
            || {
                simulations
                    .into_par_iter()
                    .map(|(setting, restored)| case.rows(setting, restored))
                    .collect::<Option<Vec<_>>>()
            },
        );
        Some(Done { digest: case.digest(), rows: rows?.concat(), computed: case.computed() })
    }
}

#[cfg(test)]
mod tests;
