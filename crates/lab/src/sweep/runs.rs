//! Running the variants on an instance.

use super::plan::{Plan, Work};
use super::progress::{Progress, Step};
use super::times::Times;
use super::work::Sweep;
use crate::RunError;
use crate::column::{Better, Column, Role, Row as _};
use crate::key::{Key, KeyBuilder};
use crate::record::{Failure, Status};
use crate::study::{Journaling, OnInstance, RowResult, RowSet, RunOf};
use crate::study::{Labels, Prepared, Study, Watch};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

type LayoutOf<S> = <<S as Study>::Rows as RowSet<S>>::Layout;
type EarlierOf<S> = <<S as Study>::Rows as RowSet<S>>::Earlier;
type OutcomeOf<S> = <<S as Study>::Rows as RowSet<S>>::Outcome;
type PartOf<S> = <<S as Study>::Rows as RowSet<S>>::Part;

/// All runs of a scenario while they are under way.
pub(crate) struct Runs<'a, S: Study> {
    study: &'a S,
    plan: &'a Plan,
    layout: &'a LayoutOf<S>,
    earlier: &'a EarlierOf<S>,
    pub(crate) sweep: Sweep<'a>,
    progress: &'a dyn Progress,
    audit: bool,
    /// The keys of all records, with the place of their instance.
    pub(crate) keys: Mutex<BTreeMap<Key, usize>>,
    /// How many rows were taken over.
    pub(crate) restored: AtomicUsize,
    /// Time spent, in nanoseconds, added up over the threads.
    pub(crate) preparing: AtomicU64,
    pub(crate) running: AtomicU64,
    /// How long runs took, where they say so.
    pub(crate) times: Times,
}

/// An instance when all of its rows are there.
pub(crate) struct Done<P> {
    pub(crate) part: P,
    pub(crate) digest: String,
    /// How many rows have a status, where there are any.
    pub(crate) statuses: Vec<(Status, usize)>,
    pub(crate) failures: Vec<String>,
}

/// A run that is to be done, with what came of it if that is known already.
struct Pending<'a, S: Study> {
    run: RunOf<'a, S>,
    restored: Option<OutcomeOf<S>>,
}

/// A run when its rows are there.
struct Finished<'a, S: Study> {
    run: RunOf<'a, S>,
    outcome: OutcomeOf<S>,
    is_computed: bool,
    /// How long it took, if it was computed and reports its time.
    took: Option<Duration>,
}

