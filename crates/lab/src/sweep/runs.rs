//! Running the variants on an instance.

use super::plan::{Plan, Work};
use super::progress::{Progress, Step};
use super::times::Times;
use super::work::Sweep;
use crate::RunError;
use crate::column::{Better, Column};
use crate::key::{Key, KeyBuilder};
use crate::record::{Failure, Status};
use crate::study::{
    AnyInstance, AnyStudy, InstanceRows, Journaling, Keeper, Labels, OnInstance, OpenStudy, Outcome,
    RowResult, RunOf, RunRows, Watch,
};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// All runs of a scenario while they are under way.
pub(crate) struct Runs<'a> {
    study: &'a dyn OpenStudy,
    about: AnyStudy,
    plan: &'a Plan,
    keeper: &'a dyn Keeper,
    pub(crate) sweep: Sweep<'a>,
    progress: &'a dyn Progress,
    audit: bool,
    /// The keys of all records, with the place of their instance.
    pub(crate) keys: Mutex<FxHashMap<Key, usize>>,
    /// How many rows were taken over.
    pub(crate) restored: AtomicUsize,
    /// Time spent, in nanoseconds, added up over the threads.
    pub(crate) preparing: AtomicU64,
    pub(crate) running: AtomicU64,
    /// How long runs took, where they say so.
    pub(crate) times: Times,
}

/// An instance when all of its rows are there.
pub(crate) struct Done {
    pub(crate) part: InstanceRows,
    pub(crate) digest: String,
    /// How many rows have a status, where there are any.
    pub(crate) statuses: Vec<(Status, usize)>,
    pub(crate) failures: Vec<String>,
}

/// A run that is to be done, with what came of it if that is known already.
struct Pending<'a> {
    run: RunOf<'a>,
    restored: Option<Outcome>,
}

/// A run when its rows are there.
struct Finished<'a> {
    run: RunOf<'a>,
    outcome: Outcome,
    is_computed: bool,
    /// How long it took, if it was computed and reports its time.
    took: Option<Duration>,
}

