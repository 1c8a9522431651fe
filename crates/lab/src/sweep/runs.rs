//! Execution of the variants on an instance.

use super::instance_work::InstanceWork;
use super::plan::Plan;
use super::progress::{Progress, Step};
use super::times::Times;
use super::work::Sweep;
use crate::RunError;
use crate::column::{Better, Column};
use crate::key::{Key, KeyBuilder};
use crate::record::{Failure, Status};
use crate::study::{
    AnyInstance, AnyStudy, InstanceContext, InstanceRows, Journaling, Labels, OpenStudy, Outcome, RowResult,
    RowStore, RunContext, RunIdentity, RunRows,
};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// State shared by all runs of a scenario.
pub(crate) struct Runs<'a> {
    study: &'a dyn OpenStudy,
    about: AnyStudy,
    plan: &'a Plan,
    keeper: &'a dyn RowStore,
    pub(crate) sweep: Sweep<'a>,
    progress: &'a dyn Progress,
    audit: bool,
    /// True if the first run without a row ends a merge; otherwise all such runs are counted.
    pub(crate) ends_at_missing: bool,
    /// Keys of all records, with the index of their instance.
    pub(crate) keys: Mutex<FxHashMap<Key, usize>>,
    /// Number of restored rows.
    pub(crate) restored: AtomicUsize,
    /// Time spent in nanoseconds, summed over the threads.
    pub(crate) preparing: AtomicU64,
    pub(crate) running: AtomicU64,
    /// Run times, as reported by the runs.
    pub(crate) times: Times,
}

/// An instance whose rows are complete.
pub(crate) struct FinishedInstance {
    pub(crate) part: InstanceRows,
    pub(crate) digest: String,
    /// Number of rows by status, for statuses that occur.
    pub(crate) statuses: Vec<(Status, usize)>,
    pub(crate) failures: Vec<String>,
}

/// A run to be done, with its outcome if it is known from an earlier run.
struct PendingRun<'a> {
    run: RunIdentity<'a>,
    restored: Option<Outcome>,
}

/// A run whose rows are complete.
struct FinishedRun<'a> {
    run: RunIdentity<'a>,
    outcome: Outcome,
    is_computed: bool,
    /// Run time, if the run was computed and reported it.
    reported_time: Option<Duration>,
}

