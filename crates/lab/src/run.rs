//! Running a scenario.

use crate::audited::Audited;
use crate::folder::{self, Earlier, Folder};
use crate::header::Header;
use crate::instance::{Instance, instances};
use crate::journal::Journal;
use crate::key::{Determinants, Digest, Key, overrun_name};
use crate::manifest::{self, HostFacts};
use crate::row::{Cell, Figures, Row};
use crate::scenario::{Scenario, Simulation};
use crate::setting::{Setting, settings};
use crate::tables::{self, Tables};
use crate::{News, Part, Progress, RunError, RunOptions};
use dfrsim_audit::Faults;
use dfrsim_bound::max_stretch_bound;
use dfrsim_cluster::{Metrics, Options, Overrun, Scheduler, Summary, SummaryOptions, simulate};
use dfrsim_model::{Job, Seed, SimSpan};
use dfrsim_policies::PolicyOptions;

use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
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
    for each in std::iter::once(&folder).chain(&sources).filter(|_| !part.computes()) {
        each.check_headers(&header)?;
    }
    let sweep = Sweep {
        scenario,
        settings: &settings,
        instances: &instances,
        earlier: earlier_rows.iter().map(|row| (row.key, row)).collect(),
        own: &own,
        kept: folder.own_keys(Row::columns())?,
        journal: part.computes().then(|| folder.open_journal(&header).map(Mutex::new)).transpose()?,
        interrupt,
        failure: OnceLock::new(),
        progress,
        scheduler,
        audit: options.audit,
        total,
        finished: AtomicUsize::new(0),
        missing: AtomicUsize::new(0),
        simulated: AtomicU64::new(0),
        bounded: AtomicU64::new(0),
    };
    let done = pool.install(|| sweep.run());
    let finished = sweep.finished.into_inner();
    if let Some(failure) = sweep.failure.into_inner() {
        return Err(failure);
    }
    let missing = sweep.missing.into_inner();
    if missing > 0 {
        return Err(RunError::Missing { missing, total, what: "simulations" });
    }
    if finished < total {
        return Err(RunError::Interrupted { done: finished, total, what: "simulations" });
    }
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
        simulations: Duration::from_nanos(sweep.simulated.into_inner()),
        bounds: Duration::from_nanos(sweep.bounded.into_inner()),
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

struct Sweep<'a> {
    scenario: &'a Scenario,
    settings: &'a [Setting],
    instances: &'a [Instance],
    earlier: BTreeMap<Key, &'a Row>,
    /// For each instance, which of the settings are simulated here.
    own: &'a [Vec<bool>],
    /// What is in the journal from before.
    kept: BTreeSet<Key>,
    /// Nothing if nothing is simulated.
    journal: Option<Mutex<Journal>>,
    interrupt: &'a AtomicBool,
    /// The first failure; it ends the sweep.
    failure: OnceLock<RunError>,
    progress: &'a dyn Progress,
    scheduler: MakeScheduler<'a>,
    audit: bool,
    /// Simulations in all.
    total: usize,
    /// Simulations whose rows are there.
    finished: AtomicUsize,
    /// Simulations whose rows are not there, if nothing is simulated.
    missing: AtomicUsize,
    /// Time spent, in nanoseconds, added up over the threads.
    simulated: AtomicU64,
    bounded: AtomicU64,
}