impl<'a> Runs<'a> {
    pub(crate) fn new(
        study: &'a dyn OpenStudy,
        plan: &'a Plan,
        keeper: &'a dyn Keeper,
        sweep: Sweep<'a>,
        progress: &'a dyn Progress,
        audit: bool,
    ) -> Runs<'a> {
        Runs {
            study,
            about: study.study(),
            plan,
            keeper,
            sweep,
            progress,
            audit,
            keys: Mutex::default(),
            restored: AtomicUsize::new(0),
            preparing: AtomicU64::new(0),
            running: AtomicU64::new(0),
            times: Times::default(),
        }
    }

    /// All rows of an instance; `None` if the sweep was stopped before they were there.
    pub(crate) fn instance(&self, work: &Work) -> Option<Done> {
        let begin = Instant::now();
        let prepared = self.study.prepare(work.at, work.own.as_deref());
        add_time(&self.preparing, begin);
        let id = &self.plan.instances[work.at];
        let digest = prepared.digest().map(|digest| digest.to_string());
        let is_prepared = digest.is_ok();
        let digest = digest.unwrap_or_else(|failure| format!("none: {}", failure.message));
        let mut instance_key = KeyBuilder::new(self.about.name, self.about.semantics);
        instance_key.field("instance", &digest);
        if !is_prepared {
            // Others may fail for the same reason.
            id.labels.iter().for_each(|(name, value)| _ = instance_key.field(name, value));
        }
        let facts = prepared.facts();
        let on = OnInstance { at: work.at, id, facts: &facts, key: instance_key.key() };
        let variants = prepared.variants();
        let pending: Vec<Pending<'_>> = (variants.iter().enumerate())
            .map(|(variant, labels)| self.pending(&on, prepared.as_ref(), (variant, labels), &instance_key))
            .collect();
        self.take_keys(&pending)?;
        let is_missing = |pending: &Pending<'_>| pending.restored.is_none();
        let is_any_missing = pending.iter().any(is_missing);
        if is_any_missing && !self.sweep.computes() {
            // Those that are there count, so that the message says how many are not.
            self.sweep.finish(pending.iter().filter(|each| !is_missing(each)).count());
            return None;
        }
        // On another thread than the runs, so that one large instance keeps several threads busy.
        let (_, finished) = rayon::join(
            || {
                if is_any_missing {
                    prepared.beside();
                }
            },
            || {
                pending
                    .into_par_iter()
                    .map(|pending| self.finished(prepared.as_ref(), pending))
                    .collect::<Option<Vec<_>>>()
            },
        );
        self.done(&on, finished?, digest)
    }

    /// Notes the keys of the runs on an instance; `None`, which ends the sweep, if a key of a run is taken. Instances may
    /// share theirs: each has its own line, and equal contents have equal results.
    fn take_keys(&self, pending: &[Pending<'_>]) -> Option<()> {
        let mut known = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        for Pending { run, .. } in pending {
            let Some(other) = known.insert(run.key, run.on.at) else { continue };
            if self.keeper.journaling() == Journaling::Instances {
                continue;
            }
            let [first, second] = [other.min(run.on.at), other.max(run.on.at)].map(|at| {
                let labels = self.plan.instances[at].labels.iter().chain(run.labels);
                let values = labels.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty());
                values.collect::<Vec<_>>().join(", ")
            });
            self.sweep.fail(RunError::input(format_args!(
                    "`{first}` and `{second}` are the same run, so their rows would be identical; remove one of them from the scenario"
                )));
            return None;
        }
        Some(())
    }

    fn pending<'b>(
        &self,
        on: &'b OnInstance<'b>,
        prepared: &dyn AnyInstance,
        (variant, labels): (usize, &'b Labels),
        instance: &KeyBuilder,
    ) -> Pending<'b> {
        let key = match self.keeper.journaling() {
            Journaling::Instances => on.key,
            Journaling::Runs => {
                let mut key = instance.clone();
                prepared.key(variant, &mut key);
                key.key()
            }
        };
        let row_type = prepared.row_type(variant);
        let columns = self.about.row_types[row_type].columns;
        let run = RunOf { on, variant, labels, row_type, columns, key };
        let restored = self.keeper.earlier(&run);
        Pending { run, restored }
    }

    /// The rows of a variant; `None` if the sweep was stopped.
    fn finished<'b>(
        &self,
        prepared: &dyn AnyInstance,
        Pending { run, restored }: Pending<'b>,
    ) -> Option<Finished<'b>> {
        let finished = match restored {
            Some(outcome) => {
                self.restored.fetch_add(self.keeper.results(&outcome).len(), Ordering::Relaxed);
                Finished { run, outcome, is_computed: false, took: None }
            }
            None if self.sweep.is_over() => return None,
            None => {
                let (rows, took) = self.compute(prepared, &run);
                // A run that was interrupted may have ended early.
                if self.sweep.is_over() && rows.is_err() {
                    return None;
                }
                let outcome = self.keeper.outcome(&run, rows);
                Finished { run, outcome, is_computed: true, took }
            }
        };
        if self.keeper.journaling() == Journaling::Runs {
            let (key, outcome) = (finished.run.key, std::slice::from_ref(&finished.outcome));
            if !self.sweep.is_kept(key) {
                self.sweep.keep(self.keeper.journal(key, outcome))?;
            }
            self.report(std::slice::from_ref(&finished.run), outcome);
        }
        Some(finished)
    }

    fn compute(&self, prepared: &dyn AnyInstance, run: &RunOf<'_>) -> (RunRows, Option<Duration>) {
        let begin = Instant::now();
        const UNKNOWN: u64 = u64::MAX;
        let took = AtomicU64::new(UNKNOWN);
        let watch = Watch::new(self.audit, self.sweep.out()).timed(&took);
        let rows = prepared.run(run.variant, watch).and_then(|rows| match rows.is_empty() {
            true => Err(Failure::failed("no job is left to measure")),
            false => Ok(rows),
        });
        add_time(&self.running, begin);
        let took = Some(took.into_inner()).filter(|took| *took != UNKNOWN);
        (rows, took.map(Duration::from_nanos))
    }

    /// Puts the runs of an instance together.
    fn done(&self, on: &OnInstance<'_>, finished: Vec<Finished<'_>>, digest: String) -> Option<Done> {
        let times = finished.iter().filter_map(|each| Some((each.run.labels, each.took?)));
        self.times.add(self.about.row_types, on.id, times);
        let is_computed = finished.iter().any(|finished| finished.is_computed);
        let (runs, outcomes): (Vec<RunOf<'_>>, Vec<_>) =
            finished.into_iter().map(|finished| (finished.run, finished.outcome)).unzip();
        if self.keeper.journaling() == Journaling::Instances {
            if is_computed || !self.sweep.is_kept(on.key) {
                self.sweep.keep(self.keeper.journal(on.key, &outcomes))?;
            }
            self.report(&runs, &outcomes);
        }
        let (mut statuses, mut failures) = ([0; Status::ALL.len()], Vec::new());
        for (run, outcome) in runs.iter().zip(&outcomes) {
            for result in self.keeper.results(outcome) {
                statuses[result.status as usize] += 1;
                failures.extend(failure(run, &result));
            }
        }
        let statuses = Status::ALL.iter().copied().zip(statuses).filter(|(_, rows)| *rows > 0).collect();
        Some(Done { part: self.keeper.part(on, outcomes), digest, statuses, failures })
    }

    /// Reports runs that have finished.
    fn report(&self, runs: &[RunOf<'_>], outcomes: &[Outcome]) {
        let Some(first) = runs.first() else { return };
        let mut values = Vec::with_capacity(runs.len());
        for (run, outcome) in runs.iter().zip(outcomes) {
            let value = |result: RowResult<'_>| (self.plan.name(run.labels), result.primary);
            values.extend(self.keeper.results(outcome).into_iter().map(value));
        }
        self.progress.step(&Step {
            finished: self.sweep.finish(runs.len()),
            total: self.sweep.total(),
            values: &values,
            primary: primary(first.columns),
        });
    }
}

/// The primary metric among columns, and which values are better.
fn primary(columns: &'static [Column]) -> Option<(&'static str, Better)> {
    let column = columns.iter().find(|column| column.is_primary())?;
    Some((column.name, column.better()?))
}

/// The line about a row that is a failure.
fn failure(run: &RunOf<'_>, result: &RowResult<'_>) -> Option<String> {
    if !result.status.is_failure() {
        return None;
    }
    let labels = run.known().filter(|(column, value)| column.is_name() && !value.is_empty());
    let labels: Vec<&str> = labels.map(|(_, value)| value).collect();
    Some(format!("{}: {}: {}", labels.join(", "), result.status, result.message))
}

fn add_time(total: &AtomicU64, begin: Instant) {
    total.fetch_add(begin.elapsed().as_nanos() as u64, Ordering::Relaxed);
}