impl<'a> Runs<'a> {
    pub(crate) fn new(
        study: &'a dyn OpenStudy,
        plan: &'a Plan,
        keeper: &'a dyn RowStore,
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
            ends_at_missing: false,
            keys: Mutex::default(),
            restored: AtomicUsize::new(0),
            preparing: AtomicU64::new(0),
            running: AtomicU64::new(0),
            times: Times::default(),
        }
    }

    /// Computes or restores all rows of an instance; `None` if the sweep was stopped before they
    /// were complete.
    pub(crate) fn instance(&self, work: &InstanceWork) -> Option<FinishedInstance> {
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
            // Other instances may fail for the same reason, so the labels must tell their keys
            // apart.
            id.labels.iter().for_each(|(name, value)| _ = instance_key.field(name, value));
        }
        let facts = prepared.facts();
        let on = InstanceContext { at: work.at, id, facts: &facts, key: instance_key.key() };
        let variants = prepared.variants();
        let pending: Vec<PendingRun<'_>> = (variants.iter().enumerate())
            .map(|(variant, labels)| {
                self.prepare_run(&on, prepared.as_ref(), (variant, labels), &instance_key)
            })
            .collect();
        self.register_keys(&pending)?;
        let is_missing = |pending: &PendingRun<'_>| pending.restored.is_none();
        let is_any_missing = pending.iter().any(is_missing);
        if is_any_missing && !self.sweep.computes() {
            if let Some(missing) = pending.iter().find(|each| is_missing(each) && self.ends_at_missing) {
                let of = joined(id.labels.iter().chain(missing.run.labels));
                self.sweep.fail(RunError::input(format_args!("no row is that of `{of}`")));
            }
            // Present rows are counted, so that the error message gives the number of missing ones.
            self.sweep.finish(pending.iter().filter(|each| !is_missing(each)).count());
            return None;
        }
        // This runs concurrently with the variants, so that one large instance keeps several threads
        // busy.
        let (_, finished) = rayon::join(
            || {
                if is_any_missing {
                    prepared.precompute_shared();
                }
            },
            || {
                pending
                    .into_par_iter()
                    .map(|pending| self.finish_run(prepared.as_ref(), pending))
                    .collect::<Option<Vec<_>>>()
            },
        );
        self.combine(&on, finished?, digest)
    }

    /// Registers the keys of the runs on an instance; fails the sweep and returns `None` if two runs
    /// have the same key. Instances may share a key in wide layout: each has its own line, and equal
    /// contents have equal results.
    fn register_keys(&self, pending: &[PendingRun<'_>]) -> Option<()> {
        let mut known = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        for PendingRun { run, .. } in pending {
            let Some(other) = known.insert(run.key, run.on.at) else { continue };
            if self.keeper.journaling() == Journaling::Instances {
                continue;
            }
            let [first, second] = [other.min(run.on.at), other.max(run.on.at)]
                .map(|at| joined(self.plan.instances[at].labels.iter().chain(run.labels)));
            self.sweep.fail(RunError::input(format_args!(
                    "`{first}` and `{second}` are the same run and would give identical rows; remove one of them from the scenario"
                )));
            return None;
        }
        Some(())
    }

    fn prepare_run<'b>(
        &self,
        on: &'b InstanceContext<'b>,
        prepared: &dyn AnyInstance,
        (variant, labels): (usize, &'b Labels),
        instance: &KeyBuilder,
    ) -> PendingRun<'b> {
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
        let run = RunIdentity { on, variant, labels, row_type, columns, key };
        let restored = self.keeper.earlier(&run);
        PendingRun { run, restored }
    }

    /// Computes or restores the rows of a variant; `None` if the sweep was stopped.
    fn finish_run<'b>(
        &self,
        prepared: &dyn AnyInstance,
        PendingRun { run, restored }: PendingRun<'b>,
    ) -> Option<FinishedRun<'b>> {
        let finished = match restored {
            Some(outcome) => {
                self.restored.fetch_add(self.keeper.results(&outcome).len(), Ordering::Relaxed);
                FinishedRun { run, outcome, is_computed: false, reported_time: None }
            }
            None if self.sweep.is_over() => return None,
            None => {
                let (rows, took) = self.compute(prepared, &run);
                // A failure after an interrupt may be an effect of the interrupt.
                if self.sweep.is_over() && rows.is_err() {
                    return None;
                }
                let outcome = self.keeper.outcome(&run, rows);
                FinishedRun { run, outcome, is_computed: true, reported_time: took }
            }
        };
        if self.keeper.journaling() == Journaling::Runs {
            let (key, outcome) = (finished.run.key, std::slice::from_ref(&finished.outcome));
            if !self.sweep.is_journaled(key) {
                self.sweep.append_to_journal(self.keeper.journal(key, outcome))?;
            }
            self.report(std::slice::from_ref(&finished.run), outcome);
        }
        Some(finished)
    }

    fn compute(&self, prepared: &dyn AnyInstance, run: &RunIdentity<'_>) -> (RunRows, Option<Duration>) {
        let begin = Instant::now();
        const UNKNOWN: u64 = u64::MAX;
        let took = AtomicU64::new(UNKNOWN);
        let watch = RunContext::new(self.audit, self.sweep.out()).timed(&took);
        let rows = prepared.run(run.variant, watch).and_then(|rows| match rows.is_empty() {
            true => Err(Failure::failed("no job is left to measure")),
            false => Ok(rows),
        });
        add_time(&self.running, begin);
        let took = Some(took.into_inner()).filter(|took| *took != UNKNOWN);
        (rows, took.map(Duration::from_nanos))
    }

    /// Combines the finished runs of an instance.
    fn combine(
        &self,
        on: &InstanceContext<'_>,
        finished: Vec<FinishedRun<'_>>,
        digest: String,
    ) -> Option<FinishedInstance> {
        let times = finished.iter().filter_map(|each| Some((each.run.labels, each.reported_time?)));
        self.times.add(self.about.row_types, on.id, times);
        let is_computed = finished.iter().any(|finished| finished.is_computed);
        let (runs, outcomes): (Vec<RunIdentity<'_>>, Vec<_>) =
            finished.into_iter().map(|finished| (finished.run, finished.outcome)).unzip();
        if self.keeper.journaling() == Journaling::Instances {
            if is_computed || !self.sweep.is_journaled(on.key) {
                self.sweep.append_to_journal(self.keeper.journal(on.key, &outcomes))?;
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
        Some(FinishedInstance { part: self.keeper.part(on, outcomes), digest, statuses, failures })
    }

    /// Reports finished runs to the progress display.
    fn report(&self, runs: &[RunIdentity<'_>], outcomes: &[Outcome]) {
        let Some(first) = runs.first() else { return };
        let mut values = Vec::with_capacity(runs.len());
        for (run, outcome) in runs.iter().zip(outcomes) {
            let value = |result: RowResult<'_>| (self.plan.name(run.labels, run.columns), result.primary);
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

/// Finds the primary metric and its direction of improvement.
fn primary(columns: &'static [Column]) -> Option<(&'static str, Better)> {
    let column = columns.iter().find(|column| column.is_primary())?;
    Some((column.name, column.better()?))
}

/// Joins the values of labels, as the name of a run.
fn joined<'l>(labels: impl Iterator<Item = &'l (&'static str, String)>) -> String {
    let values = labels.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty());
    values.collect::<Vec<_>>().join(", ")
}

/// Formats the line about a failed row; `None` if the row is not a failure.
fn failure(run: &RunIdentity<'_>, result: &RowResult<'_>) -> Option<String> {
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