impl Sweep<'_> {
    /// Runs instance after instance, the largest first, so that no thread is left with a long one at the end. Gives
    /// what was finished in the order of the scenario.
    fn run(&self) -> Vec<Done> {
        let mut order: Vec<usize> = (0..self.instances.len()).collect();
        order.sort_by_key(|&instance| std::cmp::Reverse(self.instances[instance].size()));
        let done: Vec<OnceLock<Done>> = order.iter().map(|_| OnceLock::new()).collect();
        let next = AtomicUsize::new(0);
        // Every thread takes the next instance; those that find none help with what is left of the others.
        rayon::broadcast(|_| {
            while let Some(&place) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                if let Some(rows) = self.instance(place) {
                    done[place].get_or_init(|| rows);
                }
            }
        });
        done.into_iter().filter_map(OnceLock::into_inner).collect()
    }

    fn simulation(&self) -> &Simulation {
        &self.scenario.simulation
    }
    fn stopped(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed) || self.failure.get().is_some()
    }
    fn fail(&self, failure: RunError) {
        // Only the first failure is told; the others follow from it more often than not.
        let _ = self.failure.set(failure);
    }

    /// Puts rows into the journal, wherever they come from, unless they are there; nothing if that is not possible.
    fn keep(&self, rows: &[Row]) -> Option<()> {
        let Some(journal) = &self.journal else { return Some(()) };
        let new = rows.iter().filter(|row| !self.kept.contains(&row.key)).map(Row::write);
        let mut journal = journal.lock().unwrap_or_else(PoisonError::into_inner);
        journal.append(new).map_err(|failure| self.fail(failure)).ok()
    }

    /// All rows of an instance; nothing if the sweep was stopped before they were there.
    fn instance(&self, place: usize) -> Option<Done> {
        if self.stopped() {
            return None;
        }
        let instance = &self.instances[place];
        let jobs = match instance.jobs() {
            Ok(jobs) => jobs,
            Err(error) => {
                let workload = self.scenario.workloads[instance.workload].name.clone();
                self.fail(RunError::Load { workload, instance: instance.name.clone(), error });
                return None;
            }
        };
        let case = Case::new(self, instance, &jobs);
        let own = self.settings.iter().zip(&self.own[place]).filter(|(_, own)| **own);
        let simulations: Vec<(&Setting, Option<Vec<Row>>)> =
            own.map(|(setting, _)| (setting, case.restore(setting))).collect();
        if self.journal.is_none() {
            let missing = simulations.iter().filter(|(_, restored)| restored.is_none()).count();
            self.missing.fetch_add(missing, Ordering::Relaxed);
            if missing > 0 {
                return None;
            }
        }
        let bounds_needed = simulations.iter().any(|(_, restored)| restored.is_none());
        // Beside the simulations, so that one large instance keeps several threads busy.
        let (_, rows) = rayon::join(
            || {
                if bounds_needed {
                    (0..case.bounds.len()).into_par_iter().for_each(|tau| _ = case.bound(tau));
                }
            },
            || {
                simulations
                    .into_par_iter()
                    .map(|(setting, restored)| case.rows(setting, restored))
                    .collect::<Option<Vec<_>>>()
            },
        );
        let rows = rows?;
        Some(Done { digest: case.digest, rows: rows.concat(), computed: case.computed.into_inner() })
    }
}

/// An instance while its policies run.
struct Case<'a> {
    sweep: &'a Sweep<'a>,
    instance: &'a Instance,
    nodes: u32,
    jobs: &'a [Job],
    digest: Digest,
    /// The bound for each tau, computed by whoever needs it first.
    bounds: Vec<OnceLock<f64>>,
    /// Rows that were not restored.
    computed: AtomicUsize,
}