impl<'a, S: Study> Runs<'a, S> {
    pub(crate) fn new(
        study: &'a S,
        plan: &'a Plan,
        (layout, earlier): (&'a LayoutOf<S>, &'a EarlierOf<S>),
        sweep: Sweep<'a>,
        progress: &'a dyn Progress,
        audit: bool,
    ) -> Runs<'a, S> {
        Runs {
            study,
            plan,
            layout,
            earlier,
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
    pub(crate) fn instance(&self, work: &Work) -> Option<Done<PartOf<S>>> {
        let begin = Instant::now();
        let prepared = self.study.prepare(work.at);
        add_time(&self.preparing, begin);
        let digest = prepared.as_ref().map_or_else(
            |failure| format!("none: {}", failure.message),
            |Prepared { digest, .. }| digest.to_string(),
        );
        let mut instance_key = KeyBuilder::new(S::NAME, S::SEMANTICS);
        instance_key.field("instance", &digest);
        if prepared.is_err() {
            // Others may fail for the same reason.
            let labels = &self.plan.instances[work.at].labels;
            labels.iter().for_each(|(name, value)| _ = instance_key.field(name, value));
        }
        let facts = prepared.as_ref().map(|prepared| self.study.facts(&prepared.instance));
        let on = OnInstance {
            study: self.study,
            at: work.at,
            id: &self.plan.instances[work.at],
            facts: &facts.unwrap_or_default(),
            key: instance_key.key(),
        };
        let variants: Vec<(S::Variant, Labels)> = (work.variants(self.study).into_iter())
            .map(|variant| {
                let labels = self.study.labels(&variant);
                (variant, labels)
            })
            .collect();
        let pending: Vec<Pending<'_, S>> = (variants.iter())
            .map(|(variant, labels)| self.pending(&on, variant, labels, &instance_key))
            .collect();
        self.take_keys(&pending)?;
        let is_missing = |pending: &Pending<'_, S>| pending.restored.is_none();
        let is_any_missing = pending.iter().any(is_missing);
        if is_any_missing && !self.sweep.computes() {
            // Those that are there count, so that the message says how many are not.
            self.sweep.finish(pending.iter().filter(|each| !is_missing(each)).count());
            return None;
        }
        // On another thread than the runs, so that one large instance keeps several threads busy.
        let (_, finished) = rayon::join(
            || {
                if let Ok(Prepared { instance, .. }) = prepared.as_ref()
                    && is_any_missing
                {
                    self.study.beside(instance);
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
    fn take_keys(&self, pending: &[Pending<'_, S>]) -> Option<()> {
        let mut known = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        for Pending { run, .. } in pending {
            let Some(other) = known.insert(run.key, run.on.at) else { continue };
            if S::Rows::JOURNALING == Journaling::Instances {
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
        on: &'b OnInstance<'b, S>,
        variant: &'b S::Variant,
        labels: &'b Labels,
        instance: &KeyBuilder,
    ) -> Pending<'b, S> {
        let key = match S::Rows::JOURNALING {
            Journaling::Instances => on.key,
            Journaling::Runs => {
                let mut key = instance.clone();
                self.study.key(variant, &mut key);
                key.key()
            }
        };
        let run = RunOf { on, variant, labels, key };
        let restored = S::Rows::earlier(self.layout, self.earlier, &run);
        Pending { run, restored }
    }

    /// The rows of a variant; `None` if the sweep was stopped.
    fn finished<'b>(
        &self,
        prepared: Result<&Prepared<S::Instance>, &Failure>,
        Pending { run, restored }: Pending<'b, S>,
    ) -> Option<Finished<'b, S>> {
        let finished = match restored {
            Some(outcome) => {
                self.restored.fetch_add(S::Rows::results(&outcome).count(), Ordering::Relaxed);
                Finished { run, outcome, is_computed: false, took: None }
            }
            None if self.sweep.is_over() => return None,
            None => {
                let (rows, took) = self.compute(prepared, &run);
                // A run that was interrupted may have ended early.
                if self.sweep.is_over() && rows.is_err() {
                    return None;
                }
                let outcome = S::Rows::outcome(self.layout, &run, rows);
                Finished { run, outcome, is_computed: true, took }
            }
        };
        if S::Rows::JOURNALING == Journaling::Runs {
            let (key, outcome) = (finished.run.key, std::slice::from_ref(&finished.outcome));
            if !self.sweep.is_kept(key) {
                self.sweep.keep(S::Rows::journal(self.layout, key, outcome))?;
            }
            self.report(std::slice::from_ref(&finished.run), outcome);
        }
        Some(finished)
    }

    fn compute(
        &self,
        prepared: Result<&Prepared<S::Instance>, &Failure>,
        run: &RunOf<'_, S>,
    ) -> (Result<Vec<S::Row>, Failure>, Option<Duration>) {
        let begin = Instant::now();
        const UNKNOWN: u64 = u64::MAX;
        let took = AtomicU64::new(UNKNOWN);
        let watch = Watch::new(self.audit, self.sweep.out()).timed(&took);
        let rows = prepared
            .map_err(Clone::clone)
            .and_then(|prepared| self.study.run(&prepared.instance, run.on.at, run.variant, watch))
            .and_then(|rows| match rows.is_empty() {
                true => Err(Failure::failed("no job is left to measure")),
                false => Ok(rows),
            });
        add_time(&self.running, begin);
        let took = Some(took.into_inner()).filter(|took| *took != UNKNOWN);
        (rows, took.map(Duration::from_nanos))
    }

    /// Puts the runs of an instance together.
    fn done(
        &self,
        on: &OnInstance<'_, S>,
        finished: Vec<Finished<'_, S>>,
        digest: String,
    ) -> Option<Done<PartOf<S>>> {
        let times = finished.iter().filter_map(|each| Some((each.run.labels, each.took?)));
        self.times.add::<S>(on.id, times);
        let is_computed = finished.iter().any(|finished| finished.is_computed);
        let (runs, outcomes): (Vec<RunOf<'_, S>>, Vec<_>) =
            finished.into_iter().map(|finished| (finished.run, finished.outcome)).unzip();
        if S::Rows::JOURNALING == Journaling::Instances {
            if is_computed || !self.sweep.is_kept(on.key) {
                self.sweep.keep(S::Rows::journal(self.layout, on.key, &outcomes))?;
            }
            self.report(&runs, &outcomes);
        }
        let (mut statuses, mut failures) = ([0; Status::ALL.len()], Vec::new());
        for (run, outcome) in runs.iter().zip(&outcomes) {
            for result in S::Rows::results(outcome) {
                statuses[result.status as usize] += 1;
                failures.extend(failure(run, &result));
            }
        }
        let statuses = Status::ALL.iter().copied().zip(statuses).filter(|(_, rows)| *rows > 0).collect();
        Some(Done { part: S::Rows::part(self.layout, on, outcomes), digest, statuses, failures })
    }

    /// Reports runs that have finished.
    fn report(&self, runs: &[RunOf<'_, S>], outcomes: &[OutcomeOf<S>]) {
        let Some(first) = runs.first() else { return };
        let mut values = Vec::with_capacity(runs.len());
        for (run, outcome) in runs.iter().zip(outcomes) {
            let value = |result: RowResult<'_>| (self.plan.name(run.labels), result.primary);
            values.extend(S::Rows::results(outcome).map(value));
        }
        self.progress.step(&Step {
            finished: self.sweep.finish(runs.len()),
            total: self.sweep.total(),
            values: &values,
            primary: primary::<S>(self.study.row_type(first.variant)),
        });
    }
}

/// The primary metric of a type of rows, and which values are better.
fn primary<S: Study>(row_type: usize) -> Option<(&'static str, Better)> {
    let column = S::Row::TYPES[row_type].columns.iter().find(|column| column.is_primary())?;
    Some((column.name, column.better()?))
}

/// The line about a row that is a failure.
fn failure<S: Study>(run: &RunOf<'_, S>, result: &RowResult<'_>) -> Option<String> {
    if !result.status.is_failure() {
        return None;
    }
    let is_label = |column: &Column| matches!(column.role, Role::Label | Role::Instance | Role::Variant);
    let labels = run.known().filter(|(column, value)| is_label(column) && !value.is_empty());
    let labels: Vec<&str> = labels.map(|(_, value)| value).collect();
    Some(format!("{}: {}: {}", labels.join(", "), result.status, result.message))
}

fn add_time(total: &AtomicU64, begin: Instant) {
    total.fetch_add(begin.elapsed().as_nanos() as u64, Ordering::Relaxed);
}