impl<'a> Case<'a> {
    fn new(sweep: &'a Sweep<'a>, instance: &'a Instance, jobs: &'a [Job]) -> Case<'a> {
        Case {
            sweep,
            instance,
            nodes: sweep.scenario.workloads[instance.workload].nodes.get(),
            jobs,
            digest: Digest::of_jobs(jobs),
            bounds: sweep.simulation().taus.iter().map(|_| OnceLock::new()).collect(),
            computed: AtomicUsize::new(0),
        }
    }

    fn options(&self, penalty: SimSpan) -> Options {
        let Simulation { estimates, overrun, .. } = *self.sweep.simulation();
        let seed = Seed::new(self.sweep.scenario.seed).fork("simulation");
        Options { penalty, estimates, overrun, seed, ..Options::default() }
    }
    /// The setting with what policies are told of the workload's nodes.
    fn on_these_nodes(&self, setting: &Setting) -> Setting {
        let node_memory_gb = self.sweep.scenario.workloads[self.instance.workload].node_memory_gb;
        Setting { numbers: PolicyOptions { node_memory_gb, ..setting.numbers }, ..*setting }
    }
    fn key(&self, setting: &Setting, tau: SimSpan) -> Key {
        let Simulation { warm_up, cool_down, .. } = *self.sweep.simulation();
        let options = &self.options(setting.penalty);
        let (jobs, nodes, setting) = (self.digest, self.nodes, self.on_these_nodes(setting));
        Determinants { jobs, nodes, setting, options, tau, warm_up, cool_down }.key()
    }
    fn cell(&self, setting: &Setting, tau: SimSpan, bound: f64) -> Cell {
        let Simulation { estimates, overrun, .. } = *self.sweep.simulation();
        let label = setting.label();
        Cell {
            workload: self.sweep.scenario.workloads[self.instance.workload].name.clone(),
            instance: self.instance.name.clone(),
            load: self.instance.load,
            policy: label.policy,
            penalty_s: label.penalty,
            period_s: label.period,
            packing: label.packing,
            drop: label.drop,
            estimates: estimates.to_string(),
            overrun: overrun_name(overrun).to_owned(),
            tau_s: tau,
            nodes: self.nodes,
            jobs: self.jobs.len(),
            bound,
        }
    }

    /// The rows of a simulation, if earlier runs left all of them. Their names are the present scenario's.
    fn restore(&self, setting: &Setting) -> Option<Vec<Row>> {
        let row = |&tau: &SimSpan| {
            let key = self.key(setting, tau);
            let Row { cell, outcome, .. } = self.sweep.earlier.get(&key)?;
            Some(Row { key, cell: self.cell(setting, tau, cell.bound), outcome: outcome.clone() })
        };
        self.sweep.simulation().taus.iter().map(row).collect()
    }

    /// The rows of a simulation; nothing if the sweep was stopped.
    fn rows(&self, setting: &Setting, restored: Option<Vec<Row>>) -> Option<Vec<Row>> {
        let sweep = self.sweep;
        let rows = match restored {
            Some(rows) => rows,
            None if sweep.stopped() => return None,
            None => {
                let rows = self.simulate(setting);
                self.computed.fetch_add(rows.len(), Ordering::Relaxed);
                rows
            }
        };
        sweep.keep(&rows)?;
        let finished = sweep.finished.fetch_add(1, Ordering::Relaxed) + 1;
        sweep.progress.finished(&News { finished, total: sweep.total, rows: &rows });
        Some(rows)
    }

    fn simulate(&self, setting: &Setting) -> Vec<Row> {
        let taus = &self.sweep.simulation().taus;
        let begin = Instant::now();
        let summary = self
            .metrics(setting)
            .and_then(|metrics| metrics.summary().ok_or_else(|| "no job is left to count".to_owned()));
        add_time(&self.sweep.simulated, begin);
        let row = |(index, &tau): (usize, &SimSpan)| {
            let bound = self.bound(index);
            let figures =
                |summary: &Summary| Box::new(Figures::new(summary, &summary.bounded_stretch[index].1, bound));
            Row {
                key: self.key(setting, tau),
                cell: self.cell(setting, tau, bound),
                outcome: summary.as_ref().map(figures).map_err(String::clone),
            }
        };
        taus.iter().enumerate().map(row).collect()
    }

    /// What the simulation measured, or why it failed.
    fn metrics(&self, setting: &Setting) -> Result<Metrics, String> {
        let one_line = |message: String| message.replace(['\r', '\n'], " ");
        let faulty = |faults: &Faults| one_line(format!("audit: {faults}"));
        let mut scheduler = (self.sweep.scheduler)(&self.on_these_nodes(setting), self.nodes);
        let options = self.options(setting.penalty);
        let Simulation { taus, warm_up, cool_down, .. } = self.sweep.simulation();
        let audited = || Audited::new(&setting.policy.to_string(), self.nodes, setting.penalty, taus[0]);
        let audited = self.sweep.audit.then(audited).transpose().map_err(|faults| faulty(&faults))?;
        let metrics = Metrics::new(SummaryOptions {
            nodes: self.nodes,
            taus: taus.clone(),
            warm_up: *warm_up,
            cool_down: *cool_down,
        });
        let mut watchers = (metrics, audited);
        simulate(self.nodes, &options, self.jobs.iter().cloned(), scheduler.as_mut(), &mut watchers)
            .map_err(|error| one_line(error.to_string()))?;
        let (metrics, audited) = watchers;
        if let Some(audited) = audited {
            audited.verdict().map_err(|faults| faulty(&faults))?;
        }
        Ok(metrics)
    }

    /// The bound for the tau of this place.
    fn bound(&self, tau: usize) -> f64 {
        *self.bounds[tau].get_or_init(|| {
            let begin = Instant::now();
            let jobs = as_run(self.jobs, &self.options(SimSpan::ZERO));
            let bound = max_stretch_bound(&jobs, self.nodes, self.sweep.simulation().taus[tau]).value;
            add_time(&self.sweep.bounded, begin);
            bound
        })
    }
}

/// The jobs with the run times that they really get: those that will be killed end at their estimates.
fn as_run<'a>(jobs: &'a [Job], options: &Options) -> Cow<'a, [Job]> {
    if options.overrun == Overrun::Extend {
        return Cow::Borrowed(jobs);
    }
    let cut = |job: &Job| {
        let estimate = options.estimates.estimate(job, options.seed).unwrap_or(SimSpan::MAX);
        Job { run_time: job.run_time.min(estimate), ..job.clone() }
    };
    Cow::Owned(jobs.iter().map(cut).collect())
}

fn add_time(total: &AtomicU64, begin: Instant) {
    total.fetch_add(begin.elapsed().as_nanos() as u64, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Results;
    use crate::regression::{Baseline, CheckOptions, Verdict, check};
    use dfrsim_cluster::{Decision, Situation};

    /// Waits for ever.
    struct Idle;

    impl Scheduler for Idle {
        fn decide(&mut self, _: &Situation<'_>, _: &mut Decision) {}
    }

    /// FCFS is replaced by a scheduler that fails: its rows say why, the others are as ever, and the table counts it.
    #[test]
    fn a_failed_simulation_is_a_row() {
        let text = "study = 'online'\npolicies = ['FCFS', 'EASY']\n\
            [[workloads]]\nname = 'model'\nnodes = 8\nlublin = { traces = 2, jobs = 20 }\n";
        let scenario = Scenario::parse(text, "failing.toml", &[]).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let options = RunOptions { threads: 1, ..RunOptions::new(folder.path()) };
        let scheduler = |setting: &Setting, nodes| -> Box<dyn Scheduler> {
            match setting.policy.to_string().as_str() {
                "FCFS" => Box::new(Idle),
                _ => setting.policy.scheduler(nodes, &setting.numbers),
            }
        };
        let run = || run_with(&scenario, &options, &AtomicBool::new(false), &(), &scheduler).unwrap();
        let report = run();
        assert_eq!(report.rows, RowCounts { total: 4, computed: 4, restored: 0, failed: 2 });
        let rows = std::fs::read_to_string(folder.path().join("rows.csv")).unwrap();
        assert_eq!(rows.matches(",failed,\"nothing happens any more at ").count(), 2, "{rows}");
        let table = report.tables.degradation.csv();
        let failed = table.lines().nth(1).unwrap();
        assert!(failed.starts_with("model,,FCFS,300,,,,10,2,2,,,,"), "{failed}");
        assert!(table.lines().nth(2).unwrap().starts_with("model,,EASY,300,,,,10,2,0,"), "{table}");
        assert_eq!(run().rows, RowCounts { total: 4, computed: 0, restored: 4, failed: 2 });
    }

    /// A run in which EASY lost its backfilling: the check against the one before names the policy and the figures.
    #[test]
    fn a_policy_made_worse_is_found_by_the_check() {
        let text = "study = 'online'\npolicies = ['EASY', 'CONS']\n\
            [[workloads]]\nname = 'model'\nnodes = 16\nlublin = { traces = 3, jobs = 100, loads = 0.8 }\n";
        let scenario = Scenario::parse(text, "worsened.toml", &[]).unwrap();
        let baseline = |worsened: bool| {
            let folder = tempfile::tempdir().unwrap();
            let options = RunOptions { threads: 1, ..RunOptions::new(folder.path()) };
            let scheduler = |setting: &Setting, nodes| {
                let easy = setting.policy.to_string() == "EASY";
                let policy = if easy && worsened { "FCFS".parse().unwrap() } else { setting.policy };
                policy.scheduler(nodes, &setting.numbers)
            };
            run_with(&scenario, &options, &AtomicBool::new(false), &(), &scheduler).unwrap();
            Baseline::of(&Results::read(folder.path()).unwrap()).unwrap()
        };
        let (before, now) = (baseline(false), baseline(true));
        assert!(!check(&before, &before, &CheckOptions::default()).unwrap().fails());
        let report = check(&before, &now, &CheckOptions::default()).unwrap();
        assert!(report.fails());
        let worse = report.changes.iter().filter(|change| change.verdict == Verdict::Worse);
        let named: Vec<(&str, &str)> =
            worse.map(|change| (change.group.policy.as_str(), change.figure.name())).collect();
        assert!(named.contains(&("EASY", "mean_degradation")), "{named:?}");
        assert!(named.iter().all(|(policy, _)| *policy == "EASY"), "{named:?}");
        assert!(report.table().markdown().contains("EASY"));
    }

    /// A job of 100 s with a request of 60 s is killed after 60 s: the bound must not ask for more.
    #[test]
    fn killed_jobs_have_the_bound_of_what_they_run() {
        let text = "study = 'online'\npolicies = ['FCFS']\n[simulation]\nestimates = 'requested'\noverrun = 'kill'\n\
            [[workloads]]\nname = 'log'\nnodes = 1\nswf = { file = 'kill.swf' }\n";
        let folder = tempfile::tempdir().unwrap();
        // Both arrive at second 0 on one processor. Run to the end, the second would end at 200 s: bound 2 either way
        // for equal jobs, so the second one is short: 20 s. Killed: (60 + 20) / 60 is less than (100 + 20) / 100
        // would be the other way about, and with deadlines 60 S and 20 S the whole work of 80 needs S = 80 / 60.
        let log = "1 0 -1 100 1 -1 -1 1 60 -1 1 1 -1 -1 -1 -1 -1 -1\n2 0 -1 20 1 -1 -1 1 20 -1 1 1 -1 -1 -1 -1 -1 -1\n";
        std::fs::write(folder.path().join("kill.swf"), log).unwrap();
        let path = folder.path().join("kill.toml");
        std::fs::write(&path, text).unwrap();
        let scenario = Scenario::load(&path, &[]).unwrap();
        let options = RunOptions { threads: 1, ..RunOptions::new(folder.path().join("out")) };
        let report = run(&scenario, &options, &AtomicBool::new(false), &()).unwrap();
        let bounds = report.tables.bounds.csv();
        let bound: f64 = bounds.lines().nth(1).unwrap().rsplit(',').next().unwrap().parse().unwrap();
        assert!((bound - 80.0 / 60.0).abs() < 1e-9, "{bounds}");
        assert_eq!(report.preparation, [("log".to_owned(), "2 records, 2 jobs".to_owned())]);
    }

    /// The second job never ran: it is left out, and the table says so.
    #[test]
    fn jobs_that_are_left_out_are_told_below_the_table() {
        let folder = tempfile::tempdir().unwrap();
        let log = "1 0 -1 100 1 -1 -1 1 60 -1 1 1 -1 -1 -1 -1 -1 -1\n2 0 -1 0 1 -1 -1 1 20 -1 5 1 -1 -1 -1 -1 -1 -1\n";
        std::fs::write(folder.path().join("log.swf"), log).unwrap();
        let path = folder.path().join("s.toml");
        let text = "study = 'online'\npolicies = ['FCFS']\n\
            [[workloads]]\nname = 'log'\nnodes = 1\nswf = { file = 'log.swf' }\n";
        std::fs::write(&path, text).unwrap();
        let options = RunOptions { threads: 1, ..RunOptions::new(folder.path().join("out")) };
        let scenario = Scenario::load(&path, &[]).unwrap();
        let report = run(&scenario, &options, &AtomicBool::new(false), &()).unwrap();
        let table = report.tables.degradation.markdown();
        assert!(
            table.ends_with("\nlog: 2 records, 1 jobs; cancelled: 1 kept; zero_run: 1 dropped\n"),
            "{table}"
        );
    }
}
